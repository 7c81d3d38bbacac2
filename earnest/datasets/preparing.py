"""Listed files to screened clips: each is decoded once, cut to one length and measured once."""

import hashlib
import os
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from earnest import audio, io
from earnest.audio import loudness
from earnest.io import checksums, schemas
from earnest.rng import generator

if TYPE_CHECKING:
    import pandas

SKIPPED = {"status": "skipped", "reason": "no pair of the study names its label"}


def prepare(
    listing: "pandas.DataFrame",
    *,
    part: int,
    array_path: str | os.PathLike[str],
    root_seed: int,
    quality: str = "HQ",
    sample_rate: int = audio.SAMPLE_RATE,
    length: int = audio.LENGTH,
    labels: Collection[str] | None = None,
) -> "pandas.DataFrame":
    """Screen the listed clips and write the usable ones as one array.

    A clip longer than `length` keeps one window, chosen by the clip's own generator
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
        Where the array goes: .npy, float32, shape (usable clips, length).
    root_seed : int
        The seed of the study.
    quality : str
        A soxr quality.
    sample_rate : int
        Hz of the array, 8,000 or more.
    length : int
        Samples of each clip, at least 0.4 s.
    labels : collection of str, optional
        The labels that the study needs; clips of others are not even opened.

    Returns
    -------
    pandas.DataFrame
        The table `clips`, in the order of the listing. A rejected clip has status
        `rejected`, its reason, what was found under `warning`, and no row; one of a label that
        is not needed has status `skipped`.

    Raises
    ------
    earnest.io.schemas.SchemaError
        If the listing does not fit its schema.
    ValueError
        If a clip is listed twice.
    """
    import pandas as pd
    from tqdm import tqdm

    schemas.to_arrow("listing", listing)
    _refuse_repeats(listing["clip_id"])
    loudness.refuse_rate_and_length(sample_rate, length)
    settings = Settings(root_seed, quality, sample_rate, length)
    rows = tqdm(listing.to_dict("records"), desc=f"prepare part {part}", unit="clip", mininterval=2)
    records, used = [], 0
    with io.written_aside(array_path) as aside:
        with open(aside, "wb+") as file:
            _write_header(file, 0, length)
            for row in rows:
                if labels is not None and row["label"] not in labels:
                    records.append(row | {"part": part} | SKIPPED)
                    continue
                facts, samples = _prepare_one(row, settings)
                if samples is not None:
                    samples = samples.astype("<f4", copy=False)
                    file.write(samples.data)
                    facts |= {"row": used, "checksum": checksums.of_bytes(samples)}
                    used += 1
                records.append(row | {"part": part} | facts)
            file.seek(0)
            _write_header(file, used, length)
        checksums.seal_array(aside)
    return _typed(pd.DataFrame.from_records(records, columns=list(schemas.TABLES["clips"])))


def _refuse_repeats(clip_ids: "pandas.Series") -> None:
    repeated = clip_ids[clip_ids.duplicated()]
    if len(repeated):
        raise ValueError(f"clip {repeated.iloc[0]} is listed twice ({len(repeated)} such rows)")


def _write_header(file: BinaryIO, rows: int, length: int) -> None:
    """Write the .npy header; numpy reserves room for the first axis, so its size never changes."""
    np.lib.format.write_array_header_1_0(
        file, {"descr": "<f4", "fortran_order": False, "shape": (rows, length)}
    )


class Settings(NamedTuple):
    """What is common to all clips of a study; rate in Hz, length in samples at that rate."""

    root_seed: int
    quality: str
    sample_rate: int
    length: int


def _prepare_one(
    row: dict[str, Any], settings: Settings
) -> tuple[dict[str, Any], np.ndarray | None]:
    """Return the columns that a clip's file settles, and its samples if it is usable."""
    facts = {"sha256": _sha256(row["path"])}
    if isinstance(row["sha256"], str) and facts["sha256"] != row["sha256"]:
        raise ValueError(f"{row['path']} changed after it was listed; run again")
    cancelled = None
    try:
        clip = audio.load(row["path"], sample_rate=settings.sample_rate, quality=settings.quality)
        facts |= _facts(clip)
        cancelled = clip.cancelled
        samples, kept = _window(clip.samples, row["clip_id"], settings)
        kept |= _loudness(samples, kept["length"], settings.sample_rate)
    except audio.UnusableClip as error:
        detail = "; ".join(filter(None, (error.detail, cancelled)))
        return facts | {"status": "rejected", "reason": error.reason, "warning": detail}, None
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
        "audio_sha256": clip.audio_sha256,
    }


def _window(
    samples: np.ndarray, clip_id: str, settings: Settings
) -> tuple[np.ndarray, dict[str, Any]]:
    """Return the padded window and where it came from."""
    length, start = settings.length, 0
    if len(samples) > length:
        rng = generator(settings.root_seed, "crop", clip_id)
        start = audio.crop_start(samples, length, rng, sample_rate=settings.sample_rate)
    window = samples[start : start + length]
    return audio.fit(window, length, mode="pad"), {"length": len(window), "crop_start": start}


def _loudness(samples: np.ndarray, length: int, sample_rate: int) -> dict[str, Any]:
    """Measure both signals; they are the same one when the clip fills its window."""
    sound = samples[:length]
    padded, looped = loudness.measure_padded_and_looped(sound, len(samples), sample_rate)
    found = {"foreground_lufs": padded.loudness(), "background_lufs": looped.loudness()}
    audio.refuse_inaudible(samples, found["foreground_lufs"])
    audio.refuse_inaudible(sound, found["background_lufs"])
    return found | {"foreground_blocks": padded.powers, "background_blocks": looped.powers}


def _typed(clips: "pandas.DataFrame") -> "pandas.DataFrame":
    """Keep whole numbers whole although rejected rows leave them empty."""
    return clips.astype(dict(_types()))


def _types() -> Iterator[tuple[str, str]]:
    for name, column in schemas.TABLES["clips"].items():
        if column.kind == "int64":
            yield name, "Int64" if column.nullable else "int64"
        elif column.kind == "float64":
            yield name, "float64"
