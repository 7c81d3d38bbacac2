"""Assembly of the report: one HTML file that needs nothing but itself."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.reports import audio, extent, figures, findings, tables, words
from earnest.reports.rendering import render
from earnest.reports.sections import (
    backgrounds,
    doses,
    joint,
    side_by_side,
    sources,
    support,
    trainings,
)
from earnest.reports.sections.recommendations import advise, directions
from earnest.reports.view import TaskView, plain, records, task_view

if TYPE_CHECKING:
    import pandas

# The fields that hold a whole table each, by the table's name in `earnest.io.schemas`.
TABLES = {name: name for name in ("summary", "comparisons", "joint", "clips", "dropped")}


@dataclass(frozen=True)
class ReportInputs:
    """All that the page shows; frames as described in `earnest.io.schemas`.

    Attributes
    ----------
    study : str
        Name of the study, a slug.
    title : str
        What the study is, for people.
    pools : mapping of str to (dict, DataFrame, DataFrame)
        Per task its description, pool table and subconcepts table, in the order of the page.
    summary : pandas.DataFrame
        Table "summary" with at least one row per task.
    comparisons : pandas.DataFrame
        Table "comparisons" of the same estimates.
    clips, dropped, mixtures : pandas.DataFrame
        Tables of those names; empty for a pool that was not made from sound.
    items : pandas.DataFrame, optional
        Table "items" of a study on clips, which has no mixtures.
    examples : sequence of (mapping, numpy.ndarray)
        Rows of the mixtures table with their samples, float32, to listen to.
    provenance : mapping
        Any of config, versions, code (stamps), seeds, each a mapping or a plain value.
    headline : mapping
        Wishes for the numbers that come first: any of measure, sampler, size, estimator.
    level : float
        Confidence level of the intervals.
    joint : pandas.DataFrame, optional
        Table "joint": importance and utility weights together against one of them alone.
    sample_rate : int
        Hz of the examples.
    dose_response : pandas.DataFrame, optional
        Table "dose_response" of a study whose mixtures have several variants.
    trainings : mapping of str to mapping
        training.json of every network that the study trained, by the name of its embedding.
    embeddings : mapping of str to str
        The name of the embedding of each task.
    """

    study: str
    title: str
    pools: Mapping[str, tuple[Mapping[str, Any], "pandas.DataFrame", "pandas.DataFrame"]]
    summary: "pandas.DataFrame"
    comparisons: "pandas.DataFrame"
    clips: "pandas.DataFrame"
    dropped: "pandas.DataFrame"
    mixtures: "pandas.DataFrame"
    examples: Sequence[tuple[Mapping[str, Any], np.ndarray]]
    provenance: Mapping[str, Any]
    headline: Mapping[str, Any] = field(default_factory=dict)
    level: float = 0.95
    items: "pandas.DataFrame | None" = None
    sample_rate: int = audio.SAMPLE_RATE
    dose_response: "pandas.DataFrame | None" = None
    joint: "pandas.DataFrame | None" = None
    trainings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    embeddings: Mapping[str, str] = field(default_factory=dict)


def build_report(inputs: ReportInputs) -> str:
    """Build the page of one study.

    Parameters
    ----------
    inputs : ReportInputs

    Returns
    -------
    str
        A complete HTML document. It loads nothing, works without JavaScript (which only sorts
        tables), and is the same for the same inputs.

    Raises
    ------
    ValueError
        If a task of `pools` has no row in the summary, or an example is not a playable sound.
    """
    rows, comparisons = records(inputs.summary), records(inputs.comparisons)
    views = [task_view(name, *parts, rows, inputs.headline) for name, parts in _told_apart(inputs)]
    shown = extent.extent_of(views)
    return render(
        "report.html",
        inputs=inputs,
        shown=shown,
        tasks=[
            _task(view, inputs, shown)
            | {"joint": joint.section(view, inputs.joint, whole=shown.whole)}
            | {"advice": advise(view, comparisons)}
            for view in views
        ],
        directions=directions(views),
        design=backgrounds.design(inputs.provenance),
        over_backgrounds=any(backgrounds.applies(view) for view in views),
        facts=_facts(inputs, views),
        glossary=_glossary(views),
        doses=doses.described(inputs.dose_response, views),
        trainings=trainings.described(inputs.trainings, views),
        same_pools=side_by_side.described(views, comparisons, inputs.embeddings, inputs.trainings),
        level_text=f"{100 * inputs.level:.3g}\u00a0%",
        examples=[_example(*example, inputs.sample_rate) for example in inputs.examples],
        **_sources(inputs),
        rejected=tables.rejected_rows(inputs.clips),
        warned=tables.warned_rows(inputs.clips),
        dropped=tables.dropped_rows(inputs.dropped, inputs.mixtures),
        longest=tables.LONGEST,
        settings={str(k): tables.settings_rows(v) for k, v in inputs.provenance.items()},
    )


def _told_apart(inputs: ReportInputs) -> Iterator[tuple[str, tuple]]:
    """Yield every task and its parts, with a title that no other task has."""
    titles = {name: str(parts[0].get("title") or name) for name, parts in inputs.pools.items()}
    titles = side_by_side.apart(titles, inputs.embeddings)
    for name, (description, *tables_of_task) in inputs.pools.items():
        yield name, ({**description, "title": titles[name]}, *tables_of_task)


def _sources(inputs: ReportInputs) -> dict[str, Any]:
    """What became of the clips."""
    sides = sources.sides_of(inputs.mixtures, inputs.items)
    counts = sources.clip_counts(inputs.clips, sides)
    return {
        "counts": counts,
        "totals": sources.totals(counts),
        "reasons": sources.reason_counts(inputs.clips),
        "equal": sources.equal_sounds(inputs.clips, sides),
    }


def _task(view: TaskView, inputs: ReportInputs, shown: extent.Extent) -> dict[str, Any]:
    chosen, level = view.chosen, inputs.level
    contexts = backgrounds.section(view, inputs.provenance)
    corrected = view.row(chosen.sampler, chosen.size, chosen.estimator)
    others = tables.other_rows(view)
    return {
        "view": view,
        "headline": findings.headline(view),
        "verdict": findings.verdict(view),
        "interval": findings.interval(corrected, level),
        "measured": _mean(view, words.UNWEIGHTED),
        "corrected": _mean(view, chosen.estimator),
        "truth": findings.number(view.truth()),
        "measure": words.measure(chosen.measure),
        "chosen": words.chosen(chosen.sampler),
        "estimator": words.style(chosen.estimator).label if chosen.estimator else None,
        "table": tables.headline_rows(view),
        "figures": _figures(view, shown),
        "legend": _legend(view),
        "statements": findings.statements(view),
        "hidden": findings.hidden(view),
        "aside": findings.aside(view, contexts and contexts["focus"]),
        "errors": tables.error_table(view, whole=shown.whole),
        "gaps": tables.gaps(view, others),
        "others": others,
        "estimators": [words.style(name).label for name in view.values("estimator")],
        "level": f"{100 * level:.3g}\u00a0%",
        "coverage": support.coverage_rows(view),
        "outside": support.outside_rows(view),
        "weights": tables.weight_rows(view),
        "flags": tables.flags_raised(view),
        "subconcepts": tables.subconcept_rows(view),
        "backgrounds": contexts,
    }


def _mean(view: TaskView, estimator: str | None) -> str:
    row = view.row(view.chosen.sampler, view.chosen.size, estimator)
    return findings.number(row["mean"] if row else None)


def _legend(view: TaskView) -> list[dict[str, Any]]:
    return [
        {"name": words.style(name).label, "mark": figures.safe(figures.legend_mark(name))}
        for name in view.values("estimator")
    ]


def _figures(view: TaskView, shown: extent.Extent) -> list[dict[str, Any]]:
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
            "svg": figures.safe(
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


def _facts(inputs: ReportInputs, views: Sequence[TaskView]) -> dict[str, Any]:
    """Numbers of the opening paragraph."""
    clips, mixtures = inputs.clips, inputs.mixtures
    made = mixtures[mixtures["status"] != "rejected"]
    return {
        "clips": len(clips),
        "rejected": int((clips["status"] == "rejected").sum()),
        "mixtures": len(made),
        "train": int((made["split"] == "train").sum()),
        "pool": int((made["split"] == "pool").sum()),
        "foregrounds": made["foreground"].nunique(),
        "backgrounds": made["background"].nunique(),
        "seeds": max((row["seeds"] for view in views for row in view.rows), default=0),
    }


def _glossary(views: Sequence[TaskView]) -> dict[str, list[tuple[str, str]]]:
    """Meanings of the samplers, estimators, measures and weightings that occur."""

    def present(column: str) -> list[str]:
        return tables.in_order(column, [row for view in views for row in view.rows])

    return {
        "Ways to choose what is labelled": [words.entry("sampler", n) for n in present("sampler")],
        "Estimators": [words.entry("estimator", n) for n in present("estimator")],
        "Measures": [
            words.entry("measure", name)
            for name in dict.fromkeys(n.partition(":")[0] for n in present("measure"))
        ],
        "Weightings of subconcepts": [words.entry("utility", n) for n in present("utility")],
    }


def _example(row: Mapping[str, Any], samples: np.ndarray, sample_rate: int) -> dict[str, Any]:
    row = {key: plain(value) for key, value in row.items()}
    foreground = str(row["foreground"]).replace("_", " ")
    background = str(row["background"]).replace("_", " ")
    seconds = len(samples) / sample_rate
    picture = audio.picture_uri(audio.spectrogram(samples, sample_rate))
    return {
        "name": f"{foreground} over {background}",
        "foreground": foreground,
        "background": background,
        "is_primary": bool(row["is_primary"]),
        "mixture_id": row["mixture_id"],
        "fg_lufs": findings.number(row.get("fg_lufs"), 1),
        "bg_lufs": findings.number(row.get("bg_lufs"), 1),
        "gain": findings.signed(row.get("background_gain_db"), 1),
        "peak_gain": findings.number(row.get("peak_gain"), 2),
        "sound": audio.sound_uri(samples, sample_rate),
        "picture": figures.safe(
            figures.spectrogram(picture, seconds, f"Spectrogram of {foreground} over {background}")
        ),
    }
