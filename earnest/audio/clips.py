"""Sound files to mono float32 at one rate: decoding, every refusal named; cropping, loudness."""

import hashlib
import math
import os
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, BinaryIO, NoReturn

import numpy as np

from earnest.audio.containers import (
    REASONS,
    UnusableClip,
    is_untagged_mpeg,
    refuse_broken_container,
    refuse_unchecked,
)

if TYPE_CHECKING:
    import soundfile
from earnest.audio.loudness import SAMPLE_RATE, integrated_loudness

__all__ = [
    "LENGTH",
    "QUALITIES",
    "REASONS",
    "SAMPLE_RATE",
    "Clip",
    "UnusableClip",
    "crop_start",
    "false_rate_warning",
    "fit",
    "integrated_loudness",
    "load",
    "refuse_inaudible",
    "screened_loudness",
    "sound_digest",
]

LENGTH = 80_000  # samples: 5 seconds at SAMPLE_RATE
QUALITIES = ("QQ", "LQ", "MQ", "HQ", "VHQ")
_UNKNOWN_FRAMES = 1 << 47  # libsndfile reports about 2**63 frames when a header names none
_SPECTRUM = 1_024  # samples per spectrum in the false-sample-rate check
_FEW = 32  # spectra, about, that are looked at first
_HIGH_BAND_FLOOR = 1e-6  # -60 dB: 1 % of the real ESC-50 clips, none of UrbanSound8K, lie below
_SOUNDING_FLOOR = 10 ** (-70 / 10)  # mean square; about the absolute gate of BS.1770
_CANCELLED = 10 ** (-15 / 10)  # of the power of unrelated channels
_SOUNDING_RANGE = 10 ** (-50 / 10)  # below the loudest frame


@dataclass(frozen=True)
class Clip:
    """A decoded sound.

    Attributes
    ----------
    samples : numpy.ndarray
        float32, shape (n,), mono.
    sample_rate : int
        Hz, of `samples`.
    source_rate, channels, frames : int
        Of the file: Hz, channels, and frames decoded at `source_rate`.
    warning : str or None
        Why an accepted clip is worth a look.
    audio_sha256 : str
        Digest of the decoded sound, as from `sound_digest`.
    cancelled : str or None
        That its channels cancel, which also explains a refusal as silent.
    """

    samples: np.ndarray
    sample_rate: int
    source_rate: int
    channels: int
    frames: int
    warning: str | None = None
    audio_sha256: str = ""
    cancelled: str | None = None


def load(
    path: str | os.PathLike[str], *, sample_rate: int = SAMPLE_RATE, quality: str = "HQ"
) -> Clip:
    """Decode a file, average its channels and resample it.

    The order is: container check, decoding to float32, finiteness, mean over channels,
    soxr. The format is read from the content, never from the name.

    Parameters
    ----------
    path : path-like
        Any file that libsndfile reads; 1 or more channels, any width and rate.
    sample_rate : int
        Hz of the result.
    quality : str
        A soxr quality: QQ, LQ, MQ, HQ or VHQ.

    Returns
    -------
    Clip

    Raises
    ------
    UnusableClip
        If the file is unreadable, empty, truncated, of undeclared length, or holds a
        sample that is not finite.
    """
    if quality not in QUALITIES:
        raise ValueError(f"quality must be one of {', '.join(QUALITIES)}, got {quality!r}")
    frames, source_rate = _decode(path)
    mono = _mean_of_channels(frames)
    cancelled = cancelling_warning(frames, mono)
    warnings = filter(None, (cancelled, false_rate_warning(mono, source_rate)))
    samples = _resample(mono, source_rate, sample_rate, quality)
    return Clip(
        samples=samples,
        sample_rate=sample_rate,
        source_rate=source_rate,
        channels=frames.shape[1],
        frames=frames.shape[0],
        warning="; ".join(warnings) or None,
        cancelled=cancelled,
        audio_sha256=sound_digest(mono, source_rate),
    )


def sound_digest(samples: np.ndarray, source_rate: int) -> str:
    """Return the SHA-256 of a decoded sound, which is the same in any lossless file.

    Hashed are the rate in Hz and the samples, averaged over channels and before any
    resampling, as little-endian 64-bit integer and 32-bit floats. So container, padding of the
    bit depth, a doubled channel and metadata do not matter; lossy formats change the sound.

    Parameters
    ----------
    samples : numpy.ndarray
        float32, shape (n,), full scale 1.
    source_rate : int
        Hz, as declared by the file.
    """
    digest = hashlib.sha256(source_rate.to_bytes(8, "little"))
    digest.update(
        (samples + np.float32(0)).astype("<f4", copy=False).data
    )  # -0.0 is the same as 0.0
    return digest.hexdigest()


