"""A small pool of one's own, as files."""

import numpy as np
import pandas as pd

NAMES = ("cat", "dog", "owl")


def made_pool(size=200, seed=0, sharpness=1.8):
    """Return a pool table, the true labels of all items and embeddings of them."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, size, p=[0.5, 0.3, 0.2])
    scores = rng.normal(size=(size, 3))
    scores[np.arange(size), truth] += sharpness
    posteriors = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    frame = pd.DataFrame({"item_id": [f"item-{i:04d}" for i in range(size)]})
    frame["prediction"] = [NAMES[i] for i in posteriors.argmax(axis=1)]
    for place, name in enumerate(NAMES):
        frame[f"posterior_{name}"] = posteriors[:, place]
    return frame, np.array(NAMES)[truth], scores + rng.normal(size=(size, 3))


def write(folder, frame, labels, name="pool.csv", labels_name="labels.csv"):
    """Write a pool and labels (by row of the pool) and return both paths."""
    frame.to_csv(folder / name, index=False)
    rows = list(labels)
    table = pd.DataFrame(
        {"item_id": frame["item_id"].to_numpy()[rows], "label": [labels[row] for row in rows]}
    )
    table.to_csv(folder / labels_name, index=False)
    return folder / name, folder / labels_name


def some_labels(truth, count, seed=1):
    """Return the labels of some rows drawn at random."""
    rows = np.sort(np.random.default_rng(seed).choice(len(truth), count, replace=False))
    return {int(row): truth[row] for row in rows}
