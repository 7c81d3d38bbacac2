"""From a synthetic sound to files: room, microphone, level, format, and cutting into clips."""

from typing import NamedTuple

import numpy as np

from earnest.datasets.demo import backgrounds, foregrounds
from earnest.datasets.demo.sounds import band, log_uniform, noise, reverberated, shaped
from earnest.rng import generator

SAMPLE_RATES = (16_000, 22_050, 44_100)
RATE_SHARES = (0.5, 0.25, 0.25)
STEREO_SHARE = 0.2
CUT_EVERY = 9  # of nine recordings, the last is cut into two clips


class Recording(NamedTuple):
    """Samples (frames,) or (frames, 2) float32 in [-1, 1] for each clip, at one sample rate."""

    clips: list[np.ndarray]
    sample_rate: int


def record(root_seed: int, label: str, number: int) -> Recording:
    """Synthesise one recording of a kind; the same arguments give the same samples.

    Parameters
    ----------
    root_seed : int
        Seed of the corpus.
    label : str
        A foreground or background kind.
    number : int
        Which recording of that kind, from 0.

    Returns
    -------
    Recording
        One clip, or two of equal length when `number` is the last of nine.
    """
    rng = generator(root_seed, "demo", label, number)
    rate = int(rng.choice(SAMPLE_RATES, p=RATE_SHARES))
    is_background = label in backgrounds.TEXTURES
    seconds = rng.uniform(2.5, 8) if is_background else rng.uniform(1.2, 8)
    clips = 2 if number % CUT_EVERY == CUT_EVERY - 1 else 1
    make = backgrounds.TEXTURES[label] if is_background else foregrounds.VOICES[label]
    signal = make(rng, rate, seconds * clips)
    if not is_background:
        signal = _in_a_room(rng, signal, rate)
    signal = _through_microphone(rng, signal, rate)
    return Recording(np.array_split(_stereo(rng, signal), clips), rate)


def _in_a_room(rng: np.random.Generator, signal: np.ndarray, rate: int) -> np.ndarray:
    share, seconds = log_uniform(rng, 0.02, 0.8), log_uniform(rng, 0.1, 0.7)
    return reverberated(rng, signal, rate, seconds, share)


def _through_microphone(rng: np.random.Generator, signal: np.ndarray, rate: int) -> np.ndarray:
    """Colour a signal, bring its peak to a level of its own and add the microphone's noise.

    The noise fills the whole spectrum, so no clip looks as if its sample rate were false.
    """
    tilt, low = rng.uniform(-0.3, 0.3), log_uniform(rng, 30, 130)
    cut = band(low, 0.47 * rate, 2)

    def response(frequencies: np.ndarray) -> np.ndarray:
        return cut(frequencies) * (np.maximum(frequencies, 20) / 1000) ** tilt

    coloured = shaped(signal, rate, response)
    coloured *= np.float32(log_uniform(rng, 0.08, 0.8) / np.abs(coloured).max())
    # Of white noise only the part below 8 kHz is left at 16 kHz; it must stay above the gate of
    # -70 LUFS, or the loudness of a clip would depend on the level that it is played at.
    level = log_uniform(rng, 6e-4, 2e-3) * np.sqrt(rate / SAMPLE_RATES[0])
    hiss = noise(rng, len(coloured)) * np.float32(level)
    return np.clip(coloured + hiss, -1, 1)


def _stereo(rng: np.random.Generator, signal: np.ndarray) -> np.ndarray:
    """Return the signal, or, for some recordings, two channels of other level and delay."""
    if rng.random() >= STEREO_SHARE:
        return signal
    delay, level = int(rng.integers(1, 12)), np.float32(rng.uniform(0.6, 1))
    other = np.concatenate([np.zeros(delay, np.float32), signal[:-delay]]) * level
    return np.stack([signal, other], axis=1)
