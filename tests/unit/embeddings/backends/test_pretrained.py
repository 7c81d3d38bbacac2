"""Pretrained networks: what they give, and every way in which weights or memory are missing."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from earnest.embeddings import BACKENDS, find_problems, get_backend, sources
from earnest.embeddings.protocol import (
    MissingRequirement,
    MissingWeights,
    WrongWeights,
    mean_over_windows,
    window_starts,
)
from tests.made_networks import SPEECH, needs, saved, small_speech


def sounds(count: int, samples: int) -> np.ndarray:
    return (0.1 * np.random.default_rng(0).standard_normal((count, samples))).astype(np.float32)


@pytest.mark.parametrize(
    ("samples", "length", "starts"),
    [(5, 3, [0, 2]), (6, 3, [0, 3]), (7, 3, [0, 3, 4]), (3, 3, [0]), (2, 3, [0])],
)
def test_windows_cover_the_clip(samples: int, length: int, starts: list[int]) -> None:
    assert window_starts(samples, length) == starts


def test_mean_over_windows_is_that_of_the_windows() -> None:
    waveforms = np.arange(10, dtype=np.float32).reshape(2, 5)
    seen: list[np.ndarray] = []

    def embed(windows: np.ndarray) -> np.ndarray:
        seen.append(windows)
        return windows[:, :1]

    found = mean_over_windows(waveforms, 3, embed)
    assert seen[0].tolist() == [[0, 1, 2], [2, 3, 4], [5, 6, 7], [7, 8, 9]]
    assert found.tolist() == [[1.0], [6.0]]


@pytest.mark.parametrize("name", SPEECH)
def test_speech_vectors_are_the_mean_of_a_layer(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, options = saved(name, tmp_path, monkeypatch)
    import torch

    made = sounds(2, 4_000)
    network = small_speech(name).eval()
    with torch.inference_mode():
        layers, _ = network.extract_features(torch.from_numpy(made))
    for layer in (1, 2):
        backend = get_backend(name, **(options | {"layer": layer}), device="cpu")
        expected = layers[layer - 1].mean(dim=1).numpy()
        np.testing.assert_allclose(backend.embed(made), expected, atol=1e-5)
        assert backend.describe()["layer"] == layer


def test_addresses_and_networks_are_those_of_the_bundles() -> None:
    needs("torch", "torchaudio")
    import inspect

    import torchaudio

    from earnest.embeddings.backends import speech

    for name in SPEECH:
        bundle = getattr(torchaudio.pipelines, name.upper())
        factory = getattr(speech, BACKENDS[name].function.split(":")[1])
        assert bundle._path == factory.file
        assert bundle.sample_rate == factory.sample_rate
        assert bundle._params["encoder_num_layers"] == speech.LAYERS
        assert bundle._params["encoder_embed_dim"] == factory.dimension
        # torchaudio's function of that name makes the network of the bundle
        assert "base" in inspect.getdoc(getattr(torchaudio.models, name)).lower()


def test_weights_that_cannot_be_downloaded_are_named_with_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("torch", "torchaudio")
    import urllib.error

    import torch

    def no_network(*_: Any, **__: Any) -> None:
        raise urllib.error.URLError("no network")

    monkeypatch.setattr(torch.hub, "get_dir", lambda: str(tmp_path))
    monkeypatch.setattr(torch.hub, "download_url_to_file", no_network)
    assert list(find_problems("hubert_base", {})) == []
    with pytest.raises(MissingWeights) as caught:
        get_backend("hubert_base").embed(sounds(1, 4_000))
    text = str(caught.value)
    assert "models/hubert_fairseq_base_ls960.pth" in text
    assert str(tmp_path / "checkpoints/hubert_fairseq_base_ls960.pth") in text
    assert "`checkpoint`" in text


def test_weights_in_the_cache_of_torch_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, options = saved("wav2vec2_base", tmp_path, monkeypatch)
    import torch

    cached = tmp_path / "checkpoints/wav2vec2_fairseq_base_ls960.pth"
    cached.parent.mkdir()
    Path(options["checkpoint"]).rename(cached)
    monkeypatch.setattr(torch.hub, "get_dir", lambda: str(tmp_path))
    backend = get_backend(name, layer=1, device="cpu")
    assert backend.embed(sounds(1, 4_000)).shape == (1, 768)
    assert len(backend.describe()["weights"]) == 64


@pytest.mark.parametrize("name", ["ast", "clap", "clap-fused"])
def test_hub_folders_embed_windows_of_long_clips(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend, options = saved(name, tmp_path, monkeypatch)
    made = get_backend(backend, **options, device="cpu")
    window = made.window
    long = sounds(1, window + 1_000)
    parts = [made.embed(long[:, first : first + window])[0] for first in (0, 1_000)]
    np.testing.assert_allclose(made.embed(long)[0], np.mean(parts, axis=0), atol=1e-6)
    if backend == "clap":
        np.testing.assert_allclose(np.linalg.norm(parts, axis=1), 1, rtol=1e-5)
    assert made.describe()["config"] != made.describe()["preprocessor"]


def test_clap_is_what_transformers_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, options = saved("clap", tmp_path, monkeypatch)
    import torch
    import transformers

    folder = options["checkpoint"]
    network = transformers.ClapModel.from_pretrained(folder).eval()
    extractor = transformers.ClapFeatureExtractor.from_pretrained(folder)
    made = sounds(2, 96_000)
    given = extractor(list(made), sampling_rate=48_000, return_tensors="pt")
    with torch.inference_mode():
        expected = network.get_audio_features(**given).pooler_output.numpy()
    found = get_backend("clap", checkpoint=folder, device="cpu").embed(made)
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("name", ["wav2vec2_base", "panns", "beats"])
def test_wrong_checkpoints_are_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, options = saved(name, tmp_path, monkeypatch)
    import torch

    path = tmp_path / "wrong.pth"
    options["checkpoint"] = str(path)
    path.write_text("<html>404</html>")
    with pytest.raises(WrongWeights, match=rf"wrong\.pth is no checkpoint that backend {name}"):
        get_backend(name, **options).embed(sounds(1, 20_000))
    torch.save({"cfg": {}, "model": {"other": torch.zeros(1)}}, path)
    with pytest.raises(WrongWeights, match=r"wrong\.pth is not (the|a) checkpoint .{,250}$"):
        get_backend(name, **options).embed(sounds(1, 20_000))


class Code:
    """What a checkpoint that runs code when it is read would hold."""

    def __reduce__(self) -> tuple:
        return print, ("this must never run",)


def test_code_in_a_checkpoint_does_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    name, options = saved("wav2vec2_base", tmp_path, monkeypatch)
    import torch

    torch.save({"weights": Code()}, options["checkpoint"])
    with pytest.raises(WrongWeights, match="no checkpoint that backend wav2vec2_base can load"):
        get_backend(name, **options).embed(sounds(1, 4_000))
    assert "never" not in capsys.readouterr().out


def test_checkpoints_with_the_older_names_of_weight_norm_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The published files have them; torch renames when it loads."""
    name, options = saved("wav2vec2_base", tmp_path, monkeypatch)
    import torch

    made = sounds(1, 4_000)
    expected = get_backend(name, **options, device="cpu").embed(made)
    weights = torch.load(options["checkpoint"], weights_only=True)
    old = {"original0": "weight_g", "original1": "weight_v"}
    renamed = {}
    for key, value in weights.items():
        head, _, tail = key.partition("parametrizations.weight.")
        renamed[head + old.get(tail, tail)] = value
    assert renamed.keys() != weights.keys()
    torch.save(renamed, options["checkpoint"])
    found = get_backend(name, **options, device="cpu").embed(made)
    np.testing.assert_array_equal(found, expected)


