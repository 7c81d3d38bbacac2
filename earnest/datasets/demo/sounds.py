"""Building blocks of synthetic sound: noise, pulse trains, spectral shapes, envelopes, rooms."""

from collections.abc import Callable, Collection

import numpy as np

Event = Callable[[], np.ndarray]


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    """Draw a number whose logarithm is uniform, as pitches and decay times are spread."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def noise(rng: np.random.Generator, samples: int) -> np.ndarray:
    """White Gaussian noise of SD 1, (samples,) float32."""
    return rng.standard_normal(samples, dtype=np.float32)


def times(samples: int, rate: int) -> np.ndarray:
    """Time of each sample in seconds, (samples,) float32."""
    return np.arange(samples, dtype=np.float32) / np.float32(rate)


def pulses(pitch: np.ndarray, rate: int, sharpness: float) -> np.ndarray:
    """Periodic pulses, rich in harmonics, that follow a pitch.

    Parameters
    ----------
    pitch : (samples,) float
        Hz.
    rate : int
        Hz.
    sharpness : float
        The energy reaches to about harmonic sqrt(2 * sharpness).

    Returns
    -------
    (samples,) float32
        Mean near zero.
    """
    turns = np.cumsum(pitch, dtype=np.float64) / rate
    angle = (2 * np.pi * (turns % 1)).astype(np.float32)
    wave = np.exp(np.float32(sharpness) * (np.cos(angle) - 1))
    return wave - wave.mean()


def shaped(signal: np.ndarray, rate: int, gain: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Filter a signal with a zero-phase gain given as a function of frequency in Hz."""
    from scipy.fft import irfft, next_fast_len, rfft

    size = next_fast_len(len(signal), real=True)
    frequencies = np.fft.rfftfreq(size, 1 / rate).astype(np.float32)
    spectrum = rfft(signal, size) * gain(frequencies).astype(np.float32)
    return irfft(spectrum, size)[: len(signal)]


def resonances(
    centres: Collection[float], widths: Collection[float], levels: Collection[float]
) -> Callable[[np.ndarray], np.ndarray]:
    """Gain of resonances side by side: centre and half-width in Hz, level as a factor."""

    def gain(frequencies: np.ndarray) -> np.ndarray:
        total = np.zeros_like(frequencies)
        for centre, width, level in zip(centres, widths, levels, strict=True):
            total += level / (1 + np.square((frequencies - centre) / width))
        return total

    return gain


def band(low: float, high: float, order: int = 4) -> Callable[[np.ndarray], np.ndarray]:
    """Gain of a band between two frequencies in Hz, with slopes of 6 dB an octave per order."""

    def gain(frequencies: np.ndarray) -> np.ndarray:
        ratio_low = low / np.maximum(frequencies, 1.0)
        rising = 1 / np.sqrt(1 + ratio_low ** (2 * order))
        return rising / np.sqrt(1 + (frequencies / high) ** (2 * order))

    return gain


def decay(samples: int, rate: int, seconds: float, attack: float = 0.002) -> np.ndarray:
    """Envelope that rises within `attack` seconds and falls by 60 dB within `seconds`."""
    time = times(samples, rate)
    return np.minimum(time / attack, 1) * np.exp(-6.9078 * time / seconds)


def swell(samples: int, attack: float, release: float) -> np.ndarray:
    """Envelope of one sound: cosine flanks over the given shares of its length."""
    position = np.linspace(0, 1, samples, dtype=np.float32)
    rise = np.clip(position / attack, 0, 1)
    fall = np.clip((1 - position) / release, 0, 1)
    return (0.5 - 0.5 * np.cos(np.pi * rise)) * (0.5 - 0.5 * np.cos(np.pi * fall))


def wander(rng: np.random.Generator, samples: int, rate: int, per_second: float) -> np.ndarray:
    """Smooth random curve of SD about 1 that turns `per_second` times a second."""
    knots = max(int(np.ceil(samples / rate * per_second)) + 3, 4)
    heights = rng.standard_normal(knots)
    at = np.arange(samples) / rate * per_second
    left = at.astype(np.int64)
    blend = 0.5 - 0.5 * np.cos(np.pi * (at - left))
    return (heights[left] * (1 - blend) + heights[left + 1] * blend).astype(np.float32)


def rhythm(
    rng: np.random.Generator, seconds: float, period: float, *, jitter: float, missing: float
) -> np.ndarray:
    """Start times of repeated events, the first within one period.

    Parameters
    ----------
    seconds, period : float
        Length of the recording and mean distance of events.
    jitter : float
        SD of a start around its place, in periods.
    missing : float
        Share of the events that are left out; the first never is.

    Returns
    -------
    (events,) float64
        In seconds, sorted; at least one.
    """
    first = rng.uniform(0, min(period, seconds / 3))
    starts = np.arange(first, max(seconds - 0.1, first + 1e-3), period)
    starts = starts + np.r_[0, rng.normal(0, jitter * period, len(starts) - 1)]
    heard = np.r_[True, rng.random(len(starts) - 1) >= missing]
    return np.sort(np.clip(starts[heard], 0, seconds))


def sequence(
    rng: np.random.Generator, rate: int, seconds: float, starts: np.ndarray, event: Event
) -> np.ndarray:
    """Place one new event at each start, each up to 6 dB louder or softer than the next."""
    signal = np.zeros(round(seconds * rate), dtype=np.float32)
    for start in starts:
        sound = event() * np.float32(10 ** (rng.uniform(-6, 0) / 20))
        first = min(round(start * rate), len(signal) - 1)
        sound = sound[: len(signal) - first]
        signal[first : first + len(sound)] += sound
    return signal


def reverberated(
    rng: np.random.Generator, signal: np.ndarray, rate: int, seconds: float, share: float
) -> np.ndarray:
    """Add a room: noise that falls by 60 dB in `seconds`, with `share` of the direct energy."""
    from scipy.signal import fftconvolve

    tail = round(seconds * rate)
    response = noise(rng, tail) * decay(tail, rate, seconds, attack=0.01)
    response *= np.float32(np.sqrt(share / np.square(response).sum()))
    response[0] += 1
    return fftconvolve(signal, response)[: len(signal)]
