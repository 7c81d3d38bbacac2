"""The section on whether weights are better where subconcepts are recognised."""

from typing import TYPE_CHECKING, Any

from earnest.reports import charts
from earnest.reports import subconcept_figures as drawings
from earnest.reports import subconcept_words as words
from earnest.reports.findings import number
from earnest.reports.inputs import TableReportInputs
from earnest.reports.sections.beside import inside, interval, p_text
from earnest.reports.sections.correlations import _without
from earnest.reports.view import records

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]


def shows(inputs: TableReportInputs) -> Row:
    """Return the table of correlations, and a scatter plot for each version and measure."""
    return {"rows": recognition_rows(inputs.recognition), "scatters": _scatters(inputs)}


def recognition_rows(recognition: "pandas.DataFrame") -> list[Row]:
    """One row per version of mu, measure of the subconcept forest and method."""
    return [
        {
            "version": words.VERSIONS[row["version"]],
            "measure": words.measure(row["measure"]),
            "method": words.METHODS[row["method"]],
            "datasets": row["datasets"],
            "outliers": ", ".join(row["outliers"]) or "none",
            "value": row["value"],
            "text": number(row["value"]),
            "interval": interval(row),
            "p": p_text(row["p"]),
            "printed": "" if row["printed"] is None else number(row["printed"]),
            "inside": inside(row),
            "without": _without(row),
            "reason": row["reason"] or "",
        }
        for row in records(recognition)
    ]


def _scatters(inputs: TableReportInputs) -> list[dict[str, Any]]:
    correlated = records(inputs.recognition)
    left_out = {
        (row["version"], row["measure"]): set(row["outliers"])
        for row in correlated
        if row["method"] == "pearson"
    }
    panels = []
    for version, column in (("absolute", "mu"), ("relative", "mu_relative")):
        for measure in dict.fromkeys(inputs.quality["measure"]):
            mine = inputs.quality[inputs.quality["measure"] == measure]
            mine = mine.dropna(subset=["recognition"])
            points = [
                (name, x, y, name in left_out.get((version, measure), ()))
                for name, x, y in zip(
                    mine["dataset"], mine["recognition"], mine[column], strict=True
                )
            ]
            name = f"{words.measure(measure)}, {words.VERSIONS[version]}"
            svg = charts.safe(drawings.scatter_panel(points, name))
            panels.append({"name": name, "svg": svg})
    return panels
