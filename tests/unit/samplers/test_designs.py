"""Designs with known chances, against enumeration of every possible draw."""

from itertools import permutations

import numpy as np
import pytest

from earnest.samplers import SAMPLERS, designs

CHANCES = np.array([0.4, 0.3, 0.2, 0.1])
VALUES = np.array([1.0, 0.0, 0.0, 1.0])


def turns_of(order, chances=CHANCES):
    left = 1 - np.concatenate([[0], np.cumsum(chances[list(order)])[:-1]])
    return chances[list(order)] / left


def test_lure_weights_by_hand():
    # N = 4, n = 2: 1 + 2/3 (1 / (4 x 1/2) - 1) = 2/3; 1 + 2/2 (1 / (3 x 1/6) - 1) = 2
    found = designs.lure_weights([1 / 2, 1 / 6], 4)
    np.testing.assert_allclose(found, [2 / 3, 2], rtol=1e-15)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_lure_is_unbiased_over_all_possible_draws(n):
    expected = 0.0
    for order in permutations(range(4), n):
        turns = turns_of(order)
        expected += turns.prod() * np.mean(designs.lure_weights(turns, 4) * VALUES[list(order)])
    assert expected == pytest.approx(VALUES.mean(), abs=1e-14)


def test_uniform_chances_leave_all_weights_at_one():
    design = designs.uniform(3, 7)
    np.testing.assert_allclose(design.turns, [1 / 7, 1 / 6, 1 / 5])
    np.testing.assert_allclose(design.inclusion, 3 / 7)
    np.testing.assert_allclose(designs.lure_weights(design.turns, 7), 1, rtol=1e-14)


def test_prefix_of_a_draw_by_hand():
    # items with chances .4, .1, .3 were drawn; turns .4 / 1, .1 / .6, .3 / .5
    # an item of chance 1/4 is missed with chance 1/2, so one of chance p with (1/2)^(4 p)
    design = designs.of_prefix([0.4, 0.1, 0.3, 0.2], [0.8, 0.7, 0.5, 0.0], 3, 4)
    np.testing.assert_allclose(design.turns, [0.4, 1 / 6, 0.6], rtol=1e-14)
    np.testing.assert_allclose(design.inclusion, 1 - 0.5 ** np.array([1.6, 0.4, 1.2]))
    whole = designs.of_prefix([0.4, 0.1, 0.3, 0.2], [0.8, 0.7, 0.5, 0.0], 4, 4)
    assert whole.turns[-1] == pytest.approx(1)
    assert whole.inclusion.tolist() == [1, 1, 1, 1]


def posteriors_of(unsure):
    return np.column_stack([1 - np.array(unsure), unsure])


def test_chances_are_half_uniform_and_half_uncertainty():
    # u = .1, .2, .3, .4 of sum 1: .5 / 4 + .5 u
    drawn = designs.mixed_draw(posteriors_of([0.1, 0.2, 0.3, 0.4]), 4, rng=np.random.default_rng(0))
    expected = 0.125 + 0.5 * np.array([0.1, 0.2, 0.3, 0.4])
    np.testing.assert_allclose(drawn.chances, expected[drawn.items])
    assert sorted(drawn.items) == [0, 1, 2, 3]
    assert drawn.missed[-1] == 0
    assert (np.diff(drawn.missed) < 0).all()


def test_without_any_uncertainty_all_chances_are_equal():
    drawn = designs.mixed_draw(np.eye(3), 2, rng=np.random.default_rng(0))
    np.testing.assert_allclose(drawn.chances, 1 / 3)


