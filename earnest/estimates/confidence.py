"""Estimates that correct what the posteriors say of the whole pool, or take it as it is."""

import numpy as np

from earnest.estimates.subset import Subset
from earnest.estimates.totals import Totals, from_totals, one_item, why_no_totals


def average_confidence(subset: Subset, measure: str, utility: str) -> np.ndarray | str:
    """Believe the posteriors: class totals are sums of posteriors over the pool, no label counts.

    Accuracy becomes the mean posterior of the predicted classes.
    """
    reason = why_no_totals(subset.pool, measure, utility, "average confidence")
    if reason:
        return reason
    hits, true = subset.once("believed", _believed)
    rows = (len(subset.resamples), 1)
    totals = Totals(np.tile(hits, rows), np.tile(true, rows), subset.predicted().sum(axis=0), 1e-9)
    return from_totals(measure, totals, subset.pool)


def difference(subset: Subset, measure: str, utility: str) -> np.ndarray | str:
    """Correct what the posteriors say of the whole pool by their mean residual on the subset.

    With T_ab the pool's confusion total of true class a and predicted class b, estimated as
    sum_D p(a|x) 1[pred = b] + (N/n) sum_L (1[y = a] - p(a|x)) 1[pred = b], accuracy is
    trace(T) / N, balanced accuracy and F1 follow from T as usual. The last two are undefined
    when the total they divide by is less than N/n, what one labelled item stands for: noise
    then outweighs the class.
    """
    reason = why_no_totals(subset.pool, measure, utility, "difference")
    if reason:
        return reason
    totals = subset.once("difference", _corrected, np.ones((len(subset.resamples), 1)))
    return from_totals(measure, totals, subset.pool)


def ppi(subset: Subset, measure: str, utility: str) -> np.ndarray | str:
    """Correct as `difference` does, with as much of the posteriors as they are worth (PPI++).

    The part lambda of them, between 0 and 1, is the one that makes the sum of the variances of
    all estimated totals smallest: of the one total of right predictions for accuracy, of all
    class totals for the other measures. It is tuned anew in every resample.

    References
    ----------
    Angelopoulos, Duchi and Zrnic, PPI++: efficient prediction-powered inference, 2023,
    section 6 (power tuning); the unlabelled data are the pool items outside the subset.
    """
    reason = why_no_totals(subset.pool, measure, utility, "PPI++")
    if reason:
        return reason
    if measure == "accuracy":
        return subset.once("ppi accuracy", _ppi_accuracy)
    totals = subset.once("ppi", lambda one: _corrected(one, _trust(one, *_all_totals(one))))
    return from_totals(measure, totals, subset.pool)


def _believed(subset: Subset) -> tuple[np.ndarray, np.ndarray]:
    posteriors = subset.pool.posteriors
    return (posteriors * subset.predicted()).sum(axis=0), posteriors.sum(axis=0)


def _corrected(subset: Subset, trust: np.ndarray) -> Totals:
    """Return trust x (believed totals) + (N/n) sum_L (truth - trust x belief); trust is (b, 1)."""
    pool, rows = subset.pool, subset.labelled
    true, hits = subset.members()
    believed = np.hstack([pool.posteriors[rows] * subset.predicted()[rows], pool.posteriors[rows]])
    both = subset.means(np.hstack([hits, true])) - trust * subset.means(believed)
    both *= len(pool)
    both += trust * np.hstack(subset.once("believed", _believed))
    return Totals(
        *np.hsplit(both, 2), subset.predicted().sum(axis=0), one_item(len(pool), len(rows))
    )


def _all_totals(subset: Subset) -> tuple[np.ndarray, np.ndarray]:
    """Return what each labelled item adds to the totals, and is believed to add in the pool."""
    true, hits = subset.members()
    posteriors = subset.pool.posteriors
    return np.hstack([hits, true]), np.hstack([posteriors * subset.predicted(), posteriors])


def _ppi_accuracy(subset: Subset) -> np.ndarray:
    truth, belief = subset.correct.astype(np.float64), subset.confidence
    trust = _trust(subset, truth[:, np.newaxis], belief[:, np.newaxis])[:, 0]
    told, believed = subset.means(np.column_stack([truth, belief[subset.labelled]])).T
    return told + trust * (belief.mean() - believed)


def _trust(subset: Subset, truth: np.ndarray, belief: np.ndarray) -> np.ndarray:
    """Return the tuned part of the belief that corrects the mean over the pool, (b, 1).

    PPI++ adds lambda (mean over the unlabelled - mean over the labelled), which is
    lambda N / (N - n) times (mean over the pool - mean over the labelled).
    """
    n, size = len(subset.labelled), len(subset.pool)
    if n == size:
        return np.ones((len(subset.resamples), 1))  # nothing is left to correct
    own = belief[subset.labelled]
    moments = subset.means(truth) * subset.means(own)
    covariance = (subset.means(truth * own) - moments).sum(axis=1, keepdims=True)
    # 1 + n / (N - n) = N / (N - n)
    spread = belief.var(axis=0, ddof=1).sum() * size / (size - n)
    if spread < 1e-15:
        return np.zeros((len(subset.resamples), 1))  # the same belief everywhere corrects nothing
    return np.clip(covariance / spread, 0, 1) * size / (size - n)
