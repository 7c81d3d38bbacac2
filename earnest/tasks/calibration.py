"""Calibrated posteriors: one temperature, fitted on recordings that the classifier never saw."""

from typing import Any

import numpy as np

from earnest.tasks.heads import softmax

# Posteriors of a forest can be 0, which no temperature moves.
SMALLEST = 1e-6
COLDEST, HOTTEST = 0.05, 20.0
BINS = 15


class Calibrated:
    """A classifier whose log posteriors are divided by a temperature.

    Attributes
    ----------
    classes_ : ndarray
        Those of the classifier.
    plain : earnest.tasks.classifiers.Classifier
        The classifier itself.
    temperature : float
        Above 1 where it is too sure; predictions stay as they are.
    validation_items : int
        Number of items that the temperature was fitted on.
    """

    def __init__(self, plain: Any, temperature: float, validation_items: int) -> None:
        self.plain, self.temperature = plain, temperature
        self.validation_items = validation_items
        self.classes_ = plain.classes_

    def predict_proba(self, embeddings: np.ndarray) -> np.ndarray:
        """Return calibrated posteriors (n, C) of embeddings (n, d)."""
        return cooled(self.plain.predict_proba(embeddings), self.temperature)


def cooled(posteriors: np.ndarray, temperature: float) -> np.ndarray:
    """Return posteriors (n, C) proportional to p^(1/T)."""
    return softmax(np.log(np.maximum(posteriors, SMALLEST)) / temperature)


def fit_temperature(posteriors: np.ndarray, targets: np.ndarray) -> float:
    """Return the temperature with the least log loss.

    Parameters
    ----------
    posteriors : (n, C) float
    targets : (n,) int
        Column of the true class.

    Returns
    -------
    float
        From 0.05 to 20.

    Raises
    ------
    ValueError
        If there are no items.
    """
    from scipy.optimize import minimize_scalar

    if len(targets) == 0:
        raise ValueError("a temperature needs items to be fitted on")
    logs = np.log(np.maximum(posteriors, SMALLEST))
    own = np.arange(len(targets)), targets

    def loss(coldness: float) -> float:
        scaled = logs * coldness
        largest = scaled.max(axis=1)
        total = largest + np.log(np.exp(scaled - largest[:, None]).sum(axis=1))
        return float((total - scaled[own]).mean())

    # convex in 1/T
    found = minimize_scalar(
        loss, bounds=(1 / HOTTEST, 1 / COLDEST), method="bounded", options={"xatol": 1e-6}
    )
    return float(1 / found.x)


def expected_calibration_error(
    confidence: np.ndarray, correct: np.ndarray, *, bins: int = BINS
) -> float:
    """Return the mean distance of accuracy and confidence over equally wide bins of confidence.

    Parameters
    ----------
    confidence : (n,) float
        The largest posterior, in [0, 1].
    correct : (n,) bool
    bins : int
        Bins weigh as much as they hold items (Guo et al., ICML 2017).

    Returns
    -------
    float
        In [0, 1].
    """
    place = np.minimum((confidence * bins).astype(np.int64), bins - 1)
    hits = np.bincount(place, weights=correct.astype(np.float64), minlength=bins)
    sure = np.bincount(place, weights=confidence, minlength=bins)
    return float(np.abs(hits - sure).sum() / len(confidence))
