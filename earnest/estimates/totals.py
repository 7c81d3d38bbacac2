"""Measures from a pool's class totals, which several estimators estimate."""

from dataclasses import dataclass

import numpy as np

from earnest.measures import MEASURES
from earnest.pools.pool import Pool, class_of, why_not_applicable


@dataclass(frozen=True)
class Totals:
    """Estimated counts over the whole pool, one row a resample and one column a class.

    Attributes
    ----------
    hits : ndarray (b, c) float64
        Items of the class that are predicted so.
    true : ndarray (b, c) float64
        Items of the class.
    predicted : ndarray (c,) float64
        Items predicted to be of the class, which is known.
    least : float
        A measure that divides by a smaller total is undefined.
    """

    hits: np.ndarray
    true: np.ndarray
    predicted: np.ndarray
    least: float


def one_item(pool_size: int, labelled: int) -> float:
    """Return what one labelled item stands for: below it, noise outweighs a class."""
    # a class of a single item in a fully labelled pool may miss 1 by rounding
    return pool_size / labelled * (1 - 1e-9)


def has_form(measure: str) -> bool:
    """Tell whether a measure follows from class totals."""
    return measure.partition(":")[0] in ("accuracy", "balanced_accuracy", "f1", "recall")


def why_no_totals(pool: Pool, measure: str, utility: str, name: str) -> str | None:
    """Say why a measure cannot be had from class totals; None if it can."""
    reason = why_not_applicable(pool, measure, utility)
    if reason:
        return reason
    if not has_form(measure):
        label = MEASURES[measure].words.label
        return f"the {name} estimator has no form for {label}"
    if utility != "none":
        return f"the {name} estimator has no form with utility weights"
    return None


def from_totals(measure: str, totals: Totals, pool: Pool) -> np.ndarray | str:
    """Return a measure of every resample, NaN where undefined, or why the sample has none.

    Parameters
    ----------
    measure : str
        accuracy, balanced_accuracy, f1, or recall of a class.
    totals : Totals
    pool : Pool

    Returns
    -------
    ndarray (b,) float64 or str
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        values = _ratio(measure, totals, pool)
    values = np.where(np.isfinite(values), values, np.nan)
    if not np.isnan(values[0]):
        return values
    if totals.least <= 0:
        return f"the estimated size of a class is 0, so {measure} is undefined"
    return (
        "the estimated size of a class is less than what one labelled item stands for,"
        f" so {measure} is undefined"
    )


def _ratio(measure: str, totals: Totals, pool: Pool) -> np.ndarray:
    hits, true = totals.hits, totals.true
    if measure == "accuracy":
        return hits.sum(axis=1) / len(pool)
    if measure == "balanced_accuracy":
        return np.where(true >= totals.least, hits / true, np.nan).mean(axis=1)
    if measure == "f1":
        positive = pool.classes.index(pool.positive)
        total = true[:, positive] + totals.predicted[positive]
        return np.where(total >= totals.least, 2 * hits[:, positive] / total, np.nan)
    own = pool.classes.index(class_of(pool, measure))
    return np.where(true[:, own] >= totals.least, hits[:, own] / true[:, own], np.nan)
