"""The section that comes first: what came out of cross-validation, from its numbers."""

from typing import Any

from earnest.reports import subconcept_words as words
from earnest.reports.findings import number
from earnest.reports.inputs import TableReportInputs
from earnest.reports.sections import contrasts
from earnest.reports.sections.beside import with_interval
from earnest.reports.sections.optimism import distance_rows, weight_rows
from earnest.reports.view import records

MAIN = "balanced_accuracy"


def shows(inputs: TableReportInputs) -> dict[str, Any]:
    """Return the sentences, those on rare contexts first, and what the weightings mean."""
    rare = contrasts.shows(inputs)
    return {
        "sentences": [*(rare["answers"] if rare else []), *in_short(inputs)],
        "meanings": [(words.utility(name), text) for name, text in words.MEANINGS.items()],
    }


def in_short(inputs: TableReportInputs) -> list[str]:
    """Say what came out: gaps, what weights change, how far off they are, the printed numbers."""
    correction = next(iter(inputs.scores["correction"]), None)
    found = [
        _gaps(inputs, correction),
        _closing(inputs, correction),
        _optimism(inputs, correction),
        _missed(inputs, correction),
        _recognition(inputs),
        _printed(inputs),
    ]
    return [sentence for sentence in found if sentence]


def _pick(frame: Any, **wanted: Any) -> dict[str, Any] | None:
    for row in records(frame):
        if all(row[name] == value for name, value in wanted.items()):
            return row
    return None


def _gaps(inputs: TableReportInputs, correction: str | None) -> str | None:
    parts = []
    for utility in ("none", "predicted", "conditional", "true"):
        row = _pick(inputs.gaps, correction=correction, measure=MAIN, utility=utility)
        if row is None or row["value"] is None:
            return None
        parts.append(f"{words.utility(utility)} {with_interval(row)}")
    return (
        "How much more balanced accuracy on the full test set follows the largest minority"
        " subconcept than the smallest (gap of two correlations over data sets,"
        f" {words.correction(str(correction))}): {'; '.join(parts)}."
    )


def _closing(inputs: TableReportInputs, correction: str | None) -> str | None:
    parts = []
    for other in ("predicted", "conditional", "true"):
        wanted = {"correction": correction, "measure": MAIN, "utility": "none", "other": other}
        row = _pick(inputs.differences, **wanted)
        if row is None or row["value"] is None or row["low"] is None:
            return None
        told = "clear of zero" if row["low"] > 0 or row["high"] < 0 else "not told from zero"
        name = words.utility(other)
        parts.append(f"{name} {with_interval(row)}, {told}")
    return f"The plain gap less the gap of each weighting: {'; '.join(parts)}."


def _optimism(inputs: TableReportInputs, correction: str | None) -> str | None:
    mine = {
        row["utility"]: row
        for row in distance_rows(inputs.distances)
        if row["correction"] == words.correction(str(correction))
        and row["measure"] == words.measure(MAIN)
    }
    if not mine:
        return None
    parts = [f"{name} {row['text']}" for name, row in mine.items()]
    conditional = mine[words.utility("conditional")]
    return (
        f"Mean distance of balanced accuracy to the true-weighted one: {', '.join(parts)};"
        f" the conditional weighting is nearer than the plain score in {conditional['nearer']} of"
        f" {conditional['datasets']} data sets."
    )


def _missed(inputs: TableReportInputs, correction: str | None) -> str | None:
    for row in weight_rows(inputs.weights):
        named = row["utility"] == words.utility("predicted")
        if named and row["correction"] == words.correction(str(correction)):
            return (
                "Why Eq. 6 flatters: minority items that the classifier missed get on average"
                f" {row['missed']} of their true weight, those that it hit {row['hit']}."
            )
    return None


def _recognition(inputs: TableReportInputs) -> str | None:
    wanted = {"version": "absolute", "method": "pearson", "measure": MAIN}
    row = _pick(inputs.recognition, **wanted)
    if row is None or row["value"] is None:
        return None
    text = (
        "The better the subconcept forest (balanced accuracy), the nearer predicted weights are to"
        f" true ones? Pearson {with_interval(row)}"
    )
    if row["high_without"] is not None:
        text += f"; without {row['high_set']} alone it is {number(row['high_without'])}"
    return text + "."


def _printed(inputs: TableReportInputs) -> str | None:
    found = [
        row
        for frame in (inputs.correlations, inputs.gaps, inputs.recognition)
        for row in records(frame)
        if row["printed"] is not None and row["low"] is not None
    ]
    if not found:
        return None
    inside = sum(row["low"] <= row["printed"] <= row["high"] for row in found)
    largest = max(
        abs(row["value"] - row["printed"])
        for row in records(inputs.correlations)
        if row["printed"] is not None and row["value"] is not None
    )
    return (
        f"Of {len(found)} numbers that the paper prints, {inside} lie in our intervals; the largest"
        f" distance of a correlation in its tables is {number(largest)}."
    )
