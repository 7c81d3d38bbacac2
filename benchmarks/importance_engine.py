"""CPU time of the importance engine against a plain scikit-learn loop, part by part, in one run.

    python benchmarks/importance_engine.py --pool POOL.npz [--seeds 500]
    python benchmarks/importance_engine.py --items 1000000

The first form runs the grid of the sampling bias paper (five samplers, 14 sizes, 500 seeds, three
weights) on a pool of 1,620 items by the engine, and the same by a plain loop of which one seed of
each cell is timed and multiplied by the number of seeds. Without --pool the pool is made up. The
second form weighs 1,000 labelled items of a large made-up pool. All on one thread.
"""

import argparse
import os
import resource
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from time import process_time

# Before numpy starts its threads. The folder of this file goes from the path: what lies beside it
# must not pass for a library.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
sys.path[0] = str(Path(__file__).resolve().parent.parent)

import numpy as np  # noqa: E402

from earnest.pools.geometry import prepare_pool  # noqa: E402
from earnest.pools.pool import Pool  # noqa: E402
from earnest.protocols.subsets.drawing import draw_block  # noqa: E402
from earnest.samplers import DETERMINISTIC, PREFIX_SAMPLERS, SAMPLERS  # noqa: E402
from earnest.weights import importance_weights  # noqa: E402
from earnest.weights.many import weigh_subsets  # noqa: E402

SIZES = (50, 100, 150, 200, 300, 400, 500, 600, 800, 900, 1100, 1250, 1400, 1550)
NAMES = ("random", "uncertainty", "farthest", "density_farthest", "kmedoids")
WEIGHTS = ("kde", "knn", "logistic")
TARGETS = {"farthest": 500, "density_farthest": 500, "kmedoids": 10}
TARGETS |= {"kde": 300, "knn": 300, "logistic": 30}


def timed(work: Callable, *arguments: object, **options: object) -> tuple[float, object]:
    start = process_time()
    found = work(*arguments, **options)
    return process_time() - start, found


