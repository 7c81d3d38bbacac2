"""Training a backbone on the training items of a study, straight from their shards of sound."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from earnest import io
from earnest.embeddings.networks import architectures, devices, features
from earnest.embeddings.networks.options import training_options
from earnest.embeddings.networks.training import Seeds, train
from earnest.embeddings.store import BLOCK, opened_sounds, resampled

if TYPE_CHECKING:
    import pandas

FEATURES = "features.npy"


class Sounds(NamedTuple):
    """One shard: a sound file or array, and its rows of the table `items`."""

    path: str
    items: "pandas.DataFrame"


def train_backbone(
    shards: Sequence[Sounds],
    *,
    backend: str,
    options: dict[str, Any],
    root_seed: int,
    name: str,
    sample_rate: int,
    length: int,
    folder: str | os.PathLike[str],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Train a network to name the foregrounds of a study's training items.

    Items with split `pool` are never read. Spectrograms are computed once, into the folder; if
    the training is killed, the next call with the same folder goes on after the last whole epoch.

    Parameters
    ----------
    shards : sequence of Sounds
    backend : str
        A key of `earnest.embeddings.TRAINED`.
    options : dict
        Options of the training.
    root_seed : int
        Seed of the study; with `name` it seeds every draw.
    name : str
        The embedding's name in the study.
    sample_rate, length : int
        Of the sounds: Hz, and samples of one item.
    folder : path-like
        For what an unfinished training needs; whoever keeps the result removes it.

    Returns
    -------
    checkpoint, report : dict
        As of `earnest.embeddings.networks.training.train`.

    Raises
    ------
    earnest.embeddings.networks.devices.MissingTorch
        If torch is not installed.
    ValueError
        If there is no training item, or too few for a training.
    """
    import pandas as pd

    devices.import_torch(f"embedding backend {backend}")
    training = [
        Sounds(shard.path, shard.items[shard.items["split"] == "train"]) for shard in shards
    ]
    items = pd.concat([shard.items for shard in training], ignore_index=True)
    if items.empty:
        raise ValueError(f"there are no training items for backend {backend}")
    spectrogram = architectures.find(backend).spectrogram
    samples = round(length * spectrogram.sample_rate / sample_rate)
    path = Path(folder) / FEATURES
    if path.is_file():
        spectrograms = io.read_array(path)
    else:
        spectrograms = features.cache(
            _waveforms(training, sample_rate, length, spectrogram.sample_rate),
            path,
            items=len(items),
            samples=samples,
            spectrogram=spectrogram,
        )
    return train(
        spectrograms,
        items["foreground"].to_numpy(dtype=str),
        items["recording"].to_numpy(dtype=str),
        architecture=backend,
        options=training_options(backend, **options),
        seeds=Seeds(root_seed, (name, "backbone")),
        samples=samples,
        folder=folder,
    )


def _waveforms(
    shards: Sequence[Sounds], sample_rate: int, length: int, target_rate: int
) -> Iterator[np.ndarray]:
    for shard in shards:
        rows = shard.items["row"].to_numpy(dtype=np.int64)
        if len(rows) == 0:
            continue
        with opened_sounds(shard.path, shard.items, sample_rate=sample_rate, length=length) as read:
            for first in range(0, len(rows), BLOCK):
                yield resampled(read(rows[first : first + BLOCK]), sample_rate, target_rate)
