"""Running the workflow as a user does, in a copy of the project with an awkward name.

The fixtures are those of every test: `tests/conftest.py` imports them.
"""

import os
import shutil
import site
import subprocess
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from filelock import FileLock

PARTS = ("Snakefile", "rules", "workflow_scripts", "earnest", "config", "profiles")
IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc")


def run_command(command, folder, environment, *, check=True):
    """Run a program in a folder and return its result, output and errors joined in `stdout`.

    It sees the variables of the test run but `PYTHONPATH`, and those of `environment`.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    result = subprocess.run(
        command,
        cwd=folder,
        env=kept | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if check:
        assert result.returncode == 0, result.stdout
    return result


@dataclass(frozen=True)
class Project:
    """A checkout of the project in which one study is run, and the Python that runs it."""

    folder: Path
    python: Path

    def snakemake(self, *arguments, config="config/tiny.yaml", check=True, **environment):
        """Run Snakemake and return its result, output and errors joined in `stdout`."""
        command = [*self.command(config), *arguments]
        return run_command(command, self.folder, environment, check=check)

    def command(self, config):
        command = [str(self.python), "-m", "snakemake", "--cores", "2"]
        return command if config is None else [*command, "--configfile", config]

    def planned(self, **options):
        """Return how many jobs of each rule a dry run would run."""
        text = self.snakemake("--dry-run", **options).stdout
        if "Nothing to be done" in text:
            return {}
        lines = text.split("Job stats:")[1].split("\n\n")[0].splitlines()[3:]
        counts = {name: int(count) for name, count in (line.split() for line in lines)}
        counts.pop("total")
        counts.pop("all", None)
        return counts

    def changed_config(self, **changes):
        """Write a variant of the tiny study, its sections updated, and return its path."""
        study = yaml.safe_load((self.folder / "config/tiny.yaml").read_text())
        for section, change in changes.items():
            whole = isinstance(change, dict)
            study[section] = {**study.get(section, {}), **change} if whole else change
        path = self.folder / "config" / "changed.yaml"
        path.write_text(yaml.safe_dump(study))
        return "config/changed.yaml"

    def edit(self, name, old, new):
        path = self.folder / name
        text = path.read_text()
        assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in {name}"
        path.write_text(text.replace(old, new))

    def result(self, name):
        return self.folder / "results" / "tiny" / name


@pytest.fixture(scope="session")
def make_python(tmp_path_factory):
    """What makes a virtual environment of a given name that sees the packages of this one."""

    def make(name):
        folder = tmp_path_factory.mktemp("python") / name
        venv.create(folder, symlinks=True, with_pip=False)
        (packages,) = folder.glob("lib/python*/site-packages")
        (packages / "these.pth").write_text("\n".join(site.getsitepackages()))
        return folder / "bin" / "python"

    return make


@pytest.fixture(scope="session")
def python(make_python):
    """A Python whose path is awkward, as that of .venv is in an awkward checkout."""
    return make_python("somebody's .venv")


@pytest.fixture(scope="session")
def checkout(root, python):
    """What copies all that a run needs, without results, into a folder."""

    def copy_to(folder):
        folder.mkdir(parents=True)
        for part in PARTS:
            if (root / part).is_dir():
                shutil.copytree(root / part, folder / part, ignore=IGNORED)
            else:
                shutil.copy2(root / part, folder / part)
        return Project(folder, python)

    return copy_to


@pytest.fixture
def empty_project(checkout, tmp_path):
    """A checkout in which nothing has run yet."""
    return checkout(tmp_path / "somebody's new project")


@pytest.fixture(scope="session")
def finished(checkout, python, tmp_path_factory, worker_id):
    """The checkout in which the tiny study has run; to be read only."""
    base = tmp_path_factory.getbasetemp()
    # Where several workers run tests, one of them runs the study and the others wait for it.
    base = base if worker_id == "master" else base.parent
    folder = base / "finished" / "somebody's project"
    with FileLock(base / "finished.lock"):
        if not folder.is_dir():
            checkout(folder).snakemake()
    return Project(folder, python)


@pytest.fixture
def project(finished, tmp_path):
    """A copy of the finished checkout, to change and run again."""
    folder = tmp_path / "somebody's copy"
    shutil.copytree(finished.folder, folder, symlinks=True)
    return Project(folder, finished.python)
