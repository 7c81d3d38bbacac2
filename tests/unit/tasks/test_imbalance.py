"""Corrections of imbalance: sizes, sources, and what cannot be run."""

import numpy as np
import pytest

from earnest.tasks.imbalance import CORRECTIONS, NotRun, correct

RNG = np.random.default_rng(5)
FEATURES = RNG.normal(size=(40, 3))
IS_MINORITY = np.arange(40) >= 32


@pytest.mark.parametrize(
    ("name", "majority", "minority"),
    [("none", 32, 8), ("weight", 32, 8), ("ros", 32, 32), ("rus", 8, 8), ("smote", 32, 32)],
)
def test_sizes_after_each_correction(name, majority, minority):
    found = correct(name, FEATURES, IS_MINORITY, seed=1)
    assert (int((~found.is_minority).sum()), int(found.is_minority.sum())) == (majority, minority)
    assert len(found.features) == len(found.sources) == majority + minority
    assert found.class_weight == ("balanced" if name == "weight" else None)
    assert (IS_MINORITY[found.sources] == found.is_minority).all()


@pytest.mark.parametrize("name", ["none", "weight", "ros", "rus"])
def test_copies_are_their_sources(name):
    found = correct(name, FEATURES, IS_MINORITY, seed=2)
    np.testing.assert_array_equal(found.features, FEATURES[found.sources])


def test_synthetic_rows_lie_between_their_source_and_another_member():
    found = correct("smote", FEATURES, IS_MINORITY, seed=3)
    np.testing.assert_array_equal(found.features[:40], FEATURES)
    members = FEATURES[IS_MINORITY]
    for row, source in zip(found.features[40:], found.sources[40:], strict=True):
        start = FEATURES[source]
        steps = members - start
        # the synthetic row is start + t (member - start), 0 <= t <= 1, for one of the members
        lengths = np.maximum((steps**2).sum(axis=1), 1e-300)
        share = np.clip(steps @ (row - start) / lengths, 0, 1)
        assert np.abs(start + share[:, np.newaxis] * steps - row).sum(axis=1).min() < 1e-9


@pytest.mark.parametrize(("members", "neighbours"), [(2, 1), (4, 3), (5, 4), (6, 5), (9, 5)])
def test_smote_takes_as_many_neighbours_as_there_are(members, neighbours):
    is_minority = np.arange(40) < members
    found = correct("smote", FEATURES, is_minority, seed=0)
    assert found.neighbours == neighbours
    assert found.is_minority.sum() == 40 - members


def test_smote_with_one_member_is_not_run():
    with pytest.raises(NotRun, match="1 member"):
        correct("smote", FEATURES, np.arange(40) == 0, seed=0)


@pytest.mark.parametrize("name", CORRECTIONS)
def test_a_missing_class_is_not_run(name):
    with pytest.raises(NotRun, match="no minority item"):
        correct(name, FEATURES, np.zeros(40, dtype=bool), seed=0)
    with pytest.raises(NotRun, match="no majority item"):
        correct(name, FEATURES, np.ones(40, dtype=bool), seed=0)


@pytest.mark.parametrize("name", ["ros", "rus", "smote"])
def test_the_seed_decides(name):
    one, same, other = (correct(name, FEATURES, IS_MINORITY, seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(one.features, same.features)
    assert not np.array_equal(one.sources, other.sources)


def test_an_unknown_correction_is_named():
    with pytest.raises(ValueError, match="unknown correction 'boost'; there are none, ros"):
        correct("boost", FEATURES, IS_MINORITY, seed=0)
