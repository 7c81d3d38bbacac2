"""Training of networks: learned, chosen, repeated, killed and resumed, and stopped in words."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from earnest.embeddings.networks import checkpoints, features, training
from earnest.embeddings.networks.options import training_options
from earnest.embeddings.networks.spectrograms import Spectrogram
from earnest.embeddings.networks.training import Seeds
from earnest.rng import generator

torch = pytest.importorskip("torch", reason="torch is not installed (`make torch`)")

SAMPLES = 8_000
CLASSES = {"high": 3_000.0, "low": 300.0, "middle": 1_000.0}


def tones(recordings: int = 6, each: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Half a second of a tone in noise; recordings differ a little in pitch."""
    rng = generator(0, "tones")
    seconds = np.arange(SAMPLES) / 16_000
    waveforms, labels, names = [], [], []
    for label, pitch in CLASSES.items():
        for recording in range(recordings):
            own = pitch * rng.uniform(0.9, 1.1)
            for _ in range(each):
                tone = np.sin(2 * np.pi * own * seconds + rng.uniform(0, 6))
                waveforms.append(0.1 * tone + 0.1 * rng.standard_normal(SAMPLES))
                labels.append(label)
                names.append(f"{label}{recording}")
    return np.array(waveforms, dtype=np.float32), np.array(labels), np.array(names)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    waveforms, labels, recordings = tones()
    path = tmp_path_factory.mktemp("features") / "features.npy"
    array = features.cache(
        [waveforms], path, items=len(labels), samples=SAMPLES, spectrogram=Spectrogram()
    )
    return array, labels, recordings


def trained(made, folder: Path, *, root_seed: int = 0, **options):
    array, labels, recordings = made
    return training.train(
        array,
        labels,
        recordings,
        architecture="cnn",
        options=training_options("cnn", **{"epochs": 4, "device": "cpu"} | options),
        seeds=Seeds(root_seed, ("tones",)),
        samples=SAMPLES,
        folder=folder,
    )


@pytest.fixture(scope="module")
def undisturbed(made, tmp_path_factory):
    return trained(made, tmp_path_factory.mktemp("undisturbed"))


def test_tones_are_learned_and_the_best_epoch_is_kept(made, undisturbed) -> None:
    checkpoint, report = undisturbed
    curve = report["curve"]
    assert [row["epoch"] for row in curve] == [1, 2, 3, 4]
    best = max(curve, key=lambda row: (row["validation_accuracy"], -row["validation_loss"]))
    assert report["best_epoch"] == best["epoch"]
    assert report["validation_accuracy"] == best["validation_accuracy"] > 0.9
    assert curve[-1]["loss"] < curve[0]["loss"]
    assert checkpoint["classes"] == ["high", "low", "middle"]
    assert report["training_part"] == {"items": 48, "recordings": 12}
    assert report["validation_part"] == {"items": 24, "recordings": 6}


def test_kept_weights_give_the_validation_accuracy_that_is_reported(made, undisturbed) -> None:
    from earnest.embeddings.networks import architectures, validation

    array, labels, recordings = made
    checkpoint, report = undisturbed
    network = architectures.build("cnn", classes=3, frames=array.shape[2]).eval()
    network.load_state_dict(checkpoint["weights"])
    parts = validation.split_off(
        labels, recordings, share=0.3, rng=generator(0, "tones", "validation")
    )
    maps = (torch.from_numpy(array[parts.validation]) - checkpoint["mean"]) / checkpoint["sd"]
    with torch.inference_mode():
        found = network["head"](network["body"](maps.unsqueeze(1))).argmax(dim=1).numpy()
    hits = np.array(checkpoint["classes"])[found] == labels[parts.validation]
    assert hits.mean() == report["validation_accuracy"]


def test_statistics_are_of_the_training_part_alone(made, undisturbed) -> None:
    from earnest.embeddings.networks import validation

    array, labels, recordings = made
    parts = validation.split_off(
        labels, recordings, share=0.3, rng=generator(0, "tones", "validation")
    )
    values = array[parts.training].astype(float)
    checkpoint, _ = undisturbed
    np.testing.assert_allclose(checkpoint["mean"][:, 0], values.mean(axis=(0, 2)), rtol=1e-5)
    np.testing.assert_allclose(checkpoint["sd"][:, 0], values.std(axis=(0, 2)), rtol=1e-5)


def same_weights(one: dict, other: dict) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[key], other[key]) for key in one)


def test_same_seed_gives_the_same_weights_and_another_seed_others(
    made, undisturbed, tmp_path
) -> None:
    torch.manual_seed(99)
    again, report = trained(made, tmp_path / "again")
    assert same_weights(again["weights"], undisturbed[0]["weights"])
    assert report == undisturbed[1]
    other, _ = trained(made, tmp_path / "other", root_seed=1)
    assert not same_weights(other["weights"], undisturbed[0]["weights"])


