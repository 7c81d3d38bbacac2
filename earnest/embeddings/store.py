"""Embeddings of shards of items, gathered into one array with its items and settings."""

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from earnest import io, schemas
from earnest.audio import LENGTH, SAMPLE_RATE
from earnest.embeddings.protocol import Backend

if TYPE_CHECKING:
    import pandas

BLOCK = 64  # items in memory at a time: 20 MB
ARRAY, ITEMS, META = "embeddings.npy", "items.parquet", "meta.json"


class MixedBackends(ValueError):
    """Embeddings made with different settings or versions were about to be mixed."""


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
    audio_path: str | os.PathLike,
    items: "pandas.DataFrame",
    backend: Backend,
    *,
    sample_rate: int = SAMPLE_RATE,
    length: int = LENGTH,
) -> np.ndarray:
    """Embed the items of one shard.

    Parameters
    ----------
    audio_path : path-like
        One mono sound file, in which item `row` is samples [row * length, (row + 1) * length), or
        a .npy array (rows, length) float32.
    items : pandas.DataFrame
        Rows of the table `items`.
    backend : Backend
        What embeds them; where it needs another sample rate, waveforms are resampled (soxr HQ).
    sample_rate : int
        Of the sounds, Hz.
    length : int
        Samples of one item.

    Returns
    -------
    (n, d) float32
        One vector per item, in the order of the table.

    Raises
    ------
    ValueError
        If the file is not mono, has another sample rate, or does not hold a row that the
        table names.
    """
    rows = items["row"].to_numpy(dtype=np.int64)
    vectors = np.empty((len(rows), backend.dimension), dtype=np.float32)
    if len(rows) == 0:
        return vectors
    with opened_sounds(audio_path, rows, sample_rate=sample_rate, length=length) as read:
        for first in range(0, len(rows), BLOCK):
            part = slice(first, first + BLOCK)
            waveforms = resampled(read(rows[part]), sample_rate, backend.sample_rate)
            vectors[part] = backend.embed(waveforms)
    return vectors


@contextmanager
def opened_sounds(
    path: str | os.PathLike, rows: np.ndarray, *, sample_rate: int, length: int
) -> Iterator[Callable[[np.ndarray], np.ndarray]]:
    """Open the sounds of one shard; yield what reads some rows as (n, length) float32.

    Raises
    ------
    ValueError
        If the file is not mono, has another sample rate, or does not hold all of `rows`.
    """
    if Path(path).suffix == ".npy":
        array = io.read_array(path)
        _check_rows(array.size, array.shape[-1], rows, length, path)
        yield lambda wanted: np.asarray(array[wanted])
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
            return file.read(length, dtype="float32")

        yield lambda wanted: np.stack([read_one(row) for row in wanted])


def _check_rows(
    samples: int, found: int, rows: np.ndarray, length: int, path: str | os.PathLike
) -> None:
    held, ragged = divmod(samples, length)
    if found != length or ragged or rows.max() >= held or rows.min() < 0:
        raise ValueError(
            f"{path} holds {samples} samples, which is not the items that its table names"
            f" (rows up to {rows.max()}, {length} samples each); delete both and run again"
        )


def resampled(waveforms: np.ndarray, source_rate: int, target_rate: int) -> np.ndarray:
    """Return waveforms (n, samples) float32 at another sample rate (soxr HQ)."""
    import soxr

    if source_rate == target_rate:
        return waveforms
    return np.ascontiguousarray(
        soxr.resample(waveforms.T, source_rate, target_rate, quality="HQ").T
    )


def check_same_meta(descriptions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Check that all embeddings were made by the same backend, settings and versions.

    Parameters
    ----------
    descriptions : sequence of mapping
        What `Backend.describe` gave for each shard.

    Returns
    -------
    dict
        The description that they share.

    Raises
    ------
    MixedBackends
        If two differ; the message gives the key and both values.
    ValueError
        If there are none.
    """
    if not descriptions:
        raise ValueError("no embeddings to gather: the study has no shards")
    first = _flat(descriptions[0])
    for position, description in enumerate(descriptions):
        other = _flat(description)
        for key in sorted(first.keys() | other.keys()):
            if first.get(key) != other.get(key):
                raise MixedBackends(
                    f"embeddings of shard 0 and shard {position} were made differently:"
                    f" {key} is {first.get(key)!r} and {other.get(key)!r}; delete the embeddings"
                    " and run again"
                )
    return dict(descriptions[0])


def _flat(description: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in description.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = io.plain(value)
    return flat


def gather(
    items: Sequence["pandas.DataFrame"],
    embeddings: Sequence[np.ndarray],
    *,
    order: Sequence[str],
    rejected: Collection[str] = (),
) -> tuple["pandas.DataFrame", np.ndarray]:
    """Join the shards' embeddings in the order of the plan.

    Parameters
    ----------
    items : sequence of pandas.DataFrame
        Table `items` of each shard.
    embeddings : sequence of (n_i, d) float32
        What `embed_shard` gave for each of them.
    order : sequence of str
        The names of the planned items.
    rejected : collection of str
        Those planned that have no sound.

    Returns
    -------
    items : pandas.DataFrame
        Table `items`, in the order of the plan.
    embeddings : (N, d) float32

    Raises
    ------
    ValueError
        If a shard's vectors do not match its items, if an item is planned and in no shard, in a
        shard and not planned, or there twice, or if a vector is not finite.
    """
    import pandas as pd

    for position, (frame, array) in enumerate(zip(items, embeddings, strict=True)):
        if len(array) != len(frame):
            raise ValueError(f"shard {position}: {len(array)} vectors for {len(frame)} items")
    rows = pd.concat(items, ignore_index=True)
    _check_planned([*rows["item_id"], *rejected], order)
    rank = pd.Series(range(len(order)), index=list(order))
    positions = np.argsort(rank[rows["item_id"]].to_numpy(), kind="stable")
    joined = np.concatenate(embeddings)[positions]
    rows = rows.iloc[positions].reset_index(drop=True)
    bad = ~np.isfinite(joined).all(axis=1)
    if bad.any():
        raise ValueError(f"the embedding of {rows['item_id'][bad.argmax()]} is not finite")
    return rows, joined


def _check_planned(found: Sequence[str], order: Sequence[str]) -> None:
    twice = sorted(name for name, times in Counter(found).items() if times > 1)
    absent = sorted(set(order) - set(found))
    unplanned = sorted(set(found) - set(order))
    for names, what in ((twice, "twice"), (absent, "in no shard"), (unplanned, "not planned")):
        if names:
            raise ValueError(f"{len(names)} items are {what}: {', '.join(names[:5])}")


def write_store(
    folder: str | os.PathLike,
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


def read_store(folder: str | os.PathLike) -> Store:
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
