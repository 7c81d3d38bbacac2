"""VocalSound, 16 kHz release: 21,024 clips of 3,365 speakers, six vocal sounds each."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from earnest.datasets import releases

if TYPE_CHECKING:
    import pandas

CLIPS = 21_024
LABELS = ("cough", "laughter", "sigh", "sneeze", "sniff", "throatclearing")
AUDIO = "audio_16k"
# Official parts, in lists that name clips; the fold of each.
PARTS = {"tr": 1, "val": 2, "te": 3}
NAME = re.compile(r"(?P<speaker>[fm]\d+)_(?P<collection>\d+)_(?P<label>[a-z]+)")


def list_clips(root: str | os.PathLike[str]) -> "pandas.DataFrame":
    """List the clips in `audio_16k/`, by their names.

    Parameters
    ----------
    root : path-like
        Folder of the release, with `audio_16k/`; `datafiles/` may be missing.

    Returns
    -------
    pandas.DataFrame
        Table `listing`, sorted by `clip_id`. `recording` is `vocalsound/<speaker>`: all sounds
        of a person stay together. `fold` is 1, 2 or 3 for the official training, validation and
        test part (`datafiles/tr.json`, `val.json`, `te.json`), null where no list has the clip.

    Raises
    ------
    FileNotFoundError
        If there is no folder `audio_16k`.
    ValueError
        If a name is not `<gender and speaker>_<collection>_<sound>.wav`, or a list is damaged.
    """
    audio = Path(root) / AUDIO
    if not audio.is_dir():
        raise FileNotFoundError(
            f"{audio} is missing: the folder must hold the 16 kHz release of VocalSound"
        )
    folds = _folds(Path(root) / "datafiles")
    rows = []
    for path in audio.iterdir():
        if path.name.startswith(".") or not path.is_file():
            continue
        match = NAME.fullmatch(path.stem)
        if match is None or match["label"] not in LABELS:
            raise ValueError(
                f"{path}: the name is not <gender and speaker>_<collection>_<sound>, with one of"
                f" the sounds {', '.join(LABELS)}"
            )
        rows.append(
            {
                "clip": path.stem,
                "path": path,
                "label": match["label"],
                "fold": folds.get(path.stem),
                "recording": match["speaker"],
            }
        )
    return releases.to_listing("vocalsound", rows)


def _folds(folder: Path) -> dict[str, int]:
    """Read which clips are in which official part; the lists hold paths of their makers."""
    import json

    folds: dict[str, int] = {}
    for part, fold in PARTS.items():
        path = folder / f"{part}.json"
        if not path.is_file():
            continue
        try:
            names = [Path(row["wav"]).stem for row in json.loads(path.read_text("utf-8"))["data"]]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} is no list of VocalSound's clips: {error!r}") from error
        both = sorted(set(names) & set(folds))
        if both:
            raise ValueError(f"{path}: in another part too: {releases.some(both)}")
        folds |= dict.fromkeys(names, fold)
    return folds


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
