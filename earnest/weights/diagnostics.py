"""What a weight vector says of itself: effective sample size, tail, flags."""

import math

import numpy as np

# Below five tail points the generalised Pareto fit means nothing (as in PSIS).
_FEWEST_TAIL_POINTS = 5

# Others' kernels together below this share of a point's own: the point sees only itself.
ALONE = 1e-6


def effective_sample_sizes(weights: np.ndarray) -> np.ndarray:
    """Return (sum w)^2 / sum w^2 of each row: how many equal weights vary as little (Kish)."""
    return weights.sum(axis=1) ** 2 / np.square(weights).sum(axis=1)


def changes_nothing(ess: float, labelled: int, pool: int) -> bool:
    """Tell whether weights are as good as equal though much of the pool is unlabelled."""
    return ess / labelled > 0.99 and labelled < 0.9 * pool


def see_only_themselves(log_kernel_sums: np.ndarray) -> np.ndarray:
    """Tell in which rows every sum is the point's own kernel, exp(0) = 1, and hardly more."""
    return (np.expm1(log_kernel_sums) < ALONE).all(axis=1)


def pareto_k(weights: np.ndarray) -> float | None:
    """Return the shape of the generalised Pareto distribution fitted to the largest weights.

    Above .7 the weighted mean is unreliable: its error falls slower than the number of items
    suggests. The tail is the ceil(min(n / 5, 3 sqrt(n))) largest weights, as exceedances over
    the next smaller one.

    Parameters
    ----------
    weights : numpy.ndarray, shape (n,), float64
        Non-negative.

    Returns
    -------
    float or None
        None when fewer than five weights exceed the threshold (n < 21, or equal weights).

    References
    ----------
    Vehtari, Simpson, Gelman, Yao, Gabry: Pareto smoothed importance sampling, JMLR 25, 2024.
    """
    return pareto_k_of_each(weights[None])[0]


def pareto_k_of_each(weights: np.ndarray) -> list[float | None]:
    """Return `pareto_k` of many weight vectors of one size, (B, n)."""
    size = weights.shape[1]
    tail = math.ceil(min(0.2 * size, 3.0 * math.sqrt(size)))
    if tail < _FEWEST_TAIL_POINTS or tail >= size:
        return [None] * len(weights)
    ordered = np.sort(weights, axis=1)  # quicker than numpy's partition
    excess = ordered[:, -tail:] - ordered[:, -tail - 1, None]
    positive = (excess > 0).sum(axis=1)
    found: list[float | None] = [None] * len(weights)
    for count in np.unique(positive[positive >= _FEWEST_TAIL_POINTS]):
        # Ascending: what is not above the threshold stands first.
        same = np.flatnonzero(positive == count)
        shapes = generalised_pareto_shapes(excess[same, tail - count :])
        for one, shape in zip(same, shapes, strict=True):
            found[one] = float(shape)
    return found


def generalised_pareto_shapes(excess: np.ndarray) -> np.ndarray:
    """Estimate the shapes k of generalised Pareto distributions located at 0.

    The posterior mean over a grid of Zhang and Stephens, drawn towards .5 by a prior worth
    ten observations, as in PSIS.

    Parameters
    ----------
    excess : numpy.ndarray, shape (B, m), float64
        Each row ascending and positive.

    Returns
    -------
    numpy.ndarray, shape (B,), float64

    References
    ----------
    Zhang and Stephens, Technometrics 51, 2009; Vehtari et al. 2024, Appendix C.
    """
    # The shape has no unit, and so no tiny excess can overflow a reciprocal.
    excess = excess / excess[:, -1:]
    size = excess.shape[1]
    quartile = excess[:, int(size / 4 + 0.5) - 1, None]
    points = 30 + int(math.sqrt(size))
    grid = 1.0 - np.sqrt(points / (np.arange(1, points + 1) - 0.5))
    grid = grid / (3.0 * quartile) + 1.0
    shapes = np.stack(
        [np.log1p(-grid[:, one, None] * excess).mean(axis=1) for one in range(points)]
    )
    shapes = shapes.T
    # At 0 the distribution is exponential, and the rate is the limit of the others'.
    level = shapes == 0
    rates = np.where(level, 1 / excess.mean(axis=1, keepdims=True), -grid / (shapes + level))
    log_likelihood = size * (np.log(rates) - shapes - 1.0)
    posterior = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
    best = np.sum(grid * posterior, axis=1) / posterior.sum(axis=1)
    shape = np.log1p(-best[:, None] * excess).mean(axis=1)
    return (size * shape + 10 * 0.5) / (size + 10)


def generalised_pareto_shape(excess: np.ndarray) -> float:
    """Return `generalised_pareto_shapes` of one row, shape (m,)."""
    return float(generalised_pareto_shapes(excess[None])[0])
