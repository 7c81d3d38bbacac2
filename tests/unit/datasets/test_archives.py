"""Unpacking: good archives come out whole, hostile and damaged ones leave nothing behind."""

import io
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from earnest.datasets import archives

FILES = {"release/audio/a.wav": b"RIFF" * 1000, "release/meta/list.csv": b"x,y\n", "empty": b""}


def make_zip(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return path


def make_tar(path: Path, files: dict[str, bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as file:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            file.addfile(info, io.BytesIO(content))
    return path


MAKERS = [pytest.param(make_zip, id="zip"), pytest.param(make_tar, id="tar.gz")]
Maker = Callable[[Path, dict[str, bytes]], Path]


def refused(archive: Path, folder: Path, reason: str, **bounds: int) -> str:
    """Check that an archive is refused for a reason, and that it left no trace."""
    before = sorted(archive.parent.rglob("*"))
    with pytest.raises(archives.UnsafeArchive) as caught:
        archives.extract(archive, folder, **bounds)
    assert caught.value.reason == reason
    assert reason in archives.REASONS
    assert str(archive) in str(caught.value)
    assert sorted(archive.parent.rglob("*")) == before
    return str(caught.value)


@pytest.mark.parametrize("make", MAKERS)
def test_good_archive_comes_out_whole(make: Maker, tmp_path: Path) -> None:
    folder = archives.extract(make(tmp_path / "archive", FILES), tmp_path / "out")
    assert folder == tmp_path / "out"
    found = {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*.*")}
    assert found == {name: content for name, content in FILES.items() if "." in name}
    assert (folder / "empty").read_bytes() == b""


@pytest.mark.parametrize("mode", ["w", "w:bz2", "w:xz"])
def test_other_tar_compressions(mode: str, tmp_path: Path) -> None:
    archive = make_tar(tmp_path / "archive", FILES, mode)
    assert (archives.extract(archive, tmp_path / "out") / "release/meta/list.csv").is_file()


def test_modes_are_not_kept(tmp_path: Path) -> None:
    archive = tmp_path / "a.tar"
    with tarfile.open(archive, "w") as file:
        info = tarfile.TarInfo("tool")
        info.mode = 0o4777
        file.addfile(info)
    out = archives.extract(archive, tmp_path / "out")
    assert (out / "tool").stat().st_mode & 0o7111 == 0


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../outside.wav", "path_escape"),
        ("release/../../outside.wav", "path_escape"),
        ("..\\outside.wav", "path_escape"),
        ("release\\..\\..\\outside.wav", "path_escape"),
        ("/etc/outside.wav", "absolute_path"),
        ("\\outside.wav", "absolute_path"),
        ("C:\\outside.wav", "absolute_path"),
        ("C:outside.wav", "absolute_path"),
        ("//server/share/outside.wav", "absolute_path"),
    ],
)
def test_paths_that_leave_the_folder_are_refused(
    make: Maker, name: str, reason: str, tmp_path: Path
) -> None:
    archive = make(tmp_path / "archive", {"good.wav": b"1", name: b"2"})
    assert "outside.wav" in refused(archive, tmp_path / "out", reason)


def test_zip_with_a_link_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as file:
        info = zipfile.ZipInfo("inside")
        info.external_attr = 0o120777 << 16
        file.writestr(info, "/etc/passwd")
        file.writestr("inside/file", "through the link")
    refused(archive, tmp_path / "out", "link")


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (tarfile.SYMTYPE, "link"),
        (tarfile.LNKTYPE, "link"),
        (tarfile.FIFOTYPE, "special_file"),
        (tarfile.CHRTYPE, "special_file"),
        (tarfile.BLKTYPE, "special_file"),
    ],
)
def test_tar_with_links_and_devices_is_refused(kind: bytes, reason: str, tmp_path: Path) -> None:
    archive = tmp_path / "a.tar"
    with tarfile.open(archive, "w") as file:
        info = tarfile.TarInfo("inside")
        info.type, info.linkname = kind, "../../etc/passwd"
        file.addfile(info)
    assert "'inside'" in refused(archive, tmp_path / "out", reason)


@pytest.mark.parametrize("make", MAKERS)
def test_size_bomb_is_refused(make: Maker, tmp_path: Path) -> None:
    # 200 MB of zeros pack into about 0.2 MB, 50 times which and 64 MiB are less.
    archive = make(tmp_path / "archive", {"zeros": bytes(200_000_000)})
    assert archive.stat().st_size < 300_000
    refused(archive, tmp_path / "out", "too_large")


