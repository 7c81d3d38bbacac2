"""AST, the Audio Spectrogram Transformer, through the library transformers."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from earnest.embeddings.backends.hub_folders import HubFolder
from earnest.embeddings.backends.pretrained import tensor_on

if TYPE_CHECKING:
    import torch


class SpectrogramTransformer(HubFolder):
    """Mean of the class and distillation tokens after the last layer.

    A clip longer than 1,024 frames (10.255 s) is the mean over windows of that length; a
    shorter one is filled up by the feature extractor, as in the network's training.
    """

    name = "ast"
    kind = "audio-spectrogram-transformer"
    sample_rate = 16_000
    shortest = 400  # samples of one frame
    window = 400 + 1_023 * 160
    weights = "https://huggingface.co/MIT/ast-finetuned-audioset-10-10-0.4593 (the whole folder)"

    @property
    def dimension(self) -> int:
        """Length of one vector, 768 in the published networks."""
        return int(self.config["hidden_size"])

    def load(self, files: list[Path]) -> "torch.nn.Module":
        """Return the network without its classifier."""
        from transformers import ASTFeatureExtractor, ASTModel

        return self.load_as(ASTModel, ASTFeatureExtractor)

    def forward(self, model: "torch.nn.Module", waveforms: np.ndarray) -> "torch.Tensor":
        """Return the pooled tokens."""
        given = self.extractor(list(waveforms), sampling_rate=self.sample_rate, return_tensors="np")
        return model(input_values=tensor_on(model, given["input_values"])).pooler_output
