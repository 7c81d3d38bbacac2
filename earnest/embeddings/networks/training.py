"""Training: seeded by name, chosen on unheard recordings, resumed as if never killed."""

import hashlib
import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.embeddings.networks import architectures, checkpoints, devices, features, validation
from earnest.embeddings.networks.options import TrainingOptions
from earnest.rng import generator

if TYPE_CHECKING:
    import torch

logger = logging.getLogger(__name__)
STATE = "state.pt"
# Keras' constant, as the DCASE baseline was trained with
ADAM_EPSILON = 1e-7


class TrainingDiverged(ArithmeticError):
    """The loss is no longer a finite number."""


@dataclass(frozen=True)
class Seeds:
    """Names of every random draw of a training: root seed, then the study's own names."""

    root_seed: int
    names: tuple[str | int, ...] = ()

    def generator(self, *names: str | int) -> np.random.Generator:
        """Return the generator of one draw."""
        return generator(self.root_seed, *self.names, *names)


def train(
    spectrograms: np.ndarray,
    labels: Sequence[str],
    recordings: Sequence[str],
    *,
    architecture: str,
    options: TrainingOptions,
    seeds: Seeds,
    samples: int,
    folder: str | os.PathLike[str],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Train a network to tell labels apart and keep the weights of its best epoch.

    The best epoch is the one with the highest accuracy on the validation part, and of equal ones
    that with the lowest loss there. After every epoch the state is written into the folder; a
    training that finds one goes on from there, and on the CPU ends with the same weights as
    one that was never disturbed.

    Parameters
    ----------
    spectrograms : (n, bands, frames) float32
        Of the training side of the study, may be memory-mapped; in the way that the
        architecture says.
    labels, recordings : (n,) str
    architecture : str
        A key of `earnest.embeddings.networks.architectures.ARCHITECTURES`.
    options : TrainingOptions
    seeds : Seeds
    samples : int
        Length of the waveforms, for the checkpoint.
    folder : path-like
        Where the state of an unfinished training is kept.

    Returns
    -------
    checkpoint : dict
        What `earnest.embeddings.networks.checkpoints.save` takes.
    report : dict
        Plain values: sizes of both parts, the learning curve, the best epoch.

    Raises
    ------
    ValueError
        If there is one class only, lengths differ, or recordings are too few.
    TrainingDiverged
        If a loss is not finite; epoch and batch are named.
    earnest.embeddings.networks.checkpoints.WrongCheckpoint
        If the folder holds the state of another training.
    """
    names, groups = np.asarray(labels, dtype=str), np.asarray(recordings, dtype=str)
    classes = _classes(spectrograms, names, groups)
    rng = seeds.generator("validation")
    parts = validation.split_off(names, groups, share=options.validation_share, rng=rng)
    if parts.unvalidated:
        logger.warning("classes of a single recording only train: %s", ", ".join(parts.unvalidated))
    standard = architectures.find(architecture).standardise
    mean, sd = features.statistics(spectrograms, parts.training, standard)
    device = devices.choose(options.device)
    data = _Data(spectrograms, np.searchsorted(classes, names), mean, sd, device)
    made_with = {
        "architecture": architecture,
        "classes": classes,
        "settings": options.settings,
        "seed": [seeds.root_seed, *seeds.names],
        "data": _digest(spectrograms, names, groups),
    }
    with devices.reproducible(device, options.threads):
        run = _Run(data, parts, options, seeds, made_with, Path(folder) / STATE)
        run.go()
    report = _report(run, made_with, parts, groups)
    checkpoint = {
        "format": checkpoints.FORMAT,
        "architecture": architecture,
        "classes": classes,
        "spectrogram": architectures.find(architecture).spectrogram.describe(),
        "samples": samples,
        "mean": run.data.mean_tensor.cpu(),
        "sd": run.data.sd_tensor.cpu(),
        "settings": options.settings,
        "validation_recordings": sorted(set(groups[parts.validation].tolist())),
        "weights": run.best["weights"],
        "training": {key: report[key] for key in ("best_epoch", "validation_accuracy")},
    }
    return checkpoint, report


def _classes(spectrograms: np.ndarray, labels: np.ndarray, recordings: np.ndarray) -> list[str]:
    if spectrograms.ndim != 3 or not len(spectrograms) == len(labels) == len(recordings):
        raise ValueError(
            f"spectrograms of shape {spectrograms.shape} need one label and one recording each,"
            f" got {len(labels)} and {len(recordings)}"
        )
    classes = np.unique(labels).tolist()
    if len(classes) < 2:
        raise ValueError(f"a network needs two classes to learn, got {classes}")
    return classes


def _digest(spectrograms: np.ndarray, *texts: np.ndarray) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update("\0".join(text.tolist()).encode())
    for first in range(0, len(spectrograms), features.BLOCK):
        digest.update(np.ascontiguousarray(spectrograms[first : first + features.BLOCK]).data)
    return digest.hexdigest()[:16]


class _Data:
    """Batches of standardised spectrograms and class numbers on the device."""

    def __init__(
        self,
        spectrograms: np.ndarray,
        targets: np.ndarray,
        mean: np.ndarray,
        sd: np.ndarray,
        device: "torch.device",
    ) -> None:
        import torch

        self.spectrograms, self.device = spectrograms, device
        self.targets = torch.from_numpy(targets)
        self.mean_tensor = torch.from_numpy(mean).to(device)
        self.sd_tensor = torch.from_numpy(sd).to(device)

    def batch(self, rows: np.ndarray) -> "tuple[torch.Tensor, torch.Tensor]":
        import torch

        # sorted: neighbours in the file are read together
        rows = np.sort(rows)
        values = torch.from_numpy(np.ascontiguousarray(self.spectrograms[rows])).to(self.device)
        maps = ((values - self.mean_tensor) / self.sd_tensor).unsqueeze(1)
        return maps, self.targets[torch.from_numpy(rows)].to(self.device)


class _Run:
    """One training: network, optimiser, learning curve and best epoch so far."""

    def __init__(
        self,
        data: _Data,
        parts: validation.Parts,
        options: TrainingOptions,
        seeds: Seeds,
        made_with: dict[str, Any],
        path: Path,
    ) -> None:
        import torch

        self.data, self.parts, self.options, self.seeds = data, parts, options, seeds
        self.made_with, self.path = made_with, path
        devices.seed(seeds.generator("weights"))
        network = architectures.build(
            made_with["architecture"],
            classes=len(made_with["classes"]),
            frames=data.spectrograms.shape[2],
        )
        # two to three times as fast on the CPU as the other layout
        self.network = network.to(data.device, memory_format=torch.channels_last)
        self.optimiser = torch.optim.Adam(
            self.network.parameters(), lr=options.learning_rate, eps=ADAM_EPSILON
        )
        self.halving = devices.Halving(options.batch_size)
        self.history: list[dict[str, Any]] = []
        self.best: dict[str, Any] = {}
        if path.is_file():
            self._resume()

    def _resume(self) -> None:
        state = checkpoints.read(self.path)
        checkpoints.check_same(self.made_with, state.get("made_with", {}), self.path)
        self.network.load_state_dict(state["network"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.history, self.best = state["history"], state["best"]
        self.halving.size = state["part_size"]
        logger.warning("going on after epoch %d of an earlier run", len(self.history))

    def _keep(self) -> None:
        state = {
            "made_with": self.made_with,
            "network": self.network.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "history": self.history,
            "best": self.best,
            "part_size": self.halving.size,
        }
        checkpoints.save(state, self.path)

    @property
    def finished(self) -> bool:
        waited = len(self.history) - self.best["epoch"] if self.best else 0
        return len(self.history) >= self.options.epochs or waited >= self.options.patience

    def go(self) -> None:
        from tqdm import tqdm

        done = len(self.history)
        with tqdm(total=self.options.epochs, initial=done, desc="train", unit="epoch") as bar:
            while not self.finished:
                row = self._epoch(len(self.history) + 1)
                self.history.append(row)
                better = (row["validation_accuracy"], -row["validation_loss"])
                if not self.best or better > self.best["score"]:
                    weights = {
                        name: tensor.detach().cpu().clone()
                        for name, tensor in self.network.state_dict().items()
                    }
                    self.best = {"epoch": row["epoch"], "score": better, "weights": weights}
                self._keep()
                bar.update()
                bar.set_postfix(validation=f"{row['validation_accuracy']:.3f}")

    def _epoch(self, epoch: int) -> dict[str, Any]:
        rng = self.seeds.generator("epoch", epoch)
        order = self.parts.training[rng.permutation(len(self.parts.training))]
        devices.seed(rng)
        self.network.train()
        steps = max(round(len(order) / self.options.batch_size), 1)
        # of nearly equal size: a rest of one item has no spread for batch normalisation
        losses = [
            self._step(rows, f"epoch {epoch}, batch {number} of {steps}") * len(rows)
            for number, rows in enumerate(np.array_split(order, steps), start=1)
        ]
        loss, accuracy = self._validate()
        return {
            "epoch": epoch,
            "loss": float(np.sum(losses) / len(order)),
            "validation_loss": loss,
            "validation_accuracy": accuracy,
        }

    def _step(self, rows: np.ndarray, where: str) -> float:
        """One step of the optimiser; the gradient is summed over parts that fit into memory."""
        import torch

        self.optimiser.zero_grad(set_to_none=True)
        total = 0.0

        def work(part: slice) -> None:
            nonlocal total
            maps, targets = self.data.batch(rows[part])
            logits = self.network["head"](self.network["body"](maps))
            loss = torch.nn.functional.cross_entropy(logits, targets, reduction="sum") / len(rows)
            value = float(loss.detach())
            if not np.isfinite(value):
                raise TrainingDiverged(
                    f"the loss is {value} in {where}: the learning rate of"
                    f" {self.options.learning_rate:g} may be too high, or inputs are damaged"
                )
            loss.backward()
            total += value

        self.halving.run(work, len(rows))
        self.optimiser.step()
        return total

    def _validate(self) -> tuple[float, float]:
        import torch

        self.network.eval()
        rows = self.parts.validation
        loss, hits = 0.0, 0

        def work(part: slice) -> None:
            nonlocal loss, hits
            maps, targets = self.data.batch(rows[part])
            logits = self.network["head"](self.network["body"](maps))
            loss += float(torch.nn.functional.cross_entropy(logits, targets, reduction="sum"))
            hits += int((logits.argmax(dim=1) == targets).sum())

        with torch.inference_mode():
            self.halving.run(work, len(rows))
        return loss / len(rows), hits / len(rows)


def _report(
    run: _Run,
    made_with: dict[str, Any],
    parts: validation.Parts,
    recordings: np.ndarray,
) -> dict[str, Any]:
    def side(rows: np.ndarray) -> dict[str, int]:
        return {"items": len(rows), "recordings": len(set(recordings[rows].tolist()))}

    best = run.history[run.best["epoch"] - 1]
    return made_with | {
        "training_part": side(parts.training),
        "validation_part": side(parts.validation),
        "classes_without_validation": list(parts.unvalidated),
        "device": run.data.device.type,
        "part_size": run.halving.size,
        "best_epoch": best["epoch"],
        "validation_accuracy": best["validation_accuracy"],
        "epochs": len(run.history),
        "stopped_early": len(run.history) < run.options.epochs,
        "curve": run.history,
    }
