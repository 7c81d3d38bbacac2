"""Measures against hand-made vectors, scikit-learn and their own definition of undefined."""

import numpy as np
import pytest
from sklearn import metrics

from earnest.measures import MEASURES, Score, check_weights, score, score_many

Y_TRUE = [0, 0, 0, 1, 1]
Y_PRED = [0, 1, 0, 1, 0]
Y_SCORE = [0.1, 0.6, 0.4, 0.8, 0.4]
WEIGHTS = [1, 2, 1, 3, 1]


@pytest.mark.parametrize(
    ("name", "weights", "expected"),
    [
        # right: items 0, 2, 3
        ("accuracy", None, 3 / 5),
        ("accuracy", WEIGHTS, (1 + 1 + 3) / 8),
        # recall of 0: 2 of 3; of 1: 1 of 2. Weighted: 2 of 4; 3 of 4
        ("balanced_accuracy", None, (2 / 3 + 1 / 2) / 2),
        ("balanced_accuracy", WEIGHTS, (2 / 4 + 3 / 4) / 2),
        # TP item 3, FP item 1, FN item 4: 2 TP / (2 TP + FP + FN)
        ("f1", None, 2 / (2 + 1 + 1)),
        ("f1", WEIGHTS, 6 / (6 + 2 + 1)),
        # pairs (3, *) all right: 3; (4, 0) right, (4, 1) wrong, (4, 2) tied: 1.5; of 6
        ("roc_auc", None, 4.5 / 6),
        # item 3: 3 * (1 + 2 + 1) = 12; item 4: 1 * (1 + 0 + 1/2) = 1.5; of 4 * 4
        ("roc_auc", WEIGHTS, 13.5 / 16),
    ],
)
def test_hand_checked_vectors(name, weights, expected):
    result = score(name, Y_TRUE, Y_PRED, y_score=Y_SCORE, weights=weights)
    assert result.value == pytest.approx(expected, abs=1e-15)
    assert result.reason is None


def test_the_papers_illustration_of_balanced_accuracy():
    # Section 3: majority recall .95; minority A is 90 % with recall .95, B 10 % with recall .10.
    # Plain minority recall .865; with A and B of equal influence it is .525.
    y_true = np.repeat([0, 1, 1], [1000, 900, 100])
    y_pred = np.concatenate(
        [np.repeat([0, 1], [950, 50]), np.repeat([1, 0], [855, 45]), np.repeat([1, 0], [10, 90])]
    )
    equal = np.repeat([1.0, 1.0, 9.0], [1000, 900, 100])
    plain = score("balanced_accuracy", y_true, y_pred)
    assert plain.value == pytest.approx((0.95 + 0.865) / 2, abs=1e-12)
    weighted = score("balanced_accuracy", y_true, y_pred, weights=equal)
    assert weighted.value == pytest.approx((0.95 + 0.525) / 2, abs=1e-12)


def test_balanced_accuracy_of_three_named_classes():
    # recalls: cat 1 of 2, dog 1 of 1, owl 2 of 3
    y_true = ["cat", "cat", "dog", "owl", "owl", "owl"]
    y_pred = ["cat", "dog", "dog", "owl", "owl", "cat"]
    result = score("balanced_accuracy", y_true, y_pred)
    assert result.value == pytest.approx((1 / 2 + 1 + 2 / 3) / 3, abs=1e-15)


def test_weights_are_used():
    # right on one half, with weights 2 and 0
    arguments = ("accuracy", [1, 1, 0, 0], [1, 1, 1, 1])
    assert score(*arguments).value == 0.5
    assert score(*arguments, weights=[2, 2, 0, 0]).value == 1.0


def reference(name, y_true, y_pred, y_score, weights):
    function = {
        "accuracy": metrics.accuracy_score,
        "balanced_accuracy": metrics.balanced_accuracy_score,
        "f1": metrics.f1_score,
        "roc_auc": metrics.roc_auc_score,
        "recall": metrics.recall_score,
    }[name]
    predicted = y_score if name == "roc_auc" else y_pred
    return function(y_true, predicted, sample_weight=weights)


@pytest.mark.parametrize("name", MEASURES)
def test_agrees_with_scikit_learn(name):
    rng = np.random.default_rng(5)
    for _ in range(30):
        n = int(rng.integers(8, 200))
        y_true = np.r_[0, 1, rng.integers(0, 2, n)]
        y_pred = np.r_[1, 1, rng.integers(0, 2, n)]
        y_score = rng.integers(0, 12, n + 2) / 12  # many ties
        weights = rng.gamma(0.4, size=n + 2)
        ours = score(name, y_true, y_pred, y_score=y_score, weights=weights).value
        theirs = reference(name, y_true, y_pred, y_score, weights)
        assert ours == pytest.approx(theirs, abs=1e-12)


