"""Rules that choose which pool items get labelled."""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from earnest.pools import checks, large
from earnest.pools.geometry import PoolGeometry, prepare_pool
from earnest.samplers import medoids
from earnest.samplers.traversal import traverse, traverse_many

# FasterPAM needs every pairwise distance at once: 15,000 items are 900 MB of float32.
LARGEST_KMEDOIDS_POOL = 15_000

# Every item's neighbours among all others: 100,000 items of 100 columns take about two minutes.
LARGEST_DENSITY_POOL = 100_000


def random(
    embeddings: "ArrayLike | PoolGeometry",
    n: int,
    *,
    posteriors: ArrayLike | None = None,
    rng: np.random.Generator,
) -> np.ndarray:
    """Choose uniformly without replacement: the first n of one permutation of the pool.

    Parameters
    ----------
    embeddings : array_like, shape (N, d), or PoolGeometry
        Only their number matters.
    n : int
        From 1 to N.
    posteriors : ignored
    rng : numpy.random.Generator

    Returns
    -------
    numpy.ndarray, shape (n,), int64
        Distinct rows, in the order drawn; a smaller n gives a prefix.
    """
    size = checks.count_items(embeddings)
    n = checks.check_size(n, size)
    return rng.permutation(size)[:n].astype(np.int64)


def uncertainty(
    embeddings: "ArrayLike | PoolGeometry | None",
    n: int,
    *,
    posteriors: ArrayLike | None,
    rng: np.random.Generator | None = None,
    measure: str = "least_confidence",
) -> np.ndarray:
    """Choose the items that the classifier is least sure of, the most uncertain first.

    Parameters
    ----------
    embeddings : ignored, but for their number
    n : int
        From 1 to N.
    posteriors : array_like, shape (N, C)
        Rows sum to 1.
    rng : ignored
        The rule is deterministic.
    measure : {"least_confidence", "margin", "entropy"}
        1 - largest posterior; 1 - (largest - second largest); or -sum p log p.

    Returns
    -------
    numpy.ndarray, shape (n,), int64
        Distinct rows; ties to the lowest row; a smaller n gives a prefix.

    Raises
    ------
    ValueError
        If n > N, if the measure is unknown, or if posteriors are missing or no distributions.
    """
    if measure not in _CERTAINTY:
        raise ValueError(f"measure must be one of {', '.join(_CERTAINTY)}, got {measure!r}")
    size = checks.count_items(embeddings, posteriors)
    n = checks.check_size(n, size)
    certainty = _CERTAINTY[measure](checks.check_posteriors(posteriors, size, "uncertainty"))
    return np.argsort(certainty, kind="stable")[:n].astype(np.int64)


def _margin(posteriors: np.ndarray) -> np.ndarray:
    """Return the largest minus the second largest posterior; with a single class, the largest."""
    if posteriors.shape[1] == 1:
        return posteriors[:, 0]
    largest = np.partition(posteriors, -2, axis=1)
    return largest[:, -1] - largest[:, -2]


def _negative_entropy(posteriors: np.ndarray) -> np.ndarray:
    """Return sum p log p, with 0 log 0 = 0."""
    from scipy.special import xlogy

    return xlogy(posteriors, posteriors).sum(axis=1)


# Sorting by certainty, not by 1 - certainty, keeps the order free of the subtraction's rounding.
_CERTAINTY: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "least_confidence": lambda posteriors: posteriors.max(axis=1),
    "margin": _margin,
    "entropy": _negative_entropy,
}


def farthest(
    embeddings: "ArrayLike | PoolGeometry",
    n: int,
    *,
    posteriors: ArrayLike | None = None,
    rng: np.random.Generator,
    metric: str = "euclidean",
) -> np.ndarray:
    """Choose a uniform random start, then repeatedly the item farthest from all chosen ones.

    Parameters
    ----------
    embeddings : array_like, shape (N, d), or PoolGeometry
        Raw, not standardised.
    n : int
        From 1 to N.
    posteriors : ignored
    rng : numpy.random.Generator
        Draws the start only.
    metric : {"euclidean", "cosine"}

    Returns
    -------
    numpy.ndarray, shape (n,), int64
        Distinct rows, in the order chosen; ties to the lowest row; a smaller n gives a prefix.

    Raises
    ------
    ValueError
        If n > N or if the embeddings cannot be used.
    """
    pool = prepare_pool(embeddings)
    n = checks.check_size(n, len(pool))
    return _walk(pool, int(rng.integers(len(pool))), n, metric)


