"""The report of a study that draws subsets: one HTML file that needs nothing but itself."""

from collections.abc import Iterator
from typing import Any

from earnest.reports import extent, words
from earnest.reports.inputs import TABLES, ReportInputs, StudyPage
from earnest.reports.rendering import render
from earnest.reports.sections import (
    asked,
    backgrounds,
    curves,
    doses,
    errors,
    headline,
    joint,
    listen,
    measures,
    provenance,
    recommendations,
    short,
    side_by_side,
    sources,
    subconcepts,
    support,
    trainings,
    weights,
)
from earnest.reports.sections.section import Section, parts
from earnest.reports.view import records, task_view

__all__ = ["TABLES", "ReportInputs", "build_report"]

OF_A_TASK = (
    Section("headline", headline.shows),
    Section("curves", curves.shows),
    Section("recommendations", recommendations.shows),
    Section("errors", errors.shows),
    Section("support", support.shows),
    Section("measures", measures.shows),
    Section("subconcepts", subconcepts.shows),
    Section("joint", joint.shows),
    Section("backgrounds", backgrounds.shows),
    Section("weights", weights.shows),
)


def _tasks(page: StudyPage) -> dict[str, Any]:
    return {
        "tasks": [
            {
                "view": view,
                "measure": words.measure(view.chosen.measure),
                "parts": parts(OF_A_TASK, page, view),
            }
            for view in page.views
        ],
        "links": [(view.anchor, view.title) for view in page.views],
    }


SECTIONS = (
    Section("short", short.shows, (("short", "In short"),)),
    Section("asked", asked.shows, (("asked", "What was asked"),)),
    Section("tasks", _tasks),
    Section(
        "side_by_side",
        side_by_side.shows,
        (("embeddings", "What the correction does under each embedding"),),
    ),
    Section("doses", doses.shows, (("doses", "How much the background matters"),)),
    Section("trainings", trainings.shows, (("models", "How the classifiers came about"),)),
    Section("listen", listen.shows, (("listen", "Listen"),)),
    Section("sources", sources.shows, (("left-out", "Left out"),)),
)


def build_report(inputs: ReportInputs) -> str:
    """Build the page of one study.

    Parameters
    ----------
    inputs : ReportInputs

    Returns
    -------
    str
        A complete HTML document. It loads nothing, works without JavaScript (which only sorts
        tables), and is the same for the same inputs.

    Raises
    ------
    ValueError
        If a task of `pools` has no row in the summary, or an example is not a playable sound.
    """
    rows = records(inputs.summary)
    views = tuple(
        task_view(name, *given, rows, inputs.headline) for name, given in _told_apart(inputs)
    )
    page = StudyPage(inputs, views, records(inputs.comparisons), extent.extent_of(views))
    return render(
        "subsets.html",
        page=page,
        parts=parts(SECTIONS, page),
        over_backgrounds=any(backgrounds.applies(view) for view in views),
        facts=_facts(page),
        settings=provenance.settings(inputs.provenance),
    )


def _told_apart(inputs: ReportInputs) -> Iterator[tuple[str, tuple]]:
    """Yield every task and its parts, with a title that no other task has."""
    titles = {name: str(parts[0].get("title") or name) for name, parts in inputs.pools.items()}
    titles = side_by_side.apart(titles, inputs.embeddings)
    for name, (description, *tables) in inputs.pools.items():
        yield name, ({**description, "title": titles[name]}, *tables)


def _facts(page: StudyPage) -> dict[str, Any]:
    """Numbers of the opening paragraph."""
    clips, mixtures = page.inputs.clips, page.inputs.mixtures
    made = mixtures[mixtures["status"] != "rejected"]
    return {
        "clips": len(clips),
        "rejected": int((clips["status"] == "rejected").sum()),
        "mixtures": len(made),
        "train": int((made["split"] == "train").sum()),
        "pool": int((made["split"] == "pool").sum()),
        "foregrounds": made["foreground"].nunique(),
        "backgrounds": made["background"].nunique(),
        "seeds": max((row["seeds"] for view in page.views for row in view.rows), default=0),
    }