def test_torch_is_left_as_it_was(made, tmp_path) -> None:
    torch.manual_seed(5)
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    trained(made, tmp_path, epochs=1, threads=2)
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_num_threads() == threads
    assert not torch.are_deterministic_algorithms_enabled()


SLOWLY = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from earnest.embeddings.networks import training
from tests.unit.embeddings.networks import test_training as made
from tests.unit.embeddings.networks.test_training import features, tones, trained

keep = training._Run._keep

def keep_and_wait(run):
    keep(run)
    time.sleep(60 if len(run.history) == 2 else 0)

training._Run._keep = keep_and_wait
waveforms, labels, recordings = tones()
folder = Path(sys.argv[1])
array = features.cache(
    [waveforms], folder / "features.npy", items=len(labels), samples=made.SAMPLES,
    spectrogram=made.Spectrogram(),
)
trained((array, labels, recordings), folder)
"""


def test_killed_training_ends_with_the_weights_of_an_undisturbed_one(
    root, made, undisturbed, tmp_path, caplog
) -> None:
    child = subprocess.Popen([sys.executable, "-c", SLOWLY, tmp_path, root], cwd=root)
    deadline = time.monotonic() + 240
    epochs = 0
    while epochs < 2:
        assert time.monotonic() < deadline
        assert child.poll() is None
        time.sleep(0.2)
        if (tmp_path / training.STATE).is_file():
            epochs = len(checkpoints.read(tmp_path / training.STATE)["history"])
    os.kill(child.pid, signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    array = np.load(tmp_path / "features.npy", mmap_mode="r")
    checkpoint, report = trained((array, *made[1:]), tmp_path)
    assert "going on after epoch 2 of an earlier run" in caplog.text
    assert same_weights(checkpoint["weights"], undisturbed[0]["weights"])
    assert report == undisturbed[1]


def test_state_of_another_training_is_refused_with_both_values(made, tmp_path) -> None:
    trained(made, tmp_path, epochs=1)
    with pytest.raises(checkpoints.WrongCheckpoint, match=r"epochs: it has 1, this study 2"):
        trained(made, tmp_path, epochs=2)
    array, labels, recordings = made
    renamed = np.where(labels == "low", "deep", labels)
    with pytest.raises(checkpoints.WrongCheckpoint, match=r"classes: it has \['high', 'low'"):
        trained((array, renamed, recordings), tmp_path, epochs=1)
    with pytest.raises(checkpoints.WrongCheckpoint, match=r"seed: it has \[0, 'tones'\]"):
        trained(made, tmp_path, epochs=1, root_seed=3)
    with pytest.raises(checkpoints.WrongCheckpoint, match="another data: it has"):
        trained((array[::-1], labels, recordings), tmp_path, epochs=1)


def test_training_stops_when_patience_ends(made, tmp_path) -> None:
    _, report = trained(made, tmp_path, epochs=50, patience=2, learning_rate=1e-9)
    assert report["epochs"] == report["best_epoch"] + 2 < 50
    assert report["stopped_early"]


def test_loss_that_is_not_finite_stops_the_training_in_words(made, tmp_path) -> None:
    with pytest.raises(
        training.TrainingDiverged, match=r"the loss is \w+ in epoch 1, batch 2 of 3: .* 1e\+30 may"
    ):
        trained(made, tmp_path, learning_rate=1e30)


def test_out_of_memory_halves_the_parts_and_goes_on(made, tmp_path, monkeypatch, caplog) -> None:
    batch = training._Data.batch

    def limited(data, rows):
        if len(rows) > 5:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return batch(data, rows)

    monkeypatch.setattr(training._Data, "batch", limited)
    _, report = trained(made, tmp_path)
    assert report["part_size"] == 4
    assert "out of memory: going on with 4 items at a time" in caplog.text
    assert report["epochs"] == 4
    assert report["validation_accuracy"] > 0.9


def test_one_class_is_refused(made, tmp_path) -> None:
    array, labels, recordings = made
    with pytest.raises(ValueError, match=r"two classes to learn, got \['high'\]"):
        trained((array[:24], labels[:24], recordings[:24]), tmp_path)
    with pytest.raises(ValueError, match="need one label and one recording each, got 71 and 72"):
        trained((array, labels[:-1], recordings), tmp_path)


def test_class_of_one_recording_is_reported(made, tmp_path, caplog) -> None:
    array, labels, recordings = made
    recordings = np.where(labels == "low", "only", recordings)
    _, report = trained((array, labels, recordings), tmp_path, epochs=1)
    assert report["classes_without_validation"] == ["low"]
    assert "classes of a single recording only train: low" in caplog.text
