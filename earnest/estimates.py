"""From a labelled subset to a number for the whole pool, with an interval or why there is none."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from earnest.measures import BINARY_MEASURES, MEASURES, Score, check_weights, score, score_many
from earnest.rng import generator
from earnest.samplers import DETERMINISTIC
from earnest.utility import UTILITIES
from earnest.weights import WEIGHTS, Weights, importance_weights

MOST_UNDEFINED = 0.05  # share of undefined resamples up to which an interval is still given
NO_CHANCE = (
    "the sampler is deterministic: it left regions of the pool without any chance of selection,"
    " so no weighting can correct it and no interval is valid"
)


@dataclass(frozen=True)
class Pool:
    """The deployment set: everything known of its items without their labels.

    Attributes
    ----------
    embeddings : array (N, d), earnest.weights.PoolGeometry or None
        Only the weighting estimators need them.
    posteriors : ndarray (N, c) float64
        Probabilities of the classes, rows summing to 1.
    predictions : ndarray (N,)
        Predicted labels; the most probable class when not given.
    classes : tuple of c labels
        The class of each column; 0 to c - 1 when not given.
    recordings : ndarray (N,) or None
        The recording of each item; None makes each item its own.
    utilities : dict of str to ndarray (N,)
        Utility weights by name (`true`, `predicted`, `conditional`); empty without subconcepts.
    positive : label or None
        The positive class of a binary pool; the last one when not given.
    """

    embeddings: Any
    posteriors: np.ndarray
    predictions: np.ndarray | None = None
    classes: tuple | None = None
    recordings: np.ndarray | None = None
    utilities: dict[str, np.ndarray] = field(default_factory=dict)
    positive: Any = None

    def __post_init__(self) -> None:
        posteriors = np.asarray(self.posteriors, dtype=np.float64)
        if posteriors.ndim != 2 or not np.isfinite(posteriors).all():
            raise ValueError("posteriors must be finite, one row an item and one column a class")
        n, c = posteriors.shape
        classes = tuple(range(c)) if self.classes is None else tuple(self.classes)
        if len(classes) != c:
            raise ValueError(f"{len(classes)} classes, but posteriors have {c} columns")
        if self.predictions is None:
            predictions = np.asarray(classes)[posteriors.argmax(axis=1)]
        else:
            predictions = np.asarray(self.predictions)
        for name, value in {"predictions": predictions, "recordings": self.recordings}.items():
            if value is not None and len(value) != n:
                raise ValueError(f"{n} posteriors, but {len(value)} {name}")
        utilities = {k: check_weights(v, n) for k, v in (self.utilities or {}).items()}
        positive = classes[-1] if self.positive is None and c == 2 else self.positive
        new = {"posteriors": posteriors, "predictions": predictions, "classes": classes}
        new |= {"utilities": utilities, "positive": positive}
        for name, value in new.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.posteriors)


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

    Notes
    -----
    The interval is the percentile bootstrap over the recordings of the labelled subset, each
    resampled with all its items. Importance weights are held at their values, so the interval
    leaves out their own uncertainty. It is null when the subset holds fewer than two
    recordings, when more than 5 % of the resamples are undefined, or when all resamples
    agree; a subset that is the whole pool has the estimate itself as both ends.
    """
    labelled = _check_labelled(labelled, len(pool))
    y = _known_labels(pool, labelled, correct, labels, measure)
    if name in WEIGHTS and weights is None:
        weights = subset_weights(name, pool, labelled, **options)
    if y is None:
        pool, y = _reduced_to_correct(pool, labelled, np.asarray(correct, dtype=bool))
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
    labelled = _check_labelled(labelled, len(pool))
    if name in WEIGHTS and weights is None:
        weights = subset_weights(name, pool, labelled, **options)
    counts, no_interval = _resample(pool, labelled, resamples, rng, sampler)
    subset = _Subset(pool, labelled, np.asarray(labels), weights, counts)
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
    labels = np.asarray(labels)
    if labels.shape != (len(pool),):
        raise ValueError(f"a pool of {len(pool)} items needs as many labels, not {labels.shape}")
    reason = _does_not_apply(pool, measure, utility)
    if reason:
        return Score(None, reason)
    arguments = _arguments(pool, np.arange(len(pool)), labels, measure)
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
    reason = _does_not_apply(subset.pool, measure, utility)
    if reason:
        return reason
    weightings = subset.weightings(utility)
    arguments = _arguments(subset.pool, subset.labelled, subset.labels, measure)
    values = score_many(measure, weights=weightings, **arguments)
    if np.isnan(values[0]):
        return score(measure, weights=weightings[0], **arguments).reason
    return values


