"""Time of `cnn` inference in batches against one clip at a time, in one run.

    python benchmarks/network_inference.py [clips]      (default: 256)

Clips of 5 s at 16 kHz in an array become embeddings in four ways, which take turns, on one thread
and on two (of torch and of BLAS):

- *in one call*: the backend, as the embedding jobs call it;
- *clip by clip, same backend*: the backend called for one clip after the other;
- *plain loop, same spectrograms*: for one clip after the other our spectrogram, then the network
  as it was trained, eager: no layer taken into another, one clip in a batch;
- *plain loop*: what one would write without this project. For one clip after the other
  `librosa.feature.melspectrogram` and a logarithm, then the layers in their published order
  (convolution, batch normalisation, ReLU, pooling), eager, under `no_grad`, one clip in a batch.

With random weights, which cost as much as trained ones. CPU time is given beside the clock,
which only means something on a machine that does nothing else; with two threads CPU time counts
what threads wait for each other.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

os.environ.setdefault("OMP_NUM_THREADS", "2")
# in place of this folder, whose coverage.py would hide a package of that name
sys.path[0] = str(Path(__file__).resolve().parent.parent)

import numpy as np  # noqa: E402

ROUNDS = 5


def make_checkpoint(path: Path, *, samples: int = 80_000) -> None:
    """Save a network that was never trained."""
    import torch

    from earnest.embeddings.networks import architectures, checkpoints
    from earnest.embeddings.networks.options import training_options

    torch.manual_seed(0)
    spectrogram = architectures.find("cnn").spectrogram
    network = architectures.build("cnn", classes=10, frames=spectrogram.frames(samples))
    checkpoint = {
        "format": checkpoints.FORMAT,
        "architecture": "cnn",
        "classes": [f"class{n}" for n in range(10)],
        "spectrogram": spectrogram.describe(),
        "samples": samples,
        "mean": torch.full((40, 1), -3.0),
        "sd": torch.full((40, 1), 2.0),
        "settings": training_options("cnn").settings,
        "validation_recordings": [],
        "weights": network.state_dict(),
        "training": {"best_epoch": 1, "validation_accuracy": 0.1},
    }
    checkpoints.save(checkpoint, path)


def by_librosa(waveform: np.ndarray) -> np.ndarray:
    import librosa

    energies = librosa.feature.melspectrogram(
        y=np.pad(waveform, (0, 320)),
        sr=16_000,
        n_fft=640,
        hop_length=320,
        window="hamming",
        center=False,
        n_mels=40,
        norm=None,
        power=1,
    )
    return np.log(energies + np.float32(1e-3))


def plain(path: Path, spectrogram_of: Callable, *, published: bool) -> Callable:
    """Return what embeds clip by clip through the network as its layers say."""
    import torch

    from earnest.embeddings.networks import architectures, checkpoints

    found = checkpoints.read_network(path)
    network = architectures.build("cnn", classes=10, frames=250).eval()
    network.load_state_dict(found["weights"])
    layers = list(network["body"])
    if published:
        for relu in (3, 8):
            layers[relu - 1], layers[relu] = layers[relu], layers[relu - 1]
    body = torch.nn.Sequential(*layers).eval()

    def embed(waveforms: np.ndarray) -> np.ndarray:
        vectors = []
        with torch.no_grad():
            for waveform in waveforms:
                maps = torch.from_numpy(spectrogram_of(waveform))
                maps = (maps - found["mean"]) / found["sd"]
                vectors.append(body(maps[None, None]).numpy()[0])
        return np.stack(vectors)

    return embed


def take_turns(ways: dict[str, Callable], waveforms: np.ndarray) -> None:
    """Print the shortest times of each way, and its ratios to the first."""
    for embed in ways.values():
        embed(waveforms[:20])
    spent, waited = dict.fromkeys(ways, np.inf), dict.fromkeys(ways, np.inf)
    vectors = {}
    for _ in range(ROUNDS):
        for name, embed in ways.items():
            start, noted = process_time(), perf_counter()
            vectors[name] = embed(waveforms)
            spent[name] = min(spent[name], process_time() - start)
            waited[name] = min(waited[name], perf_counter() - noted)
    first = next(iter(ways))
    for name in ways:
        cpu, clock = (1000 * seconds[name] / len(waveforms) for seconds in (spent, waited))
        print(
            f"  {name:30s} CPU {cpu:5.2f} ms a clip, {spent[name] / spent[first]:4.2f} times;"
            f" clock {clock:5.2f} ms, {waited[name] / waited[first]:4.2f} times;"
            f" largest difference {np.abs(vectors[name] - vectors[first]).max():.0e}"
        )


def main() -> None:
    import torch
    from threadpoolctl import threadpool_limits

    from earnest.embeddings import get_backend
    from earnest.embeddings.networks.spectrograms import Spectrogram

    clips = int(sys.argv[1]) if len(sys.argv) > 1 else 256
    waveforms = np.random.default_rng(0).normal(0, 0.1, (clips, 80_000)).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pt"
        make_checkpoint(path)
        backend = get_backend("cnn", checkpoint=path, device="cpu")
        ways: dict[str, Callable[[np.ndarray], np.ndarray]] = {
            "in one call": backend.embed,
            "clip by clip, same backend": lambda w: np.concatenate(
                [backend.embed(one[None]) for one in w]
            ),
            "plain loop, same spectrograms": plain(path, Spectrogram().of, published=False),
            "plain loop": plain(path, by_librosa, published=True),
        }
        for threads in (1, 2):
            torch.set_num_threads(threads)
            print(f"threads: {threads}")
            with threadpool_limits(threads):
                take_turns(ways, waveforms)


if __name__ == "__main__":
    main()
