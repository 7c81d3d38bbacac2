"""Loudness of mono signals (ITU-R BS.1770-4), and how it answers to a change of level."""

import math

import numpy as np

SAMPLE_RATE = 16_000  # Hz

ABSOLUTE_GATE = -70.0  # LUFS
_RELATIVE_GATE = -10.0  # LU below the mean of what passes the absolute gate
_BLOCK_S, _STEP_S = 0.4, 0.1
_LOWEST_RATE = 8_000  # Hz; the K-weighting filter is meaningless below


def integrated_loudness(samples: np.ndarray, sample_rate: int = SAMPLE_RATE) -> float:
    """Measure the gated loudness of a mono signal (ITU-R BS.1770-4).

    Parameters
    ----------
    samples : numpy.ndarray
        Floating point, shape (n,), full scale 1; at least 0.4 s.
    sample_rate : int
        Hz, 8,000 or more.

    Returns
    -------
    float
        LUFS; -inf when no 0.4 s block reaches the gate of -70 LUFS.

    Raises
    ------
    TypeError
        If the samples are not a floating-point array.
    ValueError
        If the signal is not mono and 1-D, too short, sampled under 8 kHz or not finite.
    """
    import pyloudnorm

    _refuse_unmeasurable(samples, sample_rate)
    meter = pyloudnorm.Meter(sample_rate)
    return float(meter.integrated_loudness(samples.astype(np.float64)))


def block_loudness(samples: np.ndarray, sample_rate: int = SAMPLE_RATE) -> np.ndarray:
    """Measure the loudness of each gating block: 0.4 s, every 0.1 s.

    Parameters
    ----------
    samples, sample_rate
        As in `integrated_loudness`.

    Returns
    -------
    numpy.ndarray
        float64, shape (blocks,), LUFS; -inf for a silent block.
    """
    from scipy.signal import sosfilt

    _refuse_unmeasurable(samples, sample_rate)
    # One pass through both filters and one sum per quarter block: a third of pyloudnorm's time.
    weighted = sosfilt(_k_weighting(sample_rate), samples.astype(np.float64))
    # The number of blocks is pyloudnorm's, which rounds, so the last may hang over the end.
    blocks = round((len(samples) / sample_rate - _BLOCK_S) / _STEP_S) + 1
    edges = (np.arange(blocks + 4) * _STEP_S * sample_rate + 1e-6).astype(np.int64)
    weighted = weighted[: edges[-1]]
    quarters = np.zeros(blocks + 3)
    present = edges[:-1] < len(weighted)
    quarters[present] = np.add.reduceat(np.square(weighted), edges[:-1][present])
    power = np.convolve(quarters, np.ones(4), mode="valid") / (_BLOCK_S * sample_rate)
    with np.errstate(divide="ignore"):
        return -0.691 + 10.0 * np.log10(power)


def _k_weighting(sample_rate: int) -> np.ndarray:
    """Return pyloudnorm's two filter stages as second-order sections, shape (2, 6)."""
    from pyloudnorm.iirfilter import IIRfilter

    stages = (
        IIRfilter(4.0, 1 / np.sqrt(2), 1500.0, sample_rate, "high_shelf"),
        IIRfilter(0.0, 0.5, 38.0, sample_rate, "high_pass"),
    )
    return np.array([np.concatenate((stage.b, stage.a)) for stage in stages])


def gated_loudness(blocks: np.ndarray, gain_db: float = 0.0) -> float:
    """Return the integrated loudness that a signal has after a gain.

    A gain moves every block by as much, but the absolute gate stays: blocks near -70 LUFS
    come in or drop out, and the result can move by more or less than the gain.

    Parameters
    ----------
    blocks : numpy.ndarray
        As from `block_loudness`.
    gain_db : float
        dB.

    Returns
    -------
    float
        LUFS; -inf when no block reaches the gate.
    """
    levels = np.asarray(blocks) + gain_db
    passing = levels[levels >= ABSOLUTE_GATE]
    if not len(passing):
        return -math.inf
    threshold = _mean_level(passing) + _RELATIVE_GATE
    passing = levels[(levels > threshold) & (levels > ABSOLUTE_GATE)]
    return _mean_level(passing) if len(passing) else -math.inf


def _mean_level(levels: np.ndarray) -> float:
    return 10.0 * math.log10(float(np.mean(10.0 ** (levels / 10.0))))


def _refuse_unmeasurable(samples: np.ndarray, sample_rate: int) -> None:
    if not isinstance(samples, np.ndarray) or samples.dtype.kind != "f":
        kind = getattr(samples, "dtype", type(samples).__name__)
        raise TypeError(f"loudness needs a floating-point array with full scale 1, got {kind}")
    if samples.ndim != 1:
        raise ValueError(
            f"loudness needs mono samples of shape (n,), got shape {samples.shape}: "
            "average the channels first"
        )
    if sample_rate < _LOWEST_RATE:
        raise ValueError(f"loudness is not measured under {_LOWEST_RATE} Hz, got {sample_rate} Hz")
    if len(samples) < math.ceil(_BLOCK_S * sample_rate):
        raise ValueError(
            f"loudness needs at least {_BLOCK_S} s, got {len(samples) / sample_rate:.4f} s: "
            "pad the clip first"
        )
    bad = np.flatnonzero(~np.isfinite(samples))
    if len(bad):
        raise ValueError(f"sample {bad[0]} is not finite ({len(bad)} such samples)")
