"""Farthest-first traversals, one at a time for any pool or many at once over a small one."""

from collections.abc import Sequence

import numpy as np

from earnest.pools import distances

# Walks in step: enough to hide what a call of numpy costs, few enough for the cache.
_TOGETHER = 32


def traverse(
    points: np.ndarray,
    start: int,
    n: int,
    *,
    metric: str = "euclidean",
    factor: np.ndarray | None = None,
    known: np.ndarray | None = None,
) -> np.ndarray:
    """Walk from a start to the item whose distance to the walked set, times a factor, is largest.

    Parameters
    ----------
    points : numpy.ndarray, shape (N, d), float64
        From `earnest.pools.distances.metric_points`.
    start : int
        The first row.
    n : int
        How many rows to visit, from 1 to N.
    metric : {"euclidean", "cosine"}
    factor : numpy.ndarray, shape (N,), optional
        Positive; 1 for every item when missing.
    known : numpy.ndarray, shape (N, N), float64, optional
        All distances, where they were computed before.

    Returns
    -------
    numpy.ndarray, shape (n,), int64
        Distinct rows, ties to the lowest; n x N distances in all, never N x N.
    """
    order = np.empty(n, dtype=np.int64)
    nearest, scores = np.full(len(points), np.inf), np.empty(len(points))
    row = start
    for position in range(n):
        order[position] = row
        if known is None:
            distance = distances.distances(points, points[row, None], metric)[:, 0]
        else:
            distance = known[row]
        np.minimum(nearest, distance, out=nearest)
        nearest[row] = -np.inf  # below the 0 of an exact copy, so no row is chosen twice
        if factor is None:
            row = int(nearest.argmax())
        else:
            row = int(np.multiply(nearest, factor, out=scores).argmax())
    return order


def traverse_many(
    known: np.ndarray, starts: Sequence[int], n: int, *, factor: np.ndarray | None = None
) -> np.ndarray:
    """Walk as `traverse` does from many starts.

    Parameters
    ----------
    known : numpy.ndarray, shape (N, N), float64
        All distances.
    starts : sequence of int, of length S
    n : int
        How many rows to visit, from 1 to N.
    factor : numpy.ndarray, shape (N,), optional

    Returns
    -------
    numpy.ndarray, shape (S, n), int64
    """
    rows = np.asarray(starts, dtype=np.int64)
    parts = [
        _in_step(known, rows[at : at + _TOGETHER], n, factor)
        for at in range(0, len(rows), _TOGETHER)
    ]
    return np.concatenate(parts) if parts else np.empty((0, n), dtype=np.int64)


def _in_step(known: np.ndarray, rows: np.ndarray, n: int, factor: np.ndarray | None) -> np.ndarray:
    count = len(rows)
    orders, walkers = np.empty((n, count), dtype=np.int64), np.arange(count)
    nearest = np.full((count, len(known)), np.inf)
    work = np.empty_like(nearest)
    for position in range(n):
        orders[position] = rows
        # "clip" only because numpy buffers `out` in its default mode; no row is out of range.
        np.take(known, rows, axis=0, out=work, mode="clip")
        np.minimum(nearest, work, out=nearest)
        nearest[walkers, rows] = -np.inf
        scores = nearest if factor is None else np.multiply(nearest, factor, out=work)
        rows = scores.argmax(axis=1)
    return np.ascontiguousarray(orders.T)
