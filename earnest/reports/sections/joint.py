"""The section on joint weights in the report of a study on sounds: does joining help?"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from earnest.reports import charts, words
from earnest.reports import joint_figures as drawings
from earnest.reports.extent import of_one_size
from earnest.reports.findings import number, percent, signed
from earnest.reports.inputs import StudyPage
from earnest.reports.view import TaskView, ordered, records

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]
RIVALS = ("utility", "importance", "neither")
# what a rival is called in a sentence, after "than"
NAMES = {
    "utility": "utility weights alone",
    "importance": "importance weights alone",
    "neither": "no weights",
}
TARGETS = ("true", "predicted", "conditional")
TIE = 1e-12


def shows(page: StudyPage, view: TaskView) -> Row | None:
    """Return the joint estimates of a task, as far as the page has room for them."""
    return section(view, page.inputs.joint, whole=page.shown.whole)


def section(view: TaskView, joint: "pandas.DataFrame | None", *, whole: bool = True) -> Row | None:
    """Return what the template shows of a task's joint estimates, None if there are none.

    Parameters
    ----------
    view : TaskView
    joint : pandas.DataFrame or None
        Table `joint`; rows of other tasks and measures are left alone.
    whole : bool
        Whether every size is listed, and not the headline size only; and every target, and not
        the first only.
    """
    if joint is None:
        return None
    mine = joint[(joint["task"] == view.name) & (joint["measure"] == view.chosen.measure)]
    rows = records(mine)
    targets = [name for name in TARGETS if any(row["utility"] == name for row in rows)]
    if not targets:
        return None
    return {
        "measure": words.measure(view.chosen.measure),
        "plain": number(view.truth()),
        "legend": [charts.key(look) for look in drawings.LINES.values()],
        "targets": [
            _target([r for r in rows if r["utility"] == name], None if whole else view.chosen.size)
            for name in (targets if whole else targets[:1])
        ],
        "left_out": [] if whole else [words.utility(name) for name in targets[1:]],
    }


def _target(rows: list[Row], size: int | None) -> Row:
    first = rows[0]
    estimator = ordered("estimator", {row["estimator"] for row in rows})[0]
    return {
        "name": words.utility(first["utility"]),
        "truth": number(first["truth"]),
        "sentences": sentences(rows),
        "estimator": words.style(estimator).label,
        "panels": _panels([row for row in rows if row["estimator"] == estimator]),
        "counts": [
            _counted(rows, estimator, rival)
            for estimator in ordered("estimator", {row["estimator"] for row in rows})
            for rival in RIVALS
        ],
        "rows": _table(rows if size is None else of_one_size(rows, size)),
        "sizes": len({row["size"] for row in rows}),
    }


def sentences(rows: Sequence[Row]) -> list[str]:
    """Say whether joining helps, from all samplers, sizes and weights of one target."""
    tallies = {rival: _tally([r for r in rows if r["rival"] == rival]) for rival in RIVALS}
    parts = [
        f"than with {NAMES[rival]} in {tally['lower']} of {tally['count']}"
        f" (clear of zero in {tally['clearly_lower']}; clearly higher in"
        f" {tally['clearly_higher']})"
        for rival, tally in tallies.items()
    ]
    return [
        f"{_verdict(tallies['utility'])} Over {tallies['utility']['count']} combinations of"
        " sampler, size and importance weights, the error (RMSE) of the joint weights is lower"
        f" {'; '.join(parts)}.",
        _importance(rows),
    ]


def _verdict(tally: Row) -> str:
    """Whether importance weights improve on what the utility weights alone give."""
    better, worse = tally["clearly_lower"], tally["clearly_higher"]
    if not better and not worse:
        return "Whether joining helps cannot be told here."
    if better > 2 * worse:
        return "Joining helps."
    if worse > 2 * better:
        return "Joining does not help: utility weights alone are better."
    return "Joining helps in some places and harms in others."


def _importance(rows: Sequence[Row]) -> str:
    """Say what importance weights alone are wrong by: they aim at another quantity."""
    mine = [row for row in rows if row["rival"] == "importance"]
    bias = sum(row["rival_bias"] for row in mine) / len(mine)
    joint = sum(row["joint_bias"] for row in mine) / len(mine)
    return (
        "Importance weights alone estimate the plain score of the pool, which is not this target:"
        f" they are off by {signed(bias)} on average, the joint weights by {signed(joint)}."
    )


def _tally(rows: Sequence[Row]) -> Row:
    with_interval = [row for row in rows if row["low"] is not None]
    return {
        "count": len(rows),
        "lower": sum(row["difference"] < -TIE for row in rows),
        "clearly_lower": sum(row["high"] < 0 for row in with_interval),
        "clearly_higher": sum(row["low"] > 0 for row in with_interval),
        "mean": sum(row["difference"] for row in rows) / len(rows) if rows else None,
    }


def _counted(rows: Sequence[Row], estimator: str, rival: str) -> Row:
    tally = _tally([r for r in rows if r["estimator"] == estimator and r["rival"] == rival])
    return tally | {
        "estimator": words.style(estimator).label,
        "rival": NAMES[rival],
        "share": percent(tally["lower"] / tally["count"]) if tally["count"] else "",
        "text": signed(tally["mean"], 4),
    }


def _panels(rows: Sequence[Row]) -> list[Row]:
    """One panel a sampler: error against size of the joint estimate and its rivals."""
    highest = max(value for row in rows for value in (row["joint_rmse"], row["rival_rmse"]))
    sizes = sorted({row["size"] for row in rows})
    panels = []
    for sampler in ordered("sampler", {row["sampler"] for row in rows}):
        mine = [row for row in rows if row["sampler"] == sampler]
        lines = {rival: [(row["size"], row["rival_rmse"]) for row in mine if row["rival"] == rival]
                 for rival in RIVALS}  # fmt: skip
        lines["joint"] = [(r["size"], r["joint_rmse"]) for r in mine if r["rival"] == "utility"]
        lines = {name: sorted(points) for name, points in lines.items() if points}
        said = f"{words.sampler(sampler)}: RMSE against size. " + "; ".join(
            f"{drawings.LINES[name].label} from {number(points[0][1])} at {points[0][0]} items to"
            f" {number(points[-1][1])} at {points[-1][0]}"
            for name, points in lines.items()
        )
        svg = drawings.error_panel(lines, sizes, highest, said)
        panels.append({"sampler": words.sampler(sampler), "svg": charts.safe(svg)})
    return panels


def _table(rows: Sequence[Row]) -> list[Row]:
    """One row per sampler, size and estimator, with a cell for each rival."""
    found: dict[tuple, Row] = {}
    for row in rows:
        key = row["sampler"], row["size"], row["estimator"]
        entry = found.setdefault(
            key,
            {
                "sampler": words.sampler(row["sampler"]),
                "size": row["size"],
                "estimator": words.style(row["estimator"]).label,
                "subsets": row["subsets"],
                "undefined": row["undefined"],
                "joint": row["joint_rmse"],
                "joint_text": number(row["joint_rmse"]),
                "bias": signed(row["joint_bias"]),
                "cells": {},
            },
        )
        entry["cells"][row["rival"]] = {
            "rmse": number(row["rival_rmse"]),
            "value": row["difference"],
            "text": signed(row["difference"]),
            "interval": _interval(row),
            "reason": row["reason"] or "",
        }
    order = {name: place for place, name in enumerate(ordered("sampler", {k[0] for k in found}))}
    return [found[key] for key in sorted(found, key=lambda key: (order[key[0]], *key[1:]))]


def _interval(row: Row) -> str:
    if row["low"] is None:
        return ""
    return f"[{signed(row['low'])}, {signed(row['high'])}]"
