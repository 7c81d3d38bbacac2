"""The rows of a summary as the page looks at them: by task, with missing numbers as None."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from earnest.reports import words

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]
HEADLINE_SAMPLERS = ("farthest", "density_farthest", "kmedoids", "uncertainty")


@dataclass(frozen=True)
class Chosen:
    """Which of all numbers of a task the page puts first."""

    measure: str
    sampler: str
    size: int
    estimator: str | None


@dataclass(frozen=True)
class TaskView:
    """One task: what it is, its pool, and its rows of the summary.

    Attributes
    ----------
    name : str
    description : dict
        As `earnest.tasks.pools` describes it: title, question, kind, sizes and so on.
    pool, subconcepts : pandas.DataFrame
        The tables of those names.
    rows : list of dict
        Summary rows of this task, missing numbers None.
    chosen : Chosen
    """

    name: str
    description: Mapping[str, Any]
    pool: "pandas.DataFrame"
    subconcepts: "pandas.DataFrame"
    rows: list[Row]
    chosen: Chosen
    cells: dict[tuple, Row] = field(init=False, repr=False)
    truths: dict[tuple[str, str], float] = field(init=False, repr=False)
    defined: frozenset[tuple[str, str]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        keys = ("sampler", "size", "estimator", "measure", "utility")
        object.__setattr__(self, "cells", {tuple(r[k] for k in keys): r for r in self.rows})
        known = [row for row in self.rows if row["truth"] is not None]
        truths = {(row["measure"], row["utility"]): row["truth"] for row in known}
        object.__setattr__(self, "truths", truths)
        named = [(r["measure"], r["utility"]) for r in self.rows if r["mean"] is not None]
        object.__setattr__(self, "defined", frozenset(named))

    def row(
        self,
        sampler: str,
        size: int,
        estimator: str | None,
        measure: str | None = None,
        utility: str = "none",
    ) -> Row | None:
        """Look up one row; the chosen measure unless told otherwise."""
        return self.cells.get((sampler, size, estimator, measure or self.chosen.measure, utility))

    def truth(self, measure: str | None = None, utility: str = "none") -> float | None:
        """The score on the whole pool, None where it is undefined or not in the summary."""
        return self.truths.get((measure or self.chosen.measure, utility))

    def values(self, column: str) -> list:
        """The different values of a key column: sizes sorted, names in the order of the page."""
        return ordered(column, (row[column] for row in self.rows))

    def has(self, measure: str, utility: str) -> bool:
        """Whether any estimate of this measure and weighting has a value."""
        return (measure, utility) in self.defined

    @property
    def title(self) -> str:
        return words.in_words(str(self.description.get("title") or self.name))

    @property
    def anchor(self) -> str:
        """A fragment identifier that any task name gives: letters, digits and hyphens."""
        return "task-" + "".join(c if c.isascii() and c.isalnum() else "-" for c in self.name)


def task_view(
    name: str,
    description: Mapping[str, Any],
    pool: "pandas.DataFrame",
    subconcepts: "pandas.DataFrame",
    summary_rows: Sequence[Row],
    headline: Mapping[str, Any],
) -> TaskView:
    """Collect one task and settle which numbers come first.

    Parameters
    ----------
    name : str
    description, pool, subconcepts
        See `TaskView`.
    summary_rows : sequence of dict
        Rows of the summary of all tasks, from `records`.
    headline : mapping
        Optional keys measure, sampler, size, estimator: wishes, followed where the summary
        has them.

    Raises
    ------
    ValueError
        If the summary has no row of this task.
    """
    rows = [row for row in summary_rows if row["task"] == name]
    if not rows:
        raise ValueError(f"the summary has no row for task {name}; its pool was given")
    return TaskView(
        name, description, pool, subconcepts, rows, _choose(rows, description, headline)
    )


def _choose(rows: list[Row], description: Mapping[str, Any], headline: Mapping[str, Any]) -> Chosen:
    binary = description.get("kind") in ("subconcepts", "context")
    usual = ("balanced_accuracy", "accuracy") if binary else ("accuracy", "balanced_accuracy")
    sizes = sorted({row["size"] for row in rows})
    size = headline.get("size") or sizes[len(sizes) // 2]
    estimators = ordered("estimator", (row["estimator"] for row in rows))
    corrected = [name for name in estimators if name != words.UNWEIGHTED]
    return Chosen(
        measure=_first(rows, "measure", (headline.get("measure"), *usual)),
        sampler=_first(rows, "sampler", (headline.get("sampler"), *HEADLINE_SAMPLERS)),
        size=min(sizes, key=lambda have: abs(have - size)),
        estimator=_first(rows, "estimator", (headline.get("estimator"), "difference", *corrected))
        if corrected
        else None,
    )


def _first(rows: list[Row], column: str, wishes: Sequence[str | None]) -> str:
    present = ordered(column, (row[column] for row in rows))
    return next((wish for wish in wishes if wish in present), present[0])


_ORDER = {
    "sampler": list(words.SAMPLERS),
    "estimator": list(words.STYLES),
    "measure": list(words.MEASURES),
    "utility": list(words.UTILITIES),
}


def ordered(column: str, values) -> list:
    """The distinct values of a key column in the order of the page, unknown names last."""
    known = _ORDER.get(column, [])
    found = set(values)
    return [name for name in known if name in found] + sorted(found - set(known))


def records(frame: "pandas.DataFrame") -> list[Row]:
    """Rows of a frame as dicts of plain Python values; anything missing is None."""
    columns = {name: [plain(value) for value in frame[name].tolist()] for name in frame.columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def plain(value: Any) -> Any:
    """Turn pandas' ways to say missing into None and arrays into lists."""
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, (str, list, tuple, dict, bool, int)) or value is None:
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else value
    return None if type(value).__name__ in ("NAType", "NaTType") else value
