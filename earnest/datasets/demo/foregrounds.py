"""Eight kinds of foreground: sounds of events, each recording with a character of its own.

Every function takes a generator, a sample rate in Hz and a length in seconds, and returns
(samples,) float32 at any level. The ranges that characters are drawn from overlap between kinds on
purpose: a dog may bark as high as a crow calls, steps may fall as dry as a knock.
"""

import numpy as np

from earnest.datasets.demo.sounds import (
    band,
    decay,
    log_uniform,
    noise,
    pulses,
    resonances,
    rhythm,
    sequence,
    shaped,
    swell,
    times,
)


def _throat(
    rng: np.random.Generator,
    rate: int,
    *,
    seconds: float,
    pitch: float,
    fall: float,
    formants: np.ndarray,
    breath: float,
    roughness: float,
) -> np.ndarray:
    """One cry: a voiced part that falls in pitch and a breathy part, through the same formants."""
    samples = round(seconds * rate)
    position = np.linspace(0, 1, samples)
    bend = np.sin(np.pi * np.minimum(position * 1.6 + 0.2, 1.0))
    height = pitch * (1 - fall * position) * (1 + 0.15 * bend)
    height = height * (1 + 0.02 * rng.standard_normal() + 0.01 * np.sin(40 * position))
    voiced = pulses(height, rate, sharpness=60)
    buzz = 1 - roughness * (0.5 + 0.5 * np.sin(2 * np.pi * 70 * times(samples, rate)))
    air = noise(rng, samples) * np.float32(np.std(voiced))
    mixed = (1 - breath) * voiced * buzz + breath * air
    gain = resonances(formants, 0.18 * formants, [1.0, 0.6, 0.25])
    return shaped(mixed.astype(np.float32), rate, gain) * swell(samples, 0.12, 0.5)


def _formants(rng: np.random.Generator, low: float, high: float) -> np.ndarray:
    first = log_uniform(rng, low, high)
    return first * np.array([1.0, rng.uniform(1.7, 2.6), rng.uniform(3.2, 4.5)])


