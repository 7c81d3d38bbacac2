"""Tables of numbers and classes: coding of text, missing cells, and where the files lie."""

import importlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas

COLLECTIONS = {
    "keel": "earnest.datasets.keel",
    "pmlb": "earnest.datasets.pmlb",
}
MISSING_MARKS = ("", "?", "<null>", "NA", "NaN", "nan", "null")
MOST_CATEGORIES = 50
MOST_BYTES = 1 << 30  # of a table, unpacked: several times the largest of both collections
MISSING_CATEGORY = "(missing)"


class UnusableTable(ValueError):
    """A table cannot be used; the message names the file, the column and what is wrong."""


class MissingTable(FileNotFoundError):
    """A table is in none of the folders; the message says which file to put where."""


@dataclass(frozen=True)
class Table:
    """A data set of numbers, one class a row.

    Attributes
    ----------
    features : ndarray (n, d) float32
        NaN where a number is missing.
    names : tuple of str
        Name of each feature; a category of a text column is `column=value`.
    labels : ndarray (n,) of str
        The class of each row, as the file writes it.
    missing : int
        Cells of the file that were empty, numbers and text alike.
    text_columns : tuple of str
        Columns of text, each coded as one 0/1 feature per value.
    """

    features: np.ndarray
    names: tuple[str, ...]
    labels: np.ndarray
    missing: int
    text_columns: tuple[str, ...]


def read(collection: str, name: str, folders: Sequence[str | os.PathLike[str]]) -> Table:
    """Read a data set of a collection from the first folder that holds it.

    Parameters
    ----------
    collection : str
        A key of `COLLECTIONS`.
    name : str
        Name of the data set, as the collection spells it.
    folders : sequence of path-like
        Folders in the collection's layout, in the order in which they are looked through.

    Returns
    -------
    Table

    Raises
    ------
    MissingTable
        If no folder holds it.
    UnusableTable
        If the file does not hold a table of numbers, categories and classes.
    ValueError
        If there is no such collection.
    """
    return _module(collection).read(name, folders)


def files(collection: str, name: str, folders: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return the files that `read` would open; none where the data set is missing."""
    return [str(path) for path in _module(collection).find(name, folders)]


def _module(collection: str) -> Any:
    if collection not in COLLECTIONS:
        raise ValueError(
            f"unknown collection {collection!r}; known are {', '.join(sorted(COLLECTIONS))}"
        )
    return importlib.import_module(COLLECTIONS[collection])


@contextmanager
def named_damage(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what a damaged or foreign file raises while it is read into an `UnusableTable`.

    A packed file is unpacked once before that, piece by piece: one that would fill the memory is
    refused.
    """
    import zlib

    try:
        _refuse_bombs(Path(path))
        yield
    except UnusableTable:
        raise
    except (OSError, EOFError, ValueError, zlib.error) as error:  # pandas' errors are ValueErrors
        raise UnusableTable(f"{path} cannot be read: {error}") from error


def _refuse_bombs(path: Path) -> None:
    import gzip

    if path.suffix != ".gz":
        return
    size = 0
    with gzip.open(path) as file:
        while piece := file.read(1 << 20):
            size += len(piece)
            if size > MOST_BYTES:
                raise UnusableTable(
                    f"{path} unpacks to more than {MOST_BYTES} bytes, which no table of these"
                    " collections has; it is damaged or hostile: delete it, so that it is fetched"
                    " again"
                )


def first_file(folders: Sequence[str | os.PathLike[str]], names: Sequence[str]) -> Path | None:
    """Return the first file of one of these names in the first folder that has one."""
    paths = [Path(folder) / name for folder in folders for name in names]
    return next((path for path in paths if path.is_file()), None)


def missing(name: str, file: str, address: str, folders: Sequence[str | os.PathLike[str]]) -> str:
    """Say which file of a missing data set to put where."""
    looked = ", ".join(str(folder) for folder in folders) or "nowhere"
    return f"data set {name} is missing: put {file} from {address} into one of: {looked}"


def to_table(
    frame: "pandas.DataFrame", labels: Sequence[Any], *, path: str | os.PathLike[str]
) -> Table:
    """Code the columns of a data frame as numbers.

    Numbers stay as they are, in the single precision that random forests compute with.
    A text column becomes one 0/1 feature for each of its values in sorted order, an empty
    cell counting as a value of its own. Missing numbers stay NaN: they are filled in with
    the medians of a training part, which is not known here.

    Parameters
    ----------
    frame : pandas.DataFrame
        The feature columns; missing cells are NaN or None.
    labels : sequence of n classes
    path : path-like
        Named in errors.

    Returns
    -------
    Table

    Raises
    ------
    UnusableTable
        If there is no row or no column, a class is empty, a number is infinite in single
        precision, or a text column has more than 50 values.
    """
    classes = np.array([str(label).strip() for label in labels], dtype=str)
    if frame.shape[0] == 0 or frame.shape[1] == 0:
        raise UnusableTable(f"{path}: no rows or no columns of features")
    empty = np.flatnonzero(np.isin(classes, MISSING_MARKS))
    if len(empty):
        raise UnusableTable(f"{path}, row {empty[0]}: no class")
    text = tuple(str(name) for name in frame.columns if not _is_number(frame[name]))
    coded = [
        _categories(frame[name], path) if str(name) in text else _numbers(frame[name], path)
        for name in frame.columns
    ]
    return Table(
        features=np.column_stack([values for values, _ in coded]),
        names=tuple(name for _, names in coded for name in names),
        labels=classes,
        missing=int(frame.isna().to_numpy().sum()),
        text_columns=text,
    )


def _is_number(column: "pandas.Series") -> bool:
    # a column without a single value is read as an object column or as NaN: both are numbers here
    return column.dtype.kind in "biuf" or bool(column.isna().all())


def _numbers(column: "pandas.Series", path: str | os.PathLike[str]) -> tuple[np.ndarray, list[str]]:
    with np.errstate(over="ignore"):  # what overflows is infinite, and refused below
        values = column.to_numpy(dtype=np.float64, na_value=np.nan).astype(np.float32)
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise UnusableTable(
            f"{path}, column {column.name}, row {infinite[0]}: {column.iloc[infinite[0]]} is not"
            " a finite number in single precision"
        )
    return values[:, np.newaxis], [str(column.name)]


def _categories(
    column: "pandas.Series", path: str | os.PathLike[str]
) -> tuple[np.ndarray, list[str]]:
    values = column.fillna(MISSING_CATEGORY).astype(str).str.strip().to_numpy(dtype=str)
    found = np.unique(values)
    if len(found) > MOST_CATEGORIES:
        raise UnusableTable(
            f"{path}, column {column.name}: text with {len(found)} different values, such as"
            f" {found[0]!r}; at most {MOST_CATEGORIES} are taken for categories"
        )
    coded = (values[:, np.newaxis] == found).astype(np.float32)
    return coded, [f"{column.name}={value}" for value in found.tolist()]
