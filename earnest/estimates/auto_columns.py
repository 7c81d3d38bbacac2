"""The label-free columns of the estimator `auto`, computed once for a pool."""

from dataclasses import dataclass

import numpy as np

from earnest.pools import large, nearest
from earnest.pools.geometry import DENSITY_REFERENCES, PoolGeometry, prepare_pool
from earnest.pools.pool import Pool, confidences
from earnest.rng import generator

NEIGHBOURS = 10
COMPONENTS = 10
LARGEST_LOG_ODDS = 4.0  # of a confidence, before it is averaged over neighbours

# Prior of the intercept, of a predicted class and of a principal component: mean 0, these SDs.
INTERCEPT_SD = 5.0
CLASS_SD = 0.4
COMPONENT_SD = 0.5
# A slope varies over pools as the 16 show, less what their own errors add, and a little more.
SLOPE_SHARE, SLOPE_EXTRA = 0.6, 0.02

# Mean and SD over 16 pools of the slopes of doubt, nbz, agree, share, dens and cen.
SLOPES = (
    (0.57, 0.38),
    (0.46, 0.63),
    (0.43, 0.54),
    (-0.55, 0.63),
    (-0.04, 0.37),
    (-0.17, 0.34),
)
# The same of doubt and share where there are no embeddings.
SLOPES_WITHOUT_EMBEDDINGS = ((0.94, 0.47), (-0.45, 0.57))


@dataclass(frozen=True)
class Columns:
    """Label-free columns of a pool of N items, with the prior of their slopes.

    Attributes
    ----------
    features : ndarray (N, p) float64
        A column of ones; the normal score of the confidence; of the 10 nearest other items the
        mean log odds of their confidence (cut at 4) and the share with the same prediction, both
        standardised; the normal scores of how many items have the same prediction, of the mean
        distance to the neighbours and of the length of the standardised embedding; one column
        for each predicted class; up to 10 principal components, together of mean squared length
        1. Without embeddings: ones, confidence, number of equal predictions, classes.
    prior_means, prior_variances : ndarray (p,)
    doubt : ndarray (N,)
        The normal score of the confidence: low where the model doubts.
    has_embeddings : bool
    """

    features: np.ndarray
    prior_means: np.ndarray
    prior_variances: np.ndarray
    doubt: np.ndarray
    has_embeddings: bool


def columns_of(pool: Pool) -> Columns:
    """Compute the columns of a pool.

    In pools of more than 5,000 items, neighbours are the nearest of 2,000 reference items, which
    are the same for every pool of one size.
    """
    confidence = confidences(pool)
    _, predicted, counts = np.unique(pool.predictions, return_inverse=True, return_counts=True)
    doubt, share = normal_score(confidence), normal_score(counts[predicted])
    classes = (predicted[:, np.newaxis] == np.arange(len(counts))).astype(np.float64)
    if pool.embeddings is None:
        slopes, measured, components = SLOPES_WITHOUT_EMBEDDINGS, [doubt, share], None
    else:
        geometry = geometry_of(pool)
        around = _around(pool, confidence, predicted)
        slopes, measured = SLOPES, [doubt, around[0], around[1], share, *around[2:]]
        components = _unit_components(geometry)
    groups = [np.ones((len(pool), 1)), np.column_stack(measured), classes]
    groups += [] if components is None else [components]
    means = np.zeros(sum(group.shape[1] for group in groups))
    variances = np.full(len(means), COMPONENT_SD**2)
    variances[0] = INTERCEPT_SD**2
    first, last = 1 + len(slopes), 1 + len(slopes) + len(counts)
    means[1:first] = [mean for mean, _ in slopes]
    variances[1:first] = [SLOPE_SHARE * sd**2 + SLOPE_EXTRA for _, sd in slopes]
    variances[first:last] = CLASS_SD**2
    features = np.ascontiguousarray(np.concatenate(groups, axis=1))
    return Columns(features, means, variances, doubt, components is not None)


def nearest_of(pool: Pool) -> nearest.Nearest:
    """Return the nearest other items of every item of a pool with embeddings, kept with it."""
    geometry = geometry_of(pool)
    return geometry.shared(("nearest", NEIGHBOURS), lambda: _nearest(geometry))


def geometry_of(pool: Pool) -> PoolGeometry:
    """Return the geometry of a pool with embeddings, made once."""
    return pool.once("geometry", lambda: prepare_pool(pool.embeddings))


def normal_score(values: np.ndarray) -> np.ndarray:
    """Return the normal quantile of (rank - 1/2) / N of each value; ties share their mean rank."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    return ndtri((rankdata(values) - 0.5) / len(values))


def _standardised(values: np.ndarray) -> np.ndarray:
    centred = values - values.mean()
    sd = float(np.sqrt(np.mean(np.square(centred))))
    # what is left of a constant by rounding is no column
    return centred / sd if sd > 1e-12 else np.zeros(len(values))


def _around(pool: Pool, confidence: np.ndarray, predicted: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the columns nbz, agree, dens and cen."""
    if len(pool) < 2:
        return (np.zeros(len(pool)),) * 4
    near = nearest_of(pool)
    with np.errstate(divide="ignore"):
        log_odds = np.log(confidence) - np.log1p(-confidence)
    log_odds = np.clip(log_odds, -LARGEST_LOG_ODDS, LARGEST_LOG_ODDS)
    alike = predicted[near.items] == predicted[:, np.newaxis]
    return (
        _standardised(log_odds[near.items].mean(axis=1)),
        _standardised(alike.mean(axis=1)),
        normal_score(near.means),
        normal_score(_lengths(geometry_of(pool))),
    )


def _nearest(geometry: PoolGeometry) -> nearest.Nearest:
    if geometry.holds_all_pairs:
        return nearest.nearest_items(geometry.points(), NEIGHBOURS)
    rng = generator(0, "density references")
    references = np.sort(rng.permutation(len(geometry))[:DENSITY_REFERENCES])
    return nearest.nearest_references(geometry.embeddings, references, NEIGHBOURS)


def _lengths(geometry: PoolGeometry) -> np.ndarray:
    rows = geometry.standardised_rows
    if isinstance(rows, large.Standardised):
        return np.concatenate([np.linalg.norm(part, axis=1) for _, part in rows.blocks()])
    return np.linalg.norm(rows, axis=1)


def _unit_components(geometry: PoolGeometry) -> np.ndarray:
    """Return the leading principal scores, scaled to a mean squared length of 1."""
    scores = geometry.scores(COMPONENTS)
    if scores.shape[1] == 0:
        return scores
    return scores / np.sqrt(np.square(scores).sum(axis=1).mean())
