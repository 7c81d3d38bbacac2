"""Utility weights derived by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from earnest.utility import expected_utility, true_utility, utility_by_subconcept

TASK = SimpleNamespace(majority=("a", "b"), minority=("c", "d"))
TRAIN = ["a"] * 40 + ["b"] * 30 + ["c"] * 20 + ["d"] * 5
UTILITY = {"a": 1.0, "b": 1.0, "c": 2.0, "d": 8.0}  # 40 / 20 and 40 / 5

CLASSES = ["a", "b", "c", "d"]
POSTERIORS = [
    [0.5, 0.2, 0.2, 0.1],  # .5 + .2 + .4 + .8 = 1.9
    [0.0, 0.0, 0.25, 0.75],  # .5 + 6 = 6.5
    [0.6, 0.4, 0.0, 0.0],  # 1
]
KNOWN = {"minority": ("c", "d"), "is_minority": [True, True, False]}


def test_utility_is_largest_majority_over_own_size():
    assert utility_by_subconcept(TRAIN, TASK) == UTILITY


def test_utility_can_be_less_than_one():
    # a minority subconcept larger than every majority one counts less, as Eq. 5 has it
    task = SimpleNamespace(majority=("a",), minority=("c", "d"))
    assert utility_by_subconcept(["a"] * 10 + ["c"] * 20 + ["d"] * 10, task) == {
        "a": 1.0,
        "c": 0.5,
        "d": 1.0,
    }


def test_a_subconcept_without_training_items_is_named():
    with pytest.raises(ValueError, match="subconcept 'd' has no training item"):
        utility_by_subconcept(["a", "b", "c"], TASK)


def test_an_item_of_no_subconcept_is_named():
    with pytest.raises(ValueError, match="'z', which is no subconcept"):
        utility_by_subconcept([*TRAIN, "z"], TASK)


def test_true_utility_is_that_of_the_own_subconcept():
    assert true_utility(["d", "a", "c"], UTILITY).tolist() == [8.0, 1.0, 2.0]
    with pytest.raises(ValueError, match="'z' has no utility"):
        true_utility(["z"], UTILITY)


def test_expected_utility_of_equation_6():
    expected = expected_utility(POSTERIORS, CLASSES, UTILITY)
    np.testing.assert_allclose(expected, [1.9, 6.5, 1.0], rtol=0, atol=1e-15)


def test_columns_may_come_in_any_order():
    order = [3, 0, 2, 1]
    shuffled = np.array(POSTERIORS)[:, order]
    expected = expected_utility(shuffled, [CLASSES[k] for k in order], UTILITY)
    np.testing.assert_allclose(expected, [1.9, 6.5, 1.0], rtol=0, atol=1e-15)


def test_majority_one_pins_the_majority_only():
    posteriors = [*POSTERIORS[:2], POSTERIORS[0]]
    assert expected_utility(posteriors, CLASSES, UTILITY)[2] == pytest.approx(1.9)
    pinned = expected_utility(posteriors, CLASSES, UTILITY, majority_one=True, **KNOWN)
    np.testing.assert_allclose(pinned, [1.9, 6.5, 1.0], rtol=0, atol=1e-15)


def test_conditional_renormalises_over_the_minority():
    # row 0: (.2 * 2 + .1 * 8) / .3 = 4; row 1: already all minority, 6.5; row 2: majority, 1
    weights = expected_utility(POSTERIORS, CLASSES, UTILITY, conditional=True, **KNOWN)
    np.testing.assert_allclose(weights, [4.0, 6.5, 1.0], rtol=0, atol=1e-14)


def test_conditional_falls_back_on_training_shares_when_nothing_points_to_the_minority():
    # shares 20 and 5 of 25: (20 * 2 + 5 * 8) / 25 = 3.2
    known = KNOWN | {"is_minority": [True, True, True]}
    weights = expected_utility(POSTERIORS, CLASSES, UTILITY, conditional=True, **known)
    assert weights[2] == pytest.approx(3.2, abs=1e-14)


@pytest.mark.parametrize(
    ("posteriors", "classes", "options", "words"),
    [
        ([[0.5, 0.4]], ["a", "c"], {}, "row 0 are not probabilities"),
        ([[1.0, 0.0], [1.5, -0.5]], ["a", "c"], {}, "row 1 are not probabilities"),
        ([[np.nan, 1.0]], ["a", "c"], {}, "row 0 are not probabilities"),
        ([[1.0]], ["a", "c"], {}, "2 classes cannot have shape"),
        ([[0.5, 0.5]], ["a", "z"], {}, "'z' has no utility; there are a, b, c, d"),
        ([[0.5, 0.5]], ["a", "c"], {"conditional": True}, "need is_minority"),
        ([[0.5, 0.5]], ["a", "c"], {"majority_one": True}, "need is_minority"),
        (
            [[0.5, 0.5]],
            ["a", "c"],
            {"conditional": True, "is_minority": [True]},
            "needs minority",
        ),
        (
            [[0.5, 0.5]],
            ["a", "c"],
            {"conditional": True, "is_minority": [True], "minority": ["d"]},
            "'d' has no column",
        ),
        (
            [[0.5, 0.5]],
            ["a", "c"],
            {"majority_one": True, "is_minority": [True, False]},
            r"shape \(1,\)",
        ),
    ],
)
def test_malformed_input_is_refused(posteriors, classes, options, words):
    with pytest.raises(ValueError, match=words):
        expected_utility(posteriors, classes, UTILITY, **options)
