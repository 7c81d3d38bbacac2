"""The page of a pool of one's own."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from earnest.reports import charts, figures, words
from earnest.reports.findings import number, percent
from earnest.reports.rendering import render
from earnest.reports.sections.provenance import settings
from earnest.reports.view import records

if TYPE_CHECKING:
    from earnest.protocols.ownpool.evaluating import Evaluation

FIRST = 100  # items to label next that the page lists
UNSEEN = {
    "confidence": "surer or less sure than every labelled item",
    "distance": "farther from any label than labels are from one another",
    "prediction": "predicted to be of a class of which no labelled item is predicted to be",
    "label": "predicted to be of a class that no labelled item is of",
    "subconcept": "most probably of a subconcept that no labelled item is most probably of",
}
# of an estimator that has no row for the recall of a class
NO_RECALL = {"value": None, "low": None, "reason": "the estimator was not asked for this recall"}
SCHEMES = {"random": "at random", "designed": "by how much each is likely to tell"}


def build_page(found: "Evaluation", title: str, provenance: Mapping[str, Any]) -> str:
    """Build the page of one evaluation.

    Parameters
    ----------
    found : earnest.protocols.ownpool.Evaluation
    title : str
    provenance : mapping
        Any of config, versions, code (stamps), each a mapping or a plain value.

    Returns
    -------
    str
        A complete HTML document, the same for the same inputs; it loads nothing.
    """
    rows = records(found.estimates)
    facts = found.facts
    asked = {key: facts[key] for key in ("level", "resamples", "seed", "budget", "target")}
    return render(
        "own.html",
        title=title,
        facts=facts,
        recommendation=found.recommendation,
        notes=found.notes,
        sheets=_sheets(rows, _recommended(facts)),
        classes=_class_rows(rows, facts),
        flags=_flags(rows),
        weights=[row for row in rows if row["ess"] is not None and _is_main(row)],
        unseen=[_unseen_row(row) for row in records(found.unseen)],
        plans=[_plan_row(row) for row in records(found.plans)],
        chosen=records(found.next_labels),
        first=FIRST,
        scheme=SCHEMES.get(facts["next_scheme"]),
        settings=settings({"settings": asked} | dict(provenance)),
        number=number,
        label=lambda name: words.style(name).label,
        meaning=lambda name: words.style(name).meaning,
    )


def _is_main(row: Mapping[str, Any]) -> bool:
    return (row["measure"], row["utility"]) == ("accuracy", "none")


def _recommended(facts: Mapping[str, Any]) -> str | None:
    found = facts["recommended"]
    return None if found is None else found["accuracy"]["estimator"]


def _sheets(rows: list[dict[str, Any]], best: str | None) -> list[dict[str, Any]]:
    """One table for each measure of the whole pool, recalls apart."""
    kinds = dict.fromkeys((row["measure"], row["utility"]) for row in rows)
    sheets = []
    for measure, utility in kinds:
        if measure.startswith("recall:"):
            continue
        mine = [row for row in rows if (row["measure"], row["utility"]) == (measure, utility)]
        name = words.measure(measure)
        if utility != "none":
            name = f"{words.utility(utility)} {name}"
        span = _span(mine)
        sheets.append(
            {
                "name": name,
                "axis": None if span is None else charts.safe(figures.strip_axis(span)),
                "rows": [
                    _score_row(row, span) | {"first": row["estimator"] == best} for row in mine
                ],
            }
        )
    return sheets


def _span(rows: list[dict[str, Any]]) -> tuple[float, float] | None:
    ends = [row[key] for row in rows for key in ("value", "low", "high") if row[key] is not None]
    if not ends:
        return None
    pad = max(0.02, 0.05 * (max(ends) - min(ends)))
    return min(ends) - pad, max(ends) + pad


def _score_row(row: dict[str, Any], span: tuple[float, float] | None) -> dict[str, Any]:
    strip = ""
    if row["value"] is not None and span is not None:
        look = words.style(row["estimator"])
        ends = None if row["low"] is None else (row["low"], row["high"])
        marks = [(look.marker, look.colour, row["value"])]
        strip = charts.safe(figures.strip(marks, None, span, ends))
    return row | {
        "label": words.style(row["estimator"]).label,
        "strip": strip,
        "interval_text": "–"
        if row["low"] is None
        else f"{number(row['low'])} to {number(row['high'])}",
        "why": _why(row),
    }


def _why(row: dict[str, Any]) -> str:
    if row["reason"]:
        return row["reason"]
    if row["interval"] == "assumption":
        return f"holds only if {row['holds_if']}"
    return "holds by how the items were chosen" if row["interval"] == "design" else ""


def _class_rows(rows: list[dict[str, Any]], facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Recalls by the recommended estimator and unweighted, one row a class."""
    name = _recommended(facts)
    if name is None:
        return []
    by = {(row["estimator"], row["measure"]): row for row in rows if row["utility"] == "none"}
    found = []
    for one in facts["classes"]:
        measure = f"recall:{one}"
        row = by.get((name, measure), NO_RECALL | {"estimator": name})
        plain = by.get(("unweighted", measure), NO_RECALL)
        found.append(_score_row(row, None) | {"name": one, "plain": plain["value"]})
    return found


def _flags(rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    names = dict.fromkeys(name for row in rows for name in row["flags"].split())
    return [(name, words.flag(name)) for name in names]


def _unseen_row(row: dict[str, Any]) -> dict[str, Any]:
    share = None if row["share"] is None else percent(row["share"])
    return row | {"what": UNSEEN[row["kind"]], "share_text": share or "–"}


def _plan_row(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"how": SCHEMES[row["scheme"]], "label": words.style(row["estimator"]).label}
