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
    foreground: np.ndarray,
    background: np.ndarray | None,
    background_gain: float | None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return foreground + gain * background in double precision, in `out` if that is given."""
    if out is None:
        out = np.empty(np.shape(foreground), dtype=np.float64)
    # Widened first: numpy takes half as long again for a product of two kinds of numbers.
    if background is None:
        np.copyto(out, foreground)
        return out
    np.copyto(out, background)
    out *= background_gain
    out += foreground
    return out


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
    return np.minimum(np.rint(samples * _FULL_SCALE), _FULL_SCALE - 1).astype(np.int16)


def scale_to_pcm16(
    total: np.ndarray, peak_gain: float, rounded: np.ndarray, out: np.ndarray
) -> None:
    """Write `to_pcm16(combine(...))` to `out` from the sum of the parts and its gain to the peak.

    The same bits in fewer steps: full scale is a power of two, so it may join the gain, and no
    value exceeds the peak, which is at most `PCM16_PEAK`.

    Parameters
    ----------
    total : numpy.ndarray
        float64, shape (n,), as from `sum_parts`; overwritten.
    peak_gain : float
        As from `gain_to_peak`.
    rounded : numpy.ndarray
        float32, shape (n,); overwritten.
    out : numpy.ndarray
        int16, shape (n,).
    """
    total *= peak_gain * _FULL_SCALE
    np.copyto(rounded, total, casting="same_kind")
    np.rint(rounded, out=rounded)
    np.copyto(out, rounded, casting="unsafe")