def _decode(path: str | os.PathLike[str]) -> tuple[np.ndarray, int]:
    """Return the decoded frames, float32 of shape (frames, channels), and their rate in Hz."""
    import soundfile

    try:
        with open(path, "rb") as file:
            refuse_broken_container(file)
            # By descriptor: read by the decoder itself, which then does not know the name either.
            os.lseek(file.fileno(), 0, os.SEEK_SET)
            with soundfile.SoundFile(file.fileno(), closefd=False) as sound:
                refuse_unchecked(sound.format)
                frames = _read_frames(sound)
                if len(frames) < sound.frames:
                    _refuse_short(file, len(frames), sound.frames)
                return frames, sound.samplerate
    except OSError as error:
        raise UnusableClip("unreadable", error.strerror or str(error)) from error
    except soundfile.LibsndfileError as error:
        raise UnusableClip("unreadable", error.error_string) from error


def _read_frames(sound: "soundfile.SoundFile") -> np.ndarray:
    import soundfile

    declared = sound.frames
    if declared >= _UNKNOWN_FRAMES:
        raise UnusableClip("undeclared_length", "the header does not say how many frames follow")
    try:
        # a number, because some codecs (GSM 6.10, G.721) cannot look for their end
        frames = sound.read(declared, dtype="float32", always_2d=True)
    except soundfile.LibsndfileError as error:
        detail = f"decoding stops before the {declared} frames that the header declares"
        raise UnusableClip(
            "truncated", f"{detail} ({error.error_string or 'decoder error'})"
        ) from error
    if not declared:
        raise UnusableClip("empty", "the file holds no frames")
    return frames


def _refuse_short(file: BinaryIO, decoded: int, declared: int) -> NoReturn:
    """Refuse a file that decodes to fewer frames than declared; an MP3 may have declared none."""
    detail = f"{decoded} of {declared} declared frames decode"
    if is_untagged_mpeg(file):
        raise UnusableClip("undeclared_length", f"{detail}; an MP3 without a tag is only estimated")
    raise UnusableClip("truncated", detail)


def _mean_of_channels(frames: np.ndarray) -> np.ndarray:
    """Average the channels; a sum would make stereo sources louder (B06)."""
    finite = np.isfinite(frames)
    if not finite.all():
        frame, channel = np.argwhere(~finite)[0]
        count = finite.size - np.count_nonzero(finite)
        detail = f"{count} samples are not finite, the first in frame {frame}, channel {channel}"
        raise UnusableClip("non_finite", detail)
    if frames.shape[1] == 1:
        return frames[:, 0]
    return frames.mean(axis=1, dtype=np.float64).astype(np.float32)


def cancelling_warning(frames: np.ndarray, mono: np.ndarray) -> str | None:
    """Say when channels cancel: their mean is 15 dB below that of channels that are unrelated.

    Parameters
    ----------
    frames : numpy.ndarray
        float32, shape (n, channels), finite.
    mono : numpy.ndarray
        float32, shape (n,), their mean.

    Returns
    -------
    str or None
        A warning with both levels in dB of full scale, or None.
    """
    channels = frames.shape[1]
    alone = float(np.mean(np.square(frames, dtype=np.float64))) if channels > 1 else 0.0
    together = float(np.mean(np.square(mono, dtype=np.float64)))
    if alone <= _SOUNDING_FLOOR or together * channels >= _CANCELLED * alone:
        return None
    level = f"{10 * math.log10(together):.0f} dB" if together else "silence"
    return f"channels cancel: {10 * math.log10(alone):.0f} dB alone, {level} averaged"


def _resample(mono: np.ndarray, source_rate: int, sample_rate: int, quality: str) -> np.ndarray:
    import soxr

    if source_rate == sample_rate:
        return np.ascontiguousarray(mono)
    samples = soxr.resample(mono, source_rate, sample_rate, quality=quality)
    if not len(samples):
        detail = f"{len(mono)} frames at {source_rate} Hz are less than one at {sample_rate} Hz"
        raise UnusableClip("empty", detail)
    if not np.isfinite(samples).all():
        raise UnusableClip("non_finite", "values too large to resample")
    return samples


