"""Pools in the form of the ready ones, for tests of estimators, weights and samplers.

Clusters of ReLU features with constant units among them, and posteriors of a linear readout that
is right in about six cases of ten, as a barely trained network gives them.
"""

from pathlib import Path

import numpy as np

from earnest.rng import generator

UNITS, CONSTANT, CLASSES = 100, 20, 10
SIZES = {"esc10": 240, "urbansound8k-random-split": 1620}


def write(folder: Path) -> Path:
    """Write one file of arrays a pool, and return the folder."""
    for name, size in SIZES.items():
        np.savez(folder / f"{name}.npz", **made(name, size))
    return folder


def made(name: str, size: int) -> dict[str, np.ndarray]:
    """Return embeddings (size, 100), posteriors and logits (size, 10), and labels (size,)."""
    rng = generator(0, "made pool", name)
    centres = rng.normal(0.3, 1.0, (CLASSES, UNITS))
    labels = rng.permutation(np.arange(size) % CLASSES)
    embeddings = np.maximum(centres[labels] + rng.normal(0, 2.8, (size, UNITS)), 0)
    embeddings[:, rng.choice(UNITS, CONSTANT, replace=False)] = 0
    readout = centres - centres.mean(axis=0) + rng.normal(0, 0.9, centres.shape)
    logits = 0.04 * (embeddings - embeddings.mean(axis=0)) @ readout.T
    proba = np.exp(logits - logits.max(axis=1, keepdims=True))
    proba /= proba.sum(axis=1, keepdims=True)
    floats = {"embeddings": embeddings, "proba": proba, "logits": logits}
    return {key: array.astype(np.float32) for key, array in floats.items()} | {"labels": labels}
