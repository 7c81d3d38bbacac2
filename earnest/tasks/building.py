"""Binary tasks whose two sides are made of subconcepts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from earnest.rng import generator

MOST_CLASSES = 8
FEWEST_CLASSES = 3
SMALLEST_SIZE = 9  # the paper asks for more than eight instances


class TaskError(ValueError):
    """No task can be built from these labels; the message names the class and its count."""


@dataclass(frozen=True)
class Task:
    """A binary task and the subconcepts inside its two sides.

    Attributes
    ----------
    items : ndarray (n,) int64
        Row numbers kept, ascending.
    is_minority : ndarray (n,) bool
        The binary label of each kept row.
    subconcept : ndarray (n,) of str
        The subconcept of each kept row.
    majority, minority : tuple of str
        Subconcepts of each side, largest first.
    sizes : dict of str to int
        Rows kept of each subconcept.
    """

    items: np.ndarray
    is_minority: np.ndarray
    subconcept: np.ndarray
    majority: tuple[str, ...]
    minority: tuple[str, ...]
    sizes: dict[str, int]


def build_task(labels: Iterable, *, seed: int = 0) -> Task:
    """Merge the classes of a multiclass data set into an imbalanced binary task.

    The eight largest classes are kept (ties for the last places go to the class seen
    first) and sorted by size, then by label as text. The larger half, rounded down, is
    the majority, kept whole. The others are the minority, drawn down at random: the
    largest to at most half the smallest majority class, each next one to at most half the
    one before, rounded down.

    Parameters
    ----------
    labels : iterable
        The class of each row; compared and named as text.
    seed : int
        Seed of the down-sampling, 0 or larger.

    Returns
    -------
    Task

    Raises
    ------
    TaskError
        If there are fewer than three classes, a label is empty, or a subconcept would have
        eight or fewer rows.

    Notes
    -----
    "Correcting Performance Estimation Bias in Imbalanced Classification with Minority
    Subconcepts", section 4.1; reproduces its Table 3. "At least half the size of the preceding
    one" there means at most half, rounded down.
    """
    labels = _as_text(labels)
    counts, first_seen = _count(labels)
    kept = sorted(counts, key=lambda name: (-counts[name], first_seen[name]))[:MOST_CLASSES]
    if len(kept) < FEWEST_CLASSES:
        found = ", ".join(f"{name} ({counts[name]})" for name in kept) or "none"
        raise TaskError(f"a task needs at least {FEWEST_CLASSES} classes, found {found}")
    ranked = sorted(kept, key=lambda name: (counts[name], name), reverse=True)
    majority, minority = ranked[: len(kept) // 2], ranked[len(kept) // 2 :]
    sizes = {name: counts[name] for name in majority} | _shrink(minority, counts, majority[-1])
    _refuse_small(sizes, counts)
    rows = [_draw(labels, name, size, seed) for name, size in sizes.items()]
    return _task(np.sort(np.concatenate(rows)), labels, majority, minority)


def context_task(labels: Iterable, contexts: Iterable, foreground: str) -> Task:
    """Set one foreground against all others, with its backgrounds as minority subconcepts.

    Every row is kept. A majority subconcept is another foreground; a minority
    subconcept is called "<foreground> + <background>".

    Parameters
    ----------
    labels, contexts : iterable
        The foreground and the background of each row.
    foreground : str
        The foreground that becomes the minority side.

    Returns
    -------
    Task

    Raises
    ------
    TaskError
        If the foreground does not occur or is the only one, if there are fewer than three
        subconcepts, or if one has eight or fewer rows.
    """
    labels, contexts = _as_text(labels), _as_text(contexts)
    if len(labels) != len(contexts):
        raise TaskError(f"{len(labels)} labels but {len(contexts)} contexts")
    own = labels == foreground
    if not own.any() or own.all():
        found = ", ".join(sorted(set(labels.tolist())))
        raise TaskError(f"a context task of {foreground!r} against the rest; found only {found}")
    names = labels.astype(object)
    names[own] = [f"{foreground} + {context}" for context in contexts[own]]
    names = names.astype(str)
    counts, _ = _count(names)
    if len(counts) < FEWEST_CLASSES:
        raise TaskError(f"a task needs at least {FEWEST_CLASSES} subconcepts, found {counts}")
    _refuse_small(counts, counts)
    ranked = sorted(counts, key=lambda name: (counts[name], name), reverse=True)
    inside = set(names[own].tolist())
    majority = [name for name in ranked if name not in inside]
    minority = [name for name in ranked if name in inside]
    return _task(np.arange(len(names), dtype=np.int64), names, majority, minority)


def _as_text(labels: Iterable) -> np.ndarray:
    labels = list(labels)
    for row, label in enumerate(labels):
        # NaN is the only label that differs from itself
        if label is None or label != label:
            raise TaskError(f"row {row} has no label")
    return np.array([str(label) for label in labels])


def _count(labels: np.ndarray) -> tuple[dict[str, int], dict[str, int]]:
    """Return how often, and in which row first, each label occurs."""
    names, first, counts = np.unique(labels, return_index=True, return_counts=True)
    names = names.tolist()
    return (
        dict(zip(names, counts.tolist(), strict=True)),
        dict(zip(names, first.tolist(), strict=True)),
    )


def _shrink(minority: Sequence[str], counts: dict[str, int], above: str) -> dict[str, int]:
    sizes, previous = {}, counts[above]
    for name in minority:
        previous = sizes[name] = min(counts[name], previous // 2)
    return sizes


def _refuse_small(sizes: dict[str, int], counts: dict[str, int]) -> None:
    name = min(sizes, key=lambda name: (sizes[name], name))
    if sizes[name] < SMALLEST_SIZE:
        kept = "" if sizes[name] == counts[name] else f" of its {counts[name]}"
        raise TaskError(
            f"subconcept {name!r} would have {sizes[name]}{kept} instances;"
            f" the smallest must have at least {SMALLEST_SIZE}"
        )


def _draw(labels: np.ndarray, name: str, size: int, seed: int) -> np.ndarray:
    rows = np.flatnonzero(labels == name)
    if size == len(rows):
        return rows
    return generator(seed, "task", name).choice(rows, size=size, replace=False)


def _task(
    items: np.ndarray, names: np.ndarray, majority: Sequence[str], minority: Sequence[str]
) -> Task:
    subconcept = names[items]
    counts, _ = _count(subconcept)
    return Task(
        items=items.astype(np.int64),
        is_minority=np.isin(subconcept, list(minority)),
        subconcept=subconcept,
        majority=tuple(majority),
        minority=tuple(minority),
        sizes={name: counts[name] for name in (*majority, *minority)},
    )
