"""The index of studies: `results/index.html`, made by `python -m earnest.reports.pages.index`.

It lists what is finished at that moment. No rule makes it, because it would tie every study to
every other; each run of the workflow writes it anew when it has succeeded.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from earnest import io
from earnest.reports import words
from earnest.reports.findings import number, signed
from earnest.reports.rendering import render

RESULTS = "results"
PAGE = "index.html"
KINDS = {
    "mixtures": "mixtures of sounds",
    "clips": "sounds as they are",
    "tables": "tables",
    "predictions": "predictions made elsewhere",
    "own": "a pool of one's own",
}
FILES = {
    "listening.html": "listen to its mixtures",
    "subconcepts/report.html": "corrections for its rare subconcepts",
    "metrics.json": "metrics.json",
    "provenance.json": "provenance.json",
}
PLAIN = ("none", "given")  # corrections of imbalance that are none
WEIGHTINGS = {
    "none": "plain",
    "predicted": "predicted weights",
    "conditional": "conditional weights",
    "true": "true weights",
}


@dataclass(frozen=True)
class Study:
    """What the index says of one study.

    Attributes
    ----------
    name, title, kind : str
        As its configuration has them; the title is the name where that is not known.
    made : datetime.datetime
        When its report was written.
    headline : sequence of (str, str)
        What was asked and what came out.
    files : sequence of (str, str)
        Further files and what they are called, relative to its folder.
    problems : sequence of str
        What could not be read.
    """

    name: str
    title: str
    kind: str
    made: datetime
    headline: Sequence[tuple[str, str]] = ()
    files: Sequence[tuple[str, str]] = ()
    problems: Sequence[str] = field(default_factory=tuple)


def find_studies(results: str | os.PathLike) -> tuple[list[Study], list[str]]:
    """Find finished studies, the newest first, and the names of unfinished ones.

    Parameters
    ----------
    results : path-like
        The folder of results, with one folder for each study.

    Returns
    -------
    studies : list of Study
        Those with a report.
    unfinished : list of str
        Names of the folders without one.
    """
    folder = Path(results)
    names = (
        sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.exists() else []
    )
    finished = [name for name in names if (folder / name / "report.html").is_file()]
    studies = [_study(folder / name) for name in finished]
    studies.sort(key=lambda study: study.made, reverse=True)
    return studies, [name for name in names if name not in finished]


def _study(folder: Path) -> Study:
    problems: list[str] = []
    config = _read(folder / "provenance.json", problems).get("config", {})
    metrics = _read(folder / "metrics.json", problems)
    seconds = (folder / "report.html").stat().st_mtime
    try:
        lines = headline(metrics, config)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        problems.append(f"metrics.json has another form than a study's: {error!r}")
        lines = []
    return Study(
        name=folder.name,
        title=str(config.get("title") or folder.name),
        kind=KINDS.get(config.get("kind"), "study"),
        made=datetime.fromtimestamp(seconds, tz=UTC),
        headline=lines,
        files=[(name, text) for name, text in FILES.items() if (folder / name).is_file()],
        problems=problems,
    )


def _read(path: Path, problems: list[str]) -> dict[str, Any]:
    """Read a JSON object; what is wrong with it goes on the page and stops nothing else."""
    try:
        document = io.read_json(path)
    except (OSError, ValueError) as error:
        problems.append(f"{path.name} cannot be read: {error}")
        return {}
    if not isinstance(document, dict):
        problems.append(f"{path.name} holds no object")
        return {}
    return document


def headline(metrics: Mapping[str, Any], config: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Say the main numbers of a study's metrics.json.

    Parameters
    ----------
    metrics : mapping
        Of a study on sounds, on tables and predictions, or on a pool of one's own.
    config : mapping
        The study's configuration, for the order of its tasks.

    Returns
    -------
    list of (str, str)
        What was asked, and the answer; empty where the metrics are of another form.
    """
    if isinstance(metrics.get("tasks"), Mapping) and metrics.get("samplers"):
        listed = [task["name"] for task in config.get("tasks") or []]
        names = [name for name in listed if name in metrics["tasks"]]
        names += [name for name in metrics["tasks"] if name not in listed]
        lines = [_task_line(name, metrics) for name in names]
        return [line for line in lines if line is not None]
    if isinstance(metrics.get("gap"), Mapping) and metrics["gap"]:
        gaps = metrics["gap"]
        correction = next((name for name in PLAIN if name in gaps), next(iter(gaps)))
        return _gap_lines(gaps[correction])
    if isinstance(metrics.get("own"), Mapping):
        return _own_lines(metrics["own"])
    return []


def _task_line(task: str, metrics: Mapping[str, Any]) -> tuple[str, str] | None:
    """Truth, what the labelled part says, and the first correction, of one task."""
    found = metrics["tasks"][task]
    sampler = next((name for name in metrics["samplers"] if name in found), None)
    if sampler is None:
        return None
    (measure, cells), *_ = found[sampler].items()
    others = [name for name in cells if name not in ("truth", words.UNWEIGHTED)]
    corrected = "difference" if "difference" in cells else next(iter(others), None)
    said = [("true", cells["truth"])]
    said += [("measured on the labelled part", cells.get(words.UNWEIGHTED))]
    if corrected:
        said.append(("corrected", cells[corrected]))
    numbers = ", ".join(f"{name} {number(value)}" for name, value in said if value is not None)
    asked = f"{words.measure(measure)}, {metrics.get('size')} items chosen {words.chosen(sampler)}"
    if corrected and cells[corrected] is not None:
        asked += f"; corrected: {words.style(corrected).label}"
    return f"{words.in_words(task)} ({asked})", numbers


def _own_lines(own: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The scores to report of a pool of one's own."""
    chosen = f"{own['labelled']:,} of {own['items']:,} items labelled"
    lines = []
    for measure in ("accuracy", "balanced_accuracy"):
        found = own["scores"].get(measure, {})
        if found.get("value") is None:
            continue
        said = number(found["value"])
        if found["low"] is not None:
            said += f", interval {number(found['low'])} to {number(found['high'])}"
        if measure == "accuracy":
            said += f"; on the labelled part alone {number(own['plain_accuracy'])}"
        name = words.in_words(words.measure(measure))
        lines.append(
            (f"{name} of the pool ({chosen}; {words.style(own['estimator']).label})", said)
        )
    return lines


def _gap_lines(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Gaps between the correlations with the largest and the smallest subconcept, by measure."""
    lines = []
    for measure, gaps in found.items():
        said = [(text, gaps.get(name)) for name, text in WEIGHTINGS.items()]
        said = [f"{text} {signed(value, 2)}" for text, value in said if value is not None]
        if said:
            lines.append((f"Gap of correlations, {words.measure(measure)}", ", ".join(said)))
    return lines


def build_index(studies: Sequence[Study], unfinished: Sequence[str] = ()) -> str:
    """Build the page: a card for each study, in the order given.

    Returns
    -------
    str
        A complete HTML document that loads nothing; its links are relative to `results/`.
    """
    return render("index.html", studies=studies, unfinished=unfinished)


def write_index(results: str | os.PathLike = RESULTS) -> Path:
    """Write the index of the studies that are there now, aside and renamed, and return its path."""
    path = Path(results) / PAGE
    io.write_text(build_index(*find_studies(results)), path)
    return path


def main(arguments: Sequence[str]) -> int:
    """Write the index of a folder of results and return the exit code."""
    if len(arguments) > 1:
        print("usage: python -m earnest.reports.pages.index [RESULTS]", file=sys.stderr)
        return 2
    print(f"The index of studies is {write_index(*arguments)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
