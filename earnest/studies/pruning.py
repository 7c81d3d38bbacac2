"""Files that a grid no longer has, deleted by `python -m earnest.studies.pruning STUDY_FILE`."""

import os
import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from earnest.studies import kinds

# What `earnest.io.written_aside` leaves when it is killed.
HALF_WRITTEN = re.compile(r"\..+\.[a-z0-9_]{8}\.\w+")


class PruneError(RuntimeError):
    """Nothing was deleted, because it is not known what the grid has."""


def prune(study_file: str | os.PathLike, *, folder: str | os.PathLike = ".") -> list[Path]:
    """Delete what Snakemake does not know in the sub-folders of a study's results.

    Parameters
    ----------
    study_file : path-like
        The study, relative to `folder`.
    folder : path-like
        The project: where Snakemake runs.

    Returns
    -------
    list of Path
        The deleted files, relative to `folder`. Files that lie directly in `results/<study>`
        are never deleted, nor anything outside of it.

    Raises
    ------
    PruneError
        If Snakemake is running there, or refuses the study.
    """
    import yaml

    folder = Path(folder)
    locks = folder / ".snakemake" / "locks"
    if locks.is_dir() and any(locks.iterdir()):
        raise PruneError(
            "Snakemake is running in this folder, or was killed there (then: make unlock)"
        )
    listed = _untracked(study_file, folder)
    given = yaml.safe_load((folder / study_file).read_text(encoding="utf-8"))
    results, whole = Path("results") / given["study"], kinds.kind_of(given).WHOLE_FOLDERS
    stale = sorted({*stale_files(results, listed, whole), *_half_written(results, folder)})
    for path in stale:
        (folder / path).unlink()
    _drop_empty_folders(folder / results)
    return stale


def stale_files(results: Path, listed: Iterable[str], whole: Collection[str]) -> Iterator[Path]:
    """Yield those of some paths that lie in a sub-folder of `results`, but for `whole` ones."""
    for path in map(Path, listed):
        if results not in path.parents or path.parent == results or ".." in path.parts:
            continue
        if path.relative_to(results).parts[0] not in whole:
            yield path


def _untracked(study_file: str | os.PathLike, folder: Path) -> list[str]:
    command = [sys.executable, "-m", "snakemake", "--list-untracked"]
    found = subprocess.run(
        [*command, "--configfile", os.fspath(study_file)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode != 0:
        raise PruneError(f"Snakemake could not list the files of {study_file}:\n{found.stderr}")
    return found.stdout.splitlines()


def _half_written(results: Path, folder: Path) -> Iterator[Path]:
    for path in (folder / results).rglob(".*"):
        if HALF_WRITTEN.fullmatch(path.name) and path.is_file():
            yield path.relative_to(folder)


def _drop_empty_folders(top: Path) -> None:
    for path, _, _ in os.walk(top, topdown=False):
        if Path(path) != top and not os.listdir(path):
            os.rmdir(path)


def main(arguments: list[str]) -> int:
    """Prune one study, print what was deleted, and return the exit code."""
    if len(arguments) != 1:
        print("usage: python -m earnest.studies.pruning STUDY_FILE", file=sys.stderr)
        return 2
    try:
        deleted = prune(arguments[0])
    except PruneError as error:
        print(error, file=sys.stderr)
        return 1
    for path in deleted:
        print(path)
    print(f"{len(deleted)} files deleted")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
