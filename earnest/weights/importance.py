"""Importance weights: how many pool items each labelled item stands for."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from earnest.pools import checks
from earnest.pools.geometry import PoolGeometry, prepare_pool
from earnest.weights import diagnostics
from earnest.weights.registry import WEIGHTS

__all__ = [
    "WEIGHTS",
    "PoolGeometry",
    "Weights",
    "describe",
    "importance_weights",
    "mean_one",
    "prepare_pool",
]


@dataclass(frozen=True)
class Weights:
    """Importance weights of a labelled subset, with what they say of their own quality.

    Attributes
    ----------
    values : numpy.ndarray, shape (n,), float64
        In the order of `labelled`; finite, not negative, mean 1.
    ess : float
        Effective sample size, (sum w)^2 / sum w^2, from 1 to n.
    largest : float
        The largest weight.
    pareto_k : float or None
        Shape of the tail of the weights, see `earnest.weights.diagnostics.pareto_k`.
    flags : tuple of str
        `no_correction`: ess / n > .99 though n < .9 N. `degenerate`: kde only; in one of its
        two fits every labelled point sees only itself.
    """

    values: np.ndarray
    ess: float
    largest: float
    pareto_k: float | None
    flags: tuple[str, ...]


def importance_weights(
    name: str,
    embeddings: "ArrayLike | PoolGeometry",
    labelled: ArrayLike,
    *,
    posteriors: ArrayLike | None = None,
    **options: object,
) -> Weights:
    """Estimate how many pool items each labelled item stands for.

    Items from over-sampled regions get weights below 1. With every item labelled, all
    weights are exactly 1. The order of `labelled` changes nothing but the order of the values.

    Parameters
    ----------
    name : str
        A key of `WEIGHTS`.
    embeddings : array_like, shape (N, d), or PoolGeometry
        Of the whole pool, labelled items included. For many subsets of one pool pass
        `prepare_pool(embeddings)`, which remembers the pool-side work.
    labelled : array_like of int, shape (n,)
        Distinct rows of the pool.
    posteriors : array_like, shape (N, C), optional
        Rows sum to 1; logistic_posterior needs them, the others do not use them.
    **options
        Those of the weights' function, which `WEIGHTS[name].options` lists.

    Returns
    -------
    Weights

    Raises
    ------
    ValueError
        If the name is unknown, embeddings are not finite (rows are named), or labelled items
        repeat or lie outside the pool.
    TypeError
        If an option is unknown to the method or `labelled` does not hold integers.
    ArithmeticError
        If the weights are not finite or a fit did not converge.
    """
    if name not in WEIGHTS:
        raise ValueError(f"weights must be one of {', '.join(WEIGHTS)}, got {name!r}")
    pool = prepare_pool(embeddings)
    rows = checks.check_labelled(labelled, len(pool))
    if posteriors is not None:
        posteriors = checks.check_posteriors(posteriors, len(pool), name)
    # Sums in one order whatever the order of the list: equal subsets, equal weights.
    ascending = np.argsort(rows)
    log_weights, flags = WEIGHTS[name](pool, rows[ascending], posteriors=posteriors, **options)
    own = mean_one(log_weights, rows[ascending])
    values = own[np.argsort(ascending)]
    ess = diagnostics.effective_sample_sizes(own[None])[0]
    return describe(values, ess, own.max(), diagnostics.pareto_k(own), flags, len(pool))


def mean_one(log_weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Turn the log weights of some pool rows into weights of mean 1, shape (n,) float64.

    The largest becomes exp(0) first, so that nothing overflows.

    Raises
    ------
    ArithmeticError
        If a log weight is not finite; its row is named.
    """
    wrong = rows[~np.isfinite(log_weights)]
    if wrong.size:
        raise ArithmeticError(f"the weights of labelled items {wrong[:10].tolist()} are not finite")
    weights = np.exp(log_weights - log_weights.max())
    return weights / weights.mean()


def describe(
    values: np.ndarray,
    ess: float,
    largest: float,
    pareto_k: float | None,
    flags: tuple[str, ...],
    pool_size: int,
) -> Weights:
    """Return weights of mean 1 with what they say of themselves."""
    if diagnostics.changes_nothing(ess, len(values), pool_size):
        flags = ("no_correction", *flags)
    return Weights(values, float(ess), float(largest), pareto_k, flags)
