"""The requirement files agree with each other, and the library's extras with them."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement

EXTRAS = {
    "birdnet": "requirements-birdnet.txt",
    "torch": "requirements-torch.txt",
    "transformers": "requirements-transformers.txt",
    "panns": "requirements-panns.txt",
    "beats": "requirements-beats.txt",
}


def pins(root, name):
    found = re.findall(r"^([A-Za-z0-9._-]+)==([^\s#]+)", (root / name).read_text(), re.M)
    return {re.sub(r"[-_.]+", "-", package).lower(): version for package, version in found}


def test_a_package_has_one_pin_in_all_files(root):
    seen = {}
    for path in sorted(root.glob("requirements*.txt")):
        for package, version in pins(root, path.name).items():
            assert seen.setdefault(package, version) == version, f"{path.name}: {package}"
    assert len(seen) > 100


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_ranges_of_an_extra_hold_its_pins(root, extra):
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    pinned = pins(root, EXTRAS[extra]) | pins(root, "requirements-torch.txt")
    for text in project["optional-dependencies"][extra]:
        requirement = Requirement(text)
        assert requirement.specifier.contains(pinned[requirement.name.lower()]), text


def test_every_backend_that_needs_more_has_its_make_target(root):
    from earnest.embeddings import BACKENDS, _factory

    makefile = (root / "Makefile").read_text()
    named = set()
    for name in BACKENDS:
        command = getattr(_factory(name), "command", "")
        named |= set(re.findall(r"`make (\w+)`", command))
    assert {"torch", "transformers", "panns", "beats"} <= named
    for target in {*named, "birdnet"}:
        assert re.search(rf"^{target}: \.venv/\.{target}$", makefile, re.M), target
        assert f"requirements-{target}.txt" in makefile
