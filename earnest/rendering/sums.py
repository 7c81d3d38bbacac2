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
    return scale(sum_parts(foreground, background, background_gain), peak_gain)


def sum_parts(
    foreground: np.ndarray,
    background: np.ndarray | None,
    background_gain: float | None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return foreground + gain * background in double precision, in `out` if that is given."""
    if out is None:
        out = np.empty(np.shape(foreground), dtype=np.float64)
    if background is None:
        out[:] = foreground
        return out
    np.multiply(background, background_gain, out=out, dtype=np.float64)
    out += foreground
    return out


def scale(total: np.ndarray, peak_gain: float, out: np.ndarray | None = None) -> np.ndarray:
    """Return the sum times the common gain, rounded to float32, in `out` if that is given."""
    if out is None:
        out = np.empty(total.shape, dtype=np.float32)
    return np.multiply(total, peak_gain, out=out, dtype=np.float64, casting="same_kind")


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
    out = np.empty(samples.shape, dtype=np.int16)
    quantise(np.array(samples), out)
    return out


def quantise(samples: np.ndarray, out: np.ndarray) -> None:
    """Write `to_pcm16(samples)` to `out`, int16 of the same shape; the samples are overwritten."""
    if samples.size:
        highest = max(float(samples.max()), -float(samples.min()))
        if not highest <= 1:
            raise ValueError(f"samples must be finite and within [-1, 1], found {highest}")
    samples *= _FULL_SCALE
    np.rint(samples, out=samples)
    np.minimum(samples, _FULL_SCALE - 1, out=samples)
    np.copyto(out, samples, casting="unsafe")
