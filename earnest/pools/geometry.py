"""A pool with everything that its subsets can share, computed once and only when asked for."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from earnest.pools import checks, density, distances, large
from earnest.pools.neighbours import LARGEST_ALL_PAIRS, KernelSums, Neighbours
from earnest.rng import generator

# Larger pools make their standardised rows block by block instead of keeping a copy.
LARGEST_IN_MEMORY = 50_000

# Items that sampled densities look at.
DENSITY_REFERENCES = 2_000


class PoolGeometry:
    """The embeddings of a pool, with caches of what depends on the pool alone.

    Pool-side values are computed for the items asked for and remembered: a single weight
    vector costs n x N distances, and many subsets of one pool never cost more than N x N.

    Attributes
    ----------
    embeddings : numpy.ndarray, shape (N, d)
        As given, float32 or float64.
    """

    def __init__(self, embeddings: ArrayLike) -> None:
        self.embeddings = checks.check_embeddings(embeddings)
        self._points: dict[str, np.ndarray] = {}
        self._scores: dict[int, np.ndarray] = {}
        self._per_item: dict[tuple[Any, ...], np.ndarray] = {}
        self._matrices: dict[tuple[str, type], np.ndarray] = {}
        self._kernel_sums: dict[int, KernelSums] = {}
        self._walks: dict[tuple[Any, ...], np.ndarray] = {}
        self._shared: dict[tuple[Any, ...], Any] = {}

    def __len__(self) -> int:
        return len(self.embeddings)

    @cached_property
    def standardised(self) -> np.ndarray:
        """Embeddings by the pool's mean and SD (ddof 0; SD 0 counts as 1), (N, d) float64."""
        return density.standardise(self.embeddings)

    @property
    def is_large(self) -> bool:
        """Whether copies of the embeddings in double precision are avoided."""
        return len(self) > LARGEST_IN_MEMORY

    @cached_property
    def standardised_rows(self) -> "np.ndarray | large.Standardised":
        """The standardised embeddings, of a large pool made block by block."""
        return large.Standardised(self.embeddings) if self.is_large else self.standardised

    def points(self, metric: str = "euclidean") -> np.ndarray:
        """Return the raw embeddings as float64, scaled to length 1 for "cosine"."""
        if metric not in self._points:
            self._points[metric] = distances.metric_points(self.embeddings, metric)
        return self._points[metric]

    def scores(self, components: int) -> np.ndarray:
        """Return the first min(components, rank) principal scores, shape (N, that) float64."""
        if components not in self._scores:
            self._scores[components] = (
                self.standardised_rows.principal_scores(components)
                if isinstance(self.standardised_rows, large.Standardised)
                else density.principal_scores(self.standardised, components)
            )
        return self._scores[components]

    def log_kernel_sums(self, rows: np.ndarray, components: int, bandwidth: float) -> np.ndarray:
        """Return the pool's log kernel sums at some items, see `density.log_kernel_sums`."""
        return self._remembered(
            ("kernel", components, bandwidth),
            rows,
            lambda new: density.log_kernel_sums(self.scores(components), new, bandwidth),
        )

    def neighbour_distances(
        self, rows: np.ndarray, k: int, metric: str = "euclidean"
    ) -> np.ndarray:
        """Return the mean distance of some items to their k nearest pool items, itself excluded."""
        if self.is_large and metric == "euclidean":
            return self._remembered(
                ("neighbours", k, metric),
                rows,
                lambda new: large.mean_neighbour_distances(self.embeddings, new, k),
            )
        return self._remembered(
            ("neighbours", k, metric),
            rows,
            lambda new: distances.mean_neighbour_distances(self.points(metric), new, k, metric),
        )

    def local_density(self, kind: str, k: int, metric: str = "euclidean") -> np.ndarray:
        """Return the density at every item, up to a constant; the pool needs two items.

        Of kind "neighbours" or "kernel", see `earnest.samplers.density_farthest`, or "sampled",
        see `earnest.samplers.density_farthest_sampled`.
        """
        key = ("density", kind, k, metric)
        if key not in self._per_item:
            self._per_item[key] = self._local_density(kind, k, metric)
        return self._per_item[key]

    def _local_density(self, kind: str, k: int, metric: str) -> np.ndarray:
        if kind == "sampled":
            rng = generator(0, "density references")
            some = rng.permutation(len(self))[:DENSITY_REFERENCES]
            return 1.0 / large.sampled_neighbour_distances(self.embeddings, some, k)
        around = self.neighbour_distances(np.arange(len(self)), k, metric)
        if kind == "neighbours":
            return 1.0 / around
        return distances.kernel_means(self.points(metric), float(np.median(around)), metric)

    def distance_matrix(self, metric: str = "euclidean", kind: type = np.float32) -> np.ndarray:
        """Return all pairwise distances, (N, N); for pools small enough to hold it."""
        key = (metric, kind)
        if key not in self._matrices:
            self._matrices[key] = distances.distance_matrix(self.points(metric), metric, kind)
        return self._matrices[key]

    def known_distances(self, metric: str) -> np.ndarray | None:
        """Return all pairwise distances in double precision if they were made already."""
        return self._matrices.get((metric, np.float64))

    @property
    def holds_all_pairs(self) -> bool:
        """Whether the pool is small enough to keep matrices of all its pairs."""
        return len(self) <= LARGEST_ALL_PAIRS

    @cached_property
    def neighbours(self) -> Neighbours:
        """Every item's other items, the nearest first; needs at least two items."""
        return Neighbours(self.distance_matrix(kind=np.float64))

    def kernel_sums(self, components: int) -> KernelSums:
        """Return what sums Gaussian kernels of principal scores over many subsets."""
        if components not in self._kernel_sums:
            squared = density.squared_distances(self.scores(components))
            self._kernel_sums[components] = KernelSums(squared)
        return self._kernel_sums[components]

    def shared(self, key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """Return what others keep with the pool under a key, made when first asked for."""
        if key not in self._shared:
            self._shared[key] = make()
        return self._shared[key]

    def walk(self, key: tuple[Any, ...], n: int, compute: Callable[[], np.ndarray]) -> np.ndarray:
        """Return the first n rows of a traversal, remembered: equal starts have equal walks."""
        known = self._walks.get(key)
        if known is None or len(known) < n:
            known = self._walks[key] = compute()
        return known[:n].copy()

    def _remembered(
        self, key: tuple[Any, ...], rows: np.ndarray, compute: Callable[[np.ndarray], np.ndarray]
    ) -> np.ndarray:
        """Return the values of some items, computing only those never asked for before."""
        if key not in self._per_item:
            self._per_item[key] = np.full(len(self), np.nan)
        known = self._per_item[key]
        new = rows[np.isnan(known[rows])]
        if new.size:
            known[new] = compute(new)
        return known[rows]


def prepare_pool(embeddings: "ArrayLike | PoolGeometry") -> PoolGeometry:
    """Return the shared geometry of a pool; one that is prepared already comes back as it is.

    Parameters
    ----------
    embeddings : array_like, shape (N, d), or PoolGeometry
        Finite real numbers.

    Returns
    -------
    PoolGeometry

    Raises
    ------
    ValueError, TypeError
        See `earnest.pools.checks.check_embeddings`.
    """
    return embeddings if isinstance(embeddings, PoolGeometry) else PoolGeometry(embeddings)