def test_multiclass_agrees_with_scikit_learn():
    rng = np.random.default_rng(6)
    y_true, y_pred = rng.integers(0, 7, (2, 400))
    weights = rng.random(400)
    for name in ("accuracy", "balanced_accuracy"):
        ours = score(name, y_true, y_pred, weights=weights).value
        assert ours == pytest.approx(reference(name, y_true, y_pred, None, weights), abs=1e-12)


@pytest.mark.parametrize("name", MEASURES)
def test_score_many_scores_each_row_of_weights(name):
    weights = np.random.default_rng(0).random((6, 5))
    many = score_many(name, Y_TRUE, Y_PRED, y_score=Y_SCORE, weights=weights)
    one_by_one = [
        score(name, Y_TRUE, Y_PRED, y_score=Y_SCORE, weights=row).value for row in weights
    ]
    assert many.shape == (6,)
    np.testing.assert_allclose(many, one_by_one, rtol=0, atol=1e-14)


def test_score_many_is_nan_only_where_undefined():
    # the second weighting leaves class 1 without weight
    weights = np.array([[1.0, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
    for name in ("balanced_accuracy", "roc_auc"):
        values = score_many(name, Y_TRUE, Y_PRED, y_score=Y_SCORE, weights=weights)
        assert np.isnan(values).tolist() == [False, True]


@pytest.mark.parametrize(
    ("name", "y_true", "y_pred", "words"),
    [
        ("balanced_accuracy", [0, 0, 0], [0, 1, 0], "no labelled item of class 1"),
        ("balanced_accuracy", [1, 1], [1, 1], "no labelled item of class 0"),
        ("balanced_accuracy", ["a", "a"], ["a", "b"], "no labelled item of class b"),
        ("balanced_accuracy", ["a", "a"], ["a", "a"], "only the class a"),
        ("roc_auc", [1, 1], [1, 0], "no labelled item of class 0"),
        ("f1", [0, 0], [0, 0], "predicted positive"),
        ("recall", [0, 0], [0, 1], "no labelled item of this class"),
        ("accuracy", [], [], "no items"),
    ],
)
def test_undefined_is_none_with_a_reason(name, y_true, y_pred, words):
    result = score(name, y_true, y_pred, y_score=[0.5] * len(y_true))
    assert result.value is None
    assert words in result.reason


def test_a_class_without_weight_is_missing():
    result = score("balanced_accuracy", Y_TRUE, Y_PRED, weights=[1, 1, 1, 0, 0])
    assert result == Score(None, "no labelled item of class 1, so balanced accuracy is undefined")


def test_classes_can_be_asked_for():
    result = score("balanced_accuracy", ["a", "b"], ["a", "b"], classes=["a", "b", "c"])
    assert result.value is None
    assert "class c" in result.reason
    with pytest.raises(ValueError, match="'b', which is not one of the classes"):
        score("balanced_accuracy", ["a", "b"], ["a", "a"], classes=["a"])


def test_f1_is_zero_when_all_positives_are_missed():
    assert score("f1", [1, 1, 0], [0, 0, 0]).value == 0.0


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([2, -1], "weight 1 is -1.0"),
        ([0, 0], "all weights are zero"),
        ([1, np.nan], "weight 1 is nan"),
        ([np.inf, 1], "weight 0 is inf"),
        ([1, 1, 1], r"shape \(2,\)"),
    ],
)
def test_bad_weights_are_refused(weights, words):
    with pytest.raises(ValueError, match=words):
        score("accuracy", [1, 0], [1, 1], weights=weights)


def test_check_weights_gives_ones_for_none():
    assert check_weights(None, 3).tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("name", "arguments", "options", "words"),
    [
        ("gain", ([1], [1]), {}, "unknown measure 'gain'; there are accuracy"),
        ("accuracy", ([1, 0], [1]), {}, "y_true has 2 items, y_pred has 1"),
        ("accuracy", ([[1, 0]], [1]), {}, "one dimension"),
        ("accuracy", ([1, 0], None), {}, "accuracy needs y_pred"),
        ("f1", ([1, 2], [1, 1]), {}, "f1 takes labels 0 and 1 only"),
        ("roc_auc", (["a", "b"], None), {"y_score": [0, 1]}, "roc_auc takes labels 0 and 1"),
        ("roc_auc", ([1, 0], None), {}, "roc_auc needs y_score"),
        ("roc_auc", ([1, 0], None), {"y_score": [0, np.nan]}, "y_score 1 is nan"),
        ("roc_auc", ([1, 0], None), {"y_score": [0]}, r"shape \(2,\)"),
        ("balanced_accuracy", (["1", "0"], [1, 0]), {}, "different kinds"),
    ],
)
def test_malformed_input_is_refused(name, arguments, options, words):
    with pytest.raises(ValueError, match=words):
        score(name, *arguments, **options)


def test_a_perfect_ranking_is_one_and_not_more():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(3, 40))
        y_true = np.arange(n) >= rng.integers(1, n)
        weights = rng.random(n) + 1e-3
        one = score("roc_auc", y_true.astype(int), None, y_score=np.arange(n), weights=weights)
        assert one.value == pytest.approx(1, abs=1e-15)
        assert one.value <= 1