def _difference(subset: _Subset, measure: str, utility: str) -> np.ndarray | str:
    """Correct what the posteriors say of the whole pool by their mean residual on the subset.

    With T_ab the pool's confusion total of true class a and predicted class b, estimated as
    sum_D p(a|x) 1[pred = b] + (N/n) sum_L (1[y = a] - p(a|x)) 1[pred = b], accuracy is
    trace(T) / N, balanced accuracy and F1 follow from T as usual.
    """
    reason = _does_not_apply(subset.pool, measure, utility)
    if reason:
        return reason
    if measure == "roc_auc":
        return "the difference estimator has no form for ROC AUC"
    if utility != "none":
        return "the difference estimator has no form with utility weights"
    totals = _class_totals(subset)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = _from_totals(measure, *totals, subset.pool)
    values = np.where(np.isfinite(values), values, np.nan)
    if np.isnan(values[0]):
        return f"an estimated class total is not positive, so {measure} is undefined"
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
    measure: str, hits: np.ndarray, true: np.ndarray, predicted: np.ndarray, pool: Pool
) -> np.ndarray:
    if measure == "accuracy":
        return hits.sum(axis=1) / len(pool)
    if measure == "balanced_accuracy":
        return np.where(true > 0, hits / true, np.nan).mean(axis=1)
    positive = pool.classes.index(pool.positive)
    total = true[:, positive] + predicted[positive]
    return np.where(total > 0, 2 * hits[:, positive] / total, np.nan)


def _does_not_apply(pool: Pool, measure: str, utility: str) -> str | None:
    if measure in BINARY_MEASURES and len(pool.classes) != 2:
        return f"{measure} needs a binary task; this one has {len(pool.classes)} classes"
    if utility != "none" and utility not in pool.utilities:
        return f"this task has no {utility} utility, which needs subconcepts"
    return None


def _arguments(pool: Pool, rows: np.ndarray, labels: np.ndarray, measure: str) -> dict[str, Any]:
    """Return the arguments that `score` takes for some rows of a pool."""
    predictions = pool.predictions[rows]
    if len(pool.classes) != 2:
        classes = pool.classes if measure == "balanced_accuracy" else None
        return {"y_true": labels, "y_pred": predictions, "classes": classes}
    positive = pool.positive
    arguments = {
        "y_true": (labels == positive).astype(np.int64),
        "y_pred": (predictions == positive).astype(np.int64),
    }
    if measure == "roc_auc":
        arguments["y_score"] = pool.posteriors[rows, pool.classes.index(positive)]
    return arguments


def _resample(
    pool: Pool,
    labelled: np.ndarray,
    resamples: int,
    rng: np.random.Generator | None,
    sampler: str | None,
) -> tuple[np.ndarray, str | None]:
    """Return item counts, the sample itself first, and why there are no resamples if so."""
    counts = np.ones((1, len(labelled)))
    if len(labelled) == len(pool):
        return counts, None
    if sampler in DETERMINISTIC:
        return counts, NO_CHANCE
    if resamples < 1:
        return counts, "no resamples were asked for"
    groups = labelled if pool.recordings is None else np.asarray(pool.recordings)[labelled]
    names, group = np.unique(groups, return_inverse=True)
    if len(names) < 2:
        return counts, "the labelled items are all of one recording: nothing to resample"
    rng = generator(0, "bootstrap") if rng is None else rng
    drawn = rng.integers(len(names), size=(resamples, len(names)))
    drawn += len(names) * np.arange(resamples)[:, np.newaxis]
    times = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
    return np.vstack([counts, times[:, group]]), None


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
    low, high, reason = _interval(values[1:], level)
    if np.isnan(values).any():
        flags += ("undefined_resamples",)
    return Estimate(value, low, high, flags, reason)


