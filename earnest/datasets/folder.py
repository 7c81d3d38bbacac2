"""The user's own audio: labels from sub-folders or from a table."""

import os
import re
import warnings
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from earnest.datasets import releases

if TYPE_CHECKING:
    import pandas

CLIPS = None  # no number is expected
FORMATS = "aif aifc aiff au caf flac mp3 oga ogg opus rf64 snd w64 wav wave"
SUFFIXES = frozenset(f".{name}" for name in FORMATS.split())
COLUMNS = ("file", "label")


def list_clips(
    root: str | os.PathLike[str], *, labels: str | None = None, recordings: str | None = None
) -> "pandas.DataFrame":
    """List the audio files of a folder.

    Parameters
    ----------
    root : path-like
        The folder.
    labels : str, optional
        A CSV (or TSV, by its suffix) in the folder with a header, the columns `file` (path below
        the folder) and `label`, and perhaps `recording` and `fold`. Files that it does not name
        are left out. Without it, the label of a file is the sub-folder of `root` that it lies in.
    recordings : str, optional
        Regular expression with one group, which finds in the path of each file (below the folder,
        with slashes) what recording it was cut from. Without it, the table's column `recording`
        says so, or else every file is a recording of its own. Clips of one recording that are
        given as different ones leak from training to pool.

    Returns
    -------
    pandas.DataFrame
        Table `listing`, sorted by `clip_id`, which is `folder/<path>`.

    Raises
    ------
    FileNotFoundError
        If the folder or the table is not there, or the folder holds no audio file.
    ValueError
        If a file has no label, the table lacks a column or a cell, names a file twice or outside
        the folder, or the expression is none or does not match; the message names file or line.
    """
    root = Path(root)
    if not root.is_dir():
        raise FileNotFoundError(f"there is no folder {root}: set folder.path to your audio")
    rows = list(_by_table(root, labels) if labels else _by_sub_folder(root))
    if not rows:
        raise FileNotFoundError(f"{root} holds no audio file ({', '.join(sorted(SUFFIXES))})")
    pattern = _pattern(recordings)
    for row in rows:
        if "+" in row["label"]:
            raise ValueError(f"{row['path']}: label {row['label']!r}: `+` joins labels in pairs")
        if pattern is not None:
            row["recording"] = _recording(pattern, row["clip"], root)
    return releases.to_listing("folder", rows)


def check(root: str | os.PathLike[str], *, complete: bool, **options: str | None) -> list[str]:
    """Say which listed files are not there, do not open, or have a recording in several folds."""
    return releases.problems_of(list_clips(root, **options))


def _files(root: Path, suffixes: tuple[str, ...] | frozenset[str]) -> Iterator[Path]:
    """Yield files that are not hidden, nor in a hidden folder; `._name.wav` is no sound."""
    for path in sorted(root.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
        if path.is_file() and not hidden and (not suffixes or path.suffix.lower() in suffixes):
            yield path


def _by_sub_folder(root: Path) -> Iterator[dict[str, Any]]:
    for path in _files(root, SUFFIXES):
        name = path.relative_to(root)
        if len(name.parts) == 1:
            raise ValueError(
                f"{path} lies in no sub-folder, so it has no label; name a table under"
                " folder.labels if labels are in one"
            )
        clip = name.as_posix()
        yield {"clip": clip, "path": path, "label": name.parts[0], "recording": clip}


def _by_table(root: Path, labels: str) -> Iterator[dict[str, Any]]:
    path = root / labels
    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    options = [name for name in ("recording", "fold") if name in _header(path, separator)]
    rows = releases.read_table(
        path,
        (*COLUMNS, *options),
        holds="the table of labels that folder.labels names",
        separator=separator,
        distinct="file",
    )
    others = set(_files(root, SUFFIXES)) - {root / file for file in rows["file"]}
    if others:
        names = releases.some(sorted(str(other) for other in others), 5)
        warnings.warn(f"folder: {path} does not name {len(others)} files: {names}", stacklevel=3)
    for row in rows.to_dict("records"):
        where = f"{path}, file {row['file']}"
        name = PurePosixPath(row["file"])
        if name.is_absolute() or ".." in name.parts:
            raise ValueError(f"{where}: the path leaves the folder {root}")
        known = {"recording": row.get("recording", str(name)), "label": row["label"]}
        if "fold" in row:
            known["fold"] = releases.whole_number(row["fold"], where)
        yield {"clip": str(name), "path": root / name} | known


def _header(path: Path, separator: str) -> list[str]:
    import csv

    if not path.is_file():
        return []
    with open(path, encoding="utf-8-sig", newline="") as file:
        return next(csv.reader(file, delimiter=separator), [])


def _pattern(text: str | None) -> "re.Pattern[str] | None":
    if text is None:
        return None
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise ValueError(f"folder.recordings: {text!r} is no regular expression: {error}") from None
    if pattern.groups != 1:
        raise ValueError(f"folder.recordings: {text!r} has {pattern.groups} groups, one is needed")
    return pattern


def _recording(pattern: "re.Pattern[str]", clip: str, root: Path) -> str:
    match = pattern.search(clip)
    if match is None or not match[1]:
        raise ValueError(f"{root / clip}: folder.recordings {pattern.pattern!r} finds nothing")
    return match[1]
