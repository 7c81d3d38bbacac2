"""Embeddings of shards of items, and stores: one array with its items and settings."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from earnest import io
from earnest.audio import LENGTH, SAMPLE_RATE
from earnest.embeddings.joining import check_same_meta
from earnest.embeddings.protocol import Backend
from earnest.embeddings.reuse import KeptVectors, content_key
from earnest.io import checksums, schemas

if TYPE_CHECKING:
    import pandas

BLOCK = 64  # items in memory at a time: 20 MB
ARRAY, ITEMS, META = "embeddings.npy", "items.parquet", "meta.json"


class Store(NamedTuple):
    """Embeddings (N, d) float32, their `items` rows in the same order, and how they were made."""

    embeddings: np.ndarray
    items: "pandas.DataFrame"
    meta: dict[str, Any]


def items_of(table: str, sounds: "pandas.DataFrame", shard: int) -> "pandas.DataFrame":
    """Return the items of one shard that have a sound.

    Parameters
    ----------
    table : str
        `mixtures` or `items`: which table `sounds` is.
    sounds : pandas.DataFrame
        Rejected mixtures are passed over.
    shard : int

    Returns
    -------
    pandas.DataFrame
        Table `items`, in the order of `sounds`.
    """
    rows = sounds[sounds["shard"] == shard]
    if table == "mixtures":
        rows = rows[rows["status"] == "used"].rename(columns={"mixture_id": "item_id"})
    rows = rows[list(schemas.TABLES["items"])]
    return rows.astype({"row": "int64"}).reset_index(drop=True)


def identifiers(sounds: "pandas.DataFrame") -> "pandas.Series":
    """Return the names of the items of a table `mixtures`, `mixture_plan` or `items`."""
    return sounds["mixture_id" if "mixture_id" in sounds.columns else "item_id"]


def rejected(sounds: "pandas.DataFrame") -> list[str]:
    """Return the names of the items of a table that have no sound; none of a table `items`."""
    if "status" not in sounds.columns:
        return []
    return identifiers(sounds)[sounds["status"] != "used"].to_list()


def embed_shard(
    audio_path: str | os.PathLike[str],
    items: "pandas.DataFrame",
    backend: Backend,
    *,
    sample_rate: int = SAMPLE_RATE,
    length: int = LENGTH,
    variant: str | None = None,
    kept: KeptVectors | None = None,
) -> np.ndarray:
    """Embed the items of one shard, a block at a time.

    Parameters
    ----------
    audio_path : path-like
        One mono sound file, in which item `row` is samples [row * length, (row + 1) * length), or
        a .npy array (rows, length) float32.
    items : pandas.DataFrame
        Rows of the table `items`.
    backend : Backend
        What embeds them; where it needs another sample rate, waveforms are resampled (soxr HQ).
        One that only knows vectors of items (`vectors_of`) is asked by their names.
    sample_rate : int
        Of the sounds, Hz.
    length : int
        Samples of one item.
    variant : str, optional
        Which variant of the mixtures these are.
    kept : KeptVectors, optional
        Vectors of sounds that were embedded before; new ones are added.

    Returns
    -------
    (n, d) float32
        One vector per item, in the order of the table.

    Raises
    ------
    ValueError
        If the file is not mono, has another sample rate, or does not hold a row that the
        table names; if a vector is not finite (the item is named).
    """
    if hasattr(backend, "vectors_of"):
        return backend.vectors_of(items["item_id"], variant=variant)
    rows = items["row"].to_numpy(dtype=np.int64)
    vectors = np.empty((len(rows), backend.dimension), dtype=np.float32)
    if len(rows) == 0:
        return vectors
    with opened_sounds(audio_path, items, sample_rate=sample_rate, length=length) as read:
        for part in _parts(len(rows)):
            waveforms = read(rows[part])
            vectors[part] = _embed_block(waveforms, backend, sample_rate, kept)
            refuse_non_finite(vectors[part], items["item_id"].iloc[part], backend.name)
    if kept is not None:
        kept.flush()
    return vectors


def _parts(count: int) -> Iterator[slice]:
    """Yield slices of at most `BLOCK` items, showing progress."""
    from tqdm import tqdm

    with tqdm(total=count, unit="item", mininterval=5) as progress:
        for first in range(0, count, BLOCK):
            part = slice(first, min(first + BLOCK, count))
            yield part
            progress.update(part.stop - part.start)


def _embed_block(
    waveforms: np.ndarray, backend: Backend, sample_rate: int, kept: KeptVectors | None
) -> np.ndarray:
    """Return the vectors of some waveforms, embedding those that are not known."""
    if kept is None:
        return backend.embed(resampled(waveforms, sample_rate, backend.sample_rate))
    keys = [content_key(waveform, sample_rate) for waveform in waveforms]
    known, vectors = kept.find(keys, backend.dimension)
    new = np.flatnonzero(~known)
    if len(new):
        made = backend.embed(resampled(waveforms[new], sample_rate, backend.sample_rate))
        vectors[new] = made
        finite = np.isfinite(made).all(axis=1)
        kept.add([keys[i] for i in new[finite]], made[finite])
    return vectors


def refuse_non_finite(vectors: np.ndarray, names: "pandas.Series", backend: str) -> None:
    """Raise if a vector (n, d) is not finite, naming the items and the backend.

    Raises
    ------
    ValueError
    """
    bad = ~np.isfinite(vectors).all(axis=1)
    if bad.any():
        raise ValueError(
            f"backend {backend} gives vectors that are not finite for {int(bad.sum())} of"
            f" {len(vectors)} items: {', '.join(names[bad][:5])}"
        )


@contextmanager
def opened_sounds(
    path: str | os.PathLike[str], items: "pandas.DataFrame", *, sample_rate: int, length: int
) -> Iterator[Callable[[np.ndarray], np.ndarray]]:
    """Open the sounds of one shard; yield what reads some rows as (n, length) float32.

    Parameters
    ----------
    path : path-like
        The shard.
    items : pandas.DataFrame
        Its rows of the table `items`, by whose checksums every row that is read is verified.
    sample_rate, length : int
        Hz; samples of one item.

    Raises
    ------
    ValueError
        If the file is not mono, has another sample rate, or does not hold all of the rows.
    earnest.io.checksums.DamagedFile
        If a row is not what was written.
    """
    rows = items["row"].to_numpy(dtype=np.int64)
    expected = dict(zip(rows.tolist(), items["checksum"], strict=True))
    if Path(path).suffix == ".npy":
        array = io.read_array(path, verified=False)
        _check_rows(array.size, array.shape[-1], rows, length, path)

        def read_rows(wanted: np.ndarray) -> np.ndarray:
            samples = np.asarray(array[wanted])
            for row, item in zip(wanted.tolist(), samples, strict=True):
                checksums.verify_samples(path, row, item, expected[row])
            return samples

        yield read_rows
        return
    import soundfile

    with soundfile.SoundFile(str(path)) as file:
        if file.channels != 1 or file.samplerate != sample_rate:
            raise ValueError(
                f"{path} has {file.channels} channels at {file.samplerate} Hz; the study needs"
                f" 1 channel at {sample_rate} Hz"
            )
        _check_rows(file.frames, length, rows, length, path)

        def read_one(row: int) -> np.ndarray:
            file.seek(int(row) * length)
            samples = file.read(length, dtype="int16")
            checksums.verify_samples(path, row, samples, expected[int(row)])
            return samples.astype(np.float32) / np.float32(32_768)

        yield lambda wanted: np.stack([read_one(row) for row in wanted])


def _check_rows(
    samples: int, found: int, rows: np.ndarray, length: int, path: str | os.PathLike[str]
) -> None:
    held, ragged = divmod(samples, length)
    if found != length or ragged or rows.max() >= held or rows.min() < 0:
        raise ValueError(
            f"{path} holds {samples} samples, which is not the items that its table names"
            f" (rows up to {rows.max()}, {length} samples each); delete both and run again"
        )


def resampled(waveforms: np.ndarray, source_rate: int, target_rate: int) -> np.ndarray:
    """Return waveforms (n, samples) float32 at another sample rate (soxr HQ), one by one.

    All have round(samples * target_rate / source_rate) samples; soxr itself may give one more
    or one less.
    """
    import soxr

    if source_rate == target_rate:
        return waveforms
    length = round(waveforms.shape[1] * target_rate / source_rate)
    result = np.zeros((len(waveforms), length), dtype=np.float32)
    for row, waveform in enumerate(waveforms):
        made = soxr.resample(waveform, source_rate, target_rate, quality="HQ")[:length]
        result[row, : len(made)] = made
    return result


def append(
    folder: str | os.PathLike[str],
    items: "pandas.DataFrame",
    waveforms: np.ndarray,
    backend: Backend,
    *,
    sample_rate: int = SAMPLE_RATE,
) -> int:
    """Add clips to a store; those that it already holds are not embedded again.

    Parameters
    ----------
    folder : path-like
        From `write_store`; one that does not exist yet is made.
    items : pandas.DataFrame
        Table `items`, old and new ones in any order.
    waveforms : (n, samples) float32
        Their sounds, possibly memory-mapped; only rows of new items are read.
    backend : Backend
        Must be what the store was made with: same settings, weights and versions.
    sample_rate : int
        Of the sounds, Hz.

    Returns
    -------
    int
        How many were embedded.

    Raises
    ------
    MixedBackends
        If the store was made otherwise; the message gives the key and both values.
    ValueError
        If there are not as many waveforms as items, or a vector is not finite.
    """
    import pandas as pd

    if len(items) != len(waveforms):
        raise ValueError(f"{len(items)} items, but {len(waveforms)} waveforms")
    told = backend.describe()
    held = read_store(folder) if (Path(folder) / META).is_file() else None
    if held is not None:
        own = {key: value for key, value in held.meta.items() if key != "stamp"}
        check_same_meta([own, told], names=("the store", "the backend"))
        new = np.flatnonzero(~items["item_id"].isin(held.items["item_id"]))
    else:
        new = np.arange(len(items))
    vectors = np.empty((len(new), backend.dimension), dtype=np.float32)
    for part in _parts(len(new)):
        sounds = resampled(np.asarray(waveforms[new[part]]), sample_rate, backend.sample_rate)
        vectors[part] = backend.embed(sounds)
        refuse_non_finite(vectors[part], items["item_id"].iloc[new[part]], backend.name)
    added = items.iloc[new]
    if held is not None:
        added = pd.concat([held.items, added], ignore_index=True)
        vectors = np.concatenate([held.embeddings, vectors])
    write_store(folder, added, vectors, told if held is None else held.meta)
    return len(new)


def write_store(
    folder: str | os.PathLike[str],
    items: "pandas.DataFrame",
    embeddings: np.ndarray,
    meta: Mapping[str, Any],
    *,
    stamp: str = "",
) -> None:
    """Write `embeddings.npy`, `items.parquet` and `meta.json` into a folder.

    Raises
    ------
    ValueError
        If the array is not float32 with one row per item.
    """
    if embeddings.dtype != np.float32 or embeddings.ndim != 2 or len(embeddings) != len(items):
        raise ValueError(
            f"embeddings must be float32 with one row for each of {len(items)} items,"
            f" got {embeddings.dtype} of shape {embeddings.shape}"
        )
    io.write_array(embeddings, Path(folder) / ARRAY)
    io.write_frame("items", items, Path(folder) / ITEMS, stamp=stamp)
    io.write_json(dict(meta), Path(folder) / META)


def read_store(folder: str | os.PathLike[str]) -> Store:
    """Read what `write_store` wrote; the array is memory-mapped.

    Raises
    ------
    ValueError
        If array and items do not belong together.
    """
    store = Store(
        io.read_array(Path(folder) / ARRAY),
        io.read_frame("items", Path(folder) / ITEMS),
        io.read_json(Path(folder) / META),
    )
    expected = (len(store.items), store.meta["dimension"])
    if store.embeddings.shape != expected:
        raise ValueError(
            f"{folder}: {ARRAY} has shape {store.embeddings.shape}, items and meta say {expected}"
        )
    return store
