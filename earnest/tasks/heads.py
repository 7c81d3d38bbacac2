"""A trained network's own last layer as the classifier of a task."""

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np


class Head:
    """Posteriors of a network, summed over the sounds that a task gives one label.

    Parameters
    ----------
    network : mapping
        `classes`, and `weights` (a row a class: those of the embedding, then the bias), as
        `earnest.embeddings.networks.checkpoints.head` gives them.
    """

    def __init__(self, network: Mapping[str, Any]) -> None:
        self._known = [str(name) for name in network["classes"]]
        self._weights = np.array(network["weights"], dtype=np.float64)
        if self._weights.ndim != 2 or len(self._weights) != len(self._known):
            raise ValueError(
                f"{len(self._known)} classes of a network need as many rows of weights, got"
                f" shape {self._weights.shape}"
            )

    def learn_labels(self, labels: np.ndarray, sounds: np.ndarray) -> "Head":
        """Take from training items which label each sound has; nothing else is learned.

        Sounds of the network that no item has do not take part in the task: posteriors are
        those given that it is one of the others.

        Parameters
        ----------
        labels, sounds : (n,) str
            What the task calls an item, and what the network was trained to call it.

        Raises
        ------
        ValueError
            If the network does not know a sound, or one sound has two labels.
        """
        unknown = sorted(set(sounds.tolist()) - set(self._known))
        if unknown:
            raise ValueError(
                f"the network was not trained on {unknown[0]!r}; it knows {', '.join(self._known)}"
            )
        pairs = sorted(set(zip(sounds.tolist(), labels.tolist(), strict=True)))
        label_of = dict(pairs)
        if len(label_of) < len(pairs):
            twice = next(a for a, b in itertools.pairwise(pairs) if a[0] == b[0])[0]
            own = [label for sound, label in pairs if sound == twice]
            raise ValueError(
                f"the network hears one sound, {twice!r}, where the task tells {own[0]!r} from"
                f" {own[1]!r}; use another classifier"
            )
        self.classes_ = np.unique(labels)
        self._rows = [row for row, name in enumerate(self._known) if name in label_of]
        columns = np.searchsorted(self.classes_, [label_of[self._known[row]] for row in self._rows])
        self._membership = np.eye(len(self.classes_))[columns]
        return self

    def predict_proba(self, embeddings: np.ndarray) -> np.ndarray:
        """Return posteriors (n, C) of embeddings (n, d) in the order of `classes_`."""
        expected = self._weights.shape[1] - 1
        if embeddings.shape[1] != expected:
            raise ValueError(
                f"the network's embeddings have {expected} numbers, these {embeddings.shape[1]}"
            )
        weights = self._weights[self._rows]
        return softmax(embeddings @ weights[:, :-1].T + weights[:, -1]) @ self._membership


def softmax(logits: np.ndarray) -> np.ndarray:
    """Return posteriors (n, C) of logits (n, C)."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
