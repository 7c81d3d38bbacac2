"""Spectrograms of all items, computed once and kept on disk, so that an epoch only convolves."""

import os
from collections.abc import Iterable

import numpy as np

from earnest import io
from earnest.embeddings.networks.spectrograms import Spectrogram, checked
from earnest.io import checksums

BLOCK = 256  # items whose values are in memory while statistics are taken


def cache(
    blocks: Iterable[np.ndarray],
    path: str | os.PathLike[str],
    *,
    items: int,
    samples: int,
    spectrogram: Spectrogram,
) -> np.ndarray:
    """Compute the spectrograms of a stream of waveforms into a .npy file.

    Parameters
    ----------
    blocks : iterable of (n_i, samples) float32
        The waveforms in order; one block is in memory at a time.
    path : path-like
        Where the array goes, aside and renamed: float32 (items, bands, frames).
    items, samples : int
        Number of waveforms and their length.
    spectrogram : Spectrogram

    Returns
    -------
    (items, bands, frames) float32
        Memory-mapped, read-only.

    Raises
    ------
    ValueError
        If the waveforms are not as many or as long as said, or one is not finite.
    """
    from tqdm import tqdm

    shape = (items, spectrogram.bands, spectrogram.frames(samples))
    first = 0
    with (
        io.written_aside(path) as aside,
        tqdm(total=items, desc="spectrograms", unit="clip") as bar,
    ):
        array = np.lib.format.open_memmap(aside, "w+", np.float32, shape)
        for block in blocks:
            waveforms = checked(block, first=first)
            if waveforms.shape[1] != samples or first + len(waveforms) > items:
                raise ValueError(
                    f"{items} waveforms of {samples} samples were expected, got at least"
                    f" {first + len(waveforms)} of {waveforms.shape[1]}"
                )
            for row, waveform in enumerate(waveforms, start=first):
                array[row] = spectrogram.of(waveform)
            first += len(waveforms)
            bar.update(len(waveforms))
        if first != items:
            raise ValueError(f"{items} waveforms were expected, got {first}")
        array.flush()
        del array
        checksums.seal_array(aside)
    return io.read_array(path)


def statistics(
    features: np.ndarray, rows: np.ndarray, standardise: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and SD of spectrograms, of each band or of all values together.

    Parameters
    ----------
    features : (n, bands, frames) float32
    rows : (m,) int
        The items that count.
    standardise : str
        `bands` or `whole`.

    Returns
    -------
    mean, sd : (bands, 1) float32, or (1, 1)
        An SD of 0 is given as 1.
    """
    axes = (0, 2) if standardise == "bands" else (0, 1, 2)
    total, squares, count = 0.0, 0.0, 0
    # around the first item, so that squares of large means do not swallow a small spread
    centre = features[rows[0]].mean(axis=1, keepdims=True, dtype=np.float64)
    centre = centre if standardise == "bands" else centre.mean(keepdims=True)
    for first in range(0, len(rows), BLOCK):
        values = np.asarray(features[rows[first : first + BLOCK]], dtype=np.float64) - centre
        total = total + values.sum(axis=axes)
        squares = squares + np.square(values).sum(axis=axes)
        count += values.size // (values.shape[1] if standardise == "bands" else 1)
    mean = total / count
    variance = np.maximum(squares / count - np.square(mean), 0.0)
    sd = np.sqrt(variance)
    mean = np.reshape(mean, (-1, 1)) + centre
    sd = np.reshape(np.where(sd > 0, sd, 1.0), (-1, 1))
    return mean.astype(np.float32), sd.astype(np.float32)
