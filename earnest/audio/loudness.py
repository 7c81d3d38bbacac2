"""Loudness of mono signals (ITU-R BS.1770-4), and how it answers to a change of level."""

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import Any

import numpy as np

from earnest.compiling import compiled

SAMPLE_RATE = 16_000  # Hz

ABSOLUTE_GATE = -70.0  # LUFS
_OFFSET = -0.691  # LUFS of a mean square of 1
_RELATIVE_GATE = -10.0  # LU below the mean of what passes the absolute gate
_BLOCK_S, _STEP_S = 0.4, 0.1
_LOWEST_RATE = 8_000  # Hz; the K-weighting filter is meaningless below


@dataclass(frozen=True)
class Blocks:
    """The power of a signal's gating blocks, from which its loudness at any level follows.

    Attributes
    ----------
    powers : tuple of float
        K-weighted mean square of each block of 0.4 s, in ascending order.
    """

    powers: tuple[float, ...]
    _sums: tuple[float, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Sums of the largest 1, 2, ... blocks: gating drops the smallest ones.
        object.__setattr__(self, "_sums", tuple(accumulate(reversed(self.powers), initial=0.0)))

    def loudness(self, gain_db: float = 0.0) -> float:
        """Return the integrated loudness that the signal has after a gain.

        A gain moves every block by as much, but the absolute gate stays: blocks near -70 LUFS
        come in or drop out, and the result can move by more or less than the gain.

        Parameters
        ----------
        gain_db : float
            dB.

        Returns
        -------
        float
            LUFS; -inf when no block reaches the gate.
        """
        gate = 10.0 ** ((ABSOLUTE_GATE - _OFFSET - gain_db) / 10.0)
        passing = len(self.powers) - bisect_left(self.powers, gate)
        if not passing:
            return -math.inf
        relative = self._sums[passing] / passing * 10.0 ** (_RELATIVE_GATE / 10.0)
        passing = len(self.powers) - bisect_right(self.powers, max(relative, gate))
        if not passing:
            return -math.inf
        return _OFFSET + 10.0 * math.log10(self._sums[passing] / passing) + gain_db


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
    return measure_blocks(samples, sample_rate).loudness()


def measure_blocks(samples: np.ndarray, sample_rate: int = SAMPLE_RATE) -> Blocks:
    """Measure the power of each gating block: 0.4 s, every 0.1 s.

    Filters and block count are pyloudnorm's, at a tenth of its time.

    Parameters
    ----------
    samples, sample_rate
        As in `integrated_loudness`.
    """
    _refuse_unmeasurable(samples, sample_rate)
    sums, _ = _filtered_sums(samples, _edges(len(samples), sample_rate), sample_rate)
    return _blocks(sums, sample_rate)


def measure_padded_and_looped(
    samples: np.ndarray, length: int, sample_rate: int = SAMPLE_RATE
) -> tuple[Blocks, Blocks]:
    """Measure a short signal twice, brought to `length` by zeros and by repetition.

    Both begin with the same samples, so those are filtered once.

    Parameters
    ----------
    samples : numpy.ndarray
        Floating point, shape (n,), n from 1 to `length`.
    length : int
        Samples of both signals, at least 0.4 s.
    sample_rate : int
        Hz, 8,000 or more.

    Returns
    -------
    padded, looped : Blocks
        The same object when nothing is missing.
    """
    if len(samples) == length:
        blocks = measure_blocks(samples, sample_rate)
        return blocks, blocks
    repeated = np.resize(samples, length)
    _refuse_unmeasurable(repeated, sample_rate)
    edges = _edges(length, sample_rate)
    shared = int(np.searchsorted(edges, len(samples), side="right")) - 1
    head, state = _filtered_sums(samples, edges[: shared + 1], sample_rate)
    # A second after its end the filter has died down to 1e-100; then numbers would denormalise.
    ringing = np.zeros(min(length - len(samples), sample_rate), dtype=samples.dtype)
    start = edges[shared]
    tails = np.concatenate((samples[start:], ringing)), repeated[start:]
    sums = (_filtered_sums(t, edges[shared:] - start, sample_rate, state)[0] for t in tails)
    padded, looped = (_blocks(np.concatenate((head, tail)), sample_rate) for tail in sums)
    return padded, looped


def _edges(length: int, sample_rate: int) -> np.ndarray:
    """Return where quarters of blocks begin and end, the last perhaps beyond the signal's end."""
    # The number of blocks is pyloudnorm's, which rounds, so the last may hang over the end.
    count = round((length / sample_rate - _BLOCK_S) / _STEP_S) + 1
    return (np.arange(count + 4) * _STEP_S * sample_rate + 1e-6).astype(np.int64)


def _filtered_sums(
    samples: np.ndarray, edges: np.ndarray, sample_rate: int, state: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sum of squares of the filtered signal between edges, and the filter's state."""
    if samples.dtype != np.float32:
        samples = samples.astype(np.float64)
    state = np.zeros(4) if state is None else state.copy()
    sums = np.zeros(len(edges) - 1)
    walk = compiled(_filter_and_sum)
    walk(np.ascontiguousarray(samples), edges, _k_weighting(sample_rate), state, sums)
    return sums, state


def _filter_and_sum(
    samples: np.ndarray,
    edges: np.ndarray,
    stages: tuple[tuple[float, ...], tuple[float, ...]],
    state: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Run both stages over the samples, in transposed direct form II; fill `sums` and `state`."""
    b0, b1, b2, a1, a2 = stages[0]
    d0, d1, d2, c1, c2 = stages[1]
    s1, s2, t1, t2 = state
    for part in range(len(sums)):
        total = 0.0
        for place in range(edges[part], min(edges[part + 1], len(samples))):
            sample = samples[place]
            shelved = b0 * sample + s1
            s1 = (b1 * sample + s2) - a1 * shelved
            s2 = b2 * sample - a2 * shelved
            passed = d0 * shelved + t1
            t1 = (d1 * shelved + t2) - c1 * passed
            t2 = d2 * shelved - c2 * passed
            total += passed * passed
        sums[part] = total
    state[:] = s1, s2, t1, t2


def _blocks(sums: np.ndarray, sample_rate: int) -> Blocks:
    """Return the blocks, of four quarters each, whose sums of squares are given."""
    powers = np.convolve(sums, np.ones(4), mode="valid") / (_BLOCK_S * sample_rate)
    return Blocks(tuple(np.sort(powers).tolist()))


@cache
def _k_weighting(sample_rate: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return both filter stages as b0, b1, b2, a1, a2: a shelf of +4 dB, then a high pass.

    They are pyloudnorm's, which follows the "Cookbook formulae for audio equalizer biquad filter
    coefficients"; written out here, for its import takes longer than a hundred clips.
    """
    turn, spread = _angle(1_500.0, 1 / math.sqrt(2), sample_rate)
    top = 10 ** (4.0 / 40)  # square root of the shelf's gain
    slope = 2 * math.sqrt(top) * spread
    shelf = _normalised(
        top * ((top + 1) + (top - 1) * turn + slope),
        -2 * top * ((top - 1) + (top + 1) * turn),
        top * ((top + 1) + (top - 1) * turn - slope),
        (top + 1) - (top - 1) * turn + slope,
        2 * ((top - 1) - (top + 1) * turn),
        (top + 1) - (top - 1) * turn - slope,
    )
    turn, spread = _angle(38.0, 0.5, sample_rate)
    half = (1 + turn) / 2
    high_pass = _normalised(half, -2 * half, half, 1 + spread, -2 * turn, 1 - spread)
    return shelf, high_pass


def _angle(frequency: float, quality: float, sample_rate: int) -> tuple[float, float]:
    """Return the cosine of a corner's angular frequency, and its sine over twice the quality."""
    angle = 2 * math.pi * (frequency / sample_rate)
    return math.cos(angle), math.sin(angle) / (2 * quality)


def _normalised(
    b0: float, b1: float, b2: float, a0: float, a1: float, a2: float
) -> tuple[float, ...]:
    return b0 / a0, b1 / a0, b2 / a0, a1 / a0, a2 / a0


def _refuse_unmeasurable(samples: Any, sample_rate: int) -> None:
    if not isinstance(samples, np.ndarray) or samples.dtype.kind != "f":
        kind = getattr(samples, "dtype", type(samples).__name__)
        raise TypeError(f"loudness needs a floating-point array with full scale 1, got {kind}")
    if samples.ndim != 1:
        raise ValueError(
            f"loudness needs mono samples of shape (n,), got shape {samples.shape}: "
            "average the channels first"
        )
    refuse_rate_and_length(sample_rate, len(samples))
    bad = np.flatnonzero(~np.isfinite(samples))
    if len(bad):
        raise ValueError(f"sample {bad[0]} is not finite ({len(bad)} such samples)")


def refuse_rate_and_length(sample_rate: int, length: int) -> None:
    """Raise ValueError if signals of so many samples, at so many Hz, have no loudness."""
    if sample_rate < _LOWEST_RATE:
        raise ValueError(f"loudness is not measured under {_LOWEST_RATE} Hz, got {sample_rate} Hz")
    if length < math.ceil(_BLOCK_S * sample_rate):
        raise ValueError(
            f"loudness needs at least {_BLOCK_S} s, got {length / sample_rate:.4f} s: "
            "pad the clip first"
        )
