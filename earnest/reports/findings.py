"""Sentences of the page that state a result, each computed from the summary."""

from earnest.reports import words
from earnest.reports.view import Row, TaskView

TIE = 1e-12


def headline(view: TaskView) -> str:
    """Measured, corrected and true score of a task at its headline size and sampler."""
    chosen, parts = view.chosen, []
    plain = view.row(chosen.sampler, chosen.size, words.UNWEIGHTED)
    corrected = view.row(chosen.sampler, chosen.size, chosen.estimator)
    name = words.measure(chosen.measure)
    parts.append(f"measured {name} on the labelled part {with_sd(plain)}")
    if chosen.estimator:
        parts.append(f"corrected ({words.style(chosen.estimator).label}) {with_sd(corrected)}")
    parts.append(f"true, on the whole pool, {number(view.truth())}")
    start = f"With {chosen.size} items chosen {words.chosen(chosen.sampler)}: "
    return start + "; ".join(parts) + "."


def verdict(view: TaskView) -> str:
    """Whether the correction of the headline brought the score nearer to the truth."""
    chosen = view.chosen
    plain = view.row(chosen.sampler, chosen.size, words.UNWEIGHTED)
    corrected = view.row(chosen.sampler, chosen.size, chosen.estimator)
    before, after = _get(plain, "rmse"), _get(corrected, "rmse")
    if before is None or after is None:
        return "Whether the correction helps cannot be said: one of the two scores is undefined."
    change = f"from {number(before)} to {number(after)}"
    if after < before - TIE:
        return f"The correction helped: its typical error (RMSE) fell {change}."
    if after > before + TIE:
        return f"The correction made it worse: its typical error (RMSE) rose {change}."
    return f"The correction changed nothing: the typical error (RMSE) stayed at {number(before)}."


def interval(row: Row | None, level: float) -> str:
    """The interval of an estimate in words, or why there is none."""
    if row is None:
        return "not computed"
    if row["interval"] != "valid":
        return f"no valid interval: {row['reason'] or 'no reason recorded'}"
    text = f"{100 * level:.3g} % interval"
    if row["mean_width"] is not None:
        text += f", on average ±{number(row['mean_width'] / 2)}"
    if row["coverage"] is not None:
        text += f"; held the truth in {percent(row['coverage'])} of the subsets"
    return text


def interval_short(row: Row | None) -> str:
    """The interval of an estimate for a narrow column."""
    if row is None:
        return "not computed"
    if row["interval"] != "valid":
        return f"none: {row['reason'] or 'no reason recorded'}"
    width = None if row["mean_width"] is None else row["mean_width"] / 2
    held = "" if row["coverage"] is None else f", held in {percent(row['coverage'])}"
    return f"±{number(width)}{held}"


def best(rows: list[Row]) -> list[Row]:
    """The rows with the lowest RMSE; several when they tie, none when no RMSE is defined."""
    known = [row for row in rows if row["rmse"] is not None]
    if not known:
        return []
    lowest = min(row["rmse"] for row in known)
    return [row for row in known if row["rmse"] <= lowest + TIE]


def competitors(view: TaskView, sampler: str, size: int) -> list[Row]:
    """Rows of all estimators for one sampler and size, chosen measure, plain weighting."""
    found = (view.row(sampler, size, name) for name in view.values("estimator"))
    return [row for row in found if row is not None]


def statements(view: TaskView) -> list[str]:
    """What the numbers of a task say, one sentence each."""
    found = [
        _largest_bias(view),
        *_best_estimators(view),
        _weighting_wins(view),
        *(_no_cure(view, sampler) for sampler in view.values("sampler")),
        _intervals(view),
    ]
    return [sentence for sentence in found if sentence]


def _largest_bias(view: TaskView) -> str | None:
    size = view.chosen.size
    rows = [view.row(name, size, words.UNWEIGHTED) for name in view.values("sampler")]
    rows = [row for row in rows if _get(row, "bias") is not None]
    if not rows:
        return None
    worst = max(rows, key=lambda row: abs(row["bias"]))
    side = "above" if worst["bias"] > 0 else "below"
    return (
        f"At {size} labelled items the unweighted score is misled most when items are chosen"
        f" {words.chosen(worst['sampler'])}: on average it lies"
        f" {number(abs(worst['bias']))} {side} the truth."
    )


def _best_estimators(view: TaskView) -> list[str]:
    """One sentence per estimator that has the lowest RMSE for some sampler at the headline size."""
    size, found = view.chosen.size, {}
    for sampler in view.values("sampler"):
        winners = best(competitors(view, sampler, size))
        if not winners:
            continue
        text = f"{words.chosen(sampler)} ({number(winners[0]['rmse'])}"
        names = tuple(row["estimator"] for row in winners)
        plain = _get(view.row(sampler, size, words.UNWEIGHTED), "rmse")
        if plain is not None and words.UNWEIGHTED not in names:
            text += f" against {number(plain)} unweighted"
        found.setdefault(names, []).append(text + ")")
    return [
        f"Lowest error (RMSE) at {size} items: {' and '.join(words.style(n).label for n in names)},"
        f" where items were chosen {', '.join(samplers)}."
        for names, samplers in found.items()
    ]


