"""Estimators on a pool small enough to work out by hand, and on real ones."""

import numpy as np
import pytest

from earnest.estimates import ESTIMATORS, Pool, estimate, estimate_all, true_value
from earnest.measures import MEASURES
from earnest.samplers.designs import Design
from earnest.weights import WEIGHTS, Weights

# item        0    1    2    3    4    5
P_ONE = [0.9, 0.8, 0.3, 0.4, 0.6, 0.1]
LABELS = np.array([1, 0, 0, 1, 1, 0])
# predictions 1    1    0    0    1    0     so items 1 and 3 are wrong
LABELLED = [0, 1, 3]
UTILITY = [3.0, 1, 1, 2, 3, 1]
DESIGN = Design([1 / 3, 1 / 5, 1 / 4], [0.5, 0.25, 0.5])
GIVEN = Weights(np.array([0.5, 1.5, 1.0]), 2.57, 1.5, None, ("made_up",))
MEASURES_AND_UTILITIES = {
    "measures": tuple(MEASURES),
    "utilities": ("none", "true", "predicted", "conditional"),
}


def hand_pool(**changes):
    posteriors = np.column_stack([1 - np.array(P_ONE), P_ONE])
    return Pool(None, posteriors, utilities={"true": np.array(UTILITY)}, **changes)


def by_hand(name, measure, **options):
    options = {"labels": LABELS[LABELLED], "resamples": 0} | options
    correct = options.pop("correct", None)
    return estimate(name, hand_pool(), LABELLED, correct, measure=measure, **options)


