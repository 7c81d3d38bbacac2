"""What the labelled part leaves out: shares of the pool beyond it, and worst-case bounds."""

import numpy as np

from earnest.estimates.subset import Subset
from earnest.estimates.totals import has_form
from earnest.pools import distances
from earnest.pools.geometry import prepare_pool
from earnest.pools.neighbours import Neighbours
from earnest.pools.pool import Pool, class_of, confidences

LARGEST_MATRIX_POOL = 4_000  # items whose pairwise distances are kept for the next subset: 64 MB
REMEDY = (
    "a fifth of the labels at random, or recorded chances (uncertainty_mixed), would allow an"
    " interval"
)


def outside_confidence(pool: Pool, labelled: np.ndarray) -> float:
    """Return the share of the pool surer or less sure than every labelled item.

    Parameters
    ----------
    pool : Pool
    labelled : ndarray (n,) of int

    Returns
    -------
    float
        Of all pool items, whose confidence is the posterior of the predicted class.
    """
    confidence = confidences(pool)
    own = confidence[labelled]
    return float(((confidence < own.min()) | (confidence > own.max())).mean())


def outside_distance(
    pool: Pool, labelled: np.ndarray, neighbours: Neighbours | None = None
) -> float | None:
    """Return the share of the pool farther from any label than labelled items are apart.

    Parameters
    ----------
    pool : Pool
    labelled : ndarray (n,) of int
    neighbours : Neighbours, optional
        Of the same pool; made once, they are quicker for many subsets.

    Returns
    -------
    float or None
        Share of pool items whose Euclidean distance to the nearest labelled item is larger
        than that of every labelled item to its nearest other labelled one. None without
        embeddings or with a single labelled item.
    """
    if pool.embeddings is None or len(labelled) < 2:
        return None
    if neighbours is not None:
        nearest = neighbours.nearest_in(labelled)
        limit = nearest[labelled].max()
        nearest[labelled] = 0
        return _beyond(nearest, limit)
    geometry = prepare_pool(pool.embeddings)
    if len(pool) <= LARGEST_MATRIX_POOL:
        to_labelled = geometry.distance_matrix()[labelled]
        between, nearest = to_labelled[:, labelled], to_labelled.min(axis=0)
    else:
        points = geometry.points("euclidean")
        own = points[labelled]
        between = distances.distances(own, own)
        blocks = distances.row_blocks(len(points), len(own))
        nearest = np.hstack([distances.distances(points[b], own).min(axis=1) for b in blocks])
    np.fill_diagonal(between, np.inf)
    return _beyond(nearest, between.min(axis=1).max())


def _beyond(nearest: np.ndarray, limit: float) -> float:
    # the margin is for the single precision of a kept matrix
    return float((nearest > limit * (1 + 1e-6)).mean())


def worst_case(subset: Subset, measure: str, utility: str) -> tuple[float, float] | None:
    """Return bounds of a measure on the pool that hold whatever the unlabelled items are.

    Parameters
    ----------
    subset : Subset
    measure, utility : str

    Returns
    -------
    (float, float) or None
        Lower bound: every unlabelled prediction is wrong. Upper bound: every one is right. For
        balanced accuracy of more than two classes the lower one cannot be reached, but holds.
        None for what follows from no class totals, such as ROC AUC, and utility weights.
    """
    if not has_form(measure) or utility != "none":
        return None
    pool = subset.pool
    true, hits = (columns.sum(axis=0) for columns in subset.members())
    left = subset.predicted()[subset.unlabelled()].sum(axis=0)
    if measure == "accuracy":
        return hits.sum() / len(pool), (hits.sum() + left.sum()) / len(pool)
    # a class may hold all unlabelled items that are predicted to be another one
    most = true + left.sum() - left
    if measure == "f1":
        positive = pool.classes.index(pool.positive)
        predicted = subset.predicted().sum(axis=0)
        low = _share(2 * hits, most + predicted, 0.0)
        high = _share(2 * (hits + left), true + left + predicted, 1.0)
        return low[positive], high[positive]
    low, high = _share(hits, most, 0.0), _share(hits + left, true + left, 1.0)
    if measure == "balanced_accuracy":
        return low.mean(), high.mean()
    own = pool.classes.index(class_of(pool, measure))
    return low[own], high[own]


def _share(part: np.ndarray, whole: np.ndarray, otherwise: float) -> np.ndarray:
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1), otherwise)


def in_words(reason: str, measure: str, bounds: tuple[float, float] | None) -> str:
    """Return the plain statement about a sampler without chances, with bounds and a remedy."""
    if bounds is not None:
        name = measure.replace("_", " ").replace(":", " of ").replace("f1", "F1")
        low, high = bounds
        reason += f"; whatever the rest is, {name} lies in {low:.3f} to {high:.3f}"
    return f"{reason}; {REMEDY}"
