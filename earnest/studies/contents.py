"""What the files that a study reads hold, so that a change of any is a change of its stages."""

import os
from collections.abc import Iterable
from pathlib import Path

from earnest import io
from earnest.io.fingerprints import RECORDS, ContentHashes, record_of


class Contents:
    """Digests of files and folders, each looked at once.

    Parameters
    ----------
    study : str
        Name of the study: its digests of this run are kept for its jobs.
    in_job : bool
        Whether this process is a job of a run. It takes the digests that the run began with, so
        that thousands of jobs do not look at thousands of files each.
    """

    def __init__(self, study: str, *, in_job: bool = False) -> None:
        self._record = Path(RECORDS) / f"{study}.json"
        self._in_job = in_job
        self._digests: dict[str, str] = {}
        if in_job and self._record.is_file():
            self._digests = io.read_json(self._record)

    def of(self, path: str | os.PathLike[str]) -> str:
        """Return the digest of a file or of all files of a folder; `missing` where there is none.

        Raises
        ------
        OSError
            If a file cannot be read.
        """
        name = os.fspath(path)
        if name not in self._digests:
            hashes = ContentHashes(record_of(path))
            self._digests[name] = hashes.of_path(path)
            hashes.save()
            if not self._in_job:
                io.write_json(self._digests, self._record)
        return self._digests[name]

    def of_each(self, paths: Iterable[str | os.PathLike[str]]) -> list[str]:
        """Return the digest of each path, in their order."""
        return [self.of(path) for path in paths]
