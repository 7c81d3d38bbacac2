"""Correlations with counts against scipy on the resampled data; intervals; one set left out."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from earnest.protocols import statistics as stats

RNG = np.random.default_rng(8)
X = RNG.normal(size=12)
Y = X + RNG.normal(size=12)
TIED = np.round(Y)
COUNTS = stats.resample_counts(12, 40, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(stats.pearson, scipy_stats.pearsonr), (stats.spearman, scipy_stats.spearmanr)],
)
@pytest.mark.parametrize("y", [Y, TIED])
def test_counts_mean_repeated_pairs(ours, theirs, y):
    found = ours(X, y, COUNTS)
    for value, count in zip(found, COUNTS, strict=True):
        rows = np.repeat(np.arange(12), count.astype(int))
        assert value == pytest.approx(theirs(X[rows], y[rows]).statistic, abs=1e-10)


def test_resamples_have_as_many_sets_as_there_are():
    assert COUNTS.shape == (40, 12)
    assert (COUNTS.sum(axis=1) == 12).all()


def test_a_constant_has_no_correlation():
    counts = np.array([[12.0] + [0.0] * 11, [6, 6] + [0.0] * 10])
    found = stats.pearson(X, Y, counts)
    assert np.isnan(found[0])
    assert found[1] == pytest.approx(np.sign((X[0] - X[1]) * (Y[0] - Y[1])), abs=1e-9)
    assert np.isnan(stats.pearson(X, np.ones(12), COUNTS)).all()


def test_an_interval_is_the_quantiles_of_the_resamples():
    found = stats.with_interval(lambda counts: stats.pearson(X, Y, counts), COUNTS, level=0.9)
    values = stats.pearson(X, Y, COUNTS)
    assert found.value == pytest.approx(np.corrcoef(X, Y)[0, 1], abs=1e-12)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(values, [0.05, 0.95])))
    assert (found.undefined, found.reason) == (0, None)


def test_each_resample_counts_as_many_as_there_are():
    assert (COUNTS.shape, COUNTS.dtype) == ((40, 12), np.float64)
    assert (COUNTS.sum(axis=1) == 12).all()
    counts = stats.resample_counts(0, 5, np.random.default_rng(0))
    assert (counts.shape, counts.dtype) == ((5, 0), np.float64)
    found = stats.with_interval(lambda counts: counts.sum(axis=1), counts, level=0.95)
    assert found.reason == "not run: 0 data sets, and 3 are needed"


def test_fewer_than_three_sets_are_not_run():
    found = stats.with_interval(lambda counts: counts[:, 0], np.ones((5, 2)), level=0.95)
    assert found.value is None
    assert found.reason == "not run: 2 data sets, and 3 are needed"


def test_many_undefined_resamples_give_no_interval():
    x, y = X[:3], Y[:3]
    counts = stats.resample_counts(3, 2000, np.random.default_rng(0))
    found = stats.with_interval(lambda counts: stats.pearson(x, y, counts), counts, level=0.95)
    # one in nine resamples of three is one set three times
    assert 0.08 < found.undefined / 2000 < 0.15
    assert found.value is not None
    assert found.low is None
    assert "no interval" in found.reason


def test_leaving_one_out_names_the_sets():
    names = [f"set{n}" for n in range(12)]
    found = stats.without_each(lambda counts: stats.pearson(X, Y, counts), names)
    each = [np.corrcoef(np.delete(X, n), np.delete(Y, n))[0, 1] for n in range(12)]
    assert found["low_without"] == pytest.approx(min(each), abs=1e-12)
    assert found["high_without"] == pytest.approx(max(each), abs=1e-12)
    assert found["low_set"] == names[int(np.argmin(each))]
    assert found["high_set"] == names[int(np.argmax(each))]
    assert stats.without_each(lambda counts: counts[:, 0], names[:3])["low_without"] is None


def test_p_values_are_scipys():
    assert stats.p_value("pearson", X, Y) == scipy_stats.pearsonr(X, Y).pvalue
    assert stats.p_value("spearman", X, Y) == scipy_stats.spearmanr(X, Y).pvalue
    assert stats.p_value("pearson", X, np.ones(12)) is None


def signed_samples():
    """Samples of many lengths, with and without ties, in no order."""
    rng = np.random.default_rng(5)
    for count in (1, 2, 5, 13, 50, 51, 300):
        for shift in (-0.4, 0.0, 0.3):
            sample = rng.normal(shift, size=count)
            yield sample
            yield np.where(np.round(sample) == 0, 1.0, np.round(sample))


def test_many_samples_are_tested_as_each_alone():
    samples = [*signed_samples()]
    p, effect = stats.signed_rank_tests(samples)
    for place, sample in enumerate(samples):
        n, tied = len(sample), len(np.unique(np.abs(sample))) < len(sample)
        method = "exact" if n <= 50 and not tied else "asymptotic"
        alone = scipy_stats.wilcoxon(sample, correction=True, method=method)
        assert p[place] == pytest.approx(max(alone.pvalue, 2.0 ** (1 - n)), rel=1e-12)
        total = n * (n + 1) / 2
        assert (1 - abs(effect[place])) * total / 2 == pytest.approx(alone.statistic, abs=1e-9)


def test_signed_ranks_by_hand():
    # ranks 1 to 4, those of -1 and -2 are negative: 3 of 10; 5 of 16 sign patterns give 3 or less
    p, effect = stats.signed_rank_tests([np.array([-1.0, -2.0, 3.0, 4.0]), np.full(3, 0.5)])
    assert p == pytest.approx([2 * 5 / 16, 0.25])
    assert effect == pytest.approx([0.4, 1.0])


def test_no_samples_have_no_tests():
    assert [len(values) for values in stats.signed_rank_tests([])] == [0, 0]


def test_holm_by_hand():
    adjusted = stats.holm(np.array([0.01, np.nan, 0.04, 0.03, 0.9]))
    assert adjusted == pytest.approx([0.04, np.nan, 0.09, 0.09, 0.9], nan_ok=True)
    assert stats.holm(np.array([0.6, 0.7])) == pytest.approx([1.0, 1.0])
    assert np.isnan(stats.holm(np.array([np.nan]))).all()