@pytest.mark.parametrize(
    ("name", "measure", "options", "expected"),
    [
        ("unweighted", "accuracy", {}, 1 / 3),
        ("unweighted", "balanced_accuracy", {}, (0 / 1 + 1 / 2) / 2),
        ("unweighted", "f1", {}, 2 / (2 + 1 + 1)),
        # positives .9 and .4 against the negative .8
        ("unweighted", "roc_auc", {}, 1 / 2),
        ("unweighted", "recall:0", {}, 0),
        ("unweighted", "recall", {}, 1 / 2),
        # utilities of the labelled: 3, 1, 2
        ("unweighted", "accuracy", {"utility": "true"}, 3 / 6),
        ("unweighted", "balanced_accuracy", {"utility": "true"}, (0 + 3 / 5) / 2),
        ("kde", "accuracy", {"weights": GIVEN}, 0.5 / 3),
        ("kde", "f1", {"weights": GIVEN}, 2 * 0.5 / (2 * 0.5 + 1.5 + 1)),
        # weight x utility: 1.5, 1.5, 2
        ("kde", "accuracy", {"weights": GIVEN, "utility": "true"}, 1.5 / 5),
        ("kde", "balanced_accuracy", {"weights": GIVEN, "utility": "true"}, (0 + 1.5 / 3.5) / 2),
        ("kde", "roc_auc", {"weights": GIVEN, "utility": "true"}, 1.5 / 3.5),
        # mean confidence (.9 + .8 + .7 + .6 + .6 + .9) / 6; residuals .1, -.8, -.6
        ("difference", "accuracy", {}, 4.5 / 6 - 1.3 / 3),
        # T_11 = .9 + .8 + .6 + 2 (.1 - .8) = .9; T_1. = 3.1 + 2 (.1 - .8 + .6) = 2.9
        # T_00 = .7 + .6 + .9 + 2 (-.6) = 1.0; T_0. = 2.9 - 2 (.1 - .8 + .6) = 3.1
        ("difference", "balanced_accuracy", {}, (0.9 / 2.9 + 1.0 / 3.1) / 2),
        # three items are predicted 1
        ("difference", "f1", {}, 2 * 0.9 / (2.9 + 3)),
        ("difference", "recall:0", {}, 1.0 / 3.1),
        # hits of 1: .9 + .8 + .6, of .9 + .8 + .3 + .4 + .6 + .1; of 0: .7 + .6 + .9 of 2.9
        ("average_confidence", "accuracy", {}, 4.5 / 6),
        ("average_confidence", "balanced_accuracy", {}, (2.3 / 3.1 + 2.2 / 2.9) / 2),
        ("average_confidence", "f1", {}, 2 * 2.3 / (3.1 + 3)),
        ("average_confidence", "recall:0", {}, 2.2 / 2.9),
        # covariance of (1, 0, 0) and (.9, .8, .6): .3 - 2.3 / 9 = .0444; variance of all six
        # confidences .019, times 6/3: lambda would be 1.17, so it is 1
        ("ppi", "accuracy", {}, 1 / 3 + 2.2 / 3 - 2.3 / 3),
        # one right item, the surest, so all with confidence .9 count: items 0 and 5
        ("atc", "accuracy", {}, 2 / 6),
        # share of class 1 in the pool 3.1 / 6 + 2 / 3 - 2.1 / 3 = .48333, in the subset 2/3:
        # weights .725, 1.55, .725
        ("class_prior", "accuracy", {}, 0.725 / 3),
        ("class_prior", "balanced_accuracy", {}, (0 + 1 / 2) / 2),
        # five of six quartiles would be too small, so all are one
        ("post_stratified", "accuracy", {}, 1 / 3),
        # 1 + 3/5 (1/2 - 1) = .7, 1 + 3/4 (1 - 1) = 1, 1 + 3/3 (1 - 1) = 1
        ("lure", "accuracy", {"design": DESIGN}, 0.7 / 3),
        ("lure", "balanced_accuracy", {"design": DESIGN}, (0 + 0.7 / 1.7) / 2),
        # each total is 6/3 of the weights; three items are predicted 1
        ("lure", "f1", {"design": DESIGN}, 2 * 1.4 / (3.4 + 3)),
        ("lure", "recall", {"design": DESIGN}, 0.7 / 1.7),
        ("lure", "roc_auc", {"design": DESIGN}, 0.7 / 1.7),
        ("lure", "accuracy", {"design": DESIGN, "utility": "true"}, 2.1 / (2.1 + 1 + 2)),
        # 1 / chance: 2, 4, 2
        ("horvitz_thompson", "accuracy", {"design": DESIGN}, 2 / 6),
        ("horvitz_thompson", "balanced_accuracy", {"design": DESIGN}, (0 + 2 / 4) / 2),
        ("horvitz_thompson", "f1", {"design": DESIGN}, 2 * 2 / (4 + 3)),
        ("hajek", "accuracy", {"design": DESIGN}, 2 / 8),
        ("hajek", "f1", {"design": DESIGN}, 2 * 2 / (2 * 2 + 4 + 2)),
    ],
)
def test_hand_checked_values(name, measure, options, expected):
    assert by_hand(name, measure, **options).value == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(
    ("measure", "utility", "expected"),
    [
        ("accuracy", "none", 4 / 6),
        ("accuracy", "true", (3 + 1 + 3 + 1) / 11),
        ("balanced_accuracy", "true", (6 / 8 + 2 / 3) / 2),
        ("f1", "none", 4 / (4 + 1 + 1)),
    ],
)
def test_truth_is_the_measure_of_the_whole_pool(measure, utility, expected):
    assert true_value(hand_pool(), LABELS, measure, utility).value == pytest.approx(expected)


def test_correct_is_enough_for_two_classes():
    for measure in MEASURES:
        of_labels = by_hand("unweighted", measure)
        of_correct = by_hand("unweighted", measure, labels=None, correct=[True, False, False])
        assert of_correct == of_labels


def three_class_pool():
    posteriors = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.4, 0.3, 0.3]]
    return Pool(None, np.array(posteriors), classes=("cat", "dog", "owl"))


