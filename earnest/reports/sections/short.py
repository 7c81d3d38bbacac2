"""The section that comes first: a card for every task, and which way samplers mislead."""

from typing import Any

from earnest.reports import findings, words
from earnest.reports.inputs import StudyPage
from earnest.reports.sections import backgrounds
from earnest.reports.sections.recommendations import directions
from earnest.reports.view import TaskView


def shows(page: StudyPage) -> dict[str, Any]:
    """Return the cards, and the side of the truth on which each sampler's plain score lies."""
    estimator = page.views[0].chosen.estimator if page.views else None
    return {
        "cards": [_card(page, view) for view in page.views],
        "estimator": words.style(estimator).label if estimator else None,
        "directions": directions(page.views),
    }


def _card(page: StudyPage, view: TaskView) -> dict[str, Any]:
    chosen = view.chosen
    contexts = backgrounds.shows(page, view)
    corrected = view.row(chosen.sampler, chosen.size, chosen.estimator)
    return {
        "view": view,
        "verdict": findings.verdict(view),
        "interval": findings.interval(corrected, page.inputs.level),
        "measured": _mean(view, words.UNWEIGHTED),
        "corrected": _mean(view, chosen.estimator),
        "truth": findings.number(view.truth()),
        "measure": words.measure(chosen.measure),
        "chosen": words.chosen(chosen.sampler),
        "aside": findings.aside(view, contexts and contexts["focus"]),
    }


def _mean(view: TaskView, estimator: str | None) -> str:
    row = view.row(view.chosen.sampler, view.chosen.size, estimator)
    return findings.number(row["mean"] if row else None)
