"""What a label stands for: importance weights of labelled items, and how good they are."""

from earnest.weights.importance import (
    WEIGHTS,
    LogWeights,
    PoolGeometry,
    Weights,
    describe,
    importance_weights,
    kde,
    kmm,
    knn,
    logistic,
    logistic_posterior,
    mean_one,
    prepare_pool,
    rulsif,
)

__all__ = [
    "WEIGHTS",
    "LogWeights",
    "PoolGeometry",
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
