"""The report of a study on tables: one HTML file that needs nothing but itself."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from earnest.reports import figures
from earnest.reports import subconcept_figures as drawings
from earnest.reports import subconcept_findings as findings
from earnest.reports import subconcept_tables as rows
from earnest.reports import subconcept_words as words
from earnest.reports.findings import number
from earnest.reports.rendering import render
from earnest.reports.sections import contrasts
from earnest.reports.sections.provenance import settings
from earnest.reports.subconcept_inputs import TableReportInputs
from earnest.reports.view import records

if TYPE_CHECKING:
    import pandas

LINES = ("none", "predicted", "conditional", "true")
REACH = 0.5  # how far beyond the bars a panel of gaps goes
BARS = ("none", "predicted", "conditional", "true")


def build_report(inputs: TableReportInputs) -> str:
    """Build the page of one study on tables.

    Parameters
    ----------
    inputs : TableReportInputs

    Returns
    -------
    str
        A complete HTML document, the same for the same inputs. It loads nothing and works
        without JavaScript.
    """
    corrections = list(dict.fromkeys(inputs.scores["correction"]))
    used = [one for one in inputs.datasets if one["status"] == "used"]
    rare = None
    if inputs.contrasts is not None:
        rare = contrasts.section(inputs.contrasts, inputs.statistics)
    return render(
        "crossval.html",
        inputs=inputs,
        used=used,
        corrections=[(name, words.correction(name)) for name in corrections],
        short=[*(rare["answers"] if rare else []), *findings.in_short(inputs)],
        contrasts=rare,
        guards=contrasts.guard_rows(inputs.datasets),
        **_tables(inputs, corrections),
        **_legends(),
        gap_figures=_gap_figures(inputs),
        scatters=_scatters(inputs),
        sheets=[_sheet(inputs, name) for name in corrections],
        settings=settings(inputs.provenance),
        number=number,
    )


def _tables(inputs: TableReportInputs, corrections: Sequence[str]) -> dict[str, Any]:
    return {
        "correlations": {
            name: rows.correlation_rows(inputs.correlations, name) for name in corrections
        },
        "gaps": rows.gap_rows(inputs.gaps),
        "differences": rows.difference_rows(inputs.differences),
        "distances": rows.distance_rows(inputs.distances),
        "weights": rows.weight_rows(inputs.weights),
        "weight_sets": {name: rows.weight_set_rows(inputs.weights, name) for name in corrections},
        "recognition": rows.recognition_rows(inputs.recognition),
        "tasks": rows.dataset_rows(inputs.datasets),
        "not_run": rows.not_run_rows(inputs.datasets, inputs.scores),
        "trained": rows.trained_rows(inputs.recalls, corrections),
        "few_neighbours": rows.few_neighbours(inputs.recalls),
    }


def _legends() -> dict[str, Any]:
    def line(name: str) -> tuple[str, Any]:
        return words.utility(name), figures.safe(drawings.key(name))

    def block(text: str, colour: str) -> tuple[str, Any]:
        return text, figures.safe(drawings.block(colour))

    return {
        "bars": [block(words.utility(name), words.UTILITIES[name][1]) for name in BARS],
        "lines": [line(name) for name in LINES],
        "blocks": [
            block("size", "var(--count)"),
            block("share on the right side", "var(--score)"),
        ],
        "meanings": [(words.utility(name), text) for name, text in words.MEANINGS.items()],
    }


def _gap_figures(inputs: TableReportInputs) -> list[dict[str, Any]]:
    found = [row for row in records(inputs.gaps) if row["value"] is not None]
    if not found:
        return []
    shown = [row for row in found if row["utility"] in BARS]
    ends = [row[end] for row in shown for end in ("value", "low", "high") if row[end] is not None]
    values = [row["value"] for row in shown]
    # with few data sets intervals reach far beyond the bars, which must stay readable
    low, high = max(min(ends), min(values) - REACH), min(max(ends), max(values) + REACH)
    span = min(low, 0.0) - 0.03, max(high, 0.0) + 0.03
    panels = []
    for measure in dict.fromkeys(row["measure"] for row in found):
        mine = [row for row in found if row["measure"] == measure and row["utility"] in BARS]
        groups = [
            (
                words.SHORT.get(correction, correction),
                [_bar(row) for row in mine if row["correction"] == correction],
            )
            for correction in dict.fromkeys(row["correction"] for row in mine)
        ]
        name = words.measure(measure)
        said = f"{name}: gap between the correlations with the largest and smallest subconcept. "
        said += "; ".join(f"{label}: {', '.join(b.note for b in bars)}" for label, bars in groups)
        svg = figures.safe(drawings.gap_panel(groups, span, said))
        panels.append({"name": name, "svg": svg})
    return panels


def _bar(row: dict[str, Any]) -> drawings.Bar:
    label = words.utility(row["utility"])
    note = f"{label} {rows.with_interval(row)}"
    return drawings.Bar(row["utility"], row["value"], row["low"], row["high"], note)


def _scatters(inputs: TableReportInputs) -> list[dict[str, Any]]:
    correlated = records(inputs.recognition)
    left_out = {
        (row["version"], row["measure"]): set(row["outliers"])
        for row in correlated
        if row["method"] == "pearson"
    }
    panels = []
    for version, column in (("absolute", "mu"), ("relative", "mu_relative")):
        for measure in dict.fromkeys(inputs.quality["measure"]):
            mine = inputs.quality[inputs.quality["measure"] == measure]
            mine = mine.dropna(subset=["recognition"])
            points = [
                (name, x, y, name in left_out.get((version, measure), ()))
                for name, x, y in zip(
                    mine["dataset"], mine["recognition"], mine[column], strict=True
                )
            ]
            name = f"{words.measure(measure)}, {words.VERSIONS[version]}"
            svg = figures.safe(drawings.scatter_panel(points, name))
            panels.append({"name": name, "svg": svg})
    return panels


def _sheet(inputs: TableReportInputs, correction: str) -> dict[str, Any]:
    """One panel per data set for each measure."""
    recalls = inputs.recalls[inputs.recalls["correction"] == correction]
    counted = recalls.groupby(["dataset", "rank", "subconcept", "side"], sort=True)[
        ["test_size", "hits"]
    ].sum()
    distances = inputs.distances[inputs.distances["correction"] == correction]
    measures = []
    for measure in dict.fromkeys(distances["measure"]):
        panels = []
        for one in inputs.datasets:
            mine = distances[
                (distances["measure"] == measure) & (distances["dataset"] == one["dataset"])
            ].set_index("utility")
            if mine.empty or one["dataset"] not in counted.index.get_level_values("dataset"):
                continue
            panels.append(_panel(one, counted.loc[one["dataset"]], mine, words.measure(measure)))
        measures.append({"name": words.measure(measure), "panels": panels})
    return {"correction": words.correction(correction), "measures": measures}


def _panel(
    one: Mapping[str, Any], counted: "pandas.DataFrame", mine: "pandas.DataFrame", measure: str
) -> dict[str, Any]:
    largest = max(one["sizes"].values())
    groups = [
        drawings.Group(
            name, side, one["sizes"][name], one["sizes"][name] / largest, hits / max(size, 1)
        )
        for (_, name, side), size, hits in zip(
            counted.index, counted["test_size"], counted["hits"], strict=True
        )
    ]
    values = {name: float(mine.loc[name, "value"]) for name in LINES[:-1]}
    values["true"] = float(mine["true_value"].iloc[0])
    lines = [(name, value) for name, value in values.items() if value == value]
    said = f"{one['dataset']}, {measure}: " + ", ".join(
        f"{words.utility(name)} {number(value)}" for name, value in lines
    )
    return {
        "dataset": one["dataset"],
        "svg": figures.safe(drawings.dataset_panel(groups, lines, said)),
        "said": said.split(": ", 1)[1],
    }