def density_farthest(
    embeddings: "ArrayLike | PoolGeometry",
    n: int,
    *,
    posteriors: ArrayLike | None = None,
    rng: np.random.Generator,
    metric: str = "euclidean",
    density: str = "neighbours",
    k: int = 10,
) -> np.ndarray:
    """Choose as `farthest` does, with every distance multiplied by the item's own density.

    Parameters
    ----------
    embeddings : array_like, shape (N, d), or PoolGeometry
        Raw, not standardised.
    n : int
        From 1 to N.
    posteriors : ignored
    rng : numpy.random.Generator
        Draws the start only.
    metric : {"euclidean", "cosine"}
    density : {"neighbours", "kernel"}
        "neighbours": 1 / mean distance to the k nearest pool items, itself excluded by index,
        each distance at least 1e-12. "kernel": mean over the pool, itself included, of
        exp(-d^2 / (2 h^2)), where h is the median over the pool of that mean distance.
    k : int
        Neighbours, at least 1; all others where the pool holds fewer.

    Returns
    -------
    numpy.ndarray, shape (n,), int64
        Distinct rows, in the order chosen; ties to the lowest row; a smaller n gives a prefix.

    Raises
    ------
    ValueError
        If n > N, if an option is unknown, if the embeddings cannot be used, or if the pool is
        larger than 100,000 items.
    """
    pool = prepare_pool(embeddings)
    if len(pool) > LARGEST_DENSITY_POOL:
        raise ValueError(
            f"density_farthest looks at all pairs, of at most {LARGEST_DENSITY_POOL} items;"
            f" this pool has {len(pool)}: use density_farthest_sampled"
        )
    n, k = checks.check_size(n, len(pool)), checks.check_count("k", k)
    if density not in ("neighbours", "kernel"):
        raise ValueError(f"density must be neighbours or kernel, got {density!r}")
    if metric != "euclidean":
        pool.points(metric)  # refuses what has no direction, even where nothing is compared
    start = int(rng.integers(len(pool)))
    return _walk(pool, start, n, metric, (density, k) if len(pool) > 1 else None)


def density_farthest_sampled(
    embeddings: "ArrayLike | PoolGeometry",
    n: int,
    *,
    posteriors: ArrayLike | None = None,
    rng: np.random.Generator,
    k: int = 10,
) -> np.ndarray:
    """Choose as `density_farthest` does, with densities from a part of the pool, however large.

    The density of an item is 1 / mean Euclidean distance to the k nearest of 2,000 pool items
    (all where there are fewer), which are the same for every draw from pools of one size.
    """
    pool = prepare_pool(embeddings)
    n, k = checks.check_size(n, len(pool)), checks.check_count("k", k)
    start = int(rng.integers(len(pool)))
    return _walk(pool, start, n, "euclidean", ("sampled", k) if len(pool) > 1 else None)


def _walk(
    pool: PoolGeometry, start: int, n: int, metric: str, density: tuple[str, int] | None = None
) -> np.ndarray:
    """Traverse a pool, with the distances and densities that it knows already."""

    def compute() -> np.ndarray:
        factor = None if density is None else pool.local_density(*density, metric)
        if metric == "euclidean" and not pool.holds_all_pairs:
            return large.traverse(pool.embeddings, start, n, factor=factor)
        known = pool.known_distances(metric)
        return traverse(pool.points(metric), start, n, metric=metric, factor=factor, known=known)

    return pool.walk((start, metric, density), n, compute)


def kmedoids(
    embeddings: "ArrayLike | PoolGeometry",
    n: int,
    *,
    posteriors: ArrayLike | None = None,
    rng: np.random.Generator,
) -> np.ndarray:
    """Choose the medoids of n clusters: FasterPAM on Euclidean distances from a random start.

    Parameters
    ----------
    embeddings : array_like, shape (N, d), or PoolGeometry
        Raw, not standardised; a PoolGeometry keeps the N x N float32 matrix for the next draw.
    n : int
        From 1 to N.
    posteriors : ignored
    rng : numpy.random.Generator
        Draws the n initial medoids; the rest is deterministic and single-threaded.

    Returns
    -------
    numpy.ndarray, shape (n,), int64
        Distinct rows, ascending: medoids have no order, so a smaller n gives no prefix.

    Raises
    ------
    ValueError
        If n > N, if the embeddings cannot be used, or if the pool is larger than 15,000 items.

    References
    ----------
    Schubert and Rousseeuw, Fast and eager k-medoids clustering, Information Systems 101, 2021.
    """
    pool = prepare_pool(embeddings)
    n = checks.check_size(n, len(pool))
    if len(pool) > LARGEST_KMEDOIDS_POOL:
        raise ValueError(
            f"kmedoids needs all pairwise distances, at most {LARGEST_KMEDOIDS_POOL} items;"
            f" this pool has {len(pool)}: use kmedoids_clara"
        )
    return medoids.of_pool(pool, rng.choice(len(pool), size=n, replace=False))


def prepare_walks(
    name: str,
    pool: PoolGeometry,
    n: int,
    generators: Iterable[np.random.Generator],
    *,
    metric: str = "euclidean",
    density: str = "neighbours",
    k: int = 10,
) -> None:
    """Walk from all starts that some generators draw at once, for the sampler to find them.

    Changes no draw, only its cost: from fresh generators of the same kind the sampler draws the
    same starts, and finds their walks in the pool. Pools too large to keep all distances are
    left as they are.

    Parameters
    ----------
    name : {"farthest", "density_farthest"}
    pool : PoolGeometry
    n : int
        The largest size that will be asked for.
    generators : iterable of numpy.random.Generator
    metric, density, k
        As in the samplers.
    """
    if not pool.holds_all_pairs or len(pool) < 2:
        return
    starts = sorted({int(rng.integers(len(pool))) for rng in generators})
    key = (density, k) if name == "density_farthest" else None
    factor = None if key is None else pool.local_density(density, k, metric)
    known = pool.distance_matrix(metric, np.float64)
    for start, order in zip(starts, traverse_many(known, starts, n, factor=factor), strict=True):
        pool.walk((start, metric, key), n, partial(np.asarray, order))
