"""What the evaluation of a large pool of one's own costs: CPU time, wall time, memory.

    python benchmarks/own_pool.py --items 100000 --labels 500 --dimensions 100

Writes a made pool to a temporary folder and evaluates it with all estimators, in a process of
its own.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

CHILD = "import sys; from earnest.commands import main; sys.exit(main(sys.argv[1:]))"


def make(folder: Path, items: int, labels: int, dimensions: int, classes: int) -> None:
    """Write a pool, labels of a random part of it, and embeddings."""
    import pandas as pd

    rng = np.random.default_rng(0)
    names = np.array([f"class-{i}" for i in range(classes)])
    centres = rng.normal(size=(classes, dimensions))
    truth = rng.integers(classes, size=items)
    vectors = (centres[truth] * 0.3 + rng.normal(size=(items, dimensions))).astype(np.float32)
    scores = 0.3 * vectors @ centres.T
    posteriors = np.exp(scores - scores.max(axis=1, keepdims=True))
    posteriors /= posteriors.sum(axis=1, keepdims=True)
    pool = pd.DataFrame({"item_id": [f"clip-{i:06d}" for i in range(items)]})
    pool["prediction"] = names[posteriors.argmax(axis=1)]
    for place, name in enumerate(names):
        pool[f"posterior_{name}"] = posteriors[:, place].round(6)
    pool.to_csv(folder / "pool.csv", index=False)
    np.save(folder / "embeddings.npy", vectors)
    rows = rng.choice(items, labels, replace=False)
    known = pd.DataFrame({"item_id": pool["item_id"][rows], "label": names[truth[rows]]})
    known.to_csv(folder / "labels.csv", index=False)


def main() -> None:
    """Make a pool, evaluate it and print what it cost."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--labels", type=int, default=500)
    parser.add_argument("--dimensions", type=int, default=100)
    parser.add_argument("--classes", type=int, default=10)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, given.items, given.labels, given.dimensions, given.classes)
        paths = [str(folder / file) for file in ("pool.csv", "labels.csv")]
        more = ["--embeddings", str(folder / "embeddings.npy"), "--sampler", "random"]
        more += ["--output", str(folder / "out")]
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", CHILD, "estimate", *paths, *more], check=True)
        wall = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime
    print(f"\n{cpu:.1f} s of CPU, {wall:.1f} s on the clock, {used.ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    main()
