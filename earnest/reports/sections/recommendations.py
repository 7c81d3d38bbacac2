"""What the paired tests recommend: a sentence per sampler, a table, and how far it reaches."""

import math
from collections.abc import Sequence
from typing import Any

from earnest.reports import words
from earnest.reports.findings import number, signed
from earnest.reports.inputs import StudyPage
from earnest.reports.view import Row, TaskView, ordered

MARKS = {
    "better": ("▲", "better than the unweighted score"),
    "worse": ("▼", "worse than it"),
    "mixed": ("◆", "nearer on most subsets but with larger misses, or the reverse"),
    "not shown": ("", "no difference shown"),
    "too few": ("", "too few distinct subsets for any test"),
    "undefined": ("", "no value"),
    "reference": ("", "the unweighted score"),
}


def shows(page: StudyPage, view: TaskView) -> dict[str, Any]:
    """Return which estimator to use in a task, by the paired tests."""
    return advise(view, page.comparisons)


def advise(view: TaskView, comparisons: Sequence[Row]) -> dict[str, Any]:
    """Return what the page says of the paired tests of one task.

    Parameters
    ----------
    view : TaskView
    comparisons : sequence of dict
        Rows of the table `comparisons`, of all tasks.

    Returns
    -------
    dict
        `sentences`, one a sampler; `table`, see `matrix`; `family`, how many tests were corrected
        for; `reach`, of what the findings are.
    """
    rows = [
        row
        for row in comparisons
        if row["task"] == view.name
        and row["measure"] == view.chosen.measure
        and row["utility"] == "none"
    ]
    sentences = [_recommend(view, rows, sampler) for sampler in view.values("sampler")]
    return {
        "sentences": [sentence for sentence in sentences if sentence],
        "table": matrix(rows),
        "family": sum(row["p"] is not None for row in rows),
        "reach": _reach(view),
    }


def _recommend(view: TaskView, rows: list[Row], sampler: str) -> str | None:
    """Say which estimator to use with a sampler, by the rule of docs/methods.md, section 15."""
    own = [row for row in rows if row["sampler"] == sampler]
    tested = [row for row in own if row["verdict"] not in ("reference", "undefined")]
    if not tested:
        return None
    start = f"With items chosen {words.chosen(sampler)}, "
    if all(row["verdict"] == "too few" for row in tested):
        return start + _too_few(view, own, tested)
    tallies = {
        name: _Tally(own, name) for name in ordered("estimator", (r["estimator"] for r in tested))
    }
    fit = [name for name, tally in tallies.items() if tally.run]
    if not fit:
        text = f"{start}keep the unweighted score: no estimator is shown to be better on a row of"
        return f"{text} sizes and worse on none of it{_worse(tallies, None)}"
    best = min(fit, key=lambda name: tallies[name].rank)
    tally = tallies[best]
    text = f"{start}use {_label(best)}{tally.range}: {_gain(view, own, best, tally.run)}, better on"
    text += f" {tally.better} of {len(tally.run)} sizes after correction"
    return text + tally.elsewhere + _worse(tallies, best)


class _Tally:
    """The sizes on which an estimator can be recommended, and how it does on the others."""

    def __init__(self, rows: list[Row], estimator: str) -> None:
        own = [r for r in rows if r["estimator"] == estimator and r["verdict"] != "undefined"]
        self.own = sorted(own, key=lambda row: row["size"])
        self.run = _best_run(self.own)
        self.better = _count(self.run, "better")
        self.worse = _count(self.own, "worse", "mixed")

    @property
    def rank(self) -> tuple[int, float]:
        """Smaller for what is better on more sizes, then for less error on them."""
        return -self.better, sum(row["rmse"] ** 2 for row in self.run) / len(self.run)

    @property
    def range(self) -> str:
        first, last = self.run[0], self.run[-1]
        if len(self.run) == len(self.own):
            return ""
        if first is self.own[0]:
            return f" up to {last['size']} items"
        if last is self.own[-1]:
            return f" from {first['size']} items on"
        return f" from {first['size']} to {last['size']} items"

    @property
    def elsewhere(self) -> str:
        others = [row for row in self.own if row not in self.run]
        if not others:
            return ""
        counts = [(f"{verdict} on {_count(others, verdict)}") for verdict in ("better", "worse")]
        return (
            f", and keep the unweighted score elsewhere (there it is {' and '.join(counts)} of"
            f" {len(others)})"
        )


def _count(rows: Sequence[Row], *verdicts: str) -> int:
    return sum(row["verdict"] in verdicts for row in rows)


def _best_run(rows: list[Row]) -> list[Row]:
    """The row of sizes with the most `better` that has no `worse` or `mixed`, or none.

    It is the whole list, or begins and ends with a `better`; at least half of it is `better`, and
    it has two sizes unless there is only one.
    """
    runs = [rows]
    edges = [place for place, row in enumerate(rows) if row["verdict"] == "better"]
    runs += [rows[first : last + 1] for first in edges for last in edges if last > first]
    fit = [
        run
        for run in runs
        if run and not _count(run, "worse", "mixed") and 2 * _count(run, "better") >= len(run)
    ]
    return max(fit, key=lambda run: (_count(run, "better"), len(run)), default=[])


def _gain(view: TaskView, rows: list[Row], estimator: str, run: list[Row]) -> str:
    """Both RMSEs at the headline size, or at the nearest of the run."""
    row = min(run, key=lambda row: (abs(row["size"] - view.chosen.size), row["size"]))
    return f"RMSE {_against(rows, row)} at n = {row['size']}"


