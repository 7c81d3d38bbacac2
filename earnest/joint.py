"""Does it help to join both weights: importance times utility, against one of them and neither."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest import schemas
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
FEWEST_SUBSETS = 10
_CELL = ["task", "sampler", "size"]
_FLOATS = ("value", "truth")


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
    rows: list[dict[str, Any]] = []
    for key, cell in estimates.groupby(_CELL, sort=True):
        named = dict(zip(_CELL, key, strict=True))
        rng = generator(root_seed, "joint", named["task"], named["sampler"], int(named["size"]))
        comparison = _Cell(cell, rng, resamples, level)
        rows += [named | row for row in comparison.rows()]
    return schemas.frame_of("joint", rows)


class _Cell:
    """All estimates from the subsets of one task, sampler and size."""

    def __init__(
        self,
        cell: "pandas.DataFrame",
        rng: np.random.Generator,
        resamples: int,
        level: float,
    ):
        first = cell.drop_duplicates(["estimator", "measure", "utility", "subset"])
        numbers = first.assign(**{name: first[name].astype("float64") for name in _FLOATS})
        keys = ["estimator", "measure", "utility"]
        self.values = numbers.pivot(index="subset", columns=keys, values="value").sort_index()
        self.truth = numbers.groupby(["measure", "utility"])["truth"].first().to_dict()
        self.level, self.resamples = level, resamples
        # all comparisons of a cell that have all subsets share these resamples
        self.seed = int(rng.integers(2**31))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the comparisons that can be made, in a fixed order."""
        for estimator, measure, utility in sorted(self.values.columns):
            if estimator == "unweighted" or utility == "none":
                continue
            columns = self._columns(estimator, measure, utility)
            truth = self.truth.get((measure, utility), np.nan)
            if np.isnan(truth) or any(key not in self.values.columns for key in columns.values()):
                continue
            errors = np.stack([self.values[key].to_numpy() for key in columns.values()]) - truth
            defined = ~np.isnan(errors).any(axis=0)
            if not defined.any():
                continue
            at = {"estimator": estimator, "measure": measure, "utility": utility}
            at |= {"truth": float(truth), "subsets": int(defined.sum())}
            at["undefined"] = int((~defined).sum())
            yield from self._compared(at, dict(zip(columns, errors[:, defined], strict=True)))

    @staticmethod
    def _columns(estimator: str, measure: str, utility: str) -> dict[str, tuple[str, str, str]]:
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
        count = len(errors["joint"])
        counts = np.random.default_rng(self.seed).multinomial(
            count, np.full(count, 1 / count), size=self.resamples
        )
        whole = np.ones((1, count))
        for rival in RIVALS:
            resampled = _rmse(errors["joint"], counts) - _rmse(errors[rival], counts)
            joint, other = (_rmse(errors[name], whole)[0] for name in ("joint", rival))
            yield (
                at
                | {
                    "rival": rival,
                    "joint_bias": float(errors["joint"].mean()),
                    "joint_rmse": float(joint),
                    "rival_bias": float(errors[rival].mean()),
                    "rival_rmse": float(other),
                    "difference": float(joint - other),
                }
                | self._interval(resampled, count)
            )

    def _interval(self, values: np.ndarray, count: int) -> dict[str, Any]:
        if count < FEWEST_SUBSETS:
            subsets = "one subset" if count == 1 else f"{count} distinct subsets"
            return {"low": None, "high": None, "reason": f"no interval: {subsets} only"}
        tail = (1 - self.level) / 2
        low, high = np.quantile(values, [tail, 1 - tail])
        return {"low": float(low), "high": float(high), "reason": None}


def _rmse(errors: np.ndarray, counts: np.ndarray) -> np.ndarray:
    return np.sqrt(counts @ errors**2 / counts.sum(axis=1))
