"""Do rare contexts fail, and do weighted scores show it: from the folds of a study on sounds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.io import schemas
from earnest.protocols import statistics as stats
from earnest.rng import generator

if TYPE_CHECKING:
    import pandas

WAYS = ("predicted", "majority_one", "conditional", "true")
MEASURE = "balanced_accuracy"


def contrasts(
    descriptions: Sequence[Mapping[str, Any]],
    recalls: "pandas.DataFrame",
    means: "pandas.DataFrame",
) -> "pandas.DataFrame":
    """Set each task's usual minority subconcept against its rare ones.

    Parameters
    ----------
    descriptions : sequence of mapping
        Of the splits of `earnest.protocols.crossval.items.split_items`.
    recalls : pandas.DataFrame
        Table `fold_recalls`.
    means : pandas.DataFrame
        As `earnest.protocols.crossval.correlations.dataset_means` gives them.

    Returns
    -------
    pandas.DataFrame
        Table `sound_contrasts`, one row a task and correction. The usual subconcept of a context
        task is the foreground over its primary background, of another task the largest of the
        minority. A recall is the share of the test items of all folds that are on the right
        side; `rare_recall` is the mean over the rare subconcepts, each counted the same.
        `shift_*` is what a weighting adds to the plain balanced accuracy on full test sets.
    """
    full = means[(means["part"] == "full") & (means["measure"] == MEASURE)]
    scores = full.set_index(["dataset", "correction", "utility"])["mean"]
    counted = recalls.groupby(["dataset", "correction", "subconcept"])[["hits", "test_size"]].sum()
    rows = []
    for one in descriptions:
        if one["status"] != "used":
            continue
        usual = one["primary"] or one["minority"][0]
        rare = [name for name in one["minority"] if name != usual]
        mine = counted.loc[[one["dataset"]]].droplevel("dataset")
        for correction in mine.index.unique("correction"):
            share = mine.loc[correction].eval("hits / test_size")
            plain = scores[one["dataset"], correction, "none"]
            row = {"dataset": one["dataset"], "kind": one["kind"], "correction": correction}
            row |= {"usual": usual, "rare": rare, "usual_recall": float(share[usual])}
            row["rare_recall"] = float(share[rare].mean())
            row["worst"] = str(share[rare].idxmin())
            row["worst_recall"] = float(share[rare].min())
            row["contrast"] = row["rare_recall"] - row["usual_recall"]
            row["plain"] = float(plain)
            row |= {f"shift_{w}": float(scores[one["dataset"], correction, w] - plain)
                    for w in WAYS}  # fmt: skip
            rows.append(row)
    return schemas.frame_of("sound_contrasts", rows)


def contrast_statistics(
    found: "pandas.DataFrame", *, root_seed: int, resamples: int, level: float
) -> "pandas.DataFrame":
    """Average the contrasts of all context tasks, and correlate them with the shifts.

    Parameters
    ----------
    found : pandas.DataFrame
        Table `sound_contrasts`; only tasks of kind `context` count.
    root_seed : int
    resamples : int
        Bootstrap resamples over tasks; all statistics of a correction share theirs.
    level : float

    Returns
    -------
    pandas.DataFrame
        Table `sound_statistics`: the mean of `contrast` and of each shift with the number of
        tasks where it is negative, and Pearson's r over tasks of each shift with the contrast.
        Where a weighting shows which foregrounds fail over rare backgrounds, its r is near 1.
    """
    rows: list[dict] = []
    chosen = found[found["kind"] == "context"]
    for correction in dict.fromkeys(found["correction"]):
        mine = chosen[chosen["correction"] == correction].sort_values("dataset")
        rng = generator(root_seed, "sounds", "contrasts", correction)
        counts = stats.resample_counts(len(mine), resamples, rng)
        values = {name: mine[name].to_numpy(dtype=np.float64)
                  for name in ("contrast", *(f"shift_{way}" for way in WAYS))}  # fmt: skip
        for name, statistic in _statistics(values).items():
            own = values.get(name)
            rows.append(
                {
                    "correction": correction,
                    "statistic": name,
                    "datasets": len(mine),
                    "negative": None if own is None else int((own < 0).sum()),
                }
                | asdict(stats.with_interval(statistic, counts, level=level))
            )
    return schemas.frame_of("sound_statistics", rows)


def _statistics(values: Mapping[str, np.ndarray]) -> dict[str, Callable]:
    """Return what is computed of counts of tasks: means of all columns, then correlations."""

    def mean_of(column: np.ndarray) -> Callable:
        return lambda counts: counts @ column / counts.sum(axis=1)

    def r_with(column: np.ndarray) -> Callable:
        return lambda counts: stats.pearson(values["contrast"], column, counts)

    found = {name: mean_of(column) for name, column in values.items()}
    return found | {f"r_{way}": r_with(values[f"shift_{way}"]) for way in WAYS}
