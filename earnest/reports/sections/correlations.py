"""The section on correlations of full scores with those of the endpoints."""

from typing import TYPE_CHECKING, Any

from earnest.reports import subconcept_words as words
from earnest.reports.findings import number
from earnest.reports.inputs import TableReportInputs
from earnest.reports.sections.beside import inside, interval, p_text
from earnest.reports.view import records

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]


def shows(inputs: TableReportInputs) -> Row:
    """Return the table of each correction."""
    return {name: correlation_rows(inputs.correlations, name) for name in inputs.corrections}


def correlation_rows(correlations: "pandas.DataFrame", correction: str) -> list[Row]:
    """One row per measure and weighting, with cells for largest and smallest."""
    found: dict[tuple[str, str], Row] = {}
    for row in records(correlations):
        if row["correction"] != correction:
            continue
        key = row["measure"], row["utility"]
        entry = found.setdefault(
            key,
            {
                "measure": words.measure(row["measure"]),
                "utility": words.utility(row["utility"]),
                "datasets": row["datasets"],
            },
        )
        entry[row["part"]] = {
            "value": row["value"],
            "text": number(row["value"]),
            "reason": row["reason"] or "",
            "interval": interval(row),
            "p": p_text(row["p"]),
            "printed": "" if row["printed"] is None else number(row["printed"]),
            "printed_p": "" if row["printed_p"] is None else p_text(row["printed_p"]),
            "inside": inside(row),
            "without": _without(row),
        }
    return list(found.values())


def _without(row: Row) -> str:
    if row["low_without"] is None:
        return ""
    return (
        f"{number(row['low_without'], 2)} (without {row['low_set']}) to"
        f" {number(row['high_without'], 2)} (without {row['high_set']})"
    )
