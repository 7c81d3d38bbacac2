"""What holds of expected utilities whatever the posteriors."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from earnest.utility import expected_utility, true_utility

CLASSES = ("a", "b", "c", "d")
UTILITY = {"a": 1.0, "b": 1.0, "c": 2.5, "d": 17.0}


@st.composite
def posterior_rows(draw):
    n = draw(st.integers(1, 20))
    cells = draw(st.lists(st.integers(0, 50), min_size=4 * n, max_size=4 * n))
    counts = np.array(cells, dtype=float).reshape(n, 4)
    counts[counts.sum(axis=1) == 0] = 1
    return counts / counts.sum(axis=1, keepdims=True)


@given(posterior_rows(), st.integers(0, 2**20))
@settings(deadline=None, max_examples=60)
def test_expectations_lie_between_the_utilities(posteriors, bits):
    is_minority = np.array([bits >> k & 1 for k in range(len(posteriors))], dtype=bool)
    known = {"minority": ("c", "d"), "is_minority": is_minority}
    plain = expected_utility(posteriors, CLASSES, UTILITY)
    assert ((plain >= 1 - 1e-9) & (plain <= 17 + 1e-9)).all()
    conditional = expected_utility(posteriors, CLASSES, UTILITY, conditional=True, **known)
    assert (conditional[~is_minority] == 1).all()
    assert (conditional[is_minority] >= 2.5 - 1e-9).all()
    assert (conditional[is_minority] <= 17 + 1e-9).all()


@given(st.lists(st.sampled_from(CLASSES), min_size=1, max_size=20))
@settings(deadline=None, max_examples=60)
def test_a_certain_posterior_gives_the_true_utility(subconcepts):
    posteriors = np.array([[float(name == one) for name in CLASSES] for one in subconcepts])
    truth = true_utility(subconcepts, UTILITY)
    is_minority = np.isin(subconcepts, ("c", "d"))
    known = {"minority": ("c", "d"), "is_minority": is_minority}
    for options in ({}, {"conditional": True}, {"majority_one": True}):
        weights = expected_utility(posteriors, CLASSES, UTILITY, **known, **options)
        np.testing.assert_allclose(weights, truth, rtol=0, atol=1e-12)
