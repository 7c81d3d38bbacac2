"""Embeddings of shards: right samples to right row, plan order, no mixing of backends."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import soundfile

from earnest.embeddings import get_backend, joining, store
from earnest.io import schemas

LENGTH = 80_000


class Levels:
    """A backend that anyone can check: mean and largest sample."""

    name, sample_rate, dimension = "levels", 16_000, 2

    def embed(self, waveforms: np.ndarray) -> np.ndarray:
        assert waveforms.dtype == np.float32
        assert waveforms.shape[1] == LENGTH
        return np.column_stack([waveforms.mean(axis=1), waveforms.max(axis=1)])

    def describe(self) -> dict[str, Any]:
        return {"backend": self.name, "dimension": 2, "versions": {"numpy": np.__version__}}


def table(names: list[str], *, shard: int = 0, rejected: frozenset[str] = frozenset()):
    """Make a `mixtures` table; rejected rows have no row in the sound file."""
    rows, row = [], 0
    for name in names:
        used = name not in rejected
        rows.append(
            dict.fromkeys(schemas.TABLES["mixtures"])
            | {
                "mixture_id": name,
                "foreground_clip": "f",
                "background_clip": "b",
                "foreground": "dog",
                "background": "rain",
                "is_primary": True,
                "split": "train",
                "class_split": "test",
                "recording": f"demo/{name}",
                "background_recording": "demo/r",
                "shard": shard,
                "variant": "8-lu",
                "row": row if used else None,
                "status": "used" if used else "rejected",
                "reason": None if used else "silent",
            }
        )
        row += used
    frame = pd.DataFrame(rows, columns=list(schemas.TABLES["mixtures"]))
    return frame.astype({"row": "Int64"})


def items(names, **options):
    """Make the `items` of a shard's mixtures."""
    return store.items_of("mixtures", table(names, **options), options.get("shard", 0))


def write_levels(path: Path, levels: list[float], *, rate: int = 16_000, channels: int = 1) -> Path:
    samples = np.repeat(np.array(levels), LENGTH)
    soundfile.write(path, np.column_stack([samples] * channels), rate, subtype="PCM_16")
    return path


def test_each_mixture_gets_its_own_samples(tmp_path: Path) -> None:
    path = write_levels(tmp_path / "shard.wav", [0.5, -0.25, 0.125])
    vectors = store.embed_shard(path, items(["a", "b", "c"]), Levels())
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors[:, 0], [0.5, -0.25, 0.125], atol=1 / 32768)


def test_rejected_rows_are_passed_over_and_order_follows_the_table(tmp_path: Path) -> None:
    path = write_levels(tmp_path / "shard.wav", [0.5, -0.25])
    used = items(["a", "b", "c"], rejected=frozenset({"b"}))
    vectors = store.embed_shard(path, used.iloc[::-1], Levels())
    np.testing.assert_allclose(vectors[:, 0], [-0.25, 0.5], atol=1 / 32768)


def test_blocks_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = np.random.default_rng(0).normal(0, 0.1, 5 * LENGTH)
    path = tmp_path / "shard.wav"
    soundfile.write(path, samples, 16_000, subtype="PCM_16")
    whole = store.embed_shard(path, items(list("abcde")), get_backend("logmel"))
    monkeypatch.setattr(store, "BLOCK", 2)
    blocks = store.embed_shard(path, items(list("abcde")), get_backend("logmel"))
    np.testing.assert_array_equal(whole, blocks)


def test_a_prepared_array_is_embedded_like_a_file(tmp_path: Path) -> None:
    samples = np.repeat(np.array([0.5, -0.25], np.float32), LENGTH).reshape(2, LENGTH)
    np.save(tmp_path / "part.npy", samples)
    vectors = store.embed_shard(tmp_path / "part.npy", items(["a", "b"]).iloc[::-1], Levels())
    np.testing.assert_array_equal(vectors[:, 0], [-0.25, 0.5])
    np.save(tmp_path / "short.npy", samples[:, :100])
    with pytest.raises(ValueError, match="80000 samples each"):
        store.embed_shard(tmp_path / "short.npy", items(["a", "b"]), Levels())


def test_a_backend_gets_waveforms_at_its_own_rate(tmp_path: Path) -> None:
    class Tone(Levels):
        sample_rate = 48_000

        def embed(self, waveforms: np.ndarray) -> np.ndarray:
            assert waveforms.shape == (1, 3 * LENGTH)
            peak = np.abs(np.fft.rfft(waveforms[0])).argmax() / 5
            return np.array([[peak, np.abs(waveforms).max()]], np.float32)

    tone = 0.5 * np.sin(2 * np.pi * 1_000 * np.arange(LENGTH) / 16_000)
    soundfile.write(tmp_path / "shard.wav", tone, 16_000, subtype="PCM_16")
    (vector,) = store.embed_shard(tmp_path / "shard.wav", items(["a"]), Tone())
    assert vector == pytest.approx([1_000, 0.5], rel=0.02)


def test_shard_without_used_mixtures_needs_no_file(tmp_path: Path) -> None:
    none = items(["a"], rejected=frozenset({"a"}))
    assert store.embed_shard(tmp_path / "none.wav", none, Levels()).shape == (0, 2)


