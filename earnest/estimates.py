"""From a labelled subset to a number for the whole pool, with an interval or why there is none."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from earnest.estimation.bootstrap import NO_CHANCE, percentile_interval, resample
from earnest.estimation.known import check_labels, known_labels, reduced_to_correct
from earnest.estimation.pool import Pool, score_arguments, why_not_applicable
from earnest.geometry.checks import check_labelled
from earnest.measures import MEASURES, Score, score, score_many
from earnest.utility import UTILITIES
from earnest.weights import WEIGHTS, Weights, importance_weights

__all__ = [
    "ESTIMATORS",
    "Estimate",
    "Pool",
    "estimate",
    "estimate_all",
    "subset_weights",
    "true_value",
]


@dataclass(frozen=True)
class Estimate:
    """An estimate of a measure on the whole pool.

    Attributes
    ----------
    value, low, high : float or None
        The estimate and its interval.
    flags : tuple of str
        What to know before trusting it.
    reason : str or None
        Why the value, or else the interval, is None.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    flags: tuple[str, ...] = ()
    reason: str | None = None


def estimate(
    name: str,
    pool: Pool,
    labelled: Any,
    correct: Any = None,
    *,
    measure: str = "accuracy",
    labels: Any = None,
    utility: str = "none",
    level: float = 0.95,
    resamples: int = 200,
    rng: np.random.Generator | None = None,
    sampler: str | None = None,
    weights: Weights | None = None,
    **options: Any,
) -> Estimate:
    """Estimate a measure on the whole pool from the labels of a subset.

    Parameters
    ----------
    name : str
        A key of `ESTIMATORS`.
    pool : Pool
    labelled : array-like (n,) of int
        Distinct row numbers of the labelled items.
    correct : array-like (n,) of bool, optional
        Whether the prediction of each labelled item is right; enough for accuracy, and for
        every measure of a binary pool.
    measure : str
        A key of `earnest.measures.MEASURES`.
    labels : array-like (n,), optional
        True labels of the labelled items, instead of `correct`.
    utility : str
        `none`, or the name of a utility weight, which then multiplies the importance weight.
    level : float
        Nominal coverage of the interval.
    resamples : int
        Bootstrap resamples; 0 for no interval.
    rng : numpy.random.Generator, optional
        For the bootstrap; a fixed one when not given.
    sampler : str, optional
        The rule that chose the subset; a deterministic one gets no interval.
    weights : earnest.weights.Weights, optional
        Importance weights already computed, instead of computing them here.
    **options
        Options of the importance weights.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        If a name is unknown, `labelled` is empty, repeated or out of range, or labels are
        missing, of unknown classes or at odds with `correct`.
    TypeError
        If `labelled` does not hold integers.

    Notes
    -----
    The interval is the percentile bootstrap over the recordings of the labelled subset, each
    resampled with all its items. Importance weights are held at their values, so the interval
    leaves out their own uncertainty. It is null when the subset holds fewer than two
    recordings, when more than 5 % of the resamples are undefined, or when all resamples
    agree; a subset that is the whole pool has the estimate itself as both ends.
    """
    labelled = check_labelled(labelled, len(pool))
    y = known_labels(pool, labelled, correct, labels, measure)
    if name in WEIGHTS and weights is None:
        weights = subset_weights(name, pool, labelled, **options)
    if y is None:
        pool, y = reduced_to_correct(pool, labelled, np.asarray(correct, dtype=bool))
    found = estimate_all(
        name, pool, labelled, y, measures=(measure,), utilities=(utility,), level=level,
        resamples=resamples, rng=rng, sampler=sampler, weights=weights,
    )  # fmt: skip
    return found[measure, utility]


