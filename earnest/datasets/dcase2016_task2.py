"""DCASE 2016 task 2: 220 isolated office sounds, 20 in each of 11 classes."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from earnest.datasets import releases

if TYPE_CHECKING:
    import pandas

PER_LABEL = 20
LABELS = (
    "clearthroat",
    "cough",
    "doorslam",
    "drawer",
    "keyboard",
    "keysdrop",
    "knock",
    "laughter",
    "pageturn",
    "phone",
    "speech",
)
CLIPS = PER_LABEL * len(LABELS)
TRAINING = "dcase2016_task2_train"
NAME = re.compile(r"(?P<label>[A-Za-z]+)(?P<number>\d+)")


def list_clips(root: str | os.PathLike[str]) -> "pandas.DataFrame":
    """List the isolated sounds of the training set; the scenes of the other sets are mixtures.

    Parameters
    ----------
    root : path-like
        Folder of the release, with `dcase2016_task2_train/` in it or below it, or that folder.

    Returns
    -------
    pandas.DataFrame
        Table `listing`, sorted by `clip_id`. Labels are the names' prefixes in lower case
        (`keysDrop093.wav` is `keysdrop`). Every file is a recording of its own; no folds.

    Raises
    ------
    FileNotFoundError
        If there is no such folder.
    ValueError
        If there are several, or a name is not a class and a number.
    """
    rows = []
    for path in _training(Path(root)).glob("[!.]*.wav"):
        match = NAME.fullmatch(path.stem)
        if match is None or match["label"].lower() not in LABELS:
            raise ValueError(
                f"{path}: the name is not a class and a number; classes are {', '.join(LABELS)}"
            )
        label = match["label"].lower()
        rows.append({"clip": path.stem, "path": path, "label": label, "recording": path.stem})
    return releases.to_listing("dcase2016_task2", rows)


def _training(root: Path) -> Path:
    if any(root.glob("[!.]*.wav")):
        return root
    found = sorted(path for path in root.rglob(TRAINING) if path.is_dir())
    if not found:
        raise FileNotFoundError(f"{root} holds no folder {TRAINING}, in it or below it")
    if len(found) > 1:
        raise ValueError(f"{root} holds several folders {TRAINING}: {', '.join(map(str, found))}")
    return found[0]


def check(root: str | os.PathLike[str], *, complete: bool) -> list[str]:
    """Say what is wrong with a folder, and what it lacks of the release if it must be `complete`.

    Returns
    -------
    list of str
        One sentence each, empty when all is well.
    """
    listing = list_clips(root)
    problems = []
    if complete:
        problems = releases.incomplete(listing, clips=CLIPS, labels=LABELS, per_label=PER_LABEL)
    return problems + releases.problems_of(listing)
