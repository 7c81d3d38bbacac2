"""Weights of many subsets at once are those of one subset at a time."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from earnest import samplers
from earnest.pools import density, distances, neighbours
from earnest.samplers.traversal import traverse, traverse_many
from earnest.weights import WEIGHTS, domain_classifier, importance_weights, many_fits, prepare_pool
from earnest.weights.many import BATCHED, weigh_subsets

SIZES = (1, 2, 7, 40, 120, 200, 239, 240)


@pytest.fixture(scope="module")
def real(pools):
    with np.load(pools / "esc10.npz", allow_pickle=False) as arrays:
        return arrays["embeddings"], arrays["proba"].astype(float)


@pytest.fixture(scope="module")
def drawn(real):
    """Subsets of all sizes by all rules, in the order drawn."""
    embeddings, posteriors = real
    pool = prepare_pool(embeddings)
    return [
        samplers.select(name, pool, n, posteriors=posteriors, seed=seed)
        for n in SIZES
        for name in samplers.SAMPLERS
        for seed in (0, 1)
    ]


@pytest.mark.parametrize("name", sorted(WEIGHTS))
def test_many_subsets_weigh_what_each_does_alone(name, real, drawn):
    embeddings, posteriors = real
    pool = prepare_pool(embeddings)
    some = drawn if name in BATCHED else drawn[::9]
    together = weigh_subsets(name, pool, some, posteriors=posteriors)
    for subset, found in zip(some, together, strict=True):
        alone = importance_weights(name, pool, subset, posteriors=posteriors)
        np.testing.assert_allclose(found.values, alone.values, rtol=1e-9)
        assert found.ess == pytest.approx(alone.ess, rel=1e-9)
        assert found.largest == found.values.max()
        assert found.flags == alone.flags
        assert (found.pareto_k is None) == (alone.pareto_k is None)
        if alone.pareto_k is not None:
            # with all but one labelled, weights are all but equal, and their last digits decide
            tolerance = 1e-4 if len(subset) == len(embeddings) - 1 else 1e-6
            assert found.pareto_k == pytest.approx(alone.pareto_k, abs=tolerance)
        if len(subset) == 240:
            assert (found.values == 1.0).all()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("kde", {"components": 3, "bandwidth": 0.7}),
        ("knn", {"k": 9, "power": 2}),
        ("logistic", {"C": 1e-3}),
        ("logistic", {"C": 1e3}),
        ("logistic_posterior", {"C": 10}),
    ],
)
def test_options_reach_the_batch(name, options, real, drawn):
    embeddings, posteriors = real
    together = weigh_subsets(name, embeddings, drawn[20:60:3], posteriors=posteriors, **options)
    for subset, found in zip(drawn[20:60:3], together, strict=True):
        alone = importance_weights(name, embeddings, subset, posteriors=posteriors, **options)
        np.testing.assert_allclose(found.values, alone.values, rtol=1e-8)
    with pytest.raises(TypeError, match="colour"):
        weigh_subsets(name, embeddings, drawn[:1], posteriors=posteriors, colour=1)


@pytest.mark.parametrize("name", sorted(BATCHED))
def test_no_bit_depends_on_the_company_of_a_subset(name, real, drawn):
    embeddings, posteriors = real
    whole = weigh_subsets(name, embeddings, drawn, posteriors=posteriors)
    order = np.random.default_rng(3).permutation(len(drawn))
    for part in (order[:1], order[1:8], order[8:37], order[37:]):
        apart = weigh_subsets(name, embeddings, [drawn[i] for i in part], posteriors=posteriors)
        for i, found in zip(part, apart, strict=True):
            assert found.values.tolist() == whole[i].values.tolist()
            assert (found.ess, found.pareto_k) == (whole[i].ess, whole[i].pareto_k)


def test_no_bit_depends_on_the_number_of_threads(pools):
    code = """
import hashlib, json, sys
import numpy as np
from earnest import samplers
from earnest.weights.many import weigh_subsets
with np.load(sys.argv[1]) as arrays:
    embeddings, posteriors = arrays["embeddings"], arrays["proba"].astype(float)
drawn = [samplers.select(name, embeddings, n, seed=1) for name in ("random", "farthest")
         for n in (40, 150)]
