"""Places that cannot be written to: full, read-only or somebody else's; what, where, what to do."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM)


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


def find_unwritable(*folders: str | os.PathLike) -> Iterator[str]:
    """Yield a sentence for each folder in which nothing can be written, or that cannot be made."""
    for folder in map(Path, folders):
        there = folder
        while not there.exists():
            there = there.absolute().parent
        if not os.access(there, os.W_OK | os.X_OK) or not there.is_dir():
            yield (
                f"{folder}: nothing can be written there: {there.absolute()} is read-only, belongs"
                " to somebody else or is no folder; what is in it is not touched. Make it writable"
                " for this user, or work in a copy of the project"
            )