def test_correct_is_enough_for_accuracy_of_many_classes():
    pool, options = three_class_pool(), {"resamples": 0}
    # predictions cat, dog, owl, cat; the labels of items 1 and 3 are dog and owl
    for name in ("unweighted", "difference"):
        of_correct = estimate(name, pool, [1, 3], [True, False], **options)
        of_labels = estimate(name, pool, [1, 3], labels=["dog", "owl"], **options)
        assert of_correct.value == pytest.approx(of_labels.value, abs=1e-15)
    # confidences .7, .5, .7, .4 of mean .575; residuals .5 and -.4
    assert of_labels.value == pytest.approx(0.575 + 0.05, abs=1e-15)
    with pytest.raises(ValueError, match="balanced_accuracy of 3 classes needs labels"):
        estimate("unweighted", pool, [1, 3], [True, False], measure="balanced_accuracy")


def test_measures_that_make_no_sense_say_so():
    pool = three_class_pool()
    labels = np.array(["cat", "dog", "owl", "cat"])
    for name in ("unweighted", "difference"):
        found = estimate_all(name, pool, [0, 1, 2], labels[:3], **MEASURES_AND_UTILITIES)
        assert "needs a binary task; this one has 3 classes" in found["f1", "none"].reason
        assert "needs a binary task" in found["roc_auc", "none"].reason
        assert "no true utility" in found["accuracy", "true"].reason
    assert "no true utility" in true_value(pool, labels, "accuracy", "true").reason
    assert "binary" in true_value(pool, labels, "f1").reason


def test_a_class_missing_from_the_labelled_makes_balanced_accuracy_undefined():
    found = estimate(
        "unweighted", three_class_pool(), [0, 1], labels=["cat", "dog"], measure="balanced_accuracy"
    )
    assert (found.value, found.low, found.high) == (None, None, None)
    assert found.reason == "no labelled item of class owl, so balanced accuracy is undefined"


def test_difference_has_no_form_for_auc_and_utilities():
    assert "no form for ROC AUC" in by_hand("difference", "roc_auc").reason
    assert "utility weights" in by_hand("difference", "f1", utility="true").reason


def test_difference_may_leave_the_range_and_says_so():
    # mean confidence .75, and both labelled items are wrong with confidence .9
    posteriors = np.array([[0.1, 0.9], [0.1, 0.9], [0.4, 0.6], [0.4, 0.6]])
    found = estimate("difference", Pool(None, posteriors), [0, 1], [False, False], resamples=0)
    assert found.value == pytest.approx(0.75 - 0.9)
    assert found.flags == ("outside_range",)


@pytest.mark.parametrize(("p_one", "is_defined"), [(0.70, True), (0.65, False), (0.05, False)])
def test_difference_needs_a_class_worth_one_labelled_item(p_one, is_defined):
    # six items, three labelled, all 0 with p(1) = .01, so one stands for two. The estimated size
    # of class 1 is .03 + 3 p - 2 x .03 = 3 p - .03: 2.07, 1.92, .12
    ones = np.array([0.01] * 3 + [p_one] * 3)
    found = estimate(
        "difference", Pool(None, np.column_stack([1 - ones, ones])), [0, 1, 2], labels=[0, 0, 0],
        measure="balanced_accuracy", resamples=0,
    )  # fmt: skip
    assert (found.value is not None) == is_defined
    if is_defined:
        # hits of 1: all of 3 p; hits of 0: 2.97 + 2 x .03, of 6 - 2.07
        assert found.value == pytest.approx((2.1 / 2.07 + 3.03 / 3.93) / 2)
    else:
        assert "less than what one labelled item stands for" in found.reason


@pytest.fixture(params=["esc10", "urbansound8k-random-split"])
def real_pool(request, pools):
    with np.load(pools / f"{request.param}.npz", allow_pickle=False) as data:
        rows = slice(0, 400)
        embeddings, labels = data["embeddings"][rows], data["labels"][rows]
        proba = data["proba"][rows].astype(np.float64)
    proba /= proba.sum(axis=1, keepdims=True)
    # a binary view: the first half of the classes against the second
    half = proba.shape[1] // 2
    one = proba[:, half:].sum(axis=1)
    utilities = {"true": 1.0 + 7 * (labels % 3)}
    pool = Pool(embeddings, np.column_stack([1 - one, one]), utilities=utilities)
    return pool, (labels >= half).astype(int)


