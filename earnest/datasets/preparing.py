"""Listed files to screened clips: each is decoded once, cut to 5 seconds and measured once."""

import hashlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from earnest import audio, io, schemas
from earnest.rng import generator

if TYPE_CHECKING:
    import pandas


def prepare(
    listing: "pandas.DataFrame",
    *,
    part: int,
    array_path: str | os.PathLike,
    root_seed: int,
    quality: str = "HQ",
) -> "pandas.DataFrame":
    """Screen the listed clips and write the usable ones as one array.

    A clip longer than 5 s keeps one window, chosen by the clip's own generator
    `(root_seed, "crop", clip_id)`; a shorter one is followed by zeros. Its loudness is
    measured on exactly the signals that mixtures use: padded as a foreground, looped as
    a background. One clip is in memory at a time.

    Parameters
    ----------
    listing : pandas.DataFrame
        The table `listing`.
    part : int
        The number of this part of the data, recorded in each row.
    array_path : path-like
        Where the array goes: .npy, float32, shape (usable clips, 80000).
    root_seed : int
        The seed of the study.
    quality : str
        A soxr quality.

    Returns
    -------
    pandas.DataFrame
        The table `clips`, in the order of the listing. A rejected clip has status
        `rejected`, its reason, what was found under `warning`, and no row.

    Raises
    ------
    earnest.schemas.SchemaError
        If the listing does not fit its schema.
    ValueError
        If a clip is listed twice.
    """
    import pandas as pd
    from tqdm import tqdm

    schemas.to_arrow("listing", listing)
    _refuse_repeats(listing["clip_id"])
    rows = tqdm(listing.to_dict("records"), desc=f"prepare part {part}", unit="clip", mininterval=2)
    records, used = [], 0
    with io.written_aside(array_path) as aside, open(aside, "wb+") as file:
        _write_header(file, 0)
        for row in rows:
            facts, samples = _prepare_one(row, root_seed, quality)
            if samples is not None:
                file.write(samples.tobytes())
                facts["row"] = used
                used += 1
            records.append(row | {"part": part} | facts)
        file.seek(0)
        _write_header(file, used)
    return _typed(pd.DataFrame.from_records(records, columns=list(schemas.TABLES["clips"])))


def _refuse_repeats(clip_ids: "pandas.Series") -> None:
    repeated = clip_ids[clip_ids.duplicated()]
    if len(repeated):
        raise ValueError(f"clip {repeated.iloc[0]} is listed twice ({len(repeated)} such rows)")


def _write_header(file: BinaryIO, rows: int) -> None:
    """Write the .npy header; numpy reserves room for the first axis, so its size never changes."""
    np.lib.format.write_array_header_1_0(
        file, {"descr": "<f4", "fortran_order": False, "shape": (rows, audio.LENGTH)}
    )


def _prepare_one(
    row: dict[str, Any], root_seed: int, quality: str
) -> tuple[dict[str, Any], np.ndarray | None]:
    """Return the columns that a clip's file settles, and its samples if it is usable."""
    facts = {"sha256": _sha256(row["path"])}
    try:
        clip = audio.load(row["path"], quality=quality)
        facts |= _facts(clip)
        samples, kept = _five_seconds(clip.samples, generator(root_seed, "crop", row["clip_id"]))
        kept |= _loudness(samples, kept["length"])
    except audio.UnusableClip as error:
        return facts | {"status": "rejected", "reason": error.reason, "warning": error.detail}, None
    return facts | kept | {"status": "used", "warning": clip.warning}, samples


def _sha256(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None  # audio.load gives the reason in its own words


def _facts(clip: audio.Clip) -> dict[str, Any]:
    return {
        "sample_rate": clip.source_rate,
        "channels": clip.channels,
        "frames": clip.frames,
        "duration_s": clip.frames / clip.source_rate,
    }


def _five_seconds(
    samples: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, dict[str, Any]]:
    """Return the padded window and where it came from."""
    start = audio.crop_start(samples, audio.LENGTH, rng)
    window = samples[start : start + audio.LENGTH]
    return audio.fit(window, mode="pad"), {"length": len(window), "crop_start": start}


def _loudness(samples: np.ndarray, length: int) -> dict[str, float]:
    """Measure both signals; they are the same one when the clip fills its 5 seconds."""
    padded = audio.screened_loudness(samples)
    looped = padded
    if length < audio.LENGTH:
        looped = audio.screened_loudness(audio.fit(samples[:length], mode="loop"))
    return {"foreground_lufs": padded, "background_lufs": looped}


def _typed(clips: "pandas.DataFrame") -> "pandas.DataFrame":
    """Keep whole numbers whole although rejected rows leave them empty."""
    return clips.astype(dict(_types()))


def _types() -> Iterator[tuple[str, str]]:
    for name, column in schemas.TABLES["clips"].items():
        if column.kind == "int64":
            yield name, "Int64" if column.nullable else "int64"
        elif column.kind == "float64":
            yield name, "float64"
