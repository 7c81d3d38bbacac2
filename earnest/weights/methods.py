"""Ways to weigh: the log weights of labelled items, up to a constant."""

import numpy as np
from numpy.typing import ArrayLike

from earnest.pools import checks, density, distances, large
from earnest.pools.geometry import PoolGeometry
from earnest.pools.posteriors import posterior_features
from earnest.weights import diagnostics, domain_classifier, moment_matching

# Log weights up to a constant, and flags, of rows in ascending order.
LogWeights = tuple[np.ndarray, tuple[str, ...]]


def kde(
    pool: PoolGeometry,
    labelled: np.ndarray,
    *,
    posteriors: ArrayLike | None = None,
    components: int = 8,
    bandwidth: float | None = None,
) -> LogWeights:
    """Return log p_D(z) - log p_L(z) by kernel density estimates (sampling bias paper, Eq. 7).

    z are principal scores of the standardised pool, min(components, rank) of them, without
    whitening. Both densities are Gaussian and isotropic and include the point itself.

    Parameters
    ----------
    pool : PoolGeometry
        N items.
    labelled : numpy.ndarray of int, shape (n,)
        Distinct rows, ascending.
    posteriors : ignored
    components : int
        At least 1.
    bandwidth : float, optional
        Of both sides; by default m^(-1 / (d + 4)) with m = N for the pool and n for the
        labelled side, d the number of components used.

    Returns
    -------
    log_weights : numpy.ndarray, shape (n,), float64
    flags : tuple of str
        `degenerate` or nothing.
    """
    scores = pool.scores(checks.check_count("components", components))
    (size, dimension), n = scores.shape, len(labelled)
    if bandwidth is not None:
        bandwidth = checks.check_positive("bandwidth", bandwidth)
    pool_h = bandwidth or density.scott_bandwidth(size, dimension)
    subset_h = bandwidth or density.scott_bandwidth(n, dimension)
    pool_sums = pool.log_kernel_sums(labelled, components, pool_h)
    subset_sums = density.log_kernel_sums(scores[labelled], np.arange(n), subset_h)
    log_ratio = density.log_density(pool_sums, size, dimension, pool_h)
    log_ratio = log_ratio - density.log_density(subset_sums, n, dimension, subset_h)
    alone = diagnostics.see_only_themselves(np.stack([pool_sums, subset_sums])).any()
    return log_ratio, ("degenerate",) if alone else ()


def logistic(
    pool: PoolGeometry,
    labelled: np.ndarray,
    *,
    posteriors: ArrayLike | None = None,
    C: float = 1.0,
) -> LogWeights:
    """Return the log odds of pool against labelled (sampling bias paper, Eq. 9).

    A logistic regression on standardised embeddings, pool rows 1, labelled rows 0, L2 penalty
    |coef|^2 / (2 C), free intercept, no class weights, converged. The prior factor n / N
    is the same for all items and cancels.

    Parameters
    ----------
    pool : PoolGeometry
        N items.
    labelled : numpy.ndarray of int, shape (n,)
        Distinct rows, ascending.
    posteriors : ignored
    C : float
        Above 0; 1e-3 gives weights of lower variance.

    Returns
    -------
    log_weights : numpy.ndarray, shape (n,), float64
    flags : empty tuple
    """
    strength = checks.check_positive("C", C)
    return domain_classifier.log_odds(pool.standardised_rows, labelled, C=strength), ()


def knn(
    pool: PoolGeometry,
    labelled: np.ndarray,
    *,
    posteriors: ArrayLike | None = None,
    k: int = 5,
    power: float = 1.0,
) -> LogWeights:
    """Return the log of labelled over pool neighbour distances (sampling bias paper, Eq. 11).

    A heuristic, not a density ratio: in d dimensions a density goes with the d-th power of
    the distance to neighbours, which this ratio has only with power = d.

    Parameters
    ----------
    pool : PoolGeometry
        N items; distances are Euclidean on the raw embeddings.
    labelled : numpy.ndarray of int, shape (n,)
        Distinct rows, ascending.
    posteriors : ignored
    k : int
        Neighbours, at least 1, the item itself excluded by index on both sides; all others
        where a side holds fewer.
    power : float
        Above 0, of the ratio.

    Returns
    -------
    log_weights : numpy.ndarray, shape (n,), float64
    flags : tuple of str
    """
    k, power = checks.check_count("k", k), checks.check_positive("power", power)
    n = len(labelled)
    if n == 1:
        return np.zeros(1), ()  # no labelled neighbour to compare with, and the mean is 1 anyway
    # Both sides by the same rule, down to the last bit: with L = D they are equal.
    mean_distances = (large if pool.is_large else distances).mean_neighbour_distances
    to_labelled = mean_distances(pool.embeddings[labelled].astype(np.float64), np.arange(n), k)
    to_pool = pool.neighbour_distances(labelled, k)
    return power * (np.log(to_labelled) - np.log(to_pool)), ()


