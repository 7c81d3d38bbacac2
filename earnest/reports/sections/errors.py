"""The section on bias, SD and RMSE of every sampler, size and estimator."""

from typing import Any

from earnest.reports import findings, words
from earnest.reports.findings import number, percent, signed
from earnest.reports.inputs import StudyPage
from earnest.reports.sections.headline import subsets
from earnest.reports.view import Row, TaskView

LONG = 40  # characters of a reason that still fit a table cell


def shows(page: StudyPage, view: TaskView) -> dict[str, Any]:
    """Return the long table of a task, as far as the page has room for it."""
    return error_table(view, whole=page.shown.whole)


def error_table(view: TaskView, *, whole: bool = True) -> dict[str, Any]:
    """One row per sampler, size and estimator; those with the lowest RMSE are marked best.

    Long reasons why there is no interval are given once, as lettered notes. Not whole, it has
    the rows of the headline size and, of other sizes, the best; `left_out` counts the rest.
    """
    rows = []
    for sampler in view.values("sampler"):
        for size in view.values("size"):
            competing = findings.competitors(view, sampler, size)
            winners = {row["estimator"] for row in findings.best(competing)}
            rows += [_error_row(row, row["estimator"] in winners) for row in competing]
    count = len(rows)
    rows = [row for row in rows if whole or row["best"] or row["size"] == view.chosen.size]
    notes = list(dict.fromkeys(r["interval_text"] for r in rows if len(r["interval_text"]) > LONG))
    letters = {reason: _letters(place) for place, reason in enumerate(notes)}
    for row in rows:
        mark = letters.get(row["interval_text"])
        row["interval_text"] = f"none ({mark})" if mark else row["interval_text"]
    return {
        "rows": rows,
        "notes": [(letters[reason], reason) for reason in notes],
        "left_out": count - len(rows),
    }


def _letters(place: int) -> str:
    """Name of a note: a to z, then aa, ab and so on."""
    letter = chr(ord("a") + place % 26)
    return letter if place < 26 else _letters(place // 26 - 1) + letter


def _error_row(row: Row, is_best: bool) -> dict[str, Any]:
    return row | {
        "sampler_name": words.sampler(row["sampler"]),
        "estimator_name": words.style(row["estimator"]).label,
        "best": is_best,
        "subsets": subsets(row),
        "mean_text": number(row["mean"]),
        "bias_text": signed(row["bias"]),
        "sd_text": number(row["sd"]),
        "rmse_text": number(row["rmse"]),
        "coverage_text": "–" if row["coverage"] is None else percent(row["coverage"]),
        "interval_text": "valid" if row["interval"] == "valid" else (row["reason"] or "none"),
        "ess_text": "–" if row["ess"] is None else number(row["ess"], 1),
    }
