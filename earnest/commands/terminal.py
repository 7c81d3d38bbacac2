"""Tables and sentences for a terminal."""

import textwrap
from collections.abc import Sequence

WIDTH = 100


def choosing() -> str:
    """Return the help of an option that says how the labelled items were chosen."""
    from earnest.samplers import SAMPLERS

    return f"how the labelled items were chosen: {', '.join(SAMPLERS.names())}, or in other words"


def estimators(which: str) -> str:
    """Return the help of an option that takes estimators."""
    from earnest.estimates import ESTIMATORS

    return f"only these ({which}), of {', '.join(ESTIMATORS.names())}"


def printable(text: str) -> str:
    """Return a text without characters that a terminal would obey instead of showing."""
    return "".join(
        one if one.isprintable() or one == "\n" else "\N{REPLACEMENT CHARACTER}" for one in text
    )


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> str:
    """Return rows of cells in columns.

    Parameters
    ----------
    heads : sequence of str
    rows : sequence of sequence of str
    right : sequence of int
        Columns that are set flush right.
    """
    lines = [[printable(cell) for cell in row] for row in (heads, *rows)]
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    set_ = [
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    return "\n".join([set_[0], "  ".join("-" * width for width in widths), *set_[1:]])


def paragraph(text: str, mark: str = "- ") -> str:
    """Return a sentence with a mark in front, broken into lines."""
    return textwrap.fill(
        printable(text), WIDTH, initial_indent=mark, subsequent_indent=" " * len(mark)
    )


def number(value: float | None) -> str:
    """Return a score with three digits, or a dash for none."""
    return "-" if value is None or value != value else f"{value:.3f}"


def interval(low: float | None, high: float | None) -> str:
    """Return both ends of an interval, or nothing."""
    return "" if low is None or low != low else f"{low:.3f} to {high:.3f}"
