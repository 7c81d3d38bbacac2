"""One pool seen through several embeddings: what the correction does under each of them."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from earnest.reports import words
from earnest.reports.findings import number, signed
from earnest.reports.inputs import StudyPage
from earnest.reports.sections.recommendations import side
from earnest.reports.sections.trainings import NAMES
from earnest.reports.view import Row, TaskView, ordered

Embeddings = Mapping[str, str]


def shows(page: StudyPage) -> dict[str, Any] | None:
    """Return every pool that several tasks look at, None where there is none."""
    inputs = page.inputs
    groups = described(page.views, page.comparisons, inputs.embeddings, inputs.trainings)
    return {"groups": groups} if groups else None


def apart(titles: Mapping[str, str], embeddings: Embeddings) -> dict[str, str]:
    """Return titles of tasks, those that several share with the name of their embedding.

    Parameters
    ----------
    titles : mapping of str to str
        By the name of the task.
    embeddings : mapping of str to str
        The embedding of each task, where known.
    """
    shared = Counter(titles.values())
    return {
        task: f"{title} ({embeddings[task]})" if shared[title] > 1 and task in embeddings else title
        for task, title in titles.items()
    }


def described(
    views: Sequence[TaskView],
    comparisons: Sequence[Row],
    embeddings: Embeddings,
    trainings: Mapping[str, Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Return what the page shows of every pool that several tasks look at.

    Parameters
    ----------
    views : sequence of TaskView
    comparisons : sequence of dict
        Rows of the table `comparisons`, of all tasks.
    embeddings : mapping of str to str
        The embedding of each task; tasks that are not in it are passed over.
    trainings : mapping of str to mapping
        training.json of every network that the study trained, by the name of its embedding.
    """
    groups: dict[tuple, dict[str, TaskView]] = {}
    for view in views:
        if view.name in embeddings:
            groups.setdefault(_identity(view), {}).setdefault(embeddings[view.name], view)
    return [_section(group, comparisons, trainings) for group in groups.values() if len(group) > 1]


def _identity(view: TaskView) -> tuple:
    """Equal for tasks that ask the same of the same items."""
    items = sorted(zip(view.pool["item_id"], view.pool["label"], strict=True))
    return view.description.get("kind"), view.chosen.measure, tuple(items)


def _section(
    group: Mapping[str, TaskView], comparisons: Sequence[Row], trainings: Mapping
) -> dict[str, Any]:
    first = next(iter(group.values()))
    found = {name: _corrections(view, comparisons) for name, view in group.items()}
    places = [
        (sampler, size)
        for sampler in first.values("sampler")
        for size in first.values("size")
        if all((sampler, size) in own for own in found.values())
    ]
    samplers = ordered("sampler", {sampler for sampler, _ in places})
    return {
        "names": list(group),
        "items": len(first.pool),
        "measure": words.measure(first.chosen.measure),
        "models": [_model(name, view, trainings.get(name)) for name, view in group.items()],
        "agreement": _agreement(group, samplers, first.chosen.size),
        **_rules(samplers, group, found, comparisons),
        "rows": [_row(place, [own[place] for own in found.values()]) for place in places],
    }


def _model(name: str, view: TaskView, training: Mapping[str, Any] | None) -> dict[str, Any]:
    """Who classifies under an embedding, and how well."""
    classifier = str(view.description.get("classifier", {}).get("name", ""))
    made = "taken as it is"
    if training is not None:
        made = (
            f"trained here: {number(training['validation_accuracy'])} accuracy on the validation"
            f" part, in epoch {training['best_epoch']} of {training['epochs']}"
        )
    return {
        "name": name,
        "anchor": view.anchor,
        "made": made,
        "classifier": NAMES.get(classifier, classifier),
        "truth": number(view.truth()),
    }


def _corrections(view: TaskView, comparisons: Sequence[Row]) -> dict[tuple[str, int], Row]:
    """By sampler and size: the row of the unweighted score, and of the best other estimator."""
    own = [
        row
        for row in comparisons
        if (row["task"], row["measure"], row["utility"]) == (view.name, view.chosen.measure, "none")
        and row["rmse"] is not None
    ]
    plain = {
        (row["sampler"], row["size"]): row for row in own if row["estimator"] == words.UNWEIGHTED
    }
    found: dict[tuple[str, int], Row] = {}
    for row in own:
        place = row["sampler"], row["size"]
        if row["estimator"] == words.UNWEIGHTED or place not in plain:
            continue
        if place not in found or row["rmse"] < found[place]["best"]["rmse"]:
            found[place] = {"plain": plain[place], "best": row}
    return found


def _row(place: tuple[str, int], cells: Sequence[Row]) -> dict[str, Any]:
    sampler, size = place
    return {
        "sampler": words.sampler(sampler),
        "size": size,
        "cells": [_cell(one["plain"], one["best"]) for one in cells],
        "between": [_between(cells[0]["best"], one["best"]) for one in cells[1:]],
    }


def _cell(plain: Row, best: Row) -> dict[str, Any]:
    return {
        "bias": plain["bias"],
        "bias_text": signed(plain["bias"]),
        "plain": plain["rmse"],
        "plain_text": number(plain["rmse"]),
        "best": words.style(best["estimator"]).label,
        "best_bias": signed(best["bias"]),
        "rmse": best["rmse"],
        "rmse_text": number(best["rmse"]),
        "difference": best["difference"],
        "difference_text": signed(best["difference"]),
        "interval": _interval(best["low"], best["high"]) or _why_none(best),
    }


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None else f"[{signed(low)}, {signed(high)}]"


