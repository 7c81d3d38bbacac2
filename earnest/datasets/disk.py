"""What a full disk and a second process do to files that are being written."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# no space, no quota, and larger than the system allows a file to be
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class DiskFull(Exception):
    """There is no room for a file; nothing that was half written is used."""


@contextmanager
def told_when_full(path: str | os.PathLike) -> Iterator[None]:
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


def free_bytes(path: str | os.PathLike) -> int:
    """Return how many bytes may be written where a path is, or will be."""
    import shutil

    folder = Path(path).absolute()
    while not folder.is_dir():
        folder = folder.parent
    return shutil.disk_usage(folder).free


@contextmanager
def locked(path: str | os.PathLike) -> Iterator[None]:
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