def test_draws_follow_the_chances():
    posteriors = posteriors_of([0.0, 0.1, 0.4, 0.5])
    chances = 0.125 + 0.5 * np.array([0.0, 0.1, 0.4, 0.5])
    rng, repeats = np.random.default_rng(5), 4000
    drawn = [designs.mixed_draw(posteriors, 2, rng=rng).items for _ in range(repeats)]
    first = np.bincount([items[0] for items in drawn], minlength=4) / repeats
    assert np.abs(first - chances).max() < 4 * 0.5 / np.sqrt(repeats)
    # the second, given that item 3 came first
    second = np.array([items[1] for items in drawn if items[0] == 3])
    shares = np.bincount(second, minlength=4) / len(second)
    expected = np.append(chances[:3] / chances[:3].sum(), 0)
    assert np.abs(shares - expected).max() < 4 * 0.5 / np.sqrt(len(second))


def test_horvitz_thompson_totals_are_unbiased():
    rng = np.random.default_rng(8)
    unsure = rng.uniform(0, 0.5, 30)
    posteriors = posteriors_of(unsure)
    values = (unsure < 0.3).astype(float)
    totals, naive = [], []
    for _ in range(3000):
        drawn = designs.mixed_draw(posteriors, 8, rng=rng)
        design = designs.of_prefix(drawn.chances, drawn.missed, 8, 30)
        totals.append((values[drawn.items] / design.inclusion).sum() / 30)
        naive.append(values[drawn.items].mean())
    error = np.std(totals) / np.sqrt(len(totals))
    assert abs(np.mean(totals) - values.mean()) < 4 * error
    assert abs(np.mean(naive) - values.mean()) > 8 * error


def test_a_longer_draw_begins_with_the_shorter_one_and_its_chances():
    posteriors = posteriors_of(np.linspace(0, 0.5, 9))
    short = designs.mixed_draw(posteriors, 4, rng=np.random.default_rng(1))
    long = designs.mixed_draw(posteriors, 9, rng=np.random.default_rng(1))
    for name in ("items", "chances", "missed"):
        assert getattr(short, name).tolist() == getattr(long, name)[:4].tolist()


def test_the_sampler_gives_the_items_of_the_recorded_draw():
    posteriors = posteriors_of(np.linspace(0, 0.5, 9))
    items = SAMPLERS["uncertainty_mixed"](
        np.zeros((9, 2)), 5, posteriors=posteriors, rng=np.random.default_rng(2)
    )
    drawn = designs.mixed_draw(posteriors, 5, rng=np.random.default_rng(2))
    assert items.tolist() == drawn.items.tolist()


def test_what_is_missed_makes_the_chances_of_inclusion_sum_to_the_size():
    chances = np.random.default_rng(0).dirichlet(np.full(40, 0.5))
    missed = designs.missed_on_average(chances, 40)
    for m in (1, 7, 39):
        inclusion = 1 - missed[m - 1] ** (40 * chances)
        assert inclusion.sum() == pytest.approx(m, rel=1e-8)
    assert missed[39] == 0
    # equal chances: every item is among the first m with chance m / N
    even = designs.missed_on_average(np.full(8, 1 / 8), 8)
    np.testing.assert_allclose(even, 1 - np.arange(1, 9) / 8, atol=1e-9)


def test_groups_of_similar_chances_stand_for_the_items_of_large_pools(monkeypatch):
    raw = np.random.default_rng(0).uniform(0.5, 3, 5003)
    chances = raw / raw.sum()
    exact = designs.missed_on_average(chances, 300)
    monkeypatch.setattr(designs, "LARGEST_UNGROUPED_POOL", 500)
    np.testing.assert_allclose(designs.missed_on_average(chances, 300), exact, rtol=1e-6)


@pytest.mark.parametrize("share", [0, -0.1, 1.1, np.nan])
def test_a_share_that_leaves_items_without_chance_is_refused(share):
    with pytest.raises(ValueError, match="uniform_share must be above 0 and at most 1"):
        designs.mixed_draw(np.eye(3), 2, rng=np.random.default_rng(0), uniform_share=share)


@pytest.mark.parametrize("bad", [0.0, -0.1, 1.5, np.nan])
def test_impossible_chances_are_refused(bad):
    with pytest.raises(ValueError, match="inclusion: chance 1 is"):
        designs.Design([0.1, 0.2], [0.5, bad])
