"""Fixtures shared by all tests: the project's root, and real data where this machine has it."""

from pathlib import Path

import pytest

from tests import made_pools
from tests.projects import checkout, empty_project, finished, make_python, project, python

# Of the workflow's tests and of those of its faults.
__all__ = ["checkout", "empty_project", "finished", "make_python", "project", "python"]

ROOT = Path(__file__).resolve().parent.parent


def pytest_collection_modifyitems(items):
    """Begin with whole runs, so that no worker ends with a long file when the others are done."""
    items.sort(key=lambda item: item.get_closest_marker("workflow") is None)


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the project."""
    return ROOT


@pytest.fixture(scope="session")
def mirror() -> Path:
    """Real data sets in the layout of the official downloads."""
    return _shared("mirror")


@pytest.fixture(scope="session")
def pools(tmp_path_factory) -> Path:
    """Two pools (embeddings, posteriors, labels): of real clips where they are, else made ones."""
    real = ROOT.parent / "shared/pools"
    return real if real.is_dir() else made_pools.write(tmp_path_factory.mktemp("pools"))


def _shared(name: str) -> Path:
    folder = ROOT.parent / "shared" / name
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}: what this test does on real data was not tried")
    return folder
