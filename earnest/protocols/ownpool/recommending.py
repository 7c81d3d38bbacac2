"""Which number to report, what to beware of, and what to do next, in sentences."""

from collections.abc import Sequence
from typing import Any

from earnest.protocols.ownpool import validity

# The estimator to report, settled by how items were chosen and never by its result.
CHOICE = {
    validity.WHOLE: ("unweighted",),
    validity.RECORDED: ("design_difference", "hajek"),
    validity.RANDOM: ("ppi", "unweighted"),
    validity.DETERMINISTIC: ("difference", "unweighted"),
    validity.UNKNOWN: ("calibrated", "difference", "unweighted"),
}
CHOSEN = {
    validity.WHOLE: "every item of the pool is labelled",
    validity.RECORDED: "the chances with which items were chosen are recorded",
    validity.RANDOM: "the labelled items are a random sample",
    validity.DETERMINISTIC: "the items were chosen by a rule that leaves nothing to chance",
    validity.UNKNOWN: "how the items were chosen is not known, or leaves their chances unknown",
}
MUCH_UNSEEN = 0.05
FEW_EFFECTIVE = 0.5
HEAVY_TAIL = 0.7

Row = dict[str, Any]


def recommended(rows: Sequence[Row], way: str) -> dict[str, Row] | None:
    """Return the rows of the estimator to report by measure, or None if it has no accuracy."""
    for name in (*CHOICE[way], *(row["estimator"] for row in rows)):
        mine = {
            row["measure"]: row
            for row in rows
            if row["estimator"] == name and row["utility"] == "none"
        }
        if mine and mine["accuracy"]["value"] is not None:
            return mine
    return None


def sentences(
    facts: dict[str, Any], rows: Sequence[Row], unseen: Sequence[Row], plans: Sequence[Row]
) -> tuple[str, ...]:
    """Return what to report, what to beware of and what to do next.

    Parameters
    ----------
    facts : dict
        Of an `Evaluation`, with `recommended`.
    rows, unseen, plans : sequence of dict
        Rows of the tables `own_estimates`, `own_unseen` and `own_plans`.
    """
    said = (_report(facts), _spread(facts, rows), _weights(rows, facts), _unseen(unseen))
    return tuple(one for part in (*said, _next(facts, plans)) for one in part)


def _report(facts: dict[str, Any]) -> list[str]:
    found = facts["recommended"]
    if found is None:
        return ["No estimator gave an accuracy: see the reasons in the table."]
    main = found["accuracy"]
    text = f"Report an accuracy of {main['value']:.3f}"
    if main["low"] is not None and main["low"] < main["high"]:
        text += f" ({facts['level']:.0%} interval {main['low']:.3f} to {main['high']:.3f})"
    text += f" by {main['estimator']}: {CHOSEN[facts['way']]}"
    if main["interval"] == validity.ASSUMPTION:
        text += f", so the interval holds only if {main['holds_if']}"
    elif main["interval"] == validity.DESIGN and facts["way"] != validity.WHOLE:
        text += ", so the interval holds whatever the model is like"
    said = [f"{text}."]
    if main["low"] is None and main["reason"]:
        said.append(f"It has no interval: {main['reason']}.")
    if facts["way"] != validity.WHOLE:
        said.append(
            f"On the {facts['labelled']:,} labelled items alone, the accuracy is"
            f" {facts['plain_accuracy']:.3f}."
        )
    return said


def _spread(facts: dict[str, Any], rows: Sequence[Row]) -> list[str]:
    """Say so where estimators disagree by more than the interval of the one reported."""
    found = facts["recommended"]
    if found is None or found["accuracy"]["low"] is None or facts["way"] == validity.WHOLE:
        return []
    main = found["accuracy"]
    # an estimate that uses no label says nothing about the labelled items
    values = {
        row["estimator"]: row["value"]
        for row in rows
        if row["measure"] == "accuracy"
        and row["utility"] == "none"
        and row["value"] is not None
        and row["estimator"] != "average_confidence"
    }
    outside = sorted(n for n, v in values.items() if not main["low"] <= v <= main["high"])
    if not outside:
        return []
    low, high = min(values, key=values.get), max(values, key=values.get)
    return [
        f"The estimators disagree by more than that interval, from {values[low]:.3f} ({low}) to"
        f" {values[high]:.3f} ({high}): the labelled items are not like the rest of the pool."
    ]


def _weights(rows: Sequence[Row], facts: dict[str, Any]) -> list[str]:
    poor = []
    for row in rows:
        if row["ess"] is None or (row["measure"], row["utility"]) != ("accuracy", "none"):
            continue
        few = row["ess"] < FEW_EFFECTIVE * facts["labelled"]
        if few or (row["pareto_k"] or 0) > HEAVY_TAIL or "no_correction" in row["flags"]:
            poor.append(row["estimator"])
    if not poor:
        return []
    return [
        f"Do not lean on {', '.join(poor)}: by their effective sample size, the tail of their"
        " weights or because they change nothing."
    ]


def _unseen(unseen: Sequence[Row]) -> list[str]:
    said = []
    kinds = {"confidence": "surer or less sure", "distance": "farther away"}
    for row in unseen:
        if row["kind"] in kinds and (row["share"] or 0) > MUCH_UNSEEN:
            said.append(
                f"{row['share']:.0%} of the pool is {kinds[row['kind']]} than anything labelled:"
                " no estimate can see what happens there."
            )
    for kind, what in (
        ("prediction", "No labelled item is predicted to be"),
        ("label", "No labelled item is of the class"),
        ("subconcept", "No labelled item is most probably of the subconcept"),
    ):
        names = [row["name"] for row in unseen if row["kind"] == kind]
        if names:
            more = f" and {len(names) - 5} others" if len(names) > 5 else ""
            said.append(f"{what} {', '.join(map(repr, names[:5]))}{more}.")
    return said


def next_scheme(plans: Sequence[Row], way: str) -> str | None:
    """Return how to choose the next items: `designed`, or `random` where that promises more.

    Further random items enlarge a random sample, while a designed draw takes the labels that
    are there as known and starts anew.
    """
    if not plans:
        return None
    plan = {row["estimator"]: row for row in plans}
    better = plan["difference"]["half_width"] <= plan["design_difference"]["half_width"]
    return "random" if way == validity.RANDOM and better else "designed"


def _next(facts: dict[str, Any], plans: Sequence[Row]) -> list[str]:
    if not plans:
        return []
    plan = {row["estimator"]: row for row in plans}
    designed, random = plan["design_difference"], plan["difference"]
    target = f"± {100 * designed['target']:g} points"
    names = ("drawn by how much each is likely to tell", "drawn at random")
    ways = list(zip(names, (designed, random), strict=True))
    if facts["next_scheme"] == "random":
        ways.reverse()
    (how, chosen), (other_way, other) = ways
    first = (
        f"With the {chosen['budget']:,} items listed to label next, {how}, the half-width of an"
        f" interval that holds by design is expected to be {100 * chosen['half_width']:.1f} points"
        f" ({100 * other['half_width']:.1f} with as many {other_way})."
    )
    if random["labels"] == 0:
        return [first, f"The labels that are there reach {target} already."]
    return [
        first,
        f"{target} would take about {chosen['labels']:,} further labels like these, or"
        f" {other['labels']:,} {other_way}.",
    ]
