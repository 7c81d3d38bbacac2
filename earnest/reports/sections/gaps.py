"""The section on gaps of correlations, and what weighting does to them."""

from typing import TYPE_CHECKING, Any

from earnest.reports import charts
from earnest.reports import subconcept_figures as drawings
from earnest.reports import subconcept_words as words
from earnest.reports.inputs import TableReportInputs
from earnest.reports.sections.beside import shown, with_interval
from earnest.reports.view import records

REACH = 0.5  # how far beyond the bars a panel of gaps goes
BARS = ("none", "predicted", "conditional", "true")

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]


def shows(inputs: TableReportInputs) -> Row:
    """Return figures and table of the gaps, and the table of their differences."""
    return {
        "figures": _gap_figures(inputs),
        "bars": [charts.block(words.utility(name), words.UTILITIES[name][1]) for name in BARS],
        "gaps": gap_rows(inputs.gaps),
        "differences": difference_rows(inputs.differences),
    }


def _gap_figures(inputs: TableReportInputs) -> list[dict[str, Any]]:
    found = [row for row in records(inputs.gaps) if row["value"] is not None]
    if not found:
        return []
    shown = [row for row in found if row["utility"] in BARS]
    ends = [row[end] for row in shown for end in ("value", "low", "high") if row[end] is not None]
    values = [row["value"] for row in shown]
    # with few data sets intervals reach far beyond the bars, which must stay readable
    low, high = max(min(ends), min(values) - REACH), min(max(ends), max(values) + REACH)
    span = min(low, 0.0) - 0.03, max(high, 0.0) + 0.03
    panels = []
    for measure in dict.fromkeys(row["measure"] for row in found):
        mine = [row for row in found if row["measure"] == measure and row["utility"] in BARS]
        groups = [
            (
                words.SHORT.get(correction, correction),
                [_bar(row) for row in mine if row["correction"] == correction],
            )
            for correction in dict.fromkeys(row["correction"] for row in mine)
        ]
        name = words.measure(measure)
        said = f"{name}: gap between the correlations with the largest and smallest subconcept. "
        said += "; ".join(f"{label}: {', '.join(b.note for b in bars)}" for label, bars in groups)
        svg = charts.safe(drawings.gap_panel(groups, span, said))
        panels.append({"name": name, "svg": svg})
    return panels


def _bar(row: dict[str, Any]) -> drawings.Bar:
    label = words.utility(row["utility"])
    note = f"{label} {with_interval(row)}"
    return drawings.Bar(row["utility"], row["value"], row["low"], row["high"], note)


def gap_rows(gaps: "pandas.DataFrame") -> list[Row]:
    """One row per correction, measure and weighting."""
    return [shown(row) | {"utility": words.utility(row["utility"])} for row in records(gaps)]


def difference_rows(differences: "pandas.DataFrame") -> list[Row]:
    """One row per correction, measure and pair of weightings."""
    return [
        shown(row)
        | {
            "pair": f"{words.utility(row['utility'])} less {words.utility(row['other'])}",
            "told": _told(row),
        }
        for row in records(differences)
    ]


def _told(row: Row) -> str:
    """Whether a difference is told from nothing by its interval."""
    if row["low"] is None:
        return ""
    return "yes" if row["low"] > 0 or row["high"] < 0 else "no"
