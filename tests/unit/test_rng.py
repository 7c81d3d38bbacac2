import numpy as np
import pytest

from earnest.rng import generator


def first(*arguments):
    return int(generator(*arguments).integers(2**62))


def test_equal_names_give_equal_streams():
    first_draws = generator(7, "foregrounds", "farthest", 3).random(5)
    again = generator(7, "foregrounds", "farthest", 3).random(5)
    np.testing.assert_array_equal(first_draws, again)


def test_every_part_of_the_name_counts():
    names = [
        (0, "a", "b", 1),
        (1, "a", "b", 1),
        (0, "a", "b", 2),
        (0, "ab", "", 1),
        (0, "", "ab", 1),
        (0, "a", "b", "1"),
        (0, "a", "b"),
    ]
    assert len({first(*name) for name in names}) == len(names)


def test_streams_do_not_change_between_releases():
    # Frozen on the day the scheme was chosen: results of earlier runs depend on it.
    assert first(0, "task", "random", 0) == FROZEN
    assert first(0, "task", "random", np.int64(0)) == FROZEN


FROZEN = 3831528859489042120


@pytest.mark.parametrize("name", [1.5, None, True, ("a",)])
def test_other_kinds_of_names_are_refused(name):
    with pytest.raises(TypeError, match="named by strings and integers"):
        generator(0, name)


def test_negative_root_seed_is_refused():
    with pytest.raises(ValueError, match="root_seed must be 0 or larger, got -1"):
        generator(-1)
