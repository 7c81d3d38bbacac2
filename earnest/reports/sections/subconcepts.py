"""The section on the subconcepts that an average hides."""

from typing import Any

from earnest.reports import charts, figures, findings, words
from earnest.reports.findings import number
from earnest.reports.inputs import StudyPage
from earnest.reports.view import TaskView, records


def shows(page: StudyPage, view: TaskView) -> dict[str, Any] | None:
    """Return size and score of each subconcept, None of a task without any."""
    table = subconcept_rows(view)
    return table | {"hidden": findings.hidden(view)} if table["rows"] else None


def subconcept_rows(view: TaskView) -> dict[str, Any]:
    """One row per subconcept: size and score as bars, with lines for the whole-pool scores."""
    table = records(view.subconcepts)
    lines = [
        (name, view.truth(utility=name))
        for name in ("none", "true", "predicted", "conditional")
        if view.truth(utility=name) is not None
    ]
    largest = max((row["pool_size"] for row in table), default=1)
    table.sort(key=lambda row: (row["side"] != "majority", -row["pool_size"], row["subconcept"]))
    rows = [
        row
        | {
            "name": row["subconcept"].replace("_", " "),
            "size_bar": charts.safe(figures.bar(row["pool_size"] / max(largest, 1), kind="count")),
            "score_bar": charts.safe(figures.bar(row["recall"], lines)),
            "score_text": number(row["recall"]),
            "utility_text": number(row["utility"], 2),
        }
        for row in table
    ]
    legend = [
        {"kind": name, "name": words.utility(name), "value": number(value)} for name, value in lines
    ]
    return {
        "rows": rows,
        "legend": legend,
        "sides": len({row["side"] for row in table}) > 1,
        "weighted": any(row["utility"] != 1 for row in table),
    }
