"""Tables that somebody else wrote: every cell checked, every error with file, row and remedy."""

import difflib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from earnest import io

if TYPE_CHECKING:
    import pandas

SHOWN = 5
MOST_CELL = 10_000  # characters; a longer name is a broken quote


class UnusableInput(ValueError):
    """A file of the user cannot be used; the message says where and what to do."""


@dataclass(frozen=True)
class Table:
    """A table of text cells as it stands in a file.

    Attributes
    ----------
    path : pathlib.Path
    columns : dict of str to ndarray (N,) of object
        Texts, empty where a cell is empty.
    names : ndarray (N,) of object
        What each row is about, for messages.
    """

    path: Path
    columns: dict[str, np.ndarray]
    names: np.ndarray

    def __len__(self) -> int:
        return len(self.names)

    def place(self, row: int, column: str | None = None) -> str:
        """Return how a message names a cell: file, row counted from 1, item, column."""
        where = f"{self.path}, row {row + 1} ({self.names[row]!r})"
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

    def numbers(self, column: str, remedy: str, *, empty: bool = False) -> np.ndarray:
        """Return a column of numbers from 0 to 1, NaN where a cell may be and is empty.

        Raises
        ------
        UnusableInput
            If a cell holds none.
        """
        import pandas as pd

        values = self.columns[column]
        numbers = pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(dtype=np.float64)
        with np.errstate(invalid="ignore"):
            wrong = ~((numbers >= 0) & (numbers <= 1))
        if empty:
            wrong &= values != ""
        wrong = np.flatnonzero(wrong)
        if len(wrong):
            raise UnusableInput(
                f"{self.place(wrong[0], column)}: {values[wrong[0]]!r} is no number from 0 to 1"
                f" ({len(wrong)} such cells); {remedy}"
            )
        # as Python reads them: pandas is off by the last bit now and then
        return np.where(values == "", "nan", values).astype(np.float64)


def read_table(path: str | os.PathLike, key: str, needed: Sequence[str]) -> Table:
    """Read a table whose rows have distinct names.

    Parameters
    ----------
    path : path-like
        CSV, TSV (by its suffix) or parquet, UTF-8.
    key : str
        The column of names.
    needed : sequence of str
        Columns that must be there besides.

    Raises
    ------
    UnusableInput
        If the file is not there or unreadable, a column is missing or twice, it has no rows, or
        a name is empty, twice, or no single line of text.
    """
    path = Path(path)
    columns = _columns(path)
    for name in (key, *needed):
        if name not in columns:
            raise UnusableInput(f"{path}: no column {name!r}; {near(name, columns)}")
    table = Table(path, columns, columns[key])
    if len(table) == 0:
        raise UnusableInput(f"{path}: the table has no rows")
    _check_names(table, key)
    return table


def near(name: str, columns: Iterable[str]) -> str:
    """Return a hint at the column that was perhaps meant, or which ones there are."""
    columns = list(columns)
    meant = difflib.get_close_matches(name, columns, n=1)
    if meant:
        return f"did you mean {meant[0]!r}? Rename it"
    return f"it has {', '.join(map(repr, columns[:20]))}"


def listed(names: Sequence[str], shown: int = SHOWN) -> str:
    """Return some names, quoted, and how many more there are."""
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(repr(str(name)) for name in names[:shown]) + more


def check_labels_alike(where: str, labels: Iterable[str], classes: Iterable[str]) -> None:
    """Refuse labels that differ from a class of the pool only by case or spaces.

    Raises
    ------
    UnusableInput
    """
    classes = set(classes)
    folded = {name.strip().casefold(): name for name in sorted(classes)}
    for label in sorted(set(labels) - classes):
        meant = folded.get(label.strip().casefold())
        if meant is not None:
            raise UnusableInput(
                f"{where}: {label!r} and the class {meant!r} of the pool differ only by case or"
                " spaces; write both the same way"
            )


