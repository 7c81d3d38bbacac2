"""Density ratios without densities: relative least-squares fitting, kernel mean matching."""

import math
from collections.abc import Iterable

import numpy as np

# Ratios below this count as this: a weight of nothing has no logarithm.
SMALLEST_RATIO = 1e-12

# Items whose pairwise distances give the usual kernel width, and on which ratios are built.
_CENTRES = 100

# What cross-validation chooses from: kernel widths in units of the usual one, penalties.
_WIDTHS = (0.5, 1.0, 2.0)
_PENALTIES = (1e-3, 1e-2, 1e-1, 1.0)
_FOLDS = 5

# Number, sum and product sums of the rows of a fold.
_Sums = tuple[int, np.ndarray, np.ndarray]

# Rows of features at once; fixed, so that sums never depend on the memory at hand.
_ROWS = 2**14

_SMALLEST_CHANGE = 1e-10
_ITERATIONS = 20_000


def centres(scores: np.ndarray) -> np.ndarray:
    """Return up to 100 pool items, spread evenly over its rows, shape (b, c)."""
    rows = np.linspace(0, len(scores) - 1, min(_CENTRES, len(scores)))
    return scores[np.rint(rows).astype(np.int64)]


def usual_bandwidth(scores: np.ndarray) -> float:
    """Return the median distance between two of the centres; 1 where that is 0."""
    from scipy.spatial.distance import pdist

    some = centres(scores)
    between = pdist(some) if len(some) > 1 and some.shape[1] else np.zeros(1)
    return float(np.median(between)) or 1.0


def gaussian(some: np.ndarray, others: np.ndarray, bandwidth: float) -> np.ndarray:
    """Return exp(-d^2 / (2 h^2)) between two sets of points, shape (a, b)."""
    from scipy.spatial.distance import cdist

    if some.shape[1] == 0:
        return np.ones((len(some), len(others)))
    squared = cdist(some, others, "sqeuclidean")
    squared *= -0.5 / bandwidth**2
    return np.exp(squared, out=squared)


def relative_ratio(
    scores: np.ndarray,
    labelled: np.ndarray,
    *,
    alpha: float,
    bandwidth: float | None = None,
    penalty: float | None = None,
) -> np.ndarray:
    """Return the relative density ratio p_D / (alpha p_D + (1 - alpha) p_L) at labelled items.

    The ratio is 1 + theta . (phi(x) - m), with phi Gaussian kernels at the `centres` and m
    their mean under the mixture; theta minimises E_mix[r^2] / 2 - E_D[r] + penalty |theta|^2 / 2,
    so theta = (S + penalty I)^-1 (m_D - m) with S the covariance of phi under the mixture.
    This is RuLSIF with a constant that is not penalised: no evidence gives 1, and L = D exactly 1.

    Parameters
    ----------
    scores : numpy.ndarray, shape (N, c), float64
        Of the whole pool.
    labelled : numpy.ndarray of int, shape (n,)
        Distinct rows, ascending.
    alpha : float
        From 0 to below 1; the ratio is at most 1 / alpha.
    bandwidth, penalty : float, optional
        By default those with the least objective in 5-fold cross-validation: .5, 1 or 2 times
        the `usual_bandwidth`, and .001, .01, .1 or 1.

    Returns
    -------
    numpy.ndarray, shape (n,), float64
        At least 1e-12.

    References
    ----------
    Yamada, Suzuki, Kanamori, Hachiya, Sugiyama: Relative density-ratio estimation for robust
    distribution comparison, Neural Computation 25, 2013.
    """
    usual = usual_bandwidth(scores)
    widths = [w * usual for w in _WIDTHS] if bandwidth is None else [bandwidth]
    penalties = _PENALTIES if penalty is None else (penalty,)
    least: float = math.inf
    chosen: tuple[_Moments, float] | None = None
    for width in widths:
        moments = _Moments(scores, labelled, width, alpha)
        for one, loss in zip(penalties, moments.losses(penalties), strict=True):
            if loss < least:
                least, chosen = loss, (moments, one)
        if chosen is None:  # a single labelled item leaves nothing to validate on
            chosen = moments, penalties[-1]
    assert chosen is not None  # there is a width at least
    best, best_penalty = chosen
    return np.maximum(best.ratio(best_penalty), SMALLEST_RATIO)