def peak_memory() -> float:
    """Return the largest resident size so far in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


# --- the plain loop ----------------------------------------------------------


def plain_walk(points: np.ndarray, n: int, factor: np.ndarray | float) -> list[int]:
    from sklearn.metrics import pairwise_distances

    chosen = [0]
    nearest = pairwise_distances(points, points[[0]])[:, 0]
    while len(chosen) < n:
        nearest[chosen[-1]] = -1.0
        chosen.append(int(np.argmax(nearest * factor)))
        new = pairwise_distances(points, points[[chosen[-1]]])[:, 0]
        nearest = np.minimum(nearest, new)
    return chosen


def plain_density_walk(points: np.ndarray, n: int) -> list[int]:
    from sklearn.neighbors import NearestNeighbors

    gaps, _ = NearestNeighbors(n_neighbors=11).fit(points).kneighbors(points)
    return plain_walk(points, n, 1 / gaps[:, 1:].mean(axis=1))


def plain_kmedoids(points: np.ndarray, n: int) -> np.ndarray:
    from kmedoids import KMedoids
    from sklearn.metrics import pairwise_distances

    model = KMedoids(n, metric="precomputed", method="fasterpam", init="random", random_state=0)
    return model.fit(pairwise_distances(points)).medoid_indices_


def plain_kde(scores: np.ndarray, rows: np.ndarray) -> np.ndarray:
    from sklearn.neighbors import KernelDensity

    sides = []
    for side in (scores, scores[rows]):
        model = KernelDensity(bandwidth=len(side) ** (-1 / (scores.shape[1] + 4)))
        sides.append(model.fit(side).score_samples(scores[rows]))
    return np.exp(sides[0] - sides[1])


def plain_knn(points: np.ndarray, rows: np.ndarray) -> np.ndarray:
    from sklearn.neighbors import NearestNeighbors

    means = []
    for side in (points[rows], points):
        gaps, _ = NearestNeighbors(n_neighbors=6).fit(side).kneighbors(points[rows])
        means.append(gaps[:, 1:].mean(axis=1))
    return means[0] / means[1]


def plain_logistic(standardised: np.ndarray, rows: np.ndarray) -> np.ndarray:
    from sklearn.linear_model import LogisticRegression

    both = np.vstack([standardised, standardised[rows]])
    domain = np.repeat([1, 0], [len(standardised), len(rows)])
    model = LogisticRegression(max_iter=10_000).fit(both, domain)
    return np.exp(model.decision_function(standardised[rows]))


def plain_seconds(pool: Pool, subsets: dict[str, list[np.ndarray]]) -> dict[str, float]:
    """Return the CPU time of one seed of the plain grid by part; standardising and PCA are free."""
    geometry = prepare_pool(pool.embeddings)
    points, standardised = geometry.points(), geometry.standardised
    scores = geometry.scores(8)
    plain_logistic(standardised, np.arange(50))  # imports and caches are not the loop's cost
    plain_knn(points, np.arange(50))
    plain_kde(scores, np.arange(50))
    found = dict.fromkeys((*TARGETS,), 0.0)
    for n in SIZES:
        found["farthest"] += timed(plain_walk, points, n, 1.0)[0]
        found["density_farthest"] += timed(plain_density_walk, points, n)[0]
        found["kmedoids"] += timed(plain_kmedoids, points, n)[0]
    for own in subsets.values():
        for rows in own:
            found["kde"] += timed(plain_kde, scores, rows)[0]
            found["knn"] += timed(plain_knn, points, rows)[0]
            found["logistic"] += timed(plain_logistic, standardised, rows)[0]
    return found


# --- the engine --------------------------------------------------------------


def engine_draws(pool: Pool, name: str, seeds: int) -> tuple[float, list[np.ndarray]]:
    """Return CPU time and all subsets of a sampler, one size after the other."""
    cell = {"task": "benchmark", "sampler": name, "root_seed": 0}
    some = [0] if name in DETERMINISTIC else list(range(seeds))
    seconds, draws = timed(draw_block, pool, sizes=SIZES, seeds=some, **cell)
    rows = draws.to_dict("records")
    if name in PREFIX_SAMPLERS:
        return seconds, [row["items"][:n] for n in SIZES for row in rows]
    return seconds, [row["items"] for n in SIZES for row in rows if row["size"] == n]


def run_grid(pool: Pool, seeds: int) -> None:
    spent, first, distinct, vectors = dict.fromkeys(TARGETS, 0.0), {}, 0, 0
    spent["other draws"] = 0.0
    shared = Pool(prepare_pool(pool.embeddings), pool.posteriors)
    spent["shared by the pool"], _ = timed(warm, shared.embeddings)
    for name in NAMES:
        seconds, subsets = engine_draws(shared, name, seeds)
        spent[name if name in TARGETS else "other draws"] += seconds
        distinct += len({np.sort(rows).tobytes() for rows in subsets})
        first[name] = subsets[:: len(subsets) // len(SIZES)]
        for method in WEIGHTS:
            seconds, _ = timed(weigh_subsets, method, shared.embeddings, subsets)
            spent[method] += seconds
            vectors += len(subsets)
    memory = peak_memory()
    plain = {part: seeds * one for part, one in plain_seconds(pool, first).items()}
    report_grid(spent, plain, seeds)
    print(f"{distinct} distinct subsets; {vectors} weight vectors asked for, equal ones once")
    print(f"peak memory of the engine {memory:.2f} GB (target: below 2)")
    report_agreement(shared.embeddings, first)


def warm(geometry: object) -> None:
    """Make what all parts share; whichever ran first would otherwise pay for it."""
    geometry.distance_matrix(kind=np.float64)
    geometry.neighbours.compile()
    _ = geometry.standardised, geometry.scores(8)


def report_grid(spent: dict[str, float], plain: dict[str, float], seeds: int) -> None:
    print(f"CPU seconds of {seeds} seeds, {len(SIZES)} sizes; the plain ones extrapolated")
    print(f"{'part':20}{'plain':>10}{'engine':>10}{'ratio':>8}{'target':>8}")
    for part, seconds in spent.items():
        if part in plain:
            ratio = f"{plain[part] / seconds:8.0f}{TARGETS[part]:8d}"
            print(f"{part:20}{plain[part]:10.1f}{seconds:10.2f}{ratio}")
        else:
            print(f"{part:20}{'':10}{seconds:10.2f}")
    whole, engine = sum(plain.values()), sum(spent.values())
    print(f"{'whole grid':20}{whole:10.1f}{engine:10.2f}{whole / engine:8.0f}{45:8d}")


def report_agreement(geometry: object, first: dict[str, list[np.ndarray]]) -> None:
    """Print how far single weights, and plain ones of the same definition, are from batched."""
    plain = {
        "kde": lambda rows: plain_kde(geometry.scores(8), rows),
        "knn": lambda rows: plain_knn(geometry.points(), rows),
    }
    for method in WEIGHTS:
        worst = worst_plain = 0.0
        for own in first.values():
            together = weigh_subsets(method, geometry, own)
            for rows, found in zip(own, together, strict=True):
                alone = importance_weights(method, geometry, rows).values
                worst = max(worst, float(np.abs(found.values / alone - 1).max()))
                if method in plain:
                    other = plain[method](rows)
                    gap = np.abs(found.values - other / other.mean()).max()
                    worst_plain = max(worst_plain, float(gap))
        text = f", from scikit-learn {worst_plain:.1e}" if method in plain else ""
        print(f"{method}: largest distance from single weights {worst:.1e} (relative){text}")


# --- a large pool ------------------------------------------------------------


def run_large(items: int, labels: int = 1_000) -> None:
    rng = np.random.default_rng(0)
    embeddings = np.empty((items, 100), dtype=np.float32)
    for row in range(0, items, 10_000):  # two clusters of different size and spread
        part = rng.standard_normal((min(10_000, items - row), 100), dtype=np.float32)
        part[::5] = part[::5] * 0.5 + 1.0
        embeddings[row : row + len(part)] = part
    print(f"{items} x 100, n = {labels}: CPU seconds, with peak memory in GB so far")
    total, order = timed(SAMPLERS["farthest"], embeddings, labels, rng=np.random.default_rng(1))
    print(f"{'farthest':20}{total:10.2f}{peak_memory():8.2f}")
    for method in ("kde", "knn", "logistic"):
        # Each as a job of its own would: nothing shared.
        seconds, found = timed(importance_weights, method, embeddings, order)
        total += seconds
        print(f"{method:20}{seconds:10.2f}{peak_memory():8.2f}   ess {found.ess:.0f}")
    per_item = f"{1e6 * total / items:.1f} us an item"
    print(f"{'all':20}{total:10.2f}{peak_memory():8.2f}   {per_item}")
    print("targets at 1,000,000: 90 CPU seconds, 2.5 GB")


def made_up_pool(rng: np.random.Generator) -> Pool:
    middles = rng.normal(size=(15, 100)) * rng.gamma(1.0, 1.0, size=100)
    embeddings = np.maximum(
        middles[rng.integers(15, size=1_620)] + rng.normal(size=(1_620, 100)), 0
    )
    return Pool(embeddings.astype(np.float32), rng.dirichlet(np.ones(15), size=1_620))


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pool", help="npz file with embeddings and proba")
    parser.add_argument("--seeds", type=int, default=500)
    parser.add_argument("--items", type=int, help="run the large pool with so many items instead")
    arguments = parser.parse_args()
    if arguments.items:
        run_large(arguments.items)
        return
    if arguments.pool:
        with np.load(arguments.pool, allow_pickle=False) as arrays:
            pool = Pool(arrays["embeddings"], arrays["proba"])
    else:
        pool = made_up_pool(np.random.default_rng(0))
    run_grid(pool, arguments.seeds)


if __name__ == "__main__":
    main()
