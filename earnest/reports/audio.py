"""Mixtures to listen to: sound as FLAC, spectrogram as PNG, and what it shows in words."""

import base64
import io as memory
from functools import cache

import numpy as np

SAMPLE_RATE = 16_000
WINDOW_S, HOP_S = 0.064, 0.01
ROWS = 96
LOWEST_HZ, HIGHEST_HZ = 50.0, 8_000.0
RANGE_DB = 70.0


def encode_sound(samples: np.ndarray, sample_rate: int = SAMPLE_RATE) -> bytes:
    """Encode mono samples as FLAC: 16 bits a sample, about half the size of WAV.

    Parameters
    ----------
    samples : numpy.ndarray
        float32, shape (n,), within [-1, 1].
    sample_rate : int
        In Hz.

    Raises
    ------
    ValueError
        If the samples are not one finite channel within [-1, 1].
    """
    import soundfile

    samples = np.asarray(samples)
    if samples.ndim != 1 or not np.isfinite(samples).all() or np.abs(samples).max(initial=0) > 1:
        raise ValueError("a mixture to listen to must be one finite channel within -1 and 1")
    file = memory.BytesIO()
    soundfile.write(file, samples, sample_rate, format="FLAC", subtype="PCM_16")
    return file.getvalue()


def sound_uri(samples: np.ndarray, sample_rate: int = SAMPLE_RATE) -> str:
    """Return what `encode_sound` gives as a data URI."""
    data = base64.b64encode(encode_sound(samples, sample_rate)).decode("ascii")
    return f"data:audio/flac;base64,{data}"


def spectrogram(samples: np.ndarray, sample_rate: int = SAMPLE_RATE) -> np.ndarray:
    """Log-power spectrogram in mel bands, as shades.

    Windows of 64 ms every 10 ms; bands of librosa on the HTK mel scale from 50 Hz to 8 kHz, or
    to half the sample rate where that is lower.

    Parameters
    ----------
    samples : numpy.ndarray
        float, shape (n,).
    sample_rate : int
        In Hz.

    Returns
    -------
    numpy.ndarray
        uint8, shape (96, frames): 0 is 70 dB below the loudest cell, 255 the loudest;
        the first row is the highest frequency.
    """
    from scipy import fft

    window, hop = round(WINDOW_S * sample_rate), round(HOP_S * sample_rate)
    samples = np.pad(np.asarray(samples, dtype=np.float64), window // 2)
    frames = np.lib.stride_tricks.sliding_window_view(samples, window)[::hop]
    power = np.square(np.abs(fft.rfft(frames * np.hanning(window), axis=1)))
    level = 10 * np.log10(np.maximum(power @ _bands(sample_rate), 1e-12))
    shade = (level - level.max() + RANGE_DB) / RANGE_DB
    return np.round(255 * shade.clip(0, 1)).astype(np.uint8).T[::-1]


@cache
def _bands(sample_rate: int) -> np.ndarray:
    """Mel filters, float32, shape (frequencies, 96), the lowest first; each of height 1."""
    from librosa import filters

    window = round(WINDOW_S * sample_rate)
    ends = {"fmin": LOWEST_HZ, "fmax": highest(sample_rate)}
    return filters.mel(sr=sample_rate, n_fft=window, n_mels=ROWS, htk=True, norm=None, **ends).T


def highest(sample_rate: int) -> float:
    """Top of the frequency axis in Hz."""
    return min(HIGHEST_HZ, sample_rate / 2)


def mel(hertz: float) -> float:
    """Pitch in mel (HTK's formula), for the axis of a picture only."""
    return 2595.0 * float(np.log10(1 + hertz / 700.0))


def position(hertz: float, sample_rate: int = SAMPLE_RATE) -> float:
    """Where a frequency lies on the spectrogram's height, 0 at the top and 1 at the bottom."""
    top, bottom = mel(highest(sample_rate)), mel(LOWEST_HZ)
    return (top - mel(hertz)) / (top - bottom)


def row_frequencies(sample_rate: int = SAMPLE_RATE) -> np.ndarray:
    """Middle frequencies of the spectrogram's rows in Hz, highest first."""
    middles = np.linspace(mel(LOWEST_HZ), mel(highest(sample_rate)), ROWS + 2)[-2:0:-1]
    return 700.0 * (10 ** (middles / 2595.0) - 1)


def in_words(shades: np.ndarray, sample_rate: int = SAMPLE_RATE) -> str:
    """Say where a spectrogram is loudest, for those who cannot see it.

    Parameters
    ----------
    shades : numpy.ndarray
        As `spectrogram` gives them.
    """
    frames, rows = np.nonzero((shades == shades.max()).T)
    frame, row = frames[len(frames) // 2], rows[len(rows) // 2]
    middle = row_frequencies(sample_rate)[row]
    hertz = f"{middle / 1000:.1f} kHz" if middle >= 1000 else f"{round(middle, -1):.0f} Hz"
    return f"loudest near {hertz} at {frame * HOP_S:.1f} s"


def encode_picture(shades: np.ndarray) -> bytes:
    """Encode shades as PNG in the magma colours, which get lighter evenly.

    Parameters
    ----------
    shades : numpy.ndarray
        uint8, shape (height, width).
    """
    from matplotlib import colormaps
    from PIL import Image

    palette = (colormaps["magma"](np.arange(256))[:, :3] * 255).round().astype(np.uint8)
    picture = Image.fromarray(np.ascontiguousarray(shades))
    picture.putpalette(palette.tobytes())
    file = memory.BytesIO()
    picture.save(file, format="PNG", optimize=True)
    return file.getvalue()


def picture_uri(shades: np.ndarray) -> str:
    """Return what `encode_picture` gives as a data URI."""
    return "data:image/png;base64," + base64.b64encode(encode_picture(shades)).decode("ascii")
