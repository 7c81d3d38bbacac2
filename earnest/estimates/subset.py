"""A labelled subset and its resamples, as every estimator sees it."""

from dataclasses import dataclass, field

import numpy as np

from earnest.estimates.counts import Counts
from earnest.pools.pool import Pool, confidences
from earnest.samplers.designs import Design, uniform
from earnest.weights import Weights

NO_CHANCES = (
    "the chances with which the items were drawn are not recorded; items drawn at random or by"
    " uncertainty_mixed have them"
)


@dataclass
class Subset:
    """A labelled subset and its resamples, shared by all measures and utilities.

    Attributes
    ----------
    pool : Pool
    labelled : ndarray (n,) int64
        Pool rows.
    labels : ndarray (n,)
        Their true labels.
    resamples : Counts
        How often each item counts in each resample, the sample itself first.
    weights : Weights or None
        Importance weights.
    design : Design or None
        The chances with which the items were drawn, where known.
    sampler : str or None
        The rule that chose them, where known.
    flags : set of str
        What estimators have to say about this subset.
    """

    pool: Pool
    labelled: np.ndarray
    labels: np.ndarray
    resamples: Counts
    weights: Weights | None = None
    design: Design | None = None
    sampler: str | None = None
    flags: set[str] = field(default_factory=set)
    cache: dict = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.correct = self.labels == self.pool.predictions[self.labelled]

    @property
    def counts(self) -> np.ndarray:
        """How often each item counts in each resample, (b, n) float64."""
        return self.resamples.table

    @property
    def sums(self) -> np.ndarray:
        """Counted items of each resample, (b, 1) float64."""
        return self.resamples.sums

    @property
    def confidence(self) -> np.ndarray:
        """The posterior of each pool item's predicted class, (N,) float64."""
        return self.once("confidence", lambda subset: confidences(subset.pool))

    def means(self, columns: np.ndarray) -> np.ndarray:
        """Return the mean of columns (n, k) over the items of each resample, (b, k)."""
        return self.resamples.totals(columns) / self.sums

    def unlabelled(self) -> np.ndarray:
        """Return the pool rows that are not in the subset, ascending."""
        left = np.ones(len(self.pool), dtype=bool)
        left[self.labelled] = False
        return np.flatnonzero(left)

    def left_out(self) -> float | np.ndarray:
        """Return how much of the pool is not labelled, as the variance of a sum sees it.

        With chances of inclusion that differ, 1 - chance, averaged over each recording in the
        order of their names, which for equal chances is 1 - n/N.
        """
        if self.design is None:
            return 1 - len(self.labelled) / len(self.pool)
        _, group = np.unique(recordings_of(self.pool, self.labelled), return_inverse=True)
        return np.bincount(group, 1 - self.design.inclusion) / np.bincount(group)

    def members(self) -> tuple[np.ndarray, np.ndarray]:
        """Return whether each labelled item is of each class, and rightly predicted so; (n, c)."""
        true = self.labels[:, np.newaxis] == np.asarray(self.pool.classes)
        return true.astype(np.float64), true * self.correct[:, np.newaxis].astype(np.float64)

    def predicted(self) -> np.ndarray:
        """Return whether each pool item is predicted to be of each class; (N, c) float64."""
        if "predicted" not in self.cache:
            classes = np.asarray(self.pool.classes)
            predicted = self.pool.predictions[:, np.newaxis] == classes
            self.cache["predicted"] = predicted.astype(np.float64)
        return self.cache["predicted"]

    def once(self, key, make, *arguments):
        """Return what `make` returns, called only once per subset and key."""
        if key not in self.cache:
            self.cache[key] = make(self, *arguments)
        return self.cache[key]


def recordings_of(pool: Pool, labelled: np.ndarray) -> np.ndarray:
    """Return the recording of each labelled item, (n,); itself where the pool knows none."""
    return labelled if pool.recordings is None else np.asarray(pool.recordings)[labelled]


def known_design(
    pool: Pool, labelled: np.ndarray, sampler: str | None, design: Design | None
) -> Design | None:
    """Return the chances of a subset: given, of plain chance, or of a whole pool; else None."""
    if design is not None:
        given = [one for one in (design.turns, design.inclusion) if one is not None]
        odd = [len(one) for one in given if len(one) != len(labelled)]
        if odd:
            raise ValueError(
                f"the design holds the chances of {odd[0]} items, but {len(labelled)} are labelled"
            )
        return design
    if sampler == "random" or len(labelled) == len(pool):
        return uniform(len(labelled), len(pool))
    return None