def false_rate_warning(samples: np.ndarray, source_rate: int) -> str | None:
    """Say when nothing lives above a quarter of the declared Nyquist frequency (B28).

    Parameters
    ----------
    samples : numpy.ndarray
        float32, shape (n,), at `source_rate`, before any resampling.
    source_rate : int
        Hz, as declared by the file.

    Returns
    -------
    str or None
        A warning, or None; always None for silence and under 1,024 samples.
    """
    frames = samples[: len(samples) // _SPECTRUM * _SPECTRUM].reshape(-1, _SPECTRUM)
    # A few of the frames settle nearly every clip; only a suspect is read whole.
    few = frames[:: max(1, len(frames) // _FEW)]
    if _has_high_band(few) or _has_high_band(frames) or not np.any(frames):
        return None
    return (
        f"nothing above {source_rate // 8} Hz, a quarter of the Nyquist frequency: "
        f"the declared sample rate of {source_rate} Hz may be false"
    )


def _has_high_band(frames: np.ndarray) -> bool:
    spectra = np.fft.rfft(frames * _hann_window())
    power = (np.square(spectra.real) + np.square(spectra.imag)).sum(axis=0, dtype=np.float64)
    return bool(power[_SPECTRUM // 8 :].sum() > _HIGH_BAND_FLOOR * power.sum())


@cache
def _hann_window() -> np.ndarray:
    return np.hanning(_SPECTRUM).astype(np.float32)


def crop_start(
    samples: np.ndarray,
    length: int,
    rng: np.random.Generator,
    *,
    sample_rate: int = SAMPLE_RATE,
) -> int:
    """Choose where a window of `length` samples starts, among the windows that hold sound.

    A frame (a fiftieth of the window, 0.1 s at most) sounds when its mean square is above
    -70 dB of full scale and within 50 dB of the loudest frame. A window holds sound when at
    least half as many of its frames sound as in the fullest window; so a silent tail is
    never chosen (B09). Starts lie a frame apart, each equally likely.

    Parameters
    ----------
    samples : numpy.ndarray
        float32, shape (n,).
    length : int
        Samples wanted.
    rng : numpy.random.Generator
        The clip's own generator.
    sample_rate : int
        Hz.

    Returns
    -------
    int
        0 when the signal is not longer than the window.
    """
    if len(samples) <= length:
        return 0
    frame = max(1, min(sample_rate // 10, length // 50))
    sounding = _sounding_frames(samples, frame)
    per_window = -(-length // frame)
    totals = np.concatenate(([0], np.cumsum(sounding)))
    starts = np.arange(0, len(samples) - length + 1, frame)
    first = starts // frame
    counts = totals[np.minimum(first + per_window, len(sounding))] - totals[first]
    candidates = starts[2 * counts >= counts.max()]
    return int(candidates[rng.integers(len(candidates))])


def _sounding_frames(samples: np.ndarray, frame: int) -> np.ndarray:
    """Return a bool per frame of the signal; the last one may be shorter."""
    edges = np.arange(0, len(samples), frame)
    energy = np.add.reduceat(np.square(samples, dtype=np.float64), edges)
    power = energy / np.diff(edges, append=len(samples))
    return power > max(_SOUNDING_FLOOR, _SOUNDING_RANGE * power.max())


def fit(samples: np.ndarray, length: int = LENGTH, *, mode: str) -> np.ndarray:
    """Bring a signal to exactly `length` samples; a longer one keeps its beginning.

    Parameters
    ----------
    samples : numpy.ndarray
        Shape (n,), n at least 1.
    length : int
        Samples wanted.
    mode : {"pad", "loop"}
        Zeros after the end, or the signal again and again.

    Returns
    -------
    numpy.ndarray
        float32, shape (length,), always a new array.
    """
    if not len(samples):
        raise ValueError("an empty signal cannot be padded or looped")
    if mode == "loop":
        return np.resize(samples, length).astype(np.float32, copy=False)
    if mode != "pad":
        raise ValueError(f'mode must be "pad" or "loop", got {mode!r}')
    fitted = np.zeros(length, dtype=np.float32)
    kept = min(len(samples), length)
    fitted[:kept] = samples[:kept]
    return fitted


def screened_loudness(samples: np.ndarray, sample_rate: int = SAMPLE_RATE) -> float:
    """Measure the loudness of a signal that must be audible.

    Returns
    -------
    float
        Finite LUFS.

    Raises
    ------
    UnusableClip
        `silent` for a constant signal, `below_gate` when no block reaches -70 LUFS.
    """
    loudness = integrated_loudness(samples, sample_rate)
    refuse_inaudible(samples, loudness)
    return loudness


def refuse_inaudible(samples: np.ndarray, loudness: float) -> None:
    """Refuse a signal, not empty, that is constant or of which `loudness` in LUFS is -inf.

    Raises
    ------
    UnusableClip
        As from `screened_loudness`.
    """
    if not np.ptp(samples):
        raise UnusableClip("silent", f"every sample is {samples[0]:g}")
    if not math.isfinite(loudness):
        peak = float(np.max(np.abs(samples)))
        raise UnusableClip("below_gate", f"no 0.4 s block reaches -70 LUFS (peak {peak:.2g})")
