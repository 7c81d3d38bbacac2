"""Which items to label next for the tightest estimate, and how many labels it would take."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from earnest.estimates.calibrated import chances_of_right
from earnest.pools.pool import Pool, confidences

UNIFORM_SHARE = 0.5


@dataclass(frozen=True)
class Residuals:
    """What is expected of right (1) or wrong (0) less the confidence, item by item.

    Attributes
    ----------
    right : ndarray (N,) float64
        Chance that the prediction is right, by Platt scaling on the labelled items.
    mean, square : ndarray (N,) float64
        Expected residual, right - confidence, and expected square, right (1 - right) + mean^2.
    """

    right: np.ndarray
    mean: np.ndarray
    square: np.ndarray


def expected_residuals(pool: Pool, labelled: np.ndarray, labels: np.ndarray) -> Residuals:
    """Return the residuals of accuracy that the labelled items lead one to expect."""
    right = chances_of_right(pool, labelled, labels)
    mean = right - confidences(pool)
    return Residuals(right, mean, right * (1 - right) + mean**2)


def inclusion(
    square: np.ndarray, count: int, *, uniform_share: float = UNIFORM_SHARE
) -> np.ndarray:
    """Return the chances of inclusion under which `count` labels tell most.

    Parameters
    ----------
    square : ndarray (M,) float64
        Expected squared residuals of the items that have no label.
    count : int
        From 1 to M.
    uniform_share : float
        Share of pure chance, above 0: what keeps the weight of an item that turns out to be a
        surprise below M / (uniform_share x count).

    Returns
    -------
    ndarray (M,) float64
        In proportion to uniform_share / M + (1 - uniform_share) s / sum(s), s the root of
        `square`; summing to `count`, with those that would exceed 1 at 1.

    References
    ----------
    Särndal, Swensson and Wretman, Model assisted survey sampling, 1992, section 12.2: chances in
    proportion to the standard deviation of the residuals are optimal. Zrnic and Candès, Active
    statistical inference, ICML 2024, for the mixture with pure chance.
    """
    size = len(square)
    if not 1 <= count <= size:
        raise ValueError(f"{count} items cannot be drawn from {size}")
    if not 0 < uniform_share <= 1:
        raise ValueError(f"uniform_share must be above 0 and at most 1, got {uniform_share}")
    spread = np.sqrt(square)
    spread = spread if spread.sum() > 0 else np.ones(size)
    wish = uniform_share / size + (1 - uniform_share) * spread / spread.sum()
    chances = np.minimum(1, count * wish)
    # what the items at 1 do not use goes to the others, of which some may then reach 1
    while True:
        free = chances < 1
        left = count - (size - free.sum())
        if not free.any() or abs(chances[free].sum() - left) <= 1e-9 * count:
            return chances
        chances[free] = np.minimum(1, left * wish[free] / wish[free].sum())


def draw(chances: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw items with given chances of inclusion, a fixed number of them.

    Parameters
    ----------
    chances : ndarray (M,) float64
        Above 0, at most 1, summing to a whole number n.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray (n,) int64
        Distinct rows, in random order: the first k of them have chances k / n times as large.

    References
    ----------
    Systematic sampling from a list in random order: Madow, On the theory of systematic sampling,
    II, Annals of Mathematical Statistics 20, 1949; Hartley and Rao, Sampling with unequal
    probabilities and without replacement, the same 33, 1962.
    """
    count = round(float(chances.sum()))
    order = rng.permutation(len(chances))
    reached = np.cumsum(chances[order])
    # rounding of the sum must not cost or add an item
    reached *= count / reached[-1]
    points = rng.random() + np.arange(count)
    found = order[np.searchsorted(reached, points, side="right")]
    return rng.permutation(found).astype(np.int64)


def half_width(
    residuals: Residuals, rest: np.ndarray, count: int, z: float, *, chances: np.ndarray
) -> float:
    """Return the expected half-width of the interval of accuracy after `count` further labels.

    Parameters
    ----------
    residuals : Residuals
    rest : ndarray (M,) of int
        Pool rows without a label; the labelled ones count as known.
    count : int
    z : float
        Quantile of the normal distribution.
    chances : ndarray (M,) float64
        Chances of inclusion of the rest.

    Notes
    -----
    The variance of the difference estimator under a draw of fixed size by Hájek's approximation,
    sum c (1 - c) (e / c - B)^2 with B = sum (1 - c) e / sum c (1 - c), c the chances, in
    expectation over the residuals e.
    """
    mean, square = residuals.mean[rest], residuals.square[rest]
    out = 1 - chances
    if not (out > 0).any():
        return 0.0
    variance = (out * square / chances).sum() - (out * mean).sum() ** 2 / (chances * out).sum()
    return z * math.sqrt(max(variance, 0.0)) / len(residuals.mean)


def fewest(width: Callable[[int], float], most: int, target: float) -> int:
    """Return the smallest count from 1 to `most` whose half-width is at most `target`.

    `width` never rises with the count and is 0 at `most`.
    """
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        if width(middle) <= target:
            high = middle
        else:
            low = middle + 1
    return low


def random_labels(variance: float, size: int, target: float, z: float) -> int:
    """Return how many of `size` items chosen at random give a half-width of at most `target`.

    n0 / (1 + n0 / N), rounded up, with n0 = z^2 variance / target^2; `variance` is that of the
    pool with divisor N - 1.

    References
    ----------
    Cochran, Sampling techniques, 3rd edition, 1977, section 4.6.
    """
    wanted = z**2 * variance / target**2
    return max(1, math.ceil(wanted / (1 + wanted / size) - 1e-9))


def random_plans(
    expected: Residuals, rest: np.ndarray, *, random: bool, target: float, count: int, z: float
) -> list[tuple[str, str, int, float]]:
    """Return what further labels at random bring, unweighted and by the difference estimator.

    Parameters
    ----------
    expected : Residuals
    rest : ndarray (M,) of int
        Pool rows without a label.
    random : bool
        Whether the labelled items are a random sample, which further ones then enlarge; others
        count as known, and further ones are drawn from the rest.
    target : float
        Half-width.
    count : int
        Further labels whose half-width is given.
    z : float

    Returns
    -------
    list of (scheme, estimator, labels that reach the target, half-width after `count`)
    """
    size = len(expected.right)
    rows = np.arange(size) if random else rest
    known = size - len(rest) if random else 0
    part, total = len(rows) / size, len(rows)
    right = expected.right[rows]
    variances = {
        "unweighted": right.mean() * (1 - right.mean()),
        "difference": expected.square[rows].mean() - expected.mean[rows].mean() ** 2,
    }
    plans = []
    for name, variance in variances.items():
        variance = max(variance, 0.0) * total / max(total - 1, 1)
        labels = random_labels(variance, total, target / part, z) - known
        held = known + count
        half = part * z * math.sqrt((1 - held / total) * variance / held)
        plans.append(("random", name, max(labels, 0), half))
    return plans
