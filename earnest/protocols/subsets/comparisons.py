"""Whether an estimator beats the unweighted score: paired tests over distinct labelled subsets."""

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.io.schemas import TABLES

if TYPE_CHECKING:
    import pandas

REFERENCE = "unweighted"
SIGNIFICANCE = 0.05  # of a whole family of tests
FEWEST_SUBSETS = 10  # behind an interval

# Differences up to which the distribution of rank sums is taken itself, as in scipy.
_MOST_EXACT = 50

# Digits of a gain; what differs beyond them is two ways to compute one number.
_DIGITS = 12

_INTERVAL = ("difference", "low", "high")
_NUMBERS = (*_INTERVAL, "nearer", "effect", "p", "smallest_p")
_FAMILY = ["task", "measure", "utility"]
_CELL = [*_FAMILY, "sampler", "size"]


def compare(
    estimates: "pandas.DataFrame", summary: "pandas.DataFrame", *, level: float = 0.95
) -> "pandas.DataFrame":
    """Compare every estimator with the unweighted score of the same labelled subsets.

    Parameters
    ----------
    estimates : pandas.DataFrame
        Table `estimates`.
    summary : pandas.DataFrame
        Table `summary` of these estimates.
    level : float
        Of the intervals.

    Returns
    -------
    pandas.DataFrame
        Table `comparisons`, one row a row of the summary, in the order of its key columns.
        `best` marks the lowest RMSE of a sampler and size. `difference` is the RMSE less that of
        the unweighted score, on the distinct subsets where both have a value; from 10 of them on
        it has an interval, see `rmse_difference`. `p` is that of a two-sided Wilcoxon
        signed-rank test that the absolute errors of the two are alike, paired by subset; equal
        subsets count once, pairs with equal errors are left out, and what is left could at the
        least give `smallest_p`. `p_adjusted` is Holm's, over all tests of one task, measure and
        utility. `verdict`:

        - `reference`, of the unweighted score itself;
        - `better` or `worse`, where `p_adjusted` is below .05 and the errors that are smaller
          by rank are also those with the smaller RMSE;
        - `mixed`, where rank and RMSE disagree: nearer in most subsets, but with large misses;
        - `not shown`, where `p_adjusted` is not below .05;
        - `too few`, where no outcome could have been, given the size of the family;
        - `undefined`, where there is no pair of values.
    """
    import pandas as pd

    tests = _paired_tests(estimates, level)
    rows = summary.merge(tests, on=[*_CELL, "estimator"], how="left", validate="one_to_one")
    rows["subsets"] = rows["subsets"].fillna(0).astype("int64")
    lowest = rows.groupby(_CELL)["rmse"].transform("min")
    rows["best"] = (rows["rmse"] <= lowest + 10.0**-_DIGITS).fillna(False).astype(bool)
    reference = rows["estimator"] == REFERENCE
    rows.loc[reference, list(_NUMBERS)] = np.nan
    rows["p_adjusted"] = rows.groupby(_FAMILY)["p"].transform(lambda p: _holm(p.to_numpy()))
    counts = rows.groupby(_FAMILY)["p"].transform("count")
    plain = rows.merge(
        rows.loc[reference, [*_CELL, "rmse"]], on=_CELL, how="left", suffixes=("", "_reference")
    )["rmse_reference"]
    rows["verdict"] = [
        _verdict(row, other, count)
        for row, other, count in zip(rows.to_dict("records"), plain, counts, strict=True)
    ]
    keys = [name for name in TABLES["comparisons"] if name in _CELL or name == "estimator"]
    frame = pd.DataFrame(rows, columns=list(TABLES["comparisons"]))
    return frame.sort_values(keys, ignore_index=True)


def _paired_tests(estimates: "pandas.DataFrame", level: float) -> "pandas.DataFrame":
    """Return one row a cell and estimator: pairs, differences of errors, rank effect and p."""
    import pandas as pd

    errors = estimates[[*_CELL, "estimator", "subset"]].copy()
    errors["error"] = (estimates["value"] - estimates["truth"]).abs()
    errors = errors.dropna(subset=["error"]).drop_duplicates([*_CELL, "estimator", "subset"])
    reference = errors.loc[errors["estimator"] == REFERENCE, [*_CELL, "subset", "error"]]
    pairs = errors.merge(reference, on=[*_CELL, "subset"], suffixes=("", "_reference"))
    own, other = (pairs[name].to_numpy(dtype=np.float64) for name in ("error", "error_reference"))
    gains = np.round(other - own, _DIGITS)
    names = [*_CELL, "estimator"]
    rows = [
        dict(zip(names, key, strict=True))
        | _test(gains[places])
        | dict(zip(_INTERVAL, rmse_difference(own[places], other[places], level), strict=True))
        for key, places in pairs.groupby(names, sort=True).indices.items()
    ]
    numbers = ("subsets", *_NUMBERS)
    frame = pd.DataFrame(rows, columns=[*names, *numbers])
    return frame.astype(dict.fromkeys(numbers, "float64"))


