"""What estimates are worth: bias, spread and coverage against the known truth of a study."""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.io.schemas import TABLES
from earnest.protocols.statistics import FEWEST_SUBSETS

if TYPE_CHECKING:
    import pandas

GROUP = ("study", "task", "sampler", "size", "estimator", "measure", "utility")
MARGIN = 0.05  # how far below its level a measured coverage may lie
ERRORS = 3  # and how many binomial standard errors, if that is less
_WEIGHTS = ("ess", "largest", "pareto_k")
_OUTSIDE = ("outside_confidence", "outside_distance")


def summarise(estimates: "pandas.DataFrame", *, level: float = 0.95) -> "pandas.DataFrame":
    """Summarise the estimates of every cell over its seeds.

    Parameters
    ----------
    estimates : pandas.DataFrame
        Table `estimates`.
    level : float
        The nominal coverage that its intervals were made for.

    Returns
    -------
    pandas.DataFrame
        Table `summary`, one row a (task, sampler, size, estimator, measure, utility), sorted.
        `mean`, `sd` (ddof 1), `bias` and `rmse` are over the seeds with a value. `coverage` is
        over distinct subsets with an interval, since equal subsets are one piece of evidence.

    Raises
    ------
    ValueError
        If the rows of one cell disagree about the truth.

    Notes
    -----
    `interval` says `valid` only if coverage was measured on at least 10 distinct subsets and
    is not below max(level - .05, level - 3 sqrt(level (1 - level) / subsets)). The first bound
    keeps a few seeds from excusing a bad interval, the second tightens with many. Otherwise
    it says `no valid interval`, and `reason` why.
    """
    import pandas as pd

    numbers = {
        name: estimates[name].to_numpy(dtype=np.float64, na_value=np.nan)
        for name in ("value", "low", "high", "truth", *_WEIGHTS, *_OUTSIDE)
    }
    other = {name: estimates[name].to_numpy() for name in ("flags", "reason")}
    # numbers are told apart faster than texts
    other["subset"] = pd.factorize(estimates["subset"], sort=True)[0]
    rows = []
    for key, index in estimates.groupby(list(GROUP), sort=True).indices.items():
        cells = {name: column[index] for name, column in (numbers | other).items()}
        rows.append(dict(zip(GROUP, key, strict=True)) | _summarise_cell(cells, level, key))
    frame = pd.DataFrame(rows, columns=list(TABLES["summary"]))
    floats = [name for name, column in TABLES["summary"].items() if column.kind == "float64"]
    return frame.astype(dict.fromkeys(floats, "float64"))


def _summarise_cell(cells: dict[str, np.ndarray], level: float, key: tuple) -> dict[str, Any]:
    defined = ~np.isnan(cells["value"])
    values, truth = cells["value"][defined], _one_truth(cells["truth"], key)
    errors = values - truth
    coverage, intervals, mean_width = _coverage(cells, truth)
    reason = _why_not_valid(coverage, intervals, level, cells["reason"])
    return {
        "truth": truth,
        "seeds": len(defined),
        "distinct_subsets": len(np.unique(cells["subset"])),
        "undefined": int((~defined).sum()),
        "mean": values.mean() if len(values) else np.nan,
        "sd": values.std(ddof=1) if len(values) > 1 else np.nan,
        "bias": errors.mean() if len(values) else np.nan,
        "rmse": math.sqrt(np.mean(errors**2)) if len(values) else np.nan,
        "coverage": coverage,
        "mean_width": mean_width,
        "interval": "valid" if reason is None else "no valid interval",
        **{name: _over_cells(np.nanmedian, cells[name]) for name in _WEIGHTS},
        **{name: _over_cells(np.nanmean, cells[name]) for name in _OUTSIDE},
        "flags": sorted({flag for flags in cells["flags"] for flag in flags}),
        "reason": reason,
    }


def _over_cells(function: Callable[[np.ndarray], float], values: np.ndarray) -> float:
    return math.nan if np.isnan(values).all() else float(function(values))


def _one_truth(truths: np.ndarray, key: tuple) -> float:
    if not np.array_equal(truths, np.full(len(truths), truths[0]), equal_nan=True):
        raise ValueError(f"the rows of {' / '.join(map(str, key))} disagree about the truth")
    return float(truths[0])


