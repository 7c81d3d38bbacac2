"""Halves: every subconcept in both, no recording on both sides, nothing left out without need."""

import numpy as np
import pytest

from earnest.protocols.crossval.folds import FoldError, components_of, grouped_sides, halves
from earnest.rng import generator


def mixed(foregrounds=4, backgrounds=3, recordings=10, mixtures=40, seed=0):
    """Recordings of each foreground mixed at random with recordings of each background."""
    rng = np.random.default_rng(seed)
    subconcept, groups = [], []
    for foreground in range(foregrounds):
        for _ in range(mixtures):
            background = rng.integers(backgrounds)
            subconcept.append(f"f{foreground}" + (f"+b{background}" if foreground == 0 else ""))
            groups.append(
                (
                    f"f{foreground}/{rng.integers(recordings)}",
                    f"b{background}/{rng.integers(recordings)}",
                )
            )
    return np.array(subconcept), np.array(groups)


def refuse_shared_recordings(groups, train, test):
    assert set(groups[train].ravel()) & set(groups[test].ravel()) == set()


def test_no_recording_is_on_both_sides():
    subconcept, groups = mixed()
    found = list(halves(subconcept, "made", 5, 0, groups=groups))
    assert [(repeat, fold) for repeat, fold, _, _ in found] == [
        (repeat, fold) for repeat in range(5) for fold in range(2)
    ]
    for _, _, train, test in found:
        refuse_shared_recordings(groups, train, test)
        assert np.intersect1d(train, test).size == 0
        for part in (train, test):
            assert set(subconcept[part]) == set(subconcept)
    # what one fold trains, the other tests
    np.testing.assert_array_equal(found[0][2], found[1][3])
    np.testing.assert_array_equal(found[0][3], found[1][2])


def test_random_mixtures_hang_together_and_most_are_kept_all_the_same():
    subconcept, groups = mixed()
    assert len(np.unique(components_of(groups))) == 1
    kept = []
    for repeat in range(5):
        sides = grouped_sides(subconcept, groups, generator(0, "made", repeat))
        kept.append((sides >= 0).mean())
        for name in set(subconcept):
            first, second = (np.sum(subconcept[sides == side] == name) for side in (0, 1))
            assert 1 / 3 <= first / second <= 3
    # sides drawn blindly would keep a half
    assert min(kept) > 0.6


def test_large_components_are_halved_each_by_itself():
    # two worlds that share no recording: the halves must not be the worlds
    one, two = mixed(seed=1), mixed(seed=2)
    subconcept = np.concatenate([one[0], two[0]])
    groups = np.concatenate([one[1], np.char.add("other ", two[1])])
    world = components_of(groups)
    assert np.bincount(world).tolist() == [160, 160]
    for _, _, train, test in halves(subconcept, "made", 3, 0, groups=groups):
        refuse_shared_recordings(groups, train, test)
        assert 0.4 < world[train].mean() < 0.6


def test_repeats_differ():
    subconcept, groups = mixed()
    tested = [test for _, _, _, test in halves(subconcept, "made", 3, 0, groups=groups)]
    assert not any(np.array_equal(tested[0], other) for other in tested[2:])


def test_small_components_stay_whole_and_every_item_is_used():
    # 20 components, each of 2 foreground recordings that share one background recording
    component = np.repeat(np.arange(20), 4)
    groups = np.stack(
        [
            np.char.add("f", (component * 2 + np.tile([0, 0, 1, 1], 20)).astype(str)),
            np.char.add("b", component.astype(str)),
        ],
        axis=1,
    )
    subconcept = np.where(component % 4 == 0, "rare", "usual")
    labels = components_of(groups)
    assert len(np.unique(labels)) == 20
    for _, _, train, test in halves(subconcept, "made", 3, 0, groups=groups):
        assert len(train) + len(test) == 80
        refuse_shared_recordings(labels[:, np.newaxis], train, test)
        assert 0.3 <= np.mean(np.isin(np.flatnonzero(subconcept == "rare"), test)) <= 0.7


def test_of_one_recording_an_item_every_item_is_used():
    # one recording holds half of the items
    groups = np.array(["long"] * 20 + [f"r{i}" for i in range(20)])[:, np.newaxis]
    subconcept = np.array(["a", "b"] * 20)
    for _, _, train, test in halves(subconcept, "made", 2, 0, groups=groups):
        assert len(train) + len(test) == 40
        refuse_shared_recordings(groups, train, test)


def test_a_clip_that_is_both_parts_of_a_mixture_counts_once():
    groups = np.array([["r1", "r1"], ["r2", "r2"], ["r3", "r4"], ["r4", "r3"]] * 3)
    np.testing.assert_array_equal(
        components_of(groups) == components_of(groups)[2], [False, False, True, True] * 3
    )
    sides = grouped_sides(np.array(["a"] * 12), groups, generator(0, "made"))
    assert (sides >= 0).all()


def test_a_subconcept_of_one_recording_has_no_two_halves():
    subconcept, groups = mixed()
    groups[subconcept == "f2", 0] = "f2/0"
    with pytest.raises(FoldError, match=r"repeat 0, fold \d: no \w+ item of subconcept 'f2'"):
        list(halves(subconcept, "made", 1, 0, groups=groups))


def test_without_recordings_nothing_is_left_out():
    subconcept = np.repeat(["a", "b"], [21, 9])
    for _, _, train, test in halves(subconcept, "made", 2, 0):
        assert sorted(np.concatenate([train, test])) == list(range(30))
        assert 4 <= np.sum(subconcept[test] == "b") <= 5


def test_only_seed_and_name_decide():
    subconcept, groups = mixed()
    one, same, other = (
        [test for *_, test in halves(subconcept, name, 2, seed, groups=groups)]
        for name, seed in (("x", 1), ("x", 1), ("x", 2))
    )
    assert all(np.array_equal(a, b) for a, b in zip(one, same, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