def rmse_difference(
    errors: np.ndarray, reference: np.ndarray, level: float
) -> tuple[float, float | None, float | None]:
    """Return how much one RMSE is above another of the same subsets, with its interval.

    Parameters
    ----------
    errors, reference : numpy.ndarray, shape (m,), float64
        Errors on distinct subsets, in one order; their sign does not matter.
    level : float
        Nominal coverage.

    Returns
    -------
    (float, float or None, float or None)
        Difference, and the ends of its interval: none with fewer than 10 subsets, or where a
        RMSE is 0.

    Notes
    -----
    Linearised: RMSE moves with the mean square by 1 / (2 RMSE), so the difference has the
    standard error of the mean over subsets of e^2 / (2 RMSE) - e_r^2 / (2 RMSE_r), and the
    interval Student's t with m - 1 degrees of freedom.
    """
    from scipy.special import stdtrit

    count = len(errors)
    rmse, other = (math.sqrt(np.mean(one**2)) for one in (errors, reference))
    difference = rmse - other
    if count < FEWEST_SUBSETS or not rmse or not other:
        return difference, None, None
    parts = errors**2 / (2 * rmse) - reference**2 / (2 * other)
    half = stdtrit(count - 1, (1 + level) / 2) * parts.std(ddof=1) / math.sqrt(count)
    return difference, float(difference - half), float(difference + half)


def _test(gains: np.ndarray) -> dict[str, Any]:
    """Test that gains are symmetric around 0; the effect is the rank-biserial correlation."""
    found = {"subsets": len(gains), "nearer": float((gains > 0).mean())}
    moved = gains[gains != 0]
    if moved.size == 0:
        return found | {"effect": 0.0, "p": 1.0, "smallest_p": 1.0}
    p, effect = signed_rank_test(moved)
    return found | {"effect": effect, "p": p, "smallest_p": 2.0 ** (1 - moved.size)}


def signed_rank_test(differences: np.ndarray) -> tuple[float, float]:
    """Test that paired differences are symmetric around 0, by Wilcoxon's signed ranks.

    Parameters
    ----------
    differences : numpy.ndarray, shape (n,), float64
        n at least 1, none 0.

    Returns
    -------
    (float, float)
        Two-sided p, and the rank-biserial correlation from -1 to 1. The p is exact up to 50
        differences of distinct magnitudes; else that of the normal approximation, corrected for
        ties and continuity, and at least 2^(1 - n).

    Notes
    -----
    The numbers of `scipy.stats.wilcoxon`, whose bookkeeping would take minutes for the tens of
    thousands of tests of a study.
    """
    count = len(differences)
    _, places, ties = np.unique(np.abs(differences), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(ties) - (ties - 1) / 2)[places]  # equal ones share their mean rank
    positive, total = float(ranks[differences > 0].sum()), count * (count + 1) / 2
    effect = 2 * positive / total - 1
    if count <= _MOST_EXACT and ties.max() == 1:
        below = _rank_sum_shares(count)[: round(min(positive, total - positive)) + 1].sum()
        return min(2.0 * float(below), 1.0), effect
    variance = count * (count + 1) * (2 * count + 1) / 24 - (ties**3 - ties).sum() / 48
    away = max(abs(positive - total / 2) - 0.5, 0.0) / math.sqrt(variance)
    return max(math.erfc(away / math.sqrt(2)), 2.0 ** (1 - count)), effect


@cache
def _rank_sum_shares(count: int) -> np.ndarray:
    """Return the chance of every sum of the ranks 1 to count that have a positive sign."""
    shares = np.ones(1)
    for rank in range(1, count + 1):
        with_rank = np.concatenate([np.zeros(rank), shares])
        shares = (np.concatenate([shares, np.zeros(rank)]) + with_rank) / 2
    return shares


def _holm(p: np.ndarray) -> np.ndarray:
    """Adjust p values for their number by Holm's step-down rule; NaN stays NaN."""
    adjusted = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0) if len(order) else steps
    return adjusted


def _verdict(row: dict[str, Any], reference_rmse: float, tests: int) -> str:
    if row["estimator"] == REFERENCE:
        return "reference"
    if row["subsets"] == 0:
        return "undefined"
    if row["p_adjusted"] >= SIGNIFICANCE:
        # Even first in Holm's order it would have to be below this.
        return "too few" if row["smallest_p"] * tests >= SIGNIFICANCE else "not shown"
    nearer, smaller = row["effect"] > 0, row["rmse"] < reference_rmse
    if nearer != smaller:
        return "mixed"
    return "better" if nearer else "worse"
