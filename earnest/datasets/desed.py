"""DESED's weakly labelled training clips: 10 s from YouTube, ten domestic sounds."""

import os
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from earnest.datasets import releases

if TYPE_CHECKING:
    import pandas

ROWS = 1_578
CLIPS = 984  # rows with exactly one label
# Labels of DESED to those of the pairs table, which writes one of them with capitals.
SPELLINGS = {
    "alarm_bell_ringing": "Alarm_Bell_Ringing",
    "blender": "blender",
    "cat": "cat",
    "dishes": "dishes",
    "dog": "dog",
    "electric_shaver_toothbrush": "electric_shaver_toothbrush",
    "frying": "frying",
    "running_water": "running_water",
    "speech": "speech",
    "vacuum_cleaner": "vacuum_cleaner",
}
LABELS = tuple(SPELLINGS.values())
TABLE = Path("metadata") / "train" / "weak.tsv"
AUDIO = (Path("audio") / "train" / "weak", Path("audio") / "train" / "weak_16k")
# Clips vanish from YouTube: nobody can get all of them any more.
PARTIAL = True
SPAN = re.compile(r"(?P<video>.+)_\d+(\.\d+)?_\d+(\.\d+)?")


def list_clips(root: str | os.PathLike[str]) -> "pandas.DataFrame":
    """List the clips with exactly one label, whether their files are there or not.

    A clip with several labels has all of them somewhere in its 10 s and is no example of any one:
    it is left out, with a warning that counts such rows.

    Parameters
    ----------
    root : path-like
        Folder with `metadata/train/weak.tsv` and `audio/train/weak/` (or `weak_16k/`).

    Returns
    -------
    pandas.DataFrame
        Table `listing`, sorted by `clip_id`. `recording` is `desed/<name without the span>`, the
        YouTube video; no folds. Labels are in lower case but for `Alarm_Bell_Ringing`, as the
        pairs table writes them, so `Cat` and `Dog` are the classes `cat` and `dog` of ESC-50.

    Raises
    ------
    FileNotFoundError
        If the table is not there.
    ValueError
        If it lacks a column or a cell, lists a file with two sets of labels, or has an unknown
        label.
    """
    return list_weak(Path(root), "desed")


def list_weak(root: Path, dataset: str) -> "pandas.DataFrame":
    """List the weak part of `desed` or of `wilddesed`, whose clips are those of DESED with noise.

    So that a video is never on both sides, the recordings of both bear the name of DESED.
    """
    labels = read_labels(root)
    audio = next((root / path for path in AUDIO if (root / path).is_dir()), root / AUDIO[0])
    single = {file: names[0] for file, names in labels.items() if len(names) == 1}
    if len(single) < len(labels):
        warnings.warn(
            f"{dataset}: {len(labels) - len(single)} of {len(labels)} clips have several labels"
            " and are left out",
            stacklevel=3,
        )
    rows = [
        {"clip": Path(file).stem, "path": audio / file, "label": label, "recording": _video(file)}
        for file, label in single.items()
    ]
    listing = releases.to_listing(dataset, rows)
    prefix = f"{dataset}/"
    return listing.assign(recording="desed/" + listing["recording"].str.removeprefix(prefix))


def read_labels(root: Path) -> dict[str, tuple[str, ...]]:
    """Read the labels of each file, sorted and spelt as in `LABELS`."""
    path = root / TABLE
    rows = releases.read_table(
        path,
        ("filename", "event_labels"),
        holds=f"DESED's weak part, with {TABLE} and {AUDIO[0]}/",
        separator="\t",
    )
    labels: dict[str, tuple[str, ...]] = {}
    for file, text in rows.itertuples(index=False):
        names = sorted({name.strip().lower() for name in text.split(",") if name.strip()})
        unknown = [name for name in names if name not in SPELLINGS]
        if unknown:
            raise ValueError(f"{path}, file {file}: unknown labels {', '.join(unknown)}")
        spelt = tuple(SPELLINGS[name] for name in names)
        if labels.setdefault(file, spelt) != spelt:
            raise ValueError(f"{path}: {file} is listed twice, with different labels")
    return labels


def _video(file: str) -> str:
    stem = Path(file).stem
    match = SPAN.fullmatch(stem)
    return match["video"] if match else stem


def check(root: str | os.PathLike[str], *, complete: bool) -> list[str]:
    """Say what is wrong with a folder: rows that the table lacks, files that are not there.

    Returns
    -------
    list of str
        One sentence each, empty when all is well.
    """
    return check_weak(Path(root), list_clips(root))


def check_weak(root: Path, listing: "pandas.DataFrame") -> list[str]:
    """Say what is wrong with the weak part of `desed` or of `wilddesed`."""
    rows = len(read_labels(root))
    lacking = [f"{root / TABLE} lists {rows} files, the release has {ROWS}"]
    return (lacking if rows != ROWS else []) + releases.problems_of(listing)
