"""Vectors kept by content, stores that grow, and sounds at another rate than the backend's."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import soundfile

from earnest import io
from earnest.embeddings import joining, reuse, store
from earnest.io.schemas import TABLES

RATE, LENGTH = 16_000, 800


class Counting:
    """Mean and largest sample; notes how many waveforms it was given, and how long they were."""

    name, sample_rate, dimension = "counting", RATE, 2

    def __init__(self, sample_rate: int = RATE, version: str = "1") -> None:
        self.sample_rate, self.version = sample_rate, version
        self.seen: list[int] = []
        self.samples: set[int] = set()

    def embed(self, waveforms: np.ndarray) -> np.ndarray:
        self.seen.append(len(waveforms))
        self.samples.add(waveforms.shape[1])
        return np.column_stack([waveforms.mean(axis=1), waveforms.max(axis=1)])

    def describe(self) -> dict[str, Any]:
        told = {"backend": self.name, "sample_rate": self.sample_rate, "dimension": 2}
        return told | {"versions": {"counting": self.version}}


def items(names: str) -> pd.DataFrame:
    rows = [
        dict.fromkeys(TABLES["items"])
        | {"item_id": name, "foreground": "dog", "split": "train", "recording": f"r/{name}"}
        | {"shard": 0, "row": row}
        for row, name in enumerate(names)
    ]
    return pd.DataFrame(rows, columns=list(TABLES["items"]))


def sounds(names: str) -> np.ndarray:
    """Return sounds that differ by name, (n, LENGTH) float32."""
    levels = np.array([ord(name) for name in names]) / 256
    return np.repeat(levels[:, None], LENGTH, axis=1).astype(np.float32)


def kept(folder: Path, backend: Counting, code: str = "code") -> reuse.KeptVectors:
    return reuse.KeptVectors(folder, description=backend.describe(), code=code)


def embed(folder: Path, names: str, backend: Counting, **options: Any) -> np.ndarray:
    np.save(folder / "sounds.npy", sounds(names))
    own = kept(folder / "kept", backend, **options)
    vectors = store.embed_shard(
        folder / "sounds.npy", items(names), backend, sample_rate=RATE, length=LENGTH, kept=own
    )
    np.testing.assert_allclose(vectors[:, 0], sounds(names)[:, 0], rtol=1e-3)
    assert own.known + own.new == len(names)
    return vectors


def test_only_new_sounds_are_embedded_wherever_they_stand(tmp_path: Path) -> None:
    first, second, third = Counting(), Counting(), Counting()
    embed(tmp_path, "abc", first)
    assert first.seen == [3]
    embed(tmp_path, "xcayb", second)
    assert second.seen == [2]
    embed(tmp_path, "yxabc", third)
    assert third.seen == []


def test_other_code_settings_or_versions_see_nothing(tmp_path: Path) -> None:
    embed(tmp_path, "ab", Counting())
    for backend, options in (
        (Counting(version="2"), {}),
        (Counting(), {"code": "other"}),
    ):
        embed(tmp_path, "ab", backend, **options)
        assert backend.seen == [2]


def test_the_rate_is_part_of_the_content() -> None:
    sound = sounds("a")[0]
    assert reuse.content_key(sound, 16_000) != reuse.content_key(sound, 48_000)
    assert reuse.content_key(sound, 16_000) == reuse.content_key(sound.copy(), 16_000)
    assert reuse.content_key(sound, 16_000) != reuse.content_key(sound[:-1], 16_000)


def test_a_killed_job_loses_its_last_pack_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reuse, "FLUSH", 2)
    monkeypatch.setattr(store, "BLOCK", 1)

    class Dying(Counting):
        def embed(self, waveforms: np.ndarray) -> np.ndarray:
            if len(self.seen) == 3:
                raise KeyboardInterrupt
            return super().embed(waveforms)

    with pytest.raises(KeyboardInterrupt):
        embed(tmp_path, "abcde", Dying())
    after = Counting()
    embed(tmp_path, "abcde", after)
    assert sum(after.seen) == 3  # a and b were written before


def test_a_pack_without_its_keys_is_not_there(tmp_path: Path) -> None:
    backend = Counting()
    embed(tmp_path, "ab", backend)
    (keys,) = (tmp_path / "kept").rglob("*.keys.npy")
    keys.unlink()
    again = Counting()
    embed(tmp_path, "ab", again)
    assert again.seen == [2]


def test_a_pack_that_does_not_fit_its_keys_is_refused(tmp_path: Path) -> None:
    embed(tmp_path, "ab", Counting())
    (vectors,) = (tmp_path / "kept").rglob("*.vectors.npy")
    io.write_array(np.zeros((1, 2), np.float32), vectors)
    with pytest.raises(ValueError, match=r"do not belong together; delete .*kept"):
        embed(tmp_path, "ab", Counting())


def test_a_damaged_pack_is_deleted_and_its_vectors_are_computed_again(tmp_path: Path) -> None:
    expected = embed(tmp_path, "ab", Counting())
    (vectors,) = (tmp_path / "kept").rglob("*.vectors.npy")
    content = bytearray(vectors.read_bytes())
    content[-60] ^= 1
    vectors.write_bytes(content)
    backend = Counting()
    with pytest.warns(UserWarning, match=r"computed again: .*vectors.npy is damaged or was edited"):
        np.testing.assert_array_equal(embed(tmp_path, "ab", backend), expected)
    assert backend.seen == [2]


def test_vectors_that_are_not_finite_are_named_and_not_kept(tmp_path: Path) -> None:
    class Broken(Counting):
        def embed(self, waveforms: np.ndarray) -> np.ndarray:
            vectors = super().embed(waveforms)
            vectors[waveforms[:, 0] == sounds("b")[0, 0]] = np.nan
            return vectors

    with pytest.raises(ValueError, match=r"backend counting gives vectors .* 1 of 3 items: b"):
        embed(tmp_path, "abc", Broken())
    healed = Counting()
    vectors = embed(tmp_path, "abc", healed)
    assert np.isfinite(vectors).all()


def test_sounds_at_another_rate_are_resampled(tmp_path: Path) -> None:
    times = np.arange(LENGTH) / RATE
    tone = (0.5 * np.sin(2 * np.pi * 1_000 * times)).astype(np.float32)
    made = store.resampled(np.stack([tone, -tone]), RATE, 48_000)
    assert made.shape == (2, 2_400)
    assert made.dtype == np.float32
    expected = 0.5 * np.sin(2 * np.pi * 1_000 * np.arange(2_400) / 48_000)
    np.testing.assert_allclose(made[0, 300:-300], expected[300:-300], atol=2e-3)
    np.testing.assert_array_equal(made[1], store.resampled(-tone[None], RATE, 48_000)[0])
    backend = Counting(sample_rate=48_000)
    embed(tmp_path, "ab", backend)
    assert backend.samples == {2_400}


@pytest.mark.parametrize(
    ("samples", "source", "target", "length"),
    [(7_717, 11_025, 16_000, 11_199), (80_000, 16_000, 48_000, 240_000), (1, 48_000, 16_000, 0)],
)
def test_length_after_resampling_is_the_rounded_ratio(
    samples: int, source: int, target: int, length: int
) -> None:
    assert store.resampled(np.ones((1, samples), np.float32), source, target).shape == (1, length)


def test_a_store_grows_by_what_is_new(tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    assert store.append(tmp_path, items("ab"), sounds("ab"), first) == 2
    assert store.append(tmp_path, items("cbad"), sounds("cbad"), second) == 2
    assert second.seen == [2]
    held = store.read_store(tmp_path)
    assert held.items["item_id"].tolist() == ["a", "b", "c", "d"]
    np.testing.assert_allclose(held.embeddings[:, 0], sounds("abcd")[:, 0], rtol=1e-6)
    assert store.append(tmp_path, items("a"), sounds("a"), second) == 0


def test_a_store_refuses_another_backend_with_both_values(tmp_path: Path) -> None:
    store.append(tmp_path, items("ab"), sounds("ab"), Counting(version="1.0"))
    words = r"the store and the backend .*versions\.counting is '1\.0' and '2\.0'"
    with pytest.raises(joining.MixedBackends, match=words):
        store.append(tmp_path, items("c"), sounds("c"), Counting(version="2.0"))
    with pytest.raises(ValueError, match="1 items, but 2 waveforms"):
        store.append(tmp_path, items("c"), sounds("cd"), Counting(version="1.0"))


def test_a_store_refuses_other_weights_with_both_hashes() -> None:
    told = {"backend": "b", "weights": "a" * 64}
    with pytest.raises(joining.MixedBackends, match=f"weights is '{'a' * 64}' and '{'b' * 64}'"):
        joining.check_same_meta([told, told | {"weights": "b" * 64}])


def test_blocks_of_a_joined_array_are_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joining, "ROWS", 2)
    parts = [items("db"), items("ca"), items("")]
    arrays = [np.array([[4], [2]], "f4"), np.array([[3], [1]], "f4"), np.empty((0, 1), "f4")]
    rows, places = joining.arrange(parts, order=list("abcd"))
    assert rows["item_id"].tolist() == list("abcd")
    blocks = list(joining.joined_blocks(arrays, rows, places))
    assert [block.ravel().tolist() for block in blocks] == [[1.0, 2.0], [3.0, 4.0]]


def test_sound_files_and_arrays_give_the_same(tmp_path: Path) -> None:
    exact = np.round(sounds("abc") * 32_768) / 32_768
    soundfile.write(tmp_path / "s.wav", exact.ravel(), RATE, subtype="PCM_16")
    np.save(tmp_path / "s.npy", exact.astype(np.float32))
    found = [
        store.embed_shard(
            tmp_path / name, items("abc"), Counting(), sample_rate=RATE, length=LENGTH
        )
        for name in ("s.wav", "s.npy")
    ]
    np.testing.assert_array_equal(*found)
