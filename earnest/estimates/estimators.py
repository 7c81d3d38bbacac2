"""From a labelled subset to a number for the whole pool, with an interval or why there is none."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from earnest.estimates.bootstrap import NO_CHANCE, percentile_interval, resample
from earnest.estimates.counts import Counts
from earnest.estimates.known import check_labels, known_labels, reduced_to_correct
from earnest.estimates.linearised import linearised_interval
from earnest.estimates.registry import (
    ESTIMATORS,
    INTERVALS,
    LINEARISED,
    NEED_LABELS,
)
from earnest.estimates.subset import Subset, known_design
from earnest.estimates.support import in_words, worst_case
from earnest.measures import MEASURES, Score, score
from earnest.pools.checks import check_labelled
from earnest.pools.pool import Pool, each_measure, score_arguments, why_not_applicable
from earnest.samplers.designs import Design
from earnest.utility import UTILITIES
from earnest.weights import FROM_POSTERIORS, WEIGHTS, Weights, importance_weights

__all__ = [
    "ESTIMATORS",
    "INTERVALS",
    "Estimate",
    "Pool",
    "each_measure",
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
    design: Design | None = None,
    interval: str | None = None,
    chances: Any = None,
    **options: Any,
) -> Estimate:
    """Estimate a measure on the whole pool from the labels of a subset.

    Parameters
    ----------
    name : str
        A key of `ESTIMATORS`.
    pool : Pool
    labelled : array-like (n,) of int, or None
        Distinct row numbers of the labelled items; None only for average_confidence.
    correct : array-like (n,) of bool, optional
        Whether the prediction of each labelled item is right; enough for accuracy, and for
        every measure of a binary pool.
    measure : str
        A key of `earnest.measures.MEASURES`; `recall:class` is the recall of any one class.
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
    design : earnest.samplers.designs.Design, optional
        The chances with which the items were drawn, which design-based estimates need; known
        without it when `sampler` is random.
    interval : {"bootstrap", "linearised"}, optional
        How the interval is made; the estimator's own way when not given.
    chances : array-like (n,) of float, optional
        Chance of each labelled item to be labelled at all, in (0, 1], instead of `design`.
    **options
        Options of the importance weights, or of the estimator.

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
    The interval `bootstrap` is the percentile bootstrap over the recordings of the labelled
    subset, each resampled with all its items; `linearised` is analytic, by recording too, see
    `earnest.estimates.linearised`. Importance weights are held at their values, so intervals
    leave out their own uncertainty. There is none when the subset holds fewer than two
    recordings, when more than 5 % of the resamples are undefined, or when all of them agree; a
    subset that is the whole pool has the estimate itself as both ends.
    """
    if labelled is None and name == "average_confidence":
        labelled, labels = [0], pool.predictions[:1]  # whose label the estimator never looks at
    labelled = check_labelled(labelled, len(pool))
    y = known_labels(pool, labelled, correct, labels, measure)
    if name in WEIGHTS and weights is None:
        weights = subset_weights(name, pool, labelled, **options)
    if chances is not None:
        if design is not None:
            raise ValueError("chances and design both say how items were drawn; give one of them")
        design = Design(None, np.asarray(chances, dtype=np.float64))
    if y is None and ESTIMATORS[name].gives_interval and len(pool.classes) > 1:
        y = _labels_as_right(pool, labelled, np.asarray(correct, dtype=bool))
    if y is None:
        if name in NEED_LABELS:
            raise ValueError(f"{name} needs the labels of the labelled items, not only correct")
        pool, y = reduced_to_correct(pool, labelled, np.asarray(correct, dtype=bool))
    found = estimate_all(
        name, pool, labelled, y, measures=(measure,), utilities=(utility,), level=level,
        resamples=resamples, rng=rng, sampler=sampler, weights=weights, design=design,
        interval=interval, **options,
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
    design: Design | None = None,
    interval: str | None = None,
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
    if name in WEIGHTS:
        weights = subset_weights(name, pool, labelled, **options) if weights is None else weights
        options = {}
    method = ESTIMATORS[name]
    interval = method.interval if interval is None else interval
    if interval not in INTERVALS:
        raise ValueError(f"unknown interval {interval!r}; there are {', '.join(INTERVALS)}")
    design = known_design(pool, labelled, sampler, design)
    if method.gives_interval:
        subset = Subset(pool, labelled, labels, Counts(np.ones((1, 1))), None, design, sampler)
        return {
            (measure, utility): Estimate(
                *method.values(subset, measure, utility, level=level, **options)
            )
            for utility in utilities
            for measure in measures
        }
    counts, no_interval = resample(pool, labelled, resamples, rng, sampler, interval)
    subset = Subset(pool, labelled, labels, counts, weights, design, sampler)
    why_not = method.why_no_interval or no_interval
    if interval == LINEARISED and not method.is_smooth:
        why_not = why_not or f"{name} jumps with the labels: it has no linearised interval"
    left_out = subset.left_out() if method.by_chance else 1 - len(labelled) / len(pool)
    rule = _Rule(interval, level, why_not, left_out)
    found = {}
    for utility in utilities:
        for measure in measures:
            values = method.values(subset, measure, utility, **options)
            found[measure, utility] = _conclude(values, subset, rule, measure, utility)
    return found


def _labels_as_right(pool: Pool, labelled: np.ndarray, correct: np.ndarray) -> np.ndarray:
    """Return labels that make predictions right or wrong as said, of whatever other class."""
    predictions = pool.predictions[labelled]
    classes = np.asarray(pool.classes)
    others = np.where(predictions == classes[0], classes[-1], classes[0])
    return np.where(correct, predictions, others)


def subset_weights(name: str, pool: Pool, labelled: np.ndarray, **options: Any) -> Weights:
    """Return the importance weights of a labelled subset.

    Raises
    ------
    ValueError
        If the pool has no embeddings and the weights need them, or as
        `earnest.weights.importance_weights` does.
    """
    embeddings = pool.embeddings
    if embeddings is None:
        if name not in FROM_POSTERIORS:
            raise ValueError(f"the estimator {name!r} weighs by embeddings, and the pool has none")
        embeddings = pool.posteriors
    return importance_weights(name, embeddings, labelled, posteriors=pool.posteriors, **options)


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
    return score(weights=weights, **arguments)


@dataclass(frozen=True)
class _Rule:
    """How the interval of an estimate is made, or why there is none."""

    interval: str
    level: float
    why_not: str | None
    left_out: float | np.ndarray


def _conclude(
    values: np.ndarray | str, subset: Subset, rule: _Rule, measure: str, utility: str
) -> Estimate:
    """Make an estimate of the values of the sample (first) and its replicates."""
    flags = () if subset.weights is None else tuple(subset.weights.flags)
    flags += tuple(sorted(subset.flags))
    if isinstance(values, str):
        return Estimate(None, flags=flags, reason=values)
    value = float(values[0])
    if not 0 <= value <= 1:
        # rounding of a sum of weights is not worth a flag
        flags += () if -1e-9 < value < 1 + 1e-9 else ("outside_range",)
    if rule.why_not == NO_CHANCE:
        flags += ("deterministic_sampler",)
        bounds = worst_case(subset, measure, utility)
        return Estimate(value, flags=flags, reason=in_words(NO_CHANCE, measure, bounds))
    if rule.why_not:
        return Estimate(value, flags=flags, reason=rule.why_not)
    if len(subset.labelled) == len(subset.pool):
        return Estimate(value, value, value, (*flags, "whole_pool"))
    if rule.interval == LINEARISED:
        low, high, reason = linearised_interval(values, rule.level, rule.left_out)
        return Estimate(value, low, high, flags, reason)
    low, high, reason = percentile_interval(values[1:], rule.level)
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
            if one not in known and not (what == "measure" and one.startswith("recall:")):
                raise ValueError(f"unknown {what} {one!r}; there are {', '.join(known)}")
