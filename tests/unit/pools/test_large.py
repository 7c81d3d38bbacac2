"""What large pools do block by block is what small ones do at once."""

import numpy as np
import pytest

from earnest import samplers
from earnest.pools import density, distances, large
from earnest.pools.geometry import prepare_pool
from earnest.samplers.traversal import traverse
from earnest.weights import importance_weights


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(large, "BLOCK", 37)
    monkeypatch.setattr(large, "_WATCHED", 12)


@pytest.fixture(scope="module")
def real(pools):
    with np.load(pools / "esc10.npz", allow_pickle=False) as arrays:
        return arrays["embeddings"]


def pools_of_all_kinds(real):
    rng = np.random.default_rng(3)
    return {
        "real": real,
        "noise": rng.normal(size=(150, 4)),
        "far from zero": rng.normal(size=(150, 4)) + 1e7,
        "ties": rng.integers(0, 3, size=(150, 3)).astype(float),
        "copies": np.repeat(rng.normal(size=(30, 2)), 5, axis=0),
        "one point": np.full((90, 3), 0.1),
        "constant columns": np.hstack([rng.normal(size=(90, 2)), np.full((90, 2), 0.1)]),
    }


KINDS = ["real", "noise", "far from zero", "ties", "copies", "one point", "constant columns"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_walks_by_bounds_are_plain_walks(real, kind, weighted):
    points = pools_of_all_kinds(real)[kind]
    factor = np.random.default_rng(0).random(len(points)) + 0.1 if weighted else None
    for start in (0, 7, len(points) - 1):
        plain = traverse(points.astype(float), start, len(points), factor=factor)
        found = large.traverse(points, start, len(points), factor=factor)
        assert found.tolist() == plain.tolist()


def test_copies_and_ties_are_not_looked_at_again_and_again(monkeypatch):
    calls = []
    watch = large._Walk._watch
    monkeypatch.setattr(large._Walk, "_watch", lambda *a: calls.append(1) or watch(*a))
    points = np.repeat(np.random.default_rng(0).normal(size=(20, 3)), 50, axis=0)
    found = large.traverse(points, 3, 1_000)
    assert found.tolist() == traverse(points, 3, 1_000).tolist()
    assert len(calls) < 60
    calls.clear()
    corners = np.random.default_rng(1).integers(0, 2, size=(400, 8)).astype(float)
    assert large.traverse(corners, 0, 200).tolist() == traverse(corners, 0, 200).tolist()
    assert len(calls) < 60


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 5, 400])
def test_neighbours_by_products_are_plain_neighbours(real, kind, k):
    points = pools_of_all_kinds(real)[kind]
    rows = np.random.default_rng(1).permutation(len(points))[:80]
    plain = distances.mean_neighbour_distances(points.astype(float), rows, k)
    found = large.mean_neighbour_distances(points, rows, k)
    np.testing.assert_allclose(found, plain, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_standardising_by_blocks(real, kind):
    points = pools_of_all_kinds(real)[kind]
    blocks = large.Standardised(points)
    plain = density.standardise(points)
    np.testing.assert_allclose(blocks[slice(None)], plain, atol=1e-7 if "far" in kind else 1e-11)
    np.testing.assert_allclose(np.vstack([part for _, part in blocks.blocks()]), blocks[:])
    scores, wanted = blocks.principal_scores(3), density.principal_scores(plain, 3)
    assert scores.shape == wanted.shape
    signs = np.sign(np.sum(scores * wanted, axis=0))
    np.testing.assert_allclose(scores * signs, wanted, atol=1e-6)


@pytest.mark.parametrize("name", ["kde", "logistic", "knn"])
def test_large_pools_get_the_weights_of_small_ones(real, name, monkeypatch):
    subsets = [np.arange(0, 240, 6), np.array([5]), np.random.default_rng(2).permutation(240)]
    small = [importance_weights(name, real, rows).values for rows in subsets]
    monkeypatch.setattr("earnest.pools.geometry.LARGEST_IN_MEMORY", 100)
    monkeypatch.setattr("earnest.pools.geometry.LARGEST_ALL_PAIRS", 100)
    pool = prepare_pool(real)
    monkeypatch.setattr(pool, "points", lambda *_: pytest.fail("a copy of the pool"))
    monkeypatch.setattr(pool, "distance_matrix", lambda *_: pytest.fail("all pairs"))
    for rows, values in zip(subsets, small, strict=True):
        found = importance_weights(name, pool, rows).values
        np.testing.assert_allclose(found, values, rtol=1e-8)
    assert (importance_weights(name, pool, subsets[2]).values == 1.0).all()


def test_large_pools_are_walked_without_a_copy(real, monkeypatch):
    plain = samplers.select("farthest", real, 60, seed=4)
    monkeypatch.setattr("earnest.pools.geometry.LARGEST_ALL_PAIRS", 100)
    pool = prepare_pool(real)
    monkeypatch.setattr(pool, "points", lambda *_: pytest.fail("a copy of the pool"))
    assert samplers.select("farthest", pool, 60, seed=4).tolist() == plain.tolist()
    cosine = prepare_pool(real + 1)
    found = samplers.select("farthest", cosine, 60, seed=4, metric="cosine")
    monkeypatch.undo()
    plain = samplers.select("farthest", real + 1, 60, seed=4, metric="cosine")
    assert found.tolist() == plain.tolist()


def test_sampled_densities_look_at_references_only(real):
    points, some = real.astype(float), np.arange(3, 240, 4)
    plain = np.empty(240)
    for row in range(240):
        gaps = np.linalg.norm(points[some[some != row]] - points[row], axis=1)
        plain[row] = np.sort(gaps)[:10].mean()
    found = large.sampled_neighbour_distances(real, some, 10)
    np.testing.assert_allclose(found, plain, rtol=1e-6)


def test_sampled_walks_are_those_of_all_pairs_where_the_sample_is_the_pool(real, monkeypatch):
    plain = samplers.density_farthest(real, 60, rng=np.random.default_rng(0))
    found = samplers.density_farthest_sampled(real, 60, rng=np.random.default_rng(0))
    assert found.tolist() == plain.tolist()
    monkeypatch.setattr("earnest.pools.geometry.DENSITY_REFERENCES", 50)
    other = samplers.density_farthest_sampled(real, 60, rng=np.random.default_rng(0))
    assert other.tolist() != plain.tolist()
    again = samplers.density_farthest_sampled(real, 20, rng=np.random.default_rng(0))
    assert again.tolist() == other[:20].tolist()


def test_clara_is_near_the_medoids_of_the_whole_pool(real):
    matrix = prepare_pool(real).distance_matrix()
    for seed in range(3):
        whole = samplers.select("kmedoids", real, 10, seed=seed)
        parts = samplers.select("kmedoids_clara", real, 10, seed=seed)
        one = samplers.select("kmedoids_clara", real, 10, seed=seed, samples=1, sample_size=12)
        loss = [matrix[:, rows].min(axis=1).sum() for rows in (whole, parts, one)]
        assert loss[0] * 0.99 < loss[1] < loss[0] * 1.15
        assert loss[1] < loss[2]
    everything = samplers.select("kmedoids_clara", real, 10, samples=1, sample_size=240)
    assert matrix[:, everything].min(axis=1).sum() == pytest.approx(loss[0], rel=0.03)


def test_clara_keeps_the_part_that_suits_the_whole_pool(real):
    matrix = prepare_pool(real).distance_matrix()

    def loss(samples):
        rng = np.random.default_rng(6)
        options = {"samples": samples, "sample_size": 20}
        rows = samplers.SAMPLERS["kmedoids_clara"](real, 5, rng=rng, **options)
        return matrix[:, rows].min(axis=1).sum()

    losses = [loss(samples) for samples in (1, 2, 4, 8, 16)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0]


def test_pools_too_large_for_all_pairs_name_what_is_there_for_them(real, monkeypatch):
    monkeypatch.setattr("earnest.samplers.rules.LARGEST_DENSITY_POOL", 100)
    monkeypatch.setattr("earnest.samplers.rules.LARGEST_KMEDOIDS_POOL", 100)
    with pytest.raises(ValueError, match="has 240: use density_farthest_sampled"):
        samplers.select("density_farthest", real, 5)
    with pytest.raises(ValueError, match="has 240: use kmedoids_clara"):
        samplers.select("kmedoids", real, 5)
    with pytest.raises(ValueError, match="sample_size must be from 30 to 15000, got 20"):
        samplers.select("kmedoids_clara", real, 30, sample_size=20)
