"""The section on every data set: sizes and scores of its subconcepts."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from earnest.reports import charts
from earnest.reports import subconcept_figures as drawings
from earnest.reports import subconcept_words as words
from earnest.reports.findings import number
from earnest.reports.inputs import TableReportInputs

LINES = ("none", "predicted", "conditional", "true")

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]


def shows(inputs: TableReportInputs) -> Row:
    """Return a sheet of panels for each correction, and the key of bars and lines."""
    return {
        "sheets": [_sheet(inputs, name) for name in inputs.corrections],
        "legend": [
            charts.block("size", "var(--count)"),
            charts.block("share on the right side", "var(--score)"),
            *(charts.key(drawings.looks(name)) for name in LINES),
        ],
    }


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
        "svg": charts.safe(drawings.dataset_panel(groups, lines, said)),
        "said": said.split(": ", 1)[1],
    }
