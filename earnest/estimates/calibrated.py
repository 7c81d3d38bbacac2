"""Calibrated confidence: Platt scaling on the labelled items, whose own truth is kept."""

import numpy as np

from earnest.estimates.subset import Subset
from earnest.estimates.totals import Totals, from_totals, one_item, why_no_totals
from earnest.pools.pool import Pool, confidences

SUREST = 1e-6  # confidences are kept this far from 0 and 1, where the logit has no end
_STEPS = 100
_LARGEST_STEP = 3.0
_CELLS = 2_000_000  # resamples x items looked at in one go: 16 MB


def calibrated(subset: Subset, measure: str, utility: str) -> np.ndarray | str:
    """Believe confidences after Platt scaling, and the labels where there are any.

    The chance of a right prediction is a logistic function of the logit of the confidence, fitted
    on the subset with Platt's smoothed targets. The chance of a wrong one goes to the other
    classes in proportion to their posteriors. Labelled items count by their label, the others
    by these chances plus the mean residual of their class on the subset.

    References
    ----------
    Platt, Probabilistic outputs for support vector machines, 1999, section 2.2.
    """
    reason = why_no_totals(subset.pool, measure, utility, "calibrated")
    if reason:
        return reason
    return from_totals(measure, subset.once("calibrated", _totals), subset.pool)


def chances_of_right(pool: Pool, labelled: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the chance that each prediction of the pool is right, after Platt scaling; (N,)."""
    scale = _logits(confidences(pool))
    counts = np.ones((1, len(labelled)))
    ((a, b),) = platt(scale[labelled], labels == pool.predictions[labelled], counts)
    return _sigmoid(a + b * scale)


def _totals(subset: Subset) -> Totals:
    true, hits = subset.members()
    rest, n = subset.unlabelled(), len(subset.labelled)
    scale = _logits(subset.confidence)
    coefficients = platt(scale[subset.labelled], subset.correct, subset.counts)
    share = subset.counts / subset.sums
    # what is known of the labelled, and the residual that the rest has in common with them
    totals = len(subset.pool) * (share @ np.hstack([hits, true]))
    block = max(1, _CELLS // len(subset.pool))
    parts = [(rest, None), (subset.labelled, share * (-len(rest)))]
    for items, weights in parts:
        predicted = subset.predicted()[items]
        others = _others(subset.pool.posteriors[items], predicted)
        for start in range(0, len(totals), block):
            rows = slice(start, start + block)
            weight = np.ones((1, len(items))) if weights is None else weights[rows]
            right = _sigmoid(coefficients[rows, :1] + coefficients[rows, 1:] * scale[items])
            own = (weight * right) @ predicted
            totals[rows] += np.hstack([own, own + (weight * (1 - right)) @ others])
    least = one_item(len(subset.pool), n)
    return Totals(*np.hsplit(totals, 2), subset.predicted().sum(axis=0), least)


def _logits(confidence: np.ndarray) -> np.ndarray:
    confidence = np.clip(confidence, SUREST, 1 - SUREST)
    return np.log(confidence / (1 - confidence))


def _sigmoid(values: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.clip(values, -500, 500)))


def _others(posteriors: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Return what each item's classes are worth if the prediction is wrong; rows sum to 1."""
    others = posteriors * (1 - predicted)
    left = others.sum(axis=1, keepdims=True)
    even = (1 - predicted) / max(predicted.shape[1] - 1, 1)
    return np.where(left > 0, others / np.where(left > 0, left, 1), even)


def platt(scale: np.ndarray, correct: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Fit P(correct) = 1 / (1 + exp(-(a + b s))) for every resample.

    Parameters
    ----------
    scale : ndarray (n,) float64
        s, the logits of the confidences.
    correct : ndarray (n,) bool
    counts : ndarray (b, n) float64
        How often each item counts.

    Returns
    -------
    ndarray (b, 2) float64
        a and b. Targets are (n+ + 1) / (n+ + 2) for right and 1 / (n- + 2) for wrong items, so
        neither runs off to infinity where the classes are apart.

    Raises
    ------
    RuntimeError
        If Newton's method has not converged.
    """
    right = counts @ correct
    target = np.where(
        correct,
        ((right + 1) / (right + 2))[:, np.newaxis],
        (1 / (counts.sum(axis=1) - right + 2))[:, np.newaxis],
    )
    centre, spread = scale.mean(), scale.std()
    spread = spread if spread > 1e-12 else 1.0
    columns = np.stack([np.ones_like(scale), (scale - centre) / spread])
    found = _newton(columns, target, counts)
    slope = found[:, 1] / spread
    return np.column_stack([found[:, 0] - slope * centre, slope])


def _newton(columns: np.ndarray, target: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Minimise the weighted log loss of the two coefficients, with a bound on every step."""
    mean = (counts * target).sum(axis=1) / counts.sum(axis=1)
    found = np.column_stack([np.log(mean / (1 - mean)), np.zeros(len(mean))])
    total = counts.sum(axis=1)
    for _ in range(_STEPS):
        chance = _sigmoid(found @ columns)
        gradient = (counts * (target - chance)) @ columns.T
        if (np.abs(gradient).max(axis=1) <= 1e-11 * total).all():
            return found
        curve = counts * chance * (1 - chance)
        a, b, c = (curve @ (columns[i] * columns[j]) for i, j in ((0, 0), (0, 1), (1, 1)))
        # a resample with a single confidence has no slope: the ridge leaves it at 0
        c = c + 1e-9 * total
        determinant = a * c - b * b
        step = np.column_stack(
            [
                (c * gradient[:, 0] - b * gradient[:, 1]) / determinant,
                (a * gradient[:, 1] - b * gradient[:, 0]) / determinant,
            ]
        )
        length = np.abs(step).max(axis=1, keepdims=True)
        found = found + step * np.minimum(1, _LARGEST_STEP / np.maximum(length, 1e-300))
    raise RuntimeError("Platt scaling did not converge")
