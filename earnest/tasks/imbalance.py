"""Corrections of class imbalance in a training part, and which subconcepts they copy."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

NEIGHBOURS = 5  # of SMOTE, where the minority has more members than that


class NotRun(ValueError):
    """A correction cannot be applied to this training part; the message says why."""


@dataclass(frozen=True)
class Corrected:
    """A training part after a correction.

    Attributes
    ----------
    features : ndarray (m, d)
    is_minority : ndarray (m,) bool
    sources : ndarray (m,) int64
        The row of the training part that each row is a copy of; of a synthetic row, the
        minority row that it starts from.
    neighbours : int or None
        SMOTE's k; None for the other corrections.
    class_weight : str or None
        What the classifier is told about the weight of its classes.
    """

    features: np.ndarray
    is_minority: np.ndarray
    sources: np.ndarray
    neighbours: int | None = None
    class_weight: str | None = None


def correct(name: str, features: Any, is_minority: Any, *, seed: int) -> Corrected:
    """Correct the imbalance of a training part.

    Parameters
    ----------
    name : str
        A key of `CORRECTIONS`: `none`; `ros` and `rus` (random over- and under-sampling to
        equal classes); `smote` (synthetic minority rows up to equal classes, with
        k = min(5, members - 1) neighbours); `weight` (the rows as they are, the classifier
        weights each class by the inverse of its share).
    features : array-like (n, d)
        Finite.
    is_minority : array-like (n,) of bool
    seed : int
        Of the resampling.

    Returns
    -------
    Corrected

    Raises
    ------
    NotRun
        If a class has no member, or SMOTE's minority has one.
    ValueError
        If there is no such correction.
    """
    if name not in CORRECTIONS:
        raise ValueError(f"unknown correction {name!r}; there are {', '.join(CORRECTIONS)}")
    features, is_minority = np.asarray(features), np.asarray(is_minority, dtype=bool)
    for side, members in (("minority", is_minority.sum()), ("majority", (~is_minority).sum())):
        if members == 0:
            raise NotRun(f"the training part has no {side} item")
    return CORRECTIONS[name](features, is_minority, seed)


def _none(features: np.ndarray, is_minority: np.ndarray, seed: int) -> Corrected:
    return Corrected(features, is_minority, np.arange(len(features)))


def _weight(features: np.ndarray, is_minority: np.ndarray, seed: int) -> Corrected:
    return Corrected(features, is_minority, np.arange(len(features)), class_weight="balanced")


def _over(features: np.ndarray, is_minority: np.ndarray, seed: int) -> Corrected:
    from imblearn.over_sampling import RandomOverSampler

    return _chosen(RandomOverSampler(random_state=seed), features, is_minority)


def _under(features: np.ndarray, is_minority: np.ndarray, seed: int) -> Corrected:
    from imblearn.under_sampling import RandomUnderSampler

    return _chosen(RandomUnderSampler(random_state=seed), features, is_minority)


def _chosen(sampler: Any, features: np.ndarray, is_minority: np.ndarray) -> Corrected:
    sampler.fit_resample(np.arange(len(features))[:, np.newaxis], is_minority)
    sources = np.asarray(sampler.sample_indices_, dtype=np.int64)
    return Corrected(features[sources], is_minority[sources], sources)


def _smote(features: np.ndarray, is_minority: np.ndarray, seed: int) -> Corrected:
    from imblearn.over_sampling import SMOTE

    starts: list[np.ndarray] = []

    class RecordingSMOTE(SMOTE):
        """SMOTE that tells which row each synthetic one starts from: it keeps no such record."""

        def _generate_samples(self, X, nn_data, nn_num, rows, cols, steps, *args, **kwargs):
            starts.append(np.asarray(rows, dtype=np.int64))
            return super()._generate_samples(X, nn_data, nn_num, rows, cols, steps, *args, **kwargs)

    rare, smaller = _rarer(is_minority)
    if smaller == 1:
        raise NotRun("1 member in the smaller class, and SMOTE needs 2")
    neighbours = min(NEIGHBOURS, smaller - 1)
    sampler = RecordingSMOTE(k_neighbors=neighbours, random_state=seed)
    resampled, labels = sampler.fit_resample(features, is_minority)
    # imbalanced-learn puts the rows given first and the synthetic ones behind them
    base = np.flatnonzero(is_minority == rare)
    sources = np.concatenate([np.arange(len(features)), *(base[rows] for rows in starts)])
    return Corrected(resampled, labels.astype(bool), sources, neighbours=neighbours)


def _rarer(is_minority: np.ndarray) -> tuple[bool, int]:
    """Return the class with fewer rows, and how many."""
    minority = int(is_minority.sum())
    other = len(is_minority) - minority
    return (True, minority) if minority <= other else (False, other)


CORRECTIONS: dict[str, Callable[[np.ndarray, np.ndarray, int], Corrected]] = {
    "none": _none,
    "ros": _over,
    "rus": _under,
    "smote": _smote,
    "weight": _weight,
}