def _coverage(cells: dict[str, np.ndarray], truth: float) -> tuple[float, int, float]:
    """Return the share of intervals that hold the truth, how many there are, their mean width."""
    with_interval = np.flatnonzero(~np.isnan(cells["low"]) & ~np.isnan(cells["high"]))
    if len(with_interval) == 0 or math.isnan(truth):
        return math.nan, 0, math.nan
    _, first = np.unique(cells["subset"][with_interval], return_index=True)
    low, high = (cells[side][with_interval[first]] for side in ("low", "high"))
    # a subset that is the whole pool has no width, and differs from the truth by rounding
    holds = (low <= truth + 1e-9) & (high >= truth - 1e-9)
    return float(holds.mean()), len(first), float((high - low).mean())


def _why_not_valid(
    coverage: float, intervals: int, level: float, reasons: np.ndarray
) -> str | None:
    if intervals == 0:
        given = Counter(str(one) for one in reasons if isinstance(one, str))
        return given.most_common(1)[0][0] if given else "the truth is undefined"
    if intervals < FEWEST_SUBSETS:
        noun = "subset" if intervals == 1 else "subsets"
        return f"coverage was measured on {intervals} distinct {noun} only"
    error = math.sqrt(level * (1 - level) / intervals)
    # the tolerance is for k/n against a decimal, such as 18/20 against .95 - .05
    if coverage < level - min(MARGIN, ERRORS * error) - 1e-9:
        return f"covers {coverage:.0%} of {intervals} subsets, not {level:.0%}"
    return None


def curves(summary: "pandas.DataFrame", *, utility: str = "none") -> "pandas.DataFrame":
    """Return the mean estimate and the truth by subset size, for tools that plot CSV files.

    Parameters
    ----------
    summary : pandas.DataFrame
        Table `summary`.
    utility : str
        The utility weighting whose scores are taken.

    Returns
    -------
    pandas.DataFrame
        Table `curves`, one row a task, measure, sampler, estimator and size, in this order of
        sorting. Cells without any estimate have no mean.
    """
    columns = list(TABLES["curves"])
    chosen = summary.loc[summary["utility"] == utility, columns]
    return chosen.sort_values(columns[:5], ignore_index=True)


def metrics(
    summary: "pandas.DataFrame",
    *,
    size: int,
    measures: Mapping[str, str],
    sampler: str | None = None,
    utility: str = "none",
) -> dict[str, Any]:
    """Return the headline numbers of a study as a plain nested dict, for strict JSON.

    Parameters
    ----------
    summary : pandas.DataFrame
        Table `summary`.
    size : int
        The subset size to report; the nearest one of the summary is taken, the smaller of two.
    measures : mapping of str to str
        Task -> the one measure that is reported of it.
    sampler : str, optional
        The sampler to report; all of them if it is not given or not in the summary.
    utility : str
        The utility weighting to report.

    Returns
    -------
    dict
        `size` and `samplers` as taken, and under `tasks` the truth and the mean estimate of each
        estimator, by task, sampler and measure, in this order of nesting. What is undefined is
        None; why, and how far single estimates lie apart, the summary says.

    Raises
    ------
    ValueError
        If the summary has no row of that utility.
    """
    chosen = summary[summary["utility"] == utility]
    if chosen.empty:
        raise ValueError(f"no estimate was made with utility {utility!r}")
    nearest = min(sorted(set(chosen["size"])), key=lambda one: abs(one - size))
    chosen = chosen[chosen["size"] == nearest]
    if sampler in set(chosen["sampler"]):
        chosen = chosen[chosen["sampler"] == sampler]
    tasks: dict[str, Any] = {}
    for row in chosen.to_dict("records"):
        if row["measure"] == measures[row["task"]]:
            entry = tasks.setdefault(row["task"], {}).setdefault(row["sampler"], {})
            scores = entry.setdefault(row["measure"], {"truth": _plain(row["truth"])})
            scores[row["estimator"]] = _plain(row["mean"])
    return {"size": int(nearest), "samplers": sorted(set(chosen["sampler"])), "tasks": tasks}


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
