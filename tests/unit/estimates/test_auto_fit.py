"""The fit behind `auto`; its values are held to the definition in `test_auto.py`."""

import numpy as np
import pytest
from scipy.optimize import brentq, check_grad, minimize
from scipy.special import expit

from earnest.estimates.auto_columns import columns_of
from earnest.estimates.auto_fit import _mode, _shift, fit
from earnest.pools.pool import Pool


def test_the_shift_is_found_where_labels_contradict_the_model():
    for log_odds, right in [([-40.0, 0.0, 40.0], [0, 1, 0]), ([9.0], [0]), ([0.3] * 4, [1] * 4)]:
        log_odds, right = np.array(log_odds), np.array(right, dtype=float)
        wanted = (right.sum() + expit(log_odds).mean()) / (len(right) + 1)
        expected = brentq(lambda s, e, t: expit(e + s).mean() - t, -90, 90, args=(log_odds, wanted))
        assert _shift(log_odds, right) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
@pytest.mark.parametrize("sure", [0.01, 1.0])
def test_the_mode_is_found_from_far_away(share, sure):
    rng = np.random.default_rng(0)
    pool = Pool(rng.normal(size=(200, 8)) ** 3, rng.dirichlet(np.full(4, sure), 200))
    columns, rows = columns_of(pool), np.arange(50)
    right = (rng.random(50) < share).astype(float)
    features = columns.features[rows]

    def loss(w):
        eta = features @ w
        apart = np.square(w - columns.prior_means) / columns.prior_variances
        return np.logaddexp(0, eta).sum() - right @ eta + apart.sum() / 2

    def slope(w):
        apart = (w - columns.prior_means) / columns.prior_variances
        return features.T @ (expit(features @ w) - right) + apart

    assert check_grad(loss, slope, columns.prior_means) < 1e-3
    start = columns.prior_means
    expected = minimize(loss, start, jac=slope, method="BFGS", options={"gtol": 1e-9}).x
    mode, covariance = _mode(columns, rows, right)
    assert mode == pytest.approx(expected, abs=1e-6)
    assert np.linalg.eigvalsh(covariance).min() > 0


def test_an_item_left_out_tells_less_of_itself():
    rng = np.random.default_rng(1)
    pool = Pool(rng.normal(size=(100, 5)), rng.dirichlet(np.ones(3), 100))
    right = (rng.random(30) < 0.7).astype(float)
    found = fit(columns_of(pool), np.arange(30), right)
    with_it, without = found.chances[:30], found.left_out
    assert (without[right == 1] < with_it[right == 1]).all()
    assert (without[right == 0] > with_it[right == 0]).all()
    assert found.unlabelled.sum() == 70
