"""Every option of the command line and every key of a study is tried by a test that asserts."""

import argparse
import ast
import re

import pytest
import yaml

from earnest.commands import compare, estimate


def options(module):
    """Return the long options of a command, as its parser has them."""
    parser = argparse.ArgumentParser()
    module.add_arguments(parser.add_subparsers())
    (commands,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    (command,) = commands.choices.values()
    names = {name for action in command._actions for name in action.option_strings}
    return sorted(name for name in names if name.startswith("--") and name != "--help")


# Keys that no test names yet: take them out here, never put one in.
UNTRIED = {"clips.resampler", "report.headline_sampler"}
OPTIONS = [(m.__name__.rpartition(".")[2], o) for m in (estimate, compare) for o in options(m)]


def asserting_tests(root):
    """Yield the text of every test function that asserts, with its decorators."""
    for path in sorted((root / "tests").rglob("test_*.py")):
        if path.name == "test_options.py":
            continue
        text = path.read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                body = "\n".join(text.splitlines()[start - 1 : node.end_lineno])
                if re.search(r"\bassert\b|pytest\.raises", body):
                    yield body


@pytest.mark.parametrize(("command", "option"), OPTIONS)
def test_every_option_is_tried(root, command, option):
    tried = [
        b
        for b in asserting_tests(root)
        if f'"{option}"' in b and re.search(rf"\b{command}|_{command}", b)
    ]
    assert tried, f"no test runs `earnest {command} {option}`"


def keys(schema, path=()):
    """Yield every key of a schema, as a path."""
    for key, below in schema.get("properties", {}).items():
        yield (*path, key)
        yield from keys(below, (*path, key))
    if isinstance(schema.get("items"), dict):
        yield from keys(schema["items"], path)


@pytest.mark.parametrize("name", ["config", "own", "predictions", "tables"])
def test_every_key_of_a_study_is_tried(root, name):
    schema = yaml.safe_load((root / f"config/schemas/{name}.schema.yaml").read_text())
    texts = [path.read_text(encoding="utf-8") for path in (root / "tests").rglob("*.py")]
    texts += [(root / "config/tiny.yaml").read_text(encoding="utf-8")]
    words = set(re.findall(r"\w+", "\n".join(texts)))
    untried = {".".join(path) for path in keys(schema) if path[-1] not in words}
    assert sorted(untried - UNTRIED) == []
