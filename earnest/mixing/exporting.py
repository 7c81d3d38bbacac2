"""Mixtures as single files, in the layout in which SpurAudio is published."""

import math
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from earnest import io
from earnest.io import schemas
from earnest.mixing import gains

if TYPE_CHECKING:
    import pandas

INDEX = "mixtures.csv"


def slug(label: str) -> str:
    """Return a label as it stands in names of files: lower-case letters, digits and underscores."""
    return re.sub(r"[^a-z0-9_]+", "_", label.lower()).strip("_")


def add_files(mixtures: "pandas.DataFrame", suffix: str, length: int) -> "pandas.DataFrame":
    """Name the file of every used mixture.

    `<variant>/<foreground>/<foreground>-<background>_alpha=<gain>_loop=<0 or 1>_id=<number>`:
    the folder is the label, the background stands between the hyphen and `_alpha=`, alpha is the
    linear gain of the background (0 without one), loop says whether the background is
    repeated, and the number is the mixture's place in the plan, the same in all variants.

    Parameters
    ----------
    mixtures : pandas.DataFrame
        Table `mixtures`, all rows of every variant in the order of the plan.
    suffix : str
        wav or flac.
    length : int
        Samples of a mixture.

    Returns
    -------
    pandas.DataFrame
        The used rows with the column `file`.

    Raises
    ------
    ValueError
        If two labels have the same name in files, or a label has none.
    """
    _refuse_equal_slugs({*mixtures["foreground"], *mixtures["background"]})
    number = mixtures.groupby("variant").cumcount()
    used = mixtures[mixtures["status"] == "used"]
    names = [
        _file(row, int(place), length, suffix)
        for row, place in zip(used.to_dict("records"), number[used.index], strict=True)
    ]
    return used.assign(file=names)


def _refuse_equal_slugs(labels: set[str]) -> None:
    known: dict[str, str] = {}
    for label in sorted(labels):
        name = slug(label)
        if not name or name in known:
            other = f", which {known[name]!r} has too" if name else ", which is empty"
            raise ValueError(f"label {label!r} would be named {name!r} in files{other}; rename it")
        known[name] = label


def _file(row: Mapping[str, Any], number: int, length: int, suffix: str) -> str:
    alpha, loop = 0.0, 0
    gain_db = row["background_gain_db"]
    if gain_db is not None and not math.isnan(gain_db):
        alpha, loop = gains.linear_gain(gain_db), int(row["background_length"] < length)
    foreground, background = slug(row["foreground"]), slug(row["background"])
    name = f"{foreground}-{background}_alpha={alpha:.6g}_loop={loop}_id={number}.{suffix}"
    return f"{row['variant']}/{foreground}/{name}"


def export(
    mixtures: "pandas.DataFrame",
    shards: Mapping[tuple[str, int], str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    *,
    length: int,
    sample_rate: int,
) -> None:
    """Write every used mixture as a file of its own, and a list of them.

    Parameters
    ----------
    mixtures : pandas.DataFrame
        Table `mixtures` of all variants.
    shards : mapping of (variant, shard) to path
        The sound files of the mixtures.
    folder : path-like
        Appears whole or not at all; what it held before is replaced. `mixtures.csv` in it is the
        table `exported`.
    length : int
        Samples of a mixture.
    sample_rate : int
        Hz.

    Raises
    ------
    ValueError
        As from `add_files`.
    """
    from tqdm import tqdm

    folder = Path(folder)
    suffixes = {Path(path).suffix for path in shards.values()}
    named = add_files(mixtures, suffixes.pop().lstrip("."), length)
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        aside.chmod(0o777 & ~_umask())
        for row in tqdm(named.to_dict("records"), desc="export", unit="file", mininterval=2):
            path = shards[row["variant"], row["shard"]]
            # 16-bit values are exact in float32, and come back as they were.
            sound = io.read_item(path, int(row["row"]), length, row["checksum"])
            samples = gains.to_pcm16(sound)
            io.write_audio(samples, aside / row["file"], sample_rate=sample_rate)
        listed = named[list(schemas.TABLES["exported"])]
        io.write_csv("exported", listed, aside / INDEX)
        io.remove_folder(folder)
        os.replace(aside, folder)
    finally:
        io.remove_folder(aside)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
