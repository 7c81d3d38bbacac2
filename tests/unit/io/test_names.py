"""Names that people take for one: case, blanks, look-alikes, invisible letters, typos."""

import pytest

from earnest.io.names import alike, nearest, normal, shown, skeleton


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("robin", "Robin"),
        ("robin", " robin"),
        ("song  thrush", "song\xa0thrush"),
        ("robin", "r\u043ebin"),  # Cyrillic o
        ("robin", "rob\u200bin"),
        ("\uff52obin", "robin"),
        ("V\xf6gel", "Vo\u0308gel"),
        ("stra\xdfe", "STRASSE"),
        ("\u03c1obin", "pobin"),
    ],
)
def test_names_that_look_alike(first, second):
    assert skeleton(first) == skeleton(second)
    assert alike(["wren", first, second]) == tuple(sorted((first, second)))
    assert alike([first, second], accepted=[second]) is None


@pytest.mark.parametrize(("first", "second"), [("dog", "dig"), ("1", "-1"), ("a b", "ab")])
def test_names_that_differ(first, second):
    assert alike([first, second]) is None


def test_code_points_tell_apart_what_looks_the_same():
    assert shown("robin", "Robin") == "'robin'"
    assert shown("r\u043ebin", "robin") == "'r\u043ebin' (\u043e is U+043E)"
    assert shown("robin", "r\u043ebin") == "'robin' (ASCII)"


def test_normal_form():
    assert normal("Vo\u0308gel") == "V\xf6gel"
    assert normal("plain") == "plain"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Blackbrid", "Blackbird"),
        ("blackbird", "Blackbird"),
        ("Blackbirds", "Blackbird"),
        ("Helikopter", "Helicopter"),
        ("wran", "wren"),
        ("class_3", None),  # numbered classes
        ("bat", None),  # as short as cat
        ("thrush", None),
    ],
)
def test_the_name_that_was_meant(name, meant):
    assert nearest(name, ["Blackbird", "Helicopter", "wren", "class_1", "cat"]) == meant