def logistic_posterior(
    pool: PoolGeometry,
    labelled: np.ndarray,
    *,
    posteriors: ArrayLike | None = None,
    C: float = 1.0,
) -> LogWeights:
    """Return `logistic` on what the classifier says of an item instead of its embedding.

    For the features see `earnest.pools.posteriors.posterior_features`.

    Parameters
    ----------
    pool : PoolGeometry
        N items; the embeddings are not used.
    labelled : numpy.ndarray of int, shape (n,)
        Distinct rows, ascending.
    posteriors : array_like, shape (N, C)
    C : float
        Above 0.

    Returns
    -------
    log_weights : numpy.ndarray, shape (n,), float64
    flags : empty tuple
    """
    strength = checks.check_positive("C", C)
    posteriors = checks.check_posteriors(posteriors, len(pool), "logistic_posterior")
    features = posterior_features(posteriors)
    return domain_classifier.log_odds(features, labelled, C=strength), ()


def rulsif(
    pool: PoolGeometry,
    labelled: np.ndarray,
    *,
    posteriors: ArrayLike | None = None,
    components: int = 8,
    alpha: float = 0.1,
    bandwidth: float | None = None,
    penalty: float | None = None,
) -> LogWeights:
    """Return the log relative density ratio by least squares, on the principal scores of `kde`.

    The ratio p_D / (alpha p_D + (1 - alpha) p_L) never exceeds 1 / alpha, which bounds the
    variance of the weights at the price of correcting less. See
    `earnest.weights.moment_matching.relative_ratio` for the fit.

    Parameters
    ----------
    pool : PoolGeometry
        N items.
    labelled : numpy.ndarray of int, shape (n,)
        Distinct rows, ascending.
    posteriors : ignored
    components : int
        At least 1.
    alpha : float
        At least 0 and below 1; 0 is the plain ratio.
    bandwidth, penalty : float, optional
        Above 0; by default chosen by cross-validation.

    Returns
    -------
    log_weights : numpy.ndarray, shape (n,), float64
    flags : empty tuple
    """
    if not 0 <= alpha < 1:
        raise ValueError(f"alpha must be at least 0 and below 1, got {alpha!r}")
    ratio = moment_matching.relative_ratio(
        pool.scores(checks.check_count("components", components)),
        labelled,
        alpha=float(alpha),
        bandwidth=_positive_or_none("bandwidth", bandwidth),
        penalty=_positive_or_none("penalty", penalty),
    )
    return np.log(ratio), ()


def kmm(
    pool: PoolGeometry,
    labelled: np.ndarray,
    *,
    posteriors: ArrayLike | None = None,
    components: int = 8,
    bandwidth: float | None = None,
    bound: float = 1_000.0,
    ridge: float = 1.0,
) -> LogWeights:
    """Return the log weights of kernel mean matching, on the principal scores of `kde`.

    See `earnest.weights.moment_matching.mean_matching` for the problem that they solve.

    Parameters
    ----------
    pool : PoolGeometry
        N items.
    labelled : numpy.ndarray of int, shape (n,)
        Distinct rows, ascending.
    posteriors : ignored
    components : int
        At least 1.
    bandwidth : float, optional
        Above 0; by default the median distance between 100 pool items.
    bound : float
        Above 1: the largest weight.
    ridge : float
        Above 0: how strongly weights are held to 1.

    Returns
    -------
    log_weights : numpy.ndarray, shape (n,), float64
    flags : empty tuple
    """
    if checks.check_positive("bound", bound) <= 1:
        raise ValueError(f"bound must be above 1, the mean of all weights, got {bound!r}")
    weights = moment_matching.mean_matching(
        pool.scores(checks.check_count("components", components)),
        labelled,
        bandwidth=_positive_or_none("bandwidth", bandwidth),
        bound=float(bound),
        ridge=checks.check_positive("ridge", ridge),
    )
    return np.log(weights), ()


def _positive_or_none(name: str, value: float | None) -> float | None:
    return None if value is None else checks.check_positive(name, value)
