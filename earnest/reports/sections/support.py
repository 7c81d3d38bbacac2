"""Rows of two tables: which intervals held, and what the labelled part leaves out."""

from typing import Any

from earnest.reports import words
from earnest.reports.findings import percent
from earnest.reports.inputs import StudyPage
from earnest.reports.view import Row, TaskView


def shows(page: StudyPage, view: TaskView) -> dict[str, Any]:
    """Return which intervals held, and shares of the pool that no label speaks for."""
    return {"coverage": coverage_rows(view), "outside": outside_rows(view)}


def coverage_rows(view: TaskView) -> dict[str, Any]:
    """One row per estimator and one cell per sampler: how often its interval held the truth.

    Returns
    -------
    dict
        `samplers`, their names; `rows`, each with `estimator` and `cells`; a cell has the
        measured coverage at the headline size as `text` (and `value`, to sort by), whether the
        interval is `valid`, at how many of the sizes it is (`sizes`), and `why` not.
    """
    samplers = view.values("sampler")
    rows = []
    for name in view.values("estimator"):
        cells = [_cell(view, sampler, name) for sampler in samplers]
        rows.append({"estimator": words.style(name).label, "cells": cells})
    return {"samplers": [words.sampler(name) for name in samplers], "rows": rows}


def _cell(view: TaskView, sampler: str, estimator: str) -> dict[str, Any]:
    sizes = view.values("size")
    found = [view.row(sampler, size, estimator) for size in sizes]
    valid = sum(row is not None and row["interval"] == "valid" for row in found)
    row = view.row(sampler, view.chosen.size, estimator)
    coverage = None if row is None else row["coverage"]
    is_valid = row is not None and row["interval"] == "valid"
    return {
        "text": "none" if coverage is None else percent(coverage),
        "value": coverage,
        "valid": is_valid,
        "sizes": f"{valid} of {len(sizes)}",
        "why": None if is_valid else _reason(row),
    }


def _reason(row: Row | None) -> str:
    return "not computed" if row is None else row["reason"] or "no reason recorded"


def outside_rows(view: TaskView) -> list[dict[str, Any]]:
    """One row per sampler and size: shares of the pool that no labelled item is like."""
    rows = []
    for sampler in view.values("sampler"):
        for size in view.values("size"):
            row = view.row(sampler, size, words.UNWEIGHTED)
            shares = {name: row and row[f"outside_{name}"] for name in ("confidence", "distance")}
            if all(share is None for share in shares.values()):
                continue
            texts = {k: "–" if v is None else percent(v) for k, v in shares.items()}
            rows.append(
                {
                    "sampler": words.sampler(sampler),
                    "size": size,
                    **shares,
                    **{f"{name}_text": text for name, text in texts.items()},
                }
            )
    return rows
