"""Content hashes: every way in which files change is noticed, and nothing is read twice."""

import os
import shutil

import pytest

from earnest import io
from earnest.io import fingerprints
from earnest.io.fingerprints import MISSING, ContentHashes, visible_files

LONG_AGO = 1_500_000_000_000_000_000


@pytest.fixture
def folder(tmp_path):
    """Four sounds of two classes, last changed long ago."""
    root = tmp_path / "sounds"
    for label, name, content in (
        ("hum", "a.wav", b"aaaa"),
        ("hum", "b.wav", b"bbbb"),
        ("hiss", "c.wav", b"cccc"),
        ("hiss", "d.wav", b"dddd"),
    ):
        path = root / label / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, ns=(LONG_AGO, LONG_AGO))
    return root


@pytest.fixture
def hashed(tmp_path, monkeypatch):
    """Hash a folder in a process of its own that knows what the one before it knew."""
    monkeypatch.setattr(fingerprints, "SETTLED_AFTER_NS", 0)

    def of(root):
        hashes = ContentHashes(tmp_path / "known.json")
        digest = hashes.of_folder(root)
        hashes.save()
        return digest

    return of


def overwritten_with_as_many_bytes(root):
    (root / "hum" / "a.wav").write_bytes(b"AAAA")
    os.utime(root / "hum" / "a.wav", ns=(LONG_AGO, LONG_AGO))


def replaced_by_an_older_file(root):
    new = root.parent / "older"
    new.write_bytes(b"xxxx")
    os.utime(new, ns=(LONG_AGO - 10**15, LONG_AGO - 10**15))
    os.replace(new, root / "hum" / "a.wav")


def copied_over_keeping_times(root):
    (root / "hum" / "a.wav").unlink()
    shutil.copy2(root / "hum" / "b.wav", root / "hum" / "a.wav")


def relabelled(root):
    os.rename(root / "hum" / "a.wav", root / "hiss" / "a.wav")


def renamed(root):
    os.rename(root / "hum" / "a.wav", root / "hum" / "z.wav")


def swapped(root):
    a, b = root / "hum" / "a.wav", root / "hiss" / "c.wav"
    os.rename(a, root / "x")
    os.rename(b, a)
    os.rename(root / "x", b)


def deleted(root):
    (root / "hum" / "a.wav").unlink()


def added(root):
    (root / "hum" / "e.wav").write_bytes(b"eeee")


def linked_folder(root):
    other = root.parent / "elsewhere"
    other.mkdir()
    (other / "o.wav").write_bytes(b"oooo")
    (root / "owl").symlink_to(other)


CHANGES = [
    overwritten_with_as_many_bytes,
    replaced_by_an_older_file,
    copied_over_keeping_times,
    relabelled,
    renamed,
    swapped,
    deleted,
    added,
    linked_folder,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_every_change_is_noticed(folder, hashed, change):
    before = hashed(folder)
    assert hashed(folder) == before
    change(folder)
    after = hashed(folder)
    assert after != before
    assert hashed(folder) == after


def test_a_touched_or_copied_folder_is_the_same(folder, hashed, tmp_path):
    before = hashed(folder)
    os.utime(folder / "hum" / "a.wav")
    assert hashed(folder) == before
    shutil.copytree(folder, tmp_path / "copy")
    assert hashed(tmp_path / "copy") == before


def test_files_that_did_not_move_are_not_read_again(folder, hashed, monkeypatch):
    before = hashed(folder)
    monkeypatch.setattr("hashlib.file_digest", lambda *_: pytest.fail("read again"))
    assert hashed(folder) == before


def test_a_file_of_this_moment_is_read_again(folder, tmp_path):
    path = folder / "hum" / "a.wav"
    path.write_bytes(b"new1")
    first = ContentHashes(tmp_path / "known.json")
    before = first.of_file(path)
    first.save()
    entry = next(value for key, value in io.read_json(tmp_path / "known.json").items())
    assert entry[0] == -1
    path.write_bytes(b"new2")
    assert ContentHashes(tmp_path / "known.json").of_file(path) != before


def test_what_is_not_there_is_missing(tmp_path):
    hashes = ContentHashes(tmp_path / "known.json")
    assert hashes.of_file(tmp_path / "nothing") == MISSING
    assert hashes.of_path(tmp_path / "nothing") == MISSING
    hashes.save()
    assert not (tmp_path / "known.json").exists()


def test_a_damaged_record_is_told_and_made_again(folder, hashed, tmp_path):
    before = hashed(folder)
    (tmp_path / "known.json").write_text("{")
    with pytest.warns(UserWarning, match="all files are hashed again"):
        assert hashed(folder) == before
    assert hashed(folder) == before


def test_a_record_that_cannot_be_written_is_told(folder, tmp_path):
    (tmp_path / "file").write_text("")
    hashes = ContentHashes(tmp_path / "file" / "known.json")
    hashes.of_folder(folder)
    with pytest.warns(UserWarning, match="files are hashed again in the next run"):
        hashes.save()


def test_loops_of_links_end(folder):
    (folder / "hum" / "loop").symlink_to(folder)
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "x.wav").write_bytes(b"x")
    (folder / "hum" / "._a.wav").write_bytes(b"x")
    names = [path.name for path in visible_files(folder)]
    assert sorted(names) == ["a.wav", "b.wav", "c.wav", "d.wav"]
