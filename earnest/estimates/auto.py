"""The estimator `auto`: a regression of right or wrong on label-free columns, summed over the pool.

Every rule that chooses items looks at embeddings and posteriors and never at labels, so given these
it does not matter how items were chosen. What few labels cannot tell of the regression, its prior
does: it was learned from 16 pools whose labels were all known.
"""

import math

import numpy as np

from earnest.estimates.answer import Answer
from earnest.estimates.auto_classes import ClassSums, design_step
from earnest.estimates.auto_columns import columns_of
from earnest.estimates.auto_fit import Fit, fit
from earnest.estimates.bootstrap import quantile
from earnest.estimates.proportions import exact_limit, wilson_by_chances
from earnest.estimates.subset import Subset
from earnest.measures import Score, score
from earnest.pools.pool import class_of, score_arguments, why_not_applicable

# How sure a correction must be of itself: half of it is made where x^4 is this.
HOLD_UNKNOWN, HOLD_KNOWN, HOLD_CLASSES = 2.5, 8.0, 30.0
DOUBTED = -0.8  # mean normal score of the confidence of labels below which they were doubted
LARGE = 2.0  # SDs of the estimate from which a correction is flagged
# How far slopes may be others beyond the labelled items, and how bent the line.
BEYOND, BEND = 0.3, 0.15
FEW_ERRORS = 3

ONE_LABEL = "one label shows no spread: at least two are needed for an interval"
ALL_CERTAIN = (
    "every labelled item was certain to be labelled, so none tells by chance of the others"
)
WITHOUT_EMBEDDINGS = (
    "without embeddings the interval holds only where the chances of the labels are known"
)
NO_RANKS = "auto has no form for ROC AUC"
ONE_CLASS = "there is only the class {}, so {} says nothing"
UNKNOWN_WORTH = (
    "auto needs weights that do not depend on the labels of unlabelled items; the {} utility does"
)
NO_SIZE = "no item may be of a class, so {} is undefined"
NO_CONFUSION = (
    "the labelled predictions are all right or all wrong, so nothing shows how classes differ"
)
DOUBTED_BINARY = (
    "the labelled items are those that the model doubts; of two classes one is extrapolated, and"
    " such intervals held in half of the cases or fewer"
)


def auto(
    subset: Subset, measure: str, utility: str, *, level: float, definition: str = "first"
) -> Answer:
    """Estimate a score of a pool from any labelled items.

    P(right) is logistic in six label-free columns (see `auto_columns.Columns`), the predicted
    class and ten principal components. Where the chances of the labels are not known, the
    correction of the plain score is made as far as it is sure of itself; where they are, the
    regression holds until the design contradicts it. For scores of classes the chance of being
    wrong is spread over the other classes, see `auto_classes`.

    Parameters
    ----------
    subset : Subset
        With its design where the chances of its items are known.
    measure, utility : str
        ROC AUC and the utilities `true` and `conditional` give a reason.
    level : float
        Nominal coverage of the interval.
    definition : {"first"}
        The definition of November 2026.

    Returns
    -------
    Answer
        Flags: `whole_pool`; `no_error_seen`, all labels right or none; `chosen_for_doubt`, the
        labelled items are those that the model doubts, and the interval is a plausible range;
        `large_correction`, chances unknown and the correction above two SDs; `no_embeddings`;
        `class_without_label`, a score of classes of which one has no label.

    Raises
    ------
    ValueError
        If the definition is unknown.

    Notes
    -----
    Prior means and SDs of the six slopes come from 16 pools (four data sets of sound and eight
    of tables, with several classifiers), which docs/methods.md names.
    """
    if definition != "first":
        raise ValueError(f"definition must be first, got {definition!r}")
    if len(subset.labelled) == len(subset.pool):
        whole = _whole(subset, measure, utility)
        # two orders of a sum may differ by a rounding
        value = None if whole.value is None else min(whole.value, 1.0)
        return Answer(value, value, value, ("whole_pool",), whole.reason)
    reason = _why_no_form(subset, measure, utility)
    if reason:
        return Answer(None, reason=reason)
    chances = None if subset.design is None else subset.design.inclusion
    if chances is not None:
        chances = chances[np.argsort(subset.labelled)]
    if measure != "accuracy" or utility != "none":
        return _of_classes(subset, measure, utility, level, chances)
    sums = _Sums(fit_of(subset), level)
    return sums.by_model(subset.sampler) if chances is None else sums.by_design(chances)