print(json.dumps({name: [hashlib.sha256(found.values.tobytes()).hexdigest() for found in
                         weigh_subsets(name, embeddings, drawn, posteriors=posteriors)]
                  for name in ("kde", "knn", "logistic")}))
"""
    found = []
    for threads in ("1", "2"):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        done = subprocess.run(
            [sys.executable, "-c", code, str(pools / "esc10.npz")],
            env=os.environ | dict.fromkeys(names, threads),
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(json.loads(done.stdout))
    assert found[0] == found[1]


def test_equal_sets_are_weighed_once(real, monkeypatch):
    embeddings, _ = real
    seen = []

    def counted(pool, some, **options):
        seen.extend(some.tolist())
        return np.zeros(some.shape), [()] * len(some)

    monkeypatch.setitem(BATCHED, "kde", counted)
    weigh_subsets("kde", embeddings, [[3, 1, 2], [2, 3, 1], [1, 2], [4, 5, 6]])
    assert sorted(seen) == [[1, 2], [1, 2, 3], [4, 5, 6]]


def test_values_follow_the_order_of_each_list(real):
    embeddings, _ = real
    one, other = weigh_subsets("knn", embeddings, [[10, 200, 30, 44], [44, 30, 10, 200]])
    assert other.values.tolist() == one.values[[3, 2, 0, 1]].tolist()


def test_pools_without_room_for_all_pairs_get_the_same_weights(real, drawn, monkeypatch):
    embeddings, posteriors = real
    small = weigh_subsets("kde", embeddings, drawn[20:30], posteriors=posteriors)
    monkeypatch.setattr("earnest.pools.geometry.LARGEST_ALL_PAIRS", 100)
    pool = prepare_pool(embeddings)
    monkeypatch.setattr(pool, "distance_matrix", lambda *_: pytest.fail("all pairs"))
    monkeypatch.setattr(pool, "kernel_sums", lambda *_: pytest.fail("all pairs"))
    large = weigh_subsets("kde", pool, drawn[20:30], posteriors=posteriors)
    for one, other in zip(small, large, strict=True):
        np.testing.assert_allclose(one.values, other.values, rtol=1e-9)


def test_unusable_subsets_are_named(real):
    embeddings, _ = real
    assert weigh_subsets("kde", embeddings, []) == []
    with pytest.raises(ValueError, match="240 are not in the pool of 240"):
        weigh_subsets("kde", embeddings, [[0, 1], [0, 240]])
    with pytest.raises(ValueError, match="-1 are not in the pool of 240"):
        weigh_subsets("kde", embeddings, np.array([[0, 1], [0, -1]]))
    with pytest.raises(ValueError, match="7 are listed more than once"):
        weigh_subsets("kde", embeddings, np.array([[0, 1, 2], [7, 1, 7]]))
    with pytest.raises(TypeError, match="integer row numbers"):
        weigh_subsets("kde", embeddings, [[True, False]])
    with pytest.raises(ValueError, match="at least one row number"):
        weigh_subsets("kde", embeddings, [[]])
    with pytest.raises(ValueError, match="weights must be one of"):
        weigh_subsets("oracle", embeddings, [[0, 1]])


@pytest.mark.parametrize("name", ["kde", "logistic", "knn"])
def test_awkward_pools(name):
    """Constant columns, copies, fewer rows than columns: as one at a time."""
    rng = np.random.default_rng(5)
    wide = rng.normal(size=(6, 40))
    copies = np.repeat(rng.normal(size=(5, 3)), 4, axis=0)
    constant = np.hstack([rng.normal(size=(30, 2)), np.full((30, 3), 0.1)])
    same = np.full((12, 4), 0.1)
    for embeddings in (wide, copies, constant, same):
        sets = [rng.permutation(len(embeddings))[:n] for n in (1, 2, 3, 5, len(embeddings))]
        for subset, found in zip(sets, weigh_subsets(name, embeddings, sets), strict=True):
            alone = importance_weights(name, embeddings, subset)
            np.testing.assert_allclose(found.values, alone.values, rtol=1e-8, atol=1e-12)
            assert found.flags == alone.flags


def test_separable_fits_agree_with_the_single_solver():
    pool = np.concatenate([np.full((20, 1), -10.0), np.full((20, 1), 10.0)])
    for C in (1e-3, 1.0, 1e6):
        sets = [list(range(20)), list(range(21)), list(range(5, 30))]
        for subset, found in zip(sets, weigh_subsets("logistic", pool, sets, C=C), strict=True):
            alone = importance_weights("logistic", pool, subset, C=C)
            np.testing.assert_allclose(found.values, alone.values, rtol=1e-6)


def test_fits_that_do_not_converge_in_step_are_solved_one_by_one(real, drawn, monkeypatch):
    points = prepare_pool(real[0]).standardised
    monkeypatch.setattr(many_fits, "_ROUNDS", 0)
    monkeypatch.setattr(many_fits, "_REFERENCE_STEPS", 1)
    some = np.sort(np.stack([one for one in drawn if len(one) == 40]))
    fits = many_fits.ManyFits(points, C=1.0, reference_subsets=lambda n: [np.arange(n)])
    for subset, odds in zip(some, fits.log_odds(some), strict=True):
        alone = domain_classifier.log_odds(points, subset, C=1.0)
        assert odds.tolist() == alone.tolist()


def test_sorted_lists_give_the_plain_distances(real, drawn):
    points = prepare_pool(real[0]).points()
    lists = neighbours.Neighbours(distances.distances(points, points))
    for some in (one for one in drawn if len(one) > 1):
        for k in (1, 5, 300):
            found = lists.mean_distances(some[None], k)[0]
            plain = distances.mean_neighbour_distances(points[some], np.arange(len(some)), k)
            np.testing.assert_allclose(found, plain, rtol=1e-13)


def test_lists_leave_out_an_item_but_not_its_copies():
    line = np.array([[0.0], [0.0], [0.0], [5.0]])
    lists = neighbours.Neighbours(distances.distances(line, line))
    assert [sorted(row) for row in lists.order.tolist()] == [
        [1, 2, 3],
        [0, 2, 3],
        [0, 1, 3],
        [0, 1, 2],
    ]
    found = lists.mean_distances(np.array([[0, 2, 3]]), 2)[0]
    np.testing.assert_allclose(found, [2.5, 2.5, 5.0], rtol=1e-12)


@pytest.mark.parametrize("n", [3, 20, 239])
def test_kernel_sums_are_exact_in_any_order(real, n):
    scores = prepare_pool(real[0]).scores(8)
    sums = neighbours.KernelSums(density.squared_distances(scores))
    rng = np.random.default_rng(n)
    many = np.stack([np.sort(rng.permutation(240)[:n]) for _ in range(7)])
    found = sums.logs(many, 0.9)
    for one, logs in zip(many, found, strict=True):
        plain = density.log_kernel_sums(scores[one], np.arange(n), 0.9)
        np.testing.assert_allclose(logs, plain, atol=n * 2.0**-44)
        assert sums.logs(one[None], 0.9)[0].tolist() == logs.tolist()


@pytest.mark.parametrize("weighted", [False, True])
def test_walks_in_step_are_walks(real, weighted):
    points = prepare_pool(real[0]).points()
    factor = np.random.default_rng(0).random(240) + 0.1 if weighted else None
    known = distances.distances(points, points)
    starts = [5, 0, 239, *range(100, 140)]
    for start, order in zip(starts, traverse_many(known, starts, 240, factor=factor), strict=True):
        assert order.tolist() == traverse(points, start, 240, factor=factor).tolist()
    assert traverse_many(known, [], 3).shape == (0, 3)


def test_compiled_walks_change_no_bit(real, drawn, monkeypatch):
    embeddings, _ = real
    plain = weigh_subsets("knn", embeddings, drawn, k=3)
    monkeypatch.setattr("earnest.weights.many._MANY", 1)
    pool = prepare_pool(embeddings)
    for one, other in zip(plain, weigh_subsets("knn", pool, drawn, k=3), strict=True):
        assert one.values.tolist() == other.values.tolist()
    # what numba compiles is also plain Python
    found, some = np.empty((1, 40)), next(one for one in drawn if len(one) == 40)
    lists, marks = pool.neighbours, np.zeros(240, dtype=np.uint8)
    for width in (1, 20):  # how much of the lists lies close together
        near = lists.order[:, :width], lists.distances[:, :width]
        found.fill(0.0)
        neighbours._walk_all(*near, lists.order, lists.distances, some[None], 3, marks, found)
    assert found.tolist() == lists.mean_distances(some[None], 3).tolist()
