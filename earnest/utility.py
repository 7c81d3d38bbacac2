"""Utility weights: how much an item of a subconcept counts, by its true or by its predicted one."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np

UTILITIES = ("none", "true", "predicted", "conditional")


class Sides(Protocol):
    """What is needed of an `earnest.tasks.Task`: the names of its subconcepts."""

    majority: tuple[str, ...]
    minority: tuple[str, ...]


def utility_by_subconcept(train_subconcepts: Iterable[Any], task: Sides) -> dict[str, float]:
    """Return the utility of each subconcept: rare minority subconcepts count more.

    Parameters
    ----------
    train_subconcepts : iterable
        The subconcept of every item of the training part.
    task : earnest.tasks.Task
        Says which subconcepts are majority and which minority.

    Returns
    -------
    dict of str to float
        1 for each majority subconcept; for a minority subconcept the size of the largest
        majority subconcept divided by its own size, both counted in the training part.
        Majority first, then minority, in the order of the task.

    Raises
    ------
    ValueError
        If a subconcept of the task has no training item, or an item is of none of them.

    Notes
    -----
    "Correcting Performance Estimation Bias in Imbalanced Classification with Minority
    Subconcepts", Eq. 5.
    """
    names, counts = np.unique([str(name) for name in train_subconcepts], return_counts=True)
    sizes = dict(zip(names.tolist(), counts.tolist(), strict=True))
    known = (*task.majority, *task.minority)
    unknown = [name for name in sizes if name not in known]
    if unknown:
        raise ValueError(f"training items of {unknown[0]!r}, which is no subconcept of the task")
    missing = [name for name in known if name not in sizes]
    if missing:
        raise ValueError(f"subconcept {missing[0]!r} has no training item, so it has no utility")
    largest = max(sizes[name] for name in task.majority)
    utility = dict.fromkeys(task.majority, 1.0)
    return utility | {name: largest / sizes[name] for name in task.minority}


def true_utility(subconcepts: Iterable[Any], utility: dict[str, float]) -> np.ndarray:
    """Return the utility of each item's own subconcept, float64 (n,).

    Raises
    ------
    ValueError
        If a subconcept has no utility.
    """
    return _utilities_of([str(name) for name in subconcepts], utility)


def expected_utility(
    posteriors: Any,
    classes: Sequence[Any],
    utility: dict[str, float],
    *,
    minority: Sequence[Any] | None = None,
    is_minority: Any = None,
    conditional: bool = False,
    majority_one: bool = False,
) -> np.ndarray:
    """Return the expected utility of each item under its subconcept posterior.

    Parameters
    ----------
    posteriors : array-like (n, c)
        Probabilities of the subconcepts, each row summing to 1.
    classes : sequence of c names
        The subconcept of each column.
    utility : dict
        Utility of each subconcept, as `utility_by_subconcept` gives it.
    minority : sequence of names, optional
        The minority subconcepts; needed by `conditional`.
    is_minority : array-like (n,) of bool, optional
        The known binary label of each item; needed by `conditional` and `majority_one`.
    conditional : bool
        Renormalise the posterior of a minority item over the minority subconcepts, and give
        majority items 1. Not in the paper, whose Eq. 6 gives missed minority items a
        low weight and so is optimistic.
    majority_one : bool
        Give majority items 1 and leave the others as Eq. 6 has them.

    Returns
    -------
    ndarray (n,) float64
        Without an option, a_x = sum_s q_s(x) u_s.

    Raises
    ------
    ValueError
        If posteriors are no probabilities, a class has no utility, or an option misses its input.

    Notes
    -----
    "Correcting Performance Estimation Bias in Imbalanced Classification with Minority
    Subconcepts", Eq. 6. Where a minority item's posterior is zero for every minority
    subconcept, `conditional` takes their training shares instead, which are proportional
    to 1/u_s: the expectation is then the harmonic mean of the minority utilities.
    """
    classes = [str(name) for name in classes]
    posteriors = _check_posteriors(posteriors, len(classes))
    utilities = _utilities_of(classes, utility)
    if not (conditional or majority_one):
        return posteriors @ utilities
    if is_minority is None:
        raise ValueError("conditional and majority_one need is_minority, the items' binary labels")
    is_minority = np.asarray(is_minority, dtype=bool)
    if is_minority.shape != (len(posteriors),):
        raise ValueError(f"is_minority must have shape ({len(posteriors)},)")
    expected = posteriors @ utilities
    if conditional:
        expected = _conditional(posteriors, utilities, _columns(minority, classes))
    return np.where(is_minority, expected, 1.0)


def _conditional(posteriors: np.ndarray, utilities: np.ndarray, columns: np.ndarray) -> np.ndarray:
    inside, utilities = posteriors[:, columns], utilities[columns]
    total = inside.sum(axis=1)
    prior = len(columns) / np.sum(1 / utilities)
    safe = np.where(total > 0, total, 1.0)
    return np.where(total > 0, inside @ utilities / safe, prior)


def _columns(minority: Sequence[Any] | None, classes: list[str]) -> np.ndarray:
    if not minority:
        raise ValueError("conditional needs minority, the names of the minority subconcepts")
    missing = [str(name) for name in minority if str(name) not in classes]
    if missing:
        raise ValueError(f"minority subconcept {missing[0]!r} has no column of posteriors")
    return np.array([classes.index(str(name)) for name in minority])


def _utilities_of(names: list[str], utility: dict[str, float]) -> np.ndarray:
    utility = {str(name): value for name, value in utility.items()}
    missing = [name for name in names if name not in utility]
    if missing:
        raise ValueError(f"{missing[0]!r} has no utility; there are {', '.join(utility)}")
    return np.array([utility[name] for name in names], dtype=np.float64)


def _check_posteriors(posteriors: Any, columns: int) -> np.ndarray:
    posteriors = np.asarray(posteriors, dtype=np.float64)
    if posteriors.ndim != 2 or posteriors.shape[1] != columns:
        raise ValueError(f"posteriors of {columns} classes cannot have shape {posteriors.shape}")
    fits = np.isfinite(posteriors).all(axis=1) & (posteriors >= 0).all(axis=1)
    fits &= np.abs(posteriors.sum(axis=1) - 1) < 1e-6
    if not fits.all():
        row = np.flatnonzero(~fits)[0]
        raise ValueError(f"posteriors of row {row} are not probabilities that sum to 1")
    return posteriors