def fit_of(subset: Subset) -> Fit:
    """Return the regression of a subset, one for all its measures."""
    columns = subset.pool.once("auto columns", lambda: columns_of(subset.pool))
    right = subset.correct.astype(np.float64)
    return subset.once("auto fit", lambda _: fit(columns, subset.labelled, right))


def _whole(subset: Subset, measure: str, utility: str) -> Score:
    """Return a measure of a pool whose items are all labelled."""
    pool = subset.pool
    reason = why_not_applicable(pool, measure, utility)
    if reason:
        return Score(None, reason)
    arguments = score_arguments(pool, subset.labelled, subset.labels, measure)
    weights = None if utility == "none" else pool.utilities[utility][subset.labelled]
    return score(weights=weights, **arguments)


def _why_no_form(subset: Subset, measure: str, utility: str) -> str | None:
    """Say why there is no estimate of a measure; None if there is."""
    pool = subset.pool
    reason = why_not_applicable(pool, measure, utility)
    if reason:
        return reason
    if measure == "roc_auc":
        return NO_RANKS
    if utility not in ("none", "predicted"):
        return UNKNOWN_WORTH.format(utility)
    if measure != "accuracy" and len(pool.classes) < 2:
        return ONE_CLASS.format(pool.classes[0], measure)
    return None


def _of_classes(
    subset: Subset, measure: str, utility: str, level: float, chances: np.ndarray | None
) -> Answer:
    """Answer a measure of classes, or one under utility weights."""
    fitted, pool = fit_of(subset), subset.pool
    weights = np.ones(len(pool)) if utility == "none" else pool.utilities[utility]
    sums = subset.once(f"auto classes {utility}", lambda _: ClassSums(subset, fitted, weights))
    found = sums.totals.measure(measure, pool)
    if found is None:
        return Answer(None, reason=NO_SIZE.format(measure))
    value, by = found
    doubted = chances is None and is_doubted(fitted, subset.sampler)
    flags, reason = _of_labels(subset, fitted, measure, doubted, chances)
    sd, can_step = 0.0, chances is not None and len(chances) > 1 and bool((chances < 1).any())
    if chances is not None and can_step:
        step, sd = design_step(sums.residuals(by), chances, len(pool))
        value += held(abs(step), sd, HOLD_CLASSES) * step
    value = min(max(value, 0.0), 1.0)
    if reason is None and chances is not None and not can_step:
        reason = ONE_LABEL if len(chances) < 2 else ALL_CERTAIN
    if reason:
        return Answer(value, flags=flags, reason=reason)
    off = tuple(BEYOND * part for part in beyond(fitted))
    half = _normal(level) * math.sqrt(sums.variance(by, off, BEND))
    if chances is not None:
        half = max(half, _student(level, len(chances) - 1) * sd)
    return Answer(value, max(value - half, 0.0), min(value + half, 1.0), flags)


def _of_labels(
    subset: Subset, fitted: Fit, measure: str, doubted: bool, chances: np.ndarray | None
) -> tuple[tuple[str, ...], str | None]:
    """Return the flags of a measure of classes, and why it has no interval."""
    agree = bool(fitted.right.all() or not fitted.right.any())
    own = class_of(subset.pool, measure)
    needed = [own] if own is not None else [] if measure == "accuracy" else subset.pool.classes
    flags = ["no_error_seen"] * agree + ["no_embeddings"] * (not fitted.columns.has_embeddings)
    flags += ["chosen_for_doubt"] * doubted
    if set(needed) - set(subset.labels.tolist()):
        flags.append("class_without_label")
    reason = None
    if not fitted.columns.has_embeddings and chances is None:
        reason = WITHOUT_EMBEDDINGS
    elif agree:
        reason = NO_CONFUSION
    elif doubted and len(subset.pool.classes) == 2:
        reason = DOUBTED_BINARY
    return tuple(flags), reason


