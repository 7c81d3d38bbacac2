"""Two runs of a study, or two models on one pool: what moved, and is it outside the noise?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.io.schemas import frame_of

if TYPE_CHECKING:
    import pandas

MOVED, NOISE, SAME, UNKNOWN = "moved", "within noise", "unchanged", "not comparable"
EQUAL = 1e-12  # estimates that are this near are the same
KEY = ["task", "sampler", "size", "estimator", "measure", "utility"]
ONE_PAIR = "one pair of labelled subsets: there is no noise to compare with"


@dataclass(frozen=True)
class Comparison:
    """What differs between a first and a second run.

    Attributes
    ----------
    rows : pandas.DataFrame
        Table `run_comparison`.
    sentences : tuple of str
    level : float
        Of the intervals; a row moved when its adjusted p is below 1 - level.
    """

    rows: "pandas.DataFrame"
    sentences: tuple[str, ...]
    level: float


def compare_runs(
    first: "pandas.DataFrame", second: "pandas.DataFrame", *, level: float = 0.95
) -> Comparison:
    """Compare two runs cell by cell, paired over draws of one task, sampler, size and seed.

    Parameters
    ----------
    first, second : pandas.DataFrame
        Tables `estimates`.
    level : float

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If the runs have no cell in common.

    Notes
    -----
    The interval of a mean difference and its p are those of a paired t-test over distinct pairs
    of labelled subsets; p is adjusted over all rows with `scipy.stats.false_discovery_control`
    (Benjamini and Yekutieli, Annals of Statistics 29, 2001), which holds however rows depend
    on one another.
    """
    both = first.merge(second, on=[*KEY, "seed"], suffixes=("_1", "_2"), validate="one_to_one")
    if both.empty:
        raise ValueError(
            "the two runs have no estimate in common: no task, sampler, size, seed, estimator,"
            " measure and utility is in both"
        )
    names = list(both[KEY].drop_duplicates().itertuples(index=False, name=None))
    both = both[both["value_1"].notna() & both["value_2"].notna()]
    # equal subsets are one piece of evidence
    both = both.drop_duplicates([*KEY, "subset_1", "subset_2"])
    places = both.groupby(KEY, sort=False).indices
    columns = {
        f"{name}_{k}": both[f"{name}_{k}"].to_numpy(dtype=np.float64, na_value=np.nan)
        for name in ("value", "truth")
        for k in (1, 2)
    }
    rows = []
    for key in names:
        mine = places.get(key, ())
        cells = {name: column[mine] for name, column in columns.items()} if len(mine) else {}
        rows.append(dict(zip(KEY, key, strict=True)) | _of_cell(cells, level))
    return concluded(rows, level, _in_one_only(first, second), "draws")


def _of_cell(cells: dict[str, np.ndarray], level: float) -> dict[str, Any]:
    """Return a row for one task, sampler, size, estimator, measure and utility."""
    if not cells:
        return empty_row("no draw has a value in both")
    gaps = cells["value_2"] - cells["value_1"]
    errors = [np.abs(cells[f"value_{k}"] - cells[f"truth_{k}"]) for k in (1, 2)]
    error = float((errors[1] - errors[0]).mean())
    row = empty_row(None) | {
        "first": float(cells["value_1"].mean()),
        "second": float(cells["value_2"].mean()),
        "difference": float(gaps.mean()),
        "pairs": len(gaps),
        "error_difference": None if math.isnan(error) else error,
    }
    return row | judged(gaps, level)


def judged(gaps: np.ndarray, level: float) -> dict[str, Any]:
    """Return interval, p and reason of a mean difference over pairs."""
    from scipy.special import stdtr, stdtrit

    if np.abs(gaps).max() <= EQUAL:
        return {"low": 0.0, "high": 0.0, "p": 1.0}
    if len(gaps) < 2:
        return {"reason": ONE_PAIR}
    mean, error = float(gaps.mean()), float(gaps.std(ddof=1)) / math.sqrt(len(gaps))
    half = float(stdtrit(len(gaps) - 1, (1 + level) / 2)) * error
    p = 2 * float(stdtr(len(gaps) - 1, -abs(mean) / error)) if error > EQUAL else 0.0
    return {"low": mean - half, "high": mean + half, "p": p}


def empty_row(reason: str | None) -> dict[str, Any]:
    """Return the cells of a row that holds nothing yet."""
    names = ("first", "second", "difference", "low", "high", "p", "error_difference")
    return dict.fromkeys(names) | {"pairs": 0, "reason": reason}


def concluded(
    rows: Sequence[dict[str, Any]], level: float, further: Sequence[str], what: str
) -> Comparison:
    """Adjust p over all rows, give each its verdict, and sum it all up in sentences."""
    from scipy.stats import false_discovery_control

    judged_ = [row for row in rows if row["p"] is not None]
    if judged_:
        adjusted = false_discovery_control([row["p"] for row in judged_], method="by")
        for row, value in zip(judged_, adjusted.tolist(), strict=True):
            row["p_adjusted"] = value
    for row in rows:
        row.setdefault("p_adjusted", None)
        row["verdict"] = _verdict(row, level)
    return Comparison(
        frame_of("run_comparison", list(rows)), (*_summary(rows, level, what), *further), level
    )


def _verdict(row: dict[str, Any], level: float) -> str:
    if row["difference"] is not None and abs(row["difference"]) <= EQUAL and row["p"] == 1:
        return SAME
    if row["p_adjusted"] is None:
        return UNKNOWN
    return MOVED if row["p_adjusted"] < 1 - level else NOISE


def _summary(rows: Sequence[dict[str, Any]], level: float, what: str) -> list[str]:
    counts = {name: sum(row["verdict"] == name for row in rows) for name in (MOVED, NOISE, SAME)}
    left = len(rows) - sum(counts.values())
    said = [
        f"Of {len(rows):,} estimates in both, {counts[MOVED]:,} moved beyond the noise of {what}"
        f" (adjusted p below {1 - level:.2g}), {counts[NOISE]:,} differ within it,"
        f" {counts[SAME]:,} are the same and {left:,} cannot be compared."
    ]
    moved = [row for row in rows if row["verdict"] == MOVED]
    if moved:
        most = max(moved, key=lambda row: abs(row["difference"]))
        said.append(
            f"The largest move: {name_of(most)} from {most['first']:.3f} to {most['second']:.3f}"
            f" ({most['difference']:+.3f}, interval {most['low']:+.3f} to {most['high']:+.3f})."
        )
        better = [row for row in moved if row["error_difference"] is not None]
        if better:
            nearer = sum(row["error_difference"] < 0 for row in better)
            said.append(
                f"Of those that moved, {nearer} of {len(better)} are nearer to the truth in the"
                " second."
            )
    return said


def name_of(row: dict[str, Any]) -> str:
    """Return what a row is about, in words."""
    text = f"{row['measure']} by {row['estimator']}"
    if row.get("utility", "none") != "none":
        text += f", {row['utility']} weights"
    if row.get("task") is not None:
        text += f", {row['task']}, {row['size']} items by {row['sampler']}"
    return text


def _in_one_only(first: "pandas.DataFrame", second: "pandas.DataFrame") -> list[str]:
    cells = [set(map(tuple, frame[KEY].drop_duplicates().to_numpy())) for frame in (first, second)]
    said = []
    for place, name in enumerate(("first", "second")):
        alone = len(cells[place] - cells[1 - place])
        if alone:
            said.append(f"{alone:,} estimates are in the {name} only and take no part.")
    return said
