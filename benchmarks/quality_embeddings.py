"""What embeddings are worth on real recordings: accuracy on ESC-10 in its official five folds.

    python benchmarks/quality_embeddings.py --mirror FOLDER     (holds esc50/ as downloaded)

The classifier is that of the studies: logistic regression on standardised vectors, C = 0.01.
Each backend hears the recordings at its own rate, and as a study at 16 kHz gives them to it.
Printed: accuracy, the lowest and highest fold, and CPU milliseconds a clip of the embedding alone.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

# in place of this folder, whose coverage.py would hide a package of that name
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from earnest import audio  # noqa: E402
from earnest.embeddings import get_backend, store  # noqa: E402
from earnest.rng import generator  # noqa: E402
from earnest.tasks import classifiers  # noqa: E402

SECONDS = 5


def load_sounds(root: Path, names: list[str], rate: int) -> np.ndarray:
    """Return the recordings at a rate, (n, 5 s) float32."""
    length = SECONDS * rate
    loaded = (audio.load(root / "audio" / name, sample_rate=rate).samples for name in names)
    return np.stack([audio.fit(samples[:length], length, mode="pad") for samples in loaded])


def embed(backend, sounds: np.ndarray, rate: int) -> tuple[np.ndarray, float]:
    """Return vectors and CPU milliseconds a clip."""
    backend.embed(
        store.resampled(sounds[:1], rate, backend.sample_rate)
    )  # imports and loads what it needs
    start = time.process_time()
    blocks = [
        backend.embed(store.resampled(sounds[first : first + 50], rate, backend.sample_rate))
        for first in range(0, len(sounds), 50)
    ]
    return np.concatenate(blocks), 1000 * (time.process_time() - start) / len(sounds)


def accuracy_by_fold(vectors: np.ndarray, labels: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """Return the accuracy on each official fold, the classifier trained on the others."""
    found = []
    for fold in np.unique(folds):
        held = folds == fold
        model = classifiers.fit("logistic", vectors[~held], labels[~held], rng=generator(0))
        found.append(np.mean(classifiers.predict(model, vectors[held])[0] == labels[held]))
    return np.array(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mirror", type=Path, required=True)
    root = parser.parse_args().mirror / "esc50"
    rows = pd.read_csv(root / "meta" / "esc50.csv")
    rows = rows[rows["esc10"]]
    folds, labels = rows["fold"].to_numpy(), rows["category"].to_numpy(dtype=str)
    print(f"{len(rows)} clips of {len(set(labels))} classes")
    print(f"{'backend':10} {'heard at':>9} {'accuracy':>9} {'folds':>14} {'ms a clip':>10}")
    for name in ("logmel", "birdnet"):
        backend = get_backend(name)
        for rate in sorted({backend.sample_rate, 16_000}, reverse=True):
            vectors, cost = embed(backend, load_sounds(root, rows["filename"], rate), rate)
            scores = accuracy_by_fold(vectors, labels, folds)
            spread = f"{scores.min():.4f}-{scores.max():.4f}"
            print(
                f"{name:10} {rate:>9} {scores.mean():>9.4f} {spread:>14} {cost:>10.1f}", flush=True
            )


if __name__ == "__main__":
    main()
