"""USM: the single-sound stems of 24,000 urban soundscapes, 26 classes, from FSD50K."""

import os
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from earnest.datasets import releases

if TYPE_CHECKING:
    import pandas

SOUNDSCAPES = {"train": 20_000, "val": 2_000, "eval": 2_000}
FOLDS = {"train": 1, "val": 2, "eval": 3}
# In the order of the targets; spaces become underscores.
LABELS = (
    "airplane",
    "alarm",
    "birds",
    "bus",
    "car",
    "cheering",
    "church_bell",
    "dogs",
    "drilling",
    "glass_break",
    "gunshot",
    "hammer",
    "helicopter",
    "jackhammer",
    "lawn_mower",
    "motorcycle",
    "music",
    "rain",
    "sawing",
    "scream",
    "siren",
    "speech",
    "thunderstorm",
    "train",
    "truck",
    "wind",
)
STEM = re.compile(r"(?P<soundscape>\d+)_mix_stem_(?P<stem>\d+)")


def list_clips(root: str | os.PathLike[str]) -> "pandas.DataFrame":
    """List the stems, one sound each; the soundscapes themselves have many labels and are left out.

    Parameters
    ----------
    root : path-like
        Folder with some of `train/`, `val/` and `eval/`, and with `metadata/usm_<part>.csv` of
        each, which the authors publish beside the audio.

    Returns
    -------
    pandas.DataFrame
        Table `listing`, sorted by `clip_id`. `fold` is 1, 2 or 3 for train, val and eval; the
        first two share uploads.
        `recording` is `usm/<number>`, the Freesound upload that the stem was cut from: the
        metadata give it for each sound of a soundscape, and sounds and stems are matched by
        class. Stems of one class in one soundscape that are from different uploads cannot be
        told apart: they are left out, with a warning that counts them.

    Raises
    ------
    FileNotFoundError
        If no part is there, or one lacks its metadata or a stem its target.
    ValueError
        If a target is not one of 26 classes, or stems and metadata of a soundscape differ.
    """
    root = Path(root)
    parts = [part for part in SOUNDSCAPES if (root / part).is_dir()]
    if not parts:
        raise FileNotFoundError(f"{root} holds none of the folders {', '.join(SOUNDSCAPES)}")
    rows = [row for part in parts for row in _stems(root, part)]
    unclear = sum(row["recording"] is None for row in rows)
    if unclear:
        warnings.warn(
            f"usm: {unclear} stems share class and soundscape with one of another upload and are"
            " left out",
            stacklevel=2,
        )
    return releases.to_listing("usm", [row for row in rows if row["recording"] is not None])


def _stems(root: Path, part: str) -> Iterator[dict[str, Any]]:
    uploads = _uploads(root / "metadata" / f"usm_{part}.csv")
    found: dict[int, list[tuple[Path, str]]] = defaultdict(list)
    for path in (root / part).glob("[!.]*_mix_stem_*.wav"):
        match = STEM.fullmatch(path.stem)
        if match is None:
            raise ValueError(f"{path}: the name is not <soundscape>_mix_stem_<number>")
        target = path.with_name(f"{match['soundscape']}_stem_{match['stem']}_target.npy")
        found[int(match["soundscape"])].append((path, _label(target)))
    for soundscape, stems in found.items():
        known = uploads.get(soundscape, {})
        sizes = {label: len(names) for label, names in known.items()}
        if Counter(label for _, label in stems) != sizes:
            raise ValueError(
                f"{root / part}, soundscape {soundscape}: the stems are of"
                f" {', '.join(sorted(label for _, label in stems))}; the metadata say"
                f" {', '.join(sorted(known)) or 'nothing'}"
            )
        for path, label in stems:
            names = set(known[label])
            yield {
                "clip": f"{part}/{path.stem}",
                "path": path,
                "label": label,
                "fold": FOLDS[part],
                "recording": names.pop() if len(names) == 1 else None,
            }


def _uploads(path: Path) -> dict[int, dict[str, list[str]]]:
    """Read the uploads of each soundscape, by class."""
    rows = releases.read_table(
        path,
        ("class_usm", "file", "usm_id"),
        holds="metadata/ from the repository of USM, which says where each sound is from",
        separator=";",
    )
    labels = rows["class_usm"].str.replace(" ", "_")
    releases.refuse_unknown(labels, LABELS, path)
    uploads: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for label, file, soundscape in zip(labels, rows["file"], rows["usm_id"], strict=True):
        number = releases.whole_number(soundscape, str(path))
        uploads[number][label].append(PurePosixPath(file).stem)
    return uploads


def _label(target: Path) -> str:
    import numpy as np

    if not target.is_file():
        raise FileNotFoundError(f"{target} is missing: it says which sound its stem is")
    try:
        values = np.load(target, allow_pickle=False).ravel()
    except ValueError as error:
        raise ValueError(f"{target} cannot be read: {error}") from error
    chosen = np.flatnonzero(values)
    if len(values) != len(LABELS) or len(chosen) != 1:
        raise ValueError(
            f"{target}: one of {len(LABELS)} classes is expected, found {len(chosen)} of"
            f" {len(values)}"
        )
    return LABELS[int(chosen[0])]


def check(root: str | os.PathLike[str], *, complete: bool) -> list[str]:
    """Say what is wrong with a folder, and what it lacks of the release if it must be `complete`.

    Returns
    -------
    list of str
        One sentence each: parts without their number of soundscapes, classes without a stem,
        files that do not open or do not last 5 s. Empty when all is well.
    """
    listing = list_clips(root)
    problems = []
    if complete:
        places = listing["clip_id"].str.extract(r"usm/(?P<part>\w+)/(?P<soundscape>\d+)_mix")
        counts = places.groupby("part")["soundscape"].nunique()
        problems = [
            f"{part} has {counts.get(part, 0)} soundscapes, the release has {size}"
            for part, size in SOUNDSCAPES.items()
            if counts.get(part, 0) != size
        ]
        absent = sorted(set(LABELS) - set(listing["label"]))
        problems += [f"labels without a clip: {releases.some(absent)}"] if absent else []
    # train and val were both mixed from FSD50K's development part, eval from the other one
    sides = listing.assign(fold=listing["fold"].replace(FOLDS["val"], FOLDS["train"]))
    return problems + releases.problems_of(sides, duration_s=5.0 if complete else None)
