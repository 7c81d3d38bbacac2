"""The checked inputs of an evaluation: pool, labels, and how the labelled items were chosen."""

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from earnest.datasets import predictions
from earnest.estimates import Pool
from earnest.pools.checks import POSTERIOR_SUM_TOLERANCE
from earnest.protocols.ownpool import chances
from earnest.protocols.ownpool.reading import (
    Table,
    UnusableInput,
    check_labels_alike,
    listed,
    near,
    read_table,
    read_vectors,
)
from earnest.samplers.designs import Design
from earnest.utility import expected_utility

__all__ = ["Inputs", "UnusableInput", "read"]

POSTERIOR, SUBCONCEPT = "posterior_", "subconcept_"
KNOWN = ("item_id", "prediction", "confidence", "recording", "inclusion_probability", "sampler")
FEWEST_LABELS = 2


@dataclass(frozen=True)
class Inputs:
    """A pool, what is known of some of its items, and how these were chosen.

    Attributes
    ----------
    pool : earnest.estimates.Pool
        Items in the order of the table; classes are text.
    item_ids : ndarray (N,) of object
        Texts.
    labelled : ndarray (n,) int64
        Rows of the pool, ascending.
    labels : ndarray (n,) of object
        Texts.
    sampler : str or None
        The rule that chose them, where it is known.
    design : earnest.samplers.designs.Design or None
        The chances with which they were drawn, where they are known.
    subconcepts : ndarray (N,) of str or None
        The most probable subconcept of each item.
    only_confidence : bool
        Whether posteriors were made from a single number an item.
    named_positive : bool
        Whether the positive class was named, which F1 needs.
    notes : tuple of str
        What is worth knowing about the files.
    """

    pool: Pool
    item_ids: np.ndarray
    labelled: np.ndarray
    labels: np.ndarray
    sampler: str | None = None
    design: Design | None = None
    subconcepts: np.ndarray | None = None
    only_confidence: bool = False
    named_positive: bool = False
    notes: tuple[str, ...] = field(default=())


def read(
    pool: str | os.PathLike,
    labels: str | os.PathLike,
    *,
    embeddings: str | os.PathLike | np.ndarray | None = None,
    subconcepts: str | os.PathLike | None = None,
    drawn: str | os.PathLike | None = None,
    sampler: str | None = None,
    positive: str | None = None,
) -> Inputs:
    """Read and check what is known of a pool.

    Parameters
    ----------
    pool : path-like
        CSV, TSV or parquet with the columns `item_id` and `prediction`, and `confidence` (of the
        prediction) or one `posterior_CLASS` per class. Optional: `recording`, `sampler`,
        `inclusion_probability` (of the labelled items) and one `subconcept_NAME` per subconcept.
    labels : path-like
        The same kinds of file with the columns `item_id` and `label`.
    embeddings : path-like or ndarray (N, d), optional
        A .npy file whose rows are those of the pool.
    subconcepts : path-like, optional
        Table of the subconcepts with the columns `subconcept`, `side` and `train_size`, which
        utility weights need.
    drawn : path-like, optional
        The `next_labels.csv` of an earlier evaluation, by which further items were labelled.
    sampler : str, optional
        The rule that chose the labelled items, instead of the pool's column.
    positive : str, optional
        The positive class of a binary pool, which F1 and utility weights need.

    Returns
    -------
    Inputs

    Raises
    ------
    UnusableInput
        If anything in the files cannot be used; the message names file, row and remedy.
    """
    table = read_table(pool, "item_id", ("prediction",))
    labelled, values = read_labels(labels, table)
    predictions_ = table.texts("prediction", "predict every item or remove its row")
    notes = _unknown_columns(table)
    posteriors, names, seen = _posteriors(table, predictions_, values, labels)
    if positive is not None and positive not in names:
        raise UnusableInput(f"the positive class {positive!r} is not one of {listed(names, 20)}")
    sampler = sampler or _sampler(table, labelled)
    design, more = chances.known_chances(table, labelled, sampler, drawn)
    own, utilities, further = _subconcepts(table, subconcepts, len(names), positive)
    if isinstance(embeddings, (str, os.PathLike)):
        embeddings = read_vectors(embeddings, table.names)
    return Inputs(
        pool=Pool(
            embeddings, posteriors, predictions=predictions_, classes=names,
            recordings=_recordings(table), utilities=utilities, positive=positive,
        ),
        item_ids=table.names,
        labelled=labelled,
        labels=values,
        sampler=sampler,
        design=design,
        subconcepts=own,
        only_confidence=not _columns(table, POSTERIOR),
        named_positive=positive is not None,
        notes=(*notes, *seen, *more, *further),
    )  # fmt: skip


