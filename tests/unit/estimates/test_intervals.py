"""Estimators, intervals and bounds one by one: by hand, by enumeration, against libraries."""

import itertools
import math

import numpy as np
import pytest

from earnest.estimates import ESTIMATORS, Pool, estimate, estimate_all, support, true_value
from earnest.estimates.calibrated import platt
from earnest.estimates.counts import NUDGE, Counts, Nudged
from earnest.estimates.post_stratified import join_small
from earnest.estimates.subset import Subset
from earnest.estimates.weighted import score_under
from earnest.measures import score
from earnest.pools.pool import score_arguments
from earnest.samplers.designs import Design, mixed_draw, of_prefix, uniform
from earnest.weights import WEIGHTS, prepare_pool

P_ONE = np.array([0.9, 0.8, 0.3, 0.4, 0.6, 0.1])


def pool_of(p_one, **changes):
    p_one = np.asarray(p_one, dtype=float)
    return Pool(None, np.column_stack([1 - p_one, p_one]), **changes)


def drawn_pool(size=400, classes=4, seed=0, sharpness=1.5):
    """A pool whose posteriors are too flat, and labels drawn from the true ones."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(size, classes)) * sharpness
    true = np.exp(1.7 * logits)
    true /= true.sum(axis=1, keepdims=True)
    flat = np.exp(logits)
    flat /= flat.sum(axis=1, keepdims=True)
    labels = (rng.random((size, 1)) > np.cumsum(true, axis=1)).sum(axis=1)
    return Pool(None, flat), np.minimum(labels, classes - 1)


# --- PPI++


def test_ppi_with_a_tuned_part_by_hand():
    # right, wrong, right with confidences .9, .6, .6: covariance 1.5 / 3 - (2/3) .7 = .03333,
    # over .019 x 6/3; unlabelled confidences .8, .7, .9
    found = estimate("ppi", pool_of(P_ONE), [0, 3, 4], [True, False, True], resamples=0)
    trust = (1 / 30) / 0.038
    assert found.value == pytest.approx(2 / 3 + trust * (0.8 - 0.7), abs=1e-14)


def test_ppi_ignores_confidences_that_say_nothing():
    even = estimate("ppi", pool_of([0.7] * 5), [0, 1, 2], [True, False, True], resamples=0)
    assert even.value == pytest.approx(2 / 3)
    # the surer, the wronger: lambda 0
    upside = estimate("ppi", pool_of(P_ONE), [0, 3, 4], [False, True, True], resamples=0)
    assert upside.value == pytest.approx(2 / 3)


@pytest.mark.parametrize("seed", range(4))
def test_ppi_agrees_with_the_reference_package(seed):
    import ppi_py as reference

    pool, labels = drawn_pool(seed=seed)
    items = np.random.default_rng(seed).choice(400, 60, replace=False)
    rest = np.setdiff1d(np.arange(400), items)
    right = (pool.predictions == labels).astype(float)
    belief = pool.posteriors.max(axis=1)
    expected = reference.ppi_mean_pointestimate(right[items], belief[items], belief[rest])
    ours = estimate("ppi", pool, items, labels=labels[items], resamples=0)
    assert ours.value == pytest.approx(float(expected[0]), abs=1e-12)


def test_interval_of_ppi_is_that_of_the_reference_package_in_a_large_pool():
    import ppi_py as reference

    pool, labels = drawn_pool(size=20_000)
    items = np.random.default_rng(1).choice(20_000, 200, replace=False)
    rest = np.setdiff1d(np.arange(20_000), items)
    right = (pool.predictions == labels).astype(float)
    belief = pool.posteriors.max(axis=1)
    low, high = reference.ppi_mean_ci(right[items], belief[items], belief[rest], alpha=0.05)
    ours = estimate("ppi", pool, items, labels=labels[items], interval="linearised")
    # Student's t for the normal, n - 1 for n, and 1 % of the pool is labelled
    expected = float(high[0] - low[0]) * 1.972 / 1.96 * math.sqrt(200 / 199 * 0.99)
    assert ours.high - ours.low == pytest.approx(expected, rel=0.02)


def test_class_totals_of_ppi_agree_with_the_reference_package():
    import ppi_py as reference

    pool, labels = drawn_pool(seed=7)
    items = np.random.default_rng(7).choice(400, 90, replace=False)
    rest = np.setdiff1d(np.arange(400), items)
    predicted, true = np.eye(4)[pool.predictions], np.eye(4)[labels]
    truth = np.hstack([true * predicted, true])
    belief = np.hstack([pool.posteriors * predicted, pool.posteriors])
    means = reference.ppi_mean_pointestimate(truth[items], belief[items], belief[rest])
    ours = estimate(
        "ppi", pool, items, labels=labels[items], measure="balanced_accuracy", resamples=0
    )
    # lambda (mean over the unlabelled - over the labelled) is what ours adds over the whole pool
    assert ours.value == pytest.approx((means[:4] / means[4:]).mean(), abs=1e-12)


# --- post-stratification


@pytest.mark.parametrize(
    ("labelled", "expected"),
    [
        ([5, 5, 5, 5], [0, 1, 2, 3]),
        ([2, 3, 9, 6], [0, 0, 1, 2]),
        ([6, 1, 1, 1], [0, 0, 0, 0]),
        ([0, 0, 0, 20], [0, 0, 0, 0]),
        ([9, 4, 2, 4], [0, 1, 1, 1]),
        ([1, 1, 1, 1], [0, 0, 0, 0]),
    ],
)
def test_small_strata_join_their_neighbours(labelled, expected):
    assert join_small(np.array(labelled)).tolist() == expected


def two_levels():
    """Sixteen items of confidence .6 and eight of .9; six of each labelled, 2 and 5 right."""
    pool = pool_of([0.6] * 16 + [0.9] * 8)
    items = np.r_[0:6, 16:22]
    return pool, items, np.array([1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0], dtype=bool)


def test_post_stratified_by_hand():
    pool, items, right = two_levels()
    found = estimate("post_stratified", pool, items, right, strata=2, resamples=0)
    assert found.value == pytest.approx((16 * 2 / 6 + 8 * 5 / 6) / 24)
    assert found.flags == ()
    quartiles = estimate("post_stratified", pool, items, right, resamples=0)
    assert quartiles.value == pytest.approx(found.value)


def test_one_stratum_is_the_plain_score_and_is_flagged():
    found = estimate("post_stratified", pool_of(P_ONE), [0, 1, 3], [1, 0, 0], resamples=0)
    assert found.flags == ("joined_strata",)


# --- calibration


def test_platt_agrees_with_an_unpenalised_logistic_regression():
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(3)
    scale = rng.normal(1, 1.5, 80)
    correct = rng.random(80) < 1 / (1 + np.exp(0.3 - 0.8 * scale))
    counts = np.vstack([np.ones(80), rng.integers(0, 4, 80)])
    found = platt(scale, correct, counts)
    for row, times in zip(found, counts, strict=True):
        right, wrong = times @ correct, times @ ~correct
        target = np.where(correct, (right + 1) / (right + 2), 1 / (wrong + 2))
        model = LogisticRegression(C=np.inf, tol=1e-12, solver="newton-cholesky", max_iter=200)
        model.fit(
            np.tile(scale, 2)[:, np.newaxis],
            np.repeat([1, 0], 80),
            sample_weight=np.r_[times * target, times * (1 - target)],
        )
        np.testing.assert_allclose(row, [model.intercept_[0], model.coef_[0, 0]], atol=1e-6)


@pytest.mark.parametrize("apart", [1e-3, 1, 1e6])
def test_platt_stays_finite_where_right_and_wrong_are_apart(apart):
    scale = np.r_[np.full(10, -apart), np.full(10, apart)]
    found = platt(scale, scale > 0, np.ones((1, 20)))[0]
    # two groups and two coefficients: the fit meets the smoothed targets 11/12 and 1/12
    assert found[0] == pytest.approx(0, abs=1e-6)
    assert found[1] * apart == pytest.approx(math.log(11), rel=1e-6)


def test_calibrated_by_hand():
    # two groups and two coefficients again; 7 right and 5 wrong: targets 8/9 and 1/7
    pool, items, right = two_levels()
    low, high = (2 * 8 / 9 + 4 / 7) / 6, (5 * 8 / 9 + 1 / 7) / 6
    # 10 and 2 unlabelled, whose chances move by the mean residual of the labelled
    residual = 7 / 12 - (low + high) / 2
    expected = (7 + 10 * low + 2 * high + 12 * residual) / 24
    found = estimate("calibrated", pool, items, right, resamples=0)
    assert found.value == pytest.approx(expected, abs=1e-8)


def test_calibrated_gives_the_rest_to_the_other_classes():
    # all confidences are .5, so every chance of being right is one and the same, g. The rest goes
    # to the other two classes as 3 to 2, and to both alike where the posteriors say nothing.
    posteriors = np.array([[0.5, 0.3, 0.2]] * 6)
    pool = Pool(None, posteriors, classes=("a", "b", "c"))
    labels = ["a", "a", "b"]
    for measure, expected in (
        ("accuracy", 2 / 3),
        ("recall:a", 1.0),
        # truths 2, 1, 0 of 3; the other three items as the mean over the labelled: 2, 1, 0
        ("recall:b", 0.0),
    ):
        found = estimate("calibrated", pool, [0, 1, 2], labels=labels, measure=measure, resamples=0)
        assert found.value == pytest.approx(expected, abs=1e-9)


# --- thresholded confidence


def test_atc_counts_part_of_a_group_of_equal_confidence():
    # one of two items of .7 is right, so half of the .7 count: 1 + 3/2 of 6
    pool = pool_of([0.7, 0.7, 0.7, 0.9, 0.55, 0.6])
    found = estimate("atc", pool, [0, 1], [True, False], resamples=0)
    assert found.value == pytest.approx((1 + 3 / 2) / 6)


@pytest.mark.parametrize(("right", "expected"), [(False, 1 / 6), (True, 5 / 6)])
def test_atc_with_all_wrong_or_all_right(right, expected):
    pool = pool_of([0.7, 0.8, 0.7, 0.9, 0.55, 0.7])
    # all wrong: surer than .8; all right: at least as sure as .7
    found = estimate("atc", pool, [0, 1], [right, right], resamples=0)
    assert found.value == pytest.approx(expected)


def test_atc_has_no_linearised_interval():
    found = estimate("atc", pool_of(P_ONE), [0, 1], [True, False], interval="linearised")
    assert found.low is None
    assert "atc jumps with the labels" in found.reason


# --- estimators without labels, and with labels only


def test_average_confidence_needs_no_labels():
    pool = pool_of(P_ONE)
    found = estimate("average_confidence", pool, None, measure="balanced_accuracy")
    assert found.value == pytest.approx((2.3 / 3.1 + 2.2 / 2.9) / 2)
    assert "no label is used" in found.reason
    everything = estimate("average_confidence", pool, np.arange(6), [True] * 6)
    assert (everything.value, everything.low) == (pytest.approx(0.75), None)
    assert everything.flags == ()


def test_class_prior_needs_labels_of_more_than_two_classes():
    pool, labels = drawn_pool(30)
    with pytest.raises(ValueError, match="class_prior needs the labels"):
        estimate("class_prior", pool, [0, 1], [True, False])
    assert estimate("class_prior", pool, [0, 1], labels=labels[:2], resamples=0).value is not None


def test_class_prior_says_when_a_class_has_no_label():
    found = estimate("class_prior", pool_of(P_ONE), [0, 4], labels=[1, 1], resamples=0)
    assert found.flags == ("class_without_label",)


def test_class_prior_leaves_recalls_as_they_are():
    pool, labels = drawn_pool()
    items = np.arange(0, 400, 5)
    for measure in ("balanced_accuracy", "recall:2"):
        options = {"labels": labels[items], "measure": measure, "resamples": 0}
        plain = estimate("unweighted", pool, items, **options).value
        assert estimate("class_prior", pool, items, **options).value == pytest.approx(plain)


# --- designs


@pytest.mark.parametrize("name", ["lure", "horvitz_thompson", "hajek"])
def test_random_draws_need_no_recorded_chances(name):
    pool, labels = drawn_pool()
    items = np.random.default_rng(2).permutation(400)[:50]
    options = {"labels": labels[items], "resamples": 50}
    plain = estimate("unweighted", pool, items, interval="linearised", **options)
    for extra in ({"sampler": "random"}, {"design": uniform(50, 400)}):
        found = estimate(name, pool, items, interval="linearised", **extra, **options)
        assert found.value == pytest.approx(plain.value, abs=1e-12)
        assert found.low == pytest.approx(plain.low, abs=1e-9)
    unknown = estimate(name, pool, items, sampler="farthest", **options)
    assert (unknown.value, unknown.low) == (None, None)
    assert "chances with which the items were drawn are not recorded" in unknown.reason


@pytest.mark.parametrize("name", ["lure", "horvitz_thompson"])
def test_design_based_estimates_are_unbiased_where_the_plain_score_is_not(name):
    pool, labels = drawn_pool(200, seed=5)
    truth = true_value(pool, labels).value
    rng = np.random.default_rng(1)
    found, plain = [], []
    for _ in range(800):
        drawn = mixed_draw(pool.posteriors, 40, rng=rng, uniform_share=0.2)
        design = of_prefix(drawn.chances, drawn.missed, 40, 200)
        right = pool.predictions[drawn.items] == labels[drawn.items]
        found.append(estimate(name, pool, drawn.items, right, design=design, resamples=0).value)
        plain.append(right.mean())
    assert abs(np.mean(found) - truth) < 4 * np.std(found) / math.sqrt(800)
    assert abs(np.mean(plain) - truth) > 10 * np.std(plain) / math.sqrt(800)


# --- analytic intervals


def test_linearised_interval_of_a_mean_is_the_textbook_one():
    from scipy import stats

    pool, items = pool_of([0.7] * 50), np.arange(20)
    right = np.arange(20) % 4 > 0
    found = estimate("unweighted", pool, items, right, interval="linearised", level=0.9)
    half = stats.t.ppf(0.95, 19) * math.sqrt((1 - 20 / 50) * right.var(ddof=1) / 20)
    assert (found.low, found.high) == pytest.approx((0.75 - half, 0.75 + half), abs=1e-7)


def test_linearised_interval_of_the_difference_is_that_of_its_residuals():
    from scipy import stats

    pool = pool_of(np.linspace(0.5, 0.99, 50))
    items, right = np.arange(0, 50, 3), np.arange(17) % 5 > 0
    residuals = right - pool.posteriors[items, 1]
    found = estimate("difference", pool, items, right, interval="linearised")
    half = stats.t.ppf(0.975, 16) * math.sqrt((1 - 17 / 50) * residuals.var(ddof=1) / 17)
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=1e-6)


def test_linearised_interval_takes_recordings_whole():
    from scipy import stats

    # three recordings of 2, 2 and 1 items with 2, 1 and 0 right: a ratio of sums, .6
    pool = pool_of([0.7] * 10, recordings=np.array(list("aabbcdefgh")))
    found = estimate(
        "unweighted", pool, np.arange(5), [1, 1, 1, 0, 0], interval="linearised", level=0.95
    )
    slopes = (np.array([2, 1, 0]) - 0.6 * np.array([2, 2, 1])) / 5
    half = stats.t.ppf(0.975, 2) * math.sqrt((1 - 5 / 10) * 3 / 2 * (slopes**2).sum())
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=1e-6)


@pytest.mark.parametrize(
    ("right", "words"),
    [([1, 1, 1], "all labelled items say the same"), ([1, 0, 1], "undefined where a recording")],
)
def test_no_linearised_interval_says_why(right, words):
    labels = np.array(right)
    measure = "accuracy" if min(right) else "balanced_accuracy"
    # a class of one labelled item, counted a little less, is below what an item stands for
    found = estimate(
        "difference", pool_of([0.999] * 9), [0, 1, 2], labels=labels, measure=measure,
        interval="linearised",
    )  # fmt: skip
    assert found.low is None
    assert words in found.reason or "less than what one labelled item" in found.reason


@pytest.mark.parametrize("name", [n for n in ESTIMATORS if n not in WEIGHTS])
def test_own_interval_covers_under_random_labelling(name):
    if name == "average_confidence":
        assert ESTIMATORS[name].why_no_interval
        return
    pool, labels = drawn_pool(1500, seed=11)
    truth = true_value(pool, labels).value
    rng, hits, seeds = np.random.default_rng(4), 0, 200
    for seed in range(seeds):
        items = rng.choice(1500, 100, replace=False)
        found = estimate(
            name, pool, items, labels=labels[items], sampler="random",
            rng=np.random.default_rng(seed),
        )  # fmt: skip
        hits += found.low <= truth <= found.high
    # 200 intervals of coverage .95 have a standard error of .015
    assert 0.90 <= hits / seeds <= 0.995


# --- what is left out


def subset_of(pool, labelled, labels):
    return Subset(pool, np.array(labelled), np.array(labels), Counts(np.ones((1, len(labelled)))))


def test_worst_case_bounds_by_hand():
    # labelled 0 (right 1), 1 (a 0 called 1), 3 (a 1 called 0); left: two called 0, one called 1
    subset = subset_of(pool_of(P_ONE), [0, 1, 3], [1, 0, 1])
    assert support.worst_case(subset, "accuracy", "none") == pytest.approx((1 / 6, 4 / 6))
    assert support.worst_case(subset, "recall:1", "none") == pytest.approx((1 / 4, 2 / 3))
    assert support.worst_case(subset, "recall:0", "none") == pytest.approx((0, 2 / 3))
    assert support.worst_case(subset, "f1", "none") == pytest.approx((2 / 7, 4 / 6))
    assert support.worst_case(subset, "roc_auc", "none") is None
    assert support.worst_case(subset, "accuracy", "true") is None


@pytest.mark.parametrize("measure", ["accuracy", "balanced_accuracy", "f1", "recall:0"])
@pytest.mark.parametrize("labelled", [[0, 1, 3], [2, 4], [0, 2, 3, 5]])
def test_worst_case_bounds_are_the_extremes_over_all_labellings(measure, labelled):
    pool, known = pool_of(P_ONE), np.array([1, 0, 0, 1, 1, 0])
    rest = [row for row in range(6) if row not in labelled]
    values = []
    for guess in itertools.product([0, 1], repeat=len(rest)):
        labels = known.copy()
        labels[rest] = guess
        value = true_value(pool, labels, measure).value
        values += [] if value is None else [value]
    low, high = support.worst_case(subset_of(pool, labelled, known[labelled]), measure, "none")
    assert high == pytest.approx(max(values))
    if measure == "recall:0":
        assert low <= min(values) + 1e-12
    else:
        assert low == pytest.approx(min(values))


@pytest.mark.parametrize("measure", ["accuracy", "balanced_accuracy", "recall:3"])
def test_worst_case_bounds_hold_the_truth_of_many_classes(measure):
    pool, labels = drawn_pool()
    truth = true_value(pool, labels, measure).value
    for n in (10, 100, 390):
        low, high = support.worst_case(subset_of(pool, np.arange(n), labels[:n]), measure, "none")
        assert 0 <= low <= truth <= high <= 1


def test_deterministic_samplers_get_bounds_and_the_remedy():
    found = estimate(
        "kde", Pool(np.arange(6.0)[:, np.newaxis], pool_of(P_ONE).posteriors), [0, 1, 3],
        labels=[1, 0, 1], sampler="uncertainty",
    )  # fmt: skip
    assert (found.low, found.high) == (None, None)
    assert "without any chance of selection" in found.reason
    assert "whatever the rest is, accuracy lies in 0.167 to 0.667" in found.reason
    assert "a fifth of the labels at random" in found.reason
    assert "deterministic_sampler" in found.flags


def test_shares_outside_the_labelled_range_by_hand():
    pool = Pool(np.array([[0.0], [1], [3], [9], [4], [5.5]]), pool_of(P_ONE).posteriors)
    # confidences .9 .8 .7 .6 .6 .9, of which .7 to .8 are labelled
    assert support.outside_confidence(pool, np.array([1, 2])) == pytest.approx(4 / 6)
    assert support.outside_confidence(pool, np.array([0, 3])) == 0
    # labelled 0, 1, 3 are at most 2 apart; 4 and 5.5 are 1 and 2.5 from 3, and 9 is 6
    assert support.outside_distance(pool, np.array([0, 1, 2])) == pytest.approx(2 / 6)
    assert support.outside_distance(pool, np.array([0])) is None
    assert support.outside_distance(pool_of(P_ONE), np.array([0, 1])) is None


def test_large_pools_give_the_same_share(monkeypatch):
    rng = np.random.default_rng(0)
    pool = Pool(rng.normal(size=(300, 3)), np.full((300, 2), 0.5))
    items = rng.choice(300, 40, replace=False)
    kept = support.outside_distance(pool, items)
    monkeypatch.setattr(support, "LARGEST_MATRIX_POOL", 10)
    assert support.outside_distance(pool, items) == kept
    assert 0 < kept < 1


def test_sorted_neighbours_give_the_same_share():
    rng = np.random.default_rng(1)
    # a cluster far away, whose items walk through all their neighbours before a labelled one
    points = np.vstack([rng.normal(size=(280, 3)), rng.normal(size=(20, 3)) + 9])
    pool = Pool(prepare_pool(points), np.full((300, 2), 0.5))
    for items in (rng.choice(280, 40, replace=False), np.array([7, 3]), np.arange(300)):
        alone = support.outside_distance(pool, items)
        assert support.outside_distance(pool, items, pool.embeddings.neighbours) == alone
        assert alone == 0 if len(items) == 300 else alone >= 20 / 300


@pytest.mark.parametrize("weights", [np.ones(6), np.array([0.0, 1, 3, 0, 2, 1])])
def test_scores_by_class_are_those_of_each_measure_alone(weights):
    labels = np.array(["a", "a", "b", "b", "c", "a"])
    pool = Pool(None, np.eye(3)[[0, 1, 1, 2, 2, 0]], classes=("a", "b", "c"))
    subset = Subset(pool, np.arange(6), labels, Counts(np.ones((1, 6))))
    for measure in ("balanced_accuracy", "recall:a", "recall:b", "recall:c"):
        expected = score(**score_arguments(pool, np.arange(6), labels, measure), weights=weights)
        (value,) = score_under(subset, weights, measure, "none")
        assert value == pytest.approx(expected.value, abs=1e-15)
    # a: 2 of 3 and 1 of 2 by weight; b: 1 of 2 and 3 of 3; c: all
    mean = (2 / 3 + 1 / 2 + 1) / 3 if weights[0] else (1 / 2 + 1 + 1) / 3
    (balanced,) = score_under(subset, weights, "balanced_accuracy", "none")
    assert balanced == pytest.approx(mean)


def test_options_reach_the_estimator_and_unknown_ones_do_not():
    pool, labels = drawn_pool()
    items = np.arange(100)
    found = [
        estimate("post_stratified", pool, items, labels=labels[:100], strata=k, resamples=0).value
        for k in (1, 4)
    ]
    assert found[0] == pytest.approx((pool.predictions == labels)[:100].mean())
    assert found[0] != found[1]
    with pytest.raises(TypeError, match="strata"):
        estimate("ppi", pool, items, labels=labels[:100], strata=2)


def test_design_must_fit_the_subset():
    with pytest.raises(ValueError, match="chances of 1 items, but 2 are labelled"):
        estimate("lure", pool_of(P_ONE), [0, 1], [1, 0], design=Design([0.5], [0.5]))


def test_replicates_do_not_depend_on_the_order_of_measures():
    pool, labels = drawn_pool()
    items = np.random.default_rng(0).choice(400, 80, replace=False)
    for name in ("ppi", "calibrated", "post_stratified"):
        measures = ("accuracy", "balanced_accuracy", "recall:1")
        one, other = (
            estimate_all(name, pool, items, labels[items], measures=m, utilities=("none",))
            for m in (measures, measures[::-1])
        )
        assert one == other


# --- difference by recorded chances


def test_design_difference_by_hand():
    # accuracy = (.9 + .8 + .6 + .5) / 4 + ((1 - .9) / 1 + (0 - .6) / .5) / 4 = .7 + (.1 - 1.2) / 4
    pool = Pool(None, np.array([[0.9, 0.1], [0.8, 0.2], [0.6, 0.4], [0.5, 0.5]]))
    design = Design(np.ones(2), np.array([1.0, 0.5]))
    found = estimate("design_difference", pool, [0, 2], labels=[0, 1], design=design)
    assert found.value == pytest.approx(0.425)
    assert found.low is None
    assert found.reason == "fewer than two labelled recordings were drawn by chance"


def test_design_difference_is_difference_under_equal_chances():
    pool, labels = drawn_pool(200, seed=5)
    items = np.random.default_rng(0).choice(200, 40, replace=False)
    settings = {"labels": labels[items], "sampler": "random", "interval": "linearised"}
    for measure in ("accuracy", "balanced_accuracy"):
        one, other = (
            estimate(name, pool, items, measure=measure, **settings)
            for name in ("design_difference", "difference")
        )
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


def test_items_sure_to_be_labelled_add_no_variance():
    # two of six sure; residuals .2 and -.8 of two of the other four, each drawn with chance .5:
    # 4.8/6 + (.2 + .2)/6 + (.4 - 1.6)/6; U = (+-1)/6 -> variance 2 (.5/36 + .5/36) = 1/18
    pool = Pool(None, np.tile([0.8, 0.2], (6, 1)))
    design = Design(np.full(4, 0.5), np.array([1.0, 1.0, 0.5, 0.5]))
    found = estimate("design_difference", pool, range(4), labels=[0, 0, 0, 1], design=design)
    assert found.value == pytest.approx(4 / 6)
    half = 12.7062047 * np.sqrt(1 / 18)  # Student's t with one degree of freedom
    assert (found.low, found.high) == pytest.approx((4 / 6 - half, 4 / 6 + half), rel=1e-5)


def test_nudged_counts_total_as_their_table_does():
    groups = np.array([2, 0, 1, 0, 2, 2])
    counts = Nudged(groups)
    assert counts.table.shape == (len(counts), 6) == (7, 6)
    # recording 0 are items 1 and 3
    assert counts.table[1].tolist() == [1, 1 + NUDGE, 1, 1 + NUDGE, 1, 1]
    assert counts.table[4].tolist() == [1, 1 - NUDGE, 1, 1 - NUDGE, 1, 1]
    columns = np.random.default_rng(0).normal(size=(6, 4))
    np.testing.assert_allclose(counts.totals(columns), counts.table @ columns, atol=1e-14)
    np.testing.assert_allclose(counts.sums[:, 0], counts.table.sum(axis=1), atol=1e-14)
