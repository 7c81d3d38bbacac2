"""Accuracy, balanced accuracy, F1, ROC AUC and recall, with weights; what is undefined is said."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from earnest.records import Record, Registry, Words


@dataclass(frozen=True)
class Score:
    """A measure, or the reason why there is none.

    Attributes
    ----------
    value : float or None
        None when the measure is undefined.
    reason : str or None
        Why `value` is None; None otherwise.
    """

    value: float | None
    reason: str | None = None


def score(
    name: str,
    y_true: Any,
    y_pred: Any,
    *,
    y_score: Any = None,
    weights: Any = None,
    classes: Sequence[Any] | None = None,
) -> Score:
    """Score predictions, each item counting as much as its weight.

    Parameters
    ----------
    name : str
        A key of `MEASURES`.
    y_true : array-like (n,)
        True labels. `f1`, `roc_auc` and `recall` take 0 and 1 only, with 1 as the positive
        class; the others take any labels.
    y_pred : array-like (n,) or None
        Predicted labels; `roc_auc` does not look at them.
    y_score : array-like (n,), optional
        Larger means more likely positive; needed by `roc_auc`.
    weights : array-like (n,), optional
        Non-negative and finite, with a positive sum; their scale does not matter.
        None weighs all items alike.
    classes : sequence, optional
        The classes that balanced accuracy averages over. By default 0 and 1 when all labels
        are 0 or 1, else every label that occurs in `y_true` or `y_pred`.

    Returns
    -------
    Score
        Balanced accuracy is undefined when a class has no weight in `y_true`, ROC AUC when
        either class has none, F1 when no weighted item is or is predicted positive, recall
        when no weighted item is positive.

    Raises
    ------
    ValueError
        If the name is unknown, lengths differ, weights are negative, not finite or sum to
        zero, or labels or scores do not fit the measure.

    Notes
    -----
    Balanced accuracy follows "Correcting Performance Estimation Bias in Imbalanced
    Classification with Minority Subconcepts", Eq. 3 and 4, for any number of classes.
    """
    y_true = _labels("y_true", y_true)
    if len(y_true) == 0:
        return Score(None, "there are no items to score")
    weights = check_weights(weights, len(y_true))[np.newaxis]
    options = {"y_score": y_score, "weights": weights, "classes": classes}
    value = score_many(name, y_true, y_pred, **options)[0]
    if np.isnan(value):
        why = MEASURES[name].why_undefined
        reason = why(y_true, y_pred, weights[0], classes) if why else f"{name} is undefined here"
        return Score(None, reason)
    return Score(float(value))


def score_many(
    name: str,
    y_true: Any,
    y_pred: Any,
    *,
    y_score: Any = None,
    weights: np.ndarray,
    classes: Sequence[Any] | None = None,
) -> np.ndarray:
    """Score the same predictions under many weightings at once, as a bootstrap needs it.

    Parameters
    ----------
    name, y_true, y_pred, y_score, classes
        As in `score`.
    weights : ndarray (b, n) float64
        One weighting a row, taken as checked.

    Returns
    -------
    ndarray (b,) float64
        NaN where the measure is undefined.
    """
    if name not in MEASURES:
        raise ValueError(f"unknown measure {name!r}; there are {', '.join(MEASURES)}")
    y_true = _labels("y_true", y_true)
    if y_pred is None and MEASURES[name].needs_predictions:
        raise ValueError(f"{name} needs y_pred")
    y_pred = y_true if y_pred is None else _labels("y_pred", y_pred)
    for what, array in (("y_pred", y_pred), ("weights", weights.T)):
        if len(array) != len(y_true):
            raise ValueError(f"y_true has {len(y_true)} items, {what} has {len(array)}")
    with np.errstate(invalid="ignore", divide="ignore"):  # 0/0 is the NaN that callers look for
        return MEASURES[name](y_true, y_pred, y_score, weights, classes)


def check_weights(weights: Any, n: int) -> np.ndarray:
    """Return weights as float64 (n,), ones for None.

    Raises
    ------
    ValueError
        If there are not n, or if one is negative or not finite, or all are zero.
    """
    if weights is None:
        return np.ones(n)
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != (n,):
        raise ValueError(f"{n} items need weights of shape ({n},), not {weights.shape}")
    bad = np.flatnonzero(~np.isfinite(weights) | (weights < 0))
    if len(bad):
        raise ValueError(
            f"weight {bad[0]} is {weights[bad[0]]}; weights must be finite and not negative"
        )
    if n and weights.sum() == 0:
        raise ValueError("all weights are zero")
    return weights


def _accuracy(
    y_true: np.ndarray,
    y_pred: np.ndarray,
    y_score: Any,
    weights: np.ndarray,
    classes: Sequence[Any] | None,
) -> np.ndarray:
    return weights @ (y_true == y_pred).astype(np.float64) / weights.sum(axis=1)


def _balanced_accuracy(
    y_true: np.ndarray,
    y_pred: np.ndarray,
    y_score: Any,
    weights: np.ndarray,
    classes: Sequence[Any] | None,
) -> np.ndarray:
    averaged = _classes(y_true, y_pred, classes)
    if len(averaged) < 2:
        return np.full(len(weights), np.nan)
    member = (y_true[:, np.newaxis] == averaged).astype(np.float64)
    hit = member * (y_true == y_pred)[:, np.newaxis]
    return ((weights @ hit) / (weights @ member)).mean(axis=1)


def _f1(
    y_true: np.ndarray,
    y_pred: np.ndarray,
    y_score: Any,
    weights: np.ndarray,
    classes: Sequence[Any] | None,
) -> np.ndarray:
    _refuse_other_than_binary("f1", y_true, y_pred)
    true, predicted = y_true == 1, y_pred == 1
    hits = weights @ (true & predicted).astype(np.float64)
    return 2 * hits / (weights @ (true.astype(np.float64) + predicted))


def _recall(
    y_true: np.ndarray,
    y_pred: np.ndarray,
    y_score: Any,
    weights: np.ndarray,
    classes: Sequence[Any] | None,
) -> np.ndarray:
    _refuse_other_than_binary("recall", y_true, y_pred)
    true = (y_true == 1).astype(np.float64)
    return weights @ (true * (y_pred == 1)) / (weights @ true)


def _roc_auc(
    y_true: np.ndarray,
    y_pred: np.ndarray,
    y_score: Any,
    weights: np.ndarray,
    classes: Sequence[Any] | None,
) -> np.ndarray:
    """Weighted share of (positive, negative) pairs in the right order, ties counting half."""
    _refuse_other_than_binary("roc_auc", y_true)
    y_score = _scores(y_score, len(y_true))
    order = np.argsort(y_score, kind="stable")
    true = y_true[order] == 1
    above, below = y_score[order[true]], y_score[order[~true]]
    positive, negative = weights[:, order[true]], weights[:, order[~true]]
    # negative weight up to each rank, so that what lies below a positive is one look-up
    up_to = np.zeros((len(weights), len(below) + 1))
    np.cumsum(negative, axis=1, out=up_to[:, 1:])
    beaten = up_to[:, np.searchsorted(below, above, side="left")]
    tied_or_beaten = up_to[:, np.searchsorted(below, above, side="right")]
    pairs = np.einsum("bi,bi->b", positive, beaten + tied_or_beaten) / 2
    # Two orders of summing may differ by a rounding: a perfect ranking is 1, not more.
    return np.minimum(pairs / (positive.sum(axis=1) * up_to[:, -1]), 1.0)


def _labels(what: str, values: Any) -> np.ndarray:
    values = np.asarray(values)
    if values.ndim != 1:
        raise ValueError(f"{what} must have one dimension, not shape {values.shape}")
    return values


def _scores(y_score: Any, n: int) -> np.ndarray:
    if y_score is None:
        raise ValueError("roc_auc needs y_score")
    y_score = np.asarray(y_score, dtype=np.float64)
    if y_score.shape != (n,):
        raise ValueError(f"{n} items need y_score of shape ({n},), not {y_score.shape}")
    if not np.isfinite(y_score).all():
        row = np.flatnonzero(~np.isfinite(y_score))[0]
        raise ValueError(f"y_score {row} is {y_score[row]}; scores must be finite")
    return y_score


def _classes(y_true: np.ndarray, y_pred: np.ndarray, classes: Sequence[Any] | None) -> np.ndarray:
    """Return the classes that balanced accuracy averages over."""
    if classes is not None:
        unknown = sorted(set(np.unique(y_true).tolist()) - set(np.asarray(classes).tolist()))
        if unknown:
            raise ValueError(f"y_true holds {unknown[0]!r}, which is not one of the classes")
        return np.asarray(classes)
    if (y_true.dtype.kind in "biuf") != (y_pred.dtype.kind in "biuf"):
        raise ValueError("y_true and y_pred hold labels of different kinds: numbers and text")
    found = np.unique(np.concatenate([y_true, y_pred]))
    return np.array([0, 1]) if _is_binary(found) else found


def _is_binary(values: np.ndarray) -> bool:
    return values.dtype.kind in "biuf" and bool(np.isin(values, (0, 1)).all())


def _refuse_other_than_binary(name: str, *labels: np.ndarray) -> None:
    for values in labels:
        if not _is_binary(values):
            raise ValueError(f"{name} takes labels 0 and 1 only, with 1 as the positive class")


def _no_positive(
    y_true: np.ndarray, y_pred: Any, weights: np.ndarray, classes: Sequence[Any] | None
) -> str:
    return "no item is or is predicted positive, so F1 is undefined"


def _none_of_the_class(
    y_true: np.ndarray, y_pred: Any, weights: np.ndarray, classes: Sequence[Any] | None
) -> str:
    return "no labelled item of this class, so its recall is undefined"


def _balanced_accuracy_lacks(
    y_true: np.ndarray, y_pred: Any, weights: np.ndarray, classes: Sequence[Any] | None
) -> str:
    needed = _classes(y_true, np.asarray(y_pred), classes)
    return _lacking("balanced accuracy", y_true, weights, needed)


def _roc_auc_lacks(
    y_true: np.ndarray, y_pred: Any, weights: np.ndarray, classes: Sequence[Any] | None
) -> str:
    return _lacking("ROC AUC", y_true, weights, np.array([0, 1]))


def _lacking(label: str, y_true: np.ndarray, weights: np.ndarray, needed: np.ndarray) -> str:
    missing = [str(c) for c in needed.tolist() if not weights[y_true == c].sum() > 0]
    if missing:
        return f"no labelled item of class {', '.join(missing)}, so {label} is undefined"
    return f"there is only the class {needed[0]}, so {label} is undefined"


@dataclass(frozen=True)
class Measure(Record):
    """One way to score predictions.

    Attributes
    ----------
    function : callable
        Takes true labels, predicted labels and scores (n,), weightings (b, n) and the classes;
        returns float64 (b,), NaN where undefined.
    words : Words
        The label is lower case where it is no acronym.
    why_undefined : callable, optional
        Takes true labels, predicted labels, weights (n,) and the classes; returns why the
        measure of these items is undefined. None for one that always has a value.
    needs_predictions : bool
        Whether it looks at the predicted labels.
    is_binary : bool
        Whether it makes sense for two classes only.
    """

    why_undefined: Callable[..., str] | None = None
    needs_predictions: bool = True
    is_binary: bool = False


MEASURES = Registry(
    "measures",
    Measure,
    {
        "accuracy": Measure(
            _accuracy,
            words=Words(label="accuracy", meaning="the share of items the model gets right"),
        ),
        "balanced_accuracy": Measure(
            _balanced_accuracy,
            why_undefined=_balanced_accuracy_lacks,
            words=Words(
                label="balanced accuracy",
                meaning="the share it gets right within each class, averaged over the classes,"
                " so that a small class counts as much as a large one",
            ),
        ),
        "f1": Measure(
            _f1,
            why_undefined=_no_positive,
            is_binary=True,
            words=Words(
                label="F1", meaning="how well the minority class is found without false alarms"
            ),
        ),
        "roc_auc": Measure(
            _roc_auc,
            why_undefined=_roc_auc_lacks,
            needs_predictions=False,
            is_binary=True,
            words=Words(
                label="ROC AUC",
                meaning="how often a minority item is ranked above a majority item",
            ),
        ),
        "recall": Measure(
            _recall,
            why_undefined=_none_of_the_class,
            words=Words(
                label="recall",
                meaning="the share of the items of one class that the model finds",
            ),
        ),
    },
)
BINARY_MEASURES = MEASURES.having("is_binary")