def estimate_all(
    name: str,
    pool: Pool,
    labelled: np.ndarray,
    labels: np.ndarray,
    *,
    measures: Sequence[str],
    utilities: Sequence[str],
    level: float = 0.95,
    resamples: int = 200,
    rng: np.random.Generator | None = None,
    sampler: str | None = None,
    weights: Weights | None = None,
    **options: Any,
) -> dict[tuple[str, str], Estimate]:
    """Estimate several measures under several utilities from one subset, sharing all work.

    Parameters are those of `estimate`, with `labels` the true labels of the labelled items.

    Returns
    -------
    dict of (measure, utility) to Estimate
    """
    _check_names(name, measures, utilities)
    labelled = check_labelled(labelled, len(pool))
    labels = check_labels(labels, pool, len(labelled))
    if name in WEIGHTS and weights is None:
        weights = subset_weights(name, pool, labelled, **options)
    counts, no_interval = resample(pool, labelled, resamples, rng, sampler)
    subset = _Subset(pool, labelled, labels, weights, counts)
    found = {}
    for utility in utilities:
        for measure in measures:
            values = ESTIMATORS[name](subset, measure, utility)
            found[measure, utility] = _conclude(values, subset, level, no_interval)
    return found


def subset_weights(name: str, pool: Pool, labelled: np.ndarray, **options: Any) -> Weights:
    """Return the importance weights of a labelled subset.

    Raises
    ------
    ValueError
        If the pool has no embeddings, or as `earnest.weights.importance_weights` does.
    """
    if pool.embeddings is None:
        raise ValueError(f"the estimator {name!r} weighs by embeddings, and the pool has none")
    return importance_weights(
        name, pool.embeddings, labelled, posteriors=pool.posteriors, **options
    )


def true_value(pool: Pool, labels: Any, measure: str = "accuracy", utility: str = "none") -> Score:
    """Return a measure of the whole pool from all its labels, under the same utility.

    Parameters
    ----------
    pool : Pool
    labels : array-like (N,)
        True labels of all items.
    measure, utility : str
        As in `estimate`.

    Returns
    -------
    earnest.measures.Score
    """
    _check_names("unweighted", (measure,), (utility,))
    labels = check_labels(labels, pool, len(pool))
    reason = why_not_applicable(pool, measure, utility)
    if reason:
        return Score(None, reason)
    arguments = score_arguments(pool, np.arange(len(pool)), labels, measure)
    weights = None if utility == "none" else pool.utilities[utility]
    return score(measure, weights=weights, **arguments)


@dataclass
class _Subset:
    """A labelled subset and its resamples, shared by all measures and utilities."""

    pool: Pool
    labelled: np.ndarray
    labels: np.ndarray
    weights: Weights | None
    counts: np.ndarray  # (1 + resamples, n): how often each item counts; the first row is ones
    cache: dict = field(default_factory=dict)

    def weightings(self, utility: str) -> np.ndarray:
        """Return counts x importance weight x utility, (1 + resamples, n)."""
        if utility not in self.cache:
            row = np.ones(len(self.labelled)) if self.weights is None else self.weights.values
            if utility != "none":
                row = row * self.pool.utilities[utility][self.labelled]
            self.cache[utility] = self.counts * row
        return self.cache[utility]


def _weighted(subset: _Subset, measure: str, utility: str) -> np.ndarray | str:
    """Score the labelled items under importance weight x utility, for every resample."""
    reason = why_not_applicable(subset.pool, measure, utility)
    if reason:
        return reason
    weightings = subset.weightings(utility)
    arguments = score_arguments(subset.pool, subset.labelled, subset.labels, measure)
    values = score_many(measure, weights=weightings, **arguments)
    if np.isnan(values[0]):
        return score(measure, weights=weightings[0], **arguments).reason
    return values


