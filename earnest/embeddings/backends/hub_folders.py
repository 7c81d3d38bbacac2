"""What backends share whose network comes from transformers, saved as a folder of its hub."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from earnest import io
from earnest.embeddings.backends.pretrained import Pretrained
from earnest.embeddings.protocol import WrongWeights, file_digest

if TYPE_CHECKING:
    import torch

CONFIG, PREPROCESSOR = "config.json", "preprocessor_config.json"
WEIGHTS = ("model.safetensors", "pytorch_model.bin")


class HubFolder(Pretrained):
    """A network of the library transformers from a folder with weights and settings.

    Parameters
    ----------
    checkpoint : str
        Folder with `config.json`, `preprocessor_config.json`, and `model.safetensors` or
        `pytorch_model.bin`, as the hub has it; nothing is downloaded.
    device, batch_size
        As of `Pretrained`.
    """

    packages: ClassVar[Mapping[str, str]] = {**Pretrained.packages, "transformers": "transformers"}
    command = (
        "`make transformers`"
        " (or pip install -r requirements-torch.txt -r requirements-transformers.txt)"
    )
    kind: ClassVar[str]  # `model_type` in config.json

    @classmethod
    def files(cls, checkpoint: Path) -> list[Path]:
        """Return the paths of weights, configuration and preprocessor."""
        held = [name for name in WEIGHTS if (checkpoint / name).is_file()]
        return [checkpoint / name for name in ((held or WEIGHTS)[0], CONFIG, PREPROCESSOR)]

    @cached_property
    def config(self) -> dict[str, Any]:
        """What `config.json` says.

        Raises
        ------
        WrongWeights
            If it is that of another kind of network.
        """
        self.check_ready()
        path = self.files(self.checkpoint)[1]
        config = io.read_json(path)
        if config.get("model_type") != self.kind:
            raise WrongWeights(
                f"{path} describes a network of type {config.get('model_type')!r}; backend"
                f" {self.name} needs {self.kind!r}"
            )
        return config

    def load_as(self, network: Any, extractor: Any) -> "torch.nn.Module":
        """Load network and feature extractor; every weight of the network must be there.

        Parameters
        ----------
        network, extractor : classes of transformers

        Raises
        ------
        WrongWeights
            If weights are missing, of another shape or unreadable, or if the extractor is for
            another sample rate.
        """
        folder = str(self.checkpoint)
        self.extractor = extractor.from_pretrained(folder, local_files_only=True)
        if self.extractor.sampling_rate != self.sample_rate:
            raise WrongWeights(
                f"{folder} is for sounds at {self.extractor.sampling_rate} Hz; backend {self.name}"
                f" needs {self.sample_rate} Hz"
            )
        try:
            model, report = network.from_pretrained(
                folder, local_files_only=True, output_loading_info=True
            )
        except (RuntimeError, ValueError, OSError) as error:
            raise WrongWeights(f"{folder} cannot be loaded by transformers: {error}") from error
        absent = sorted(map(str, report["missing_keys"]))
        if absent:
            raise WrongWeights(
                f"{folder} lacks {len(absent)} weights of backend {self.name}: {absent[0]}, ..."
            )
        return model

    def settings(self) -> dict[str, Any]:
        """Return the hashes of what stands beside the weights."""
        _, config, preprocessor = self.files(self.checkpoint)
        return {"config": file_digest(config), "preprocessor": file_digest(preprocessor)}
