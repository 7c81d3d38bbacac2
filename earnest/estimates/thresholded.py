"""Average thresholded confidence (ATC): how much of the pool is surer than a threshold."""

import numpy as np

from earnest.estimates.subset import Subset
from earnest.pools.pool import why_not_applicable


def atc(subset: Subset, measure: str, utility: str) -> np.ndarray | str:
    """Estimate accuracy by the share of the pool whose confidence exceeds a threshold.

    The threshold is the one that as many labelled items exceed as are predicted rightly. Items
    with just its confidence count in part, so that equal confidences leave no gap.

    References
    ----------
    Garg, Balakrishnan, Lipton, Neyshabur and Sedghi, Leveraging unlabeled data to predict
    out-of-distribution performance, ICLR 2022, with the largest confidence as score.
    """
    reason = why_not_applicable(subset.pool, measure, utility)
    if reason:
        return reason
    if measure != "accuracy" or utility != "none":
        return "ATC estimates plain accuracy only: it does not say which items are wrong"
    return subset.once("atc", _share_above)


def _share_above(subset: Subset) -> np.ndarray:
    # groups of equal confidence, the surest first
    levels, group = np.unique(-subset.confidence[subset.labelled], return_inverse=True)
    inside = (group[:, np.newaxis] == np.arange(len(levels))).astype(np.float64)
    counts = subset.counts @ inside
    right = subset.counts @ subset.correct
    upto = np.cumsum(counts, axis=1)
    # the first group by which enough items are above, of those that the resample holds
    reached = (upto >= right[:, np.newaxis] - 1e-9) & (counts > 0)
    place = reached.argmax(axis=1)
    row = np.arange(len(counts))
    before = upto[row, place] - counts[row, place]
    part = (right - before) / counts[row, place]
    ordered = np.sort(-subset.confidence)
    above = np.searchsorted(ordered, levels[place], side="left")
    equal = np.searchsorted(ordered, levels[place], side="right") - above
    return (above + part * equal) / len(ordered)