def dog_bark(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Short, falling, half-voiced cries, alone or in quick rows."""
    pitch, formants = log_uniform(rng, 280, 560), _formants(rng, 520, 950)
    length, breath = log_uniform(rng, 0.10, 0.32), rng.uniform(0.2, 0.6)
    roughness, fall = rng.uniform(0, 0.5), rng.uniform(0.15, 0.5)
    starts = rhythm(rng, seconds, log_uniform(rng, 0.25, 0.8), jitter=0.15, missing=0.2)

    def event() -> np.ndarray:
        return _throat(
            rng,
            rate,
            seconds=length * rng.uniform(0.8, 1.2),
            pitch=pitch * rng.uniform(0.9, 1.1),
            fall=fall,
            formants=formants,
            breath=breath,
            roughness=roughness,
        )

    return sequence(rng, rate, seconds, starts, event)


def crow_call(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Longer, rough calls in rows of a few."""
    pitch, formants = log_uniform(rng, 420, 850), _formants(rng, 1000, 1900)
    length, breath = log_uniform(rng, 0.25, 0.55), rng.uniform(0.2, 0.5)
    roughness, fall = rng.uniform(0.35, 0.95), rng.uniform(0.05, 0.35)
    starts = rhythm(rng, seconds, log_uniform(rng, 0.4, 1.0), jitter=0.1, missing=0.15)

    def event() -> np.ndarray:
        return _throat(
            rng,
            rate,
            seconds=length * rng.uniform(0.85, 1.15),
            pitch=pitch * rng.uniform(0.95, 1.05),
            fall=fall,
            formants=formants,
            breath=breath,
            roughness=roughness,
        )

    return sequence(rng, rate, seconds, starts, event)


def cough(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Breathy bursts with a voiced end, in irregular fits."""
    pitch, formants = log_uniform(rng, 110, 280), _formants(rng, 420, 850)
    length, breath = log_uniform(rng, 0.18, 0.45), rng.uniform(0.65, 0.95)
    starts = rhythm(rng, seconds, log_uniform(rng, 0.35, 0.9), jitter=0.25, missing=0.2)

    def event() -> np.ndarray:
        return _throat(
            rng,
            rate,
            seconds=length * rng.uniform(0.7, 1.3),
            pitch=pitch * rng.uniform(0.85, 1.15),
            fall=rng.uniform(0.1, 0.4),
            formants=formants,
            breath=breath,
            roughness=0.3,
        )

    return sequence(rng, rate, seconds, starts, event)


def _thud(
    rng: np.random.Generator, rate: int, modes: np.ndarray, fade: float, scrape: float, top: float
) -> np.ndarray:
    """One blow: damped modes of the struck body, and the noise of the surfaces that meet."""
    samples = round(max(0.25, 1.2 * fade) * rate)
    time = times(samples, rate)
    phases = rng.uniform(0, 2 * np.pi, len(modes))
    body = sum(
        np.sin(2 * np.pi * mode * time + phase) * decay(samples, rate, fade / (1 + 0.4 * order))
        for order, (mode, phase) in enumerate(zip(modes, phases, strict=True))
    )
    hiss = shaped(noise(rng, samples), rate, band(200, top)) * decay(samples, rate, 0.6 * fade)
    hiss *= np.float32(np.std(body) / max(np.std(hiss), 1e-9))
    return ((1 - scrape) * body + scrape * hiss).astype(np.float32)


def door_knock(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Dry blows on wood: low modes, little noise, quick rows."""
    modes = log_uniform(rng, 170, 460) * np.array([1.0, 1.62, 2.41, 3.3]) * rng.uniform(0.95, 1.05)
    fade, scrape = log_uniform(rng, 0.06, 0.2), rng.uniform(0.1, 0.4)
    top = log_uniform(rng, 1200, 5000)
    starts = rhythm(rng, seconds, log_uniform(rng, 0.14, 0.45), jitter=0.06, missing=0.3)
    return sequence(rng, rate, seconds, starts, lambda: _thud(rng, rate, modes, fade, scrape, top))


def footsteps(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Blows with a dull body and a scrape, at walking or running pace."""
    modes = log_uniform(rng, 70, 210) * np.array([1.0, 1.5, 2.2, 3.1]) * rng.uniform(0.9, 1.1)
    fade, scrape = log_uniform(rng, 0.08, 0.32), rng.uniform(0.4, 0.85)
    top = log_uniform(rng, 900, 6000)
    starts = rhythm(rng, seconds, log_uniform(rng, 0.25, 0.6), jitter=0.05, missing=0.1)
    return sequence(rng, rate, seconds, starts, lambda: _thud(rng, rate, modes, fade, scrape, top))


def hand_clap(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Short bursts of noise around a cavity's resonance, in steady rows."""
    centre, width = log_uniform(rng, 900, 2600), rng.uniform(0.25, 0.7)
    fade, period = log_uniform(rng, 0.04, 0.22), log_uniform(rng, 0.2, 0.7)
    starts = rhythm(rng, seconds, period, jitter=0.05, missing=0.2)

    def event() -> np.ndarray:
        samples = round(0.3 * rate)
        tuned = centre * rng.uniform(0.9, 1.1)
        gain = resonances([tuned, 2.3 * tuned], [width * tuned, tuned], [1.0, 0.3])
        burst = shaped(noise(rng, samples), rate, gain)
        return burst * decay(samples, rate, fade * rng.uniform(0.8, 1.25))

    return sequence(rng, rate, seconds, starts, event)


def bell(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Strokes whose partials are no harmonics and fade one after the other."""
    strike = log_uniform(rng, 950, 1600)
    ratios = np.array([0.5, 1.0, 1.19, 1.56, 2.0, 2.66, 3.01, 4.16])
    partials = strike * ratios * rng.uniform(0.99, 1.01, len(ratios))
    levels = rng.uniform(0.4, 1.0, len(ratios))
    fade = log_uniform(rng, 0.5, 2.0)
    starts = rhythm(rng, seconds, log_uniform(rng, 0.3, 1.1), jitter=0.08, missing=0.15)

    def event() -> np.ndarray:
        samples = round(min(1.2 * fade, 2.5) * rate)
        time = times(samples, rate)
        sound = np.zeros(samples, dtype=np.float32)
        for partial, level in zip(partials, levels, strict=True):
            envelope = decay(samples, rate, fade * (strike / partial) ** 0.6)
            sound += level * np.sin(2 * np.pi * partial * time) * envelope
        return sound

    return sequence(rng, rate, seconds, starts, event)


def phone_ring(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Rings of a few tones that alternate or beat, from a struck bell's to a small speaker's."""
    tones = log_uniform(rng, 800, 2000) * np.array([1.0, rng.uniform(1.15, 1.5)])
    beat, on = log_uniform(rng, 10, 26), log_uniform(rng, 0.3, 1.3)
    sharpness, depth = log_uniform(rng, 2, 12), rng.uniform(0.5, 1.0)
    starts = rhythm(rng, seconds, on * rng.uniform(1.15, 1.9), jitter=0.03, missing=0.1)

    def event() -> np.ndarray:
        samples = round(on * rate)
        turn = 0.5 + 0.5 * np.tanh(4 * np.sin(2 * np.pi * beat * times(samples, rate)))
        pitch = tones[0] + (tones[1] - tones[0]) * turn * depth
        ring = pulses(pitch, rate, sharpness) * (1 - 0.5 * depth * turn)
        return (ring * swell(samples, 0.03, 0.12)).astype(np.float32)

    return sequence(rng, rate, seconds, starts, event)


VOICES = {
    "dog_bark": dog_bark,
    "crow_call": crow_call,
    "cough": cough,
    "door_knock": door_knock,
    "footsteps": footsteps,
    "hand_clap": hand_clap,
    "bell": bell,
    "phone_ring": phone_ring,
}
