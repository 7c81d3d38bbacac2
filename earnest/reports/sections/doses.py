"""The score of one classifier against the level of the background: figure, table and words."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from earnest.reports import charts, findings, words
from earnest.reports.charts import Look
from earnest.reports.inputs import StudyPage
from earnest.reports.view import Row, TaskView, records

if TYPE_CHECKING:
    import pandas

# usual and rare backgrounds as they are marked in all tables of the page
LINES = {
    "primary": Look("usual background", charts.USUAL, "", "ring"),
    "rare": Look("rare background", charts.RARE, "9 3 2 3", "triangle"),
}
FRAME = charts.Frame()
BAR = 5.0  # half the width of the ends of an interval


def shows(page: StudyPage) -> dict[str, Any] | None:
    """Return scores by the level of the background, None of a study with one level."""
    return described(page.inputs.dose_response, page.views)


def described(frame: "pandas.DataFrame | None", views: Sequence[TaskView]) -> dict[str, Any] | None:
    """Return what the page shows of a study with several variants, or None.

    Parameters
    ----------
    frame : pandas.DataFrame or None
        Table `dose_response`; the first variant is the one that classifiers were trained on.
    views : sequence of TaskView
        Tasks with no score in the table are passed over.
    """
    rows = [] if frame is None else records(frame)
    found = _sections(rows, views)
    return (
        {
            "main": _name(rows[0]),
            "legend": [charts.key(look) for look in LINES.values()],
            "sections": found,
        }
        if found
        else None
    )


def _sections(rows: list[Row], views: Sequence[TaskView]) -> list[dict[str, Any]]:
    found = []
    for view in views:
        own = [row for row in rows if row["task"] == view.name]
        measures = {row["measure"] for row in own if row["value"] is not None}
        measure = view.chosen.measure if view.chosen.measure in measures else None
        if measure is not None:
            found.append(_section(view, [row for row in own if row["measure"] == measure]))
    return found


def _section(view: TaskView, rows: list[Row]) -> dict[str, Any]:
    variants = _ordered(rows)
    cells = {(row["variant"], row["part"]): row for row in rows}
    measure = words.measure(view.chosen.measure)
    return {
        "title": view.title,
        "anchor": view.anchor,
        "measure": measure,
        "count": cells[variants[0]["variant"], "all"]["items"],
        "statement": _statement(variants, cells, measure),
        "figure": charts.safe(_figure(variants, cells, measure)),
        "rows": [_table_row(variant, cells) for variant in variants],
        "reasons": sorted({row["reason"] for row in rows if row["reason"]}),
    }


def _ordered(rows: list[Row]) -> list[Row]:
    """Return one row a variant, the loudest background first and none at the end."""
    one = {row["variant"]: row for row in rows}
    ends = (row["margin_lu"] is None for row in one.values())
    keys = zip(ends, (row["margin_lu"] or 0.0 for row in one.values()), one.values(), strict=True)
    return [row for _, _, row in sorted(keys, key=lambda key: key[:2])]


def _name(row: Row) -> str:
    if row["margin_lu"] is None:
        return "no background"
    level = f"{abs(row['margin_lu']):g} LU"
    if row["margin_lu"] < 0:
        return f"background {level} above"
    return f"background {level} below" if row["margin_lu"] else "both equally loud"


def _statement(variants: list[Row], cells: dict, measure: str) -> str | None:
    """Say how the gap between usual and rare backgrounds goes from one end to the other."""
    ends = variants[-1], variants[0]
    gaps = [cells[row["variant"], "gap"]["value"] for row in ends]
    rare = [cells[row["variant"], "rare"]["value"] for row in ends]
    if None in (*gaps, *rare):
        return None
    return (
        f"From {_name(ends[0])} to {_name(ends[1])}, the {measure} over rare backgrounds goes from"
        f" {findings.number(rare[0])} to {findings.number(rare[1])}, and its distance from that"
        f" over usual ones from {findings.signed(gaps[0])} to {findings.signed(gaps[1])}."
    )


def _table_row(variant: Row, cells: dict) -> dict[str, Any]:
    row = {"name": _name(variant)}
    for part in ("all", "primary", "rare", "gap"):
        cell = cells[variant["variant"], part]
        shown = findings.signed if part == "gap" else findings.number
        row[part] = shown(cell["value"])
        row[f"{part}_range"] = _range(cell, shown)
    return row


def _range(cell: Row, shown: Callable[[float], str]) -> str:
    if cell["low"] is None:
        return "no interval"
    return f"{shown(cell['low'])} to {shown(cell['high'])}"


def _figure(variants: list[Row], cells: dict, measure: str) -> str:
    """Draw both lines with their intervals against the margin."""
    places = _places(variants)
    drawn = [cells[row["variant"], part] for row in variants for part in LINES]
    known = [v for row in drawn for v in (row["value"], row["low"], row["high"]) if v is not None]
    values = charts.value_span(known)
    up = FRAME.up(values)
    labels = ("none" if r["margin_lu"] is None else f"{r['margin_lu']:g}" for r in variants)
    parts = [FRAME.levels(values), FRAME.floor(), FRAME.places(zip(places, labels, strict=True))]
    parts.append(FRAME.named("background below the foreground by (LU)"))
    for part in LINES:
        parts.append(_line([cells[row["variant"], part] for row in variants], places, up))
    described = "; ".join(
        f"{_name(row)}: usual {findings.number(cells[row['variant'], 'primary']['value'])},"
        f" rare {findings.number(cells[row['variant'], 'rare']['value'])}"
        for row in variants
    )
    return FRAME.drawn(parts, f"{measure} against the level of the background. {described}.")


def _places(variants: list[Row]) -> list[float]:
    """Return where each variant stands: by margin, and without background a step further."""
    margins = [row["margin_lu"] for row in variants if row["margin_lu"] is not None]
    if len(margins) < len(variants):
        step = (margins[-1] - margins[0]) / max(len(margins) - 1, 1) or 1.0
        margins = [*margins, margins[-1] + step]
    return list(map(FRAME.across((margins[0], margins[-1]), inset=18), margins))


def _line(cells: list[Row], places: list[float], up: Callable[[float], float]) -> str:
    look = LINES[cells[0]["part"]]
    known = [(x, row) for x, row in zip(places, cells, strict=True) if row["value"] is not None]
    bars, marks = [], []
    for x, row in known:
        if row["low"] is not None:
            low, high = up(row["low"]), up(row["high"])
            bars.append(
                f'<path class="line" stroke="{look.colour}" d="M{x:.1f} {low:.1f}V{high:.1f}'
                f'M{x - BAR:.1f} {low:.1f}h{2 * BAR:g}M{x - BAR:.1f} {high:.1f}h{2 * BAR:g}"/>'
            )
        note = f"{_name(row)}, {look.label}: {findings.number(row['value'])}"
        marks.append((x, up(row["value"]), f"{note}, {_range(row, findings.number)}"))
    return "".join(bars) + charts.curve(look, marks)
