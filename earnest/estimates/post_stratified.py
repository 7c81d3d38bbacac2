"""Post-stratification: strata of confidence count as in the pool, whatever was labelled."""

import numpy as np

from earnest.estimates.subset import Subset
from earnest.estimates.weighted import score_under

STRATA = 4
FEWEST = 5  # labelled items a stratum: with 5, it is empty in 1 of 150 resamples


def post_stratified(
    subset: Subset, measure: str, utility: str, *, strata: int = STRATA
) -> np.ndarray | str:
    """Weigh each confidence quartile of the pool by its share of the pool.

    A labelled item of stratum h gets the weight (N_h / N) / (n_h / n). Strata that hold fewer
    than five labelled items are joined with a neighbour, which is flagged; a resample that has
    none of a stratum is undefined.

    Parameters
    ----------
    strata : int
        Equal parts of the pool by confidence; 4 for quartiles.

    References
    ----------
    Holt and Smith, Post stratification, Journal of the Royal Statistical Society A 142, 1979.
    """
    weights = subset.once(("strata", strata), _weights, strata)
    return score_under(subset, weights, measure, utility)


def _weights(subset: Subset, strata: int) -> np.ndarray:
    if strata < 1:
        raise ValueError(f"strata must be at least 1, got {strata}")
    confidence = subset.confidence
    edges = np.quantile(confidence, np.arange(1, strata) / strata)
    stratum = np.searchsorted(edges, confidence, side="left")
    joined = join_small(np.bincount(stratum[subset.labelled], minlength=strata))
    if joined[-1] < strata - 1:
        subset.flags.add("joined_strata")
    stratum = joined[stratum]
    inside = stratum[subset.labelled][:, np.newaxis] == np.arange(joined[-1] + 1)
    in_pool = np.bincount(stratum) / len(subset.pool)
    with np.errstate(divide="ignore"):
        factor = in_pool * subset.sums / (subset.counts @ inside)
    # an empty stratum has an infinite factor, which 0 counts turn into the NaN of no value
    return factor[:, stratum[subset.labelled]]


def join_small(labelled: np.ndarray, fewest: int = FEWEST) -> np.ndarray:
    """Return the new number of each stratum, joined upwards until each holds enough items.

    Parameters
    ----------
    labelled : ndarray (h,) of int
        Labelled items in each stratum, in order of confidence.
    fewest : int

    Returns
    -------
    ndarray (h,) int64
        From 0, never falling; what is left over at the top joins the stratum below.
    """
    joined = np.zeros(len(labelled), dtype=np.int64)
    number = held = 0
    for place, count in enumerate(labelled):
        joined[place] = number
        held += count
        if held >= fewest:
            number, held = number + 1, 0
    return np.minimum(joined, max(number - 1, 0))
