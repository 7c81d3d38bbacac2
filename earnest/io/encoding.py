"""Bytes of sound files: 16-bit mono WAV or FLAC, by writers that notice a full disk."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

import numpy as np

WAV_BYTES = 2**32 - 1 - 36  # of samples: sizes are 32-bit numbers, and a header counts too


def write_wav(blocks: Iterable[np.ndarray], file: BinaryIO, sample_rate: int) -> None:
    """Write int16 samples, blocks of shape (n,), with the same bytes as libsndfile.

    Raises
    ------
    ValueError
        If there are more than the format can hold.
    """
    import wave

    written = 0
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(sample_rate)
        for samples in map(_checked, blocks):
            written += samples.nbytes
            if written > WAV_BYTES:
                raise ValueError("this exceeds the 4 GB that a WAV file can hold: use more shards")
            sound.writeframesraw(samples.tobytes())


def write_flac(blocks: Iterable[np.ndarray], file: BinaryIO, sample_rate: int) -> None:
    """Write int16 samples, blocks of shape (n,).

    Through memory: libsndfile takes a disk that is full at the end of a FLAC file for success.
    """
    import io as memory

    import soundfile

    encoded = memory.BytesIO()
    options = {"samplerate": sample_rate, "channels": 1, "format": "FLAC", "subtype": "PCM_16"}
    with soundfile.SoundFile(encoded, "w", **options) as sound:
        for samples in map(_checked, blocks):
            sound.write(samples)
    file.write(encoded.getbuffer())


def _checked(samples: np.ndarray) -> np.ndarray:
    if samples.dtype != np.int16:
        raise TypeError(f"16-bit samples are needed, got {samples.dtype}")
    return samples


Writer = Callable[[Iterable[np.ndarray], BinaryIO, int], None]
WRITERS: dict[str, Writer] = {".wav": write_wav, ".flac": write_flac}


def writer(path: str | os.PathLike[str]) -> Writer:
    """Return what writes the format that a file's name asks for."""
    suffix = Path(path).suffix
    if suffix not in WRITERS:
        raise ValueError(f"{path}: sound is written as {' or '.join(WRITERS)}")
    return WRITERS[suffix]
