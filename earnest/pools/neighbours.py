"""What many subsets of one pool share: all its distances, sorted, and the sums of its kernels."""

import math
from collections.abc import Callable

import numpy as np

from earnest.compiling import compiled
from earnest.pools.distances import FLOOR

# Pools up to here keep all pairwise distances: at most 200 MB a matrix of doubles.
LARGEST_ALL_PAIRS = 5_000

# Up to this size all distances inside a subset cost less than walks along sorted lists.
_SMALL_SUBSET = 100

# Cells of the largest array made at once, 32 MiB of doubles.
_CELLS = 2**22


class Neighbours:
    """Every item's other items, the nearest first.

    Parameters
    ----------
    distances : numpy.ndarray, shape (N, N), float64
        N at least 2.
    """

    def __init__(self, distances: np.ndarray) -> None:
        size = len(distances)
        without_self = distances.copy()
        np.fill_diagonal(without_self, -1.0)
        # The item itself comes first by its index, whatever copies it has, and is cut off.
        self.order = np.argsort(without_self, axis=1, kind="stable")[:, 1:].copy()
        self.distances = np.maximum(np.take_along_axis(distances, self.order, axis=1), FLOOR)
        self._labelled = np.zeros(size, dtype=bool)
        self._all = without_self
        self._compiled: Callable[..., None] | None = None
        self._head = self.order[:, :0]
        self._short = np.empty((0, 0), dtype=np.int16)

    def compile(self) -> None:
        """Walk in compiled code from now on: the same to the last bit, quicker for thousands."""
        if self._compiled is None:
            self._compiled = compiled(_walk_all)
            # Rows of pools that keep all pairs fit in 16 bits, and four times as many in a cache.
            self._short = self.order.astype(np.int16)
            self._starts = self._short[:, :0], self.distances[:, :0]

    def mean_distances(self, subsets: np.ndarray, k: int) -> np.ndarray:
        """Return each subset item's mean distance to its k nearest others of the subset.

        Parameters
        ----------
        subsets : numpy.ndarray of int, shape (B, n)
            Distinct rows each, n at least 2.
        k : int
            At least 1; n - 1 where that is less.

        Returns
        -------
        numpy.ndarray, shape (B, n), float64
            As `earnest.pools.distances.mean_neighbour_distances` of each subset.
        """
        (count, n), k = subsets.shape, min(k, subsets.shape[1] - 1)
        if self._compiled is not None:
            found = np.empty(subsets.shape)
            marks = np.zeros(len(self.order), dtype=np.uint8)
            near = self._near(k, n)
            self._compiled(*near, self._short, self.distances, subsets, k, marks, found)
            return found
        if n > _SMALL_SUBSET:
            return np.array([self._by_walk(subset, k) for subset in subsets]).reshape(count, n)
        found = np.empty(subsets.shape)
        block = max(1, _CELLS // (n * n))
        for at in range(0, count, block):
            some = subsets[at : at + block]
            between = self._all[some[:, :, None], some[:, None, :]]
            # -1, to itself, is the least and left out.
            nearest = np.sort(np.partition(between, k, axis=2)[:, :, : k + 1], axis=2)[:, :, 1:]
            found[at : at + block] = _mean(np.maximum(nearest, FLOOR))
        return found

    def nearest_in(self, subset: np.ndarray) -> np.ndarray:
        """Return every item's distance to the nearest other item of a subset.

        Parameters
        ----------
        subset : numpy.ndarray of int, shape (n,)
            Distinct rows, n at least 2.

        Returns
        -------
        numpy.ndarray, shape (N,), float64
        """
        labelled = np.zeros(len(self.order), dtype=bool)
        labelled[subset] = True
        found = np.empty(len(self.order))
        rows, width = np.arange(len(self.order)), math.ceil(2 * len(self.order) / len(subset))
        while rows.size:
            width = min(width, len(self.order) - 1)
            met = labelled[self.order[rows, :width]]
            first = met.argmax(axis=1)
            done = met[np.arange(len(rows)), first]
            found[rows[done]] = self.distances[rows[done], first[done]]
            rows, width = rows[~done], 4 * width
        return found

    def _near(self, k: int, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the starts of all lists, as far as most walks go, close together."""
        width = min(len(self.order) - 1, math.ceil(4 * k * len(self.order) / n))
        if self._starts[0].shape[1] != width:
            self._starts = (
                np.ascontiguousarray(self._short[:, :width]),
                np.ascontiguousarray(self.distances[:, :width]),
            )
        return self._starts

    def _by_walk(self, subset: np.ndarray, k: int) -> np.ndarray:
        """Walk each item's sorted list until k labelled items are met."""
        size = len(self.order)
        sums = np.empty(len(subset))
        self._labelled[subset] = True
        # Twice as far as k labelled items lie on average; the few who need more go on alone.
        width = min(size - 1, math.ceil(2 * k * size / len(subset)))
        if self._head.shape[1] != width:
            self._head = np.ascontiguousarray(self.order[:, :width])
        left, rows = np.arange(len(subset)), subset
        while rows.size:
            met, done = self._walk(rows, k, width)
            sums[left[done]] = met
            left, rows = left[~done], rows[~done]
            width = min(size - 1, 4 * width)
        self._labelled[subset] = False
        return sums / k

    def _walk(self, rows: np.ndarray, k: int, width: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the summed distances of those that meet k labelled ones, and who they are."""
        first_walk = width == self._head.shape[1]
        near = self._head.take(rows, axis=0) if first_walk else self.order[rows, :width]
        hit = self._labelled.take(near).ravel()
        last = np.cumsum(hit, dtype=np.int32)[width - 1 :: width]
        first = np.concatenate([[0], last[:-1]])
        done = last - first >= k
        met, first = np.flatnonzero(hit), first[done]
        # From a place in the block of heads to the same place in the whole array.
        shift = (rows * (len(self.order) - 1) - np.arange(len(rows)) * width)[done]
        sums = np.zeros(len(shift))
        for position in range(k):
            sums += self.distances.take(met.take(first + position) + shift)
        return sums, done


def _walk_all(
    near: np.ndarray,
    near_distances: np.ndarray,
    order: np.ndarray,
    distances: np.ndarray,
    subsets: np.ndarray,
    k: int,
    labelled: np.ndarray,
    found: np.ndarray,
) -> None:
    """Fill in the mean distances of all subsets, in words that numba knows.

    Where labelled ones are met is noted without asking whether they were: a processor guesses
    every second answer wrong.
    """
    met_at = np.empty(k + 1, dtype=np.int64)
    for number in range(len(subsets)):
        for item in subsets[number]:
            labelled[item] = 1
        for place in range(subsets.shape[1]):
            item = subsets[number, place]
            met, step, total = 0, 0, 0.0
            while met < k and step < near.shape[1]:
                met_at[met] = step
                met += labelled[near[item, step]]
                step += 1
            if met == k:
                for one in range(k):
                    total += near_distances[item, met_at[one]]
            else:
                while met < k:
                    met_at[met] = step
                    met += labelled[order[item, step]]
                    step += 1
                for one in range(k):
                    total += distances[item, met_at[one]]
            found[number, place] = total / k
        for item in subsets[number]:
            labelled[item] = 0


def _mean(columns: np.ndarray) -> np.ndarray:
    """Return the mean over the last axis, terms added from the first to the last."""
    return sum(columns[..., one] for one in range(columns.shape[-1])) / columns.shape[-1]


class KernelSums:
    """Sums of Gaussian kernels over subsets, exact whatever the order of their terms.

    Kernels are rounded to multiples of a power of two so small that a sum is off by less than
    n 2^-(53 - log2 N), and so large that every partial sum is a double: no sum depends on how
    the work is split. That makes one matrix product of many subsets as good as one at a time.

    Parameters
    ----------
    squared : numpy.ndarray, shape (N, N), float64
        Squared distances.
    """

    def __init__(self, squared: np.ndarray) -> None:
        self.squared = squared
        self._unit = 2.0 ** (52 - len(squared).bit_length())
        self._of_pool: dict[float, np.ndarray] = {}
        self._bandwidth: float | None = None
        self._kernels = np.empty(0)

    def logs(self, subsets: np.ndarray, bandwidth: float) -> np.ndarray:
        """Return the log of the summed kernels of each subset at its own items.

        Parameters
        ----------
        subsets : numpy.ndarray of int, shape (B, n)
            Distinct rows each.
        bandwidth : float
            As in `earnest.pools.density.log_kernel_sums`.

        Returns
        -------
        numpy.ndarray, shape (B, n), float64
        """
        kernels = self._of_bandwidth(bandwidth)
        (count, n), size = subsets.shape, len(kernels)
        # A product costs N N multiplications a subset, each some 100 times cheaper than a look-up.
        if 100 * n * n < size * size:
            block = max(1, _CELLS // (n * n))
            parts = [
                kernels[some[:, :, None], some[:, None, :]].sum(axis=2)
                for some in (subsets[at : at + block] for at in range(0, count, block))
            ]
        else:
            block = max(1, _CELLS // size)
            parts = [
                self._by_product(kernels, subsets[at : at + block]) for at in range(0, count, block)
            ]
        return np.log(np.concatenate(parts))

    def logs_of_pool(self, bandwidth: float) -> np.ndarray:
        """Return the log of the pool's summed kernels at all its items, (N,): as of a subset."""
        if bandwidth not in self._of_pool:
            everything = np.arange(len(self.squared))
            self._of_pool[bandwidth] = self.logs(everything[None], bandwidth)[0]
        return self._of_pool[bandwidth]

    @staticmethod
    def _by_product(kernels: np.ndarray, subsets: np.ndarray) -> np.ndarray:
        chosen = np.zeros((len(subsets), len(kernels)))
        np.put_along_axis(chosen, subsets, 1.0, axis=1)
        return np.take_along_axis(chosen @ kernels, subsets, axis=1)

    def _of_bandwidth(self, bandwidth: float) -> np.ndarray:
        if bandwidth != self._bandwidth:
            kernels = self.squared * (-0.5 / bandwidth**2)
            np.exp(kernels, out=kernels)
            kernels *= self._unit
            np.rint(kernels, out=kernels)
            kernels /= self._unit
            self._bandwidth, self._kernels = bandwidth, kernels
        return self._kernels