def _why_none(row: Row) -> str:
    noun = "subset" if row["subsets"] == 1 else "distinct subsets"
    return f"no interval: {row['subsets']} {noun} only"


def _between(one: Row, other: Row) -> dict[str, Any]:
    """How much more error the correction takes away under the first than under another.

    The subsets of the two are drawn apart, so the squares of half widths add.
    """
    value = one["difference"] - other["difference"]
    if one["low"] is None or other["low"] is None:
        short = one if one["low"] is None else other
        return {"value": value, "text": signed(value), "interval": _why_none(short)}
    half = math.hypot(*((row["high"] - row["low"]) / 2 for row in (one, other)))
    text = _interval(value - half, value + half)
    return {"value": value, "text": signed(value), "interval": text}


def _agreement(group: Mapping[str, TaskView], samplers: Sequence[str], size: int) -> str:
    """On how many samplers the unweighted score misleads the same way under all."""
    sides = {sampler: _sides(group, sampler, size) for sampler in samplers}
    shown = {name: own for name, own in sides.items() if "no side shown" not in own}
    opposed = [words.sampler(name) for name, own in shown.items() if len(set(own)) > 1]
    text = (
        f"At {size} items the unweighted score lies on the same side of the truth under all for"
        f" {len(shown) - len(opposed)} of {len(samplers)} ways of choosing"
    )
    if opposed:
        text += f", and on opposite sides for {', '.join(opposed)}"
    return (
        f"{text}. Pool and labels are the same, only the embedding and its classifier differ: the"
        " direction of a sampler's bias is a property of pool and metric."
    )


def _sides(group: Mapping[str, TaskView], sampler: str, size: int) -> list[str]:
    rows = [view.row(sampler, size, words.UNWEIGHTED) for view in group.values()]
    return [side(row) for row in rows if row is not None and row["bias"] is not None]


def _rules(
    samplers: Sequence[str],
    group: Mapping[str, TaskView],
    found: Mapping[str, Mapping],
    comparisons: Sequence[Row],
) -> dict[str, Any]:
    """What the correction does under each embedding, a row for each way of choosing."""
    rows, verdicts = [], {}
    for sampler in samplers:
        cells = [
            _rule(view, sampler, found[name], _tallies(view, comparisons, sampler))
            for name, view in group.items()
        ]
        named = words.sampler(sampler)
        rows.append({"sampler": named, "cells": cells})
        helped = dict(zip(group, [cell["helps"] for cell in cells], strict=True))
        verdicts.setdefault(_verdict(helped), []).append(named)
    return {
        "rules": rows,
        "sentences": [f"{', '.join(named)}: {text}" for text, named in verdicts.items()],
    }


def _rule(view: TaskView, sampler: str, found: Mapping, tallies: Sequence[Row]) -> dict[str, Any]:
    """The unweighted score nearest to the headline size, and the correction that does best."""
    own = [cell["plain"] for (name, _), cell in found.items() if name == sampler]
    plain = min(own, key=lambda row: abs(row["size"] - view.chosen.size))
    best = tallies[0] if tallies else None
    return {
        "size": plain["size"],
        "bias": plain["bias"],
        "bias_text": signed(plain["bias"]),
        "rmse": plain["rmse"],
        "rmse_text": number(plain["rmse"]),
        "best": words.style(best["name"]).label if best else None,
        "tally": best and f"{best['better']} / {best['worse']} of {best['sizes']}",
        "helps": best and 2 * best["better"] >= best["sizes"],
    }


def _tallies(view: TaskView, comparisons: Sequence[Row], sampler: str) -> list[Row]:
    """On how many sizes each estimator is better and worse by the paired tests, the best first."""
    key = view.name, view.chosen.measure, "none", sampler
    own = [
        row
        for row in comparisons
        if (row["task"], row["measure"], row["utility"], row["sampler"]) == key
        and row["verdict"] in ("better", "worse", "mixed", "not shown")
    ]
    tallies = [
        _tally(name, [row for row in own if row["estimator"] == name])
        for name in ordered("estimator", {row["estimator"] for row in own})
    ]
    return sorted(tallies, key=lambda row: (row["worse"] - row["better"], row["error"]))


def _tally(name: str, rows: Sequence[Row]) -> Row:
    counts = Counter(row["verdict"] for row in rows)
    return {
        "name": name,
        "sizes": len(rows),
        "better": counts["better"],
        "worse": counts["worse"] + counts["mixed"],
        "error": sum(row["rmse"] ** 2 for row in rows),
    }


def _verdict(helps: Mapping[str, bool | None]) -> str:
    """Where one correction is better on at least half of the sizes."""
    helped = [name for name, helping in helps.items() if helping]
    if all(helping is None for helping in helps.values()):
        return "nothing can be tested, for there are too few distinct subsets."
    if len(helped) == len(helps):
        return "a correction helps on half of the sizes or more under each."
    if not helped:
        return "no correction helps on half of the sizes under any of them."
    rest = [name for name in helps if name not in helped]
    return (
        f"a correction helps on half of the sizes or more under {', '.join(helped)}, not under"
        f" {', '.join(rest)}."
    )