def read_labels(path: str | os.PathLike, pool: Table) -> tuple[np.ndarray, np.ndarray]:
    """Return the pool rows that have a label, ascending, and their labels.

    Raises
    ------
    UnusableInput
        If the table cannot be used, names items that are not in the pool, or has too few rows.
    """
    table = read_table(path, "item_id", ("label",))
    labels = table.texts("label", "label the item or remove its row")
    rows = chances.rows_of(table, pool)
    if len(rows) < FEWEST_LABELS:
        raise UnusableInput(
            f"{table.path}: {len(rows)} label is too few to say anything; label at least"
            f" {FEWEST_LABELS} items"
        )
    order = np.argsort(rows)
    return rows[order], labels[order]


def _columns(table: Table, prefix: str) -> list[str]:
    return [name for name in table.columns if name.startswith(prefix)]


def _unknown_columns(table: Table) -> list[str]:
    other = [
        name
        for name in table.columns
        if name not in KNOWN and not name.startswith((POSTERIOR, SUBCONCEPT))
    ]
    return [f"{table.path}: columns that nothing here reads: {listed(other, 20)}"] if other else []


def _posteriors(
    table: Table, predicted: np.ndarray, labels: np.ndarray, labels_path: str | os.PathLike
) -> tuple[np.ndarray, tuple[str, ...], list[str]]:
    """Return posteriors of all classes, the classes, and what to note."""
    columns = _columns(table, POSTERIOR)
    if not columns and "confidence" not in table.columns:
        raise UnusableInput(
            f"{table.path}: no column 'confidence' and none that begins with {POSTERIOR!r}; one of"
            f" them says how sure the model is; {near('confidence', table.columns)}"
        )
    own = {name.removeprefix(POSTERIOR) for name in columns}
    unheard = np.flatnonzero(~np.isin(predicted, sorted(own))) if own else []
    if len(unheard):
        row = unheard[0]
        raise UnusableInput(
            f"{table.place(row, 'prediction')}: {predicted[row]!r} has no column"
            f" {POSTERIOR + predicted[row]!r}; add it, or write both names the same way"
        )
    known = own or set(predicted.tolist())
    check_labels_alike(str(labels_path), labels, known)
    if not set(labels.tolist()) & known:
        raise UnusableInput(
            f"{labels_path}: none of its labels ({listed(sorted(set(labels.tolist())))}) is a class"
            f" of the pool ({listed(sorted(known))}); name classes alike in both files"
        )
    names = tuple(sorted(known | set(labels.tolist())))
    if len(names) < 2:
        raise UnusableInput(
            f"{table.path}: {names[0]!r} is the only class in predictions and labels; there is"
            f" nothing to get wrong. Give a {POSTERIOR}CLASS column for every class there is"
        )
    made = _read_posteriors(table, names) if columns else _spread(table, predicted, names)
    return made, names, _class_notes(table, predicted, labels, names, made)


def _class_notes(
    table: Table,
    predicted: np.ndarray,
    labels: np.ndarray,
    names: tuple[str, ...],
    posteriors: np.ndarray,
) -> list[str]:
    notes = []
    never = sorted(set(labels.tolist()) - set(predicted.tolist()))
    if never:
        notes.append(f"classes that are labels but never predicted: {listed(never, 20)}")
    own = posteriors[np.arange(len(table)), np.searchsorted(names, predicted)]
    other = int((own < posteriors.max(axis=1)).sum())
    if other and _columns(table, POSTERIOR):
        notes.append(f"{other} items are predicted to be of another class than the most probable")
    if _columns(table, POSTERIOR) and "confidence" in table.columns:
        notes.append("posteriors are used; the column 'confidence' beside them is not")
    return notes


