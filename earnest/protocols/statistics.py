"""What all protocols count with: bootstrap, signed ranks, Holm, and correlations over data sets.

The percentile interval itself is that of the estimates, `earnest.estimates.bootstrap`, which lies
below: a protocol may use an estimate, not the other way round.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from earnest.estimates.bootstrap import percentile_ends, why_undefined

FEWEST_DATASETS = 3  # for a correlation
FEWEST_SUBSETS = 10  # distinct ones, behind an interval or a coverage

# Differences up to which the distribution of rank sums is taken itself, as scipy's `auto` does.
_MOST_EXACT = 50

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
    """Return how often each of n data sets occurs in each bootstrap resample, (b, n) float64.

    Of no data set there are b resamples as well, each of them empty.
    """
    if n == 0:
        return np.empty((resamples, 0))
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
    if n < FEWEST_DATASETS:
        reason = f"not run: {n} data sets, and {FEWEST_DATASETS} are needed"
        return Interval(None, None, None, 0, reason)
    value = float(statistic(np.ones((1, n)))[0])
    if np.isnan(value):
        return Interval(None, None, None, 0, "the scores are the same for all data sets")
    values = statistic(counts)
    undefined = int(np.isnan(values).sum())
    reason = why_undefined(values)
    if reason is not None:
        return Interval(value, None, None, undefined, f"no interval: {reason}")
    return Interval(value, *percentile_ends(values, level), undefined, None)


def without_each(statistic: Statistic, names: Sequence[str]) -> dict[str, Any]:
    """Compute a statistic without one data set at a time.

    Returns
    -------
    dict
        low_without, low_set, high_without, high_set: the lowest and the highest value, and the
        data set that was left out; None with fewer than four data sets.
    """
    nothing = dict.fromkeys(("low_without", "low_set", "high_without", "high_set"))
    if len(names) <= FEWEST_DATASETS:
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

    if len(x) < FEWEST_DATASETS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    test = {"pearson": stats.pearsonr, "spearman": stats.spearmanr}[method]
    return float(test(x, y).pvalue)


def signed_rank_tests(differences: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Test of many samples that paired differences are symmetric around 0, by signed ranks.

    Parameters
    ----------
    differences : sequence of m ndarray (n,) float64
        n at least 1, and may differ; no difference is 0.

    Returns
    -------
    (ndarray (m,), ndarray (m,))
        Two-sided p, and the rank-biserial correlation from -1 to 1. The p is exact up to 50
        differences of distinct magnitudes; else that of the normal approximation, corrected for
        ties and continuity, and at least 2^(1 - n).

    Notes
    -----
    `scipy.stats.wilcoxon`, called once for all samples of one length with and once for those
    without ties: its bookkeeping costs more than the test. The method is named, because `auto`
    would let one sample with ties decide for all, and would permute up to 13 differences.
    """
    from scipy import stats

    p, effect = np.empty(len(differences)), np.empty(len(differences))
    batches: dict[tuple[int, bool], list[int]] = {}
    for place, sample in enumerate(differences):
        is_tied = len(np.unique(np.abs(sample))) < len(sample)
        is_exact = len(sample) <= _MOST_EXACT and not is_tied
        batches.setdefault((len(sample), is_exact), []).append(place)
    for (n, is_exact), places in batches.items():
        batch = np.stack([differences[place] for place in places])
        method = "exact" if is_exact else "asymptotic"
        test = stats.wilcoxon(batch, axis=1, correction=True, method=method)
        p[places] = np.maximum(test.pvalue, 2.0 ** (1 - n))
        positive = (stats.rankdata(np.abs(batch), axis=1) * (batch > 0)).sum(axis=1)
        effect[places] = 4 * positive / (n * (n + 1)) - 1
    return p, effect


def holm(p: np.ndarray) -> np.ndarray:
    """Adjust p values for their number by Holm's step-down rule.

    Parameters
    ----------
    p : ndarray (n,)
        NaN where there is no test; it counts for nothing and stays NaN.

    Returns
    -------
    ndarray (n,)

    Notes
    -----
    Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6, 1979.
    """
    adjusted = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
