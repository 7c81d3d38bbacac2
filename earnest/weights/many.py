"""Importance weights of many labelled subsets of one pool, sharing what the pool allows.

Every weight vector depends on its own subset and the pool alone: not on the other subsets of
a call, and, as all linear algebra runs on one thread here, not on how many threads there are.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from earnest import samplers
from earnest.pools import checks, density
from earnest.pools.geometry import PoolGeometry, prepare_pool
from earnest.pools.posteriors import posterior_features
from earnest.rng import generator
from earnest.weights import diagnostics
from earnest.weights.importance import Weights, describe, importance_weights, mean_one
from earnest.weights.many_fits import ManyFits

# Log weights and flags of subsets of one size, rows ascending.
ManyLogWeights = tuple[np.ndarray, list[tuple[str, ...]]]

# From so many subsets on, compiled code saves more than the import of its compiler takes.
_MANY = 5_000

# Subsets at once: bounds memory, and is more than enough for speed.
_TOGETHER = 512


def weigh_subsets(
    name: str,
    embeddings: "ArrayLike | PoolGeometry",
    subsets: Sequence[ArrayLike],
    *,
    posteriors: ArrayLike | None = None,
    **options: Any,
) -> list[Weights]:
    """Return the importance weights of many labelled subsets of one pool.

    Parameters
    ----------
    name : str
        A key of `earnest.weights.WEIGHTS`.
    embeddings : array_like, shape (N, d), or PoolGeometry
        Pass `earnest.weights.prepare_pool(embeddings)` to share work between calls too.
    subsets : sequence of array_like of int
        The distinct rows of each; of any sizes, also the same set twice.
    posteriors : array_like, shape (N, C), optional
    **options
        Those of the method.

    Returns
    -------
    list of earnest.weights.Weights
        What `importance_weights` gives for each, kde and knn to 1e-9 and logistic to 1e-8.

    Raises
    ------
    As `earnest.weights.importance_weights`.
    """
    from threadpoolctl import threadpool_limits

    pool = prepare_pool(embeddings)

    def single(subset: ArrayLike) -> Weights:
        return importance_weights(name, pool, subset, posteriors=posteriors, **options)

    with threadpool_limits(limits=1, user_api="blas"):
        if name not in BATCHED or not pool.holds_all_pairs:
            return _once_each(subsets, len(pool), lambda sets: [single(one) for one in sets])
        if posteriors is not None:
            posteriors = checks.check_posteriors(posteriors, len(pool), name)
        if name == "knn" and len(subsets) >= _MANY:
            pool.neighbours.compile()
        batched = partial(BATCHED[name], pool, posteriors=posteriors, **options)
        return _once_each(subsets, len(pool), lambda sets: _describe(sets, batched, len(pool)))


def _once_each(
    subsets: Sequence[ArrayLike],
    pool_size: int,
    weigh: Callable[[np.ndarray], Sequence[Weights]],
) -> list[Weights]:
    """Weigh each set once, however often and in whatever order its items are listed."""
    listed = [_as_rows(subset, pool_size) for subset in subsets]
    weights_of: dict[int, Weights] = {}
    known: dict[bytes, Weights] = {}
    for some in _same_size(listed):
        rows = np.stack([listed[one] for one in some])
        order, ascending = _sorted(rows, pool_size)
        keys = [one.tobytes() for one in ascending]
        new = {key: place for place, key in enumerate(keys) if key not in known}
        if new:
            known |= zip(new, weigh(ascending[list(new.values())].astype(np.int64)), strict=True)
        weights_of |= zip(some, _in_order([known[key] for key in keys], order), strict=True)
    return [weights_of[place] for place in range(len(listed))]


def _as_rows(subset: ArrayLike, pool_size: int) -> np.ndarray:
    """Return row numbers as such; what they are is looked at for many at once."""
    rows = np.asarray(subset)
    usable = rows.ndim == 1 and rows.size and rows.dtype == np.int64
    return rows if usable else checks.check_labelled(rows, pool_size)


def _sorted(rows: np.ndarray, pool_size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the order that sorts each row, and the sorted rows; all must be distinct items."""
    outside = (rows.min(axis=1) < 0) | (rows.max(axis=1) >= pool_size)
    # Numbers of 16 bits are counted, not compared.
    numbers = rows.astype(np.uint16 if pool_size <= 2**16 else np.int64)
    order = np.argsort(numbers, axis=1, kind="stable")
    ascending = np.take_along_axis(numbers, order, axis=1)
    repeated = (ascending[:, 1:] == ascending[:, :-1]).any(axis=1)
    for one in np.flatnonzero(outside | repeated):
        checks.check_labelled(rows[one], pool_size)  # raises, with the items
    return order, ascending


def _in_order(found: list[Weights], order: np.ndarray) -> Iterator[Weights]:
    """Yield weights of sorted rows in the order in which each list has its items."""
    values = np.empty(order.shape)
    places = order + np.arange(len(order))[:, None] * order.shape[1]
    values.ravel()[places.ravel()] = np.concatenate([one.values for one in found])
    for own, one in zip(values, found, strict=True):
        yield Weights(own, one.ess, one.largest, one.pareto_k, one.flags)


