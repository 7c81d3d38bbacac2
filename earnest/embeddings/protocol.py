"""What every embedding backend is, does with its waveforms, and says when it cannot run."""

import hashlib
import importlib.util
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np


class MissingRequirement(RuntimeError):
    """A backend needs a package that is not installed."""


class MissingWeights(RuntimeError):
    """A backend's weights are not there; the message says which file to put where."""


class WrongWeights(RuntimeError):
    """A file of weights is not the one that the backend needs."""


class Backend(Protocol):
    """What turns waveforms into vectors.

    Attributes
    ----------
    name : str
        The key in `earnest.embeddings.BACKENDS`.
    sample_rate : int
        Hz; waveforms must come at this rate.
    dimension : int
        Length of one vector.
    """

    name: str
    sample_rate: int
    dimension: int

    def embed(self, waveforms: np.ndarray) -> np.ndarray:
        """Embed waveforms (n, samples) float32 in [-1, 1]; return (n, dimension) float32.

        A waveform's vector does not depend on the others that it is passed with.
        """
        ...

    def describe(self) -> dict[str, Any]:
        """Return every setting and library version that the vectors depend on, as plain values.

        Among them are `backend`, `sample_rate`, `dimension`, `versions` and, where there are
        weights, `weights`: the SHA-256 of their file.
        """
        ...


def checked(waveforms: np.ndarray) -> np.ndarray:
    """Return waveforms as (n, samples) float32.

    Raises
    ------
    ValueError
        If the array is not two-dimensional, has no samples, or holds a non-finite sample (the
        waveform is named).
    """
    waveforms = np.asarray(waveforms)
    if waveforms.ndim != 2 or waveforms.shape[1] == 0:
        raise ValueError(f"waveforms must be (n, samples), got shape {waveforms.shape}")
    waveforms = waveforms.astype(np.float32, copy=False)
    finite = np.isfinite(waveforms).all(axis=1)
    if not finite.all():
        raise ValueError(f"waveform {int(finite.argmin())} holds a non-finite sample")
    return waveforms


def padded(waveforms: np.ndarray, length: int) -> np.ndarray:
    """Return waveforms (n, samples) with zeros at the end up to `length` samples at least."""
    short = length - waveforms.shape[1]
    return np.pad(waveforms, ((0, 0), (0, short))) if short > 0 else waveforms


def window_starts(samples: int, length: int) -> list[int]:
    """Return where windows of `length` start that cover a waveform of so many samples.

    They follow each other without a gap; the last is moved back so that it ends with the
    waveform, instead of being filled with silence. A shorter waveform has one window.
    """
    whole = max(samples - length, 0)
    return [*range(0, whole, length), whole]


def mean_over_windows(
    waveforms: np.ndarray, length: int, embed: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Embed waveforms longer than a network's window as the mean over their windows.

    Parameters
    ----------
    waveforms : (n, samples) float32
        Passed on as they are when they are not longer than a window.
    length : int
        Samples of a window.
    embed : callable
        Takes (m, length) float32, returns (m, d) float32.

    Returns
    -------
    (n, d) float32
    """
    starts = window_starts(waveforms.shape[1], length)
    windows = np.stack([waveforms[:, start : start + length] for start in starts], axis=1)
    vectors = embed(windows.reshape(-1, windows.shape[2]))
    return vectors.reshape(len(waveforms), len(starts), vectors.shape[1]).mean(axis=1)


def missing_packages(backend: str, packages: Mapping[str, str], command: str) -> Iterator[str]:
    """Yield one sentence if packages that a backend needs are not installed; imports nothing.

    Parameters
    ----------
    backend : str
        Its name.
    packages : dict
        Module name to the name that the package index has for it.
    command : str
        What installs them.
    """
    absent = [name for module, name in packages.items() if importlib.util.find_spec(module) is None]
    if absent:
        verb = "is" if len(absent) == 1 else "are"
        yield (
            f"backend {backend} needs {', '.join(absent)}, which {verb} not installed: run"
            f" {command}"
        )


def file_digest(path: str | Path) -> str:
    """Return the SHA-256 of a file, as `sha256sum` prints it."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
