"""Speech networks of torchaudio: wav2vec 2.0, HuBERT and WavLM, the base size of each."""

import urllib.error
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from earnest.embeddings.backends.pretrained import Pretrained, fill, read_weights, tensor_on
from earnest.embeddings.protocol import MissingRequirement, MissingWeights, missing_packages

if TYPE_CHECKING:
    import torch

ADDRESS = "https://download.pytorch.org/torchaudio/models/"
LAYERS = 12


class SpeechNetwork(Pretrained):
    """Mean over frames (20 ms apart) of one transformer layer of a torchaudio bundle.

    Parameters
    ----------
    checkpoint : str, optional
        The bundle's file of weights. By default it is looked for in torch's cache and, if it is
        not there, downloaded.
    layer : int
        Transformer layer, 1 to 12.
    device, batch_size
        As of `Pretrained`.
    """

    sample_rate = 16_000
    dimension = 768
    shortest = 400  # samples behind one frame
    file: ClassVar[str]  # below ADDRESS

    def __init__(
        self,
        *,
        checkpoint: str | None = None,
        layer: int = LAYERS,
        device: str = "auto",
        batch_size: int = 8,
    ) -> None:
        if not 1 <= layer <= LAYERS:
            raise ValueError(f"layer must be 1 to {LAYERS}, got {layer}")
        self.layer, self._given = layer, checkpoint
        super().__init__(checkpoint=checkpoint or "", device=device, batch_size=batch_size)

    @classmethod
    def find_problems(cls, *, checkpoint: str | None = None, **options: Any) -> Iterator[str]:
        """Yield why the backend cannot run here; weights to be downloaded are no problem yet."""
        yield from missing_packages(cls.name, cls.packages, cls.command)
        if checkpoint and not Path(checkpoint).is_file():
            yield (
                f"backend {cls.name} needs its weights in {checkpoint}, which is not there; they"
                f" are to be had from {ADDRESS}{cls.file}"
            )

    def check_ready(self) -> None:
        """Check packages and weights; download the weights if no checkpoint was given."""
        if self._given:
            super().check_ready()
            return
        for problem in missing_packages(self.name, self.packages, self.command):
            raise MissingRequirement(problem)
        self.checkpoint = self._download()

    def _download(self) -> Path:
        import torch

        path = Path(torch.hub.get_dir()) / "checkpoints" / self.file
        if path.is_file():
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            torch.hub.download_url_to_file(ADDRESS + self.file, str(path), progress=True)
        except (urllib.error.URLError, OSError) as error:
            raise MissingWeights(
                f"the weights of backend {self.name} could not be downloaded ({error}): put the"
                f" file {ADDRESS}{self.file} at {path}, or name it as `checkpoint` in the options"
            ) from error
        return path

    def load(self, files: list[Path]) -> "torch.nn.Module":
        """Return the network of the bundle with the weights of a file."""
        import torchaudio

        weights = read_weights(files[0], backend=self.name)
        model = getattr(torchaudio.models, self.name)()
        return fill(model, weights, files[0], backend=self.name)

    def forward(self, model: "torch.nn.Module", waveforms: np.ndarray) -> "torch.Tensor":
        """Return the mean over frames of the chosen layer."""
        layers, _ = model.extract_features(tensor_on(model, waveforms), num_layers=self.layer)
        return layers[-1].mean(dim=1)

    def settings(self) -> dict[str, Any]:
        """Return the layer."""
        return {"layer": self.layer}


class Wav2Vec2Base(SpeechNetwork):
    """wav2vec 2.0 base, trained on 960 h of LibriSpeech (torchaudio's WAV2VEC2_BASE)."""

    name = "wav2vec2_base"
    file = "wav2vec2_fairseq_base_ls960.pth"


class HubertBase(SpeechNetwork):
    """HuBERT base, trained on 960 h of LibriSpeech (torchaudio's HUBERT_BASE)."""

    name = "hubert_base"
    file = "hubert_fairseq_base_ls960.pth"


class WavLMBase(SpeechNetwork):
    """WavLM base, trained on 960 h of LibriSpeech (torchaudio's WAVLM_BASE)."""

    name = "wavlm_base"
    file = "wavlm_base.pth"
