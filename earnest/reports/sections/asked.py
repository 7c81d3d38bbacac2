"""The section on what was asked, with the words of the page."""

from collections.abc import Sequence
from typing import Any

from earnest.reports import words
from earnest.reports.inputs import StudyPage
from earnest.reports.sections import backgrounds
from earnest.reports.view import TaskView, ordered


def shows(page: StudyPage) -> dict[str, Any]:
    """Return the planned backgrounds and the meaning of every name on the page."""
    return {"design": backgrounds.design(page.inputs.provenance), "glossary": _glossary(page.views)}


def _glossary(views: Sequence[TaskView]) -> dict[str, list[tuple[str, str]]]:
    """Meanings of the samplers, estimators, measures and weightings that occur."""

    def present(column: str) -> list[str]:
        return ordered(column, (row[column] for view in views for row in view.rows))

    return {
        "Ways to choose what is labelled": [words.entry("sampler", n) for n in present("sampler")],
        "Estimators": [words.entry("estimator", n) for n in present("estimator")],
        "Measures": [
            words.entry("measure", name)
            for name in dict.fromkeys(n.partition(":")[0] for n in present("measure"))
        ],
        "Weightings of subconcepts": [words.entry("utility", n) for n in present("utility")],
    }
