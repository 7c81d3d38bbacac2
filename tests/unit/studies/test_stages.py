"""A stamp changes with code and settings of its stage and of all before it, and nothing else."""

import re

import pytest

from earnest.io import provenance
from earnest.studies import stages
from earnest.studies.stages import Stage

CHAIN = {
    "first": Stage(("rng",), lambda **_: {"seed": 1}),
    "second": Stage(
        ("measures",),
        lambda name, **_: {"options": name},
        before=lambda name, **_: "other" if name == "b" else "first",
        plugins=lambda name, **_: (f"embeddings.backends.{name}",) if name == "logmel" else (),
    ),
    "other": Stage(("utility",)),
}


class Given:
    """Digests that a test gives, instead of those of files."""

    def __init__(self, **digests):
        self.digests = digests

    def of_each(self, paths):
        return [self.digests[path] for path in paths]


def stamp(name="second", choice="a", contents=None, **changed):
    return stages.stamp({**CHAIN, **changed}, name, contents or Given(), name=choice)


def test_a_stamp_is_of_code_settings_and_the_stage_before():
    before = provenance.stamp(
        provenance.code_version("rng"), before="", settings={"seed": 1}, inputs=[]
    )
    assert stamp("first") == before
    code = provenance.code_version("measures")
    assert stamp() == provenance.stamp(code, before=before, settings={"options": "a"}, inputs=[])


def test_a_choice_decides_the_stage_before_and_the_settings():
    assert len({stamp(choice=choice) for choice in ("a", "b", "c")}) == 3
    assert stamp(choice="b") == stamp(choice="b", first=Stage(("rng",)))
    assert stamp(choice="a") != stamp(choice="a", first=Stage(("rng",)))


@pytest.mark.parametrize("stage", [Stage(("utility",)), Stage(("rng",), lambda **_: {"seed": 2})])
def test_other_code_or_settings_before_it_change_a_stamp(stage):
    assert stamp(first=stage) != stamp()


def test_what_input_files_hold_is_in_the_stamp_of_their_stage_and_of_those_after_it():
    first = Stage(("rng",), inputs=lambda **_: ["file"])
    one = stamp(first=first, contents=Given(file="a"))
    assert stamp(first=first, contents=Given(file="b")) != one
    assert stamp(first=first, contents=Given(file="a")) == one
    assert stamp(choice="b", first=first, contents=Given()) == stamp(choice="b")


def test_a_plugin_is_of_the_code_of_its_choice_only():
    shared = provenance.code_version("measures")
    assert stages.code_version(CHAIN["second"]) == shared
    assert stages.code_version(CHAIN["second"], name="a") == shared
    code = provenance.code_version("measures", "embeddings.backends.logmel")
    assert stages.code_version(CHAIN["second"], name="logmel") == code


def test_a_stage_without_its_module_is_an_error():
    with pytest.raises(ValueError, match=r"no module earnest\.nowhere"):
        stages.code_version(Stage(("nowhere",)))


UNSTAMPED = {
    # They make what the stages of people's files begin with, and have the digests as parameters.
    "synthesise_demo",
    "fetch_dataset",
    "fetch_table",
    "locate_folder",
}


def test_every_rule_has_the_stamp_of_a_stage_so_that_no_update_ends_half_way(root):
    """A rule whose parameters say nothing of what came before sees nothing to do after a kill."""
    rules = {}
    for path in (root / "rules").rglob("*.smk"):
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(r"^rule (\w+):\n(.*?)(?=^\S|\Z)", text, re.S | re.M):
            if "script:" in match[2]:
                rules[match[1]] = match[2]
    without = {name for name, body in rules.items() if not re.search("stamp|provenance", body)}
    assert len(rules) > 25
    assert without == UNSTAMPED
