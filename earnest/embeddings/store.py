"""Embeddings of shards of mixtures, gathered into one array with its items and settings."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from earnest import io, schemas
from earnest.audio import LENGTH
from earnest.embeddings import Backend

if TYPE_CHECKING:
    import pandas

BLOCK = 64  # mixtures in memory at a time: 20 MB
ARRAY, ITEMS, META = "embeddings.npy", "items.parquet", "meta.json"


class MixedBackends(ValueError):
    """Embeddings made with different settings or versions were about to be mixed."""


class Store(NamedTuple):
    """Embeddings (N, d) float32, their `items` rows in the same order, and how they were made."""

    embeddings: np.ndarray
    items: "pandas.DataFrame"
    meta: dict[str, Any]


def embed_shard(
    audio_path: str | os.PathLike, mixtures: "pandas.DataFrame", backend: Backend
) -> np.ndarray:
    """Embed the mixtures of one shard.

    Parameters
    ----------
    audio_path : path-like
        One mono sound file; mixture `row` is samples [row * 80000, (row + 1) * 80000).
    mixtures : pandas.DataFrame
        Table `mixtures` of that shard; rows whose status is not `used` are passed over.
    backend : Backend
        What embeds them.

    Returns
    -------
    (n, d) float32
        One vector per used mixture, in the order of the table.

    Raises
    ------
    ValueError
        If the file is not mono, has another sample rate than the backend, or does not hold a
        row that the table names.
    """
    import soundfile

    rows = mixtures.loc[mixtures["status"] == "used", "row"].to_numpy(dtype=np.int64)
    vectors = np.empty((len(rows), backend.dimension), dtype=np.float32)
    if len(rows) == 0:
        return vectors
    with soundfile.SoundFile(str(audio_path)) as file:
        _check_shard(file, rows, backend, audio_path)
        for first in range(0, len(rows), BLOCK):
            part = slice(first, first + BLOCK)
            waveforms = np.stack([_read_mixture(file, row) for row in rows[part]])
            vectors[part] = backend.embed(waveforms)
    return vectors


def _check_shard(file: Any, rows: np.ndarray, backend: Backend, path: str | os.PathLike) -> None:
    if file.channels != 1 or file.samplerate != backend.sample_rate:
        raise ValueError(
            f"{path} has {file.channels} channels at {file.samplerate} Hz; backend"
            f" {backend.name} needs 1 channel at {backend.sample_rate} Hz"
        )
    held, ragged = divmod(file.frames, LENGTH)
    if ragged or rows.max() >= held or rows.min() < 0:
        raise ValueError(
            f"{path} holds {file.frames} samples, which is not the mixtures that its table names"
            f" (rows up to {rows.max()}, {LENGTH} samples each); delete both and run again"
        )


def _read_mixture(file: Any, row: int) -> np.ndarray:
    file.seek(int(row) * LENGTH)
    return file.read(LENGTH, dtype="float32")


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
    mixtures: Sequence["pandas.DataFrame"],
    embeddings: Sequence[np.ndarray],
    *,
    order: Sequence[str],
) -> tuple["pandas.DataFrame", np.ndarray]:
    """Join the shards' embeddings in the order of the mixture plan.

    Parameters
    ----------
    mixtures : sequence of pandas.DataFrame
        Table `mixtures` of each shard, rejected rows included.
    embeddings : sequence of (n_i, d) float32
        What `embed_shard` gave for each of them.
    order : sequence of str
        The plan's `mixture_id` column.

    Returns
    -------
    items : pandas.DataFrame
        Table `items`, the used mixtures in the order of the plan.
    embeddings : (N, d) float32

    Raises
    ------
    ValueError
        If a shard's vectors do not match its used mixtures, if a mixture is planned and in no
        shard, in a shard and not planned, or there twice, or if a vector is not finite.
    """
    import pandas as pd

    for position, (frame, array) in enumerate(zip(mixtures, embeddings, strict=True)):
        used = int((frame["status"] == "used").sum())
        if len(array) != used:
            raise ValueError(f"shard {position}: {len(array)} vectors for {used} used mixtures")
    rows = pd.concat(mixtures, ignore_index=True)
    _check_planned(rows["mixture_id"], order)
    used = rows[rows["status"] == "used"].reset_index(drop=True)
    rank = pd.Series(range(len(order)), index=list(order))
    positions = np.argsort(rank[used["mixture_id"]].to_numpy(), kind="stable")
    joined = np.concatenate(embeddings)[positions]
    bad = ~np.isfinite(joined).all(axis=1)
    items = _items(used.iloc[positions])
    if bad.any():
        raise ValueError(f"the embedding of {items['item_id'][bad.argmax()]} is not finite")
    return items, joined


def _check_planned(found: "pandas.Series", order: Sequence[str]) -> None:
    twice = sorted(set(found[found.duplicated()]))
    absent = sorted(set(order) - set(found))
    unplanned = sorted(set(found) - set(order))
    for names, what in ((twice, "twice"), (absent, "in no shard"), (unplanned, "not planned")):
        if names:
            raise ValueError(f"{len(names)} mixtures are {what}: {', '.join(names[:5])}")


def _items(used: "pandas.DataFrame") -> "pandas.DataFrame":
    items = used.rename(columns={"mixture_id": "item_id"})[list(schemas.TABLES["items"])]
    return items.astype({"row": "int64"}).reset_index(drop=True)


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
