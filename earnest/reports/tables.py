"""Rows of the page's tables, ready for the template: text, numbers to sort by, small figures."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from earnest.reports import figures, findings, words
from earnest.reports.findings import number, percent, signed
from earnest.reports.sections.sources import reason_code
from earnest.reports.view import Row, TaskView, ordered, records

if TYPE_CHECKING:
    import pandas

LONG = 40  # characters of a reason that still fit a table cell
HEAVY_TAIL = 0.7  # Pareto k above which a weighted mean is unreliable (Vehtari et al., PSIS)
LONGEST = 400  # rows of a list of clips on the page; the whole list is in the clips table


def headline_rows(view: TaskView) -> dict[str, Any]:
    """One row per sampler at the headline size, with all estimators on a shared number line."""
    chosen, truth = view.chosen, view.truth()
    found = {name: findings.competitors(view, name, chosen.size) for name in view.values("sampler")}
    means = [row["mean"] for rows in found.values() for row in rows if row["mean"] is not None]
    values = _padded([*means, *([] if truth is None else [truth])])
    rows = []
    for name, competing in found.items():
        plain = view.row(name, chosen.size, words.UNWEIGHTED)
        corrected = view.row(name, chosen.size, chosen.estimator)
        rows.append(
            {
                "sampler": words.sampler(name),
                "strip": figures.safe(figures.strip(_marks(competing), truth, values)),
                "measured": findings.with_sd(plain),
                "corrected": findings.with_sd(corrected),
                "interval": findings.interval_short(corrected),
                "subsets": subsets(plain),
                "first": name == chosen.sampler,
            }
        )
    return {"rows": rows, "axis": figures.safe(figures.strip_axis(values)), "truth": number(truth)}


def _marks(rows: list[Row]) -> list[tuple[str, str, float]]:
    known = [(words.style(row["estimator"]), row["mean"]) for row in rows]
    return [(look.marker, look.colour, mean) for look, mean in known if mean is not None]


def _padded(values: list[float]) -> tuple[float, float]:
    if not values:
        return 0.0, 1.0
    pad = max(0.08 * (max(values) - min(values)), 0.005)
    return min(values) - pad, max(values) + pad


def subsets(row: Row | None) -> str:
    """Number of distinct subsets behind a mean and an SD, of seeds if it differs, of gaps."""
    if row is None:
        return "–"
    text = str(row["distinct_subsets"])
    if row["distinct_subsets"] != row["seeds"]:
        text += f" from {row['seeds']} seeds"
    return text + (f", {row['undefined']} without a value" if row["undefined"] else "")


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


def weight_rows(view: TaskView) -> list[dict[str, Any]]:
    """Effective sample sizes and flags at the headline size, per sampler and estimator."""
    rows = []
    for sampler in view.values("sampler"):
        for row in findings.competitors(view, sampler, view.chosen.size):
            if row["ess"] is None and not row["flags"]:
                continue
            share = None if row["ess"] is None else min(row["ess"] / row["size"], 1.0)
            rows.append(
                {
                    "sampler": words.sampler(sampler),
                    "estimator": words.style(row["estimator"]).label,
                    "ess": row["ess"],
                    "ess_text": number(row["ess"], 1),
                    "largest": row["largest"],
                    "largest_text": number(row["largest"], 1),
                    "pareto_k": row["pareto_k"],
                    "pareto_text": number(row["pareto_k"], 2),
                    "unreliable": row["pareto_k"] is not None and row["pareto_k"] > HEAVY_TAIL,
                    "share": share,
                    "bar": figures.safe(figures.bar(share, kind="count")),
                    "flags": [flag.replace("_", " ") for flag in row["flags"] or []],
                }
            )
    return rows


def flags_raised(view: TaskView) -> list[tuple[str, str]]:
    """Every flag raised anywhere in a task, with its meaning."""
    names = sorted({flag for row in view.rows for flag in row["flags"] or []})
    return [(name.replace("_", " "), words.flag(name)) for name in names]


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
            "size_bar": figures.safe(figures.bar(row["pool_size"] / max(largest, 1), kind="count")),
            "score_bar": figures.safe(figures.bar(row["recall"], lines)),
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


def rejected_rows(clips: "pandas.DataFrame") -> list[dict[str, Any]]:
    """Rejected clips with their reason, what it means, and what was found in the file."""
    found = records(clips[clips["status"] == "rejected"])
    found.sort(key=lambda row: (row["dataset"], row["clip_id"]))
    return [
        {
            "clip": row["clip_id"],
            "dataset": row["dataset"],
            "label": row["label"],
            "reason": row["reason"] or "no reason recorded",
            "meaning": words.REASONS.get(reason_code(row["reason"]), ""),
            "detail": row["warning"] or "",
        }
        for row in found
    ]


def warned_rows(clips: "pandas.DataFrame") -> list[dict[str, Any]]:
    """Accepted clips that are worth a look."""
    found = records(clips[clips["warning"].notna() & (clips["status"] != "rejected")])
    found.sort(key=lambda row: (row["dataset"], row["clip_id"]))
    return [{"clip": r["clip_id"], "label": r["label"], "warning": r["warning"]} for r in found]


def dropped_rows(dropped: "pandas.DataFrame", mixtures: "pandas.DataFrame") -> list[dict[str, Any]]:
    """What could not be built: pairs, foregrounds and mixtures, and mixtures not rendered."""
    rows = [{"kind": r["kind"], "name": r["name"], "reason": r["reason"]} for r in records(dropped)]
    failed = records(mixtures[mixtures["status"] == "rejected"])
    return rows + [
        {"kind": "mixture", "name": r["mixture_id"], "reason": r["reason"] or "no reason recorded"}
        for r in failed
    ]


def settings_rows(tree: Any, prefix: str = "") -> list[tuple[str, str]]:
    """Flatten nested settings to `key.subkey` and text, lists of plain values on one line."""
    if isinstance(tree, Mapping):
        rows = [settings_rows(v, f"{prefix}.{k}" if prefix else str(k)) for k, v in tree.items()]
        return [row for part in rows for row in part] or [(prefix, "none")]
    if isinstance(tree, (list, tuple)):
        if any(isinstance(item, (Mapping, list, tuple)) for item in tree):
            rows = [settings_rows(item, f"{prefix}[{place}]") for place, item in enumerate(tree)]
            return [row for part in rows for row in part]
        return [(prefix, ", ".join(_setting(item) for item in tree) or "none")]
    return [(prefix, _setting(tree))]


def _setting(value: Any) -> str:
    if value is None:
        return "none"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def in_order(column: str, rows: list[Row]) -> list[str]:
    """The distinct values of one key column in the order of the page."""
    return ordered(column, (row[column] for row in rows))
