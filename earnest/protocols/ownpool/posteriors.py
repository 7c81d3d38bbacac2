"""Classes of a pool and their probabilities, from columns of posteriors or of confidence alone."""

import os
from collections import Counter
from collections.abc import Collection

import numpy as np

from earnest.io import names as class_names
from earnest.io.cells import Table, UnusableInput, listed, refuse_alike
from earnest.io.strict import near

POSTERIOR = "posterior_"
FEW, FEW_SHARE = 5, 0.05  # items whose columns may contradict each other, the larger of both


def columns_of(table: Table, prefix: str) -> list[str]:
    """Return the columns of a table that begin with a prefix."""
    return [name for name in table.columns if name.startswith(prefix)]


def read_posteriors(
    table: Table,
    predicted: np.ndarray,
    labels: np.ndarray,
    labels_path: str | os.PathLike[str],
    accepted: Collection[str] = (),
) -> tuple[np.ndarray, tuple[str, ...], list[str]]:
    """Return posteriors of all classes, the classes, and what to note.

    Parameters
    ----------
    table : Table
        The pool.
    predicted : ndarray (N,) of str
    labels : ndarray (n,) of str
    labels_path : path-like
    accepted : collection of str
        Classes that are meant as they are, however near another they are.

    Returns
    -------
    posteriors : ndarray (N, C) float64
        Rows sum to 1.
    classes : tuple of str
        Of predictions, columns and labels, sorted.
    notes : list of str

    Raises
    ------
    UnusableInput
        If classes are missing, differ only by case, blanks or look-alikes, a label is probably a
        misspelt class, or the columns contradict the predictions.
    """
    columns = columns_of(table, POSTERIOR)
    if not columns and "confidence" not in table.columns:
        raise UnusableInput(
            f"{table.path}: no column 'confidence' and none that begins with {POSTERIOR!r}; one of"
            f" them says how sure the model is; {near('confidence', table.columns)}"
        )
    given = {name.removeprefix(POSTERIOR) for name in columns}
    refuse_alike(f"{table.path}: columns {POSTERIOR}*", given, accepted)
    unheard = np.flatnonzero(~np.isin(predicted, sorted(given))) if given else []
    if len(unheard):
        row = unheard[0]
        raise UnusableInput(
            f"{table.place(row, 'prediction')}: {predicted[row]!r} has no column"
            f" {POSTERIOR + predicted[row]!r}{_nearest(predicted[row], given)}; add it, or write"
            " both names the same way"
        )
    known = given or set(predicted.tolist())
    check_labels(str(labels_path), labels.tolist(), known, accepted)
    classes = tuple(sorted(known | set(labels.tolist())))
    if len(classes) < 2:
        raise UnusableInput(
            f"{table.path}: {classes[0]!r} is the only class in predictions and labels; there is"
            f" nothing to get wrong. Give a {POSTERIOR}CLASS column for every class there is"
        )
    notes = _never_predicted(predicted, labels)
    if not columns:
        return _spread(table, predicted, classes), classes, notes
    posteriors, more = _of_columns(table, classes)
    return posteriors, classes, notes + _contradictions(table, predicted, classes, posteriors, more)


def check_labels(
    where: str, labels: Collection[str], known: Collection[str], accepted: Collection[str] = ()
) -> None:
    """Refuse labels that are probably a class of the pool, written in another way.

    Raises
    ------
    UnusableInput
    """
    for label in sorted(set(labels) - set(known) - set(accepted)):
        pair = next((name for name in sorted(known) if _same(name, label)), None)
        if pair is not None:
            raise UnusableInput(
                f"{where}: {class_names.shown(label, pair)} and the class"
                f" {class_names.shown(pair, label)} of the pool differ only by case, spaces or"
                " letters that look alike; write both the same way"
            )
    if not set(labels) & set(known):
        raise UnusableInput(
            f"{where}: none of its labels ({listed(sorted(set(labels)))}) is a class"
            f" of the pool ({listed(sorted(known))}); name classes alike in both files"
        )
    counts = Counter(labels)
    for label in sorted(set(labels) - set(known) - set(accepted)):
        meant = class_names.nearest(label, known)
        if meant is not None:
            raise UnusableInput(
                f"{where}: {label!r} ({counts[label]} labels) is no class of the pool; did you mean"
                f" {meant!r}? Correct it, or accept it as a class of its own with"
                f" accept_new_classes (--accept-new-classes {label!r})"
            )