def _against(rows: list[Row], row: Row) -> str:
    """The RMSE of a row and that of the unweighted score of the same size."""
    plain = next(
        other["rmse"]
        for other in rows
        if other["estimator"] == words.UNWEIGHTED and other["size"] == row["size"]
    )
    return f"{number(row['rmse'])} against {number(plain)} unweighted"


def _worse(tallies: dict[str, _Tally], named: str | None) -> str:
    """Who made it worse on half of the sizes or more."""
    bad = {
        name: tally
        for name, tally in tallies.items()
        if name != named and tally.worse and 2 * tally.worse >= len(tally.own)
    }
    if not bad:
        return "."
    listed = [f"{_label(n)} (on {tally.worse} of {len(tally.own)})" for n, tally in bad.items()]
    return f". Worse than unweighted: {', '.join(listed)}."


def _too_few(view: TaskView, own: list[Row], tested: list[Row]) -> str:
    most = max(row["subsets"] for row in tested)
    smallest = min(row["smallest_p"] for row in tested if row["smallest_p"] is not None)
    noun = "subset" if most == 1 else "subsets"
    size = min((row["size"] for row in tested), key=lambda one: (abs(one - view.chosen.size), one))
    nearest = min((r for r in tested if r["size"] == size), key=lambda row: row["rmse"])
    return (
        f"nothing can be recommended: {most} distinct {noun} of a size could give no p value below"
        f" {smallest:.2g}, which is not enough after correction. At n = {size}"
        f" {_label(nearest['estimator'])} was nearest, with RMSE"
        f" {_against(own, nearest)}."
    )


def _label(estimator: str) -> str:
    return f"“{words.style(estimator).label}”"


def _reach(view: TaskView) -> str:
    return (
        f"Chosen and tested on the same draws from one pool of {len(view.pool):,} items: findings"
        " about this pool, not laws. The direction of a sampler's bias is a property of pool and"
        " metric (here Euclidean distances between embeddings)."
    )


def matrix(rows: Sequence[Row]) -> dict[str, Any]:
    """One row per sampler and size, one cell per estimator: bias, SD, RMSE and the verdict.

    Returns
    -------
    dict
        `estimators`, their names; `rows`, each with `sampler`, `size` and `cells`; `marks`, the
        verdicts that occur with their marks. The cells of the lowest RMSE of a row are `best`.
    """
    cells = {(row["sampler"], row["size"], row["estimator"]): row for row in rows}
    estimators = ordered("estimator", (row["estimator"] for row in rows))
    places = [
        (sampler, size)
        for sampler in ordered("sampler", (row["sampler"] for row in rows))
        for size in sorted({row["size"] for row in rows if row["sampler"] == sampler})
    ]
    found = {row["verdict"] for row in rows}
    return {
        "estimators": [words.style(name).label for name in estimators],
        "rows": [
            {
                "sampler": words.sampler(sampler),
                "size": size,
                "cells": [_cell(cells.get((sampler, size, name))) for name in estimators],
            }
            for sampler, size in places
        ],
        "marks": [(mark, text) for key, (mark, text) in MARKS.items() if mark and key in found],
    }


def _cell(row: Row | None) -> dict[str, Any]:
    if row is None or row["rmse"] is None:
        empty = {"rmse": None, "text": "–", "spread": "", "best": False, "mark": ""}
        return empty | {"why": "no value"}
    why = MARKS[row["verdict"]][1]
    if row["p_adjusted"] is not None:
        why += f"; p = {row['p']:.2g}, corrected {row['p_adjusted']:.2g}, {row['subsets']} subsets"
    return {
        "rmse": row["rmse"],
        "text": number(row["rmse"]),
        "spread": f"{signed(row['bias'])} ± {number(row['sd'])}",
        "best": bool(row["best"]),
        "mark": MARKS[row["verdict"]][0],
        "why": why,
    }


def directions(views: Sequence[TaskView]) -> dict[str, Any]:
    """Say for each sampler on which tasks the unweighted score lies above or below the truth.

    Returns
    -------
    dict
        `sentences`, one a sampler that has any; `note`, what follows from there being one pool or
        several.
    """
    sentences = []
    for sampler in ordered("sampler", (name for view in views for name in view.values("sampler"))):
        sides = {"above": [], "below": [], "no side shown": []}
        for view in views:
            row = view.row(sampler, view.chosen.size, words.UNWEIGHTED)
            if row is not None and row["bias"] is not None:
                sides[side(row)].append(f"{view.title} ({signed(row['bias'])})")
        parts = [f"{side}: {', '.join(where)}" for side, where in sides.items() if where]
        if parts:
            sentences.append(f"{words.sampler(sampler)} – {'; '.join(parts)}.")
    return {"sentences": sentences, "note": _note(views)}


def side(row: Row) -> str:
    """Which side of the truth the mean lies on, if by more than two standard errors."""
    sd = row["sd"] or 0.0
    if abs(row["bias"]) <= 2 * sd / math.sqrt(row["distinct_subsets"]):
        return "no side shown"
    return "above" if row["bias"] > 0 else "below"


def _note(views: Sequence[TaskView]) -> str:
    law = "The direction of a sampler's bias is a property of pool and metric"
    if len(views) == 1:
        return f"{law}, and this page has one pool only: on another it may be the opposite."
    return (
        f"{law}: the {len(views)} pools of this page are of one study, and on others it may differ."
    )
