"""TUT Acoustic Scenes 2017: development and evaluation set, segments of 10 s of 15 scenes."""

import os
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from earnest.datasets import releases

if TYPE_CHECKING:
    import pandas

DEVELOPMENT = "TUT-acoustic-scenes-2017-development"
EVALUATION = "TUT-acoustic-scenes-2017-evaluation"
LABELS = (
    "beach",
    "bus",
    "cafe/restaurant",
    "car",
    "city_center",
    "forest_path",
    "grocery_store",
    "home",
    "library",
    "metro_station",
    "office",
    "park",
    "residential_area",
    "train",
    "tram",
)
PER_LABEL = {DEVELOPMENT: 312, EVALUATION: 108}
CLIPS = len(LABELS) * sum(PER_LABEL.values())
DURATION_S = 10.0
FOLDS = (1, 2, 3, 4)
EVALUATION_FOLD = 0


def list_clips(root: str | os.PathLike[str]) -> "pandas.DataFrame":
    """List the segments of both sets, whether their files are there or not.

    A segment of the development set has as `fold` the official fold, 1 to 4, that evaluates on
    it; one of the evaluation set has fold 0. Segments in which `error.txt` marks a damaged span
    are left out, with a warning that counts them.

    Parameters
    ----------
    root : path-like
        Folder that holds the folders of the two sets under their official names. One of the two
        may be missing; so may an evaluation set's labels, which are then an error.

    Returns
    -------
    pandas.DataFrame
        Table `listing`, sorted by `clip_id`. `recording` is `tut2017/<identifier>`, the text
        before the first underscore of a development segment's name. Names of evaluation segments
        carry no identifier: each is a recording of its own, `tut2017/evaluation-<name>`, unless
        `evaluation_setup/map.txt` gives its original name.

    Raises
    ------
    FileNotFoundError
        If neither set is there, or one lacks its list of files.
    ValueError
        If a list is damaged, has an unknown scene, or contradicts another one.
    """
    root = Path(root)
    sets = [name for name in (DEVELOPMENT, EVALUATION) if (root / name).is_dir()]
    if not sets:
        raise FileNotFoundError(f"{root} holds neither {DEVELOPMENT}/ nor {EVALUATION}/")
    rows = [row for name in sets for row in _undamaged(root / name)]
    return releases.to_listing("tut2017", rows)


def check(root: str | os.PathLike[str], *, complete: bool) -> list[str]:
    """Say what is wrong with a folder, and what it lacks of the release if it must be `complete`.

    Returns
    -------
    list of str
        One sentence each: scenes without their 312 and 108 segments (damaged ones included),
        listed files that are not there, do not open or do not last 10 s (only of a complete
        release), development segments that no fold evaluates on. Empty when all is well.
    """
    root = Path(root)
    problems = []
    for name, per_label in PER_LABEL.items():
        if not (root / name).is_dir():
            problems.append(f"{root / name} is missing")
            continue
        listing = releases.to_listing("tut2017", _segments(root / name))
        if complete:
            found = releases.incomplete(
                listing, clips=len(LABELS) * per_label, labels=LABELS, per_label=per_label
            )
            problems += [f"{name}: {text}" for text in found]
        problems += releases.problems_of(listing, duration_s=DURATION_S if complete else None)
        unfolded = int(listing["fold"].isna().sum())
        if unfolded:
            problems.append(f"{name}: no fold evaluates on {unfolded} segments")
    return problems


def _undamaged(folder: Path) -> list[dict[str, Any]]:
    damaged = _damaged(folder)
    rows = list(_segments(folder))
    unknown = sorted(damaged - {row["file"] for row in rows})
    if unknown:
        raise ValueError(f"{folder / 'error.txt'} names unlisted files: {releases.some(unknown)}")
    if damaged:
        warnings.warn(
            f"tut2017: {len(damaged)} segments of {folder.name} have damaged spans and are left"
            f" out: {releases.some(sorted(damaged))}",
            stacklevel=3,
        )
    return [row for row in rows if row["file"] not in damaged]


def _damaged(folder: Path) -> set[str]:
    """Names of the files with a damaged span, of which the error package gives start and end."""
    path = folder / "error.txt"
    if not path.is_file():
        return set()
    columns = ("file", "onset", "offset")
    rows = releases.read_table(path, columns, holds="spans", separator="\t", header=False)
    for row in rows.itertuples():
        try:
            right = 0 <= float(row.onset) < float(row.offset)
        except ValueError:
            right = False
        if not right:
            raise ValueError(f"{path}: {row.file}: no span from {row.onset} to {row.offset} s")
    return set(rows["file"])


def _segments(folder: Path) -> Iterator[dict[str, Any]]:
    setup = folder / "evaluation_setup"
    if folder.name == EVALUATION:
        labels, folds, names = _evaluation_labels(folder), {}, _original_names(setup)
    else:
        lists = {fold: _read(setup / f"fold{fold}_evaluate.txt") for fold in FOLDS}
        folds, names = _folds(lists, setup), {}
        labels = _agreed(_read(folder / "meta.txt"), lists.values(), folder)
    releases.refuse_unknown(_series(labels), LABELS, folder)
    for file, label in labels.items():
        stem = PurePosixPath(file).stem
        if folder.name == DEVELOPMENT:
            place, recording, fold = "development", _identifier(stem), folds.get(file)
        else:
            place, recording, fold = "evaluation", f"evaluation-{stem}", EVALUATION_FOLD
            if file in names:
                recording = _identifier(names[file])
        yield {
            "file": file,
            "clip": f"{place}/{stem}",
            "path": folder / file,
            "label": label,
            "fold": fold,
            "recording": recording,
        }


def _identifier(name: str) -> str:
    return PurePosixPath(name).stem.split("_")[0]


def _read(path: Path) -> dict[str, str]:
    """Read a list of files and scene labels; a third column is not used."""
    rows = releases.read_table(
        path,
        ("file", "label"),
        holds="the meta package of the release",
        separator="\t",
        header=False,
        distinct="file",
    )
    return dict(zip(rows["file"], rows["label"], strict=True))


def _evaluation_labels(folder: Path) -> dict[str, str]:
    """The labels came after the challenge; either list has them."""
    lists = [folder / "evaluation_setup" / "evaluate.txt", folder / "meta.txt"]
    return _read(next((path for path in lists if path.is_file()), lists[0]))


def _original_names(setup: Path) -> dict[str, str]:
    path = setup / "map.txt"
    return _read(path) if path.is_file() else {}


def _folds(lists: dict[int, dict[str, str]], setup: Path) -> dict[str, int]:
    folds: dict[str, int] = {}
    for fold, files in lists.items():
        both = sorted(set(files) & set(folds))
        if both:
            raise ValueError(f"{setup}: several folds evaluate on {releases.some(both)}")
        folds |= dict.fromkeys(files, fold)
    return folds


def _agreed(
    labels: dict[str, str], lists: Iterable[dict[str, str]], folder: Path
) -> dict[str, str]:
    """Return the labels of meta.txt, unless a fold's list has another one or another file."""
    for files in lists:
        wrong = sorted(file for file, label in files.items() if labels.get(file) != label)
        if wrong:
            raise ValueError(
                f"{folder}: meta.txt and the lists of the folds differ in {releases.some(wrong)}"
            )
    return labels


def _series(labels: dict[str, str]) -> "pandas.Series":
    import pandas as pd

    return pd.Series(list(labels.values()), dtype=str)
