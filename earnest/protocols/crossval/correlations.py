"""What the fold scores add up to: correlations with the endpoints, their gaps, differences."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.io import schemas
from earnest.protocols import statistics as stats
from earnest.protocols.crossval import published
from earnest.protocols.crossval.scoring import PARTS, UTILITIES
from earnest.protocols.crossval.splitting import MEASURES
from earnest.rng import generator

if TYPE_CHECKING:
    import pandas

ENDS = ("largest", "smallest")
# Each gap less another one: what a weighting gains over plain scores, and what it still lacks.
COMPARED = (
    ("none", "predicted"),
    ("none", "majority_one"),
    ("none", "conditional"),
    ("none", "true"),
    ("predicted", "true"),
    ("majority_one", "true"),
    ("conditional", "true"),
    ("predicted", "conditional"),
)
RESAMPLES = 2000
LEVEL = 0.95


def dataset_means(scores: "pandas.DataFrame") -> "pandas.DataFrame":
    """Average the scores of each data set over its folds.

    Parameters
    ----------
    scores : pandas.DataFrame
        Table `fold_scores`.

    Returns
    -------
    pandas.DataFrame
        Columns dataset, correction, part, measure, utility, mean, sd (ddof 1), folds, reason. Where
        one fold has no value the mean is NaN and the reason that fold's: an undefined score is
        not averaged away.
    """
    keys = ["dataset", "correction", "part", "measure", "utility"]
    scores = scores.assign(value=scores["value"].astype("float64"))
    grouped = scores.groupby(keys, sort=True)
    means = grouped.agg(
        mean=("value", "mean"),
        sd=("value", "std"),
        folds=("value", "size"),
        defined=("value", "count"),
        reason=("reason", "first"),
    ).reset_index()
    incomplete = means["defined"] < means["folds"]
    means.loc[incomplete, ["mean", "sd"]] = np.nan
    return means.drop(columns="defined")


def assess(
    means: "pandas.DataFrame",
    *,
    collection: str,
    root_seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> dict[str, "pandas.DataFrame"]:
    """Correlate the scores on full test sets with those on the endpoints, over data sets.

    Parameters
    ----------
    means : pandas.DataFrame
        As `dataset_means` gives them.
    collection : str
        Names the random draws and the printed numbers to stand beside ours.
    root_seed : int
    resamples : int
        Bootstrap resamples over data sets. All weightings of a correction and a measure share
        theirs, so that differences are paired.
    level : float
        Of the percentile intervals.

    Returns
    -------
    dict of str to pandas.DataFrame
        Tables `table_correlations`, `table_gaps` and `table_gap_differences`. Only data sets in
        which every weighting has a value on every part are counted.

    Notes
    -----
    "Correcting Performance Estimation Bias in Imbalanced Classification with Minority
    Subconcepts", section 4.3, Tables 1 and 2.
    """
    rows: dict[str, list[dict]] = {
        "table_correlations": [],
        "table_gaps": [],
        "table_gap_differences": [],
    }
    for correction in dict.fromkeys(means["correction"]):
        for measure in MEASURES:
            names, scores = _complete(means, correction, measure)
            at = {"correction": correction, "measure": measure, "datasets": len(names)}
            rng = generator(root_seed, collection, "correlations", correction, measure)
            counts = stats.resample_counts(len(names), resamples, rng)
            cell = _Cell(at, names, scores, counts, level, collection)
            rows["table_correlations"] += cell.correlations()
            rows["table_gaps"] += cell.gaps()
            rows["table_gap_differences"] += cell.differences()
    return {table: schemas.frame_of(table, found) for table, found in rows.items()}


def _complete(
    means: "pandas.DataFrame", correction: str, measure: str
) -> tuple[list[str], dict[tuple[str, str], np.ndarray]]:
    """Return the data sets with every value, and their scores by weighting and part."""
    mine = means[(means["correction"] == correction) & (means["measure"] == measure)]
    wide = mine.pivot(index="dataset", columns=["utility", "part"], values="mean")
    wide = wide.dropna().sort_index()
    keys = [(utility, part) for utility in UTILITIES for part in PARTS]
    return list(wide.index), {key: wide[key].to_numpy(dtype=np.float64) for key in keys}


class _Cell:
    """One correction and one measure over all data sets."""

    def __init__(
        self,
        at: dict[str, Any],
        names: Sequence[str],
        scores: dict[tuple[str, str], np.ndarray],
        counts: np.ndarray,
        level: float,
        collection: str,
    ):
        self.at, self.names, self.scores = at, names, scores
        self.counts, self.level, self.collection = counts, level, collection

    def r(self, utility: str, part: str, counts: np.ndarray) -> np.ndarray:
        return stats.pearson(self.scores[utility, "full"], self.scores[utility, part], counts)

    def gap(self, utility: str, counts: np.ndarray) -> np.ndarray:
        return self.r(utility, "largest", counts) - self.r(utility, "smallest", counts)

    def printed(self, utility: str, part: str) -> tuple[float | None, float | None]:
        return published.correlation(self.collection, *self._names(), utility, part)

    def printed_gap(self, utility: str) -> float | None:
        return published.gap(self.collection, *self._names(), utility)

    def _names(self) -> tuple[str, str]:
        return self.at["correction"], self.at["measure"]

    def _interval(self, statistic: stats.Statistic) -> dict[str, Any]:
        return asdict(stats.with_interval(statistic, self.counts, level=self.level))

    def correlations(self) -> list[dict]:
        rows = []
        for utility in UTILITIES:
            for part in ENDS:

                def statistic(counts, utility=utility, part=part):
                    return self.r(utility, part, counts)

                pair = self.scores[utility, "full"], self.scores[utility, part]
                printed, printed_p = self.printed(utility, part)
                rows.append(
                    self.at
                    | {"utility": utility, "part": part, "p": stats.p_value("pearson", *pair)}
                    | self._interval(statistic)
                    | stats.without_each(statistic, self.names)
                    | {"printed": printed, "printed_p": printed_p}
                )
        return rows

    def gaps(self) -> list[dict]:
        return [
            self.at
            | {"utility": utility, "printed": self.printed_gap(utility)}
            | self._interval(lambda counts, utility=utility: self.gap(utility, counts))
            for utility in UTILITIES
        ]

    def differences(self) -> list[dict]:
        rows = []
        for utility, other in COMPARED:

            def statistic(counts, utility=utility, other=other):
                return self.gap(utility, counts) - self.gap(other, counts)

            one, two = self.printed_gap(utility), self.printed_gap(other)
            printed = None if one is None or two is None else round(one - two, 3)
            at = {"utility": utility, "other": other, "printed": printed}
            rows.append(self.at | at | self._interval(statistic))
        return rows


def metrics(
    found: dict[str, "pandas.DataFrame"],
    recognition: "pandas.DataFrame",
    distances: "pandas.DataFrame",
) -> dict[str, Any]:
    """Return the main numbers of a study as a plain nested dict, for strict JSON.

    Parameters
    ----------
    found : dict
        Of `assess`.
    recognition : pandas.DataFrame
        Table `recognition_correlations`.
    distances : pandas.DataFrame
        Table `table_distances`.

    Returns
    -------
    dict
        `gap` and `distance` by correction, measure and weighting; `recognition` by version,
        method and measure. What is undefined is None.
    """
    far = distances.groupby(["correction", "measure", "utility"], sort=True)["distance"].mean()
    return {
        "gap": _nested(found["table_gaps"], ("correction", "measure", "utility"), "value"),
        "distance": _nested(far.reset_index(), ("correction", "measure", "utility"), "distance"),
        "recognition": _nested(recognition, ("version", "method", "measure"), "value"),
    }


def _nested(frame: "pandas.DataFrame", keys: Sequence[str], column: str) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for row in frame.to_dict("records"):
        entry = tree
        for key in keys[:-1]:
            entry = entry.setdefault(row[key], {})
        value = row[column]
        entry[row[keys[-1]]] = None if value is None or value != value else float(value)
    return tree
