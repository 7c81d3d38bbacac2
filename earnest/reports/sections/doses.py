"""The score of one classifier against the level of the background: figure, table and words."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from earnest.reports import figures, findings, words
from earnest.reports.inputs import StudyPage
from earnest.reports.view import Row, TaskView, records

if TYPE_CHECKING:
    import pandas

# usual and rare backgrounds as they are marked in all tables of the page
LINES = {"primary": ("#0072B2", "ring", ""), "rare": ("#D55E00", "triangle", "9 3 2 3")}
NAMES = {"primary": "usual background", "rare": "rare background"}
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
    return {"main": _name(rows[0]), "legend": _legend(), "sections": found} if found else None


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
        "figure": figures.safe(_figure(variants, cells, measure)),
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
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    pad = max(0.06 * (high - low), 0.01)
    low, high = low - pad, high + pad

    def up(value: float) -> float:
        height = figures.HEIGHT - figures.TOP - figures.BOTTOM
        return figures.TOP + height * (high - value) / (high - low)

    parts = [_axes(variants, places, (low, high), up)]
    for part in LINES:
        parts.append(_line([cells[row["variant"], part] for row in variants], places, up))
    described = "; ".join(
        f"{_name(row)}: usual {findings.number(cells[row['variant'], 'primary']['value'])},"
        f" rare {findings.number(cells[row['variant'], 'rare']['value'])}"
        for row in variants
    )
    label = figures.escape(f"{measure} against the level of the background. {described}.")
    box = f"0 0 {figures.WIDTH:g} {figures.HEIGHT:g}"
    return (
        f'<svg class="panel" viewBox="{box}" role="img" aria-label="{label}">{"".join(parts)}</svg>'
    )


def _places(variants: list[Row]) -> list[float]:
    """Return where each variant stands: by margin, and without background a step further."""
    margins = [row["margin_lu"] for row in variants if row["margin_lu"] is not None]
    start, end = figures.LEFT + 18, figures.WIDTH - figures.RIGHT - 18
    if len(margins) < len(variants):
        step = (margins[-1] - margins[0]) / max(len(margins) - 1, 1) or 1.0
        margins = [*margins, margins[-1] + step]
    span = margins[-1] - margins[0]
    return [start + (end - start) * (margin - margins[0]) / span for margin in margins]


def _axes(
    variants: list[Row],
    places: list[float],
    values: tuple[float, float],
    up: Callable[[float], float],
) -> str:
    left, right = figures.LEFT, figures.WIDTH - figures.RIGHT
    base = figures.HEIGHT - figures.BOTTOM
    parts = []
    for tick in figures.ticks(*values, most=8):
        parts.append(_rule("grid", (left, right), (up(tick), up(tick))))
        parts.append(_text(left - 7, up(tick) + 4, f"{tick:.4g}", "end"))
    parts.append(_rule("axis", (left, right), (base, base)))
    for row, x in zip(variants, places, strict=True):
        label = "none" if row["margin_lu"] is None else f"{row['margin_lu']:g}"
        parts.append(_rule("axis", (x, x), (base, base + 4)))
        parts.append(_text(x, base + 16, label, "middle"))
    name = "background below the foreground by (LU)"
    parts.append(_text((left + right) / 2, figures.HEIGHT - 5, name, "middle"))
    return "".join(parts)


def _rule(kind: str, across: tuple[float, float], down: tuple[float, float]) -> str:
    x1, x2, y1, y2 = (f"{value:.1f}" for value in (*across, *down))
    return f'<line class="{kind}" x1="{x1}" x2="{x2}" y1="{y1}" y2="{y2}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'


def _line(cells: list[Row], places: list[float], up: Callable[[float], float]) -> str:
    part = cells[0]["part"]
    colour, kind, dash = LINES[part]
    known = [(x, row) for x, row in zip(places, cells, strict=True) if row["value"] is not None]
    points = " ".join(f"{x:.1f},{up(row['value']):.1f}" for x, row in known)
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    parts = [f'<polyline class="line" points="{points}" stroke="{colour}"{dashed}/>']
    for x, row in known:
        if row["low"] is not None:
            low, high = up(row["low"]), up(row["high"])
            parts.append(
                f'<path class="line" stroke="{colour}" d="M{x:.1f} {low:.1f}V{high:.1f}'
                f'M{x - BAR:.1f} {low:.1f}h{2 * BAR:g}M{x - BAR:.1f} {high:.1f}h{2 * BAR:g}"/>'
            )
        note = f"{_name(row)}, {NAMES[part]}: {findings.number(row['value'])}"
        note += f", {_range(row, findings.number)}"
        parts.append(
            f'<g fill="{colour}" color="{colour}">{figures.marker(kind, x, up(row["value"]))}'
            f"<title>{figures.escape(note)}</title></g>"
        )
    return "".join(parts)


def _legend() -> list[dict[str, Any]]:
    """Return marks and names of the two lines."""
    entries = []
    for part, (colour, kind, dash) in LINES.items():
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        mark = (
            '<svg class="key" viewBox="0 0 36 12" width="36" height="12" aria-hidden="true">'
            f'<line class="line" x1="1" x2="35" y1="6" y2="6" stroke="{colour}"{dashed}/>'
            f'<g fill="{colour}" color="{colour}">{figures.marker(kind, 18, 6)}</g></svg>'
        )
        entries.append({"name": NAMES[part], "mark": figures.safe(mark)})
    return entries