def _read_posteriors(table: Table, names: tuple[str, ...]) -> np.ndarray:
    remedy = "posteriors are probabilities"
    columns = [
        table.numbers(POSTERIOR + name, remedy)
        if POSTERIOR + name in table.columns
        else np.zeros(len(table))
        for name in names
    ]
    return _normalised(table, np.column_stack(columns), POSTERIOR)


def _normalised(table: Table, values: np.ndarray, prefix: str) -> np.ndarray:
    """Return rows scaled to sum to 1, of which they may be off by rounding."""
    sums = values.sum(axis=1)
    wrong = np.flatnonzero(np.abs(sums - 1) > POSTERIOR_SUM_TOLERANCE)
    if len(wrong):
        raise UnusableInput(
            f"{table.place(wrong[0])}: columns {prefix}* sum to {sums[wrong[0]]:.6g} instead of 1"
            f" ({len(wrong)} such rows); are they scores before a softmax, or is a class missing?"
        )
    return values / sums[:, np.newaxis]


def _spread(table: Table, predicted: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """Return posteriors from confidences: what is left is shared evenly by the other classes."""
    sure = table.numbers("confidence", "confidence is the probability of the predicted class")
    posteriors = np.repeat(((1 - sure) / (len(names) - 1))[:, np.newaxis], len(names), axis=1)
    posteriors[np.arange(len(table)), np.searchsorted(names, predicted)] = sure
    return posteriors


def _recordings(table: Table) -> np.ndarray | None:
    if "recording" not in table.columns:
        return None
    return table.texts("recording", "name the recording, if need be the item itself")


def _sampler(table: Table, labelled: np.ndarray) -> str | None:
    if "sampler" not in table.columns:
        return None
    found = sorted(set(table.columns["sampler"][labelled].tolist()))
    # rows of several rules, or of none, have no rule that is known
    return found[0] if len(found) == 1 and found[0] else None


def _subconcepts(
    table: Table, sizes: str | os.PathLike | None, classes: int, positive: str | None
) -> tuple[np.ndarray | None, dict[str, Any], list[str]]:
    """Return the most probable subconcepts, utilities by name, and what to note."""
    columns = _columns(table, SUBCONCEPT)
    if not columns:
        if sizes is not None:
            raise UnusableInput(
                f"{table.path}: no columns {SUBCONCEPT}NAME, which {sizes} is about"
            )
        return None, {}, []
    values = np.column_stack([table.numbers(c, "posteriors are probabilities") for c in columns])
    values = _normalised(table, values, SUBCONCEPT)
    names = [column.removeprefix(SUBCONCEPT) for column in columns]
    own = np.asarray(names)[values.argmax(axis=1)]
    if sizes is None:
        note = "no table of subconcepts is given, so no score is weighted by their rarity"
        return own, {}, [note]
    if classes != 2 or positive is None:
        raise UnusableInput(
            f"{sizes}: weights of subconcepts are for two classes, one of them named as positive;"
            f" there are {classes}"
        )
    return own, {"predicted": _utility(names, values, sizes, table)}, []


def _utility(
    names: list[str], posteriors: np.ndarray, sizes: str | os.PathLike, table: Table
) -> np.ndarray:
    try:
        majority, minority, counts = predictions.read_subconcepts(sizes)
    except predictions.UnusablePredictions as error:
        raise UnusableInput(str(error)) from error
    odd = sorted(set(names) ^ {*majority, *minority})
    if odd:
        raise UnusableInput(
            f"{sizes} and {table.path} name different subconcepts: {odd[0]!r} is in one of them"
        )
    largest = max(counts[name] for name in majority)
    utility = dict.fromkeys(majority, 1.0) | {name: largest / counts[name] for name in minority}
    return expected_utility(posteriors, names, utility)
