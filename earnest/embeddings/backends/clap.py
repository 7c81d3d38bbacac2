"""CLAP's audio side (LAION), through the library transformers."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from earnest.embeddings.backends.hub_folders import HubFolder
from earnest.embeddings.backends.pretrained import tensor_on

if TYPE_CHECKING:
    import torch


class Clap(HubFolder):
    """Projection into the space shared with texts, of length 1 for each window of 10 s.

    A clip longer than 10 s is the mean over windows; a shorter one is repeated by the feature
    extractor, as in the network's training. So nothing is cropped at random, and of networks
    with feature fusion the part for long clips stays unused.
    """

    name = "clap"
    kind = "clap"
    sample_rate = 48_000
    window = 480_000
    weights = "https://huggingface.co/laion/clap-htsat-unfused (the whole folder)"

    @property
    def dimension(self) -> int:
        """Length of one vector, 512 in the published networks."""
        own = self.config.get("audio_config", {}).get("projection_dim")
        return int(own or self.config.get("projection_dim", 512))

    def load(self, files: list[Path]) -> "torch.nn.Module":
        """Return the audio side with its projection."""
        from transformers import ClapAudioModelWithProjection, ClapFeatureExtractor

        return self.load_as(ClapAudioModelWithProjection, ClapFeatureExtractor)

    def forward(self, model: "torch.nn.Module", waveforms: np.ndarray) -> "torch.Tensor":
        """Return the projection, normalised."""
        import torch

        fused = model.config.enable_fusion
        given = self.extractor(
            list(waveforms),
            sampling_rate=self.sample_rate,
            truncation="fusion" if fused else "rand_trunc",
            return_tensors="np",
        )
        # The extractor calls one clip of a fused batch long, at random; here none is.
        longer = torch.zeros((len(waveforms), 1), dtype=torch.bool)
        spectrograms = tensor_on(model, given["input_features"])
        embeds = model(spectrograms, is_longer=longer.to(spectrograms.device)).audio_embeds
        return torch.nn.functional.normalize(embeds, dim=-1)
