"""The table of all measures and weightings beside the truth."""

from typing import Any

from earnest.reports import findings, words
from earnest.reports.findings import number
from earnest.reports.inputs import StudyPage
from earnest.reports.view import TaskView


def shows(page: StudyPage, view: TaskView) -> dict[str, Any] | None:
    """Return the table, None where a task has one measure and one weighting."""
    rows = other_rows(view)
    if len(rows) < 2:
        return None
    return {
        "rows": rows,
        "gaps": gaps(view, rows),
        "chosen": words.chosen(view.chosen.sampler),
        "estimators": [words.style(name).label for name in view.values("estimator")],
    }


def other_rows(view: TaskView) -> list[dict[str, Any]]:
    """One row per measure and weighting, at the headline sampler and size."""
    rows = []
    for measure in view.values("measure"):
        for utility in view.values("utility"):
            if view.truth(measure, utility) is None and not view.has(measure, utility):
                continue
            cells = []
            for name in view.values("estimator"):
                row = view.row(view.chosen.sampler, view.chosen.size, name, measure, utility)
                text = findings.with_sd(row) if row and row["mean"] is not None else "–"
                why = row["reason"] if row and row["mean"] is None else None
                cells.append({"text": text, "why": why, "value": row["mean"] if row else None})
            rows.append(
                {
                    "measure": words.measure(measure),
                    "utility": words.utility(utility),
                    "truth": view.truth(measure, utility),
                    "truth_text": number(view.truth(measure, utility)),
                    "cells": cells,
                }
            )
    return rows


def gaps(view: TaskView, rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Estimators without a number in `other_rows`, each with the different reasons why."""
    found = []
    for place, name in enumerate(view.values("estimator")):
        reasons = {row["cells"][place]["why"] for row in rows} - {None}
        found += [(words.style(name).label, reason) for reason in sorted(reasons)]
    return found
