import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from earnest.weights import WEIGHTS, importance_weights

# Whole numbers make copies and constant columns common; wide floats make columns whose
# spread is tiny beside their size.
GRID = st.integers(-2, 2).map(float)
WIDE = st.floats(-1e6, 1e6)

OPTIONS = {
    "kde": st.fixed_dictionaries(
        {}, optional={"components": st.integers(1, 9), "bandwidth": st.floats(1e-3, 1e3)}
    ),
    "logistic": st.fixed_dictionaries({}, optional={"C": st.floats(1e-4, 1e4)}),
    "logistic_posterior": st.fixed_dictionaries({}, optional={"C": st.floats(1e-4, 1e4)}),
    "rulsif": st.fixed_dictionaries(
        {},
        optional={
            "components": st.integers(1, 9),
            "alpha": st.floats(0, 0.9),
            "bandwidth": st.floats(1e-2, 1e2),
            "penalty": st.floats(1e-3, 1e3),
        },
    ),
    "kmm": st.fixed_dictionaries(
        {},
        optional={
            "components": st.integers(1, 9),
            "bandwidth": st.floats(1e-2, 1e2),
            "bound": st.floats(1.5, 1e4),
            "ridge": st.floats(1e-2, 1e2),
        },
    ),
    "knn": st.fixed_dictionaries(
        {}, optional={"k": st.integers(1, 20), "power": st.floats(0.25, 4)}
    ),
}


def weigh(name, embeddings, labelled, **options):
    """Weigh, with posteriors that follow the first column where a method needs them."""
    if name == "logistic_posterior":
        columns = np.asarray(getattr(embeddings, "embeddings", embeddings), dtype=float)
        first = 1 / (1 + np.exp(-np.clip(columns[:, 0], -30, 30)))
        options["posteriors"] = np.column_stack([first, 1 - first])
    return importance_weights(name, embeddings, labelled, **options)


@st.composite
def subsets(draw, largest=14):
    """A pool and some of its rows, in any order."""
    size, columns = draw(st.integers(1, largest)), draw(st.integers(1, 4))
    values = draw(st.sampled_from([GRID, WIDE]))
    embeddings = draw(arrays(np.float64, (size, columns), elements=values))
    rows = draw(st.permutations(range(size)))
    return embeddings, rows[: draw(st.integers(1, size))]


@st.composite
def methods(draw):
    name = draw(st.sampled_from(sorted(WEIGHTS)))
    return name, draw(OPTIONS[name])


@given(subsets(), methods())
@settings(deadline=None, max_examples=300)
def test_weights_are_finite_not_negative_and_of_mean_one(subset, method):
    embeddings, labelled = subset
    name, options = method
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = weigh(name, embeddings, labelled, **options)
    n = len(labelled)
    assert found.values.shape == (n,)
    assert np.isfinite(found.values).all()
    assert (found.values >= 0).all()
    assert found.values.mean() == pytest.approx(1, abs=1e-12)
    assert 1 - 1e-9 <= found.ess <= n * (1 + 1e-9)
    assert found.largest == found.values.max()
    assert set(found.flags) <= {"no_correction", "degenerate"}


@given(subsets(), methods(), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=100)
def test_everything_labelled_gives_ones_exactly(subset, method, random):
    embeddings, _ = subset
    name, options = method
    everything = list(range(len(embeddings)))
    random.shuffle(everything)
    found = weigh(name, embeddings, everything, **options)
    assert found.values.tolist() == [1.0] * len(embeddings)
    assert found.ess == len(embeddings)


@given(subsets(), methods())
@settings(deadline=None, max_examples=100)
def test_order_of_the_labelled_items_does_not_matter(subset, method):
    embeddings, labelled = subset
    name, options = method
    mixed = weigh(name, embeddings, labelled, **options).values
    ordered = weigh(name, embeddings, sorted(labelled), **options).values
    assert dict(zip(labelled, mixed, strict=True)) == dict(
        zip(sorted(labelled), ordered, strict=True)
    )


@given(subsets(), st.sampled_from(["kde", "logistic"]), st.sampled_from([2.0**-40, 0.25, 2.0**60]))
@settings(deadline=None, max_examples=100)
def test_scale_does_not_matter(subset, name, scale):
    embeddings, labelled = subset
    grid = np.round(embeddings)  # scaling by a power of two loses nothing there
    plain = weigh(name, grid, labelled).values
    scaled = weigh(name, grid * scale, labelled).values
    assert scaled.tolist() == plain.tolist()


@given(subsets(), st.sampled_from(sorted(WEIGHTS)))
@settings(deadline=None, max_examples=100)
def test_copies_of_an_item_weigh_the_same(subset, name):
    embeddings, labelled = subset
    twice = np.vstack([embeddings, embeddings[labelled[0]]])
    found = weigh(name, twice, [*labelled, len(embeddings)])
    assert found.values[0] == pytest.approx(found.values[-1], rel=1e-9, abs=1e-12)
