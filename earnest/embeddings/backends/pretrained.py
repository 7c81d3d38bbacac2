"""What backends share whose network runs in torch and whose weights the user brings."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from earnest.embeddings.networks import devices
from earnest.embeddings.protocol import (
    MissingRequirement,
    MissingWeights,
    WrongWeights,
    checked,
    file_digest,
    mean_over_windows,
    missing_packages,
    padded,
)

if TYPE_CHECKING:
    import torch


class Pretrained:
    """A frozen network in torch; a backend says how it is loaded and what it makes of a batch.

    Parameters
    ----------
    checkpoint : str
        File or folder of weights.
    device : str
        `auto` (CUDA where there is one), `cpu`, `cuda`, `cuda:1`, ...
    batch_size : int
        Waveforms (or windows) that run at once; halved when the device's memory is too small.

    Notes
    -----
    In torch the last bits of a vector may depend on the batch size and the device (about 1e-6 of
    its length); on one machine a run gives the same bits again.
    """

    name: ClassVar[str]
    sample_rate: ClassVar[int]
    packages: ClassVar[Mapping[str, str]] = {"torch": "torch", "torchaudio": "torchaudio"}
    command: ClassVar[str] = "`make torch` (or pip install -r requirements-torch.txt)"
    weights: ClassVar[str]  # where the weights are to be had, for the message that they are missing
    shortest: ClassVar[int] = 1  # samples that the network needs
    window: ClassVar[int | None] = None  # samples that it sees at most; longer: mean over windows

    @property
    def dimension(self) -> int:
        """Length of one vector."""
        raise NotImplementedError

    def __init__(self, *, checkpoint: str, device: str = "auto", batch_size: int = 8) -> None:
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, got {batch_size}")
        self.checkpoint, self.device = Path(checkpoint), device
        self._parts = devices.Halving(batch_size)

    @classmethod
    def find_problems(cls, *, checkpoint: str, **options: Any) -> Iterator[str]:
        """Yield why the backend cannot run here: packages or the weights not there."""
        yield from missing_packages(cls.name, cls.packages, cls.command)
        for file in cls.files(Path(checkpoint)):
            if not file.is_file():
                yield (
                    f"backend {cls.name} needs its weights in {file}, which is not there; they are"
                    f" to be had from {cls.weights}"
                )

    @classmethod
    def sources(cls, *, checkpoint: str | None = None, **options: Any) -> list[Path]:
        """Return the files that the options name."""
        return cls.files(Path(checkpoint)) if checkpoint else []

    @classmethod
    def files(cls, checkpoint: Path) -> list[Path]:
        """Return the files that must be there; the first holds the weights."""
        return [checkpoint]

    def load(self, files: list[Path]) -> "torch.nn.Module":
        """Return the network with its weights, on the CPU.

        Raises
        ------
        WrongWeights
            If the weights are not those of the network.
        """
        raise NotImplementedError

    def forward(self, model: "torch.nn.Module", waveforms: np.ndarray) -> "torch.Tensor":
        """Return the vectors (n, dimension) of waveforms (n, samples), on any device."""
        raise NotImplementedError

    def check_ready(self) -> None:
        """Check that packages and weights are there.

        Raises
        ------
        MissingRequirement
            If a package is not installed.
        MissingWeights
            If a file is not there; the message says from where it is to be had.
        """
        for problem in missing_packages(self.name, self.packages, self.command):
            raise MissingRequirement(problem)
        for problem in self.find_problems(checkpoint=str(self.checkpoint)):
            raise MissingWeights(problem)

    @cached_property
    def _model(self) -> "torch.nn.Module":
        self.check_ready()
        model = self.load(self.files(self.checkpoint))
        return model.eval().requires_grad_(False).to(devices.choose(self.device))

    def embed(self, waveforms: np.ndarray) -> np.ndarray:
        """Embed waveforms (n, samples) float32 into (n, dimension) float32.

        Raises
        ------
        ValueError
            If the array is not two-dimensional, has no samples, holds a non-finite sample, or
            if an activation is not finite; the waveform is named.
        MissingRequirement, MissingWeights, WrongWeights
            If a package or the weights are not there, or are others.
        torch.OutOfMemoryError
            If the device has not the memory for one waveform.
        """
        waveforms = padded(checked(waveforms), self.shortest)
        window = self.window or waveforms.shape[1]
        vectors = mean_over_windows(waveforms, window, self._embed_windows)
        bad = ~np.isfinite(vectors).all(axis=1)
        if bad.any():
            raise ValueError(
                f"backend {self.name} gives waveform {int(bad.argmax())} a vector that is not"
                " finite"
            )
        return vectors

    def _embed_windows(self, windows: np.ndarray) -> np.ndarray:
        import torch

        vectors = np.empty((len(windows), self.dimension), dtype=np.float32)

        def embed_part(part: slice) -> None:
            with torch.inference_mode():
                vectors[part] = self.forward(self._model, windows[part]).float().cpu().numpy()

        self._parts.run(embed_part, len(windows))
        return vectors

    def settings(self) -> dict[str, Any]:
        """Return the backend's own settings that vectors depend on."""
        return {}

    def describe(self) -> dict[str, Any]:
        """Return settings, versions and the hash of the weights, as plain values."""
        from earnest.io.provenance import library_versions

        self.check_ready()
        return {
            "backend": self.name,
            "sample_rate": self.sample_rate,
            "dimension": self.dimension,
            **self.settings(),
            "weights": file_digest(self.files(self.checkpoint)[0]),
            "versions": library_versions("numpy", *self.packages.values()),
        }