def test_missing_and_misshapen_weights_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, options = saved("wav2vec2_base", tmp_path, monkeypatch)
    import torch

    weights = torch.load(options["checkpoint"], weights_only=True)
    first = sorted(weights)[0]
    torch.save({k: v for k, v in weights.items() if k != first}, options["checkpoint"])
    with pytest.raises(WrongWeights, match=f"it lacks {first}"):
        get_backend(name, **options).embed(sounds(1, 4_000))
    torch.save(weights | {first: torch.zeros(3)}, options["checkpoint"])
    with pytest.raises(WrongWeights, match=rf"size mismatch for {first}: .*\[3\]"):
        get_backend(name, **options).embed(sounds(1, 4_000))


def test_folder_of_another_network_or_without_weights_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, options = saved("ast", tmp_path, monkeypatch)
    with pytest.raises(WrongWeights, match="'audio-spectrogram-transformer'; backend clap needs"):
        get_backend("clap", **options).embed(sounds(1, 4_000))
    from safetensors.torch import load_file, save_file

    path = tmp_path / "ast/model.safetensors"
    weights = load_file(path)
    kept = {key: value for key, value in weights.items() if "layer.1." not in key}
    assert len(kept) < len(weights)
    save_file(kept, path, metadata={"format": "pt"})
    with pytest.raises(WrongWeights, match=r"lacks 16 weights of backend ast: layers?\.1"):
        get_backend("ast", **options).embed(sounds(1, 4_000))
    path.unlink()
    (problem,) = find_problems("ast", options)
    assert "model.safetensors, which is not there" in problem
    assert "huggingface.co/MIT/ast" in problem
    with pytest.raises(MissingWeights, match="not there"):
        get_backend("ast", **options).embed(sounds(1, 4_000))


