"""Whether an estimator beats the unweighted score: paired tests over distinct labelled subsets."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.io.schemas import TABLES
from earnest.protocols import statistics

if TYPE_CHECKING:
    import pandas

REFERENCE = "unweighted"
SIGNIFICANCE = 0.05  # of a whole family of tests

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
    rows["p_adjusted"] = rows.groupby(_FAMILY)["p"].transform(
        lambda p: statistics.holm(p.to_numpy())
    )
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
    cells = pairs.groupby(names, sort=True).indices
    tests = _signed_rank_tests([gains[places] for places in cells.values()])
    rows = [
        dict(zip(names, key, strict=True))
        | test
        | dict(zip(_INTERVAL, rmse_difference(own[places], other[places], level), strict=True))
        for (key, places), test in zip(cells.items(), tests, strict=True)
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
    if count < statistics.FEWEST_SUBSETS or not rmse or not other:
        return difference, None, None
    parts = errors**2 / (2 * rmse) - reference**2 / (2 * other)
    half = stdtrit(count - 1, (1 + level) / 2) * parts.std(ddof=1) / math.sqrt(count)
    return difference, float(difference - half), float(difference + half)


def _signed_rank_tests(gains: list[np.ndarray]) -> list[dict[str, Any]]:
    """Test of each cell that its gains are symmetric around 0, equal errors left out."""
    moved = [some[some != 0] for some in gains]
    ps, effects = statistics.signed_rank_tests([some for some in moved if some.size])
    tested = zip(ps.tolist(), effects.tolist(), strict=True)
    return [
        {"subsets": len(some), "nearer": float((some > 0).mean())}
        | dict(zip(("p", "effect"), next(tested) if left.size else (1.0, 0.0), strict=True))
        | {"smallest_p": min(2.0 ** (1 - left.size), 1.0)}
        for some, left in zip(gains, moved, strict=True)
    ]


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