@pytest.mark.parametrize(
    ("levels", "settings", "message"),
    [
        ([0.1], {}, "rows up to 1"),
        ([0.1, 0.1], {"rate": 8_000}, "1 channels at 8000 Hz"),
        ([0.1, 0.1], {"channels": 2}, "2 channels at 16000 Hz"),
    ],
)
def test_file_that_is_not_the_tables_is_refused(
    tmp_path: Path, levels: list[float], settings: dict[str, int], message: str
) -> None:
    path = write_levels(tmp_path / "shard.wav", levels, **settings)
    with pytest.raises(ValueError, match=message):
        store.embed_shard(path, items(["a", "b"]), Levels())


def test_file_cut_within_a_mixture_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "shard.wav"
    soundfile.write(path, np.zeros(2 * LENGTH - 1), 16_000)
    with pytest.raises(ValueError, match="holds 159999 samples"):
        store.embed_shard(path, items(["a"]), Levels())


def test_gather_restores_the_order_of_the_plan() -> None:
    second = table(["c", "a"], shard=1, rejected=frozenset({"c"}))
    parts = [items(["d", "b"]), store.items_of("mixtures", second, 1)]
    vectors = [np.array([[4.0], [2.0]], np.float32), np.array([[1.0]], np.float32)]
    rejected = store.rejected(second)
    found, joined = joining.gather(parts, vectors, order=["a", "b", "c", "d"], rejected=rejected)
    assert found["item_id"].tolist() == ["a", "b", "d"]
    assert joined.ravel().tolist() == [1.0, 2.0, 4.0]
    assert found["shard"].tolist() == [1, 0, 0]
    assert found["row"].tolist() == [0, 1, 0]
    schemas.to_arrow("items", found)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (["a", "b", "c"], "1 items are in no shard: c"),
        (["a"], "1 items are not planned: b"),
    ],
)
def test_gather_refuses_shards_that_are_not_the_plan(order: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        joining.gather([items(["a", "b"])], [np.zeros((2, 1), np.float32)], order=order)


def test_gather_refuses_a_mixture_in_two_shards() -> None:
    vectors = [np.zeros((1, 1), np.float32)] * 2
    with pytest.raises(ValueError, match="1 items are twice: a"):
        joining.gather([items(["a"]), items(["a"])], vectors, order=["a"])


def test_gather_refuses_vectors_that_do_not_match() -> None:
    with pytest.raises(ValueError, match="shard 0: 1 vectors for 2 items"):
        joining.gather([items(["a", "b"])], [np.zeros((1, 1), np.float32)], order=["a", "b"])


def test_gather_names_a_non_finite_embedding() -> None:
    vectors = [np.array([[0.0], [np.nan]], np.float32)]
    with pytest.raises(ValueError, match="embedding of b is not finite"):
        joining.gather([items(["a", "b"])], vectors, order=["b", "a"])


def test_same_meta_passes_and_differing_versions_are_refused_with_both_values() -> None:
    ours = get_backend("logmel").describe()
    assert joining.check_same_meta([ours, get_backend("logmel").describe()]) == ours
    theirs = ours | {"versions": ours["versions"] | {"librosa": "0.10.2"}}
    expected = rf"shard 0 and shard 2.*versions\.librosa.*{ours['versions']['librosa']}.*0\.10\.2"
    with pytest.raises(joining.MixedBackends, match=expected):
        joining.check_same_meta([ours, ours, theirs])


def test_meta_that_lacks_a_setting_is_refused() -> None:
    with pytest.raises(joining.MixedBackends, match="floor is 1e-05 and None"):
        joining.check_same_meta([{"floor": 1e-5}, {}])
    with pytest.raises(ValueError, match="no embeddings to gather"):
        joining.check_same_meta([])


def test_store_round_trip(tmp_path: Path) -> None:
    rows, joined = joining.gather([items(["a", "b"])], [np.eye(2, dtype=np.float32)], order="ab")
    store.write_store(tmp_path, rows, joined, Levels().describe(), stamp="s")
    read = store.read_store(tmp_path)
    np.testing.assert_array_equal(read.embeddings, joined)
    pd.testing.assert_frame_equal(
        read.items.drop(columns="checksum"), rows.drop(columns="checksum"), check_dtype=False
    )
    assert read.items["checksum"].isna().all()
    assert read.meta == Levels().describe()


def test_store_refuses_arrays_that_are_not_the_items(tmp_path: Path) -> None:
    rows, joined = joining.gather([items(["a", "b"])], [np.eye(2, dtype=np.float32)], order="ab")
    meta = Levels().describe()
    with pytest.raises(ValueError, match="float32 with one row for each of 2 items"):
        store.write_store(tmp_path, rows, joined[:1], meta)
    with pytest.raises(ValueError, match="got float64"):
        store.write_store(tmp_path, rows, joined.astype(float), meta)
    store.write_store(tmp_path, rows, joined, meta | {"dimension": 3})
    with pytest.raises(ValueError, match=r"items and meta say \(2, 3\)"):
        store.read_store(tmp_path)
