"""Files known by their content: hashed once, and again wherever anything about them moved."""

import hashlib
import os
import time
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

from earnest.io import files
from earnest.io.checksums import DamagedFile

MISSING = "missing"
RECORDS = "data/fingerprints"
# A file that changed so shortly before it was hashed may change again within the same tick.
SETTLED_AFTER_NS = 2_000_000_000

# Size, times of change of content and of entry in ns, inode, SHA-256.
Known = list[int | str]


def record_of(path: str | os.PathLike[str]) -> Path:
    """Return where the hashes of a file or folder are kept, for all studies that read it."""
    name = hashlib.sha256(os.path.abspath(path).encode(errors="surrogateescape")).hexdigest()
    return Path(RECORDS) / f"{name[:16]}.json"


class ContentHashes:
    """SHA-256 of files, kept in one document by path, size, times and inode.

    A file whose size, modification time, change time and inode are as they were is not read again;
    replacing it by an older or equally long one, moving or renaming it changes at least one of
    these.

    Parameters
    ----------
    path : path-like
        The JSON document; deleting it loses nothing but time.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._known: dict[str, Known] = {}
        self._changed = False
        self._read = False

    def of_file(self, path: str | os.PathLike[str]) -> str:
        """Return the SHA-256 of a file as 64 hexadecimal digits; `missing` where there is none.

        Raises
        ------
        OSError
            If it cannot be read.
        """
        self._load()
        name = os.path.abspath(path)
        try:
            stat = os.stat(name)
        except FileNotFoundError:
            return MISSING
        state = [stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino]
        known = self._known.get(name)
        if known is None or known[:4] != state:
            began = time.time_ns()
            with open(name, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            if max(state[1:3]) > began - SETTLED_AFTER_NS:
                state[0] = -1  # no file's size: it is hashed again the next time
            self._known[name] = known = [*state, digest]
            self._changed = True
        return str(known[4])

    def of_folder(self, root: str | os.PathLike[str], paths: Iterable[Path] | None = None) -> str:
        """Return one SHA-256 for the relative path and the content of every file of a folder.

        Parameters
        ----------
        root : path-like
            The folder; one that does not exist is `missing`.
        paths : iterable of Path, optional
            The files that count instead of `visible_files(root)`.
        """
        if not os.path.isdir(root):
            return MISSING
        digest = hashlib.sha256()
        for path in sorted(visible_files(root) if paths is None else paths):
            name = os.path.relpath(path, root)
            digest.update(f"{name}\0{self.of_file(path)}\n".encode(errors="surrogateescape"))
        return digest.hexdigest()

    def of_path(self, path: str | os.PathLike[str]) -> str:
        """Return `of_folder` of a folder, `of_file` of anything else."""
        return self.of_folder(path) if os.path.isdir(path) else self.of_file(path)

    def save(self) -> None:
        """Write what is known, if anything is new; a place that cannot be written to is warned of.

        Nothing is lost but the time of hashing again.
        """
        if not self._changed:
            return
        try:
            files.write_json(self._known, self._path)
        except OSError as error:
            warnings.warn(f"files are hashed again in the next run: {error}", stacklevel=2)
        self._changed = False

    def _load(self) -> None:
        if self._read:
            return
        self._read = True
        try:
            self._known = files.read_json(self._path)
        except (FileNotFoundError, NotADirectoryError):
            return  # the first run
        except (DamagedFile, ValueError) as error:
            warnings.warn(f"all files are hashed again: {error}", stacklevel=3)


def visible_files(root: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the files below a folder that are not hidden, through links to folders, loops once."""
    entered: set[tuple[int, int]] = set()
    for folder, below, names in os.walk(root, followlinks=True):
        place = os.stat(folder)
        below[:] = sorted(name for name in below if not name.startswith("."))
        if (place.st_dev, place.st_ino) in entered:
            below.clear()
            continue
        entered.add((place.st_dev, place.st_ino))
        for name in sorted(names):
            path = Path(folder, name)
            if not name.startswith(".") and path.is_file():
                yield path
