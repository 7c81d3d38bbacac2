"""The networks that the pipeline trains: layers, spectrogram, and how it is standardised."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from earnest.embeddings.networks.spectrograms import Spectrogram

if TYPE_CHECKING:
    import torch

# Of the DCASE baseline: Keras' epsilon of batch normalisation, and its `uniform` initialiser.
EPSILON = 1e-3
DENSE_SPREAD = 0.05


@dataclass(frozen=True)
class Architecture:
    """A network in two parts: `body` makes the embedding, `head` makes logits of it.

    Attributes
    ----------
    spectrogram : Spectrogram
        What the network sees.
    standardise : str
        `bands`: mean and SD of each band; `whole`: one mean and SD of all values. Always those
        of the items that it is trained on.
    dimension : int
        Length of the embedding.
    body : callable
        Takes the number of bands and frames and returns the layers from spectrograms
        (n, 1, bands, frames) to embeddings (n, dimension).
    dropout : float
        Before the last layer.
    fewest_frames : int
        Fewer are pooled to nothing.
    epochs, batch_size, learning_rate, patience
        Defaults of the training.
    """

    spectrogram: Spectrogram
    standardise: str
    dimension: int
    body: Callable[[int, int], "torch.nn.Module"]
    dropout: float
    fewest_frames: int
    epochs: int
    batch_size: int
    learning_rate: float
    patience: int


def build(name: str, *, classes: int, frames: int) -> "torch.nn.ModuleDict":
    """Make a network with new weights, drawn from torch's global generator.

    Parameters
    ----------
    name : str
        A key of `ARCHITECTURES`.
    classes : int
        Number of logits.
    frames : int
        Frames of a spectrogram.

    Returns
    -------
    torch.nn.ModuleDict
        With `body` and `head`.

    Raises
    ------
    ValueError
        If the architecture is unknown, or there are too few frames for it.
    """
    from torch import nn

    architecture = find(name)
    if frames < architecture.fewest_frames:
        own = architecture.spectrogram
        seconds = architecture.fewest_frames * own.hop / own.sample_rate
        raise ValueError(
            f"{name} needs sounds of {seconds:.1f} s ({architecture.fewest_frames} frames) at"
            f" least, got {frames} frames"
        )
    head = nn.Linear(architecture.dimension, classes)
    layers = [nn.Dropout(architecture.dropout), head] if architecture.dropout else [head]
    network = nn.ModuleDict(
        {
            "body": architecture.body(architecture.spectrogram.bands, frames),
            "head": nn.Sequential(*layers),
        }
    )
    _initialise(network)
    return network


def find(name: str) -> Architecture:
    """Return the architecture of a name, or raise a ValueError that lists those that are known."""
    if name not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise ValueError(f"unknown architecture {name!r}; known are {known}")
    return ARCHITECTURES[name]


def _initialise(network: "torch.nn.Module") -> None:
    """Convolutions by Glorot, dense layers uniform in +-0.05, biases 0, as the original has it."""
    from torch import nn

    for module in network.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.xavier_uniform_(module.weight)
        elif isinstance(module, nn.Linear):
            nn.init.uniform_(module.weight, -DENSE_SPREAD, DENSE_SPREAD)
        if isinstance(module, (nn.Conv2d, nn.Linear)) and module.bias is not None:
            nn.init.zeros_(module.bias)


def _dcase2018(bands: int, frames: int) -> "torch.nn.Module":
    """Layers of the DCASE 2018 task 1 baseline up to its 100 hidden units.

    The second pooling covers all frames that are left, as its 4 x 100 does of 10 s. A maximum
    is taken before the ReLU instead of after it, which gives the same at less work.
    """
    from torch import nn

    bands_left, frames_left = bands // 5, frames // 5
    return nn.Sequential(
        nn.Conv2d(1, 32, 7, padding=3),
        nn.BatchNorm2d(32, eps=EPSILON),
        nn.MaxPool2d(5),
        nn.ReLU(),
        nn.Dropout(0.3),
        nn.Conv2d(32, 64, 7, padding=3),
        nn.BatchNorm2d(64, eps=EPSILON),
        nn.MaxPool2d((4, frames_left)),
        nn.ReLU(),
        nn.Dropout(0.3),
        nn.Flatten(),
        nn.Linear(64 * (bands_left // 4), 100),
        nn.ReLU(),
    )


def _conv64f(bands: int, frames: int) -> "torch.nn.Module":
    """Four blocks of 64 filters, each a third as high and wide, then 1,600 linear outputs.

    One value a filter is left of 128 x 157; of longer sounds the mean over what is left.
    """
    from torch import nn

    blocks = []
    for channels in (1, 64, 64, 64):
        blocks += [
            nn.Conv2d(channels, 64, 3, padding=1, bias=False),
            nn.BatchNorm2d(64, eps=EPSILON),
            nn.MaxPool2d(3),
            nn.ReLU(),
        ]
    tail = [nn.Dropout(0.3), nn.BatchNorm1d(64, eps=EPSILON), nn.Linear(64, 1600)]
    return nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), *tail)


def _resnet12(bands: int, frames: int) -> "torch.nn.Module":
    """Four residual blocks of 64, 160, 320 and 640 filters; the last map is 640 x 4 x 5."""
    from torch import nn

    stem = [
        nn.Conv2d(1, 64, 7, stride=2, padding=3, bias=False),
        nn.BatchNorm2d(64, eps=EPSILON),
        nn.MaxPool2d(3, stride=2, padding=1),
        nn.ReLU(),
    ]
    sizes = (64, 64, 160, 320, 640)
    blocks = [
        _residual(before, after, halved=position > 0)
        for position, (before, after) in enumerate(itertools.pairwise(sizes))
    ]
    return nn.Sequential(*stem, *blocks, nn.AdaptiveAvgPool2d((4, 5)), nn.Flatten())


def _residual(before: int, after: int, *, halved: bool) -> "torch.nn.Module":
    """Three 3 x 3 convolutions beside a 1 x 1 one; their sum is activated and, if so, halved."""
    import torch
    from torch import nn

    class Residual(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            layers: list[Any] = []
            for channels in (before, after, after):
                layers += [nn.Conv2d(channels, after, 3, padding=1, bias=False)]
                layers += [nn.BatchNorm2d(after, eps=EPSILON), nn.LeakyReLU(0.1)]
            self.path = nn.Sequential(*layers[:-1])
            self.shortcut = nn.Sequential(
                nn.Conv2d(before, after, 1, bias=False), nn.BatchNorm2d(after, eps=EPSILON)
            )
            end: list[Any] = [nn.LeakyReLU(0.1)]
            # 157 frames become 79, 40, 20, 10 and 5: an odd number is rounded up
            self.end = nn.Sequential(*([nn.MaxPool2d(2, ceil_mode=True)] if halved else []), *end)

        def forward(self, maps: torch.Tensor) -> torch.Tensor:
            return self.end(self.path(maps) + self.shortcut(maps))

    return Residual()


_FEW_SHOT = Spectrogram(
    bands=128,
    window=1024,
    hop=512,
    taper="hann",
    power=2,
    logarithm="decibel",
    floor=1e-10,
    centred=True,
)

ARCHITECTURES = {
    "cnn": Architecture(Spectrogram(), "bands", 100, _dcase2018, 0.3, 5, 200, 16, 1e-3, 40),
    "conv64f": Architecture(_FEW_SHOT, "whole", 1600, _conv64f, 0.0, 81, 30, 128, 1e-3, 30),
    "resnet12": Architecture(_FEW_SHOT, "whole", 12_800, _resnet12, 0.0, 1, 30, 128, 1e-3, 30),
}
