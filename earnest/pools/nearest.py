"""The nearest other items of every item of a pool, exact or among some reference items."""

from dataclasses import dataclass

import numpy as np

from earnest.pools import distances, large
from earnest.pools.distances import FLOOR

# Candidates beside the k nearest that are looked at exactly, before a whole row is.
_SPARE = 6

# Above these squared norms times this, products and differences cannot disagree.
_SLACK = 1e-11


@dataclass(frozen=True)
class Nearest:
    """Who is next to every item.

    Attributes
    ----------
    items : ndarray (N, k) int64
        Pool rows, the nearest first, the lower row first among equals; never the item itself.
    means : ndarray (N,) float64
        Mean Euclidean distance to them, each at least 1e-12.
    """

    items: np.ndarray
    means: np.ndarray


def nearest_items(points: np.ndarray, k: int) -> Nearest:
    """Return the k nearest others of all points.

    Matrix products tell which pairs need not be looked at; the others are compared by their
    differences, so that copies of a point are equally far from everything.

    Parameters
    ----------
    points : ndarray (N, d) float64
        N at least 2.
    k : int
        At least 1; N - 1 where that is less.

    Returns
    -------
    Nearest
    """
    k = min(k, len(points) - 1)
    centred = points - points.mean(axis=0)
    norms = np.square(centred).sum(axis=1)
    items = np.empty((len(points), k), dtype=np.int64)
    means = np.empty(len(points))
    for block in distances.row_blocks(len(points), len(points)):
        squared = centred[block] @ centred.T
        squared *= -2.0
        squared += norms
        squared += norms[block, np.newaxis]
        squared[np.arange(len(squared)), np.arange(block.start, block.stop)] = np.inf
        slack = _SLACK * (norms[block] + norms.max())
        items[block], means[block] = _exact(points, block, squared, slack, k)
    return Nearest(items, means)


def _exact(
    points: np.ndarray, block: slice, squared: np.ndarray, slack: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the k nearest of a block of rows and their mean distances."""
    width = min(k + _SPARE, len(points) - 1)
    near = np.argpartition(squared, width - 1, axis=1)[:, :width]
    near.sort(axis=1)  # of equal distances the lowest row comes first
    rows = np.arange(block.start, block.stop)
    gaps = points[near] - points[rows, np.newaxis]
    exact = np.sqrt(np.einsum("ijk,ijk->ij", gaps, gaps))
    order = np.argsort(exact, axis=1, kind="stable")[:, :k]
    items = np.take_along_axis(near, order, axis=1)
    exact = np.take_along_axis(exact, order, axis=1)
    # where even the farthest candidate may be as near as the k-th, others may be too
    farthest = np.take_along_axis(squared, near, axis=1).max(axis=1)
    unclear = farthest <= np.square(exact[:, -1]) + 2 * slack
    for place in np.flatnonzero(unclear) if width < len(points) - 1 else ():
        between = distances.distances(points[rows[place : place + 1]], points)[0]
        between[rows[place]] = np.inf
        items[place] = np.argsort(between, kind="stable")[:k]
        exact[place] = between[items[place]]
    return items, np.maximum(exact, FLOOR).mean(axis=1)


def nearest_references(embeddings: np.ndarray, references: np.ndarray, k: int) -> Nearest:
    """Return the k nearest of some reference items for all items of a large pool.

    Parameters
    ----------
    embeddings : ndarray (N, d) float32 or float64
    references : ndarray (m,) of int
        Distinct rows, m at least 2; an item that is one of them is not its own neighbour.
    k : int
        At least 1; m - 1 where that is less.

    Returns
    -------
    Nearest
        By matrix products, to about 1e-7 of the largest norm.
    """
    k = min(k, len(references) - 1)
    items = np.empty((len(embeddings), k), dtype=np.int64)
    means = np.empty(len(embeddings))
    for start, squared in large.squared_distances(embeddings, references):
        inside = np.flatnonzero((references >= start) & (references < start + len(squared)))
        squared[references[inside] - start, inside] = np.inf
        near = np.argpartition(squared, k - 1, axis=1)[:, :k]
        near.sort(axis=1)
        exact = np.take_along_axis(squared, near, axis=1)
        order = np.argsort(exact, axis=1, kind="stable")
        rows = slice(start, start + len(squared))
        items[rows] = references[np.take_along_axis(near, order, axis=1)]
        means[rows] = np.maximum(np.sqrt(exact), FLOOR).mean(axis=1)
    return Nearest(items, means)
