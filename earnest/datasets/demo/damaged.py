"""Files as real collections hold them: silent, cut off, broken, or not sound at all."""

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np

from earnest.datasets.demo.recordings import record
from earnest.datasets.demo.sounds import noise, shaped
from earnest.rng import generator

RATE = 16_000
PCM, FLOAT = 1, 3


def wav_bytes(samples: np.ndarray, rate: int) -> bytes:
    """Return a mono WAV file of int16 or float32 samples.

    Written by hand because sound libraries put the time of day into float files, and the corpus
    must be the same to the byte.
    """
    code = FLOAT if samples.dtype == np.float32 else PCM
    width = samples.dtype.itemsize
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, code, 1, rate, rate * width, width, 8 * width)
    data = samples.astype(samples.dtype.newbyteorder("<")).tobytes()
    body = b"WAVE" + form + struct.pack("<4sI", b"data", len(data)) + data
    return struct.pack("<4sI", b"RIFF", len(body)) + body


def _pcm(samples: np.ndarray) -> np.ndarray:
    return np.round(np.clip(samples, -1, 1) * 32767).astype(np.int16)


def _hiss(root_seed: int, seconds: float) -> np.ndarray:
    return 0.1 * noise(generator(root_seed, "demo", "damaged"), round(seconds * RATE))


def _silent(root_seed: int) -> bytes:
    return wav_bytes(np.zeros(3 * RATE, dtype=np.int16), RATE)


def _below_gate(root_seed: int) -> bytes:
    """Noise near -80 LUFS, ten under the gate of the loudness measure."""
    return wav_bytes(_pcm(_hiss(root_seed, 3) * 1e-3), RATE)


def _empty(root_seed: int) -> bytes:
    return wav_bytes(np.zeros(0, dtype=np.int16), RATE)


def _truncated(root_seed: int) -> bytes:
    """A download that stopped: the header announces more than twice what came."""
    whole = wav_bytes(_pcm(_hiss(root_seed, 5)), RATE)
    return whole[: len(whole) * 2 // 5]


def _undeclared_length(root_seed: int) -> bytes:
    """A stream that was never closed: both sizes still hold the placeholder."""
    whole = bytearray(wav_bytes(_pcm(_hiss(root_seed, 3)), RATE))
    whole[4:8] = whole[40:44] = b"\xff\xff\xff\xff"
    return bytes(whole)


def _non_finite(root_seed: int) -> bytes:
    samples = _hiss(root_seed, 3)
    samples[100] = np.nan
    return wav_bytes(samples.astype(np.float32), RATE)


def _web_page(root_seed: int) -> bytes:
    return b"<!DOCTYPE html>\n<html><body><h1>404 Not Found</h1></body></html>\n"


def _false_sample_rate(root_seed: int) -> bytes:
    """A telephone recording in a file of 44.1 kHz: usable, but nothing lives above 3.4 kHz."""
    samples, rate = record(root_seed, "dog_bark", 10_000).clips[0], 44_100
    mono = samples if samples.ndim == 1 else samples.mean(axis=1)
    return wav_bytes(_pcm(shaped(mono, rate, lambda frequencies: frequencies < 3400)), rate)


# file stem -> (label it is filed under, what writes it)
DAMAGED: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "damaged_silent": ("dog_bark", _silent),
    "damaged_below_gate": ("rain", _below_gate),
    "damaged_empty": ("cough", _empty),
    "damaged_truncated": ("wind", _truncated),
    "damaged_undeclared_length": ("door_knock", _undeclared_length),
    "damaged_non_finite": ("engine", _non_finite),
    "damaged_web_page": ("bell", _web_page),
    "odd_false_sample_rate": ("dog_bark", _false_sample_rate),
}


def write_damaged(audio: Path, root_seed: int) -> list[dict[str, str]]:
    """Write the damaged files below `audio`; return their rows of the list of clips."""
    rows = []
    for stem, (label, make) in DAMAGED.items():
        (audio / label).mkdir(parents=True, exist_ok=True)
        (audio / label / f"{stem}.wav").write_bytes(make(root_seed))
        rows.append({"filename": f"{label}/{stem}.wav", "label": label, "recording": stem})
    return rows
