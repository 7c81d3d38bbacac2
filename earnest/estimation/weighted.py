"""Scores of the labelled items, each counting as much as its weight."""

import numpy as np

from earnest.estimation.pool import score_arguments, why_not_applicable
from earnest.estimation.subset import Subset
from earnest.measures import score, score_many


def weighted(subset: Subset, measure: str, utility: str) -> np.ndarray | str:
    """Score the labelled items under importance weight x utility, for every resample.

    Returns
    -------
    ndarray (b,) float64, NaN where undefined, or why the sample itself has no value
    """
    weights = None if subset.weights is None else subset.weights.values
    return score_under(subset, weights, measure, utility)


def score_under(
    subset: Subset, weights: np.ndarray | None, measure: str, utility: str
) -> np.ndarray | str:
    """Score the labelled items under weights (n,), or (b, n) where they differ by resample."""
    reason = why_not_applicable(subset.pool, measure, utility)
    if reason:
        return reason
    weightings = subset.once(("weightings", utility), _weightings, weights, utility)
    arguments = score_arguments(subset.pool, subset.labelled, subset.labels, measure)
    values = score_many(weights=weightings, **arguments)
    if np.isnan(values[0]):
        return score(weights=weightings[0], **arguments).reason
    return values


def _weightings(subset: Subset, weights: np.ndarray | None, utility: str) -> np.ndarray:
    row = np.ones(len(subset.labelled)) if weights is None else weights
    if utility != "none":
        row = row * subset.pool.utilities[utility][subset.labelled]
    with np.errstate(invalid="ignore"):  # 0 x infinity: a resample that has no value
        return subset.counts * row
