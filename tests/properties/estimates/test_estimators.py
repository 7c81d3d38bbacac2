"""What holds of every estimator whatever the pool."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from earnest.estimates import ESTIMATORS, Pool, estimate, true_value
from earnest.estimates.counts import Counts
from earnest.estimates.subset import Subset
from earnest.estimates.support import worst_case
from earnest.samplers.designs import mixed_draw, of_prefix
from earnest.weights import WEIGHTS

WITHOUT_EMBEDDINGS = sorted(set(ESTIMATORS) - set(WEIGHTS))
USE_LABELS = sorted(set(WITHOUT_EMBEDDINGS) - {"average_confidence"})
MEASURES = ("accuracy", "balanced_accuracy", "f1", "recall:0", "recall:1")


@st.composite
def labelled_pools(draw):
    """A binary pool with ties among its confidences, its labels, and some labelled rows."""
    size = draw(st.integers(2, 25))
    grid = st.integers(0, 10).map(lambda tenth: tenth / 10)
    p_one = np.array(draw(st.lists(grid, min_size=size, max_size=size)))
    labels = np.array(draw(st.lists(st.integers(0, 1), min_size=size, max_size=size)))
    items = draw(st.permutations(range(size)))[: draw(st.integers(1, size))]
    return Pool(None, np.column_stack([1 - p_one, p_one])), labels, np.array(items)


def value_of(name, pool, items, labels, measure="accuracy", **options):
    options = {"sampler": "random", "resamples": 0} | options
    found = estimate(name, pool, items, labels=labels[items], measure=measure, **options)
    assert found.value is not None or found.reason
    if name != "auto":  # which says why there is no interval also where nothing was resampled
        assert (found.value is None) == (
            found.reason is not None
            and "resamples" not in found.reason
            and "no label is used" not in found.reason
        )
    assert found.value is None or np.isfinite(found.value)
    return found.value


@given(labelled_pools(), st.sampled_from(USE_LABELS), st.sampled_from(MEASURES))
@settings(deadline=None, max_examples=200)
def test_labelling_everything_gives_the_truth(made, name, measure):
    pool, labels, _ = made
    everything = np.arange(len(pool))
    options = {"labels": labels, "measure": measure}
    found = estimate(name, pool, everything, **options)
    truth = true_value(pool, labels, measure).value
    if truth is None or (name == "atc" and measure != "accuracy"):
        assert found.value is None
    else:
        assert found.value == pytest.approx(truth, abs=1e-9)
        assert (found.low, found.high) == (found.value, found.value)


@given(labelled_pools(), st.sampled_from(WITHOUT_EMBEDDINGS), st.sampled_from(MEASURES))
@settings(deadline=None, max_examples=200)
def test_the_order_of_the_labelled_does_not_matter(made, name, measure):
    pool, labels, items = made
    one, other = (value_of(name, pool, rows, labels, measure) for rows in (items, items[::-1]))
    assert one == (None if other is None else pytest.approx(other, abs=1e-9))


@given(labelled_pools(), st.sampled_from(USE_LABELS))
@settings(deadline=None, max_examples=150)
def test_a_single_confidence_for_all_leaves_the_plain_score(made, name):
    pool, labels, items = made
    flat = Pool(None, np.tile([0.3, 0.7], (len(pool), 1)))
    # the one looks at the labels, not at what was right; the other keeps part of its prior
    if name in ("class_prior", "auto"):
        return
    plain = (labels[items] == 1).mean()
    assert value_of(name, flat, items, labels) == pytest.approx(plain, abs=1e-9)


@given(labelled_pools(), st.sampled_from(MEASURES))
@settings(deadline=None, max_examples=200)
def test_worst_case_bounds_hold_the_truth(made, measure):
    pool, labels, items = made
    subset = Subset(pool, items, labels[items], Counts(np.ones((1, len(items)))))
    low, high = worst_case(subset, measure, "none")
    truth = true_value(pool, labels, measure).value
    assert 0 <= low <= high <= 1
    assert truth is None or low - 1e-12 <= truth <= high + 1e-12


@given(labelled_pools(), st.integers(0, 2**32), st.floats(0.05, 1))
@settings(deadline=None, max_examples=100)
def test_recorded_chances_are_chances_and_weigh_finitely(made, seed, share):
    pool, labels, items = made
    n = len(items)
    rng = np.random.default_rng(seed)
    drawn = mixed_draw(pool.posteriors, n, rng=rng, uniform_share=share)
    assert len(set(drawn.items.tolist())) == n
    design = of_prefix(drawn.chances, drawn.missed, n, len(pool))
    assert ((design.inclusion > 0) & (design.inclusion <= 1)).all()
    assert ((design.turns > 0) & (design.turns <= 1)).all()
    for name in ("lure", "horvitz_thompson", "hajek"):
        found = value_of(name, pool, drawn.items, labels, design=design)
        assert np.isfinite(found)
        if name == "hajek":
            assert -1e-12 <= found <= 1 + 1e-12
