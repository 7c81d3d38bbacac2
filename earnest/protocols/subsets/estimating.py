"""A block of seeds: estimate from the labelled subsets of one pool.

Neither how the seeds are split over blocks nor how many threads there are changes a number: every
bootstrap has its own generator, named by task, sampler and seed, and linear algebra runs on one
thread.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.estimates import Pool, each_measure, estimate_all, true_value
from earnest.estimates.support import outside_confidence, outside_distance
from earnest.io.schemas import TABLES
from earnest.measures import Score
from earnest.pools.neighbours import Neighbours
from earnest.rng import generator
from earnest.samplers.designs import Design, of_prefix
from earnest.weights import WEIGHTS, Weights, prepare_pool
from earnest.weights.many import weigh_subsets

if TYPE_CHECKING:
    import pandas

# From so many subsets on, sorted lists of neighbours save more than the sorting takes.
_MANY = 100

Truths = dict[tuple[str, str], Score]


def estimate_block(
    pool: Pool,
    labels: np.ndarray,
    draws: "pandas.DataFrame",
    *,
    study: str,
    task: str,
    sampler: str,
    estimator: str,
    sizes: Sequence[int],
    measures: Sequence[str],
    utilities: Sequence[str],
    root_seed: int,
    resamples: int = 200,
    level: float = 0.95,
    interval: str = "own",
    options: dict[str, Any] | None = None,
) -> tuple["pandas.DataFrame", "pandas.DataFrame"]:
    """Estimate from every drawn subset of one task and sampler by one estimator.

    Parameters
    ----------
    pool : Pool
        With embeddings if the estimator weighs by them.
    labels : ndarray (N,)
        True labels of the pool; only those of drawn items are used, and all for the truth.
    draws : pandas.DataFrame
        Table `draws`; rows of other tasks and samplers are left alone.
    study, task, sampler, estimator : str
        Identity of the rows.
    sizes : sequence of int
        Subset sizes wanted; each must have been drawn.
    measures, utilities : sequence of str
        What to estimate; a pair that does not apply to the task gets its row with the reason.
        `recall` gives one measure a class.
    root_seed : int
        Seed of the study.
    resamples : int
        Bootstrap resamples of each subset.
    level : float
        Nominal coverage of the intervals.
    interval : {"own", "bootstrap", "linearised"}
        How intervals are made; `own` is the estimator's own way.
    options : dict, optional
        Options of the importance weights, or of the estimator.

    Returns
    -------
    (pandas.DataFrame, pandas.DataFrame)
        Tables `estimates` and `weights`; the latter is empty for an estimator without weights.
        What the labelled part leaves out of the pool stands with the unweighted estimates.

    Raises
    ------
    ValueError
        If a size was not drawn or a name is unknown.
    """
    from threadpoolctl import threadpool_limits

    measures = each_measure(pool.classes, measures)
    truths = {(m, u): true_value(pool, labels, m, u) for m in measures for u in utilities}
    if pool.embeddings is not None:
        pool = replace(pool, embeddings=prepare_pool(pool.embeddings))
    settings = {"measures": measures, "utilities": utilities, "sampler": sampler}
    settings |= {"resamples": resamples, "level": level}
    settings |= {"interval": None if interval == "own" else interval}
    settings |= {} if estimator in WEIGHTS else options or {}
    cells = list(_subsets(draws, task, sampler, sizes, len(pool)))
    all_weights = _all_weights(estimator, pool, [items for _, items, _ in cells], options or {})
    neighbours = _neighbours(pool, len(cells)) if estimator == "unweighted" else None
    estimates, weight_rows = [], []
    # sums of several threads differ in their last bits
    with threadpool_limits(limits=1, user_api="blas"):
        for (cell, items, design), weights in zip(cells, all_weights, strict=True):
            if weights is not None:
                weight_rows.append(cell | _weights_row(estimator, weights))
            rng = generator(root_seed, task, sampler, cell["seed"], "bootstrap", cell["size"])
            found = estimate_all(
                estimator, pool, items, labels[items], weights=weights, design=design, rng=rng,
                **settings,
            )  # fmt: skip
            shared = {"study": study, **cell, "estimator": estimator, "subset": _subset_hash(items)}
            for diagnostic in ("ess", "largest", "pareto_k"):
                shared[diagnostic] = None if weights is None else getattr(weights, diagnostic)
            if estimator == "unweighted":
                shared["outside_confidence"] = outside_confidence(pool, items)
                shared["outside_distance"] = outside_distance(pool, items, neighbours)
            estimates += _estimate_rows(shared, found, truths)
    return _frame("estimates", estimates), _frame("weights", weight_rows)


def _neighbours(pool: Pool, subsets: int) -> Neighbours | None:
    """Return sorted lists of neighbours, where subsets are enough to be worth the sorting."""
    geometry = pool.embeddings
    if geometry is None or subsets < _MANY or not geometry.holds_all_pairs:
        return None
    return geometry.neighbours


def _all_weights(
    estimator: str, pool: Pool, subsets: list[np.ndarray], options: dict[str, Any]
) -> Sequence[Weights | None]:
    """Return the importance weights of all subsets, made together; None without weighting."""
    if estimator not in WEIGHTS:
        return [None] * len(subsets)
    if pool.embeddings is None:
        raise ValueError(f"the estimator {estimator!r} weighs by embeddings, the pool has none")
    return weigh_subsets(estimator, pool.embeddings, subsets, posteriors=pool.posteriors, **options)


def _subsets(
    draws: "pandas.DataFrame", task: str, sampler: str, sizes: Sequence[int], pool_size: int
) -> Iterator[tuple[dict[str, Any], np.ndarray, Design | None]]:
    """Yield identity, items and chances of every cell, prefixes cut out of their long draw."""
    own = draws[(draws["task"] == task) & (draws["sampler"] == sampler)]
    for seed, rows in own.groupby("seed", sort=True):
        drawn = {int(row.size): row for row in map(_Drawn, rows.to_dict("records"))}
        for size in sizes:
            row = drawn.get(size) or next((r for r in drawn.values() if r.holds(size)), None)
            if row is None:
                raise ValueError(f"no draw of size {size}: {task}, {sampler}, seed {seed}")
            cell = {"task": task, "sampler": sampler, "size": int(size), "seed": int(seed)}
            yield cell, row.items[:size], row.design(size, pool_size)


class _Drawn:
    """One row of the table of draws."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.size = row["size"]
        self.items = np.asarray(row["items"], dtype=np.int64)
        self.is_prefix = bool(row["is_prefix"])
        self.chances, self.missed = row["chances"], row["missed"]

    def holds(self, size: int) -> bool:
        """Tell whether the draw of another size is a prefix of this one."""
        return self.is_prefix and size <= self.size

    def design(self, size: int, pool_size: int) -> Design | None:
        """Return the recorded chances of the first items, None where there are none."""
        if self.chances is None:
            return None
        return of_prefix(self.chances, self.missed, size, pool_size)


def _weights_row(estimator: str, weights: Weights) -> dict[str, Any]:
    return {
        "estimator": estimator,
        "values": weights.values,
        "ess": weights.ess,
        "largest": weights.largest,
        "pareto_k": weights.pareto_k,
        "flags": list(weights.flags),
    }


def _estimate_rows(shared: dict[str, Any], found: dict, truths: Truths) -> Iterator[dict[str, Any]]:
    for (measure, utility), one in found.items():
        yield shared | {
            "measure": measure,
            "utility": utility,
            "value": one.value,
            "low": one.low,
            "high": one.high,
            "truth": truths[measure, utility].value,
            "flags": list(one.flags),
            "reason": one.reason,
        }


def _subset_hash(items: np.ndarray) -> str:
    """Return a hash of the set of items, whatever their order."""
    return hashlib.sha256(np.sort(items).astype("<i8").tobytes()).hexdigest()[:16]


def _frame(table: str, rows: list[dict[str, Any]]) -> "pandas.DataFrame":
    import pandas as pd

    frame = pd.DataFrame(rows, columns=list(TABLES[table]))
    numbers = [name for name, column in TABLES[table].items() if column.kind == "float64"]
    return frame.astype(dict.fromkeys(numbers, "float64"))
