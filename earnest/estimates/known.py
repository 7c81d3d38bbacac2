"""What is known of the labelled items: labels, or only whether predictions are right."""

from typing import Any

import numpy as np

from earnest.pools.pool import Pool


def check_labels(labels: Any, pool: Pool, size: int) -> np.ndarray:
    """Return labels as an array (size,).

    Raises
    ------
    ValueError
        If there are not `size` of them, or one is missing or not a class of the pool.
    """
    labels = np.asarray(labels)
    if labels.shape != (size,):
        raise ValueError(f"{size} items need as many labels, not shape {labels.shape}")
    missing = [place for place, one in enumerate(labels.tolist()) if one is None or one != one]
    if missing:
        raise ValueError(f"the label of labelled item number {missing[0]} (from 0) is missing")
    unknown = set(labels.tolist()) - set(pool.classes)
    if unknown:
        raise ValueError(f"label {min(unknown, key=str)!r} is not a class of the pool")
    return labels


def known_labels(
    pool: Pool, labelled: np.ndarray, correct: Any, labels: Any, measure: str
) -> np.ndarray | None:
    """Return the labels given, or those that `correct` implies; None if it implies none."""
    if correct is None and labels is None:
        raise ValueError("give correct, or the labels of the labelled items")
    predictions = pool.predictions[labelled]
    if correct is not None:
        correct = np.asarray(correct)
        if correct.shape != labelled.shape or not np.isin(correct, (0, 1)).all():
            raise ValueError(f"correct must be {len(labelled)} times true or false")
        correct = correct.astype(bool)
    if labels is None:
        return _labels_from_correct(pool, predictions, correct, measure)
    labels = check_labels(labels, pool, len(labelled))
    at_odds = labelled[(labels == predictions) != correct] if correct is not None else []
    if len(at_odds):
        raise ValueError(f"correct and labels disagree on item {at_odds[0]}")
    return labels


def _labels_from_correct(
    pool: Pool, predictions: np.ndarray, correct: np.ndarray, measure: str
) -> np.ndarray | None:
    if len(pool.classes) == 2:
        first, second = pool.classes
        other = np.where(predictions == first, second, first)
        return np.where(correct, predictions, other)
    if measure != "accuracy":
        raise ValueError(f"{measure} of {len(pool.classes)} classes needs labels, not only correct")
    return None


def reduced_to_correct(
    pool: Pool, labelled: np.ndarray, correct: np.ndarray
) -> tuple[Pool, np.ndarray]:
    """Return a binary pool of right and wrong predictions, which has the same accuracy."""
    classes = list(pool.classes)
    column = np.array([classes.index(one) for one in pool.predictions.tolist()])
    confidence = pool.posteriors[np.arange(len(pool)), column]
    reduced = Pool(
        pool.embeddings,
        np.column_stack([1 - confidence, confidence]),
        predictions=np.ones(len(pool), dtype=np.int64),
        recordings=pool.recordings,
        utilities=pool.utilities,
    )
    return reduced, correct.astype(np.int64)
