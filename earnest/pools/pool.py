"""The pool that estimates are about."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from earnest.measures import BINARY_MEASURES, check_weights
from earnest.pools.checks import check_posteriors


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
    # None, when not given, is gone after __post_init__: whoever has a pool has both.
    predictions: np.ndarray = None  # type: ignore[assignment]  # filled by __post_init__
    classes: tuple[Any, ...] = None  # type: ignore[assignment]  # filled by __post_init__
    recordings: np.ndarray | None = None
    utilities: dict[str, np.ndarray] = field(default_factory=dict)
    positive: Any = None
    _known: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        posteriors = np.asarray(self.posteriors, dtype=np.float64)
        if posteriors.ndim != 2 or not np.isfinite(posteriors).all():
            raise ValueError("posteriors must be finite, one row an item and one column a class")
        check_posteriors(posteriors, len(posteriors), "a pool")
        n, c = posteriors.shape
        given: Any = self.classes
        classes = tuple(range(c)) if given is None else tuple(given)
        if len(set(classes)) != c:
            raise ValueError(f"posteriors have {c} columns, but the classes are {classes}")
        predictions: Any = self.predictions
        if predictions is None:
            predictions = np.asarray(classes)[posteriors.argmax(axis=1)]
        positive = classes[-1] if self.positive is None and c == 2 else self.positive
        self._set("posteriors", posteriors)
        self._set("predictions", _check_predictions(predictions, classes, n))
        self._set("classes", classes)
        self._set("positive", positive)
        self._set("utilities", {k: check_weights(v, n) for k, v in self.utilities.items()})
        if positive is not None and positive not in classes:
            raise ValueError(f"the positive class {positive!r} is not one of {classes}")
        if self.recordings is not None and len(self.recordings) != n:
            raise ValueError(f"{n} posteriors, but {len(self.recordings)} recordings")

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.posteriors)

    def once(self, key: str, make: Callable[[], Any]) -> Any:
        """Return what `make` returns, called when the key is first asked for."""
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]


def _check_predictions(predictions: Any, classes: tuple[Any, ...], n: int) -> np.ndarray:
    predictions = np.asarray(predictions)
    if predictions.shape != (n,):
        raise ValueError(f"{n} posteriors, but predictions of shape {predictions.shape}")
    unknown = set(predictions.tolist()) - set(classes)
    if unknown:
        raise ValueError(f"prediction {min(unknown, key=str)!r} is not one of the classes")
    return predictions


def confidences(pool: Pool) -> np.ndarray:
    """Return the posterior of each item's predicted class, (N,) float64."""
    classes = np.asarray(pool.classes)
    order = np.argsort(classes)
    column = order[np.searchsorted(classes, pool.predictions, sorter=order)]
    return pool.posteriors[np.arange(len(pool)), column]


def class_of(pool: Pool, measure: str) -> Any:
    """Return the class that a recall is about, as `recall:dog` names it; None for other measures.

    Raises
    ------
    ValueError
        If the pool has no such class.
    """
    name, _, wanted = measure.partition(":")
    if name != "recall":
        return None
    if not wanted:
        return pool.positive
    found = [one for one in pool.classes if str(one) == wanted]
    if not found:
        known = ", ".join(map(str, pool.classes))
        raise ValueError(f"{measure}: no class {wanted!r} in the pool; there are {known}")
    return found[0]


def each_measure(classes: Sequence[Any], measures: Sequence[str]) -> tuple[str, ...]:
    """Return the measures with `recall` spelled out for every class, as `recall:dog`."""
    found: list[str] = []
    for measure in measures:
        found += [f"recall:{c}" for c in classes] if measure == "recall" else [measure]
    return tuple(found)


def why_not_applicable(pool: Pool, measure: str, utility: str) -> str | None:
    """Say why a measure or a utility makes no sense for a pool; None if it does."""
    if measure in BINARY_MEASURES and len(pool.classes) != 2:
        return f"{measure} needs a binary task; this one has {len(pool.classes)} classes"
    if measure == "recall" and pool.positive is None:
        return f"recall needs one of the {len(pool.classes)} classes, as in recall:class"
    if utility != "none" and utility not in pool.utilities:
        return f"this task has no {utility} utility, which needs subconcepts"
    return None


def score_arguments(
    pool: Pool, rows: np.ndarray, labels: np.ndarray, measure: str
) -> dict[str, Any]:
    """Return the arguments that `score` takes for some rows of a pool, its name included."""
    predictions = pool.predictions[rows]
    own = class_of(pool, measure)
    if own is not None:
        return {"name": "recall", "y_true": (labels == own) * 1, "y_pred": (predictions == own) * 1}
    if len(pool.classes) != 2:
        classes = pool.classes if measure == "balanced_accuracy" else None
        return {"name": measure, "y_true": labels, "y_pred": predictions, "classes": classes}
    positive = pool.positive
    arguments = {
        "name": measure,
        "y_true": (labels == positive).astype(np.int64),
        "y_pred": (predictions == positive).astype(np.int64),
    }
    if measure == "roc_auc":
        arguments["y_score"] = pool.posteriors[rows, pool.classes.index(positive)]
    return arguments
