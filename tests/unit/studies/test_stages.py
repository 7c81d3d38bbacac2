"""A stamp changes with code and settings of its stage and of all before it, and nothing else."""

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


def stamp(name="second", choice="a", **changed):
    return stages.stamp({**CHAIN, **changed}, name, name=choice)


def test_a_stamp_is_of_code_settings_and_the_stage_before():
    before = provenance.stamp(provenance.code_version("rng"), before="", settings={"seed": 1})
    assert stamp("first") == before
    code = provenance.code_version("measures")
    assert stamp() == provenance.stamp(code, before=before, settings={"options": "a"})


def test_a_choice_decides_the_stage_before_and_the_settings():
    assert len({stamp(choice=choice) for choice in ("a", "b", "c")}) == 3
    assert stamp(choice="b") == stamp(choice="b", first=Stage(("rng",)))
    assert stamp(choice="a") != stamp(choice="a", first=Stage(("rng",)))


@pytest.mark.parametrize("stage", [Stage(("utility",)), Stage(("rng",), lambda **_: {"seed": 2})])
def test_other_code_or_settings_before_it_change_a_stamp(stage):
    assert stamp(first=stage) != stamp()


def test_a_plugin_is_of_the_code_of_its_choice_only():
    shared = provenance.code_version("measures")
    assert stages.code_version(CHAIN["second"]) == shared
    assert stages.code_version(CHAIN["second"], name="a") == shared
    code = provenance.code_version("measures", "embeddings.backends.logmel")
    assert stages.code_version(CHAIN["second"], name="logmel") == code


def test_a_stage_without_its_module_is_an_error():
    with pytest.raises(ValueError, match=r"no module earnest\.nowhere"):
        stages.code_version(Stage(("nowhere",)))
