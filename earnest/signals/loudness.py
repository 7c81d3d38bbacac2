"""Loudness of mono signals (ITU-R BS.1770-4), and how it answers to a change of level."""

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

import numpy as np

SAMPLE_RATE = 16_000  # Hz

ABSOLUTE_GATE = -70.0  # LUFS
_OFFSET = -0.691  # LUFS of a mean square of 1
_RELATIVE_GATE = -10.0  # LU below the mean of what passes the absolute gate
_BLOCK_S, _STEP_S = 0.4, 0.1
_PIECE = 10  # quarters of blocks: a second
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

    Filters and block count are pyloudnorm's, at a third of its time.

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
    looped = np.resize(samples, length)
    _refuse_unmeasurable(looped, sample_rate)
    edges = _edges(length, sample_rate)
    shared = int(np.searchsorted(edges, len(samples), side="right")) - 1
    head, state = _filtered_sums(samples, edges[: shared + 1], sample_rate)
    # A second after its end the filter has died down to 1e-100; then numbers would denormalise.
    ringing = np.zeros(min(length - len(samples), sample_rate), dtype=samples.dtype)
    start = edges[shared]
    tails = np.concatenate((samples[start:], ringing)), looped[start:]
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
    """Return the sum of squares of the filtered signal between edges, and the filter's state.

    Piece by piece: what fits into the processor's cache takes half the time.
    """
    from scipy.signal import sosfilt

    sections = _k_weighting(sample_rate)
    state = np.zeros((len(sections), 2)) if state is None else state
    sums = np.zeros(len(edges) - 1)
    for first in range(0, len(sums), _PIECE):
        part = edges[first : first + _PIECE + 1]
        piece = samples[part[0] : part[-1]].astype(np.float64)
        if not len(piece):
            break
        piece, state = sosfilt(sections, piece, zi=state)
        np.square(piece, out=piece)
        starts = part[:-1] - part[0]
        starts = starts[starts < len(piece)]
        sums[first : first + len(starts)] = np.add.reduceat(piece, starts)
    return sums, state


def _blocks(sums: np.ndarray, sample_rate: int) -> Blocks:
    """Return the blocks, of four quarters each, whose sums of squares are given."""
    powers = np.convolve(sums, np.ones(4), mode="valid") / (_BLOCK_S * sample_rate)
    return Blocks(tuple(np.sort(powers).tolist()))


@cache
def _k_weighting(sample_rate: int) -> np.ndarray:
    """Return pyloudnorm's two filter stages as second-order sections, shape (2, 6)."""
    from pyloudnorm.iirfilter import IIRfilter

    stages = (
        IIRfilter(4.0, 1 / np.sqrt(2), 1500.0, sample_rate, "high_shelf"),
        IIRfilter(0.0, 0.5, 38.0, sample_rate, "high_pass"),
    )
    return np.array([np.concatenate((stage.b, stage.a)) for stage in stages])


def _refuse_unmeasurable(samples: np.ndarray, sample_rate: int) -> None:
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