def tensor_on(model: "torch.nn.Module", array: np.ndarray) -> "torch.Tensor":
    """Return an array as float32 tensor on the device of a network."""
    import torch

    device = next(model.parameters()).device
    return torch.from_numpy(np.ascontiguousarray(array, dtype=np.float32)).to(device)


def read_weights(path: Path, *, backend: str) -> Any:
    """Read a torch checkpoint without running any code that it may hold.

    Numpy arrays are allowed beside tensors, as older checkpoints hold them.

    Raises
    ------
    WrongWeights
        If it is no checkpoint, or holds something else than weights.
    """
    import pickle

    import torch

    arrays = [np.ndarray, np.dtype, *(type(np.dtype(kind)) for kind in ("f4", "f8", "i4", "i8"))]
    rebuild = np._core.multiarray._reconstruct  # type: ignore[attr-defined]  # named in pickles
    arrays += [(rebuild, "numpy.core.multiarray._reconstruct"), rebuild]
    try:
        with torch.serialization.safe_globals(arrays):
            return torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, EOFError, RuntimeError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise WrongWeights(
            f"{path} is no checkpoint that backend {backend} can load: {reason}"
        ) from error


def fill(model: "torch.nn.Module", weights: Any, path: Path, *, backend: str) -> "torch.nn.Module":
    """Load a state dict into a network; every tensor must be there and of the right shape.

    Names are those that the network's own loading takes, older ones included.

    Raises
    ------
    WrongWeights
        If a tensor is missing, unknown or of another shape; the message names the first.
    """
    if not isinstance(weights, Mapping):
        raise WrongWeights(f"{path} holds no state dict, but {type(weights).__name__}")
    try:
        result = model.load_state_dict(dict(weights), strict=False)
    except RuntimeError as error:
        raise WrongWeights(
            f"{path} is not the checkpoint of backend {backend}: {first_complaint(error)}"
        ) from error
    for names, what in (
        (result.missing_keys, "lacks"),
        (result.unexpected_keys, "holds the unknown"),
    ):
        if names:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            raise WrongWeights(
                f"{path} is not the checkpoint of backend {backend}: it {what} {names[0]}{more}"
            )
    return model


def first_complaint(error: Exception) -> str:
    """Return the first thing that torch complains of, in at most 200 characters."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[min(1, len(lines) - 1)] if lines else type(error).__name__
    return text if len(text) <= 200 else text[:197] + "..."
