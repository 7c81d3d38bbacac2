"""The section that opens a task: each way of choosing, on one number line."""

from typing import Any

from earnest.reports import charts, figures, findings, words
from earnest.reports.findings import number
from earnest.reports.inputs import StudyPage
from earnest.reports.sections.curves import legend
from earnest.reports.view import Row, TaskView


def shows(page: StudyPage, view: TaskView) -> dict[str, Any]:
    """Return the first sentences of a task, its table of samplers and what the numbers say."""
    estimator = view.chosen.estimator
    return {
        "headline": findings.headline(view),
        "verdict": findings.verdict(view),
        "estimator": words.style(estimator).label if estimator else None,
        "table": headline_rows(view),
        "legend": legend(view),
        "statements": findings.statements(view),
    }


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
                "strip": charts.safe(figures.strip(_marks(competing), truth, values)),
                "measured": findings.with_sd(plain),
                "corrected": findings.with_sd(corrected),
                "interval": findings.interval_short(corrected),
                "subsets": subsets(plain),
                "first": name == chosen.sampler,
            }
        )
    return {"rows": rows, "axis": charts.safe(figures.strip_axis(values)), "truth": number(truth)}


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
