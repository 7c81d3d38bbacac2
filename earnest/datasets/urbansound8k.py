"""UrbanSound8K: 8,732 clips of at most 4 seconds in 10 classes and 10 folds."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from earnest.datasets import releases

if TYPE_CHECKING:
    import pandas

CLIPS = 8_732
LABELS = (
    "air_conditioner",
    "car_horn",
    "children_playing",
    "dog_bark",
    "drilling",
    "engine_idling",
    "gun_shot",
    "jackhammer",
    "siren",
    "street_music",
)


def list_clips(root: str | os.PathLike[str]) -> "pandas.DataFrame":
    """List the clips that `metadata/UrbanSound8K.csv` names, whether their files are there or not.

    Parameters
    ----------
    root : path-like
        Folder with `metadata/` and `audio/fold1` to `audio/fold10`; a subset, or another file
        format under the names that its table gives, is fine.

    Returns
    -------
    pandas.DataFrame
        Table `listing`, sorted by `clip_id`; `fold` is the official one and `recording` is
        `urbansound8k/<fsID>`, the Freesound upload that the slice was cut from.

    Raises
    ------
    FileNotFoundError
        If the table is not there.
    ValueError
        If it lacks a column or a cell, lists a file twice, has an unknown class or a fold that is
        no whole number.
    """
    path = Path(root) / "metadata" / "UrbanSound8K.csv"
    rows = releases.read_table(
        path,
        ("slice_file_name", "fsID", "fold", "class"),
        holds="UrbanSound8K as released, with audio/ and metadata/",
        distinct="slice_file_name",
    )
    releases.refuse_unknown(rows["class"], LABELS, path)
    return releases.to_listing(
        "urbansound8k",
        (
            {
                "clip": Path(row["slice_file_name"]).stem,
                "path": Path(root) / "audio" / f"fold{row['fold']}" / row["slice_file_name"],
                "label": row["class"],
                "fold": releases.whole_number(row["fold"], f"{path}, {row['slice_file_name']}"),
                "recording": row["fsID"],
            }
            for row in rows.to_dict("records")
        ),
    )


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
        problems = releases.incomplete(listing, clips=CLIPS, labels=LABELS, per_label=None)
    return problems + releases.problems_of(listing)
