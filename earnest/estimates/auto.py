"""The estimator `auto`: a regression of right or wrong on label-free columns, summed over the pool.

Every rule that chooses items looks at embeddings and posteriors and never at labels, so given these
it does not matter how items were chosen. What few labels cannot tell of the regression, its prior
does: it was learned from 16 pools whose labels were all known.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from earnest.estimates.answer import Answer
from earnest.estimates.auto_columns import Columns, columns_of
from earnest.estimates.proportions import exact_limit, wilson_by_chances
from earnest.estimates.subset import Subset
from earnest.measures import Score, score
from earnest.pools.pool import score_arguments, why_not_applicable

LARGEST_MOVE = 4.0  # of any log odds in one step of Newton's method
SMALLEST_STEP = 1e-7
MOST_STEPS = 200

# How sure a correction must be of itself: half of it is made where x^4 is this.
HOLD_UNKNOWN, HOLD_KNOWN = 2.5, 8.0
DOUBTED = -0.8  # mean normal score of the confidence of labels below which they were doubted
LARGE = 2.0  # SDs of the estimate from which a correction is flagged
MOST_LEVERAGE = 0.95
# How far slopes may be others beyond the labelled items, and how bent the line.
BEYOND, BEND = 0.3, 0.15
FEW_ERRORS = 3

ONE_LABEL = "one label shows no spread: at least two are needed for an interval"
WITHOUT_EMBEDDINGS = (
    "without embeddings the interval holds only where the chances of the labels are known"
)
ACCURACY_ONLY = "auto answers accuracy where every item counts the same, and nothing else so far"


@dataclass(frozen=True)
class Fit:
    """The regression of right or wrong at its posterior mode.

    Attributes
    ----------
    covariance : ndarray (p, p)
        Of the coefficients, by the curvature at the mode.
    log_odds, variances : ndarray (N,)
        Of being right, for every pool item.
    shift : float
        Half of what brings the mean over the labelled items to their labels.
    chances : ndarray (N,)
        Of being right, averaged over the coefficients, with the shift.
    """

    covariance: np.ndarray
    log_odds: np.ndarray
    variances: np.ndarray
    shift: float
    chances: np.ndarray


def auto(
    subset: Subset, measure: str, utility: str, *, level: float, definition: str = "first"
) -> Answer:
    """Estimate the accuracy of a pool from any labelled items.

    P(right) is logistic in six label-free columns (see `auto_columns.Columns`), the predicted
    class and ten principal components. Where the chances of the labels are not known, the
    correction of the plain score is made as far as it is sure of itself; where they are, the
    regression holds until the design contradicts it.

    Parameters
    ----------
    subset : Subset
        With its design where the chances of its items are known.
    measure, utility : str
        `accuracy` and `none`; others give a reason.
    level : float
        Nominal coverage of the interval.
    definition : {"first"}
        The definition of November 2026.

    Returns
    -------
    Answer
        Flags: `whole_pool`; `no_error_seen`, all labels right or none; `chosen_for_doubt`, the
        labelled items are those that the model doubts, and the interval is a plausible range;
        `large_correction`, chances unknown and the correction above two SDs; `no_embeddings`.

    Raises
    ------
    ValueError
        If the definition is unknown.

    Notes
    -----
    Prior means and SDs of the six slopes come from 16 pools (four data sets of sound and eight
    of tables, with several classifiers), which docs/estimators.md names.
    """
    if definition != "first":
        raise ValueError(f"definition must be first, got {definition!r}")
    if len(subset.labelled) == len(subset.pool):
        whole = _whole(subset, measure, utility)
        return Answer(whole.value, whole.value, whole.value, ("whole_pool",), whole.reason)
    if measure != "accuracy" or utility != "none":
        return Answer(None, reason=ACCURACY_ONLY)
    right = subset.correct.astype(np.float64)
    # In ascending order, so that the order of a list changes no bit.
    ascending = np.argsort(subset.labelled)
    chances = None if subset.design is None else subset.design.inclusion[ascending]
    columns = subset.pool.once("auto columns", lambda: columns_of(subset.pool))
    sums = _Sums(columns, subset.labelled[ascending], right[ascending], level)
    if chances is not None:
        return sums.by_design(chances)
    return sums.by_model(subset.sampler)


def _whole(subset: Subset, measure: str, utility: str) -> Score:
    """Return a measure of a pool whose items are all labelled."""
    pool = subset.pool
    reason = why_not_applicable(pool, measure, utility)
    if reason:
        return Score(None, reason)
    arguments = score_arguments(pool, subset.labelled, subset.labels, measure)
    weights = None if utility == "none" else pool.utilities[utility][subset.labelled]
    return score(weights=weights, **arguments)


def fit(columns: Columns, labelled: np.ndarray, right: np.ndarray) -> Fit:
    """Fit the regression to the labelled items.

    Parameters
    ----------
    columns : Columns
    labelled : ndarray (n,) of int
        Pool rows.
    right : ndarray (n,) float64
        1 where the prediction is right, else 0.
    """
    features = columns.features[labelled]
    precision = 1.0 / columns.prior_variances
    w = columns.prior_means.copy()
    mean = min(max(float(right.mean()), 0.05), 0.95)
    w[0] = math.log(mean / (1 - mean))
    for _ in range(MOST_STEPS):
        p = _sigmoid(features @ w)
        gradient = features.T @ (right - p) - precision * (w - columns.prior_means)
        curvature = (features.T * (p * (1 - p))) @ features + np.diag(precision)
        step = np.linalg.solve(curvature, gradient)
        move = float(np.abs(features @ step).max())
        w = w + step * min(1.0, LARGEST_MOVE / move if move else 1.0)
        if np.abs(step).max() < SMALLEST_STEP:
            break
    p = _sigmoid(features @ w)
    covariance = np.linalg.inv((features.T * (p * (1 - p))) @ features + np.diag(precision))
    log_odds = columns.features @ w
    variances = np.einsum("ij,ij->i", columns.features @ covariance, columns.features)
    averaged = log_odds / np.sqrt(1 + math.pi * variances / 8)
    shift = _shift(averaged[labelled], right) / 2
    return Fit(covariance, log_odds, variances, shift, _sigmoid(averaged + shift))


def _shift(log_odds: np.ndarray, right: np.ndarray) -> float:
    """Return what must be added to log odds for their mean chance to be that of the labels.

    One item of the mean chance is added, so that it is finite when all labels agree.
    """
    from scipy.optimize import brentq

    wanted = (right.sum() + _sigmoid(log_odds).mean()) / (len(right) + 1)
    return float(brentq(lambda s: _sigmoid(log_odds + s).mean() - wanted, -60, 60, xtol=1e-12))


class _Sums:
    """What a fit adds up to over the pool, with its uncertainty."""

    def __init__(
        self, columns: Columns, labelled: np.ndarray, right: np.ndarray, level: float
    ) -> None:
        self.columns, self.labelled, self.right, self.level = columns, labelled, right, level
        self.fit = fit(columns, labelled, right)
        self.size, self.n = len(columns.features), len(labelled)
        self.rest = np.ones(self.size, dtype=bool)
        self.rest[labelled] = False
        p = self.fit.chances
        self.spread = p * (1 - p)
        self.model = float((right.sum() + p[self.rest].sum()) / self.size)
        self.slopes = self._total(columns.features)
        self.unseen = float(self.spread[self.rest].sum()) / self.size**2
        self.variance = self._form(self.slopes) + self.unseen

    def by_model(self, sampler: str | None) -> Answer:
        """Answer where the chances of the labels are not known."""
        plain = float(self.right.mean())
        correction = self.model - plain
        flags = list(self._flags())
        gap = self.slopes + self._less_labelled(self.columns.features)
        factor = _held(abs(correction), math.sqrt(self._form(gap)), HOLD_UNKNOWN)
        if sampler == "uncertainty" or self.columns.doubt[self.labelled].mean() < DOUBTED:
            flags.append("chosen_for_doubt")
            factor = 1.0
        if abs(correction) > LARGE * math.sqrt(self.variance):
            flags.append("large_correction")
        value = plain + factor * correction
        if not self.columns.has_embeddings:
            return Answer(value, flags=tuple(flags), reason=WITHOUT_EMBEDDINGS)
        unmade = ((1 - factor) * correction) ** 2
        half = _normal(self.level) * math.sqrt(self.variance + self._misfit() + unmade)
        return self._within(value, value - half, value + half, flags)

    def by_design(self, chances: np.ndarray) -> Answer:
        """Answer where the chance of each label is known."""
        flags = list(self._flags())
        if self.n < 2:
            return Answer(self.model, flags=tuple(flags), reason=ONE_LABEL)
        unseen = self._left_out()
        residuals = self.right - unseen
        weights = 1 / chances
        weights = weights / weights.sum()
        centre = float(weights @ residuals)
        design = (self.fit.chances[self.rest].sum() + unseen.sum()) / self.size + centre
        squares = (1 - chances) * np.square(weights * (residuals - centre))
        sd = math.sqrt(self.n / (self.n - 1) * squares.sum())
        factor = _held(abs(design - self.model), sd, HOLD_KNOWN)
        value = self.model + factor * (design - self.model)
        half = _student(self.level, self.n - 1) * sd
        low, high = value - half, value + half
        errors = min(self.right.sum(), self.n - self.right.sum())
        if errors < FEW_ERRORS:
            # so few that residuals hardly vary: what the proportion alone allows counts too
            other = wilson_by_chances(self.right, chances, self.level)
            low, high = min(low, other[0]), max(high, other[1])
        return self._within(value, low, high, flags)

    def _within(self, value: float, low: float, high: float, flags: list[str]) -> Answer:
        """Cut an interval to 0 and 1, and widen it where no label tells of the other outcome."""
        limit = exact_limit(self.n, self.size, self.level)
        if self.right.all():
            low = min(low, limit)
        elif not self.right.any():
            high = max(high, 1 - limit)
        value = min(max(value, 0.0), 1.0)
        return Answer(value, min(max(low, 0.0), value), max(min(high, 1.0), value), tuple(flags))

    def _flags(self) -> list[str]:
        agree = self.right.all() or not self.right.any()
        return ["no_error_seen"] * bool(agree) + ["no_embeddings"] * (
            not self.columns.has_embeddings
        )

    def _form(self, contrast: np.ndarray) -> float:
        return max(float(contrast @ self.fit.covariance @ contrast), 0.0)

    def _total(self, columns: np.ndarray) -> Any:
        """Sum columns over the unlabelled items, by how much the chance of each may vary."""
        return self.spread[self.rest] @ columns[self.rest] / self.size

    def _less_labelled(self, columns: np.ndarray) -> Any:
        weight = 1 / self.size - 1 / self.n
        return weight * (self.spread[self.labelled] @ columns[self.labelled])

    def _misfit(self) -> float:
        """Return the variance of what no fit shows: other slopes beyond the labels, a bend."""
        doubt = self.columns.doubt
        low, high = np.quantile(doubt[self.labelled], [0.05, 0.95])
        above = BEYOND * self._total(np.maximum(doubt - high, 0.0))
        below = BEYOND * self._total(np.maximum(low - doubt, 0.0))
        bent = np.square(doubt) - 1
        bend = BEND * (self._total(bent) + self._less_labelled(bent))
        return float(above**2 + below**2 + bend**2)

    def _left_out(self) -> np.ndarray:
        """Return each labelled item's chance of being right, as if it had not been seen, (n,)."""
        log_odds, variances = (
            self.fit.log_odds[self.labelled],
            self.fit.variances[self.labelled],
        )
        p = _sigmoid(log_odds)
        leverage = np.minimum(p * (1 - p) * variances, MOST_LEVERAGE)
        spread = variances / (1 - leverage)
        without = log_odds - variances * (self.right - p) / (1 - leverage)
        return _sigmoid(without / np.sqrt(1 + math.pi * spread / 8) + self.fit.shift)


def _held(distance: float, sd: float, hold: float) -> float:
    """Return the share of a correction that is made: none of noise, all where it is sure."""
    if distance == 0:
        return 0.0
    if sd == 0:
        return 1.0
    power = min(distance / sd, 1e3) ** 4
    return power / (hold + power)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    from scipy.special import expit

    return expit(x)


def _normal(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))


def _student(level: float, freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))
