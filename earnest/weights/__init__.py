"""What a label stands for: importance weights of labelled items, and how good they are."""

from earnest.weights.importance import (
    PoolGeometry,
    Weights,
    describe,
    importance_weights,
    mean_one,
    prepare_pool,
)
from earnest.weights.methods import (
    LogWeights,
    kde,
    kmm,
    knn,
    logistic,
    logistic_posterior,
    rulsif,
)
from earnest.weights.registry import FROM_POSTERIORS, WEIGHTS, Weighting

__all__ = [
    "FROM_POSTERIORS",
    "WEIGHTS",
    "LogWeights",
    "PoolGeometry",
    "Weighting",
    "Weights",
    "describe",
    "importance_weights",
    "kde",
    "kmm",
    "knn",
    "logistic",
    "logistic_posterior",
    "mean_one",
    "prepare_pool",
    "rulsif",
]
