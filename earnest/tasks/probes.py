"""A linear layer trained with torch, on the CPU or a CUDA device."""

from typing import Any

import numpy as np

from earnest.embeddings.networks import devices
from earnest.tasks.heads import softmax


class LinearProbe:
    """A linear layer on standardised embeddings, trained by Adam on cross-entropy.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of first weights and of the order of items.
    epochs, batch_size, learning_rate, weight_decay
        Of the training; the learning rate falls to 0 along a cosine.
    device : str
        `auto`, `cpu`, `cuda` or `cuda:1`.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        *,
        epochs: int,
        batch_size: int,
        learning_rate: float,
        weight_decay: float,
        device: str,
    ) -> None:
        if epochs < 1 or batch_size < 1 or not learning_rate > 0 or not weight_decay >= 0:
            raise ValueError(
                "epochs and batch_size must be at least 1, learning_rate positive and weight_decay"
                f" not negative, got {epochs}, {batch_size}, {learning_rate}, {weight_decay}"
            )
        self._rng, self._epochs, self._batch_size = rng, epochs, batch_size
        self._learning_rate, self._weight_decay = learning_rate, weight_decay
        self._device = device

    def fit(self, embeddings: np.ndarray, labels: np.ndarray) -> "LinearProbe":
        """Train on embeddings (n, d) and labels (n,)."""
        devices.import_torch("classifier probe")
        self.classes_, targets = np.unique(labels, return_inverse=True)
        self._mean = embeddings.mean(axis=0)
        spread = embeddings.std(axis=0)
        self._sd = np.where(spread > 0, spread, 1.0)
        device = devices.choose(self._device)
        with devices.reproducible(device, threads=1):
            self._train((embeddings - self._mean) / self._sd, targets, device)
        return self

    def _train(self, points: np.ndarray, targets: np.ndarray, device: Any) -> None:
        import torch

        devices.seed(self._rng)
        layer = torch.nn.Linear(points.shape[1], len(self.classes_)).to(device)
        x = torch.from_numpy(points.astype(np.float32)).to(device)
        y = torch.from_numpy(targets).to(device)
        optimiser = torch.optim.AdamW(
            layer.parameters(), lr=self._learning_rate, weight_decay=self._weight_decay
        )
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, self._epochs)
        for _ in range(self._epochs):
            order = torch.from_numpy(self._rng.permutation(len(x))).to(device)
            for rows in order.split(self._batch_size):
                optimiser.zero_grad(set_to_none=True)
                torch.nn.functional.cross_entropy(layer(x[rows]), y[rows]).backward()
                optimiser.step()
            schedule.step()
        self._weights = layer.weight.detach().cpu().numpy().astype(np.float64)
        self._bias = layer.bias.detach().cpu().numpy().astype(np.float64)
        if not np.isfinite(self._weights).all():
            raise ValueError(
                f"the probe did not converge: its weights are not finite after {self._epochs}"
                f" epochs; lower learning_rate (now {self._learning_rate:g})"
            )

    def predict_proba(self, embeddings: np.ndarray) -> np.ndarray:
        """Return posteriors (n, C) of embeddings (n, d); needs no torch."""
        return softmax((embeddings - self._mean) / self._sd @ self._weights.T + self._bias)