def _same_size(sets: list[np.ndarray]) -> Iterator[list[int]]:
    """Yield the numbers of sets of one size, a bounded number at a time."""
    sizes: dict[int, list[int]] = {}
    for number, one in enumerate(sets):
        sizes.setdefault(len(one), []).append(number)
    for numbers in sizes.values():
        for at in range(0, len(numbers), _TOGETHER):
            yield numbers[at : at + _TOGETHER]


def _describe(
    subsets: np.ndarray, batched: Callable[[np.ndarray], ManyLogWeights], pool_size: int
) -> list[Weights]:
    """Return the weights of distinct subsets of one size, rows ascending."""
    log_weights, flags = batched(subsets)
    for one in np.flatnonzero(~np.isfinite(log_weights).all(axis=1)):
        mean_one(log_weights[one], subsets[one])  # raises, with the items' rows
    values = log_weights - log_weights.max(axis=1, keepdims=True)
    np.exp(values, out=values)
    values /= values.mean(axis=1, keepdims=True)
    shapes = diagnostics.pareto_k_of_each(values)
    sizes = diagnostics.effective_sample_sizes(values)
    largest = values.max(axis=1)
    columns = zip(values, sizes, largest, shapes, flags, strict=True)
    return [describe(*row, pool_size) for row in columns]


def _kde(
    pool: PoolGeometry,
    subsets: np.ndarray,
    *,
    posteriors: np.ndarray | None = None,
    components: int = 8,
    bandwidth: float | None = None,
) -> ManyLogWeights:
    """Return what `earnest.weights.kde` does, for each subset."""
    scores = pool.scores(checks.check_count("components", components))
    if bandwidth is not None:
        bandwidth = checks.check_positive("bandwidth", bandwidth)
    (size, dimension), n = scores.shape, subsets.shape[1]
    pool_h = bandwidth or density.scott_bandwidth(size, dimension)
    subset_h = bandwidth or density.scott_bandwidth(n, dimension)
    sums = pool.kernel_sums(components)
    of_pool, of_subset = sums.logs_of_pool(pool_h)[subsets], sums.logs(subsets, subset_h)
    log_ratio = density.log_density(of_pool, size, dimension, pool_h)
    log_ratio = log_ratio - density.log_density(of_subset, n, dimension, subset_h)
    alone = diagnostics.see_only_themselves(of_pool) | diagnostics.see_only_themselves(of_subset)
    return log_ratio, [("degenerate",) if one else () for one in alone]


def _knn(
    pool: PoolGeometry,
    subsets: np.ndarray,
    *,
    posteriors: np.ndarray | None = None,
    k: int = 5,
    power: float = 1.0,
) -> ManyLogWeights:
    """Return what `earnest.weights.knn` does, for each subset."""
    k, power = checks.check_count("k", k), checks.check_positive("power", power)
    flags: list[tuple[str, ...]] = [()] * len(subsets)
    if subsets.shape[1] == 1:
        return np.zeros(subsets.shape), flags
    to_labelled = pool.neighbours.mean_distances(subsets, k)
    to_pool = np.log(pool.neighbour_distances(np.arange(len(pool)), k))
    np.log(to_labelled, out=to_labelled)
    to_labelled -= to_pool[subsets]
    to_labelled *= power
    return to_labelled, flags


def _logistic(
    pool: PoolGeometry,
    subsets: np.ndarray,
    *,
    posteriors: np.ndarray | None = None,
    C: float = 1.0,
) -> ManyLogWeights:
    """Return what `earnest.weights.logistic` does, for each subset."""
    return _fits(pool, lambda: pool.standardised, "logistic", C, subsets)


def _logistic_posterior(
    pool: PoolGeometry,
    subsets: np.ndarray,
    *,
    posteriors: np.ndarray | None = None,
    C: float = 1.0,
) -> ManyLogWeights:
    """Return what `earnest.weights.logistic_posterior` does, for each subset."""
    posteriors = checks.check_posteriors(posteriors, len(pool), "logistic_posterior")
    name = f"logistic_posterior {hashlib.sha256(posteriors.tobytes()).hexdigest()}"
    return _fits(pool, lambda: posterior_features(posteriors), name, C, subsets)


def _fits(
    pool: PoolGeometry,
    points: Callable[[], np.ndarray],
    name: str,
    C: float,
    subsets: np.ndarray,
) -> ManyLogWeights:
    C = checks.check_positive("C", C)
    typical = partial(_typical_subsets, pool)
    fits = pool.shared((name, C), lambda: ManyFits(points(), C=C, reference_subsets=typical))
    return fits.log_odds(subsets), [()] * len(subsets)


def _typical_subsets(pool: PoolGeometry, n: int) -> list[np.ndarray]:
    """Draw one subset by each rule that needs no posteriors; the same ones for every call."""
    return [
        samplers.SAMPLERS[name](pool, n, rng=generator(0, "typical", name))
        for name in ("random", "farthest", "density_farthest", "kmedoids")
    ]


BATCHED: dict[str, Callable[..., ManyLogWeights]] = {
    "kde": _kde,
    "logistic": _logistic,
    "knn": _knn,
    "logistic_posterior": _logistic_posterior,
}