def _same(first: str, second: str) -> bool:
    return class_names.skeleton(first) == class_names.skeleton(second)


def _nearest(name: str, known: Collection[str]) -> str:
    meant = class_names.nearest(name, known)
    return "" if meant is None else f" (there is {class_names.shown(POSTERIOR + meant, name)})"


def _never_predicted(predicted: np.ndarray, labels: np.ndarray) -> list[str]:
    never = sorted(set(labels.tolist()) - set(predicted.tolist()))
    if not never:
        return []
    count = int(np.isin(labels, never).sum())
    return [
        f"classes that are labels but never predicted: {listed(never, 20)}; no prediction can meet"
        f" {count} of the {len(labels)} labels"
    ]


def _of_columns(table: Table, classes: tuple[str, ...]) -> tuple[np.ndarray, list[str]]:
    columns = [
        table.numbers(POSTERIOR + name, "posteriors are probabilities")
        if POSTERIOR + name in table.columns
        else np.zeros(len(table))
        for name in classes
    ]
    return table.normalised(np.column_stack(columns), POSTERIOR)


def _contradictions(
    table: Table,
    predicted: np.ndarray,
    classes: tuple[str, ...],
    posteriors: np.ndarray,
    notes: list[str],
) -> list[str]:
    """Return what to note of predictions beside posteriors; refuse those of other classes."""
    places = np.searchsorted(classes, predicted)
    unlike = posteriors[np.arange(len(table)), places] < posteriors.max(axis=1)
    count = int(unlike.sum())
    if count > _few(len(table)) and not _is_threshold(posteriors, places):
        largest = posteriors.argmax(axis=1)
        (place, other), often = Counter(
            zip(places[unlike].tolist(), largest[unlike].tolist(), strict=True)
        ).most_common(1)[0]
        raise UnusableInput(
            f"{table.path}: {count} of {len(table)} items are predicted to be of another class than"
            f" the most probable: where {classes[place]!r} is predicted,"
            f" {POSTERIOR + classes[other]!r} is the largest in {often} rows; are the columns"
            " exchanged, or are they of another model?"
        )
    if count:
        notes = [
            *notes,
            f"{count} items are predicted to be of another class than the most probable",
        ]
    if "confidence" in table.columns:
        notes = [*notes, "posteriors are used; the column 'confidence' beside them is not"]
    return notes


def _few(items: int) -> float:
    return max(FEW, FEW_SHARE * items)


def _is_threshold(posteriors: np.ndarray, places: np.ndarray) -> bool:
    """Tell two classes that a threshold other than 1/2 parts."""
    if posteriors.shape[1] != 2 or len(np.unique(places)) < 2:
        return False
    return bool(posteriors[places == 1, 1].min() >= posteriors[places == 0, 1].max())


def _spread(table: Table, predicted: np.ndarray, classes: tuple[str, ...]) -> np.ndarray:
    """Return posteriors from confidences: what is left is shared evenly by the other classes."""
    sure = table.numbers("confidence", "confidence is the probability of the predicted class")
    small = sure < 1 / len(classes) - 1e-9
    if small.sum() > _few(len(table)):
        raise UnusableInput(
            f"{table.path}, column 'confidence': {int(small.sum())} of {len(table)} are below"
            f" 1/{len(classes)}, which the probability of the most probable of {len(classes)}"
            f" classes cannot be{_guess(sure, predicted, classes)}; give the probability of the"
            f" class that is predicted, or {POSTERIOR}CLASS columns for every class of the model"
        )
    posteriors = np.repeat(((1 - sure) / (len(classes) - 1))[:, np.newaxis], len(classes), axis=1)
    posteriors[np.arange(len(table)), np.searchsorted(classes, predicted)] = sure
    return posteriors


def _guess(sure: np.ndarray, predicted: np.ndarray, classes: tuple[str, ...]) -> str:
    """Say of which class the confidences probably are the probability."""
    means = {name: sure[predicted == name].mean() for name in sorted(set(predicted.tolist()))}
    if len(classes) == 2 and len(means) == 2:
        return (
            f"; is it the probability of {max(means, key=lambda name: means[name])!r} in every row?"
        )
    return "; is it the probability of one class in every row, or a score?"
