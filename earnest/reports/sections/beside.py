"""Numbers in words with their intervals, and the printed ones beside them."""

from typing import Any

from earnest.reports import subconcept_words as words
from earnest.reports.findings import number, signed

Row = dict[str, Any]


def with_interval(row: Row) -> str:
    """A value with its interval in brackets, where there is one."""
    return f"{number(row['value'])} {interval(row)}".rstrip()


def interval(row: Row, shown=number) -> str:
    """A value's interval in brackets, or nothing where there is none."""
    if row["low"] is None or row["high"] is None:
        return ""
    return f"[{shown(row['low'], 2)}, {shown(row['high'], 2)}]"


def inside(row: Row) -> str:
    """Whether the printed number lies in our interval, in one word."""
    if row["printed"] is None:
        return ""
    if row["low"] is None:
        return "no interval"
    return "inside" if row["low"] <= row["printed"] <= row["high"] else "outside"


def p_text(p: float | None) -> str:
    """A p-value for people: three digits, or a power of ten when it is small."""
    if p is None:
        return "–"
    if p >= 0.001:
        return f"{p:.3f}"
    if p == 0:
        return "< 1e−300"
    return f"{p:.2e}".replace("e-0", "e-").replace("-", "−")


def shown(row: Row) -> Row:
    return {
        "correction": words.correction(row["correction"]),
        "measure": words.measure(row["measure"]),
        "value": row["value"],
        "text": signed(row["value"]),
        "interval": interval(row, signed),
        "printed": "" if row["printed"] is None else signed(row["printed"]),
        "inside": inside(row),
        "reason": row["reason"] or "",
    }
