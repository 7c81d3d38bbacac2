"""Scores of the labelled items, each counting as much as its weight."""

from typing import Any

import numpy as np

from earnest.estimates.subset import Subset
from earnest.measures import score, score_many
from earnest.pools.pool import class_of, score_arguments, why_not_applicable


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
    values = _values(subset, weightings, measure, utility)
    if np.isnan(values[0]):
        return score(weights=weightings[0], **_arguments(subset, measure)).reason
    return values


def _values(subset: Subset, weightings: np.ndarray, measure: str, utility: str) -> np.ndarray:
    """Score under each weighting; what comes from the recalls of classes shares them."""
    classes, own = subset.pool.classes, class_of(subset.pool, measure)
    balanced = measure == "balanced_accuracy" and len(classes) > 1
    if own is None and not balanced:
        return score_many(weights=weightings, **_arguments(subset, measure))
    recalls = subset.once(("recalls", utility), _recalls, weightings)
    return recalls.mean(axis=1) if balanced else recalls[:, classes.index(own)]


def _arguments(subset: Subset, measure: str) -> dict[str, Any]:
    return score_arguments(subset.pool, subset.labelled, subset.labels, measure)


def _recalls(subset: Subset, weightings: np.ndarray) -> np.ndarray:
    """Return the recall of every class under each weighting, (b, c), NaN where undefined."""
    true, hits = subset.members()
    with np.errstate(invalid="ignore", divide="ignore"):
        return (weightings @ hits) / (weightings @ true)


def _weightings(subset: Subset, weights: np.ndarray | None, utility: str) -> np.ndarray:
    row = np.ones(len(subset.labelled)) if weights is None else weights
    if utility != "none":
        row = row * subset.pool.utilities[utility][subset.labelled]
    with np.errstate(invalid="ignore"):  # 0 x infinity: a resample that has no value
        return subset.counts * row
