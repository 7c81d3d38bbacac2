"""The section on how much the weights of a task can be trusted."""

from typing import Any

from earnest.reports import charts, figures, findings, words
from earnest.reports.findings import number
from earnest.reports.inputs import StudyPage
from earnest.reports.view import TaskView

HEAVY_TAIL = 0.7  # Pareto k above which a weighted mean is unreliable (Vehtari et al., PSIS)


def shows(page: StudyPage, view: TaskView) -> dict[str, Any] | None:
    """Return effective sizes and flags of a task, None where no estimator has any."""
    rows, flags = weight_rows(view), flags_raised(view)
    return {"rows": rows, "flags": flags} if rows or flags else None


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
                    "bar": charts.safe(figures.bar(share, kind="count")),
                    "flags": [flag.replace("_", " ") for flag in row["flags"] or []],
                }
            )
    return rows


def flags_raised(view: TaskView) -> list[tuple[str, str]]:
    """Every flag raised anywhere in a task, with its meaning."""
    names = sorted({flag for row in view.rows for flag in row["flags"] or []})
    return [(name.replace("_", " "), words.flag(name)) for name in names]