class _Moments:
    """Sums, means and products of the kernels of both sides, by fold and in all."""

    def __init__(
        self, scores: np.ndarray, labelled: np.ndarray, bandwidth: float, alpha: float
    ) -> None:
        self.alpha = alpha
        middles = centres(scores)
        self.folds = min(_FOLDS, len(labelled))
        self.labelled = gaussian(scores[labelled], middles, bandwidth)
        self.pool = self._by_fold(
            gaussian(scores[at : at + _ROWS], middles, bandwidth)
            for at in range(0, len(scores), _ROWS)
        )
        self.subset = self._by_fold(
            self.labelled[at : at + _ROWS] for at in range(0, len(labelled), _ROWS)
        )

    def _by_fold(self, parts: Iterable[np.ndarray]) -> list[_Sums]:
        """Return the number, the sum and the product sums of the rows of each fold."""
        found: list[_Sums] = [(0, np.zeros(()), np.zeros(()))] * self.folds
        before = 0
        for part in parts:
            for fold in range(self.folds):
                own = part[(fold - before) % self.folds :: self.folds]
                count, total, products = found[fold]
                found[fold] = (
                    count + len(own), total + own.sum(axis=0), products + own.T @ own
                )  # fmt: skip
            before += len(part)
        return found

    def _means(self, side: list[_Sums], folds: list[int]) -> tuple[np.ndarray, np.ndarray]:
        count = sum(side[fold][0] for fold in folds)
        total = sum((side[fold][1] for fold in folds), start=np.zeros(()))
        products = sum((side[fold][2] for fold in folds), start=np.zeros(()))
        return total / count, products / count

    def _mixed(self, folds: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return m_D, m and the second moments under the mixture."""
        (pool, pool_products), (subset, subset_products) = (
            self._means(self.pool, folds),
            self._means(self.subset, folds),
        )
        mean = pool + (1.0 - self.alpha) * (subset - pool)
        products = self.alpha * pool_products + (1.0 - self.alpha) * subset_products
        return pool, mean, products

    def _solve(self, folds: list[int], penalty: float) -> tuple[np.ndarray, np.ndarray]:
        """Return theta and the constant of the ratio, 1 - theta . m."""
        pool, mean, products = self._mixed(folds)
        spread = products - np.outer(mean, mean) + penalty * np.eye(len(mean))
        theta = np.linalg.solve(spread, pool - mean)
        return theta, 1.0 - theta @ mean

    def losses(self, penalties: tuple[float, ...]) -> list[float]:
        """Return the cross-validated objective of every penalty; infinite without folds."""
        if self.folds < 2:
            return [math.inf] * len(penalties)
        totals = [0.0] * len(penalties)
        for fold in range(self.folds):
            others = [one for one in range(self.folds) if one != fold]
            pool, mean, products = self._mixed([fold])
            for number, penalty in enumerate(penalties):
                theta, constant = self._solve(others, penalty)
                squares = theta @ products @ theta + 2 * constant * (theta @ mean) + constant**2
                totals[number] += float(squares / 2 - (theta @ pool + constant))
        return totals

    def ratio(self, penalty: float) -> np.ndarray:
        """Return the ratio at the labelled items, fitted on all folds."""
        theta, constant = self._solve(list(range(self.folds)), penalty)
        if not theta.any():
            return np.ones(len(self.labelled))
        return self.labelled @ theta + constant


def mean_matching(
    scores: np.ndarray,
    labelled: np.ndarray,
    *,
    bandwidth: float | None = None,
    bound: float,
    ridge: float,
) -> np.ndarray:
    """Return weights of mean 1 that bring the labelled items' kernel mean to the pool's.

    Minimises |mean_i w_i phi(x_i) - mean_D phi|^2 n^2 / 2 + ridge |w - 1|^2 / 2 under
    0 <= w <= bound and mean w = 1, by accelerated projected gradients from w = 1.

    Parameters
    ----------
    scores : numpy.ndarray, shape (N, c), float64
        Of the whole pool.
    labelled : numpy.ndarray of int, shape (n,)
        Distinct rows, ascending.
    bandwidth : float, optional
        Of the Gaussian kernel; by default the `usual_bandwidth`.
    bound : float
        Largest weight, above 1.
    ridge : float
        Above 0. Without it the problem has no unique solution, and the weights none either.

    Returns
    -------
    numpy.ndarray, shape (n,), float64
        At least 1e-12.

    Raises
    ------
    ArithmeticError
        If weights still move by more than 1e-10 after 20,000 steps.

    References
    ----------
    Gretton, Smola, Huang, Schmittfull, Borgwardt, Schoelkopf: Covariate shift by kernel mean
    matching, in: Dataset shift in machine learning, MIT Press, 2009 (without the ridge).
    """
    width = usual_bandwidth(scores) if bandwidth is None else bandwidth
    points, n, size = scores[labelled], len(labelled), len(scores)
    kernels = gaussian(points, points, width)
    target = np.zeros(n)
    for at in range(0, size, _ROWS):
        part = gaussian(points, scores[at : at + _ROWS], width)
        target += part @ np.ones(part.shape[1])
    target *= n / size
    weights = ahead = np.ones(n)
    steepest, momentum = float(kernels.sum(axis=1).max()) + ridge, 1.0
    for _ in range(_ITERATIONS):
        gradient = kernels @ ahead - target + ridge * (ahead - 1.0)
        moved = _project(ahead - gradient / steepest, bound)
        change, uphill = moved - weights, (ahead - moved) @ (moved - weights) > 0
        momentum_next = 1.0 if uphill else (1.0 + math.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        share = 0.0 if uphill else (momentum - 1.0) / momentum_next
        weights, ahead, momentum = moved, moved + share * change, momentum_next
        if np.abs(change).max() <= _SMALLEST_CHANGE:
            return np.maximum(weights, SMALLEST_RATIO)
    raise ArithmeticError(f"kernel mean matching did not converge in {_ITERATIONS} steps")


def _project(values: np.ndarray, bound: float) -> np.ndarray:
    """Return the nearest point with 0 <= w <= bound and mean 1: a shift, then a cut."""
    if values.min() >= 0 and values.max() <= bound:
        shifted = values - (values.mean() - 1.0)
        if shifted.min() >= 0 and shifted.max() <= bound:
            return shifted
    low, high = values.min() - bound, values.max()
    for _ in range(100):  # halves an interval down to the last bit
        middle = (low + high) / 2
        if np.clip(values - middle, 0.0, bound).mean() > 1.0:
            low = middle
        else:
            high = middle
    return np.clip(values - high, 0.0, bound)
