"""What stands in for all pairs of a pool where there are too many of them."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from earnest.pools import checks
from earnest.pools.geometry import PoolGeometry, prepare_pool
from earnest.pools.large import squared_distances
from earnest.samplers import medoids

# All distances of a part are kept: 900 MB of float32.
_LARGEST_PART = 15_000


def kmedoids_clara(
    embeddings: "ArrayLike | PoolGeometry",
    n: int,
    *,
    posteriors: ArrayLike | None = None,
    rng: np.random.Generator,
    samples: int = 5,
    sample_size: int | None = None,
) -> np.ndarray:
    """Choose as `kmedoids` does in random parts of the pool, and keep the best of them (CLARA).

    Parameters
    ----------
    embeddings, n, posteriors
        As in `kmedoids`, for a pool of any size.
    rng : numpy.random.Generator
        Draws the parts and their first medoids.
    samples : int
        Number of parts.
    sample_size : int, optional
        Items in each, at least n; by default 40 + 4 n. Never more than the pool holds.

    Returns
    -------
    numpy.ndarray, shape (n,), int64
        Distinct rows, ascending: those of the part whose medoids are nearest to the whole pool.

    Raises
    ------
    ValueError
        If n > N, if the embeddings cannot be used, or if a part is smaller than n or larger
        than 15,000 items.
    """
    pool = prepare_pool(embeddings)
    n, samples = checks.check_size(n, len(pool)), checks.check_count("samples", samples)
    wanted = 40 + 4 * n if sample_size is None else checks.check_count("sample_size", sample_size)
    wanted = min(wanted, len(pool))
    if not n <= wanted <= _LARGEST_PART:
        raise ValueError(f"sample_size must be from {n} to {_LARGEST_PART}, got {wanted}")
    return clara(
        pool.embeddings,
        n,
        samples=samples,
        sample_size=wanted,
        rng=rng,
        settle=lambda part, start: medoids.of_pool(PoolGeometry(part), start),
    )


def clara(
    embeddings: np.ndarray,
    n: int,
    *,
    samples: int,
    sample_size: int,
    rng: np.random.Generator,
    settle: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> np.ndarray:
    """Return the best medoids of several random parts of a pool, judged on all of it.

    Parameters
    ----------
    embeddings : numpy.ndarray, shape (N, d)
        Raw.
    n : int
        Medoids, at most `sample_size`.
    samples, sample_size : int
        Number of parts, and items in each.
    rng : numpy.random.Generator
        Draws the parts and their first medoids.
    settle : callable
        From the embeddings of a part and first medoids to settled medoids, all rows of the part.

    Returns
    -------
    numpy.ndarray, shape (n,), int64
        Ascending.

    References
    ----------
    Kaufman and Rousseeuw, Finding groups in data, Wiley, 1990, chapter 3.
    """
    best, least = np.empty(0, dtype=np.int64), np.inf
    for _ in range(samples):
        part = np.sort(rng.choice(len(embeddings), size=sample_size, replace=False))
        start = rng.choice(sample_size, size=n, replace=False)
        medoids = part[settle(embeddings[part], start)]
        loss = sum(
            np.sqrt(squared.min(axis=1)).sum()
            for _, squared in squared_distances(embeddings, medoids)
        )
        if loss < least:
            best, least = medoids, loss
    return best