# no form for ROC AUC and utility weights
FROM_TOTALS = ("difference", "ppi", "calibrated", "design_difference")


@pytest.mark.parametrize("name", sorted(set(ESTIMATORS) - {"average_confidence"}))
def test_labelling_everything_gives_the_full_score(real_pool, name):
    pool, labels = real_pool
    everything = np.random.default_rng(0).permutation(len(pool))
    settings = {"measures": tuple(MEASURES), "utilities": ("none", "true")}
    found = estimate_all(name, pool, everything, labels[everything], **settings)
    defined = 0
    for (measure, utility), one in found.items():
        no_form = name in FROM_TOTALS and (utility != "none" or measure == "roc_auc")
        if no_form or (name == "atc" and (measure, utility) != ("accuracy", "none")):
            assert one.value is None
            continue
        truth = true_value(pool, labels, measure, utility).value
        assert one.value == pytest.approx(truth, abs=1e-12)
        assert (one.low, one.high) == (one.value, one.value)
        assert "whole_pool" in one.flags
        defined += 1
    assert defined == (4 if name in FROM_TOTALS else 1 if name == "atc" else 10)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimate_has_an_interval_or_a_reason(real_pool, name):
    pool, labels = real_pool
    for seed, sampler in enumerate(["random", "farthest", "uncertainty"]):
        items = np.random.default_rng(seed).choice(len(pool), 60, replace=False)
        settings = MEASURES_AND_UTILITIES | {"sampler": sampler}
        for one in estimate_all(name, pool, items, labels[items], **settings).values():
            if one.low is None:
                assert one.high is None
                assert one.reason
            else:
                assert one.reason is None
                assert one.low <= one.high
            if one.value is None:
                assert one.low is None
            if name == "average_confidence":
                assert one.low is None
                assert one.value is None or "no label is used" in one.reason
            elif ESTIMATORS[name].gives_interval and one.low is not None:
                assert 0 <= one.low <= one.value <= one.high <= 1
                # no interval that holds: a plausible range, and said to be one
                assert ("chosen_for_doubt" in one.flags) == (sampler == "uncertainty")
            elif sampler == "uncertainty" and not ESTIMATORS[name].gives_interval:
                assert one.low is None
                assert one.value is None or "without any chance of selection" in one.reason


def test_order_of_the_labelled_changes_nothing(real_pool):
    pool, labels = real_pool
    items = np.random.default_rng(1).choice(len(pool), 50, replace=False)
    for name in ESTIMATORS:
        one, other = (
            estimate_all(name, pool, rows, labels[rows], **MEASURES_AND_UTILITIES)
            for rows in (items, items[::-1])
        )
        for key, found in one.items():
            if found.value is not None:
                assert found.value == pytest.approx(other[key].value, abs=1e-12)
                assert found.low == pytest.approx(other[key].low, abs=1e-12)


def coin_pool(n, recordings=None):
    return Pool(None, np.tile([0.4, 0.6], (n, 1)), recordings=recordings)


def test_interval_of_two_recordings_by_enumeration():
    # recording a: two right items, b: one wrong. Resamples aa, ab, ba, bb give 1, 2/3, 2/3, 0
    # with chances 1/4, 1/2, 1/4, so the middle 40 % is 2/3 on both ends and the middle 90 % 0 to 1
    pool = coin_pool(4, recordings=np.array(["a", "a", "b", "c"]))
    options = {"resamples": 2000, "rng": np.random.default_rng(0)}
    wide = estimate("unweighted", pool, [0, 1, 2], [True, True, False], level=0.9, **options)
    assert (wide.low, wide.high) == (0.0, 1.0)
    middle = estimate("unweighted", pool, [0, 1, 2], [True, True, False], level=0.4, **options)
    assert middle.low == pytest.approx(2 / 3)
    assert middle.high == pytest.approx(2 / 3)


