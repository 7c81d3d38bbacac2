"""Bytes of sound files: 16-bit mono WAV or FLAC, by writers that notice a full disk."""

from collections.abc import Callable
from typing import BinaryIO

import numpy as np

WAV_BYTES = 2**32 - 1 - 36  # of samples: sizes are 32-bit numbers, and a header counts too


def write_wav(samples: np.ndarray, file: BinaryIO, sample_rate: int) -> None:
    """Write int16 samples (n,) to an open file, with the same bytes as libsndfile.

    Raises
    ------
    ValueError
        If there are more than the format can hold.
    """
    import wave

    if samples.nbytes > WAV_BYTES:
        raise ValueError("this exceeds the 4 GB that a WAV file can hold: use more shards")
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(sample_rate)
        sound.setnframes(len(samples))
        sound.writeframes(np.ascontiguousarray(samples))


def write_flac(samples: np.ndarray, file: BinaryIO, sample_rate: int) -> None:
    """Write int16 samples (n,) to an open file.

    Through memory: libsndfile takes a disk that is full at the end of a FLAC file for success.
    """
    import io as memory

    import soundfile

    encoded = memory.BytesIO()
    soundfile.write(encoded, samples, sample_rate, format="FLAC", subtype="PCM_16")
    file.write(encoded.getbuffer())


WRITERS: dict[str, Callable[[np.ndarray, BinaryIO, int], None]] = {
    ".wav": write_wav,
    ".flac": write_flac,
}
