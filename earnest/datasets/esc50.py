"""ESC-50: 2,000 clips of 5 seconds in 50 classes and 5 folds."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas

CLIPS = 2_000
CLASSES = 50
DURATION_S = 5.0
# In the release itself, two uploads gave clips of different classes to two folds.
CROSSING_FOLDS = frozenset({"209698", "234879"})
COLUMNS = ("filename", "fold", "target", "category", "src_file")


def read_metadata(root: str | os.PathLike) -> "pandas.DataFrame":
    """Read `meta/esc50.csv`, checking that the columns used here are there and names distinct.

    Raises
    ------
    FileNotFoundError
        If the file is not there.
    ValueError
        If a column is missing, a cell is empty or a file is listed twice.
    """
    import pandas as pd

    path = Path(root) / "meta" / "esc50.csv"
    if not path.is_file():
        raise FileNotFoundError(
            f"{path} is missing: the folder must hold ESC-50 as released, with audio/ and meta/"
        )
    rows = pd.read_csv(path, dtype={"filename": str, "category": str, "src_file": str})
    missing = [name for name in COLUMNS if name not in rows.columns]
    if missing:
        raise ValueError(f"{path} lacks the columns {', '.join(missing)}")
    for name in COLUMNS:
        if rows[name].isna().any():
            line = int(rows[name].isna().to_numpy().argmax()) + 2
            raise ValueError(f"{path}, line {line}: the cell of column {name} is empty")
    twice = sorted(set(rows["filename"][rows["filename"].duplicated()]))
    if twice:
        raise ValueError(f"{path} lists {len(twice)} files more than once: {_some(twice)}")
    return rows


def list_clips(root: str | os.PathLike) -> "pandas.DataFrame":
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
    """
    import pandas as pd

    rows = read_metadata(root)
    stems = rows["filename"].str.rsplit(".", n=1).str[0]
    listing = pd.DataFrame(
        {
            "clip_id": "esc50/" + stems,
            "dataset": "esc50",
            "path": [str(Path(root) / "audio" / name) for name in rows["filename"]],
            "label": rows["category"],
            "fold": rows["fold"].astype("Int64"),
            "recording": "esc50/" + rows["src_file"],
        }
    )
    return listing.sort_values("clip_id", ignore_index=True)


def check(root: str | os.PathLike, *, complete: bool) -> list[str]:
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
    rows = read_metadata(root)
    problems = _incomplete(rows) if complete else []
    audio = Path(root) / "audio"
    missing = sorted(name for name in rows["filename"] if not (audio / name).is_file())
    if missing:
        problems.append(f"{len(missing)} listed files are not in {audio}: {_some(missing)}")
    folds = rows.groupby("src_file")["fold"].nunique()
    crossing = sorted(set(folds.index[folds > 1]) - CROSSING_FOLDS)
    if crossing:
        problems.append(f"recordings in more than one fold: {_some(crossing)}")
    absent = set(missing)
    present = [audio / name for name in rows["filename"] if name not in absent]
    return problems + [
        text for path in present if (text := _unlike_release(path, check_length=complete))
    ]


def count(root: str | os.PathLike) -> dict[str, int]:
    """Count the clips of the release, those listed here and those whose file is here."""
    rows = read_metadata(root)
    found = sum((Path(root) / "audio" / name).is_file() for name in rows["filename"])
    return {"released": CLIPS, "listed": len(rows), "found": found}


def _incomplete(rows: "pandas.DataFrame") -> list[str]:
    problems = []
    if len(rows) != CLIPS:
        problems.append(f"the table lists {len(rows)} clips, the release has {CLIPS}")
    sizes = rows["category"].value_counts()
    if len(sizes) != CLASSES:
        problems.append(f"the table has {len(sizes)} classes, the release has {CLASSES}")
    short = sorted(f"{name} ({size})" for name, size in sizes.items() if size != CLIPS // CLASSES)
    if short:
        problems.append(f"classes without {CLIPS // CLASSES} clips: {_some(short)}")
    return problems


def _unlike_release(path: Path, *, check_length: bool) -> str | None:
    """Read one file's header; decoding every sample is left to screening, which does it anyway."""
    import soundfile

    try:
        info = soundfile.info(str(path))
    except soundfile.LibsndfileError as error:
        return f"{path} does not open: {error}"
    if check_length and abs(info.duration - DURATION_S) > 0.01:
        return f"{path} lasts {info.duration:.3f} s, not {DURATION_S:g} s"
    return None


def _some(names: list[str], most: int = 20) -> str:
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
