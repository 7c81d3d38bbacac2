"""Trained networks as backends, and their training from a study's shards of sound."""

import numpy as np
import pandas as pd
import pytest

from earnest import embeddings
from earnest.embeddings import backbones, checking
from earnest.embeddings.networks import checkpoints, inference
from earnest.embeddings.networks.spectrograms import Spectrogram
from earnest.rng import generator

torch = pytest.importorskip("torch", reason="torch is not installed (`make torch`)")

SAMPLES = 8_000
OPTIONS = {"epochs": 2, "device": "cpu"}


def waveforms(count: int, seed: int = 0) -> np.ndarray:
    rng = generator(seed, "waveforms")
    return (0.1 * rng.standard_normal((count, SAMPLES))).astype(np.float32)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Two shards of tones and noise; every fourth item is in the pool."""
    folder = tmp_path_factory.mktemp("study")
    sounds = waveforms(48)
    seconds = np.arange(SAMPLES) / 16_000
    sounds[::2] += (0.2 * np.sin(2 * np.pi * 500 * seconds)).astype(np.float32)
    items = pd.DataFrame(
        {
            "foreground": ["tone", "noise"] * 24,
            "split": ["pool" if n % 8 < 2 else "train" for n in range(48)],
            "recording": [f"r{n // 4}{n % 2}" for n in range(48)],
            "row": np.r_[np.arange(24), np.arange(24)],
            "checksum": None,
        }
    )
    shards = []
    for number, part in enumerate((slice(0, 24), slice(24, 48))):
        np.save(folder / f"part-{number}.npy", sounds[part])
        shards.append(backbones.Sounds(str(folder / f"part-{number}.npy"), items[part]))
    return shards


def train(study, folder, *, backend="cnn", **options):
    return backbones.train_backbone(
        study, backend=backend, options=OPTIONS | options, root_seed=0, name="mine",
        sample_rate=16_000, length=SAMPLES, folder=folder,
    )  # fmt: skip


@pytest.fixture(scope="module")
def model(study, tmp_path_factory):
    """The path of a checkpoint, and the report of its training."""
    folder = tmp_path_factory.mktemp("model")
    checkpoint, report = train(study, folder / "unfinished")
    checkpoints.save(checkpoint, folder / "model.pt")
    return folder / "model.pt", report


@pytest.fixture
def backend(model):
    return embeddings.get_backend("cnn", checkpoint=model[0], **OPTIONS)


def test_only_training_items_are_read(study, model, tmp_path) -> None:
    path, report = model
    assert report["training_part"]["items"] + report["validation_part"]["items"] == 36
    silenced = []
    for shard in study:
        sounds = np.load(shard.path)
        sounds[shard.items.loc[shard.items["split"] == "pool", "row"]] = 0
        np.save(tmp_path / "silenced.npy", sounds)
        kept = tmp_path / f"{len(silenced)}.npy"
        np.save(kept, sounds)
        silenced.append(shard._replace(path=str(kept)))
    checkpoint, _ = train(silenced, tmp_path / "unfinished")
    found = inference.checkpoints.weights_hash(checkpoint["weights"])
    assert found == checkpoints.weights_hash(checkpoints.read(path)["weights"])


def test_embedding_is_the_penultimate_layer_of_the_plain_network(backend, model) -> None:
    """Without what makes it quick: fused layers, blocks, the other order in memory."""
    from earnest.embeddings.networks import architectures

    found = checkpoints.read_network(model[0])
    network = architectures.build("cnn", classes=2, frames=25).eval()
    network.load_state_dict(found["weights"])
    sounds = waveforms(20, seed=1)
    maps = torch.from_numpy(np.stack([Spectrogram().of(one) for one in sounds]))
    with torch.inference_mode():
        expected = network["body"](((maps - found["mean"]) / found["sd"]).unsqueeze(1))
        logits = network["head"](expected).numpy()
    vectors = backend.embed(sounds)
    assert vectors.shape == (20, 100)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected.numpy(), atol=1e-4)
    head = checkpoints.head(found)
    weights = np.array(head["weights"])
    np.testing.assert_allclose(vectors @ weights[:, :-1].T + weights[:, -1], logits, atol=1e-4)
    assert head["classes"] == ["noise", "tone"]


def test_backend_keeps_every_promise(backend) -> None:
    checking.demand(checking.check_backend(backend, seconds=0.5), backend.name)


def test_batch_size_does_not_change_an_embedding(backend) -> None:
    sounds = waveforms(20, seed=2)
    together = backend.embed(sounds)
    single = np.concatenate([backend.embed(one[None]) for one in sounds])
    np.testing.assert_allclose(together, single, atol=1e-5)
    np.testing.assert_array_equal(backend.embed(sounds), together)
    assert backend.embed(sounds[:0]).shape == (0, 100)


def test_shorter_sounds_are_followed_by_zeros_and_longer_ones_seen_whole(backend) -> None:
    short = waveforms(2)[:, :3_000]
    padded = np.pad(short, ((0, 0), (0, SAMPLES - 3_000)))
    np.testing.assert_array_equal(backend.embed(short), backend.embed(padded))
    late = np.zeros((1, 3 * SAMPLES), dtype=np.float32)
    silent = backend.embed(late)
    late[0, -2_000:] = waveforms(1)[0, :2_000]
    assert not np.array_equal(backend.embed(late), silent)


def test_wrong_waveforms_are_refused(backend) -> None:
    sounds = waveforms(3)
    sounds[2, 5] = np.nan
    with pytest.raises(ValueError, match="waveform 2 holds a non-finite sample"):
        backend.embed(sounds)
    with pytest.raises(ValueError, match=r"got shape \(8000,\)"):
        backend.embed(sounds[0])


def test_activation_that_is_not_finite_is_named(model, tmp_path) -> None:
    found = checkpoints.read_network(model[0])
    found["weights"]["body.11.bias"][3] = torch.nan
    checkpoints.save(found, tmp_path / "broken.pt")
    broken = embeddings.get_backend("cnn", checkpoint=tmp_path / "broken.pt", **OPTIONS)
    with pytest.raises(inference.NonFiniteActivations, match=r"2 embeddings of cnn .* waveform 0"):
        broken.embed(waveforms(2))


def test_out_of_memory_halves_the_batch_and_goes_on(backend, monkeypatch, caplog) -> None:
    sounds = waveforms(20, seed=3)
    expected = backend.embed(sounds)
    of_torch = torch.from_numpy

    def limited(array):
        if array.ndim == 3 and len(array) > 3:  # spectrograms of a batch
            raise torch.OutOfMemoryError("CUDA out of memory")
        return of_torch(array)

    monkeypatch.setattr(torch, "from_numpy", limited)
    np.testing.assert_allclose(backend.embed(sounds), expected, atol=1e-5)
    assert "going on with 2 items at a time" in caplog.text


@pytest.mark.parametrize("name", sorted(embeddings.TRAINED))
def test_backend_without_checkpoint_says_what_it_needs(name: str) -> None:
    with pytest.raises(ValueError, match=f"backend {name} needs option `checkpoint`"):
        embeddings.get_backend(name)


def test_wrong_checkpoint_is_refused_with_both_values(model) -> None:
    with pytest.raises(checkpoints.WrongCheckpoint, match="it has 'cnn', this study 'conv64f'"):
        embeddings.get_backend("conv64f", checkpoint=model[0])
    with pytest.raises(checkpoints.WrongCheckpoint, match="epochs: it has 2, this study 200"):
        embeddings.get_backend("cnn", checkpoint=model[0])
    with pytest.raises(TypeError, match="cnn has no option 'bands'"):
        embeddings.get_backend("cnn", checkpoint=model[0], bands=3)


def test_description_is_plain_and_names_weights_and_versions(backend, model) -> None:
    from earnest import io

    described = backend.describe()
    assert io.plain(described) == described
    assert described["weights"] == checkpoints.weights_hash(checkpoints.read(model[0])["weights"])
    assert described["versions"]["torch"] == torch.__version__.split("+")[0]
    assert described["settings"]["epochs"] == 2
    assert "device" not in str(described)


@pytest.mark.parametrize(("name", "dimension"), [("conv64f", 1_600), ("resnet12", 12_800)])
def test_few_shot_backbone_is_trained_and_embeds(study, tmp_path, name, dimension) -> None:
    longer = []
    for number, shard in enumerate(study):
        np.save(tmp_path / f"{number}.npy", np.tile(np.load(shard.path), (1, 6)))
        items = shard.items[shard.items["row"] < 12]
        longer.append(shard._replace(path=str(tmp_path / f"{number}.npy"), items=items))
    checkpoint, report = backbones.train_backbone(
        longer, backend=name, options=OPTIONS | {"epochs": 1}, root_seed=0, name="mine",
        sample_rate=16_000, length=6 * SAMPLES, folder=tmp_path,
    )  # fmt: skip
    assert report["architecture"] == name
    assert checkpoint["mean"].shape == checkpoint["sd"].shape == (1, 1)
    assert np.load(tmp_path / "features.npy", mmap_mode="r").shape[1:] == (128, 94)
    checkpoints.save(checkpoint, tmp_path / "model.pt")
    backend = embeddings.get_backend(name, checkpoint=tmp_path / "model.pt", epochs=1, device="cpu")
    assert backend.embed(np.tile(waveforms(2), (1, 6))).shape == (2, dimension)


def test_sounds_too_short_for_an_architecture_are_refused(study, tmp_path) -> None:
    with pytest.raises(ValueError, match=r"conv64f needs sounds of 2\.6 s .* got 16 frames"):
        train(study, tmp_path, backend="conv64f")


def test_problems_of_a_study_are_found_before_its_first_job(monkeypatch) -> None:
    assert list(embeddings.find_problems("cnn", {"epochs": 3, "device": "auto"})) == []
    (problem,) = embeddings.find_problems("cnn", {"epoch": 3})
    assert problem.startswith("backend cnn has no option 'epoch'; it has epochs, batch_size")
    (problem,) = embeddings.find_problems("resnet12", {"checkpoint": "absent.pt"})
    assert problem == "backend resnet12: there is no checkpoint absent.pt"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    (problem,) = embeddings.find_problems("cnn", {})
    assert problem.startswith("backend cnn needs torch, which is not installed: run `make torch`")


def test_no_training_items_are_an_error(study, tmp_path) -> None:
    empty = [shard._replace(items=shard.items[:0]) for shard in study]
    with pytest.raises(ValueError, match="no training items for backend cnn"):
        train(empty, tmp_path)