@pytest.mark.parametrize("make", MAKERS)
def test_bytes_of_all_files_count_together(make: Maker, tmp_path: Path) -> None:
    archive = make(tmp_path / "archive", {"a": bytes(60), "b": bytes(60)})
    refused(archive, tmp_path / "out", "too_large", max_bytes=119)
    assert archives.extract(archive, tmp_path / "out", max_bytes=120).is_dir()


@pytest.mark.parametrize("make", MAKERS)
def test_file_count_is_bounded(make: Maker, tmp_path: Path) -> None:
    archive = make(tmp_path / "archive", {str(number): b"" for number in range(5)})
    refused(archive, tmp_path / "out", "too_many_files", max_files=4)
    assert archives.extract(archive, tmp_path / "out", max_files=5).is_dir()


def test_zip_that_lies_about_a_size_is_refused(tmp_path: Path) -> None:
    """The directory says 10 bytes, the packed data holds 5,000."""
    archive = make_zip(tmp_path / "a.zip", {"liar": bytes(5_000)})
    raw = bytearray(archive.read_bytes())
    entry = raw.rindex(b"PK\x01\x02")
    raw[entry + 24 : entry + 28] = struct.pack("<I", 10)
    archive.write_bytes(raw)
    refused(archive, tmp_path / "out", "unreadable", max_bytes=1_000)


@pytest.mark.parametrize("names", [("a.wav", "a.wav"), ("a.wav", "A.WAV"), ("x/a", "./x/a")])
def test_names_that_meet_are_refused(names: tuple[str, str], tmp_path: Path) -> None:
    archive = tmp_path / "a.tar"
    with tarfile.open(archive, "w") as file:
        for name in names:
            file.addfile(tarfile.TarInfo(name))
    refused(archive, tmp_path / "out", "duplicate")


def test_encrypted_zip_is_refused(tmp_path: Path) -> None:
    archive = make_zip(tmp_path / "a.zip", {"secret": b"x"})
    raw = bytearray(archive.read_bytes())
    raw[6] |= 1
    raw[raw.rindex(b"PK\x01\x02") + 8] |= 1
    archive.write_bytes(raw)
    refused(archive, tmp_path / "out", "encrypted")


def test_file_that_is_also_a_folder_is_refused(tmp_path: Path) -> None:
    archive = make_zip(tmp_path / "a.zip", {"a": b"1", "a/b": b"2"})
    refused(archive, tmp_path / "out", "unreadable")


@pytest.mark.parametrize("make", MAKERS)
def test_cut_archive_is_refused(make: Maker, tmp_path: Path) -> None:
    import random

    noise = random.Random(0).randbytes(100_000)
    archive = make(tmp_path / "archive", {"a": noise, "b": noise[::-1]})
    archive.write_bytes(archive.read_bytes()[:150_000])
    refused(archive, tmp_path / "out", "unreadable")


def test_flipped_byte_is_noticed(tmp_path: Path) -> None:
    archive = make_zip(tmp_path / "a.zip", {"a": bytes(range(256)) * 50})
    raw = bytearray(archive.read_bytes())
    raw[45] ^= 0xFF
    archive.write_bytes(raw)
    refused(archive, tmp_path / "out", "unreadable")


def test_page_under_an_archives_name_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    archive.write_text("<html>404</html>")
    assert "neither a zip nor a tar" in refused(archive, tmp_path / "out", "unreadable")


def test_existing_folder_is_left_alone(tmp_path: Path) -> None:
    archive = make_zip(tmp_path / "a.zip", FILES)
    (tmp_path / "out").mkdir()
    with pytest.raises(FileExistsError, match="move it away"):
        archives.extract(archive, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_refusal_shortens_a_name_of_thousands_of_characters(tmp_path: Path) -> None:
    archive = tmp_path / "long.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("../" + "x" * 5000 + "/end.wav", b"")
    with pytest.raises(
        archives.UnsafeArchive, match=r"\(path_escape\).*x \[\.\.\.\] x.*end\.wav'"
    ) as caught:
        archives.extract(archive, tmp_path / "made")
    assert len(str(caught.value)) < 200 + len(str(archive))
