"""Networks without any training: spectrograms, layers, validation part, checkpoints, devices."""

import numpy as np
import pytest

from earnest.embeddings.networks import checkpoints, devices, features, validation
from earnest.embeddings.networks.architectures import ARCHITECTURES, build, find
from earnest.embeddings.networks.options import training_options
from earnest.embeddings.networks.spectrograms import Spectrogram, checked
from earnest.rng import generator

torch = pytest.importorskip("torch", reason="torch is not installed (`make torch`)")


def noise(samples: int = 80_000, seed: int = 0) -> np.ndarray:
    return (0.1 * generator(seed, "noise").standard_normal(samples)).astype(np.float32)


# --- spectrograms ------------------------------------------------------------


@pytest.mark.parametrize("samples", [80_000, 160_000, 79_999, 500])
def test_spectrogram_of_the_baseline_is_that_of_librosa(samples: int) -> None:
    import librosa

    found = Spectrogram().of(noise(samples))
    padded = np.pad(noise(samples), (0, 640))
    expected = librosa.feature.melspectrogram(
        y=padded, sr=16_000, n_fft=640, hop_length=320, n_mels=40, norm=None, window="hamming",
        center=False, power=1,
    )  # fmt: skip
    assert found.shape == (40, max(samples // 320, 1))
    expected = np.log(expected[:, : found.shape[1]] + 1e-3)
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_spectrogram_of_the_few_shot_backbones_is_that_of_librosa() -> None:
    import librosa

    found = find("conv64f").spectrogram.of(noise())
    energies = librosa.feature.melspectrogram(
        y=noise(), sr=16_000, n_fft=1024, hop_length=512, n_mels=128, norm=None,
        pad_mode="constant",
    )  # fmt: skip
    assert found.shape == (128, 157)
    np.testing.assert_allclose(
        found, librosa.power_to_db(energies, amin=1e-10, top_db=None), atol=1e-3
    )


def test_decibels_of_magnitudes_are_those_of_energies() -> None:
    energies = Spectrogram(power=2, logarithm="decibel", floor=1e-12).of(noise())
    magnitudes = Spectrogram(power=1, logarithm="decibel", floor=1e-12)
    # one bin a band: only then is the magnitude of the sum the root of the summed energies
    assert magnitudes.of(noise()).mean() > energies.mean()
    silent = np.zeros(16_000, dtype=np.float32)
    np.testing.assert_allclose(magnitudes.of(silent), -240, rtol=1e-6)
    np.testing.assert_allclose(Spectrogram().of(silent), np.log(1e-3), rtol=1e-6)


@pytest.mark.parametrize(
    "options", [{"bands": 0}, {"hop": 700}, {"floor": 0.0}, {"power": 3}, {"logarithm": "two"}]
)
def test_senseless_spectrogram_is_refused(options: dict) -> None:
    with pytest.raises(ValueError, match=str(next(iter(options.values())))):
        Spectrogram(**options)


def test_waveforms_are_checked() -> None:
    waveforms = np.zeros((3, 10))
    assert checked(waveforms).dtype == np.float32
    waveforms[1, 4] = np.inf
    with pytest.raises(ValueError, match="waveform 8 holds a non-finite sample"):
        checked(waveforms, first=7)
    with pytest.raises(ValueError, match=r"got shape \(10,\)"):
        checked(waveforms[0])


def test_cached_spectrograms_do_not_depend_on_the_blocks(tmp_path) -> None:
    waveforms = noise(7 * 4_000).reshape(7, 4_000)
    one, other = (
        features.cache(
            np.split(waveforms, cuts), tmp_path / f"{len(cuts)}.npy", items=7, samples=4_000,
            spectrogram=Spectrogram(),
        )
        for cuts in ([], [1, 4, 4])
    )  # fmt: skip
    assert isinstance(one, np.memmap)
    assert one.shape == (7, 40, 12)
    np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(one[5], Spectrogram().of(waveforms[5]))


@pytest.mark.parametrize(("items", "samples"), [(6, 4_000), (8, 4_000), (7, 3_999)])
def test_stream_of_another_shape_is_refused(tmp_path, items: int, samples: int) -> None:
    with pytest.raises(ValueError, match="were expected, got"):
        features.cache(
            [noise(7 * 4_000).reshape(7, 4_000)], tmp_path / "x.npy", items=items,
            samples=samples, spectrogram=Spectrogram(),
        )  # fmt: skip
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("standardise", ["bands", "whole"])
def test_statistics_are_those_of_the_rows_named(standardise: str, monkeypatch) -> None:
    monkeypatch.setattr(features, "BLOCK", 3)
    rng = generator(0, "values")
    values = (-70 + 5 * rng.standard_normal((9, 4, 6))).astype(np.float32)
    values[:, 2] = 1.5
    rows = np.array([0, 2, 3, 7, 8])
    mean, sd = features.statistics(values, rows, standardise)
    axes = (0, 2) if standardise == "bands" else (0, 1, 2)
    expected = values[rows].astype(float).std(axis=axes).reshape(-1, 1)
    np.testing.assert_allclose(mean.ravel(), values[rows].astype(float).mean(axis=axes), rtol=1e-6)
    # a band without spread is not divided by 0
    np.testing.assert_allclose(sd, np.where(expected > 0, expected, 1), rtol=1e-5)


# --- layers ------------------------------------------------------------------


def test_the_baseline_has_its_published_number_of_parameters() -> None:
    # 1,600 and 100,416 of the convolutions, 12,900 and 1,010 of the dense layers; of batch
    # normalisation 2 for each of 32 + 64 channels, where the original has 4 for 40 + 8 bands,
    # half of them not trained
    network = build("cnn", classes=10, frames=500)
    expected = 1_600 + 64 + 100_416 + 128 + 12_900 + 1_010
    assert sum(p.numel() for p in network.parameters()) == expected == 116_118


@pytest.mark.parametrize(
    ("name", "samples"),
    [("cnn", 80_000), ("cnn", 160_000), ("conv64f", 80_000), ("resnet12", 80_000),
     ("resnet12", 160_000)],
)  # fmt: skip
def test_embeddings_have_their_dimension_and_logits_their_classes(name: str, samples: int) -> None:
    architecture = ARCHITECTURES[name]
    frames = architecture.spectrogram.frames(samples)
    network = build(name, classes=7, frames=frames).eval()
    maps = torch.zeros(2, 1, architecture.spectrogram.bands, frames)
    with torch.inference_mode():
        embeddings = network["body"](maps)
        assert embeddings.shape == (2, architecture.dimension)
        assert network["head"](embeddings).shape == (2, 7)


@pytest.mark.parametrize("samples", [80_000, 160_000])
def test_time_pooling_of_the_baseline_covers_the_whole_clip(samples: int) -> None:
    """A sound in any tenth of the clip reaches the embedding."""
    frames = Spectrogram().frames(samples)
    torch.manual_seed(0)
    body = build("cnn", classes=2, frames=frames)["body"].eval()
    with torch.inference_mode():
        silent = body(torch.zeros(1, 1, 40, frames))
        for tenth in range(10):
            maps = torch.zeros(1, 1, 40, frames)
            first = tenth * frames // 10
            maps[..., first : first + frames // 10] = 5 * torch.randn(40, frames // 10)
            assert not torch.equal(body(maps), silent)


def test_few_shot_layers_have_the_sizes_of_their_sources() -> None:
    conv = build("conv64f", classes=2, frames=157)["body"].eval()
    with torch.inference_mode():
        maps = conv[:-5](torch.zeros(1, 1, 128, 157))
        assert maps.shape == (1, 64, 1, 1)
        residual = build("resnet12", classes=2, frames=157)["body"].eval()
        assert residual[:-2](torch.zeros(1, 1, 128, 157)).shape == (1, 640, 4, 5)


def test_new_weights_are_spread_as_the_original_has_them() -> None:
    torch.manual_seed(1)
    body = build("cnn", classes=10, frames=250)["body"]
    bound = (6 / (49 * 1 + 49 * 32)) ** 0.5
    assert 0.95 * bound < body[0].weight.abs().max() <= bound
    assert body[0].bias.abs().max() == 0
    assert 0.049 < body[-2].weight.abs().max() <= 0.05


def test_unknown_architecture_is_named() -> None:
    with pytest.raises(ValueError, match="'vgg'; known are cnn, conv64f, resnet12"):
        build("vgg", classes=2, frames=10)


# --- options -----------------------------------------------------------------


def test_options_of_a_study_complete_those_of_the_architecture() -> None:
    options = training_options("cnn", epochs=5, device="cpu")
    assert options.settings == {
        "epochs": 5, "batch_size": 16, "learning_rate": 1e-3, "patience": 40,
        "validation_share": 0.3, "threads": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"epoch": 3}, TypeError, "no option 'epoch'; it has epochs, batch_size"),
        ({"epochs": 0}, ValueError, "epochs must be a whole number from 1 on, got 0"),
        ({"batch_size": 1}, ValueError, "batch_size must be a whole number from 2 on, got 1"),
        ({"patience": 2.5}, ValueError, "patience must be a whole number"),
        ({"learning_rate": 0}, ValueError, "learning_rate must be positive, got 0"),
        ({"learning_rate": "fast"}, ValueError, "learning_rate must be positive, got 'fast'"),
        ({"validation_share": 1}, ValueError, "validation_share must lie between 0 and 1, got 1"),
    ],
)
def test_senseless_options_are_refused(given: dict, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        training_options("cnn", **given)


# --- the validation part -----------------------------------------------------


def test_no_recording_is_in_both_parts_and_every_class_gives_its_share() -> None:
    rng = generator(0, "recordings")
    labels = np.repeat(["ant", "bee", "cat"], [100, 60, 40])
    recordings = np.array([f"{label}{rng.integers(20)}" for label in labels])
    parts = validation.split_off(labels, recordings, share=0.3, rng=generator(0, "split"))
    assert set(recordings[parts.training]).isdisjoint(recordings[parts.validation])
    assert sorted([*parts.training, *parts.validation]) == list(range(200))
    for label in ("ant", "bee", "cat"):
        assert (labels[parts.validation] == label).mean() > 0
        share = (labels[parts.validation] == label).sum() / (labels == label).sum()
        assert 0.25 <= share <= 0.35
    assert parts.unvalidated == ()


def test_class_with_one_recording_only_trains() -> None:
    labels = np.array(["ant"] * 4 + ["bee"] * 4)
    recordings = np.array(["a", "a", "a", "a", "b1", "b1", "b1", "b2"])
    parts = validation.split_off(labels, recordings, share=0.3, rng=generator(0))
    assert parts.unvalidated == ("ant",)
    assert parts.validation.tolist() == [7]


def test_large_recordings_leave_the_smallest_for_validation() -> None:
    labels = np.array(["ant"] * 5)
    recordings = np.array(["a1"] * 3 + ["a2"] * 2)
    parts = validation.split_off(labels, recordings, share=0.1, rng=generator(0))
    assert parts.validation.tolist() == [3, 4]


def test_too_few_recordings_are_an_error() -> None:
    with pytest.raises(ValueError, match=r"none of 2 classes has two \(3 items of 2 recordings\)"):
        validation.split_off(
            np.array(["ant", "ant", "bee"]), np.array(["a", "a", "b"]), share=0.3, rng=generator(0)
        )


def test_class_whose_recordings_all_go_with_others_is_named() -> None:
    # the smaller recording of ant and of bee goes to validation; cat has none but these
    labels = np.array(["ant"] * 4 + ["bee"] * 4 + ["cat"] * 2)
    recordings = np.array(["x", "p", "p", "p", "y", "q", "q", "q", "x", "y"])
    with pytest.raises(ValueError, match="those of 'cat' are shared with other classes"):
        validation.split_off(labels, recordings, share=0.1, rng=generator(0))


# --- checkpoints and devices -------------------------------------------------


def test_equal_checkpoints_have_equal_bytes(tmp_path) -> None:
    content = {"a": torch.arange(3), "b": ["x", 1, 2.5]}
    checkpoints.save(content, tmp_path / "one.pt")
    checkpoints.save(content, tmp_path / "two.pt")
    assert (tmp_path / "one.pt").read_bytes() == (tmp_path / "two.pt").read_bytes()
    assert checkpoints.read(tmp_path / "one.pt")["b"] == ["x", 1, 2.5]


def test_what_is_no_checkpoint_is_said(tmp_path) -> None:
    with pytest.raises(checkpoints.WrongCheckpoint, match="there is no checkpoint"):
        checkpoints.read(tmp_path / "absent.pt")
    for name, content in (("text.pt", b"<html>not found</html>"), ("empty.pt", b"")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(checkpoints.WrongCheckpoint, match=f"{name} is no checkpoint"):
            checkpoints.read(tmp_path / name)
    checkpoints.save({"a": torch.arange(3)}, tmp_path / "half.pt")
    whole = (tmp_path / "half.pt").read_bytes()
    (tmp_path / "half.pt").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(checkpoints.WrongCheckpoint, match=r"half\.pt is no checkpoint"):
        checkpoints.read(tmp_path / "half.pt")
    checkpoints.save({"state": 1}, tmp_path / "other.pt")
    with pytest.raises(checkpoints.WrongCheckpoint, match="'architecture' is missing"):
        checkpoints.read_network(tmp_path / "other.pt")


def test_code_in_a_checkpoint_is_not_run(tmp_path) -> None:
    class Harmful:
        def __reduce__(self) -> tuple:
            return (open, (str(tmp_path / "touched"), "w"))

    torch.save({"a": Harmful()}, tmp_path / "harmful.pt")
    with pytest.raises(checkpoints.WrongCheckpoint, match=r"harmful\.pt is no checkpoint"):
        checkpoints.read(tmp_path / "harmful.pt")
    assert not (tmp_path / "touched").exists()


def test_both_values_of_a_difference_are_given() -> None:
    with pytest.raises(checkpoints.WrongCheckpoint, match="epochs: it has 20, this study 10"):
        checkpoints.check_same({"settings": {"epochs": 10}}, {"settings": {"epochs": 20}}, "m.pt")


def test_device_that_is_not_there_is_named() -> None:
    assert devices.choose("cpu").type == "cpu"
    assert devices.choose("auto").type == ("cuda" if torch.cuda.is_available() else "cpu")
    with pytest.raises(ValueError, match="'gpu' is none of auto, cpu"):
        devices.choose("gpu")
    with pytest.raises(ValueError, match="'cuda:99' was asked for, but torch sees"):
        devices.choose("cuda:99")


def test_parts_are_halved_until_they_fit_and_nothing_is_lost() -> None:
    done: list[int] = []

    def work(part: slice) -> None:
        if part.stop - part.start > 3:
            raise torch.OutOfMemoryError("CUDA out of memory")
        done.extend(range(part.start, part.stop))

    halving = devices.Halving(16)
    halving.run(work, 37)
    assert done == list(range(37))
    assert halving.size == 2


def test_one_item_that_does_not_fit_is_an_error() -> None:
    def work(part: slice) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    with pytest.raises(torch.OutOfMemoryError):
        devices.Halving(4).run(work, 5)


def test_missing_torch_is_said_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(devices.MissingTorch, match=r"backend cnn needs torch.*`make torch`"):
        devices.import_torch("backend cnn")
