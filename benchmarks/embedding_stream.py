"""Peak memory of embedding and joining, for growing numbers of clips.

    python benchmarks/embedding_stream.py [logmel | cnn] [clips ...]  (logmel 1000 10000 100000)

Each number runs in a process of its own: one shard of 1-second clips of noise at 16 kHz, as a
16-bit sound file, is embedded ten times over, kept, joined and written; by `cnn` with random
weights.
Printed: seconds, clips a second, and the largest resident set of the process, with the part of
it that importing alone takes.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

RATE = LENGTH = 16_000
SHARDS = 10


def write_sounds(path: Path, clips: int) -> None:
    """Write a shard of noise whose level differs from clip to clip."""
    import soundfile

    rng = np.random.default_rng(0)
    with soundfile.SoundFile(path, "w", RATE, 1, subtype="PCM_16") as file:
        for _ in range(clips):
            file.write(rng.uniform(0.01, 0.5) * rng.uniform(-1, 1, LENGTH).astype(np.float32))


def items_of(clips: int, shard: int):
    import pandas as pd

    from earnest.io.schemas import TABLES

    frame = pd.DataFrame(index=range(clips), columns=list(TABLES["items"]))
    frame["item_id"] = [f"{shard}-{row}" for row in range(clips)]
    return frame.assign(row=range(clips), shard=shard)


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def backend_of(name: str, folder: Path):
    from benchmarks.network_inference import make_checkpoint
    from earnest.embeddings import get_backend

    if name == "logmel":
        return get_backend(name)
    make_checkpoint(folder / "model.pt", samples=LENGTH)
    return get_backend(name, checkpoint=folder / "model.pt", device="cpu")


def run(name: str, folder: Path, clips: int) -> str:
    """Embed `clips` clips in ten shards and join them."""
    from earnest import io
    from earnest.embeddings import joining, reuse, store

    backend = backend_of(name, folder)
    backend.embed(np.zeros((1, LENGTH), np.float32))
    before, start = peak_mb(), time.perf_counter()
    parts = [items_of(clips // SHARDS, shard) for shard in range(SHARDS)]
    for shard, items in enumerate(parts):
        kept = reuse.KeptVectors(folder / "kept", description=backend.describe(), code=str(shard))
        vectors = store.embed_shard(
            folder / "sounds.wav", items, backend, sample_rate=RATE, length=LENGTH, kept=kept
        )
        io.write_array(vectors, folder / f"{shard}.npy")
    order = [name for items in parts for name in reversed(items["item_id"].tolist())]
    rows, places = joining.arrange(parts, order=order)
    arrays = [io.read_array(folder / f"{shard}.npy") for shard in range(SHARDS)]
    blocks = joining.joined_blocks(arrays, rows, places)
    io.write_array_blocks(blocks, folder / "joined.npy", rows=len(rows), columns=backend.dimension)
    seconds = time.perf_counter() - start
    return f"{clips:>8} {seconds:>9.1f} {clips / seconds:>9.0f} {peak_mb():>9.0f} {before:>9.0f}"


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        print(run(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])))
        return
    arguments = sys.argv[1:]
    name = arguments.pop(0) if arguments[:1] in (["logmel"], ["cnn"]) else "logmel"
    print(f"{'clips':>8} {'seconds':>9} {'clips/s':>9} {'peak MB':>9} {'imports':>9}", flush=True)
    for clips in map(int, arguments or ["1000", "10000", "100000"]):
        with tempfile.TemporaryDirectory() as folder:
            write_sounds(Path(folder) / "sounds.wav", clips // SHARDS)
            command = [sys.executable, __file__, "--one", name, folder, str(clips)]
            found = subprocess.run(command, capture_output=True, text=True, check=True)
            print(found.stdout.rstrip(), flush=True)


if __name__ == "__main__":
    # in place of this folder, whose coverage.py would hide a package of that name
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
    main()
