"""Backends that the pipeline trains on the study's own training split."""

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from earnest.embeddings.networks import devices
from earnest.embeddings.networks.inference import TrainedNetwork
from earnest.embeddings.networks.options import training_options


class Trained:
    """A trained network as a backend.

    Parameters
    ----------
    checkpoint : path-like
        What the training wrote.
    device : str
        `auto`, `cpu`, `cuda` or `cuda:1`.
    **options
        Options of the training that the checkpoint must have been made with; those that are not
        given must be the defaults.

    Raises
    ------
    earnest.embeddings.networks.devices.MissingTorch
        If torch is not installed.
    ValueError
        If there is no checkpoint, or it was made in another way.
    """

    name: str

    def __init__(
        self,
        *,
        checkpoint: str | os.PathLike[str] | None = None,
        device: str = "auto",
        **options: Any,
    ) -> None:
        devices.import_torch(f"embedding backend {self.name}")
        if checkpoint is None:
            raise ValueError(
                f"embedding backend {self.name} needs option `checkpoint`, the file of a trained"
                " network (a study trains its own)"
            )
        settings = training_options(self.name, **options).settings
        self._network = TrainedNetwork(
            checkpoint, expected={"architecture": self.name, "settings": settings}, device=device
        )
        self.sample_rate = self._network.spectrogram.sample_rate
        self.dimension = self._network.dimension

    @classmethod
    def find_problems(cls, *, checkpoint: str | None = None, **options: Any) -> Iterator[str]:
        """Yield why a study cannot train and use this network here."""
        try:
            training_options(cls.name, **options)
        except (TypeError, ValueError) as error:
            yield f"backend {error}" if isinstance(error, TypeError) else f"{cls.name}: {error}"
        if not devices.torch_is_installed():
            yield devices.missing(f"backend {cls.name}")
        if checkpoint is not None and not os.path.isfile(checkpoint):
            yield f"backend {cls.name}: there is no checkpoint {checkpoint}"

    @staticmethod
    def sources(*, checkpoint: str | None = None, **_: Any) -> list[str]:
        """Return the checkpoint, if the study names one."""
        return [] if checkpoint is None else [checkpoint]

    def embed(self, waveforms: np.ndarray) -> np.ndarray:
        """Embed waveforms (n, samples) float32 at `sample_rate`; return (n, dimension) float32.

        Waveforms shorter than those of the training are followed by zeros.
        """
        return self._network.embed(waveforms)

    def describe(self) -> dict[str, Any]:
        """Return settings, hash of the weights and library versions, as plain values."""
        from earnest.io.provenance import library_versions

        return {
            "backend": self.name,
            "sample_rate": self.sample_rate,
            "dimension": self.dimension,
            **self._network.describe(),
            "versions": library_versions("numpy", "scipy", "librosa", "torch"),
        }


class Cnn(Trained):
    """The DCASE 2018 task 1 baseline."""

    name = "cnn"


class Conv64F(Trained):
    """The few-shot backbone of four blocks of 64 filters."""

    name = "conv64f"


class ResNet12(Trained):
    """The residual few-shot backbone."""

    name = "resnet12"
