"""One column of a table, and the kinds that tables use."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    kind : str
        `string`, `int64`, `float64`, `bool`, `list<int64>`, `list<float64>` or `list<string>`.
    nullable : bool
        Whether a cell may be empty.
    """

    kind: str
    nullable: bool = False


TEXT, INT, FLOAT, BOOL = Column("string"), Column("int64"), Column("float64"), Column("bool")
TEXT_OR_NULL, INT_OR_NULL = Column("string", True), Column("int64", True)
FLOAT_OR_NULL, BOOL_OR_NULL = Column("float64", True), Column("bool", True)
TEXTS, FLOATS, INTS = Column("list<string>"), Column("list<float64>"), Column("list<int64>")
