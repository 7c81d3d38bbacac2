"""The section on estimates against the number of labelled items: curves of every sampler."""

from typing import Any

from earnest.reports import charts, figures, findings, words
from earnest.reports.extent import Extent
from earnest.reports.inputs import StudyPage
from earnest.reports.view import TaskView


def shows(page: StudyPage, view: TaskView) -> dict[str, Any] | None:
    """Return the figures of a task, None where the page has no room for curves."""
    drawn = _figures(view, page.shown)
    return {"figures": drawn, "legend": legend(view)} if drawn else None


def _figures(view: TaskView, shown: Extent) -> list[dict[str, Any]]:
    """The main figure first, then those of other measures and other weightings."""
    if not shown.drawn:
        return []
    main = view.chosen.measure
    wanted = [(main, "none")]
    wanted += [(name, "none") for name in view.values("measure") if name != main]
    wanted += [(main, name) for name in view.values("utility") if name != "none"]
    wanted = [pair for pair in wanted if view.has(*pair)]
    return [_figure(view, *pair) for pair in (wanted if shown.whole else wanted[:1])]


def _figure(view: TaskView, measure: str, utility: str) -> dict[str, Any]:
    panels = {name: _curves(view, name, measure, utility) for name in view.values("sampler")}
    truth = view.truth(measure, utility)
    values = figures.value_range([curve for curves in panels.values() for curve in curves], truth)
    name = words.measure(measure)
    if utility != "none":
        name = f"{words.utility(utility)} {name}"
    drawn = [
        {
            "sampler": words.sampler(sampler),
            "subsets": _subset_range(view, sampler),
            "svg": charts.safe(
                figures.curve_panel(
                    curves,
                    truth,
                    values,
                    view.values("size"),
                    _describe(sampler, name, curves, truth),
                )
            ),
        }
        for sampler, curves in panels.items()
    ]
    return {"name": name, "truth": findings.number(truth), "panels": drawn}


def _curves(view: TaskView, sampler: str, measure: str, utility: str) -> list[figures.Curve]:
    curves = []
    for estimator in view.values("estimator"):
        rows = [
            view.row(sampler, size, estimator, measure, utility) for size in view.values("size")
        ]
        points = [
            figures.Point(
                row["size"],
                row["mean"],
                row["sd"],
                f"{words.style(estimator).label}, {row['size']} items: {findings.with_sd(row)}"
                f" (distinct subsets: {row['distinct_subsets']})",
            )
            for row in rows
            if row is not None and row["mean"] is not None
        ]
        if points:
            curves.append(figures.Curve(estimator, tuple(points)))
    return curves


def _describe(sampler: str, name: str, curves: list[figures.Curve], truth: float | None) -> str:
    """What a screen reader says of a panel: the ends of each curve."""
    ends = [
        f"{words.style(curve.estimator).label} from {findings.number(curve.points[0].mean)}"
        f" at {curve.points[0].size} items to {findings.number(curve.points[-1].mean)}"
        f" at {curve.points[-1].size}"
        for curve in curves
    ]
    true = f"True value {findings.number(truth)}. " if truth is not None else ""
    return f"{words.sampler(sampler)}: {name} against subset size. {true}{'; '.join(ends)}."


def _subset_range(view: TaskView, sampler: str) -> str:
    """How many distinct subsets stand behind the points of a panel."""
    rows = [row for row in view.rows if row["sampler"] == sampler]
    counts = [row["distinct_subsets"] for row in rows]
    low, high = min(counts), max(counts)
    if high == 1:
        return "1 subset, so no band"
    return f"{low} distinct subsets" if low == high else f"{low} to {high} distinct subsets"


def legend(view: TaskView) -> list[dict[str, Any]]:
    """Names and marks of the estimators of a task."""
    return [charts.key(words.style(name)) for name in view.values("estimator")]