def _interval(values: np.ndarray, level: float) -> tuple[float | None, float | None, str | None]:
    """Return the percentile interval of resampled values, or why there is none."""
    defined = np.sort(values[~np.isnan(values)])
    undefined = len(values) - len(defined)
    if undefined > MOST_UNDEFINED * len(values):
        return None, None, f"undefined in {undefined} of {len(values)} resamples"
    if defined[-1] - defined[0] < 1e-12:
        return None, None, "all resamples give the same value, which shows no uncertainty"
    low, high = (_quantile(defined, q) for q in ((1 - level) / 2, (1 + level) / 2))
    return low, high, None


def _quantile(ordered: np.ndarray, q: float) -> float:
    """Interpolate linearly, as numpy.quantile does, without its overhead."""
    position = q * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (position - below) * (ordered[above] - ordered[below]))


def _check_names(name: str, measures: Sequence[str], utilities: Sequence[str]) -> None:
    for what, given, known in (
        ("estimator", (name,), ESTIMATORS),
        ("measure", measures, MEASURES),
        ("utility", utilities, UTILITIES),
    ):
        for one in given:
            if one not in known:
                raise ValueError(f"unknown {what} {one!r}; there are {', '.join(known)}")


def _check_labelled(labelled: Any, size: int) -> np.ndarray:
    labelled = np.asarray(labelled)
    if labelled.ndim != 1 or len(labelled) == 0 or labelled.dtype.kind not in "iu":
        raise ValueError("labelled must be row numbers of the pool, at least one")
    outside = labelled[(labelled < 0) | (labelled >= size)]
    if len(outside):
        raise ValueError(f"labelled item {outside[0]} is not in the pool of {size} items")
    items, times = np.unique(labelled, return_counts=True)
    if len(items) < len(labelled):
        raise ValueError(f"item {items[times > 1][0]} is labelled twice")
    return labelled.astype(np.int64)


def _known_labels(
    pool: Pool, labelled: np.ndarray, correct: Any, labels: Any, measure: str
) -> np.ndarray | None:
    """Return the labels given, or those that `correct` implies; None if it implies none."""
    if correct is None and labels is None:
        raise ValueError("give correct, or the labels of the labelled items")
    predictions = pool.predictions[labelled]
    given = {"correct": correct, "labels": labels}
    given = {what: np.asarray(value) for what, value in given.items() if value is not None}
    for what, value in given.items():
        if value.shape != labelled.shape:
            raise ValueError(f"{len(labelled)} labelled items, but {what} of shape {value.shape}")
    if labels is None:
        return _labels_from_correct(pool, predictions, given["correct"].astype(bool), measure)
    unknown = set(given["labels"].tolist()) - set(pool.classes)
    if unknown:
        raise ValueError(f"label {min(unknown, key=str)!r} is not a class of the pool")
    hits = given["labels"] == predictions
    if correct is not None and (given["correct"].astype(bool) != hits).any():
        item = labelled[given["correct"].astype(bool) != hits][0]
        raise ValueError(f"correct and labels disagree on item {item}")
    return given["labels"]


def _labels_from_correct(
    pool: Pool, predictions: np.ndarray, correct: np.ndarray, measure: str
) -> np.ndarray | None:
    if len(pool.classes) == 2:
        first, second = pool.classes
        other = np.where(predictions == first, second, first)
        return np.where(correct, predictions, other)
    if measure != "accuracy":
        raise ValueError(f"{measure} of {len(pool.classes)} classes needs labels, not only correct")
    return None


def _reduced_to_correct(
    pool: Pool, labelled: np.ndarray, correct: np.ndarray
) -> tuple[Pool, np.ndarray]:
    """Return a binary pool of right and wrong predictions, which has the same accuracy."""
    classes = list(pool.classes)
    column = np.array([classes.index(one) for one in pool.predictions.tolist()])
    confidence = pool.posteriors[np.arange(len(pool)), column]
    reduced = Pool(
        pool.embeddings,
        np.column_stack([1 - confidence, confidence]),
        predictions=np.ones(len(pool), dtype=np.int64),
        recordings=pool.recordings,
        utilities=pool.utilities,
    )
    return reduced, correct.astype(np.int64)
