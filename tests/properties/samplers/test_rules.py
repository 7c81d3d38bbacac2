import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from earnest import samplers

# Whole numbers, so that copies, constant columns and ties are common.
GRID = st.integers(-2, 2).map(float)
WIDE = st.floats(-1e6, 1e6, allow_subnormal=False)


@st.composite
def draws(draw):
    """A pool with posteriors, a size to draw and a seed."""
    size, columns = draw(st.integers(1, 14)), draw(st.integers(1, 3))
    values = draw(st.sampled_from([GRID, WIDE]))
    embeddings = draw(arrays(np.float64, (size, columns), elements=values))
    raw = draw(arrays(np.float64, (size, 3), elements=st.floats(0.01, 1)))
    posteriors = raw / raw.sum(axis=1, keepdims=True)
    return embeddings, posteriors, draw(st.integers(1, size)), draw(st.integers(0, 2**40))


@given(draws(), st.sampled_from(sorted(samplers.SAMPLERS)))
@settings(deadline=None, max_examples=150)
def test_draws_are_distinct_rows_and_repeat(drawn, name):
    embeddings, posteriors, n, seed = drawn
    rows = samplers.select(name, embeddings, n, posteriors=posteriors, seed=seed)
    assert rows.dtype == np.int64
    assert rows.shape == (n,)
    assert len(set(rows.tolist())) == n
    assert 0 <= rows.min() <= rows.max() < len(embeddings)
    again = samplers.select(name, embeddings, n, posteriors=posteriors, seed=seed)
    assert again.tolist() == rows.tolist()


@given(draws(), st.sampled_from(sorted(samplers.PREFIX_SAMPLERS)))
@settings(deadline=None, max_examples=80)
def test_a_longer_draw_begins_with_the_shorter_one(drawn, name):
    embeddings, posteriors, n, seed = drawn
    short = samplers.select(name, embeddings, n, posteriors=posteriors, seed=seed)
    long = samplers.select(name, embeddings, len(embeddings), posteriors=posteriors, seed=seed)
    assert long[:n].tolist() == short.tolist()


@given(draws())
@settings(deadline=None, max_examples=80)
def test_each_step_of_the_walk_is_a_farthest_one(drawn):
    embeddings, _, n, seed = drawn
    rows = samplers.select("farthest", embeddings, n, seed=seed)
    for position in range(1, n):
        gaps = embeddings[:, None] - embeddings[None, rows[:position]]
        nearest = np.linalg.norm(gaps, axis=2).min(axis=1)
        assert nearest[rows[position]] >= nearest.max() * (1 - 1e-12)


@given(draws(), st.sampled_from(["farthest", "density_farthest", "kmedoids"]))
@settings(deadline=None, max_examples=60)
def test_powers_of_two_do_not_change_a_choice(drawn, name):
    embeddings, _, n, seed = drawn
    # on the grid, distances stay far from the floor that copies have
    rounded = np.round(embeddings)
    plain = samplers.select(name, rounded, n, seed=seed)
    assert samplers.select(name, rounded * 4, n, seed=seed).tolist() == plain.tolist()
