"""Embedding backends behind one protocol: waveforms in, one vector per waveform out."""

import importlib
from typing import Any, Protocol

import numpy as np

BACKENDS = {
    "logmel": "earnest.embeddings.logmel:LogMel",
    "cnn": "earnest.embeddings.trained:Cnn",
    "conv64f": "earnest.embeddings.trained:Conv64F",
    "resnet12": "earnest.embeddings.trained:ResNet12",
}
# Those that a study trains on its own training split.
TRAINED = ("cnn", "conv64f", "resnet12")


class Backend(Protocol):
    """What turns waveforms into vectors.

    Attributes
    ----------
    name : str
        The key in `BACKENDS`.
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
        """Return every setting and library version that the vectors depend on, as plain values."""
        ...


def get_backend(name: str, **options: Any) -> Backend:
    """Make the backend of a name.

    Parameters
    ----------
    name : str
        A key of `BACKENDS`.
    **options
        The backend's own options.

    Raises
    ------
    ValueError
        If no such backend is known; the message names those that are.
    TypeError
        If the backend has no such option.
    """
    if name not in BACKENDS:
        raise ValueError(
            f"unknown embedding backend {name!r}; known are {', '.join(sorted(BACKENDS))}"
        )
    module, factory = BACKENDS[name].split(":")
    return getattr(importlib.import_module(module), factory)(**options)
