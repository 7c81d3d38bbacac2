"""Hashes of a data set's files: recorded when they are first seen, compared ever after."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from earnest import io

if TYPE_CHECKING:
    import pandas

RECORD = "hashes.tsv"


class ChangedFiles(Exception):
    """Files differ from those whose hashes were recorded."""


def record(
    root: str | os.PathLike[str],
    listing: "pandas.DataFrame",
    *,
    path: str | os.PathLike[str] | None = None,
) -> "pandas.DataFrame":
    """Record the size and SHA-256 of every listed file that is there, in a TSV.

    Parameters
    ----------
    root : path-like
        The data set's folder.
    listing : pandas.DataFrame
        Table `listing`.
    path : path-like, optional
        The TSV to write, `hashes.tsv` in `root` unless given.

    Returns
    -------
    pandas.DataFrame
        Columns file (relative to `root`, with slashes), bytes, sha256; sorted by file.
    """
    rows = _hashes(Path(root), listing)
    path = Path(path) if path is not None else Path(root) / RECORD
    io.write_text(rows.to_csv(sep="\t", index=False, lineterminator="\n"), path)
    return rows


def compare(
    root: str | os.PathLike[str],
    listing: "pandas.DataFrame",
    *,
    path: str | os.PathLike[str] | None = None,
) -> int:
    """Compare every listed file with the recorded hashes.

    Parameters
    ----------
    root, listing, path
        As in `record`.

    Returns
    -------
    int
        How many files were compared and are equal.

    Raises
    ------
    ChangedFiles
        If a file changed, is missing or is not in the record; each with what was expected and
        found.
    """
    import pandas as pd

    path = Path(path) if path is not None else Path(root) / RECORD
    expected = pd.read_csv(path, sep="\t", dtype=str).set_index("file")["sha256"]
    found = _hashes(Path(root), listing).set_index("file")["sha256"]
    both = expected.to_frame("expected").join(found.to_frame("found"), how="outer")
    changed = both[both["expected"].ne(both["found"])].fillna("nothing")
    if len(changed):
        lines = [
            f"{row.Index}: expected {row.expected}, found {row.found}"
            for row in changed.head(20).itertuples()
        ]
        raise ChangedFiles(
            f"{len(changed)} files of {root} differ from {path}:\n"
            + "\n".join(lines)
            + f"\nRestore them, or delete {path} to accept them as they are."
        )
    return len(both)


def _hashes(root: Path, listing: "pandas.DataFrame") -> "pandas.DataFrame":
    import hashlib

    import pandas as pd

    rows = []
    for path in sorted(Path(text) for text in listing["path"]):
        if path.is_file():
            with open(path, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            name = path.relative_to(root).as_posix()
            rows.append({"file": name, "bytes": path.stat().st_size, "sha256": digest})
    return pd.DataFrame(rows, columns=["file", "bytes", "sha256"])
