"""Intervals of a proportion that stay between 0 and 1, also where no error was seen."""

import math
from bisect import bisect_left

import numpy as np

# Errors from which the sample's own variance counts as much as that of a proportion alone.
SHRINK = 4.0


def exact_limit(n: int, size: int, level: float) -> float:
    """Return the lower limit of a share of which all n of `size` items seen are right.

    (alpha / 2)^((N - n) / (n (N - 1))), 1 where the whole pool was seen.
    """
    if n >= size:
        return 1.0
    return ((1 - level) / 2) ** ((size - n) / (n * (size - 1)))


def hypergeometric(hits: int, n: int, size: int, level: float) -> tuple[float, float]:
    """Return the exact interval of a share of a finite pool, from a random sample.

    Parameters
    ----------
    hits, n, size : int
        Right ones among n sampled of `size` items.
    level : float
        At least this is covered, whatever the share.

    Returns
    -------
    low, high : float
        The smallest and the largest K / N under which as many hits, or as few, are no rarer than
        (1 - level) / 2; both are the share itself where n is the whole pool.
    """
    from scipy.stats import hypergeom

    if not 0 <= hits <= n <= size or n < 1:
        raise ValueError(f"{hits} of {n} of {size} is no sample of a pool")
    alpha = (1 - level) / 2
    # as many hits are the likelier the more there are, as few the likelier the fewer there are
    totals = range(hits, size - n + hits + 1)
    below = bisect_left(
        totals, True, key=lambda total: bool(hypergeom.sf(hits - 1, size, total, n) > alpha)
    )
    above = bisect_left(
        totals, True, key=lambda total: not hypergeom.cdf(hits, size, total, n) > alpha
    )
    return totals[below] / size, totals[above - 1] / size


def wilson_by_chances(right: np.ndarray, chances: np.ndarray, level: float) -> tuple[float, float]:
    """Return Wilson's interval of a share, of items drawn with known chances.

    With weights w = 1 / pi scaled to sum 1 and lambda = e / (e + 4), e the fewer of right and
    wrong labels, the variance is lambda times that of the sample and 1 - lambda times that of a
    proportion; it gives the effective sample size. For equal chances that is about
    n / (1 - n / N).

    Parameters
    ----------
    right : ndarray (n,) float64
        1 or 0; n at least 2.
    chances : ndarray (n,) float64
        Of inclusion, in (0, 1].
    level : float

    Returns
    -------
    low, high : float
        Within 0 and 1.
    """
    from scipy.special import stdtrit

    n = len(right)
    weights = 1 / chances
    weights = weights / weights.sum()
    share = float(weights @ right)
    errors = float(min(right.sum(), n - right.sum()))
    trust = errors / (errors + SHRINK)
    bessel = n / (n - 1)
    of_sample = bessel * float(((1 - chances) * np.square(weights * (right - share))).sum())
    of_weights = bessel * float(((1 - chances) * np.square(weights)).sum())
    if of_weights == 0:  # every chance is 1: nothing is left to be drawn
        return share, share
    inside = share * (1 - share)
    variance = trust * of_sample + (1 - trust) * inside * of_weights
    effective = 1 / of_weights if inside == 0 else inside / variance
    q = float(stdtrit(n - 1, (1 + level) / 2))
    scale = 1 + q**2 / effective
    centre = (share + q**2 / (2 * effective)) / scale
    half = q / scale * math.sqrt(inside / effective + q**2 / (4 * effective**2))
    # exactly at the end where nothing speaks against it, whatever the rounding
    low = 0.0 if not right.any() else max(centre - half, 0.0)
    high = 1.0 if right.all() else min(centre + half, 1.0)
    return low, high
