"""Folders that cannot be written to are told before and where it happens."""

import errno
import os
import subprocess

import pytest

from earnest import io
from earnest.io import disk


@pytest.fixture
def read_only(tmp_path):
    """A folder with one file, mounted so that even root writes nothing."""
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "a.json").write_text("1\n")
    mount = ["mount", "--bind", str(folder), str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here: a read-only folder was not tried")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_read_only_folder_is_named_with_what_to_do(read_only):
    for path in (read_only / "a.json", read_only / "new" / "b.json"):
        with pytest.raises(OSError, match=r"nothing of it was kept; make .* writable") as caught:
            io.write_json(2, path)
        assert caught.value.errno == errno.EROFS
        assert str(path) in str(caught.value)
    assert (read_only / "a.json").read_text() == "1\n"
    said = list(disk.find_unwritable(read_only, read_only / "new" / "deeper", read_only.parent))
    assert [line.partition(": nothing can be written there")[0] for line in said] == [
        str(read_only),
        str(read_only / "new" / "deeper"),
    ]
    assert all(f"{read_only} is read-only" in line for line in said)


def test_a_file_in_the_place_of_a_folder_is_told(tmp_path):
    (tmp_path / "results").write_text("a file")
    (line,) = disk.find_unwritable(tmp_path / "results" / "demo")
    assert f"{tmp_path / 'results'} is read-only, belongs to somebody else or is no folder" in line


def test_the_advice_fits_the_error(tmp_path):
    for number, advice in ((errno.ENOSPC, "make room"), (errno.EACCES, f"make {tmp_path} writ")):
        error = disk.with_advice(OSError(number, os.strerror(number)), tmp_path / "a.npy")
        assert error.errno == number
        assert f"{tmp_path / 'a.npy'} was not written, and nothing of it was kept" in str(error)
        assert advice in str(error)


def test_a_link_that_leads_nowhere_is_named(tmp_path):
    (tmp_path / "results").symlink_to(tmp_path / "nowhere")
    (said,) = disk.find_unwritable(tmp_path / "results")
    assert said.startswith(f"{tmp_path / 'results'}: nothing can be written there")
