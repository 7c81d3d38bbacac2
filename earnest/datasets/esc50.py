"""ESC-50: 2,000 clips of 5 seconds in 50 classes and 5 folds."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from earnest.datasets import releases

if TYPE_CHECKING:
    import pandas

CLIPS = 2_000
CLASSES = 50
LABELS = (
    "airplane",
    "breathing",
    "brushing_teeth",
    "can_opening",
    "car_horn",
    "cat",
    "chainsaw",
    "chirping_birds",
    "church_bells",
    "clapping",
    "clock_alarm",
    "clock_tick",
    "coughing",
    "cow",
    "crackling_fire",
    "crickets",
    "crow",
    "crying_baby",
    "dog",
    "door_wood_creaks",
    "door_wood_knock",
    "drinking_sipping",
    "engine",
    "fireworks",
    "footsteps",
    "frog",
    "glass_breaking",
    "hand_saw",
    "helicopter",
    "hen",
    "insects",
    "keyboard_typing",
    "laughing",
    "mouse_click",
    "pig",
    "pouring_water",
    "rain",
    "rooster",
    "sea_waves",
    "sheep",
    "siren",
    "sneezing",
    "snoring",
    "thunderstorm",
    "toilet_flush",
    "train",
    "vacuum_cleaner",
    "washing_machine",
    "water_drops",
    "wind",
)
DURATION_S = 5.0
# In the release itself, two uploads gave clips of different classes to two folds.
CROSSING_FOLDS = frozenset({"esc50/209698", "esc50/234879"})


def list_clips(root: str | os.PathLike[str]) -> "pandas.DataFrame":
    """List the clips that ESC-50's metadata table names, whether their files are there or not.

    A file that is missing is listed all the same, so that screening reports it with its reason.

    Parameters
    ----------
    root : path-like
        Folder with `meta/esc50.csv` and `audio/`; a subset, or another file format under the
        names that its table gives, is fine.

    Returns
    -------
    pandas.DataFrame
        Table `listing`, sorted by `clip_id`; `fold` is the official one and `recording` is
        `esc50/<src_file>`, the upload that the clip was cut from.

    Raises
    ------
    FileNotFoundError
        If the table is not there.
    ValueError
        If a column is missing, a cell is empty, a file is listed twice or a fold is no number.
    """
    path = Path(root) / "meta" / "esc50.csv"
    rows = releases.read_table(
        path,
        ("filename", "fold", "category", "src_file"),
        holds="ESC-50 as released, with audio/ and meta/",
        distinct="filename",
    )
    return releases.to_listing(
        "esc50",
        (
            {
                "clip": Path(row["filename"]).stem,
                "path": Path(root) / "audio" / row["filename"],
                "label": row["category"],
                "fold": releases.whole_number(row["fold"], f"{path}, {row['filename']}"),
                "recording": row["src_file"],
            }
            for row in rows.to_dict("records")
        ),
    )


def check(root: str | os.PathLike[str], *, complete: bool) -> list[str]:
    """Check a folder against the metadata table that came with it.

    Parameters
    ----------
    root : path-like
        Folder with `meta/esc50.csv` and `audio/`.
    complete : bool
        Whether the whole release is expected: 2,000 names in 50 classes of 40 clips, each 5
        seconds long within 10 ms. A subset is only checked in itself, and may hold the original
        uploads' Ogg files, whose lengths differ.

    Returns
    -------
    list of str
        What is wrong, one sentence each: listed names without a file, files that do not open,
        recordings that cross folds (beyond the two that do in the release), and what a release
        that should be complete lacks. Empty when all is well.
    """
    listing = list_clips(root)
    problems = []
    if complete:
        labels = listing["label"].nunique()
        if labels != CLASSES:
            problems.append(f"{labels} labels are listed, the release has {CLASSES}")
        problems += releases.incomplete(listing, clips=CLIPS, labels=(), per_label=CLIPS // CLASSES)
    duration_s = DURATION_S if complete else None
    return problems + releases.problems_of(listing, crossing=CROSSING_FOLDS, duration_s=duration_s)
