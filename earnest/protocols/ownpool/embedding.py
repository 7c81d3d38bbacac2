"""Embeddings of the user's own sound files, named by the items of the pool."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from earnest import audio
from earnest.embeddings import BACKENDS, get_backend
from earnest.io.cells import UnusableInput
from earnest.protocols.ownpool.inputs import Inputs
from earnest.rng import generator

BLOCK = 64  # clips in memory at a time
DURATION_S = 5.0


def with_embeddings(
    inputs: Inputs, folder: str | os.PathLike[str], backend: str, **settings: Any
) -> Inputs:
    """Return the inputs with embeddings of the sounds of their items; settings as of `embed`."""
    vectors = embed(inputs.item_ids, folder, backend, **settings)
    return replace(inputs, pool=replace(inputs.pool, embeddings=vectors))


def embed(
    names: np.ndarray,
    folder: str | os.PathLike[str],
    backend: str,
    *,
    options: Mapping[str, Any] | None = None,
    duration_s: float = DURATION_S,
) -> np.ndarray:
    """Return embeddings of sound files.

    Parameters
    ----------
    names : ndarray (N,) of str
        Paths below the folder, with slashes.
    folder : path-like
    backend : str
        A key of `earnest.embeddings.BACKENDS` that a study does not train.
    options : mapping, optional
        Of the backend.
    duration_s : float
        Seconds of each sound: a longer one keeps one window that is not silent, a shorter one is
        followed by zeros.

    Returns
    -------
    ndarray (N, d) float32

    Raises
    ------
    UnusableInput
        If a name leaves the folder, a file is missing or cannot be used (all are listed, with
        reasons), or there is no such backend.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise UnusableInput(f"there is no folder {folder} of sounds")
    record = BACKENDS.get(backend)
    if record and (record.is_trained or record.is_matched):
        known = ", ".join(BACKENDS.names(is_trained=False, is_matched=False))
        raise UnusableInput(f"backend {backend!r} embeds no sound by itself; there are {known}")
    paths = [_path(folder, name) for name in names.tolist()]
    try:
        made = get_backend(backend, **(options or {}))
    except (TypeError, ValueError) as error:
        raise UnusableInput(str(error)) from error
    return _embedded(paths, names, made, duration_s)


def _path(folder: Path, name: str) -> Path:
    parts = PurePosixPath(name)
    if parts.is_absolute() or ".." in parts.parts:
        raise UnusableInput(f"item {name!r} is no path below the folder {folder}")
    return folder / parts


def _embedded(paths: list[Path], names: np.ndarray, backend: Any, duration_s: float) -> np.ndarray:
    length = round(backend.sample_rate * duration_s)
    vectors = np.empty((len(paths), backend.dimension), dtype=np.float32)
    refused: list[str] = []
    for first in range(0, len(paths), BLOCK):
        block = slice(first, first + BLOCK)
        waveforms = np.zeros((len(paths[block]), length), dtype=np.float32)
        for place, path in enumerate(paths[block]):
            try:
                waveforms[place] = _waveform(path, names[first + place], backend, length)
            except audio.UnusableClip as error:
                refused.append(f"{names[first + place]} ({error.reason})")
        vectors[block] = backend.embed(waveforms)
    if refused:
        raise UnusableInput(
            f"{len(refused)} of {len(paths)} sounds cannot be used: {', '.join(refused[:10])}"
            f"{' and more' if len(refused) > 10 else ''}; mend the files or remove their items"
        )
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise UnusableInput(f"the vector of {names[bad[0]]!r} is not finite")
    return vectors


def _waveform(path: Path, name: str, backend: Any, length: int) -> np.ndarray:
    samples = audio.load(path, sample_rate=backend.sample_rate).samples
    rng = generator(0, "crop", str(name))
    start = audio.crop_start(samples, length, rng, sample_rate=backend.sample_rate)
    return audio.fit(samples[start : start + length], length, mode="pad")