def test_interval_grows_with_items_of_one_recording():
    # four equal items a recording: a quarter of the evidence, so twice the width
    correct = np.repeat(np.random.default_rng(3).random(100) < 0.7, 4)
    items = np.arange(400)
    options = {"resamples": 2000}
    alone = estimate("unweighted", coin_pool(500), items, correct, **options)
    grouped = coin_pool(500, recordings=np.arange(500) // 4)
    together = estimate("unweighted", grouped, items, correct, **options)
    assert (together.high - together.low) / (alone.high - alone.low) == pytest.approx(2, abs=0.25)


@pytest.mark.parametrize("name", ["unweighted", "difference"])
def test_interval_covers_under_random_labelling(name):
    rng = np.random.default_rng(11)
    n = 4000
    p_one = rng.uniform(0.05, 0.95, n)
    labels = (rng.random(n) < p_one).astype(int)
    pool = Pool(None, np.column_stack([1 - p_one, p_one]))
    truth = true_value(pool, labels, "balanced_accuracy").value
    hits = 0
    for seed in range(300):
        items = rng.choice(n, 120, replace=False)
        one = estimate(
            name,
            pool,
            items,
            labels=labels[items],
            measure="balanced_accuracy",
            rng=np.random.default_rng(seed),
        )
        hits += one.low <= truth <= one.high
    # 300 intervals of coverage .95 have a standard error of .0126
    assert 0.90 <= hits / 300 <= 0.99


@pytest.mark.parametrize(
    ("pool", "correct", "options", "words"),
    [
        (coin_pool(9, np.zeros(9)), [1, 0, 1], {}, "all of one recording"),
        (coin_pool(9), [1, 1, 1], {}, "all resamples give the same value"),
        (coin_pool(9), [1, 0, 1], {"resamples": 0}, "no resamples were asked for"),
        (coin_pool(9), [1, 0, 1], {"sampler": "uncertainty"}, "without any chance of selection"),
        # class 0 is one item of three, absent from (2/3)^3 = 30 % of resamples
        (coin_pool(9), [1, 0, 1], {"measure": "balanced_accuracy"}, "of 200 resamples"),
    ],
)
def test_no_interval_says_why(pool, correct, options, words):
    found = estimate("unweighted", pool, [0, 1, 2], correct, **options)
    assert found.value is not None
    assert (found.low, found.high) == (None, None)
    assert words in found.reason


def test_few_undefined_resamples_are_flagged():
    # class 0 is 4 of 12 items, absent from (2/3)^12 = .8 % of resamples
    labels = np.array([0] * 4 + [1] * 8)
    found = estimate(
        "unweighted", coin_pool(20), np.arange(12), labels=labels, measure="roc_auc",
        resamples=1000,
    )  # fmt: skip
    assert found.value == 0.5
    assert "same value" in found.reason
    assert found.flags == ("undefined_resamples",)


def test_flags_of_the_weights_are_passed_on():
    found = by_hand("kde", "accuracy", weights=GIVEN)
    assert found.flags == ("made_up",)


def test_identical_weights_equal_the_unweighted_estimate(real_pool):
    pool, labels = real_pool
    items = np.arange(0, 200, 3)
    even = Weights(np.ones(len(items)), float(len(items)), 1.0, None, ())
    plain, weighted = (
        estimate_all(name, pool, items, labels[items], weights=weights, **MEASURES_AND_UTILITIES)
        for name, weights in (("unweighted", None), ("kde", even))
    )
    assert plain == weighted


@pytest.mark.parametrize("name", WEIGHTS)
def test_weighting_moves_the_estimate(real_pool, name):
    pool, labels = real_pool
    one_sided = np.argsort(pool.embeddings[:, pool.embeddings.std(axis=0).argmax()])[:80]
    correct = pool.predictions[one_sided] == labels[one_sided]
    weighted = estimate(name, pool, one_sided, correct, resamples=0).value
    assert abs(weighted - correct.mean()) > 1e-6


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (("best", [0], [True]), {}, "unknown estimator 'best'; there are unweighted, kde"),
        (("unweighted", [0], [True]), {"measure": "gain"}, "unknown measure 'gain'"),
        (("unweighted", [0], [True]), {"measure": "recall:9"}, "no class '9'"),
        (("difference", [0], [True]), {"measure": "f1:1"}, "unknown measure 'f1:1'"),
        (("unweighted", [0], [True]), {"interval": "wide"}, "unknown interval 'wide'"),
        (("lure", [0], [True]), {"design": DESIGN}, "chances of 3 items, but 1 are labelled"),
        (("post_stratified", [0], [True]), {"strata": 0}, "strata must be at least 1"),
        (("unweighted", None, None), {}, "at least one row"),
        (("unweighted", [0], [True]), {"utility": "false"}, "unknown utility 'false'"),
        (("unweighted", [], []), {}, "at least one row"),
        (("unweighted", [0, 0], [1, 1]), {}, "more than once"),
        (("unweighted", [0, 6], [1, 1]), {}, "not in the pool of 6"),
        (("unweighted", [0], None), {}, "give correct, or the labels"),
        (("unweighted", [0], [True, True]), {}, "1 times true or false"),
        (("unweighted", [0], [0.5]), {}, "1 times true or false"),
        (("unweighted", [0], None), {"labels": [3]}, "label 3 is not a class"),
        (("unweighted", [0, 1], None), {"labels": [1, None]}, "item number 1 .* is missing"),
        (("unweighted", [0, 1], None), {"labels": [np.nan, 1]}, "item number 0 .* is missing"),
        (("unweighted", [0, 1], None), {"labels": [1]}, "2 items need as many labels"),
        (("unweighted", [0, 1], [True, True]), {"labels": [1, 0]}, "disagree on item 1"),
        (("kde", [0], [True]), {}, "weighs by embeddings, and the pool has none"),
    ],
)
def test_malformed_input_is_refused(arguments, options, words):
    name, labelled, correct = arguments
    with pytest.raises(ValueError, match=words):
        estimate(name, hand_pool(), labelled, correct, **options)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"classes": ("a",)}, "posteriors have 2 columns"),
        ({"classes": ("a", "a")}, "posteriors have 2 columns"),
        ({"predictions": [0, 1]}, "6 posteriors, but predictions of shape"),
        ({"predictions": [0, 1, 2, 0, 0, 0]}, "prediction 2 is not one of the classes"),
        ({"recordings": ["r"]}, "6 posteriors, but 1 recordings"),
        ({"positive": "x"}, "positive class 'x'"),
    ],
)
def test_malformed_pools_are_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        hand_pool(**changes)


def test_posteriors_and_utilities_must_be_finite():
    with pytest.raises(ValueError, match="posteriors must be finite"):
        Pool(None, [[np.nan, 1.0]])
    with pytest.raises(ValueError, match=r"do not sum to 1.*1"):
        Pool(None, [[0.0, 1.0], [0.4, 0.4]])
    with pytest.raises(ValueError, match="negative value"):
        Pool(None, [[-0.5, 1.5]])
    with pytest.raises(ValueError, match=r"weight 0 is -1\.0"):
        Pool(None, [[0.0, 1.0]], utilities={"true": [-1.0]})


def test_positive_class_can_be_the_first():
    found = estimate(
        "unweighted", hand_pool(positive=0), [0, 1, 2], labels=[1, 0, 0], measure="f1", resamples=0
    )
    # item 2 is a right 0, item 1 a missed 0
    assert found.value == pytest.approx(2 / (2 + 1))