@pytest.mark.parametrize(("name", "rate"), [("ast", 16_000), ("clap", 48_000)])
def test_folder_for_sounds_at_another_rate_is_refused_with_both(
    name: str, rate: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, options = saved(name, tmp_path, monkeypatch)
    path = tmp_path / name / "preprocessor_config.json"
    path.write_text(path.read_text().replace(str(rate), "22050"))
    with pytest.raises(WrongWeights, match=rf"at 22050 Hz; backend {name} needs {rate} Hz"):
        get_backend(name, **options).embed(sounds(1, 4_000))


@pytest.mark.parametrize("name", ["panns", "beats", "clap", "ast"])
def test_problems_are_found_without_importing_anything_heavy(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    monkeypatch.setenv("HOME", str(tmp_path))
    extra = {"panns": "panns_inference", "beats": "speechbrain"}.get(name, "transformers")
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda module: None if module == extra else real(module)
    )
    missing = str(tmp_path / "none")
    problems = list(find_problems(name, {"checkpoint": missing}))
    assert "not installed: run `make " in problems[0]
    assert missing in problems[1]
    assert "which is not there; they are to be had from https://" in problems[1]
    assert ("class_labels_indices.csv" in problems[-1]) == (name == "panns")
    with pytest.raises(MissingRequirement, match="not installed"):
        get_backend(name, checkpoint=missing).embed(sounds(1, 100))
    assert list(find_problems(name, {})) == [f"backend {name} needs the option 'checkpoint'"]
    assert sources(name, {"checkpoint": missing})[0].startswith(missing)


def test_out_of_memory_halves_the_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, options = saved("wav2vec2_base", tmp_path, monkeypatch)
    import torch

    backend = get_backend(name, **options, device="cpu", batch_size=8)
    made = sounds(7, 4_000)
    expected = get_backend(name, **options, device="cpu").embed(made)
    sizes: list[int] = []
    real = backend.forward

    def small(model: Any, waveforms: np.ndarray) -> Any:
        sizes.append(len(waveforms))
        if len(waveforms) > 2:
            raise torch.OutOfMemoryError("made up")
        return real(model, waveforms)

    monkeypatch.setattr(backend, "forward", small)
    np.testing.assert_allclose(backend.embed(made), expected, atol=1e-5)
    assert sizes[0] == 7
    assert max(sizes[-3:]) <= 2


def test_a_clip_that_does_not_fit_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, options = saved("wav2vec2_base", tmp_path, monkeypatch)
    import torch

    backend = get_backend(name, **options, device="cpu")

    def never(*_: Any) -> None:
        raise torch.OutOfMemoryError("made up")

    monkeypatch.setattr(backend, "forward", never)
    with pytest.raises(torch.OutOfMemoryError):
        backend.embed(sounds(3, 4_000))


def test_activations_that_are_not_finite_name_the_waveform(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, options = saved("wav2vec2_base", tmp_path, monkeypatch)
    backend = get_backend(name, **options, device="cpu")
    real = backend.forward

    def broken(model: Any, waveforms: np.ndarray) -> Any:
        vectors = real(model, waveforms).clone()
        vectors[1, 3] = float("nan")
        return vectors

    monkeypatch.setattr(backend, "forward", broken)
    with pytest.raises(ValueError, match="gives waveform 1 a vector that is not finite"):
        backend.embed(sounds(3, 4_000))


@pytest.mark.parametrize(
    ("options", "message"),
    [({"layer": 0}, "layer must be 1 to 12"), ({"batch_size": 0}, "batch_size must be at least 1")],
)
def test_bad_options_are_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        get_backend("wav2vec2_base", **options)


def test_device_that_is_not_there_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, options = saved("wav2vec2_base", tmp_path, monkeypatch)
    with pytest.raises(ValueError, match="tpu"):
        get_backend(name, **options, device="tpu").embed(sounds(1, 4_000))


def test_looking_for_problems_imports_nothing_heavy(root: Path) -> None:
    heavy = ["torch", "torchaudio", "transformers", "ai_edge_litert", "speechbrain", "pandas"]
    code = f"""
import sys
from earnest.embeddings import BACKENDS, find_problems
options = {{"checkpoint": "none", "array": "a.npy", "items": "b.csv"}}
for name in BACKENDS:
    for given in (options, {{"checkpoint": "none"}}, {{"array": "a.npy", "items": "b.csv"}}, {{}}):
        list(find_problems(name, given))
print([name for name in {heavy} if name in sys.modules])
"""
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"


def test_unknown_options_are_named() -> None:
    problems = list(find_problems("ast", {"checkpont": "folder"}))
    assert problems == [
        "backend ast has no option 'checkpont'; did you mean 'checkpoint'?",
        "backend ast needs the option 'checkpoint'",
    ]
    assert list(find_problems("logmel", {"bands": 20})) == []
