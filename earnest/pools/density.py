"""Standardisation, principal components, and Gaussian kernel sums in log space."""

import math

import numpy as np

from earnest.pools.distances import row_blocks


def standardise(embeddings: np.ndarray) -> np.ndarray:
    """Return embeddings with column means 0 and standard deviations 1 (ddof 0).

    A constant column has standard deviation 0, which counts as 1: it becomes exactly 0.
    Constant means that its smallest and largest value are equal; the computed standard
    deviation would be rounding noise, and dividing by it would make noise a feature.

    Parameters
    ----------
    embeddings : numpy.ndarray, shape (N, d)
        Finite values.

    Returns
    -------
    numpy.ndarray, shape (N, d), float64
    """
    points = np.array(embeddings, dtype=np.float64)
    constant = points.min(axis=0) == points.max(axis=0)
    points -= points.mean(axis=0)
    points[:, constant] = 0.0
    # In units of the largest deviation first: the squares of tiny values would vanish.
    largest = np.abs(points).max(axis=0)
    points /= np.where(constant, 1.0, largest)
    points /= np.where(constant, 1.0, np.sqrt(np.mean(np.square(points), axis=0)))
    return points


def principal_scores(standardised: np.ndarray, components: int) -> np.ndarray:
    """Project standardised points on their leading principal components, without whitening.

    The components come from a full singular value decomposition (of the triangular factor
    of a QR decomposition, which has the same right singular vectors and is smaller).

    Parameters
    ----------
    standardised : numpy.ndarray, shape (N, d), float64
        Column means 0.
    components : int
        How many are wanted; fewer are returned where the numerical rank is smaller.

    Returns
    -------
    numpy.ndarray, shape (N, min(components, rank)), float64
        No columns at all when every point is the same.
    """
    triangular = np.linalg.qr(standardised, mode="r")
    _, singular, directions = np.linalg.svd(triangular, full_matrices=False)
    noise = singular[0] * max(standardised.shape) * np.finfo(np.float64).eps
    used = min(components, int(np.count_nonzero(singular > noise)))
    return np.ascontiguousarray(standardised @ directions[:used].T)


def scott_bandwidth(size: int, dimension: int) -> float:
    """Return size^(-1 / (dimension + 4)), Scott's rule for data in units of its spread."""
    return float(size ** (-1.0 / (dimension + 4)))


def log_kernel_sums(points: np.ndarray, rows: np.ndarray, bandwidth: float) -> np.ndarray:
    """Return the log of the summed Gaussian kernels of all points, at some of the points.

    Every point is part of its own sum (no leave-one-out), and its own kernel, exp(0), is
    the largest: the sum is at least 1, so its logarithm needs no shift and is never -inf.

    Parameters
    ----------
    points : numpy.ndarray, shape (m, c), float64
        c may be 0: then all points coincide.
    rows : numpy.ndarray of int, shape (q,)
        Where to evaluate.
    bandwidth : float
        Standard deviation of the isotropic kernel, in the unit of the points.

    Returns
    -------
    numpy.ndarray, shape (q,), float64
        log sum_j exp(-|z_i - z_j|^2 / (2 h^2)), from 0 to log m.
    """
    from scipy.spatial.distance import cdist

    sums = np.empty(len(rows))
    if points.shape[1] == 0:
        sums.fill(math.log(len(points)))
        return sums
    scaled = points / (bandwidth * math.sqrt(2.0))
    for block in row_blocks(len(rows), len(points)):
        kernels = cdist(scaled[rows[block]], scaled, "sqeuclidean")
        np.negative(kernels, out=kernels)
        np.exp(kernels, out=kernels)
        sums[block] = np.log(kernels.sum(axis=1))
    return sums


def squared_distances(points: np.ndarray) -> np.ndarray:
    """Return all squared Euclidean distances, (m, m) float64; 0 where points have no columns."""
    from scipy.spatial.distance import cdist

    if points.shape[1] == 0:
        return np.zeros((len(points), len(points)))
    return cdist(points, points, "sqeuclidean")


def log_density(kernel_sums: np.ndarray, size: int, dimension: int, bandwidth: float) -> np.ndarray:
    """Turn log kernel sums of `size` points into log densities of the Gaussian estimate."""
    volume = dimension * (math.log(bandwidth) + 0.5 * math.log(2 * math.pi))
    return kernel_sums - math.log(size) - volume
