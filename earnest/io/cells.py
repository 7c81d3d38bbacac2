"""Cells of a table that somebody else wrote: texts, classes, numbers; every error has a place."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from earnest.io import names

SHOWN = 5
TOLERANCE = 1e-3  # of probabilities: by how much one may leave 0 to 1, and a row miss a sum of 1
COARSEST_DIGITS = 2  # of probabilities that count as rounded


class UnusableInput(ValueError):
    """A file of the user cannot be used; the message says where and what to do."""


@dataclass(frozen=True)
class Table:
    """A table of text cells as it stands in a file.

    Attributes
    ----------
    path : pathlib.Path
    columns : dict of str to ndarray (N,) of object
        Texts in Unicode's normal form C, empty where a cell is empty.
    lines : ndarray (N,) of int64
        The line of each row in a text file, the row counted from 1 in parquet.
    names : ndarray (N,) of object
        What each row is about, for messages; empty where rows have no names.
    """

    path: Path
    columns: dict[str, np.ndarray]
    lines: np.ndarray
    names: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=object))

    def __len__(self) -> int:
        return len(self.lines)

    def place(self, row: int, column: str | None = None) -> str:
        """Return how a message names a cell: file, row counted from 1, item, column."""
        where = f"{self.path}, row {row + 1}"
        where += f" ({self.names[row]!r})" if len(self.names) else ""
        return where if column is None else f"{where}, column {column!r}"

    def texts(self, column: str, remedy: str) -> np.ndarray:
        """Return a column in which every cell holds a text.

        Raises
        ------
        UnusableInput
            If a cell is empty.
        """
        values = self.columns[column]
        empty = np.flatnonzero(values == "")
        if len(empty):
            raise UnusableInput(
                f"{self.place(empty[0], column)}: the cell is empty, as are {len(empty) - 1}"
                f" others; {remedy}"
            )
        return values

    def classes(self, column: str, remedy: str, accepted: Sequence[str] = ()) -> np.ndarray:
        """Return a column of class names.

        Raises
        ------
        UnusableInput
            If a cell is empty or JSON, or two classes differ only by case, blanks or look-alikes.
        """
        values = self.texts(column, remedy)
        for name in sorted(set(values.tolist())):
            if is_json(name):
                row = int(np.flatnonzero(values == name)[0])
                raise UnusableInput(
                    f"{self.place(row, column)}: {name!r} is JSON, as labelling tools export it;"
                    " write the name of the one class"
                )
        refuse_alike(f"{self.path}, column {column!r}", values.tolist(), accepted)
        return values

    def numbers(self, column: str, remedy: str, *, empty: bool = False) -> np.ndarray:
        """Return a column of numbers from 0 to 1, NaN where a cell may be and is empty.

        What leaves this range by rounding alone (at most `TOLERANCE`) is taken for its end.

        Raises
        ------
        UnusableInput
            If a cell holds none.
        """
        values = self.columns[column]
        numbers = as_floats(values)
        wrong = ~((numbers >= -TOLERANCE) & (numbers <= 1 + TOLERANCE))
        if empty:
            wrong &= values != ""
        self.refuse(column, wrong, f"is no number from 0 to 1 ({wrong.sum()} such cells); {remedy}")
        return np.clip(numbers, 0, 1)

    def finite(self, column: str) -> np.ndarray:
        """Return a column of finite numbers.

        Raises
        ------
        UnusableInput
            If a cell holds none.
        """
        numbers = as_floats(self.columns[column])
        self.refuse(column, ~np.isfinite(numbers), "is no finite number")
        return numbers

    def refuse(self, column: str, wrong: np.ndarray, why: str) -> None:
        """Raise `UnusableInput` with the first cell of a column that is wrong, if one is."""
        rows = np.flatnonzero(wrong)
        if len(rows):
            cell = self.columns[column][rows[0]]
            raise UnusableInput(f"{self.place(rows[0], column)}: {cell!r} {why}")

    def normalised(self, values: np.ndarray, prefix: str) -> tuple[np.ndarray, list[str]]:
        """Return rows of probabilities scaled to sum to 1, and a note where they were rounded.

        Rows may miss a sum of 1 by `TOLERANCE`, or by half a unit of the last digit in every
        column, where all were rounded to `COARSEST_DIGITS` digits or more.

        Raises
        ------
        UnusableInput
            If a row misses by more.
        """
        sums = values.sum(axis=1)
        off = np.abs(sums - 1)
        digits = _digits(values)
        tolerance = TOLERANCE
        if digits is not None:
            tolerance = max(TOLERANCE, values.shape[1] * 0.5 * 10.0**-digits + 1e-9)
        wrong = np.flatnonzero(off > tolerance)
        if len(wrong):
            rounded = "" if digits is None else f" (rounding to {digits} digits explains"
            rounded += f" {tolerance:.3g} at most)" if rounded else ""
            raise UnusableInput(
                f"{self.place(wrong[0])}: columns {prefix}* sum to {sums[wrong[0]]:.6g} instead of"
                f" 1 ({len(wrong)} such rows){rounded}; are they scores before a softmax, or is a"
                " class missing?"
            )
        notes = []
        if (off > TOLERANCE).any():
            notes.append(
                f"{self.path}: {int((off > TOLERANCE).sum())} rows of {prefix}* are rounded to"
                f" {digits} digits and sum to 1 only within {off.max():.2g}; they were scaled to"
                " sum to 1"
            )
        return values / sums[:, np.newaxis], notes


def listed(values: Sequence[str], shown: int = SHOWN) -> str:
    """Return some names, quoted, and how many more there are."""
    more = f" and {len(values) - shown} more" if len(values) > shown else ""
    return ", ".join(repr(str(name)) for name in values[:shown]) + more


def is_json(text: str) -> bool:
    """Tell a JSON object or array from a name."""
    import json

    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        return isinstance(json.loads(text), (dict, list))
    except ValueError:
        return False


def refuse_alike(where: str, classes: Iterable[str], accepted: Sequence[str] = ()) -> None:
    """Refuse names that differ only by case, blanks or look-alike letters.

    Raises
    ------
    UnusableInput
    """
    pair = names.alike(classes, accepted)
    if pair is not None:
        first, second = pair
        raise UnusableInput(
            f"{where}: {names.shown(first, second)} and {names.shown(second, first)} differ only"
            " by case, spaces or letters that look alike; write both the same way"
        )


def as_floats(values: np.ndarray) -> np.ndarray:
    """Return texts as float64, as Python reads them; NaN where one is no number."""
    texts = np.where(values == "", "nan", values)
    joined = "".join(texts.tolist())
    if not joined.isascii() or "_" in joined:  # Python reads 0_1 as 1
        return np.array([_as_float(text) for text in texts.tolist()], dtype=np.float64)
    try:
        return texts.astype(np.float64)
    except ValueError:
        return np.array([_as_float(text) for text in texts.tolist()], dtype=np.float64)


def _as_float(text: str) -> float:
    if not text.isascii() or "_" in text:
        return np.nan
    try:
        return float(text)
    except ValueError:
        return np.nan


def _digits(values: np.ndarray) -> int | None:
    """Return the digits after the point to which all values are rounded, None for many."""
    for digits in range(COARSEST_DIGITS, 5):
        scaled = values * 10.0**digits
        if np.abs(scaled - np.rint(scaled)).max(initial=0) < 1e-6:
            return digits
    return None
