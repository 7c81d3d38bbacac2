"""What holds of every measure whatever the data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from earnest.measures import MEASURES, score


@st.composite
def scored_items(draw):
    n = draw(st.integers(2, 40))
    bits = st.lists(st.integers(0, 1), min_size=n, max_size=n)
    weight = st.floats(1e-3, 1e3)
    return {
        "y_true": np.array(draw(bits)),
        "y_pred": np.array(draw(bits)),
        "y_score": np.array(draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))) / 9,
        "weights": np.array(draw(st.lists(weight, min_size=n, max_size=n))),
    }


def close(one, other):
    if one.value is None or other.value is None:
        return one == other
    return one.value == pytest.approx(other.value, abs=1e-12)


names = st.sampled_from(sorted(MEASURES))


@given(names, scored_items(), st.floats(1e-6, 1e6))
@settings(deadline=None, max_examples=60)
def test_identical_weights_give_the_plain_measure(name, items, weight):
    plain = score(name, **(items | {"weights": None}))
    assert close(score(name, **(items | {"weights": np.full(len(items["y_true"]), weight)})), plain)


@given(names, scored_items(), st.floats(1e-6, 1e6), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=60)
def test_neither_scale_nor_order_matters(name, items, scale, random):
    order = list(range(len(items["y_true"])))
    random.shuffle(order)
    shuffled = {what: values[order] for what, values in items.items()}
    shuffled["weights"] = shuffled["weights"] * scale
    assert close(score(name, **shuffled), score(name, **items))


@given(names, scored_items())
@settings(deadline=None, max_examples=60)
def test_an_integer_weight_is_a_repeated_item(name, items):
    times = np.arange(len(items["y_true"])) % 3 + 1
    repeated = {what: np.repeat(values, times) for what, values in items.items()}
    weighted = score(name, **(items | {"weights": times}))
    assert close(weighted, score(name, **(repeated | {"weights": None})))


@given(names, scored_items())
@settings(deadline=None, max_examples=60)
def test_a_value_or_a_reason_and_never_both(name, items):
    result = score(name, **items)
    assert (result.value is None) != (result.reason is None)
    if result.value is not None:
        assert -1e-12 <= result.value <= 1 + 1e-12
