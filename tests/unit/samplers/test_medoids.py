"""Our FasterPAM ends where the package's does."""

import numpy as np
import pytest

from earnest import samplers
from earnest.pools.geometry import prepare_pool
from earnest.samplers import medoids


@pytest.fixture(scope="module")
def real(pools):
    with np.load(pools / "urbansound8k-random-split.npz", allow_pickle=False) as arrays:
        return prepare_pool(arrays["embeddings"])


def prepared(pool):
    return medoids.prepare(pool.neighbours.order, pool.distance_matrix())


@pytest.mark.parametrize("k", [1, 2, 30, 200, 700, 1500, 1619])
def test_same_medoids_as_the_package_on_a_real_pool(real, k):
    from kmedoids import fasterpam

    matrix, order = prepared(real)
    rng = np.random.default_rng(k)
    for _ in range(2):
        start = rng.choice(1620, k, replace=False)
        plain = fasterpam(real.distance_matrix(), start.astype(np.uint64), max_iter=100, n_cpu=1)
        found = medoids.settle(matrix, order, start, passes=100)
        assert found.tolist() == sorted(plain.medoids.tolist())


@pytest.mark.parametrize("kind", ["noise", "grid", "copies", "one point"])
def test_no_swap_helps_in_pools_with_ties(kind):
    rng = np.random.default_rng(1)
    points = {
        "noise": rng.normal(size=(40, 3)),
        "grid": np.stack(np.meshgrid(np.arange(7.0), np.arange(7.0)), axis=-1).reshape(-1, 2),
        "copies": np.repeat(rng.normal(size=(8, 2)), 5, axis=0),
        "one point": np.zeros((33, 2)),
    }[kind]
    pool = prepare_pool(points)
    matrix, order = prepared(pool)
    distances = pool.distance_matrix(kind=np.float64)
    for k in (1, 2, 5, 20, len(points) - 1):
        start = rng.choice(len(points), k, replace=False)
        found = medoids.settle(matrix, order, start, passes=100).tolist()
        assert len(set(found)) == k
        loss = distances[:, found].min(axis=1).sum()
        assert loss <= distances[:, start].min(axis=1).sum() + 1e-5
        for place in range(k):
            others = np.delete(found, place)
            reached = distances[:, others].min(axis=1) if k > 1 else np.full(len(points), np.inf)
            swapped = np.minimum(reached[:, None], distances).sum(axis=0)
            assert swapped.min() >= loss - 1e-5


def test_compiled_and_plain_python_agree():
    points = np.random.default_rng(4).normal(size=(45, 2))
    matrix, order = prepared(prepare_pool(points))
    for k in (2, 9, 30):
        start = np.arange(k)
        slow = start.astype(np.int64)
        medoids._swap_until_settled(matrix, order, slow, 50)
        assert sorted(slow) == medoids.settle(matrix, order, start, passes=50).tolist()


def test_passes_bound_the_work():
    points = np.random.default_rng(4).normal(size=(200, 2))
    matrix, order = prepared(prepare_pool(points))
    start = np.arange(20)
    once = medoids.settle(matrix, order, start, passes=1)
    settled = medoids.settle(matrix, order, start, passes=100)
    loss = {k: matrix[:, rows].min(axis=1).sum() for k, rows in (("1", once), ("100", settled))}
    assert loss["100"] < loss["1"] < matrix[:, start].min(axis=1).sum()


def test_the_sampler_uses_the_package_in_small_pools_only(real, monkeypatch):
    used = []
    monkeypatch.setattr(medoids, "settle", lambda *a, **k: used.append(1) or np.arange(5))
    samplers.select("kmedoids", real.embeddings[:900], 5)
    assert used == []
    samplers.select("kmedoids", real, 5)
    assert used == [1]
