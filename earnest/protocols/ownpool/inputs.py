"""The checked inputs of an evaluation: pool, labels, and how the labelled items were chosen."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from earnest.datasets import predictions
from earnest.estimates import Pool
from earnest.io.cells import Table, UnusableInput, listed, refuse_alike
from earnest.io.strict import read_texts
from earnest.protocols.ownpool import chances
from earnest.protocols.ownpool.posteriors import POSTERIOR, columns_of, read_posteriors
from earnest.protocols.ownpool.reading import read_vectors
from earnest.samplers.designs import Design
from earnest.utility import expected_utility

__all__ = ["Inputs", "UnusableInput", "read"]

SUBCONCEPT = "subconcept_"
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
    pool: str | os.PathLike[str],
    labels: str | os.PathLike[str],
    *,
    embeddings: str | os.PathLike[str] | np.ndarray | None = None,
    subconcepts: str | os.PathLike[str] | None = None,
    drawn: str | os.PathLike[str] | None = None,
    sampler: str | None = None,
    positive: str | None = None,
    accept_new_classes: Sequence[str] = (),
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
    accept_new_classes : sequence of str
        Classes that are meant although they are nearly the name of another.

    Returns
    -------
    Inputs

    Raises
    ------
    UnusableInput
        If anything in the files cannot be used; the message names file, row and remedy.
    """
    table = read_texts(pool, ("prediction",), key="item_id")
    labelled, values = read_labels(labels, table, accept_new_classes)
    remedy = "predict every item or remove its row"
    predicted = table.classes("prediction", remedy, accept_new_classes)
    notes = _unknown_columns(table)
    posteriors, names, seen = read_posteriors(table, predicted, values, labels, accept_new_classes)
    if positive is not None and positive not in names:
        raise UnusableInput(f"the positive class {positive!r} is not one of {listed(names, 20)}")
    sampler = sampler or _sampler(table, labelled)
    design, more = chances.known_chances(table, labelled, sampler, drawn)
    own, utilities, further = _subconcepts(table, subconcepts, len(names), positive)
    if isinstance(embeddings, (str, os.PathLike)):
        embeddings = read_vectors(embeddings, table.names)
    return Inputs(
        pool=Pool(
            embeddings, posteriors, predictions=predicted, classes=names,
            recordings=_recordings(table), utilities=utilities, positive=positive,
        ),
        item_ids=table.names,
        labelled=labelled,
        labels=values,
        sampler=sampler,
        design=design,
        subconcepts=own,
        only_confidence=not columns_of(table, POSTERIOR),
        named_positive=positive is not None,
        notes=(*notes, *seen, *more, *further),
    )  # fmt: skip


def read_labels(
    path: str | os.PathLike[str], pool: Table, accepted: Sequence[str] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """Return the pool rows that have a label, ascending, and their labels.

    Raises
    ------
    UnusableInput
        If the table cannot be used, names items that are not in the pool, or has too few rows.
    """
    table = read_texts(path, ("label",), key="item_id")
    labels = table.classes("label", "label the item or remove its row", accepted)
    rows = chances.rows_of(table, pool)
    if len(rows) < FEWEST_LABELS:
        raise UnusableInput(
            f"{table.path}: {len(rows)} label is too few to say anything; label at least"
            f" {FEWEST_LABELS} items"
        )
    order = np.argsort(rows)
    return rows[order], labels[order]


def _unknown_columns(table: Table) -> list[str]:
    other = [
        name
        for name in table.columns
        if name not in KNOWN and not name.startswith((POSTERIOR, SUBCONCEPT))
    ]
    return [f"{table.path}: columns that nothing here reads: {listed(other, 20)}"] if other else []


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
    table: Table, sizes: str | os.PathLike[str] | None, classes: int, positive: str | None
) -> tuple[np.ndarray | None, dict[str, Any], list[str]]:
    """Return the most probable subconcepts, utilities by name, and what to note."""
    columns = columns_of(table, SUBCONCEPT)
    if not columns:
        if sizes is not None:
            raise UnusableInput(
                f"{table.path}: no columns {SUBCONCEPT}NAME, which {sizes} is about"
            )
        return None, {}, []
    values = np.column_stack([table.numbers(c, "posteriors are probabilities") for c in columns])
    values, notes = table.normalised(values, SUBCONCEPT)
    names = [column.removeprefix(SUBCONCEPT) for column in columns]
    refuse_alike(f"{table.path}: columns {SUBCONCEPT}*", names)
    own = np.asarray(names)[values.argmax(axis=1)]
    if sizes is None:
        note = "no table of subconcepts is given, so no score is weighted by their rarity"
        return own, {}, [*notes, note]
    if classes != 2 or positive is None:
        raise UnusableInput(
            f"{sizes}: weights of subconcepts are for two classes, one of them named as positive;"
            f" there are {classes}"
        )
    return own, {"predicted": _utility(names, values, sizes, table)}, notes


def _utility(
    names: list[str], posteriors: np.ndarray, sizes: str | os.PathLike[str], table: Table
) -> np.ndarray:
    majority, minority, counts = predictions.read_subconcepts(sizes)
    odd = sorted(set(names) ^ {*majority, *minority})
    if odd:
        raise UnusableInput(
            f"{sizes} and {table.path} name different subconcepts: {odd[0]!r} is in one of them"
        )
    largest = max(counts[name] for name in majority)
    utility = dict.fromkeys(majority, 1.0) | {name: largest / counts[name] for name in minority}
    return expected_utility(posteriors, names, utility)
