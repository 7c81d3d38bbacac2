"""PANNs' Cnn14, through panns_inference."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from earnest.embeddings.backends.pretrained import Pretrained, fill, read_weights, tensor_on
from earnest.embeddings.protocol import WrongWeights

if TYPE_CHECKING:
    import torch

LABELS = "panns_data/class_labels_indices.csv"  # in the home folder
LABELS_ADDRESS = (
    "http://storage.googleapis.com/us_audioset/youtube_corpus/v1/csv/class_labels_indices.csv"
)
CLASSES = 527


class Panns(Pretrained):
    """The 2,048 numbers before the classifier of Cnn14 (32 kHz, 64 bands).

    Parameters
    ----------
    checkpoint : str
        `Cnn14_mAP=0.431.pth`.
    device, batch_size
        As of `Pretrained`.
    """

    name = "panns"
    sample_rate = 32_000
    dimension = 2_048
    # five halvings of frames that are 320 samples apart
    shortest = 32 * 320
    packages: ClassVar[Mapping[str, str]] = {
        **Pretrained.packages,
        "panns_inference": "panns-inference",
    }
    command = "`make panns` (or pip install -r requirements-torch.txt -r requirements-panns.txt)"
    weights = "https://zenodo.org/records/3987831 (Cnn14_mAP=0.431.pth)"

    @classmethod
    def find_problems(cls, *, checkpoint: str, **options: Any) -> "Any":
        """Yield why the backend cannot run here: packages, weights or the label list not there."""
        yield from super().find_problems(checkpoint=checkpoint)
        # panns_inference reads this list when it is imported, and else downloads it by wget.
        labels = Path.home() / LABELS
        if not labels.is_file():
            yield (
                f"backend {cls.name}: the package panns_inference needs the file {labels}, which is"
                f" not there; it is to be had from {LABELS_ADDRESS}"
            )

    def load(self, files: list[Path]) -> "torch.nn.Module":
        """Return Cnn14 with the checkpoint's weights."""
        from panns_inference.models import Cnn14

        saved = read_weights(files[0], backend=self.name)
        if not isinstance(saved, dict) or "model" not in saved:
            raise WrongWeights(f"{files[0]} is not a checkpoint of PANNs: it has no entry `model`")
        model = Cnn14(
            sample_rate=self.sample_rate,
            window_size=1024,
            hop_size=320,
            mel_bins=64,
            fmin=50,
            fmax=14_000,
            classes_num=CLASSES,
        )
        return fill(model, saved["model"], files[0], backend=self.name)

    def forward(self, model: "torch.nn.Module", waveforms: np.ndarray) -> "torch.Tensor":
        """Return the layer before the classifier."""
        return model(tensor_on(model, waveforms), None)["embedding"]
