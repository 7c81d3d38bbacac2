"""The row schema of every table that earnest writes, and the check made at the border."""

from typing import TYPE_CHECKING, Any

from earnest.io.tables import crossval, ownpool, sounds, subsets
from earnest.io.tables.column import Column

if TYPE_CHECKING:
    import pandas
    import pyarrow


class SchemaError(ValueError):
    """A table does not have the columns, types or filled cells of its schema."""


TABLES: dict[str, dict[str, Column]] = (
    sounds.TABLES | subsets.TABLES | crossval.TABLES | ownpool.TABLES
)


def frame_of(table: str, rows: "list[dict[str, Any]]") -> "pandas.DataFrame":
    """Return rows as a data frame with the columns of a table; none is fine."""
    import pandas as pd

    return pd.DataFrame(rows, columns=list(TABLES[table]))


def arrow_schema(table: str) -> "pyarrow.Schema":
    """Return the Arrow schema of a table named in `TABLES`."""
    import pyarrow as pa

    kinds = {
        "string": pa.string(),
        "int64": pa.int64(),
        "float64": pa.float64(),
        "bool": pa.bool_(),
        "list<int64>": pa.list_(pa.int64()),
        "list<float64>": pa.list_(pa.float64()),
        "list<string>": pa.list_(pa.string()),
    }
    columns = TABLES[table].items()
    return pa.schema([pa.field(name, kinds[c.kind], nullable=c.nullable) for name, c in columns])


def to_arrow(table: str, frame: "pandas.DataFrame") -> "pyarrow.Table":
    """Convert a data frame to the Arrow table of its schema, checking every cell.

    Parameters
    ----------
    table : str
        A key of `TABLES`.
    frame : pandas.DataFrame
        Exactly the columns of the schema, in any order; may have no rows.

    Returns
    -------
    pyarrow.Table
        Columns in schema order.

    Raises
    ------
    SchemaError
        If a column is missing, unknown or of another type, if a cell that must be
        filled is empty, or if a number is infinite; the message names table, column and row.
    """
    import pyarrow as pa

    schema = arrow_schema(table)
    missing = [name for name in schema.names if name not in frame.columns]
    unknown = [name for name in frame.columns if name not in schema.names]
    if missing or unknown:
        raise SchemaError(f"table {table}: missing columns {missing}, unknown columns {unknown}")
    arrays = []
    for field in schema:
        try:
            cells = frame[field.name]
            # An empty column of lists has lost its type; as objects Arrow takes it.
            cells = cells.astype(object) if pa.types.is_list(field.type) else cells
            array = pa.Array.from_pandas(cells, type=field.type)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise SchemaError(f"table {table}, column {field.name}: {error}") from error
        _refuse_bad_cells(table, field, array)
        arrays.append(array)
    return pa.Table.from_arrays(arrays, schema=schema)


def _refuse_bad_cells(table: str, field: "pyarrow.Field", array: "pyarrow.Array") -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not field.nullable and array.null_count:
        row = array.is_null().index(True).as_py()
        raise SchemaError(f"table {table}, column {field.name}, row {row}: empty cell")
    numbers = array.flatten() if pa.types.is_list(field.type) else array
    if numbers is not array and numbers.null_count:
        position = numbers.is_null().index(True).as_py()
        raise SchemaError(f"table {table}, column {field.name}, value {position}: not a number")
    if not pa.types.is_floating(numbers.type):
        return
    infinite = pc.invert(pc.is_finite(numbers)).fill_null(False)
    if pc.any(infinite).as_py():
        position = infinite.index(True).as_py()
        raise SchemaError(
            f"table {table}, column {field.name}, value {position}: not a finite number"
        )
