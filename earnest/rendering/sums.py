"""Gains, sums, the common peak and 16 bits: the arithmetic that makes a mixture's samples."""

import math

import numpy as np

PCM16_PEAK = 32_767 / 32_768  # the largest value that survives 16-bit PCM

_FULL_SCALE = 32_768


def background_gain_db(foreground_lufs: float, background_lufs: float, margin_lu: float) -> float:
    """Return the gain in dB that puts the background `margin_lu` below the foreground."""
    gain = foreground_lufs - margin_lu - background_lufs
    if not math.isfinite(gain):
        raise ValueError(
            f"no finite gain from {foreground_lufs} LUFS, {background_lufs} LUFS and {margin_lu} LU"
        )
    return gain


def linear_gain(decibels: float) -> float:
    """Return 10^(dB / 20), by Python's own arithmetic so that equal input gives equal bits."""
    return 10.0 ** (float(decibels) / 20.0)


def combine(
    foreground: np.ndarray,
    background: np.ndarray | None,
    background_gain: float | None,
    peak_gain: float,
) -> np.ndarray:
    """Make a mixture from its stored gains, bit for bit as it was first made.

    Parameters
    ----------
    foreground, background : numpy.ndarray
        Floating point, shape (n,), as prepared; no background gives the foreground alone.
    background_gain, peak_gain : float
        Linear gains, as stored.

    Returns
    -------
    numpy.ndarray
        float32, shape (n,).
    """
    total = sum_parts(foreground, background, background_gain)
    total *= peak_gain
    return total.astype(np.float32)


def sum_parts(
    foreground: np.ndarray, background: np.ndarray | None, background_gain: float | None
) -> np.ndarray:
    """Return foreground + gain * background in double precision, a new array."""
    if background is None:
        return foreground.astype(np.float64)
    total = np.multiply(background, background_gain, dtype=np.float64)
    total += foreground
    return total


def gain_to_peak(total: np.ndarray, peak: float) -> float:
    """Return the gain that brings the largest magnitude to `peak`, in (0, 1].

    Raises
    ------
    ValueError
        If `peak` is out of range, or every value is zero.
    """
    if not 0 < peak <= 1:
        raise ValueError(f"peak must lie in (0, 1], got {peak}")
    highest = max(float(total.max()), -float(total.min()))
    if not highest > 0:
        raise ValueError("the parts cancel out: a zero peak cannot be normalised")
    return peak / highest


def to_pcm16(samples: np.ndarray) -> np.ndarray:
    """Quantise to 16 bits: sample x 32768, rounded to nearest (ties to even).

    Only +1.0 itself has no 16-bit value; it becomes 32767, as near as there is.

    Parameters
    ----------
    samples : numpy.ndarray
        Floating point, every magnitude at most 1.

    Returns
    -------
    numpy.ndarray
        int16, the same shape.

    Raises
    ------
    ValueError
        If a sample is not finite or exceeds full scale: nothing is clipped unseen.
    """
    if samples.size:
        highest = max(float(samples.max()), -float(samples.min()))
        if not highest <= 1:
            raise ValueError(f"samples must be finite and within [-1, 1], found {highest}")
    scaled = np.multiply(samples, _FULL_SCALE)
    np.rint(scaled, out=scaled)
    np.minimum(scaled, _FULL_SCALE - 1, out=scaled)
    return scaled.astype(np.int16)
