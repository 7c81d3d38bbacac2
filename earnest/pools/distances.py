"""Distances and nearest neighbours by blocks of rows; never more than a block times the pool."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import DTypeLike

METRICS = ("euclidean", "cosine")

# The least distance: a point and its exact copies would otherwise have infinite density.
FLOOR = 1e-12

# 2^22 doubles are 32 MiB: large enough for speed, small beside any pool.
_BLOCK_CELLS = 2**22


def row_blocks(rows: int, columns: int) -> Iterator[slice]:
    """Yield slices that cut `rows` rows of `columns` doubles into blocks of about 32 MiB."""
    step = max(1, _BLOCK_CELLS // max(1, columns))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


def metric_points(embeddings: np.ndarray, metric: str) -> np.ndarray:
    """Return the float64 points that `distances` wants for a metric.

    Parameters
    ----------
    embeddings : numpy.ndarray, shape (N, d)
        Finite values.
    metric : {"euclidean", "cosine"}
        For "cosine" every row is scaled to length 1.

    Returns
    -------
    numpy.ndarray, shape (N, d), float64

    Raises
    ------
    ValueError
        If the metric is unknown, or if a row is all zero, which has no direction.
    """
    if metric not in METRICS:
        raise ValueError(f"metric must be one of {', '.join(METRICS)}, got {metric!r}")
    points = np.ascontiguousarray(embeddings, dtype=np.float64)
    if metric == "euclidean":
        return points
    largest = np.abs(points).max(axis=1, keepdims=True)
    zero = np.flatnonzero(largest[:, 0] == 0)
    if zero.size:
        raise ValueError(
            f"the cosine distance is undefined for all-zero embeddings, rows {zero[:10].tolist()}"
            f" ({zero.size} in all); use metric='euclidean'"
        )
    scaled = points / largest  # so that squares neither overflow nor vanish
    return scaled / np.linalg.norm(scaled, axis=1, keepdims=True)


def distances(some: np.ndarray, others: np.ndarray, metric: str = "euclidean") -> np.ndarray:
    """Return the distances between two sets of points made by `metric_points`.

    Differences are squared and summed, not expanded into dot products: equal points are
    exactly 0 apart, and no value depends on which other points share the call.

    Parameters
    ----------
    some, others : numpy.ndarray, shapes (a, d) and (b, d), float64
    metric : {"euclidean", "cosine"}
        "cosine" is 1 - cos, from 0 to 2; the points must have length 1.

    Returns
    -------
    numpy.ndarray, shape (a, b), float64
    """
    from scipy.spatial.distance import cdist

    if metric == "cosine":
        return cdist(some, others, "sqeuclidean") / 2
    return cdist(some, others, metric)


def mean_neighbour_distances(
    points: np.ndarray, rows: np.ndarray, k: int, metric: str = "euclidean"
) -> np.ndarray:
    """Return the mean distance of some points to their k nearest others.

    The point itself is left out by its index, not as "the first neighbour", so copies of
    a point count as neighbours. Where fewer than k others exist, all of them are used.

    Parameters
    ----------
    points : numpy.ndarray, shape (N, d), float64
        From `metric_points`; N at least 2.
    rows : numpy.ndarray of int, shape (m,)
        The points whose neighbours are wanted.
    k : int
        At least 1.
    metric : {"euclidean", "cosine"}

    Returns
    -------
    numpy.ndarray, shape (m,), float64
        At least 1e-12: each distance is floored there.
    """
    size = len(points)
    if size < 2:
        raise ValueError("a single point has no neighbours")
    k = min(k, size - 1)
    means = np.empty(len(rows))
    for block in row_blocks(len(rows), size):
        between = distances(points[rows[block]], points, metric)
        between[np.arange(len(between)), rows[block]] = np.inf
        nearest = np.sort(np.partition(between, k - 1, axis=1)[:, :k], axis=1)
        means[block] = np.maximum(nearest, FLOOR).mean(axis=1)
    return means


def kernel_means(points: np.ndarray, bandwidth: float, metric: str = "euclidean") -> np.ndarray:
    """Return the mean over all points, itself included, of exp(-d^2 / (2 h^2)), shape (N,)."""
    means = np.empty(len(points))
    for block in row_blocks(len(points), len(points)):
        scaled = distances(points[block], points, metric) / bandwidth
        means[block] = np.exp(-0.5 * np.square(scaled)).mean(axis=1)
    return means


def distance_matrix(
    points: np.ndarray, metric: str = "euclidean", kind: DTypeLike = np.float32
) -> np.ndarray:
    """Return all pairwise distances of a float kind, shape (N, N), filled by blocks."""
    matrix = np.empty((len(points), len(points)), dtype=kind)
    for block in row_blocks(len(points), len(points)):
        matrix[block] = distances(points[block], points, metric)
    return matrix
