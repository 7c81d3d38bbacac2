"""What a task makes of the items: which it keeps, their labels, subconcepts, and its question."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from earnest.rng import generator
from earnest.tasks.building import Task, TaskError, build_task, context_task

if TYPE_CHECKING:
    import pandas

BINARY = ("majority", "minority")


@dataclass(frozen=True)
class Framing:
    """Which items a task keeps, their labels and subconcepts, and what it asks.

    Attributes
    ----------
    rows : ndarray (n,) int64
        Row numbers kept, ascending.
    label, subconcept : ndarray (n,) of str
        Of each kept row.
    task : Task or None
        None of a task that tells classes apart.
    title, question : str
    """

    rows: np.ndarray
    label: np.ndarray
    subconcept: np.ndarray
    task: Task | None
    title: str
    question: str


def _frame_classes(
    items: "pandas.DataFrame", name: str, foreground: str | None, root_seed: int
) -> Framing:
    labels = items["foreground"].to_numpy(dtype=str)
    count = len(np.unique(labels))
    if count < 2:
        raise TaskError(f"telling classes apart needs two, found only {set(labels.tolist())}")
    return Framing(
        rows=np.arange(len(items)),
        label=labels,
        subconcept=labels,
        task=None,
        title=f"Which of {count} sounds is it?",
        question=f"How often does the classifier name the right one of {count} sounds?",
    )


def _frame_subconcepts(
    items: "pandas.DataFrame", name: str, foreground: str | None, root_seed: int
) -> Framing:
    seed = int(generator(root_seed, name, "task").integers(2**63))
    task = build_task(items["foreground"], seed=seed)
    return _binary_framing(
        task,
        title=f"{_listed(task.minority)} against {_listed(task.majority)}",
        question=(
            "How well does the classifier find the rarer sounds"
            f" ({_listed(task.minority)}) among the common ones ({_listed(task.majority)})?"
        ),
    )


def _frame_context(
    items: "pandas.DataFrame", name: str, foreground: str | None, root_seed: int
) -> Framing:
    if foreground is None:
        raise TaskError("a task of kind context needs a foreground")
    if items["background"].isna().any():
        raise TaskError("clips that were not mixed have no background to be a context")
    return _binary_framing(
        context_task(items["foreground"], items["background"], foreground),
        title=f"{foreground} against the rest, by background",
        question=(
            f"How well does the classifier find {foreground} among the other sounds,"
            " over its usual background and over rare ones?"
        ),
    )


KINDS: dict[str, Callable[..., Framing]] = {
    "classes": _frame_classes,
    "subconcepts": _frame_subconcepts,
    "context": _frame_context,
}


def _binary_framing(task: Task, *, title: str, question: str) -> Framing:
    label = np.where(task.is_minority, BINARY[1], BINARY[0])
    return Framing(task.items, label, task.subconcept, task, title, question)


def _listed(names: tuple[str, ...]) -> str:
    names = [name.replace("_", " ") for name in names]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
