"""Fixtures shared by all tests: the project's root, and real data where this machine has it."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the project."""
    return ROOT


@pytest.fixture(scope="session")
def mirror() -> Path:
    """Real data sets in the layout of the official downloads."""
    return _shared("mirror")


@pytest.fixture(scope="session")
def pools() -> Path:
    """Two ready pools of real clips (embeddings, posteriors, labels)."""
    return _shared("pools")


def _shared(name: str) -> Path:
    folder = ROOT.parent / "shared" / name
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}: what this test does on real data was not tried")
    return folder
