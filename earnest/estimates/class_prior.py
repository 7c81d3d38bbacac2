"""Class-prior reweighting: classes count as in the pool, as far as their shares can be told."""

import numpy as np

from earnest.estimates.subset import Subset
from earnest.estimates.weighted import score_under


def class_prior(subset: Subset, measure: str, utility: str) -> np.ndarray | str:
    """Weigh each labelled item by its class's share of the pool over its share of the subset.

    The share of the pool is the mean posterior over the pool plus the mean residual on the
    subset (1[y = c] - p(c|x)), not below 0. What depends only on what happens inside a class,
    recall and balanced accuracy, stays as it was.

    References
    ----------
    Saerens, Latinne and Decaestecker, Adjusting the outputs of a classifier to new a priori
    probabilities, Neural Computation 14, 2002, for the weights; the shares are estimated as
    prediction-powered inference does.
    """
    weights = subset.once("class prior", _weights)
    return score_under(subset, weights, measure, utility)


def _weights(subset: Subset) -> np.ndarray:
    """Return the weight of each labelled item in each resample, (b, n)."""
    true, _ = subset.members()
    share = subset.counts / subset.sums
    of_subset = share @ true
    believed = share @ subset.pool.posteriors[subset.labelled]
    of_pool = subset.pool.posteriors.mean(axis=0) + of_subset - believed
    if (true.sum(axis=0) == 0).any():
        subset.flags.add("class_without_label")
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.where(of_subset > 0, np.maximum(of_pool, 0) / of_subset, 0)
    return weights @ true.T