def _difference(subset: _Subset, measure: str, utility: str) -> np.ndarray | str:
    """Correct what the posteriors say of the whole pool by their mean residual on the subset.

    With T_ab the pool's confusion total of true class a and predicted class b, estimated as
    sum_D p(a|x) 1[pred = b] + (N/n) sum_L (1[y = a] - p(a|x)) 1[pred = b], accuracy is
    trace(T) / N, balanced accuracy and F1 follow from T as usual. The last two are undefined
    when the total they divide by is less than N/n, what one labelled item stands for: noise
    then outweighs the class.
    """
    reason = why_not_applicable(subset.pool, measure, utility)
    if reason:
        return reason
    if measure == "roc_auc":
        return "the difference estimator has no form for ROC AUC"
    if utility != "none":
        return "the difference estimator has no form with utility weights"
    totals = _class_totals(subset)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = _from_totals(measure, *totals, subset)
    values = np.where(np.isfinite(values), values, np.nan)
    if np.isnan(values[0]):
        return (
            "the estimated size of a class is less than what one labelled item stands for,"
            f" so {measure} is undefined"
        )
    return values


ESTIMATORS: dict[str, Callable[[_Subset, str, str], np.ndarray | str]] = {
    "unweighted": _weighted,
    **dict.fromkeys(WEIGHTS, _weighted),
    "difference": _difference,
}


def _class_totals(subset: _Subset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return, per resample and class, estimated hits and true totals; and predicted totals."""
    if "totals" not in subset.cache:
        pool, rows = subset.pool, subset.labelled
        predicted = (pool.predictions[:, np.newaxis] == np.asarray(pool.classes)).astype(float)
        residual = subset.labels[:, np.newaxis] == np.asarray(pool.classes)
        residual = residual - pool.posteriors[rows]
        share = subset.counts * (len(pool) / subset.counts.sum(axis=1, keepdims=True))
        both = share @ np.hstack([residual * predicted[rows], residual])
        both += np.hstack([pool.posteriors * predicted, pool.posteriors]).sum(axis=0)
        hits, true = np.hsplit(both, 2)
        subset.cache["totals"] = hits, true, predicted.sum(axis=0)
    return subset.cache["totals"]


def _from_totals(
    measure: str, hits: np.ndarray, true: np.ndarray, predicted: np.ndarray, subset: _Subset
) -> np.ndarray:
    pool = subset.pool
    # a class of a single item in a fully labelled pool may miss 1 by rounding
    least = len(pool) / len(subset.labelled) * (1 - 1e-9)
    if measure == "accuracy":
        return hits.sum(axis=1) / len(pool)
    if measure == "balanced_accuracy":
        return np.where(true >= least, hits / true, np.nan).mean(axis=1)
    positive = pool.classes.index(pool.positive)
    total = true[:, positive] + predicted[positive]
    return np.where(total >= least, 2 * hits[:, positive] / total, np.nan)


def _conclude(
    values: np.ndarray | str, subset: _Subset, level: float, no_interval: str | None
) -> Estimate:
    """Make an estimate of the values of the sample (first) and its resamples."""
    flags = () if subset.weights is None else tuple(subset.weights.flags)
    if isinstance(values, str):
        return Estimate(None, flags=flags, reason=values)
    value = float(values[0])
    if not 0 <= value <= 1:
        # rounding of a sum of weights is not worth a flag
        flags += () if -1e-9 < value < 1 + 1e-9 else ("outside_range",)
    if no_interval == NO_CHANCE:
        flags += ("deterministic_sampler",)
    if no_interval:
        return Estimate(value, flags=flags, reason=no_interval)
    if len(subset.labelled) == len(subset.pool):
        return Estimate(value, value, value, (*flags, "whole_pool"))
    low, high, reason = percentile_interval(values[1:], level)
    if np.isnan(values).any():
        flags += ("undefined_resamples",)
    return Estimate(value, low, high, flags, reason)


def _check_names(name: str, measures: Sequence[str], utilities: Sequence[str]) -> None:
    for what, given, known in (
        ("estimator", (name,), ESTIMATORS),
        ("measure", measures, MEASURES),
        ("utility", utilities, UTILITIES),
    ):
        for one in given:
            if one not in known:
                raise ValueError(f"unknown {what} {one!r}; there are {', '.join(known)}")
