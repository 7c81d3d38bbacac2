"""Correlations over data sets, with bootstrap intervals and with each data set left out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

FEWEST = 3  # data sets for a correlation
MOST_UNDEFINED = 0.05  # share of resamples without a value above which there is no interval

Statistic = Callable[[np.ndarray], np.ndarray]  # counts (b, n) -> values (b,), NaN if undefined


@dataclass(frozen=True)
class Interval:
    """A value over data sets with its interval.

    Attributes
    ----------
    value, low, high : float or None
    undefined : int
        Resamples in which the value is undefined.
    reason : str or None
        Why the value, or else the interval, is None.
    """

    value: float | None
    low: float | None
    high: float | None
    undefined: int
    reason: str | None


def pearson(x: np.ndarray, y: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return Pearson's r of x and y, each pair counted as often as each row of counts says.

    Parameters
    ----------
    x, y : ndarray (n,)
    counts : ndarray (b, n)

    Returns
    -------
    ndarray (b,)
        NaN where x or y is constant.
    """
    x, y = x - x.mean(), y - y.mean()
    total = counts.sum(axis=1)
    mean_x, mean_y = counts @ x / total, counts @ y / total
    variance_x = counts @ x**2 / total - mean_x**2
    variance_y = counts @ y**2 / total - mean_y**2
    covariance = counts @ (x * y) / total - mean_x * mean_y
    # copies of one pair alone have a variance of rounding errors
    varies = (variance_x > 1e-12 * np.mean(x**2)) & (variance_y > 1e-12 * np.mean(y**2))
    scale = np.sqrt(np.where(varies, variance_x * variance_y, 1.0))
    return np.where(varies, np.clip(covariance / scale, -1.0, 1.0), np.nan)


def spearman(x: np.ndarray, y: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return Spearman's rank correlation as `pearson` does; tied values share a mean rank."""
    ranked = zip(_ranks(x, counts), _ranks(y, counts), counts, strict=True)
    return np.concatenate([pearson(*ranks, count[np.newaxis]) for *ranks, count in ranked])


def _ranks(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the mean rank of each value among the values counted, (b, n)."""
    below = (values[:, np.newaxis] > values).astype(np.float64)
    equal = (values[:, np.newaxis] == values).astype(np.float64)
    return counts @ below.T + (counts @ equal.T + 1) / 2


def resample_counts(n: int, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Return how often each of n data sets occurs in each bootstrap resample, (b, n) float64."""
    return rng.multinomial(n, np.full(n, 1 / n), size=resamples).astype(np.float64)


def with_interval(statistic: Statistic, counts: np.ndarray, *, level: float) -> Interval:
    """Compute a statistic of all data sets and its percentile bootstrap interval.

    Parameters
    ----------
    statistic : callable
        Counts (b, n) to values (b,), NaN where undefined.
    counts : ndarray (b, n)
        Of `resample_counts`.
    level : float

    Returns
    -------
    Interval
        Without a value if there are fewer than 3 data sets or the statistic is undefined for
        them; without an interval if more than 5 % of the resamples are undefined.
    """
    n = counts.shape[1]
    if n < FEWEST:
        return Interval(None, None, None, 0, f"not run: {n} data sets, and {FEWEST} are needed")
    value = float(statistic(np.ones((1, n)))[0])
    if np.isnan(value):
        return Interval(None, None, None, 0, "the scores are the same for all data sets")
    values = statistic(counts)
    undefined = int(np.isnan(values).sum())
    if undefined > MOST_UNDEFINED * len(values):
        reason = f"no interval: undefined in {undefined} of {len(values)} resamples"
        return Interval(value, None, None, undefined, reason)
    tail = (1 - level) / 2
    low, high = np.nanquantile(values, [tail, 1 - tail])
    return Interval(value, float(low), float(high), undefined, None)


def without_each(statistic: Statistic, names: Sequence[str]) -> dict[str, Any]:
    """Compute a statistic without one data set at a time.

    Returns
    -------
    dict
        low_without, low_set, high_without, high_set: the lowest and the highest value, and the
        data set that was left out; None with fewer than four data sets.
    """
    nothing = dict.fromkeys(("low_without", "low_set", "high_without", "high_set"))
    if len(names) <= FEWEST:
        return nothing
    values = statistic(1 - np.eye(len(names)))
    if np.isnan(values).all():
        return nothing
    low, high = int(np.nanargmin(values)), int(np.nanargmax(values))
    return {
        "low_without": float(values[low]),
        "low_set": str(names[low]),
        "high_without": float(values[high]),
        "high_set": str(names[high]),
    }


def p_value(method: str, x: np.ndarray, y: np.ndarray) -> float | None:
    """Return the two-sided p of a correlation, as scipy gives it; None if it is undefined.

    Parameters
    ----------
    method : str
        `pearson` or `spearman`.
    x, y : ndarray (n,)
    """
    from scipy import stats

    if len(x) < FEWEST or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    test = {"pearson": stats.pearsonr, "spearman": stats.spearmanr}[method]
    return float(test(x, y).pvalue)
