"""`logmel` against a loop over clips that calls librosa, in one run: CPU time and difference.

    python benchmarks/embedding_speed.py [clips]      (default: 300)

Both compute the same 280 numbers of 5-second clips at 16 kHz; they take turns, block by block.
"""

import sys
import time
from pathlib import Path

import numpy as np

# in place of this folder, whose coverage.py would hide a package of that name
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from earnest.embeddings import get_backend  # noqa: E402

BLOCK = 50


def by_librosa(waveform: np.ndarray) -> np.ndarray:
    """Compute the vector of one waveform by librosa's own functions, in single precision."""
    import librosa

    power = librosa.feature.melspectrogram(
        y=waveform,
        sr=16_000,
        n_fft=640,
        hop_length=320,
        window="hamming",
        center=False,
        n_mels=40,
        norm=None,
    )
    energies = np.log(power + np.float32(1e-5))
    slopes = librosa.feature.delta(energies, width=9, mode="nearest")
    spread = np.percentile(energies, [10, 50, 90], axis=1)
    ends = [np.abs(slopes).mean(axis=1), slopes.std(axis=1)]
    return np.concatenate([energies.mean(axis=1), energies.std(axis=1), *spread, *ends])


def timed(function, *arguments):
    start = time.process_time()
    result = function(*arguments)
    return result, time.process_time() - start


def main() -> None:
    clips = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    backend, rng = get_backend("logmel"), np.random.default_rng(0)
    warm = rng.normal(0, 0.1, (1, 80_000)).astype(np.float32)
    backend.embed(warm), by_librosa(warm[0])
    ours, theirs, largest = 0.0, 0.0, 0.0
    for _ in range(0, clips, BLOCK):
        sounds = rng.normal(0, 0.1, (BLOCK, 80_000)).astype(np.float32)
        vectors, spent = timed(backend.embed, sounds)
        ours += spent
        expected, spent = timed(lambda s: np.stack([by_librosa(one) for one in s]), sounds)
        theirs += spent
        largest = max(largest, float(np.abs(vectors - expected).max()))
    print(f"logmel {1000 * ours / clips:.2f} ms a clip, librosa {1000 * theirs / clips:.2f} ms")
    print(f"ratio {theirs / ours:.2f}, largest difference {largest:.1e}")


if __name__ == "__main__":
    main()
