"""The user's own audio: labels from sub-folders or from a table."""

import os
import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from earnest.datasets import releases
from earnest.io.cells import is_json, refuse_alike
from earnest.io.names import normal, skeleton
from earnest.io.strict import read_texts

if TYPE_CHECKING:
    import pandas

CLIPS = None  # no number is expected
FORMATS = "aif aifc aiff au caf flac mp3 oga ogg opus rf64 snd w64 wav wave"
SUFFIXES = frozenset(f".{name}" for name in FORMATS.split())
COLUMNS = ("file", "label")
_TEXTS = "csv doc docx html ini jams json lab log md odt pdf py r rst rtf toml tsv txt xls xlsx xml"
_OTHERS = (
    "bib bmp db eps gif gz jpeg jpg npy npz parquet pkl png ps svg textgrid tif tiff yaml yml zip"
)
NO_SOUND = frozenset(f".{name}" for name in f"{_TEXTS} {_OTHERS}".split())  # passed over unsaid


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
    _say_passed_over(root)
    refuse_alike(f"{root}, labels", [row["label"] for row in rows])
    pattern = _pattern(recordings)
    for row in rows:
        if "+" in row["label"]:
            raise ValueError(f"{row['path']}: label {row['label']!r}: `+` joins labels in pairs")
        if pattern is not None:
            row["recording"] = _recording(pattern, row["clip"], root)
    return releases.to_listing("folder", rows)


def labels_in(root: str | os.PathLike[str], labels: str | None = None) -> frozenset[str] | None:
    """Return the labels that a folder gives, or None where it cannot be listed.

    What is wrong with it is said by `list_clips`, whose arguments these are.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows = _by_table(Path(root), labels) if labels else _by_sub_folder(Path(root))
            return frozenset(row["label"] for row in rows)
    except (OSError, ValueError):
        return None


def check(root: str | os.PathLike[str], *, complete: bool, **options: str | None) -> list[str]:
    """Say which listed files are not there, do not open, or have a recording in several folds."""
    return releases.problems_of(list_clips(root, **options))


def _files(root: Path, suffixes: Collection[str]) -> Iterator[Path]:
    """Yield files that are not hidden, nor in a hidden folder; `._name.wav` is no sound."""
    for path in sorted(_walk(root, frozenset())):
        if path.is_file() and (not suffixes or path.suffix.lower() in suffixes):
            yield path


def _walk(folder: Path, above: frozenset[tuple[int, int]]) -> Iterator[Path]:
    """Yield what is no folder and not hidden; links to folders are followed, loops are not."""
    stat = folder.stat()
    place = stat.st_dev, stat.st_ino
    if place in above:
        return
    for entry in os.scandir(folder):
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            yield from _walk(folder / entry.name, above | {place})
        else:
            yield folder / entry.name


def _say_passed_over(root: Path) -> None:
    """Warn of files that may be sounds and are not listed, and of links that lead nowhere."""
    counts: Counter[str] = Counter()
    first: dict[str, str] = {}
    for path in sorted(_walk(root, frozenset())):
        suffix = path.suffix.lower()
        kind = f"*{suffix}" if path.is_file() else "links that lead nowhere"
        if path.is_file() and (suffix in SUFFIXES or suffix in NO_SOUND):
            continue
        counts[kind] += 1
        first.setdefault(kind, path.relative_to(root).as_posix())
    if counts:
        kinds = ", ".join(f"{counts[k]} {k} (such as {first[k]})" for k in sorted(counts))
        warnings.warn(
            f"folder: {sum(counts.values())} files of {root} are passed over: {kinds}; convert"
            f" sounds among them to WAV or FLAC ({', '.join(sorted(SUFFIXES))} are read)",
            stacklevel=3,
        )


def _by_sub_folder(root: Path) -> Iterator[dict[str, Any]]:
    for path in _files(root, SUFFIXES):
        name = path.relative_to(root)
        if len(name.parts) == 1:
            raise ValueError(
                f"{path} lies in no sub-folder, so it has no label; name a table under"
                " folder.labels if labels are in one"
            )
        clip = name.as_posix()
        yield {"clip": clip, "path": path, "label": normal(name.parts[0]), "recording": clip}


def _by_table(root: Path, labels: str) -> Iterator[dict[str, Any]]:
    path = root / labels
    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    header = read_texts(path, separator=separator).columns if path.is_file() else ()
    options = [name for name in ("recording", "fold") if name in header]
    rows = releases.read_table(
        path,
        (*COLUMNS, *options),
        holds="the table of labels that folder.labels names",
        separator=separator,
        distinct="file",
        by_hand=True,
    )
    there = {path.relative_to(root).as_posix(): path for path in _files(root, SUFFIXES)}
    files = _place_files(rows["file"].tolist(), root, there, path)
    others = set(there.values()) - set(files.values())
    if others:
        names = releases.some(sorted(str(other) for other in others), 5)
        warnings.warn(f"folder: {path} does not name {len(others)} files: {names}", stacklevel=3)
    for row in rows.to_dict("records"):
        where = f"{path}, file {row['file']}"
        name = PurePosixPath(row["file"])
        if is_json(row["label"]):
            raise ValueError(
                f"{where}: label {row['label']!r} is JSON; write the name of one class"
            )
        known = {"recording": row.get("recording", str(name)), "label": row["label"]}
        if "fold" in row:
            known["fold"] = releases.whole_number(row["fold"], where)
        yield {"clip": str(name), "path": files[row["file"]]} | known


def _place_files(
    names: list[str], root: Path, there: Mapping[str, Path], table: Path
) -> dict[str, Path]:
    """Return where the files of a table lie; refuse names that are those of others, miswritten."""
    alike = {skeleton(name): name for name in there}
    composed = {normal(name): path for name, path in there.items()}
    places: dict[str, Path] = {}
    for name in names:
        where, pure = f"{table}, file {name}", PurePosixPath(name)
        if pure.is_absolute() and pure.is_relative_to(root.resolve()):
            below = pure.relative_to(root.resolve())
            raise ValueError(f"{where}: write the path below the folder {root}: {below}")
        if pure.is_absolute() or ".." in pure.parts:
            raise ValueError(f"{where}: the path leaves the folder {root}")
        places[name] = composed.get(normal(str(pure)), root / pure)
        if places[name].exists():
            continue
        slashed = name.replace("\\", "/")
        if slashed != name and skeleton(slashed) in alike:
            raise ValueError(
                f"{where}: there is {alike[skeleton(slashed)]!r}; was the table made on Windows?"
                " Write paths with slashes"
            )
        if skeleton(name) in alike:
            raise ValueError(
                f"{where}: there is {alike[skeleton(name)]!r}, which differs by case, spaces or"
                " letters that look alike; write it in the same way"
            )
    return places


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
