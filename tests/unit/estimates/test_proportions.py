"""Intervals of proportions: against exact sums, the usual formulas, and their own range."""

import numpy as np
import pytest
from scipy.stats import hypergeom, t

from earnest.estimates.proportions import exact_limit, hypergeometric, wilson_by_chances


@pytest.mark.parametrize(("size", "n"), [(1_000, 30), (1_000, 100), (20_000, 50)])
@pytest.mark.parametrize("share", [0.9, 0.97, 0.995])
def test_the_exact_interval_covers_whatever_the_share(size, n, share):
    right = round(share * size)
    hits = np.arange(max(0, n - (size - right)), min(n, right) + 1)
    chance = hypergeom.pmf(hits, size, right, n)
    held = [lo <= right / size <= hi for lo, hi in (hypergeometric(k, n, size, 0.95) for k in hits)]
    assert 0.95 <= chance @ held <= 1


def test_the_exact_interval_at_its_ends():
    assert hypergeometric(7, 10, 10, 0.95) == (0.7, 0.7)
    low, high = hypergeometric(50, 50, 1_000, 0.95)
    assert high == 1
    assert low == pytest.approx(exact_limit(50, 1_000, 0.95), abs=0.003)
    assert hypergeometric(0, 50, 1_000, 0.95)[1] == pytest.approx(1 - low)
    with pytest.raises(ValueError, match="11 of 10 of 20 is no sample"):
        hypergeometric(11, 10, 20, 0.95)


def test_with_equal_chances_it_is_wilsons_with_the_pool_counted():
    right, n, size = np.r_[np.ones(80), np.zeros(20)], 100, 1_000
    low, high = wilson_by_chances(right, np.full(n, n / size), 0.95)
    q, effective = t.ppf(0.975, n - 1), (n - 1) / (1 - n / size)
    centre = (0.8 + q**2 / (2 * effective)) / (1 + q**2 / effective)
    half = q / (1 + q**2 / effective) * np.sqrt(0.16 / effective + q**2 / (4 * effective**2))
    assert (low, high) == pytest.approx((centre - half, centre + half), rel=1e-12)


def test_without_errors_it_reaches_one_and_stays_in_range():
    rng = np.random.default_rng(0)
    low, high = wilson_by_chances(np.ones(30), rng.uniform(0.05, 0.5, 30), 0.95)
    assert 0.5 < low < 0.95
    assert high == 1
    assert wilson_by_chances(np.ones(5), np.ones(5), 0.95) == (1.0, 1.0)


def test_unequal_chances_hold_over_draws_from_a_known_pool():
    """2,000 draws of about 100 of 1,000 by Poisson sampling: the error of the share is .005."""
    rng = np.random.default_rng(1)
    doubt = rng.random(1_000)
    right = (rng.random(1_000) > 0.3 * doubt).astype(float)
    chances = 0.3 + 3 * doubt
    chances *= 100 / chances.sum()
    held = 0
    for _ in range(2_000):
        drawn = rng.random(1_000) < chances
        low, high = wilson_by_chances(right[drawn], chances[drawn], 0.95)
        held += low <= right.mean() <= high
    assert 0.93 <= held / 2_000 <= 0.985
