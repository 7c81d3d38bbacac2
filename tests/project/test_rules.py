"""Rules: each script is part of the code that decides whether its job runs again."""

import re
from types import SimpleNamespace

import pytest
import yaml

from earnest.studies import kinds

OWN = {"kind": "own", "study": "o", "title": "O", "pool": "config/own/pool.csv"}
OWN |= {"labels": "config/own/labels.csv", "audio": {"path": "config", "backend": "logmel"}}
MODEL = {"name": "m", "predictions": "config/own/pool.csv", "subconcepts": "config/own/pool.csv"}
PREDICTIONS = {"kind": "predictions", "study": "p", "title": "P", "models": [MODEL]}
CODE = r"(STUDY|CROSSVAL)\.(?:code|stamp)_of\((?:\"(\w+)\"|\w+\.(\w+))\)"


@pytest.fixture(scope="module")
def rules(root):
    """The text of every rule that runs an entry script, by the name of the script."""
    texts = [path.read_text(encoding="utf-8") for path in (root / "rules").rglob("*.smk")]
    parts = [part for text in texts for part in re.split(r"^ *rule ", text, flags=re.M)[1:]]
    found = [(re.search(r"workflow_scripts/(\w+)\.py", part), part) for part in parts]
    return {name[1]: part for name, part in found if name}


@pytest.fixture
def studies(root, monkeypatch):
    """Studies of all kinds, and the cross-validation of one on sounds."""
    monkeypatch.chdir(root)
    tiny = yaml.safe_load((root / "config/tiny.yaml").read_text())
    clips = {key: value for key, value in tiny.items() if key != "mixtures"}
    clips |= {"kind": "clips", "split": {}, "tasks": tiny["tasks"][:1]}
    tables = yaml.safe_load((root / "config/studies/keel.yaml").read_text())
    given = [tiny | {"subconcepts": {}}, clips, tables, PREDICTIONS, OWN]
    made = [kinds.study_of(one) for one in given]
    assert {study.kind for study in made} == kinds.KINDS.keys()
    return [*made, made[0].crossval]


def test_every_script_is_run_by_one_rule(root, rules):
    assert rules.keys() == {path.stem for path in (root / "workflow_scripts").glob("*.py")}


def test_every_rule_has_the_code_of_a_stage_that_its_script_is_of(rules, studies):
    stages = {}
    for study in studies:
        for name, stage in study.stages.items():
            for script in stage.scripts:
                stages.setdefault(script, set()).add(name)
    assert stages.keys() == rules.keys()
    for script, rule in rules.items():
        named = set()
        for _, name, constant in re.findall(CODE, rule):
            values = {getattr(study, constant, None) for study in studies} if constant else {name}
            named |= values
        assert named & stages[script], script


def test_no_text_of_a_study_file_is_taken_for_a_pattern(rules, studies):
    """A plain string in a rule is one, so that braces in it are wildcards.

    What an input function of an `input` returns is one too, so that files of people are
    parameters, and known by their content.
    """
    for script, rule in rules.items():
        for line in re.findall(r"= *config(.+),$", rule, re.M):
            keys = re.findall(r'"(\w+)"', line)
            values = [value_of(study.config, keys) for study in studies]
            known = [value for value in values if value is not None]
            assert known, script
            assert not any(isinstance(value, str) for value in known), (script, line)


def value_of(config, keys):
    for key in keys:
        config = (config or {}).get(key)
    return config


def test_what_a_study_names_comes_from_input_functions(studies):
    own = studies[4]
    names = SimpleNamespace()
    assert own.file("pool")(names) == "config/own/pool.csv"
    assert own.given("title")(names) == "O"
    assert own.given("audio", "backend")(names) == "logmel"
