"""Six kinds of background: textures that go on, each recording with a character of its own.

Every function takes a generator, a sample rate in Hz and a length in seconds, and returns
(samples,) float32 at any level.
"""

import numpy as np

from earnest.datasets.demo.sounds import (
    band,
    log_uniform,
    noise,
    pulses,
    resonances,
    shaped,
    times,
    wander,
)


def rain(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """A broad hiss, and drops of many sizes on top of it."""
    samples = round(seconds * rate)
    hiss = shaped(noise(rng, samples), rate, band(log_uniform(rng, 200, 1200), 9000, 1))
    hits = rng.poisson(log_uniform(rng, 20, 300) / rate, samples) * rng.exponential(1, samples)
    tuned = log_uniform(rng, 700, 3500)
    gain = resonances([tuned, 2.1 * tuned], [0.3 * tuned, 0.8 * tuned], [1.0, 0.6])
    drops = shaped(hits.astype(np.float32), rate, gain)
    drops *= np.float32(log_uniform(rng, 0.2, 1.5) * np.std(hiss) / max(np.std(drops), 1e-9))
    return (hiss + drops) * (1 + 0.08 * wander(rng, samples, rate, 1.5))


def wind(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Low noise that comes in gusts, with a whistle that rises with them."""
    samples = round(seconds * rate)
    gusts = np.exp(rng.uniform(0.25, 0.7) * wander(rng, samples, rate, rng.uniform(0.4, 1.4)))
    body = shaped(noise(rng, samples), rate, band(60, log_uniform(rng, 180, 700), 1))
    tuned = log_uniform(rng, 350, 1200)
    howl = shaped(noise(rng, samples), rate, resonances([tuned], [0.08 * tuned], [1.0]))
    howl *= np.float32(rng.uniform(0.1, 0.9) * np.std(body) / np.std(howl))
    return (body * gusts + howl * np.square(gusts)).astype(np.float32)


def engine(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Harmonics of a turning speed that drifts, through the resonances of a body."""
    samples = round(seconds * rate)
    pitch = log_uniform(rng, 28, 110) * (1 + 0.03 * wander(rng, samples, rate, 0.8))
    strokes = pulses(pitch, rate, sharpness=log_uniform(rng, 30, 300))
    strokes *= 1 + 0.15 * wander(rng, samples, rate, 12)
    centres = log_uniform(rng, 90, 320) * np.array([1.0, 2.7, 6.5])
    body = shaped(strokes, rate, resonances(centres, 0.5 * centres, [1.0, 0.5, 0.15]))
    rattle = shaped(noise(rng, samples), rate, band(150, log_uniform(rng, 800, 3000), 1))
    rattle *= np.float32(rng.uniform(0.1, 0.6) * np.std(body) / np.std(rattle))
    return (body + rattle).astype(np.float32)


def traffic(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """A low bed of noise, and vehicles that pass: louder and brighter, then gone."""
    samples = round(seconds * rate)
    time = times(samples, rate)
    bed = shaped(noise(rng, samples), rate, band(50, log_uniform(rng, 250, 900), 1))
    signal = bed / np.std(bed) * log_uniform(rng, 0.3, 1.0)
    for _ in range(1 + rng.poisson(0.3 * seconds)):
        low = log_uniform(rng, 80, 300)
        tyres = shaped(noise(rng, samples), rate, band(low, log_uniform(rng, 700, 2500), 1))
        middle, width = rng.uniform(0, seconds), log_uniform(rng, 0.4, 1.6)
        passing = 1 / (1 + np.square((time - middle) / width))
        signal = signal + tyres / np.std(tyres) * passing * log_uniform(rng, 0.4, 1.6)
    return signal.astype(np.float32)


def crickets(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """A few insects, each a high tone in its own pulses and chirps, over a quiet night."""
    samples = round(seconds * rate)
    time = times(samples, rate)
    signal = 0.04 * shaped(noise(rng, samples), rate, band(100, 4000, 1))
    for _ in range(int(rng.integers(2, 6))):
        tone = log_uniform(rng, 2300, 6500)
        beat, chirp = log_uniform(rng, 18, 60), log_uniform(rng, 1.2, 5)
        wobble = 2 * np.pi * tone * time + 0.8 * wander(rng, samples, rate, 6)
        pulse = np.square(np.sin(np.pi * beat * time))
        on = np.sin(2 * np.pi * (chirp * time + rng.random())) > rng.uniform(-0.9, 0.3)
        signal = signal + rng.uniform(0.2, 1.0) * np.sin(wobble) * pulse * on
    return signal.astype(np.float32)


def babble(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Several people who talk at once: no word is heard, only voices and syllables."""
    samples = round(seconds * rate)
    signal = np.zeros(samples, dtype=np.float32)
    for _ in range(int(rng.integers(3, 8))):
        pitch = log_uniform(rng, 85, 260) * (1 + 0.12 * wander(rng, samples, rate, 2.5))
        voice = pulses(pitch, rate, sharpness=150) + 0.02 * noise(rng, samples)
        for _ in range(2):  # two vowels, each heard where its own curve is high
            first = log_uniform(rng, 280, 800)
            centres = np.array([first, rng.uniform(1000, 2200), rng.uniform(2400, 3200)])
            vowel = shaped(voice, rate, resonances(centres, [90, 140, 220], [1.0, 0.5, 0.25]))
            heard = np.maximum(wander(rng, samples, rate, rng.uniform(5, 9)), 0)
            signal += vowel * heard / np.float32(np.std(vowel)) * np.float32(rng.uniform(0.3, 1))
    return signal


TEXTURES = {
    "rain": rain,
    "wind": wind,
    "engine": engine,
    "traffic": traffic,
    "crickets": crickets,
    "babble": babble,
}
