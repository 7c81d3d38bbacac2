"""Time of `cnn` inference in batches against one clip at a time, in one run.

    python benchmarks/network_inference.py [clips]      (default: 256)

Clips of 5 s at 16 kHz, embedded four ways, which take turns: in one call; clip by clip through the
same backend; clip by clip through the network as it was trained, on the same spectrograms; and
the same on librosa's spectrograms. On as many threads as OMP_NUM_THREADS says (1 unless set); with
random weights, which cost as much as trained ones. CPU time, and time by the clock, which only
means something on a machine that does nothing else.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

os.environ.setdefault("OMP_NUM_THREADS", "1")
# in place of this folder, whose coverage.py would hide a package of that name
sys.path[0] = str(Path(__file__).resolve().parent.parent)

import numpy as np  # noqa: E402

ROUNDS = 5


def make_checkpoint(path: Path) -> None:
    """Save a network that was never trained."""
    import torch

    from earnest.networks import architectures, checkpoints
    from earnest.networks.options import training_options

    torch.manual_seed(0)
    spectrogram = architectures.find("cnn").spectrogram
    network = architectures.build("cnn", classes=10, frames=spectrogram.frames(80_000))
    checkpoint = {
        "format": checkpoints.FORMAT,
        "architecture": "cnn",
        "classes": [f"class{n}" for n in range(10)],
        "spectrogram": spectrogram.describe(),
        "samples": 80_000,
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


def plain(path: Path, spectrogram_of: Callable) -> Callable[[np.ndarray], np.ndarray]:
    """Return what embeds clip by clip through the network as its layers say."""
    import torch

    from earnest.networks import architectures, checkpoints

    found = checkpoints.read_network(path)
    network = architectures.build("cnn", classes=10, frames=250).eval()
    network.load_state_dict(found["weights"])

    def embed(waveforms: np.ndarray) -> np.ndarray:
        vectors = []
        with torch.inference_mode():
            for waveform in waveforms:
                maps = torch.from_numpy(spectrogram_of(waveform))
                maps = (maps - found["mean"]) / found["sd"]
                vectors.append(network["body"](maps[None, None]).numpy()[0])
        return np.stack(vectors)

    return embed


def main() -> None:
    from earnest.embeddings import get_backend
    from earnest.networks.spectrograms import Spectrogram

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
            "clip by clip, plain network": plain(path, Spectrogram().of),
            "clip by clip, plain network, librosa": plain(path, by_librosa),
        }
        for embed in ways.values():
            embed(waveforms[:4])
        least, waited = dict.fromkeys(ways, np.inf), dict.fromkeys(ways, np.inf)
        vectors = {}
        for _ in range(ROUNDS):
            for name, embed in ways.items():
                start, noted = process_time(), perf_counter()
                vectors[name] = embed(waveforms)
                least[name] = min(least[name], process_time() - start)
                waited[name] = min(waited[name], perf_counter() - noted)
    first = "in one call"
    for name in ways:
        cpu, clock = (1000 * seconds[name] / clips for seconds in (least, waited))
        print(
            f"{name:38s} CPU {cpu:5.2f} ms a clip, {least[name] / least[first]:4.2f} times;"
            f" clock {clock:5.2f} ms, {waited[name] / waited[first]:4.2f} times;"
            f" largest difference {np.abs(vectors[name] - vectors[first]).max():.0e}"
        )


if __name__ == "__main__":
    main()