def _columns(path: Path) -> dict[str, np.ndarray]:
    if not path.is_file():
        raise UnusableInput(f"there is no file {path}")
    try:
        frame = _read_parquet(path) if path.suffix == ".parquet" else _read_csv(path)
    except UnusableInput:
        raise
    except (ValueError, OSError, UnicodeError) as error:
        raise UnusableInput(f"{path} cannot be read: {error}") from error
    twice = sorted({name for name in frame.columns if list(frame.columns).count(name) > 1})
    if twice:
        raise UnusableInput(f"{path}: column {twice[0]!r} is there twice; remove one of them")
    # Python's texts: an array of fixed width would give every cell the room of the longest
    return {name: frame[name].to_numpy(dtype=object) for name in frame.columns}


def _read_csv(path: Path) -> "pandas.DataFrame":
    import pandas as pd

    separator = "\t" if path.suffix.lower() in (".tsv", ".tab") else ","
    # the header is read as a row, because pandas renames columns of one name
    rows = pd.read_csv(
        path,
        sep=separator,
        header=None,
        dtype=str,
        keep_default_na=False,
        encoding="utf-8-sig",
        index_col=False,
    )
    frame = rows.iloc[1:].fillna("")
    frame.columns = rows.iloc[0].fillna("").to_list()
    return frame


def _read_parquet(path: Path) -> "pandas.DataFrame":
    import pandas as pd
    import pyarrow as pa

    try:
        frame = pd.read_parquet(path)
    except pa.ArrowException as error:
        raise UnusableInput(f"{path} cannot be read as parquet: {error}") from error
    texts = frame.astype(object).map(_text)
    texts.columns = [str(name) for name in frame.columns]
    return texts.astype(object)


def _text(value: object) -> str:
    """Return a cell as CSV would hold it; whole floating point numbers without their `.0`."""
    if value is None or value != value:
        return ""
    if isinstance(value, bytes):
        raise UnusableInput("a column holds bytes; write text")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _check_names(table: Table, key: str) -> None:
    names = table.texts(key, "every row needs a name of its own")
    first: dict[str, int] = {}
    for row, name in enumerate(names.tolist()):
        if name in first:
            raise UnusableInput(
                f"{table.path}: {key} {name!r} is there twice, in rows {first[name] + 1} and"
                f" {row + 1}; keep one of them"
            )
        first[name] = row
        if len(name) > MOST_CELL or any(character in name for character in "\n\r\0"):
            raise UnusableInput(
                f"{table.path}, row {row + 1}: {key} {name[:60]!r} is no single line of text; is a"
                " quotation mark missing?"
            )


def read_vectors(path: str | os.PathLike, names: np.ndarray) -> np.ndarray:
    """Read embeddings whose rows are those of a table.

    Parameters
    ----------
    path : path-like
        A .npy file (N, d); pickled objects are refused.
    names : ndarray (N,) of str

    Returns
    -------
    ndarray (N, d) of floating point numbers, memory-mapped

    Raises
    ------
    UnusableInput
        If it is no such array, has another number of rows, or holds a number that is not finite.
    """
    path = Path(path)
    if not path.is_file():
        raise UnusableInput(f"there is no file {path}")
    try:
        vectors = io.read_array(path, verified=False)
    except (ValueError, EOFError, OSError) as error:
        raise UnusableInput(f"{path} holds no plain array (.npy): {error}") from error
    if vectors.ndim != 2 or vectors.shape[1] == 0 or vectors.dtype.kind not in "fiu":
        raise UnusableInput(
            f"{path} must hold numbers (items, dimensions), but has shape {vectors.shape} of"
            f" {vectors.dtype}"
        )
    if len(vectors) != len(names):
        raise UnusableInput(
            f"{path} has {len(vectors)} rows, but the pool has {len(names)} items; row i must be"
            " the vector of the item in row i of the pool"
        )
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        where = [f"row {row + 1} ({names[row]})" for row in bad[: SHOWN + 1]]
        raise UnusableInput(
            f"{path}: {len(bad)} vectors are not finite: {', '.join(where[:SHOWN])}"
            f"{' and more' if len(bad) > SHOWN else ''}; compute them again or remove the items"
        )
    return vectors if vectors.dtype.kind == "f" else vectors.astype(np.float64)
