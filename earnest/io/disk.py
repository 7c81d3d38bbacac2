"""Places that are full, read-only, somebody else's or in use: what, where, and what to do."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# no space, no quota, and larger than the system allows a file to be
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM)


class DiskFull(Exception):
    """There is no room for a file; nothing that was half written is used."""


@contextmanager
def told_when_full(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn the errors of a full disk into a `DiskFull` that names the file and the room left."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise DiskFull(
            f"no room for {path} ({os.strerror(error.errno)}; {free_bytes(path)} bytes are free):"
            " make room and run again; downloads continue where they stopped"
        ) from error


def free_bytes(path: str | os.PathLike[str]) -> int:
    """Return how many bytes may be written where a path is, or will be."""
    import shutil

    folder = Path(path).absolute()
    while not folder.is_dir():
        folder = folder.parent
    return shutil.disk_usage(folder).free


@contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[None]:
    """Wait until no other thread or process holds the lock of a path, and hold it.

    The lock is an empty file `.<name>.lock` beside it, which stays: to delete it would let two
    processes hold locks of one name.
    """
    import fcntl

    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.with_name(f".{path.name}.lock"), "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def with_advice(error: OSError, path: Path) -> OSError:
    """Return an error that says what was not written, where, and what to do."""
    if error.errno in CLOSED:
        advice = f"make {path.parent} writable for this user and run again"
    else:
        advice = "make room and run again"
    return OSError(
        error.errno or errno.ENOSPC,
        f"{error.strerror or error}: {path} was not written, and nothing of it was kept; {advice}",
    )


def find_unwritable(*folders: str | os.PathLike[str]) -> Iterator[str]:
    """Yield a sentence for each folder in which nothing can be written, or that cannot be made."""
    for folder in map(Path, folders):
        there = folder
        # A link that leads nowhere is there, and nothing can be made in its place.
        while not there.exists() and not there.is_symlink():
            there = there.absolute().parent
        if not os.access(there, os.W_OK | os.X_OK) or not there.is_dir():
            yield (
                f"{folder}: nothing can be written there: {there.absolute()} is read-only, belongs"
                " to somebody else or is no folder; what is in it is not touched. Make it writable"
                " for this user, or work in a copy of the project"
            )
