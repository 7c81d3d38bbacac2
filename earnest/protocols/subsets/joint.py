"""Does it help to join both weights: importance times utility, against one of them and neither."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.estimates.bootstrap import percentile_ends
from earnest.io import schemas
from earnest.protocols import statistics
from earnest.rng import generator

if TYPE_CHECKING:
    import pandas

# Of each rival: whether it has the joint estimate's importance weights, and its utility weights.
RIVALS = {
    "neither": (False, False),
    "importance": (True, False),
    "utility": (False, True),
}
RESAMPLES = 1000
_CELL = ["task", "sampler", "size"]
_ESTIMATE = ["estimator", "measure", "utility"]
_FLOATS = ("value", "truth")

Name = tuple[str, str, str]


def compare(
    estimates: "pandas.DataFrame",
    *,
    root_seed: int,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> "pandas.DataFrame":
    """Compare errors of the joint weights with those of one weight alone and of none.

    The target is the score of the whole pool under a utility: wBA, pBA and so on. The joint
    estimate is the score of the labelled subset under importance weight times utility. Its
    rivals aim at the same target: `utility` has the utility weights only, `importance` the
    importance weights only (it estimates the plain score, which is another quantity), `neither`
    is the plain score of the subset.

    Parameters
    ----------
    estimates : pandas.DataFrame
        Table `estimates`.
    root_seed : int
    resamples : int
        Bootstrap resamples over subsets behind each interval.
    level : float
        Of the percentile intervals.

    Returns
    -------
    pandas.DataFrame
        Table `joint`, one row a task, sampler, size, estimator, measure, utility and rival.
        All four estimates are compared on the same distinct subsets, those where each has a
        value; equal subsets count once. `difference` is RMSE of the joint estimate less that of
        the rival. It has an interval where there are at least 10 subsets.
    """
    grouped = estimates.groupby(_ESTIMATE, sort=True)
    names, columns = list(grouped.size().index), grouped.ngroup().to_numpy()
    subsets = _codes(estimates["subset"])
    numbers = [estimates[name].to_numpy(np.float64, na_value=np.nan) for name in _FLOATS]
    rows: list[dict[str, Any]] = []
    for key, places in estimates.groupby(_CELL, sort=True).indices.items():
        named = dict(zip(_CELL, key, strict=True))
        rng = generator(root_seed, "joint", named["task"], named["sampler"], int(named["size"]))
        about = (subsets[places], *(column[places] for column in numbers))
        comparison = _Cell(names, columns[places], *about, rng, resamples, level)
        rows += [named | row for row in comparison.rows()]
    return schemas.frame_of("joint", rows)


def _codes(column: "pandas.Series") -> np.ndarray:
    """Return the place of each text among the different ones, sorted."""
    import pandas as pd

    return pd.factorize(column, sort=True)[0]


class _Cell:
    """All estimates from the subsets of one task, sampler and size."""

    def __init__(
        self,
        names: list[Name],
        columns: np.ndarray,
        subsets: np.ndarray,
        values: np.ndarray,
        truths: np.ndarray,
        rng: np.random.Generator,
        resamples: int,
        level: float,
    ):
        distinct, places = np.unique(subsets, return_inverse=True)
        present, first = np.unique(columns, return_index=True)
        table = np.full((len(names), len(distinct)), np.nan)
        # backwards, so that the first of equal subsets stays
        table[columns[::-1], places[::-1]] = values[::-1]
        self.values = {names[column]: table[column] for column in present}
        self.truths = {
            names[c][1:]: float(truths[place]) for c, place in zip(present, first, strict=True)
        }
        self.level, self.resamples = level, resamples
        # all comparisons of a cell that have all subsets share these resamples
        self.seed = int(rng.integers(2**31))
        self.counts: dict[int, np.ndarray] = {}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the comparisons that can be made, in a fixed order."""
        for estimator, measure, utility in self.values:
            if estimator == "unweighted" or utility == "none":
                continue
            columns = self._columns(estimator, measure, utility)
            truth = self.truths[measure, utility]
            if np.isnan(truth) or any(key not in self.values for key in columns.values()):
                continue
            errors = np.stack([self.values[key] for key in columns.values()]) - truth
            defined = ~np.isnan(errors).any(axis=0)
            if not defined.any():
                continue
            at = {"estimator": estimator, "measure": measure, "utility": utility}
            at |= {"truth": truth, "subsets": int(defined.sum())}
            at["undefined"] = int((~defined).sum())
            yield from self._compared(at, dict(zip(columns, errors[:, defined], strict=True)))

    @staticmethod
    def _columns(estimator: str, measure: str, utility: str) -> dict[str, Name]:
        columns = {"joint": (estimator, measure, utility)}
        for rival, (weighted, useful) in RIVALS.items():
            columns[rival] = (
                estimator if weighted else "unweighted",
                measure,
                utility if useful else "none",
            )
        return columns

    def _compared(
        self, at: dict[str, Any], errors: dict[str, np.ndarray]
    ) -> Iterator[dict[str, Any]]:
        squares = np.stack([*errors.values()], axis=1) ** 2
        rmse = dict(zip(errors, np.sqrt(squares.mean(axis=0)).tolist(), strict=True))
        intervals = self._intervals(squares, [*errors])
        for rival in RIVALS:
            yield (
                at
                | {
                    "rival": rival,
                    "joint_bias": float(errors["joint"].mean()),
                    "joint_rmse": rmse["joint"],
                    "rival_bias": float(errors[rival].mean()),
                    "rival_rmse": rmse[rival],
                    "difference": rmse["joint"] - rmse[rival],
                }
                | intervals[rival]
            )

    def _intervals(self, squares: np.ndarray, names: list[str]) -> dict[str, dict[str, Any]]:
        """Return the interval of each rival's difference, or why there is none."""
        count = len(squares)
        if count < statistics.FEWEST_SUBSETS:
            subsets = "one subset" if count == 1 else f"{count} distinct subsets"
            none = {"low": None, "high": None, "reason": f"no interval: {subsets} only"}
            return dict.fromkeys(RIVALS, none)
        errors = dict(zip(names, np.sqrt(self._counts(count) @ squares / count).T, strict=True))
        intervals = {}
        for rival in RIVALS:
            low, high = percentile_ends(errors["joint"] - errors[rival], self.level)
            intervals[rival] = {"low": low, "high": high, "reason": None}
        return intervals

    def _counts(self, count: int) -> np.ndarray:
        """Return how often each resample has each of so many subsets."""
        if count not in self.counts:
            rng = np.random.default_rng(self.seed)
            self.counts[count] = statistics.resample_counts(count, self.resamples, rng)
        return self.counts[count]
