"""The types hold, and no function takes more arguments than a reader can hold."""

import ast
import re
import subprocess
import sys
import tokenize

import pytest

# More parameters than this want a dataclass.
MOST_PARAMETERS = 10

# Ignores of single errors in all; each with its code and a reason.
MOST_IGNORES = 10

# Doors of the library, whose keywords are its public interface.
WIDE = {
    "earnest/estimates/estimators.py:estimate",
    "earnest/estimates/estimators.py:estimate_all",
    "earnest/protocols/subsets/estimating.py:estimate_block",
}


def modules(root):
    return sorted((root / "earnest").rglob("*.py"))


@pytest.mark.slow
def test_mypy_finds_nothing(root):
    command = [sys.executable, "-m", "mypy", "--no-color-output", "--no-error-summary"]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr


def test_an_ignored_error_has_a_code_and_a_reason(root):
    ignores = []
    for path in modules(root):
        with tokenize.open(path) as file:
            for token in tokenize.generate_tokens(file.readline):
                if token.type == tokenize.COMMENT and "type: ignore" in token.string:
                    ignores.append(f"{path.relative_to(root)}:{token.start[0]} {token.string}")
    assert len(ignores) < MOST_IGNORES
    reasoned = r"# type: ignore\[[a-z-]+\]  # \w+ \w+"
    assert [text for text in ignores if not re.search(reasoned, text)] == []


def parameters(function):
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    starred = [arguments.vararg, arguments.kwarg]
    return len(named) + sum(argument is not None for argument in starred)


def test_no_function_takes_too_many_parameters(root):
    wide = {
        f"{path.relative_to(root)}:{node.name}"
        for path in modules(root)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and parameters(node) > MOST_PARAMETERS
    }
    assert wide == WIDE
