"""Unpacking of downloaded zip and tar archives that could be hostile or damaged."""

import lzma
import os
import shutil
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, NamedTuple

from earnest.io import disk

MAX_GROWTH = 50  # sound shrinks by a factor of 2 or 3, digital silence by far more
SPARE_BYTES = 64 * 1024**2
MAX_FILES = 1_000_000  # USM has some 240,000
CHUNK = 1024 * 1024
# What Python raises for a damaged archive, or one that is packed in a way it does not know.
DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,
)
REASONS = (
    "absolute_path",
    "path_escape",
    "link",
    "special_file",
    "duplicate",
    "encrypted",
    "too_many_files",
    "too_large",
    "unreadable",
)


class UnsafeArchive(ValueError):
    """An archive that was not unpacked.

    Attributes
    ----------
    reason : str
        One of `REASONS`.
    """

    def __init__(self, archive: Path, reason: str, detail: str) -> None:
        super().__init__(f"{archive} was not unpacked ({reason}): {detail}")
        self.reason = reason


class _Member(NamedTuple):
    name: str
    size: int  # as declared; what is written is counted again
    refusal: str | None  # why a member of this kind is never written
    open: Callable[[], IO[bytes]]


def extract(
    archive: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    max_bytes: int | None = None,
    max_files: int = MAX_FILES,
) -> Path:
    """Unpack a zip or tar archive into a new folder, which appears whole or not at all.

    Only plain files are written, each below `folder`; their modes and owners are not kept.
    Folders come with their files, so an empty one is not made.

    Parameters
    ----------
    archive : path-like
        Zip, or tar with any compression that Python reads; told apart by content.
    folder : path-like
        Must not exist.
    max_bytes, max_files : int
        Bounds on what is written, whatever the archive declares. Unless given, the bytes are
        bounded by 50 times the archive's own size plus 64 MiB.

    Returns
    -------
    pathlib.Path
        `folder`.

    Raises
    ------
    UnsafeArchive
        If a member has an absolute path, leaves the folder, is a link or a device, repeats
        another one's name or is encrypted; if a bound is passed; if the archive is damaged or of
        no known kind. Nothing is left behind.
    earnest.io.disk.DiskFull
        If there is no room. Nothing is left behind.
    FileExistsError
        If `folder` exists.
    """
    archive, folder = Path(archive), Path(folder)
    if folder.exists():
        raise FileExistsError(f"{folder} exists already; move it away to unpack {archive} again")
    if max_bytes is None:
        max_bytes = MAX_GROWTH * archive.stat().st_size + SPARE_BYTES
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        with disk.told_when_full(folder):
            _write_members(archive, aside, max_bytes, max_files)
        aside.chmod(0o755)
        aside.rename(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return folder


def _write_members(archive: Path, folder: Path, max_bytes: int, max_files: int) -> None:
    written, seen = 0, set()
    try:
        for member in _members(archive):
            target = folder / _safe_name(archive, member)
            # Upper and lower case are one file on some systems: the later would replace the other.
            key = str(target).casefold()
            if key in seen:
                raise UnsafeArchive(archive, "duplicate", f"{_shown(member.name)} is there twice")
            seen.add(key)
            if len(seen) > max_files:
                raise UnsafeArchive(archive, "too_many_files", f"more than {max_files} files")
            if written + member.size > max_bytes:
                raise UnsafeArchive(archive, "too_large", f"more than {max_bytes} bytes unpacked")
            written += _write(archive, member, target, max_bytes - written)
    except DAMAGE as error:
        if getattr(error, "errno", None) in disk.FULL:  # the archive is not to blame
            raise
        raise UnsafeArchive(archive, "unreadable", str(error) or type(error).__name__) from error


def _safe_name(archive: Path, member: _Member) -> PurePosixPath:
    name = member.name
    if member.refusal:
        raise UnsafeArchive(archive, member.refusal, f"member {_shown(name)}")
    # A backslash or a drive is an ordinary character here and a path elsewhere.
    if PurePosixPath(name).is_absolute() or PureWindowsPath(name).anchor:
        raise UnsafeArchive(archive, "absolute_path", f"member {_shown(name)}")
    if ".." in PureWindowsPath(name).parts or "\0" in name or not PurePosixPath(name).parts:
        raise UnsafeArchive(archive, "path_escape", f"member {_shown(name)}")
    return PurePosixPath(name)


def _shown(name: str) -> str:
    """The name of a member for a message: of thousands of characters only both ends."""
    return repr(name if len(name) <= 120 else f"{name[:60]} [...] {name[-40:]}")


def _write(archive: Path, member: _Member, target: Path, allowed: int) -> int:
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with member.open() as source, open(target, "xb") as file:
        while chunk := source.read(CHUNK):
            written += len(chunk)
            if written > allowed:
                raise UnsafeArchive(
                    archive, "too_large", f"{_shown(member.name)} is larger than it says"
                )
            file.write(chunk)
    if written != member.size:
        raise UnsafeArchive(
            archive, "unreadable", f"{_shown(member.name)} holds {written} of {member.size} bytes"
        )
    return written


def _members(archive: Path) -> Iterator[_Member]:
    if zipfile.is_zipfile(archive):
        yield from _zip_members(archive)
    elif tarfile.is_tarfile(archive):
        yield from _tar_members(archive)
    else:
        raise UnsafeArchive(archive, "unreadable", "neither a zip nor a tar archive")


def _zip_members(archive: Path) -> Iterator[_Member]:
    with zipfile.ZipFile(archive) as file:
        for info in file.infolist():
            mode = info.external_attr >> 16
            refusal = "link" if stat.S_ISLNK(mode) else None
            if info.flag_bits & 1:
                refusal = "encrypted"
            if info.is_dir() and refusal is None:
                continue
            yield _Member(info.filename, info.file_size, refusal, partial(file.open, info))


def _open_tar_member(file: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    opened = file.extractfile(info)
    if opened is None:
        raise ValueError(f"{info.name} is no file in the archive")
    return opened


def _tar_members(archive: Path) -> Iterator[_Member]:
    with tarfile.open(archive) as file:
        for info in file:
            refusal = "link" if info.issym() or info.islnk() else None
            if refusal is None and not (info.isreg() or info.isdir()):
                refusal = "special_file"
            if info.isdir():
                continue
            yield _Member(info.name, info.size, refusal, partial(_open_tar_member, file, info))
