"""The section on rare contexts in the report of cross-validated sounds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from earnest.reports import charts
from earnest.reports import contrast_figures as drawings
from earnest.reports import subconcept_words as words
from earnest.reports.findings import number, percent, signed
from earnest.reports.inputs import TableReportInputs
from earnest.reports.view import records

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]
WAYS = ("true", "conditional", "predicted", "majority_one")
SHOWN = ("true", "conditional", "predicted")
QUESTIONS = ("Do rare contexts fail?", "Do the weights show it?")


def shows(inputs: TableReportInputs) -> Row | None:
    """Return what the page shows of rare contexts, None of tables and where no task was used."""
    if inputs.contrasts is None:
        return None
    found = section(inputs.contrasts, inputs.statistics)
    return found and found | {"guards": guard_rows(inputs.datasets)}


def section(contrasts: "pandas.DataFrame", statistics: "pandas.DataFrame") -> Row | None:
    """Return what the template shows of rare contexts, None if no task was used.

    Parameters
    ----------
    contrasts, statistics : pandas.DataFrame
        Tables `sound_contrasts` and `sound_statistics`.
    """
    rows = records(contrasts)
    if not rows:
        return None
    found = {(row["correction"], row["statistic"]): row for row in records(statistics)}
    corrections = list(dict.fromkeys(row["correction"] for row in rows))
    first = corrections[0]
    contexts = [row for row in rows if row["kind"] == "context" and row["correction"] == first]
    said = sentences(rows, found, first)
    return {
        "sentences": said,
        "answers": [text for text in said if text.startswith(QUESTIONS)],
        "ladder": charts.safe(drawings.ladder_panel([_rung(row) for row in contexts]))
        if contexts
        else "",
        "scatters": [_scatter(contexts, way, found) for way in SHOWN] if contexts else [],
        "statistics": [_statistic(row) for row in records(statistics)],
        "tables": [
            {
                "correction": words.correction(name),
                "rows": [_shown(row) for row in rows if row["correction"] == name],
            }
            for name in corrections
        ],
        "first": words.correction(first),
    }


def sentences(rows: Sequence[Row], found: dict[tuple[str, str], Row], correction: str) -> list[str]:
    """Answer in words: do rare contexts fail, and do the weights show it?"""
    mine = [r for r in rows if r["kind"] == "context" and r["correction"] == correction]
    contrast = found.get((correction, "contrast"))
    if not mine or contrast is None or contrast["value"] is None:
        return ["Fewer than three context tasks have scores, so nothing is said over foregrounds."]
    return [
        _do_rare_fail(mine, contrast),
        _worst(mine),
        _shifts(found, correction),
        _do_weights_show(found, correction),
        *_other_corrections(rows, found, correction),
    ]


def _do_rare_fail(mine: Sequence[Row], contrast: Row) -> str:
    usual = sum(row["usual_recall"] for row in mine) / len(mine)
    rare = sum(row["rare_recall"] for row in mine) / len(mine)
    return (
        f"{QUESTIONS[0]} {_verdict(contrast)} Over {contrast['datasets']} foregrounds,"
        f" {percent(usual)} of the sounds over their usual background are found and"
        f" {percent(rare)} of those over rare ones; rare less usual is"
        f" {_with_interval(contrast)}, and negative for {number(contrast['negative'], 0)}"
        " foregrounds."
    )


def _verdict(row: Row) -> str:
    if row["low"] is None:
        return "That cannot be said: there is no interval."
    if row["high"] < 0:
        return "On average they do."
    if row["low"] > 0:
        return "On average they do not: they are found more often than usual ones."
    return "Not on average: the difference is not told from zero."


def _worst(mine: Sequence[Row]) -> str:
    lowest = min(mine, key=lambda row: row["contrast"])
    highest = max(mine, key=lambda row: row["contrast"])
    return (
        f"The average hides both directions: from {signed(lowest['contrast'], 2)} for"
        f" {_name(lowest['dataset'])} ({percent(lowest['usual_recall'])} usual,"
        f" {percent(lowest['rare_recall'])} rare) to {signed(highest['contrast'], 2)} for"
        f" {_name(highest['dataset'])} ({percent(highest['usual_recall'])} usual,"
        f" {percent(highest['rare_recall'])} rare)."
    )


def _shifts(found: dict[tuple[str, str], Row], correction: str) -> str:
    parts = [
        f"{words.utility(way)} {_with_interval(found[correction, f'shift_{way}'])}" for way in WAYS
    ]
    return f"What each weighting adds to plain balanced accuracy, on average: {'; '.join(parts)}."


def _do_weights_show(found: dict[tuple[str, str], Row], correction: str) -> str:
    parts = []
    for way in WAYS:
        row = found[correction, f"r_{way}"]
        parts.append(f"{words.utility(way)} {_with_interval(row)}, {_told(row)}")
    return (
        f"{QUESTIONS[1]} A weighting that does lowers the score of the foregrounds that"
        " fail over rare backgrounds and raises it for the others. Pearson’s r of its"
        f" change with rare less usual, over foregrounds: {'; '.join(parts)}."
    )


def _told(row: Row) -> str:
    if row["low"] is None:
        return "no interval"
    if row["low"] > 0:
        return "so it does"
    return "so it does the opposite" if row["high"] < 0 else "not told from nothing"


def _other_corrections(
    rows: Sequence[Row], found: dict[tuple[str, str], Row], correction: str
) -> list[str]:
    """One sentence on what correcting the imbalance in training changes."""
    parts = []
    for other in dict.fromkeys(row["correction"] for row in rows):
        contrast = found[other, "contrast"]
        if other == correction or contrast["value"] is None:
            continue
        mine = [r for r in rows if r["kind"] == "context" and r["correction"] == other]
        usual, rare = (
            percent(sum(row[f"{name}_recall"] for row in mine) / len(mine))
            for name in ("usual", "rare")
        )
        parts.append(
            f"{words.correction(other)} {usual} usual and {rare} rare,"
            f" {_with_interval(contrast)}, negative for"
            f" {number(contrast['negative'], 0)}"
        )
    return [f"With another correction of imbalance: {'; '.join(parts)}."] if parts else []


def _with_interval(row: Row) -> str:
    if row["low"] is None:
        return signed(row["value"])
    return f"{signed(row['value'])} [{signed(row['low'], 2)}, {signed(row['high'], 2)}]"


def _name(label: str) -> str:
    return f"“{label.replace('_', ' ')}”"


def _background(subconcept: str) -> str:
    return subconcept.rpartition(" + ")[2].replace("_", " ")


def _rung(row: Row) -> drawings.Rung:
    note = (
        f"{row['dataset']}: usual ({_background(row['usual'])}) {number(row['usual_recall'])}, rare"
        f" {number(row['rare_recall'])}, worst ({_background(row['worst'])})"
        f" {number(row['worst_recall'])}"
    )
    return drawings.Rung(
        row["dataset"].replace("_", " "),
        row["usual_recall"],
        row["rare_recall"],
        row["worst_recall"],
        note,
    )


def _scatter(contexts: Sequence[Row], way: str, found: dict[tuple[str, str], Row]) -> Row:
    points = [
        (row["dataset"], row["contrast"], row[f"shift_{way}"])
        for row in contexts
        if row[f"shift_{way}"] is not None
    ]
    r = found[contexts[0]["correction"], f"r_{way}"]
    said = f"{words.utility(way)}: r {number(r['value'])} over {len(points)} foregrounds"
    reach = max((abs(row[f"shift_{one}"] or 0.0) for row in contexts for one in SHOWN), default=0.0)
    svg = drawings.shift_panel(points, reach or 1.0, said)
    return {"name": said, "svg": charts.safe(svg)}


def _statistic(row: Row) -> Row:
    name = row["statistic"]
    kind, _, way = name.partition("_")
    label = {
        "contrast": "rare less usual recall",
        "shift": f"{words.utility(way) if kind == 'shift' else ''} less plain",
        "r": f"r of {words.utility(way) if kind == 'r' else ''} less plain with rare less usual",
    }[kind]
    return {
        "correction": words.correction(row["correction"]),
        "label": label,
        "datasets": row["datasets"],
        "negative": "" if row["negative"] is None else number(row["negative"], 0),
        "value": row["value"],
        "text": signed(row["value"]),
        "interval": ""
        if row["low"] is None
        else f"[{signed(row['low'], 2)}, {signed(row['high'], 2)}]",
        "reason": row["reason"] or "",
    }


def _shown(row: Row) -> Row:
    return {
        "dataset": row["dataset"].replace("_", " "),
        "usual": _background(row["usual"]),
        "rare": ", ".join(_background(name) for name in row["rare"]),
        "worst": _background(row["worst"]),
        **{name: row[name] for name in ("usual_recall", "rare_recall", "worst_recall")},
        "contrast": row["contrast"],
        "plain": row["plain"],
        "shifts": [row[f"shift_{way}"] for way in WAYS],
    }


def guard_rows(datasets: Sequence[Row]) -> list[Row]:
    """One row per task: how items hang together by recordings, and what that left out."""
    rows = []
    for one in datasets:
        guard = one.get("guard")
        if guard is None:
            continue
        left_out = sum(guard["left_out"]) / len(guard["left_out"])
        rows.append(
            {
                "dataset": one["dataset"].replace("_", " "),
                "size": one["rows"],
                "recordings": guard["recordings"],
                "components": guard["components"],
                "largest": guard["largest_component"],
                "left_out": number(left_out, 0),
                "share": left_out / one["rows"],
                "percent": percent(left_out / one["rows"]),
            }
        )
    return rows
