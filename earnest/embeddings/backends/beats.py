"""BEATs, through SpeechBrain's port of Microsoft's code."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from earnest.embeddings.backends.pretrained import (
    Pretrained,
    first_complaint,
    read_weights,
    tensor_on,
)
from earnest.embeddings.protocol import WrongWeights

if TYPE_CHECKING:
    import torch


class Beats(Pretrained):
    """Mean over patches of the last layer of a BEATs network, pretrained or fine-tuned.

    Microsoft published code, not a package; SpeechBrain maintains that code and reads the same
    checkpoints.

    Parameters
    ----------
    checkpoint : str
        For example `BEATs_iter3_plus_AS2M.pt`.
    device, batch_size
        As of `Pretrained`.
    """

    name = "beats"
    sample_rate = 16_000
    dimension = 768
    shortest = 400 + 15 * 160  # samples of one patch: 16 frames
    packages: ClassVar[Mapping[str, str]] = {**Pretrained.packages, "speechbrain": "speechbrain"}
    command = (
        "`make beats` (or pip install -r requirements-torch.txt, then pip install --no-deps"
        " -r requirements-beats.txt)"
    )
    weights = (
        "https://github.com/microsoft/unilm/tree/master/beats (such as BEATs_iter3_plus_AS2M.pt)"
    )

    def load(self, files: list[Path]) -> "torch.nn.Module":
        """Return the network that the checkpoint describes, with its weights."""
        from speechbrain.lobes.models.beats import BEATs, BEATsConfig

        saved = read_weights(files[0], backend=self.name)
        if not isinstance(saved, dict) or not {"cfg", "model"} <= saved.keys():
            raise WrongWeights(
                f"{files[0]} is not a checkpoint of BEATs: it lacks the entries `cfg` and `model`"
            )
        width = BEATsConfig(saved["cfg"]).encoder_embed_dim
        if width != self.dimension:
            raise WrongWeights(f"{files[0]} gives {width} numbers instead of {self.dimension}")
        try:
            return BEATs(str(files[0]))
        except RuntimeError as error:
            complaint = first_complaint(error)
            raise WrongWeights(f"{files[0]} is not a checkpoint of BEATs: {complaint}") from error

    def forward(self, model: "torch.nn.Module", waveforms: np.ndarray) -> "torch.Tensor":
        """Return the mean over patches."""
        import torch

        given = tensor_on(model, waveforms)
        whole = torch.ones(len(given), device=given.device)
        return model.extract_features(given, whole)[0].mean(dim=1)
