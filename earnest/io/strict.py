"""Tables that somebody else wrote, read strictly: every error with file, row and remedy."""

import csv
import difflib
import gzip
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.io import names
from earnest.io.cells import Table, UnusableInput

if TYPE_CHECKING:
    import pyarrow

MOST_CELL = 10_000  # characters; a longer cell is a broken quote
INDEX = "__index_level_"  # what pandas calls the row numbers that it writes into parquet
_MAGIC = {
    b"PK\x03\x04": "a ZIP file or a workbook; save the sheet as CSV (UTF-8)",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8 (in a spreadsheet: CSV UTF-8)",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8 (in a spreadsheet: CSV UTF-8)",
    b"PAR1": "a parquet file; give it the suffix .parquet",
    b"\x93NUMPY": "an array (.npy), no table",
}


def read_texts(
    path: str | os.PathLike[str],
    needed: Sequence[str] = (),
    *,
    key: str | None = None,
    separator: str | None = None,
    quoted: bool = True,
    header: Sequence[str] | None = None,
    ragged: bool = False,
) -> Table:
    """Read a table of texts.

    Parameters
    ----------
    path : path-like
        CSV, TSV (by its suffix) or parquet; text in UTF-8, perhaps packed with gzip.
    needed : sequence of str
        Columns that must be there.
    key : str, optional
        A column of distinct names, one a row.
    separator : str, optional
        What parts the cells; by the suffix when not given.
    quoted : bool
        Whether quotation marks enclose cells; otherwise they are characters like others.
    header : sequence of str, optional
        Names of the first columns of a file without a header.
    ragged : bool
        Whether rows may have fewer cells (the others are empty) or more (they are dropped).

    Returns
    -------
    Table

    Raises
    ------
    UnusableInput
        If the file is not there, empty, no text in UTF-8 or no parquet; has a quotation mark that
        is never closed, a line end in a cell or a row of another number of cells; lacks a column
        or has one twice; or if a name is empty, twice, or no single line of text.
    """
    path = Path(path)
    if path.is_dir() or not path.exists():
        raise UnusableInput(f"there is no file {path}")
    try:
        if path.suffix.lower() == ".parquet":
            table = _read_parquet(path)
        else:
            table = _read_text(path, separator or _separator(path), quoted, header, ragged)
    except OSError as error:
        raise UnusableInput(f"{path} cannot be read: {error.strerror or error}") from error
    for name in (key, *needed):
        if name is not None and name not in table.columns:
            raise UnusableInput(f"{path}: no column {name!r}; {near(name, table.columns)}")
    if key is None:
        return table
    if len(table) == 0:
        raise UnusableInput(f"{path}: the table has no rows")
    table = Table(path, table.columns, table.lines, table.columns[key])
    _check_names(table, key)
    return table


def near(name: str, columns: Iterable[str]) -> str:
    """Return a hint at the column that was perhaps meant, or which ones there are."""
    columns = list(columns)
    if len(columns) == 1:
        for mark, called in ((";", "semicolons"), ("\t", "tabs"), (",", "commas"), ("|", "bars")):
            if mark in columns[0]:
                return (
                    f"its cells are parted by {called} ({columns[0]!r}); save it with commas"
                    " (.csv), or tabs (.tsv)"
                )
    if columns and columns[0].startswith("sep="):
        return f"remove the first line {','.join(filter(None, columns))!r}, a spreadsheet's own"
    meant = difflib.get_close_matches(name, columns, n=1)
    if meant:
        return f"did you mean {meant[0]!r}? Rename it"
    return f"it has {', '.join(map(repr, columns[:20]))}"


def _separator(path: Path) -> str:
    suffixes = {suffix.lower() for suffix in path.suffixes[-2:]}
    return "\t" if suffixes & {".tsv", ".tab"} else ","


def _read_text(
    path: Path, separator: str, quoted: bool, header: Sequence[str] | None, ragged: bool
) -> Table:
    lines = _lines(path)
    quoting = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    numbered = _rows(path, lines, {"delimiter": separator, "quoting": quoting, "strict": True})
    columns = list(numbered.pop(0)[1] if header is None else header)
    _refuse_twice(path, columns)
    numbers = np.array([number for number, _ in numbered], dtype=np.int64)
    rows = [cells for _, cells in numbered]
    if ragged:
        rows = [[*cells, *[""] * len(columns)][: len(columns)] for cells in rows]
    else:
        _refuse_ragged(path, numbered, len(columns))
    cells = zip(*rows, strict=True) if rows else [()] * len(columns)
    return Table(path, {name: _objects(c) for name, c in zip(columns, cells, strict=True)}, numbers)