def _weighting_wins(view: TaskView) -> str | None:
    counts = []
    for name in view.values("estimator"):
        if name == words.UNWEIGHTED:
            continue
        better = compared = 0
        for sampler in view.values("sampler"):
            for size in view.values("size"):
                plain = _get(view.row(sampler, size, words.UNWEIGHTED), "rmse")
                other = _get(view.row(sampler, size, name), "rmse")
                if plain is not None and other is not None:
                    compared += 1
                    better += other < plain - TIE
        if compared:
            counts.append(f"{words.style(name).label} in {better} of {compared}")
    if not counts:
        return None
    return (
        "Over all samplers and sizes, the error was lower than that of the unweighted score with "
        + ", ".join(counts)
        + " combinations."
    )


def _no_cure(view: TaskView, sampler: str) -> str | None:
    if sampler not in words.DETERMINISTIC:
        return None
    text = (
        f"{words.sampler(sampler)} sampling always takes the same items and leaves the rest without"
        " any chance of selection: no weighting can correct that"
    )
    if all(row["interval"] != "valid" for row in view.rows if row["sampler"] == sampler):
        text += ", and none of its estimates carries an interval"
    return text + (
        ". A fifth of the labels chosen at random, or chances recorded as by"
        f" “{words.sampler('uncertainty_mixed')}”, would allow one;"
        " until then only worst-case bounds hold."
    )


def _intervals(view: TaskView) -> str | None:
    rows = [row for row in view.rows if _is_main(view, row)]
    valid = sum(row["interval"] == "valid" for row in rows)
    if not rows:
        return None
    return (
        f"{valid} of {len(rows)} combinations of sampler, size and estimator have an interval"
        " that was checked and held the truth often enough."
    )


def _is_main(view: TaskView, row: Row) -> bool:
    return row["measure"] == view.chosen.measure and row["utility"] == "none"


def hidden(view: TaskView) -> list[str]:
    """What the average hides: worst subconcept, weighted scores, which one comes nearest."""
    from earnest.reports.view import records

    found = []
    scored = [r for r in records(view.subconcepts) if r["recall"] is not None]
    if scored:
        worst = min(scored, key=lambda row: row["recall"])
        top = max(scored, key=lambda row: row["recall"])
        found.append(
            f"The model is right on {percent(top['recall'])} of {name_of(top['subconcept'])}"
            f" but on {percent(worst['recall'])} of {name_of(worst['subconcept'])}"
            f" ({worst['pool_size']} items in the pool)."
        )
    sentence = _nearest_weighting(view)
    return found + ([sentence] if sentence else [])


def aside(view: TaskView, contexts: Row | None) -> list[str]:
    """The other two questions of the page in a line each, for the card of a task.

    Parameters
    ----------
    view : TaskView
    contexts : dict or None
        The focus of `sections.backgrounds.rows_of`, None of a task without backgrounds.
    """
    found = []
    weighted = view.truth(utility="true")
    if weighted is not None:
        found.append(
            f"Whole pool with rare subconcepts counted in full: {number(weighted)}"
            f" instead of {number(view.truth())}."
        )
    if contexts and contexts["gap"] is not None:
        about = f"{words.in_words(contexts['name'])}: r" if contexts["name"] else "R"
        found.append(
            f"{about}ight over usual backgrounds: {percent(contexts['primary'])},"
            f" over rare ones: {percent(contexts['rare'])}."
        )
    return found


def _nearest_weighting(view: TaskView) -> str | None:
    target = view.truth(utility="true")
    if target is None:
        return None
    others = {name: view.truth(utility=name) for name in ("none", "predicted", "conditional")}
    known = {name: value for name, value in others.items() if value is not None}
    if not known:
        return None
    gaps = {name: abs(value - target) for name, value in known.items()}
    listed = ", ".join(f"{words.utility(name)} {number(known[name])}" for name in known)
    near = " and ".join(words.utility(n) for n in gaps if gaps[n] <= min(gaps.values()) + TIE)
    return (
        f"Weighted by the true subconcepts, {words.measure(view.chosen.measure)} is"
        f" {number(target)} ({listed}). Nearest to it without knowing any subconcept: {near}."
    )


def name_of(label: str) -> str:
    """A label inside a sentence, in quotation marks."""
    return f"“{label.replace('_', ' ')}”"


def with_sd(row: Row | None) -> str:
    """Mean and SD over seeds, `0.842 ± 0.020`, in spaces that do not break."""
    if row is None or row["mean"] is None:
        return "undefined"
    if row["sd"] is None:
        return number(row["mean"])
    return f"{number(row['mean'])}\u00a0±\u00a0{number(row['sd'])}"


def number(value: float | None, digits: int = 3) -> str:
    """A number with a true minus sign, or an en dash when there is none."""
    if value is None:
        return "–"
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def signed(value: float | None, digits: int = 3) -> str:
    """A number with its sign."""
    text = number(value, digits)
    return f"+{text}" if value is not None and float(f"{value:.{digits}f}") > 0 else text


def percent(share: float) -> str:
    """A share as a whole percentage, with decimals where it would falsely read 0 or 100."""
    digits = next(
        count
        for count in range(8)
        if share in (0, 1) or count == 7 or 0 < round(100 * share, count) < 100
    )
    text = f"{100 * share:.{digits}f}"
    return f"{text}\u00a0%"


def _get(row: Row | None, column: str) -> float | None:
    return None if row is None else row[column]
