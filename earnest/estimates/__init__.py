"""From the labels of a subset to one number for the pool, with an interval or why there is none."""

from earnest.estimates.estimators import (
    Estimate,
    Pool,
    each_measure,
    estimate,
    estimate_all,
    subset_weights,
    true_value,
)
from earnest.estimates.registry import (
    ESTIMATORS,
    INTERVALS,
    LINEARISED,
    NEED_LABELS,
    Method,
)
from earnest.weights import FROM_POSTERIORS

__all__ = [
    "ESTIMATORS",
    "FROM_POSTERIORS",
    "INTERVALS",
    "LINEARISED",
    "NEED_LABELS",
    "Estimate",
    "Method",
    "Pool",
    "each_measure",
    "estimate",
    "estimate_all",
    "subset_weights",
    "true_value",
]
