"""Predictions of a model trained elsewhere: one row a test item, CSV or parquet."""

import os
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from earnest.io.cells import Table, UnusableInput, as_floats, refuse_alike
from earnest.io.names import nearest, shown
from earnest.io.strict import read_texts

POSTERIOR = "posterior:"
NEEDED = ("y_true", "prediction", "score")
SUBCONCEPT_COLUMNS = ("subconcept", "side", "train_size")
SIDES = ("majority", "minority")


@dataclass(frozen=True)
class Predictions:
    """What a model predicted for test items, and what its subconcepts are.

    Attributes
    ----------
    is_minority, predicted : ndarray (n,) bool
    scores : ndarray (n,) float64
        Larger means more likely minority.
    posteriors : ndarray (n, c) float64
        Of the subconcepts, rows summing to 1.
    subconcept : ndarray (n,) of str or None
        The true ones; None where the file does not hold them.
    repeat, fold : ndarray (n,) int64
        Zero where the file does not hold them.
    majority, minority : tuple of str
        Subconcepts of each side, largest first; posteriors have the columns of both, in this
        order.
    train_sizes : dict of str to int
        Training items of each subconcept.
    """

    is_minority: np.ndarray
    predicted: np.ndarray
    scores: np.ndarray
    posteriors: np.ndarray
    subconcept: np.ndarray | None
    repeat: np.ndarray
    fold: np.ndarray
    majority: tuple[str, ...]
    minority: tuple[str, ...]
    train_sizes: dict[str, int]


def read(path: str | os.PathLike[str], subconcepts: str | os.PathLike[str]) -> Predictions:
    """Read predictions and the table of subconcepts.

    Parameters
    ----------
    path : path-like
        CSV (or TSV, by its suffix) or parquet with the columns `y_true` and `prediction` (0 for
        majority, 1 for minority), `score`, one `posterior:NAME` per subconcept, and, where they
        are known, `subconcept`, `repeat` and `fold`.
    subconcepts : path-like
        The same kinds of file with the columns `subconcept`, `side` (majority or minority) and
        `train_size`.

    Returns
    -------
    Predictions

    Raises
    ------
    UnusableInput
        If a file or column is missing, a posterior is of a subconcept that the table does not
        name or the other way round, or a cell has a value that it cannot have.
    """
    majority, minority, sizes = read_subconcepts(subconcepts)
    table = _read_rows(path, NEEDED)
    is_minority = _binary(table, "y_true")
    return Predictions(
        is_minority=is_minority,
        predicted=_binary(table, "prediction"),
        scores=table.finite("score"),
        posteriors=_posteriors(table, (*majority, *minority)),
        subconcept=_true_subconcepts(table, is_minority, majority, minority),
        repeat=_whole(table, "repeat"),
        fold=_whole(table, "fold"),
        majority=majority,
        minority=minority,
        train_sizes=sizes,
    )


def _read_rows(path: str | os.PathLike[str], needed: Sequence[str]) -> Table:
    table = read_texts(path, needed)
    if len(table) == 0:
        raise UnusableInput(f"{path}: no rows")
    return table


def read_subconcepts(
    path: str | os.PathLike[str],
) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, int]]:
    """Read the table of subconcepts.

    Parameters
    ----------
    path : path-like
        As for `read`.

    Returns
    -------
    majority, minority : tuple of str
        Largest first.
    train_sizes : dict of str to int

    Raises
    ------
    UnusableInput
        If a column or a side is missing, a name is there twice or differs from another only by
        case, blanks or look-alikes, or a cell has a value that it cannot have.
    """
    table = _read_rows(path, SUBCONCEPT_COLUMNS)
    names = table.texts("subconcept", "every subconcept needs a name").tolist()
    sides = table.columns["side"]
    table.refuse("side", ~np.isin(sides, SIDES), f"is neither of {SIDES}")
    sizes = table.finite("train_size")
    table.refuse("train_size", (sizes < 1) | (sizes != np.floor(sizes)), "is no number of items")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise UnusableInput(f"{path}: subconcept {twice[0]!r} is there twice")
    refuse_alike(f"{path}, column 'subconcept'", names)
    order = sorted(zip(names, sides.tolist(), sizes, strict=True), key=lambda row: -row[2])
    majority, minority = (tuple(name for name, s, _ in order if s == side) for side in SIDES)
    for side, members in zip(SIDES, (majority, minority), strict=True):
        if not members:
            raise UnusableInput(f"{path}: no {side} subconcept")
    return majority, minority, {name: int(size) for name, _, size in order}


def _binary(table: Table, column: str) -> np.ndarray:
    cells = table.columns[column]
    written = {"true": "1", "false": "0"}
    values = as_floats(np.array([written.get(c.lower(), c) for c in cells.tolist()], dtype=object))
    table.refuse(column, ~np.isin(values, (0, 1)), "is neither 0 nor 1")
    return values == 1


def _whole(table: Table, column: str) -> np.ndarray:
    if column not in table.columns:
        return np.zeros(len(table), dtype=np.int64)
    values = table.finite(column)
    table.refuse(column, (values < 0) | (values != np.floor(values)), "is no whole number")
    return values.astype(np.int64)


def _posteriors(table: Table, names: tuple[str, ...]) -> np.ndarray:
    columns = [name for name in table.columns if name.startswith(POSTERIOR)]
    given = [name.removeprefix(POSTERIOR) for name in columns]
    unknown = [name for name in given if name not in names]
    if unknown:
        raise UnusableInput(
            f"{table.path}: posteriors of {unknown[0]!r}, which is none of the subconcepts:"
            f" {', '.join(names)}{_hint(unknown[0], names)}"
        )
    lacking = [name for name in names if name not in given]
    if lacking:
        raise UnusableInput(f"{table.path}: no column {POSTERIOR + lacking[0]!r}")
    remedy = "posteriors are probabilities"
    values = np.column_stack([table.numbers(POSTERIOR + name, remedy) for name in names])
    posteriors, notes = table.normalised(values, POSTERIOR)
    for note in notes:
        warnings.warn(note, stacklevel=3)
    return posteriors


def _hint(name: str, known: Sequence[str]) -> str:
    meant = nearest(name, known)
    return "" if meant is None else f"; did you mean {shown(meant, name)}?"


def _true_subconcepts(
    table: Table, is_minority: np.ndarray, majority: tuple[str, ...], minority: tuple[str, ...]
) -> np.ndarray | None:
    if "subconcept" not in table.columns:
        return None
    names = table.columns["subconcept"]
    for row, (name, rare) in enumerate(zip(names.tolist(), is_minority, strict=True)):
        side = minority if rare else majority
        if name not in side:
            raise UnusableInput(
                f"{table.place(row)}: {name!r} is no {SIDES[int(rare)]} subconcept"
                f"{_hint(name, (*majority, *minority))}"
            )
    return names.astype(str)
