"""The page of a comparison of runs."""

from typing import TYPE_CHECKING, Any

from earnest.reports import charts, figures
from earnest.reports.findings import number, signed
from earnest.reports.rendering import render
from earnest.reports.view import records

if TYPE_CHECKING:
    from earnest.protocols.ownpool.comparing import Comparison

MOST = 1_000  # rows of a comparison that the page lists


def build_page(found: "Comparison", first: str, second: str) -> str:
    """Build the page of a comparison.

    Parameters
    ----------
    found : earnest.protocols.ownpool.comparing.Comparison
    first, second : str
        What the two are called.

    Returns
    -------
    str
        A complete HTML document, the same for the same inputs; it loads nothing.
    """
    from earnest.protocols.ownpool.comparing import name_of

    rows = records(found.rows)
    gaps = [row[key] for row in rows for key in ("difference", "low", "high")]
    gaps = [0.0, *(gap for gap in gaps if gap is not None)]
    span = min(gaps) - 0.01, max(gaps) + 0.01
    order = {"moved": 0, "within noise": 1, "unchanged": 2, "not comparable": 3}
    rows.sort(key=lambda row: (order[row["verdict"]], -abs(row["difference"] or 0)))
    return render(
        "comparison.html",
        title="What moved?",
        first_name=first,
        second_name=second,
        sentences=found.sentences,
        level=found.level,
        axis=charts.safe(figures.strip_axis(span)),
        rows=[_gap_row(row, span) | {"name": name_of(row)} for row in rows[:MOST]],
        left=max(len(rows) - MOST, 0),
        number=number,
    )


def _gap_row(row: dict[str, Any], span: tuple[float, float]) -> dict[str, Any]:
    strip = ""
    if row["difference"] is not None:
        ends = None if row["low"] is None else (row["low"], row["high"])
        colour = charts.BLUE if row["verdict"] == "moved" else charts.GREY
        marker = "circle" if row["verdict"] == "moved" else "ring"
        marks = [(marker, colour, row["difference"])]
        strip = charts.safe(figures.strip(marks, 0.0, span, ends))
    text = "–" if row["low"] is None else f"{signed(row['low'])} to {signed(row['high'])}"
    return row | {"strip": strip, "gap": signed(row["difference"]), "interval_text": text}