class _Sums:
    """What a fit adds up to over the pool, with its uncertainty."""

    def __init__(self, fitted: Fit, level: float) -> None:
        self.fit, self.level, self.right = fitted, level, fitted.right
        self.size, self.n = len(fitted.chances), len(fitted.labelled)
        # how much the model moves with the log odds of each item
        self.moves = fitted.slopes * fitted.unlabelled / self.size
        self.unseen = float(fitted.unlabelled @ fitted.chances)
        self.model = (float(self.right.sum()) + self.unseen) / self.size
        of_labels = float(self.moves.sum()) / self.size
        self.variance = fitted.variance(self.moves @ fitted.columns.features) + of_labels

    def by_model(self, sampler: str | None) -> Answer:
        """Answer where the chances of the labels are not known."""
        plain = float(self.right.mean())
        correction = self.model - plain
        flags = list(self._flags())
        # what the pool holds more of than the labelled items do
        excess = self.moves.copy()
        excess[self.fit.labelled] = (1 / self.size - 1 / self.n) * self._labelled_slopes()
        gap = excess @ self.fit.columns.features
        factor = held(abs(correction), math.sqrt(self.fit.variance(gap)), HOLD_UNKNOWN)
        if is_doubted(self.fit, sampler):
            flags.append("chosen_for_doubt")
            factor = 1.0
        if abs(correction) > LARGE * math.sqrt(self.variance):
            flags.append("large_correction")
        value = plain + factor * correction
        if not self.fit.columns.has_embeddings:
            return Answer(value, flags=tuple(flags), reason=WITHOUT_EMBEDDINGS)
        unmade = ((1 - factor) * correction) ** 2
        half = _normal(self.level) * math.sqrt(self.variance + self._misfit(excess) + unmade)
        return self._within(value, value - half, value + half, flags)

    def by_design(self, chances: np.ndarray) -> Answer:
        """Answer where the chance of each label is known."""
        flags = list(self._flags())
        if self.n < 2 or not (chances < 1).any():
            reason = ONE_LABEL if self.n < 2 else ALL_CERTAIN
            return Answer(self.model, flags=tuple(flags), reason=reason)
        residuals = self.right - self.fit.left_out
        weights = 1 / chances
        weights = weights / weights.sum()
        centre = float(weights @ residuals)
        design = (self.unseen + float(self.fit.left_out.sum())) / self.size + centre
        squares = (1 - chances) * np.square(weights * (residuals - centre))
        sd = math.sqrt(self.n / (self.n - 1) * squares.sum())
        factor = held(abs(design - self.model), sd, HOLD_KNOWN)
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
            low, high = min(low, limit), 1.0
        elif not self.right.any():
            low, high = 0.0, max(high, 1 - limit)
        value = min(max(value, 0.0), 1.0)
        return Answer(value, min(max(low, 0.0), value), max(min(high, 1.0), value), tuple(flags))

    def _flags(self) -> list[str]:
        agree = self.right.all() or not self.right.any()
        return ["no_error_seen"] * bool(agree) + ["no_embeddings"] * (
            not self.fit.columns.has_embeddings
        )

    def _labelled_slopes(self) -> np.ndarray:
        return self.fit.slopes[self.fit.labelled]

    def _misfit(self, excess: np.ndarray) -> float:
        """Return the variance of what no fit shows: other slopes beyond the labels, a bend."""
        above, below = (BEYOND * float(self.moves @ part) for part in beyond(self.fit))
        bend = BEND * float(excess @ (np.square(self.fit.columns.doubt) - 1))
        return above**2 + below**2 + bend**2


def is_doubted(fitted: Fit, sampler: str | None) -> bool:
    """Return whether the labelled items are those that the model doubts."""
    return sampler == "uncertainty" or float(fitted.columns.doubt[fitted.labelled].mean()) < DOUBTED


def beyond(fitted: Fit) -> tuple[np.ndarray, np.ndarray]:
    """Return how far the confidence of each item lies above and below the labelled ones, (N,)."""
    doubt = fitted.columns.doubt
    ordered = np.sort(doubt[fitted.labelled])
    low, high = (quantile(ordered, q) for q in (0.05, 0.95))
    return np.maximum(doubt - high, 0.0), np.maximum(low - doubt, 0.0)


def held(distance: float, sd: float, hold: float) -> float:
    """Return the share of a correction that is made: none of noise, all where it is sure."""
    if distance == 0:
        return 0.0
    if sd == 0:
        return 1.0
    power = min(distance / sd, 1e3) ** 4
    return power / (hold + power)


def _normal(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))


def _student(level: float, freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))
