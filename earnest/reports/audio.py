"""Mixtures to listen to: sound and spectrogram as data URIs inside the page."""

import base64
import io as memory
import struct
import zlib

import numpy as np

SAMPLE_RATE = 16_000
WINDOW, HOP = 512, 160
ROWS = 96
LOWEST_HZ, HIGHEST_HZ = 50.0, 8_000.0
RANGE_DB = 70.0


def sound_uri(samples: np.ndarray, sample_rate: int = SAMPLE_RATE) -> str:
    """Encode mono samples as a FLAC data URI.

    Parameters
    ----------
    samples : numpy.ndarray
        float32, shape (n,), within [-1, 1].
    sample_rate : int
        In Hz.

    Returns
    -------
    str
        `data:audio/flac;base64,...`; 16 bits a sample, about half the size of WAV.

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
    return "data:audio/flac;base64," + base64.b64encode(file.getvalue()).decode("ascii")


def spectrogram(samples: np.ndarray, sample_rate: int = SAMPLE_RATE) -> np.ndarray:
    """Log-power spectrogram on a mel axis, as shades.

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
    samples = np.pad(np.asarray(samples, dtype=np.float64), WINDOW // 2)
    frames = np.lib.stride_tricks.sliding_window_view(samples, WINDOW)[::HOP]
    power = np.abs(np.fft.rfft(frames * np.hanning(WINDOW), axis=1)) ** 2
    bins = row_frequencies() / sample_rate * WINDOW
    lower = np.floor(bins).astype(int).clip(0, power.shape[1] - 2)
    share = bins - lower
    cells = power[:, lower] * (1 - share) + power[:, lower + 1] * share
    level = 10 * np.log10(np.maximum(cells, 1e-12))
    shade = (level - level.max() + RANGE_DB) / RANGE_DB
    return np.round(255 * shade.clip(0, 1)).astype(np.uint8).T


def row_frequencies() -> np.ndarray:
    """Frequencies of the spectrogram's rows in Hz, highest first, even on the mel scale."""
    mels = np.linspace(mel(HIGHEST_HZ), mel(LOWEST_HZ), ROWS)
    return 700.0 * (10 ** (mels / 2595.0) - 1)


def mel(hertz: float) -> float:
    """Pitch in mel (O'Shaughnessy's formula), for the axis of a picture only."""
    return 2595.0 * float(np.log10(1 + hertz / 700.0))


def position(hertz: float) -> float:
    """Where a frequency lies on the spectrogram's height, 0 at the top and 1 at the bottom."""
    top, bottom = mel(HIGHEST_HZ), mel(LOWEST_HZ)
    return (top - mel(hertz)) / (top - bottom)


def picture_uri(shades: np.ndarray) -> str:
    """Encode shades as a PNG data URI in the magma colours, which get lighter evenly.

    Parameters
    ----------
    shades : numpy.ndarray
        uint8, shape (height, width).
    """
    from matplotlib import colormaps

    height, width = shades.shape
    palette = (colormaps["magma"](np.arange(256))[:, :3] * 255).round().astype(np.uint8)
    lines = np.hstack([np.zeros((height, 1), np.uint8), shades]).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    blocks = [
        (b"IHDR", header),
        (b"PLTE", palette.tobytes()),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    ]
    data = b"\x89PNG\r\n\x1a\n" + b"".join(_block(kind, body) for kind, body in blocks)
    return "data:image/png;base64," + base64.b64encode(data).decode("ascii")


def _block(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
