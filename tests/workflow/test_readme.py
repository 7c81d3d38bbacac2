"""The command lines that the README gives are ones that Snakemake and make understand."""

import re
import shlex
import subprocess
import sys

import pytest

pytestmark = pytest.mark.workflow


def commands(root, program):
    """Return the indented command lines of a program, without their comments."""
    text = (root / "README.md").read_text(encoding="utf-8")
    return [
        shlex.split(line, comments=True)
        for line in re.findall(rf"^    ({program} .+)$", text, re.M)
    ]


def test_every_snakemake_command_plans_its_jobs(root, empty_project):
    found = commands(root, "snakemake")
    assert len(found) == 5
    for _, *arguments in found:
        result = subprocess.run(
            [sys.executable, "-m", "snakemake", *arguments, "--dry-run", "--quiet", "all"],
            cwd=empty_project.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, result.stdout + result.stderr


def test_every_make_target_exists(root):
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"`make (\w+)`", (root / "README.md").read_text(encoding="utf-8")))
    named |= {command[1] for command in commands(root, "make")}
    assert {"report", "test", "unlock"} <= named
    assert named <= set(re.findall(r"^(\w+):", makefile, re.M))