def _objects(cells: Iterable[str]) -> np.ndarray:
    """Return Python's texts: an array of fixed width would give each the room of the longest."""
    cells = list(cells)
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def _lines(path: Path) -> list[str]:
    """Return the lines of a text file, of whatever line ends, in normal form C."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError) as error:
            raise UnusableInput(f"{path} cannot be read: {error}") from error
    for magic, what in _MAGIC.items():
        if data.startswith(magic):
            raise UnusableInput(f"{path} cannot be read: it is {what}")
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        raise UnusableInput(f"{path} cannot be read: the file is empty")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnusableInput(
            f"{path} cannot be read: line {line} holds the byte {data[error.start]:#04x}, which is"
            " no UTF-8; save it as UTF-8 (in a spreadsheet: CSV UTF-8)"
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise UnusableInput(f"{path}, line {line}: a NUL character is no text; is it a table?")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return names.normal(text).removesuffix("\n").split("\n")


def _rows(path: Path, lines: list[str], dialect: dict[str, Any]) -> list[tuple[int, list[str]]]:
    """Return line numbers and cells of the lines that are not blank."""
    try:
        rows = list(csv.reader(lines, **dialect))
    except csv.Error:
        rows = []
    if len(rows) != len(lines):
        _refuse_broken_quote(path, lines, dialect)
    return [(number, cells) for number, cells in enumerate(rows, 1) if cells]


def _refuse_broken_quote(path: Path, lines: list[str], dialect: dict[str, Any]) -> None:
    """Name the line in which a cell does not end as it should."""
    for number, line in enumerate(lines, 1):
        try:
            list(csv.reader([line], **dialect))
        except csv.Error as error:
            row = f", row {number - 1}" if number > 1 else ""
            what = "a cell does not end in its line"
            if "expected after" in str(error):
                what = "text follows a quotation mark that ends a cell"
            if "limit" in str(error):
                what = "a cell is longer than any name"
            raise UnusableInput(
                f"{path}{row} (line {number}): {what}: {line[:60]!r}; is a quotation mark missing?"
            ) from error
    raise UnusableInput(f"{path}: cells do not end in their lines; is a quotation mark missing?")


def _refuse_ragged(path: Path, numbered: list[tuple[int, list[str]]], width: int) -> None:
    for line, cells in numbered:
        if len(cells) != width:
            raise UnusableInput(
                f"{path}, line {line}: {width} cells expected, found {len(cells)}; is a separator"
                " too many or too few?"
            )


def _refuse_twice(path: Path, columns: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in columns:
        # empty heads are those of a separator at the end of every line
        if name in seen and name:
            raise UnusableInput(f"{path}: column {name!r} is there twice; remove one of them")
        seen.add(name)


def _read_parquet(path: Path) -> Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # pandas would hide a column that was its index
        table = pq.ParquetFile(path).read()
    except (pa.ArrowException, OSError) as error:
        raise UnusableInput(f"{path} cannot be read as parquet: {error}") from error
    kept = [name for name in table.column_names if not name.startswith(INDEX)]
    columns = [names.normal(name) for name in kept]
    _refuse_twice(path, columns)
    cells = {
        name: _objects(_parquet_texts(table.column(place), f"{path}, column {name!r}"))
        for name, place in zip(columns, map(table.column_names.index, kept), strict=True)
    }
    made = Table(path, cells, np.arange(1, table.num_rows + 1))
    for name, values in cells.items():
        if any(mark in text for text in values.tolist() for mark in "\n\r\0"):
            row = next(r for r, text in enumerate(values) if any(m in text for m in "\n\r\0"))
            raise UnusableInput(
                f"{made.place(row, name)}: {values[row][:60]!r} holds a line end or a NUL; write"
                " one line of text"
            )
    return made


def _parquet_texts(column: "pyarrow.ChunkedArray", where: str) -> list[str]:
    """Return cells as CSV would hold them; whole floating point numbers without their `.0`."""
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_nested(kind):
        raise UnusableInput(f"{where}: a cell holds several values ({kind}); write one text")
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        raise UnusableInput(f"{where}: a column holds bytes; write text")
    values = column.to_pylist()
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return ["" if value is None else names.normal(value) for value in values]
    as_text: Callable[[Any], str] = _float_text if pa.types.is_floating(kind) else str
    return ["" if value is None else as_text(value) for value in values]


def _float_text(value: float) -> str:
    if value != value:
        return ""
    return str(int(value)) if float(value).is_integer() else str(value)


def _check_names(table: Table, key: str) -> None:
    first: dict[str, int] = {}
    for row, name in enumerate(table.texts(key, "every row needs a name of its own").tolist()):
        if name in first:
            raise UnusableInput(
                f"{table.path}: {key} {name!r} is there twice, in rows {first[name] + 1} and"
                f" {row + 1}; keep one of them"
            )
        first[name] = row
        if len(name) > MOST_CELL:
            raise UnusableInput(
                f"{table.path}, row {row + 1}: {key} {name[:60]!r} is no single line of text; is a"
                " quotation mark missing?"
            )
