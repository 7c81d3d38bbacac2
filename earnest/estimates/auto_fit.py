"""The regression behind `auto`: how likely each prediction of a pool is right."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from earnest.estimates.auto_columns import Columns

LARGEST_MOVE = 4.0  # of any log odds in one step of Newton's method
SMALLEST_STEP = 1e-7
START = (0.05, 0.95)  # the labelled mean is cut to these for the first intercept
SHIFT = 0.5  # part of the way to the labelled mean by which log odds are moved
MOST_LEVERAGE = 0.95
_FULL_STEPS, _MOST_STEPS = 50, 200


@dataclass(frozen=True)
class Fit:
    """The regression of right or wrong at its posterior mode.

    Attributes
    ----------
    columns : Columns
    labelled : ndarray (n,) int64
        Pool rows, ascending.
    right : ndarray (n,) float64
        1 where their prediction is right, else 0.
    covariance : ndarray (p, p)
        Of the coefficients, by the curvature at the mode.
    log_odds, variances : ndarray (N,)
        Of being right, for every pool item.
    shift : float
        Half of what brings the mean over the labelled items to their labels.
    chances : ndarray (N,)
        Of being right, averaged over the coefficients, with the shift.
    """

    columns: Columns
    labelled: np.ndarray
    right: np.ndarray
    covariance: np.ndarray
    log_odds: np.ndarray
    variances: np.ndarray
    shift: float
    chances: np.ndarray

    @cached_property
    def unlabelled(self) -> np.ndarray:
        """1 for every item without a label, else 0; (N,) float64."""
        rest = np.ones(len(self.chances))
        rest[self.labelled] = 0.0
        return rest

    @cached_property
    def slopes(self) -> np.ndarray:
        """What a log odds moves the chance of each item by, p (1 - p), (N,)."""
        return self.chances * (1 - self.chances)

    @cached_property
    def left_out(self) -> np.ndarray:
        """Each labelled item's chance of being right, as if it had not been seen, (n,).

        From the same fit, by one step of Newton's method without the item.
        """
        log_odds, variances = self.log_odds[self.labelled], self.variances[self.labelled]
        p = sigmoid(log_odds)
        leverage = np.minimum(p * (1 - p) * variances, MOST_LEVERAGE)
        without = log_odds - variances * (self.right - p) / (1 - leverage)
        return sigmoid(averaged(without, variances / (1 - leverage)) + self.shift)

    def variance(self, contrast: np.ndarray) -> float:
        """Return the variance of a linear contrast (p,) of the coefficients."""
        return max(float(contrast @ self.covariance @ contrast), 0.0)


def fit(columns: Columns, labelled: np.ndarray, right: np.ndarray) -> Fit:
    """Fit the regression to the labelled items.

    Parameters
    ----------
    columns : Columns
    labelled : ndarray (n,) of int
        Pool rows.
    right : ndarray (n,) float64
        1 where the prediction is right, else 0.

    Raises
    ------
    RuntimeError
        If Newton's method has not converged.

    Notes
    -----
    The mean of the logistic function over the coefficients is that of log odds divided by
    sqrt(1 + pi v / 8): MacKay, The evidence framework applied to classification networks,
    Neural Computation 4, 1992.
    """
    # in ascending order, so that the order of a list changes no bit
    order = np.argsort(labelled)
    labelled, right = labelled[order], right[order]
    w, covariance = _mode(columns, labelled, right)
    log_odds = columns.features @ w
    variances = np.einsum("ij,ij->i", columns.features @ covariance, columns.features)
    means = averaged(log_odds, variances)
    shift = SHIFT * _shift(means[labelled], right)
    return Fit(
        columns, labelled, right, covariance, log_odds, variances, shift, sigmoid(means + shift)
    )


def _mode(
    columns: Columns, labelled: np.ndarray, right: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the posterior mode of the coefficients and the inverse curvature there."""
    from scipy.linalg.lapack import dposv

    features = columns.features[labelled]
    across = np.ascontiguousarray(features.T)
    precision = 1.0 / columns.prior_variances
    prior, w = np.diag(precision), columns.prior_means.copy()
    mean = min(max(float(right.mean()), START[0]), START[1])
    w[0] = math.log(mean / (1 - mean))
    for count in range(_MOST_STEPS):
        p = sigmoid(features @ w)
        gradient = across @ (right - p) - precision * (w - columns.prior_means)
        # numpy's own solver takes as long for its checks as for so small a system
        _, step, failed = dposv((across * (p * (1 - p))) @ features + prior, gradient)
        if failed:
            break
        move = float(np.abs(features @ step).max())
        # shorter steps end what might go to and fro
        step *= min(1.0 if count < _FULL_STEPS else 0.5, LARGEST_MOVE / move if move else 1.0)
        w = w + step
        if np.abs(step).max() <= SMALLEST_STEP:
            p = sigmoid(features @ w)
            return w, np.linalg.inv((across * (p * (1 - p))) @ features + prior)
    raise RuntimeError("the regression of right or wrong did not converge")


def averaged(log_odds: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """Return the log odds of the mean chance where log odds have these means and variances."""
    return log_odds / np.sqrt(1 + (math.pi / 8) * variances)


def _shift(log_odds: np.ndarray, right: np.ndarray) -> float:
    """Return what must be added to log odds for their mean chance to be that of the labels.

    One item of the mean chance is added, so that it is finite when all labels agree.
    """
    wanted = (right.sum() + sigmoid(log_odds).mean()) / (len(right) + 1)
    middle = math.log(wanted / (1 - wanted))
    # at these ends every chance is below what is wanted, or every one above
    low, high = middle - float(log_odds.max()), middle - float(log_odds.min())
    shift = min(max(0.0, low), high)
    for _ in range(_MOST_STEPS):
        p = sigmoid(log_odds + shift)
        missing = wanted - float(p.mean())
        step = missing / max(float((p * (1 - p)).mean()), 1e-300)
        if abs(step) <= 1e-12 or high - low <= 1e-12:
            return shift
        low, high = (shift, high) if missing > 0 else (low, shift)
        shift = shift + step if low < shift + step < high else (low + high) / 2
    raise RuntimeError("the shift to the labelled mean did not converge")


def sigmoid(x: np.ndarray) -> np.ndarray:
    """Return 1 / (1 + exp(-x))."""
    from scipy.special import expit

    return expit(x)
