"""A trained network at work: waveforms in; embeddings and logits out, a few at a time."""

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.embeddings.networks import architectures, checkpoints, devices
from earnest.embeddings.networks.spectrograms import Spectrogram, checked

if TYPE_CHECKING:
    import torch

# Items in the network at a time. On the CPU the maps of a few stay in its cache, those of many do
# not: the first layer takes 0.3 ms of each of 16 items, and 0.9 ms of each of 32.
ON_CPU, ON_CUDA = 16, 256


class NonFiniteActivations(ArithmeticError):
    """A network gave NaN or infinite values."""


class TrainedNetwork:
    """A network as its checkpoint has it.

    Parameters
    ----------
    path : path-like
        A checkpoint that `earnest.embeddings.networks.training.train` made.
    expected : mapping
        What must be so in it, for example its architecture, classes or settings.
    device : str
        `auto`, `cpu`, `cuda` or `cuda:1`.

    Raises
    ------
    earnest.embeddings.networks.checkpoints.WrongCheckpoint
        If the file is none, or is not as expected; both values are given.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, expected: Mapping[str, Any], device: str = "auto"
    ) -> None:
        found = checkpoints.read_network(path)
        checkpoints.check_same(expected, found, path)
        self.device = devices.choose(device)
        self.architecture: str = found["architecture"]
        self.classes: tuple[str, ...] = tuple(found["classes"])
        self.samples: int = found["samples"]
        self.spectrogram = Spectrogram(**found["spectrogram"])
        self.dimension = architectures.find(self.architecture).dimension
        self._weights: dict[str, torch.Tensor] = found["weights"]
        self._mean, self._sd = (found[key].numpy() for key in ("mean", "sd"))
        self._networks: dict[int, torch.nn.ModuleDict] = {}
        self._halving = devices.Halving(ON_CUDA if self.device.type == "cuda" else ON_CPU)
        self._facts = {
            key: found[key] for key in ("spectrogram", "samples", "settings", "training")
        }

    def embed(self, waveforms: np.ndarray) -> np.ndarray:
        """Return the embeddings (n, dimension) float32 of waveforms (n, samples) float32.

        Shorter waveforms than those of the training are followed by zeros; longer ones are
        seen whole.

        Raises
        ------
        ValueError
            If the array is not two-dimensional or holds a sample that is not finite.
        NonFiniteActivations
            If an embedding is not finite; its row is named.
        """
        vectors = np.empty((len(waveforms), self.dimension), dtype=np.float32)
        self._run(waveforms, vectors, lambda network, maps: network["body"](maps))
        bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        if len(bad):
            raise NonFiniteActivations(
                f"{len(bad)} embeddings of {self.architecture} are not finite, the first of"
                f" waveform {bad[0]}"
            )
        return vectors

    def _run(
        self,
        waveforms: np.ndarray,
        out: np.ndarray,
        work: "Callable[[torch.nn.ModuleDict, torch.Tensor], torch.Tensor]",
    ) -> None:
        import torch

        waveforms = checked(waveforms)
        short = self.samples - waveforms.shape[1]
        frames = self.spectrogram.frames(max(waveforms.shape[1], self.samples))
        network = self._network(frames)

        def part_of(part: slice) -> None:
            maps = np.empty((part.stop - part.start, self.spectrogram.bands, frames), np.float32)
            for row, waveform in enumerate(waveforms[part]):
                padded = np.pad(waveform, (0, short)) if short > 0 else waveform
                maps[row] = self.spectrogram.of(padded)
            maps -= self._mean
            maps /= self._sd
            tensor = torch.from_numpy(maps).unsqueeze(1)
            tensor = tensor.to(self.device, memory_format=torch.channels_last)
            out[part] = work(network, tensor).cpu().numpy()

        with torch.inference_mode():
            self._halving.run(part_of, len(waveforms))

    def _network(self, frames: int) -> "torch.nn.ModuleDict":
        """Return the network for spectrograms of so many frames; weights fit any number."""
        import torch

        if frames not in self._networks:
            with torch.random.fork_rng(devices=[]):
                network = architectures.build(
                    self.architecture, classes=len(self.classes), frames=frames
                )
            network.load_state_dict(self._weights)
            network = fused(network.eval())
            self._networks[frames] = network.to(self.device, memory_format=torch.channels_last)
        return self._networks[frames]

    def describe(self) -> dict[str, Any]:
        """Return what the embeddings depend on, as plain values."""
        return {
            "architecture": self.architecture,
            "classes": list(self.classes),
            "weights": checkpoints.weights_hash(self._weights),
            **self._facts,
        }


def fused(network: "torch.nn.Module") -> "torch.nn.Module":
    """Take batch normalisation into the convolution before it, wherever one follows the other.

    The network must be in evaluation mode. It computes the same but for the last bits, with one
    layer less to write and read.
    """
    from torch import nn
    from torch.nn.utils.fusion import fuse_conv_bn_eval

    for name, child in list(network.named_children()):
        network.add_module(name, fused(child))
    if not isinstance(network, nn.Sequential):
        return network
    layers: list[nn.Module] = []
    for layer in network:
        if isinstance(layer, nn.BatchNorm2d) and layers and isinstance(layers[-1], nn.Conv2d):
            layers[-1] = fuse_conv_bn_eval(layers[-1], layer)
        else:
            layers.append(layer)
    return nn.Sequential(*layers)
