"""What to label next and how many labels it takes: by hand, and drawn many times."""

import math

import numpy as np
import pytest

from earnest.estimates import Pool, estimate
from earnest.protocols.ownpool import labelling
from earnest.protocols.ownpool.labelling import Residuals, draw, fewest, half_width, inclusion
from earnest.samplers.designs import Design


def test_chances_by_hand():
    # a quarter of a half each, and half shared by the two with residuals; times 2
    chances = inclusion(np.array([0.25, 0.25, 0, 0]), 2, uniform_share=0.5)
    assert chances == pytest.approx([0.75, 0.75, 0.25, 0.25])


def test_what_cannot_exceed_one_goes_to_the_others():
    # wishes 2/3, 1/6, 1/6 times 2: the first is sure, the other two share one
    assert inclusion(np.array([1.0, 0, 0]), 2, uniform_share=0.5) == pytest.approx([1, 0.5, 0.5])
    assert inclusion(np.array([1.0, 0, 0]), 3) == pytest.approx([1, 1, 1])
    assert inclusion(np.zeros(4), 1) == pytest.approx(np.full(4, 0.25))


@pytest.mark.parametrize("count", [1, 7, 150, 299, 300])
def test_chances_sum_to_the_budget_and_keep_their_floor(count):
    square = np.random.default_rng(0).exponential(size=300) ** 4
    chances = inclusion(square, count, uniform_share=0.5)
    assert chances.sum() == pytest.approx(count, rel=1e-8)
    assert (chances <= 1).all()
    assert (chances >= 0.5 * count / 300 - 1e-12).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"count": 0}, "0 items cannot be drawn from 3"),
        ({"count": 4}, "4 items cannot be drawn from 3"),
        ({"count": 1, "uniform_share": 0}, "uniform_share must be above 0"),
    ],
)
def test_budgets_that_make_no_sense(arguments, words):
    with pytest.raises(ValueError, match=words):
        inclusion(np.ones(3), **arguments)


def test_a_draw_has_its_chances_and_so_have_its_first_items():
    chances = np.array([0.9, 0.6, 0.3, 0.2, 1.0])
    rng, draws = np.random.default_rng(5), 4000
    found = np.array([draw(chances, rng) for _ in range(draws)])
    assert found.shape == (draws, 3)
    assert all(len(set(row)) == 3 for row in found.tolist())
    for first in (3, 1):
        shares = np.bincount(found[:, :first].ravel(), minlength=5) / draws
        expected = chances * first / 3
        errors = np.sqrt(expected * (1 - expected) / draws)
        assert (np.abs(shares - expected) <= 4 * errors + 1e-12).all()


def test_half_width_of_equal_chances_is_that_of_a_random_sample():
    expected = Residuals(np.full(100, 0.8), np.zeros(100), np.full(100, 0.16))
    found = half_width(expected, np.arange(100), 20, 2.0, chances=np.full(100, 0.2))
    assert found == pytest.approx(2 * 0.4 * math.sqrt(0.8 / 20))
    # a residual that all items share is no noise in a draw of fixed size
    shared = Residuals(np.full(100, 0.8), np.full(100, 0.3), np.full(100, 0.16 + 0.09))
    again = half_width(shared, np.arange(100), 20, 2.0, chances=np.full(100, 0.2))
    assert again == pytest.approx(found)
    assert half_width(expected, np.arange(100), 100, 2.0, chances=np.ones(100)) == 0


def test_labels_of_a_random_sample_by_hand():
    # n0 = 1.96^2 x .25 / .05^2 = 384.16; 384.16 / 1.38416 = 277.54
    assert labelling.random_labels(0.25, 1000, 0.05, 1.96) == 278
    assert labelling.random_labels(0.25, 10**9, 0.05, 1.96) == 385
    assert labelling.random_labels(0.0, 1000, 0.05, 1.96) == 1


def test_fewest_finds_the_first_that_is_narrow_enough():
    assert fewest(lambda count: 1 / count, 1000, 0.02) == 50
    assert fewest(lambda count: 0.0, 1000, 0.02) == 1
    assert fewest(lambda count: 0.03 if count < 1000 else 0.0, 1000, 0.02) == 1000


def test_random_plans_by_hand():
    expected = Residuals(np.full(1001, 0.5), np.zeros(1001), np.full(1001, 0.09))
    rest = np.arange(101, 1001)  # 101 labels are there
    z = 1.96
    found = labelling.random_plans(expected, rest, random=True, target=0.05, count=99, z=z)
    (_, plain, labels, half), (_, other, fewer, _) = found
    assert (plain, other) == ("unweighted", "difference")
    # variance 1/4 x 1001/1000; n0 = 384.54, / (1 + n0 / 1001) = 277.8 -> 278
    assert labels == 278 - 101
    assert half == pytest.approx(z * math.sqrt((1 - 200 / 1001) * 0.25 * 1.001 / 200))
    # n0 = 1.96^2 x .09009 / .0025 = 138.4 -> 121.6
    assert fewer == 122 - 101
    found = labelling.random_plans(expected, rest, random=False, target=0.05, count=99, z=z)
    # the rest is a pool of 900 in which the half-width may be 1001/900 times as large
    n0 = z**2 * 0.25 * 900 / 899 / (0.05 * 1001 / 900) ** 2
    assert found[0][2] == math.ceil(n0 / (1 + n0 / 900))


def test_rounds_of_labels_hold_whatever_the_first_ones_were():
    """First labels by hand (only sure items), then a designed draw: 120 times."""
    rng = np.random.default_rng(3)
    confidence = rng.uniform(0.5, 1, 800)
    right = rng.random(800) < np.where(confidence > 0.9, 0.6, confidence)  # falsely sure
    pool = Pool(None, np.column_stack([1 - confidence, confidence]), predictions=np.ones(800, int))
    labels, first = right.astype(int), np.argsort(-confidence)[:40]
    expected = labelling.expected_residuals(pool, first, labels[first])
    rest = np.setdiff1d(np.arange(800), first)
    chances = inclusion(expected.square[rest], 80)
    errors, held = [], 0
    for seed in range(120):
        drawn = draw(chances, np.random.default_rng(seed))
        rows = np.concatenate([first, rest[drawn]])
        design = Design(None, np.concatenate([np.ones(40), chances[drawn]]))
        found = estimate("design_difference", pool, rows, labels=labels[rows], design=design)
        errors.append(found.value - right.mean())
        held += found.low <= right.mean() <= found.high
    # unbiased, and 120 intervals of coverage .95 have a standard error of .02
    assert abs(np.mean(errors)) < 4 * np.std(errors) / math.sqrt(120)
    assert 0.89 <= held / 120 <= 1
