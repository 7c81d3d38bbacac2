"""The user's own vectors: matched by name, and everything that does not fit named."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from earnest.embeddings import find_problems, get_backend, leftovers, sources, store
from earnest.embeddings.backends.user_array import UserArray
from earnest.embeddings.protocol import MissingWeights

VECTORS = np.arange(8, dtype=np.float32).reshape(4, 2)


def made(folder: Path, vectors: np.ndarray, items: pd.DataFrame, suffix: str = "csv") -> UserArray:
    np.save(folder / "vectors.npy", vectors)
    path = folder / f"items.{suffix}"
    if suffix == "csv":
        items.to_csv(path, index=False)
    else:
        items.to_parquet(path)
    return get_backend("file", array=str(folder / "vectors.npy"), items=str(path))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("column", ["item_id", "mixture_id", "clip_id"])
def test_vectors_are_matched_by_name(tmp_path: Path, suffix: str, column: str) -> None:
    backend = made(tmp_path, VECTORS, pd.DataFrame({column: list("abcd")}), suffix)
    found = backend.vectors_of(["d", "a"])
    assert found.dtype == np.float32
    assert found.tolist() == [[6.0, 7.0], [0.0, 1.0]]
    assert backend.dimension == 2
    assert backend.unused(["d", "a"]) == ["b", "c"]


def test_names_like_numbers_and_missing_values_stay_text(tmp_path: Path) -> None:
    backend = made(tmp_path, VECTORS, pd.DataFrame({"item_id": ["001", "1", "NA", "1e3"]}))
    assert backend.vectors_of(["NA", "001", "1"])[:, 0].tolist() == [4.0, 0.0, 2.0]


def test_double_precision_is_converted(tmp_path: Path) -> None:
    backend = made(tmp_path, VECTORS.astype(float), pd.DataFrame({"item_id": list("abcd")}))
    assert backend.vectors_of(["b"]).dtype == np.float32


def test_variants_are_kept_apart(tmp_path: Path) -> None:
    items = pd.DataFrame({"item_id": list("abab"), "variant": ["8-lu", "8-lu", "clean", "clean"]})
    backend = made(tmp_path, VECTORS, items)
    assert backend.vectors_of(["b", "a"], variant="clean").tolist() == [[6.0, 7.0], [4.0, 5.0]]
    assert backend.unused(["a"], variant="8-lu") == ["b"]
    assert backend.check_vectors() == 4
    with pytest.raises(ValueError, match="no rows of variant '0-lu'"):
        backend.vectors_of(["a"], variant="0-lu")


def test_missing_names_are_named(tmp_path: Path) -> None:
    backend = made(tmp_path, VECTORS, pd.DataFrame({"item_id": list("abcd")}))
    with pytest.raises(ValueError, match=r"lacks 7 of 8 items: e, f, g, h, i and 2 more"):
        backend.vectors_of(list("aefghijk"))


def test_non_finite_vectors_are_named(tmp_path: Path) -> None:
    vectors = VECTORS.copy()
    vectors[2, 1] = np.nan
    backend = made(tmp_path, vectors, pd.DataFrame({"item_id": list("abcd")}))
    assert backend.vectors_of(["a", "b"]).shape == (2, 2)
    with pytest.raises(ValueError, match=r"1 vectors that are not finite: c \(row 2\)"):
        backend.vectors_of(["a", "c"])
    with pytest.raises(ValueError, match=r"c \(row 2\)"):
        backend.check_vectors()


def test_numbers_beyond_single_precision_are_not_finite(tmp_path: Path) -> None:
    vectors = VECTORS.astype(float)
    vectors[1, 0] = 1e300
    backend = made(tmp_path, vectors, pd.DataFrame({"item_id": list("abcd")}))
    with pytest.raises(ValueError, match=r"b \(row 1\)"):
        backend.vectors_of(["b"])


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ({"item_id": list("abc")}, "names 3 rows, but .* has 4"),
        ({"item_id": list("abca")}, "names twice: a"),
        ({"item_id": ["a", "b", None, "d"]}, "row 2: item_id is empty"),
        ({"name": list("abcd")}, "must have one of the columns item_id"),
        ({"item_id": list("abcd"), "clip_id": list("abcd")}, "must have one of the columns"),
    ],
)
def test_items_that_do_not_fit_are_refused(tmp_path: Path, items: dict, message: str) -> None:
    backend = made(tmp_path, VECTORS, pd.DataFrame(items))
    with pytest.raises(ValueError, match=message):
        backend.vectors_of(["a"])


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.arange(4), r"must hold \(N, d\) float32, got shape \(4,\)"),
        (np.arange(8).reshape(4, 2), "of int64"),
        (np.array([{"code": 1}] * 4, dtype=object), "holds no plain array"),
    ],
)
def test_arrays_of_another_kind_are_refused(
    tmp_path: Path, array: np.ndarray, message: str
) -> None:
    backend = made(tmp_path, VECTORS, pd.DataFrame({"item_id": list("abcd")}))
    np.save(tmp_path / "vectors.npy", array, allow_pickle=True)
    with pytest.raises(ValueError, match=message):
        backend.vectors_of(["a"])


def test_missing_file_is_named_and_other_formats_refused(tmp_path: Path) -> None:
    options = {"array": str(tmp_path / "none.npy"), "items": str(tmp_path / "items.txt")}
    with pytest.raises(MissingWeights, match=r"no file .*none\.npy"):
        get_backend("file", **options).vectors_of(["a"])
    np.save(tmp_path / "none.npy", VECTORS)
    (tmp_path / "items.txt").write_text("a")
    with pytest.raises(ValueError, match=r"must be a \.csv or \.parquet file"):
        get_backend("file", **options).vectors_of(["a"])


def test_a_study_knows_its_options_and_files() -> None:
    options = {"array": "a.npy", "items": "b.csv"}
    assert list(find_problems("file", options)) == []  # made after the sounds, so not yet there
    assert sources("file", options) == ["a.npy", "b.csv"]
    assert list(find_problems("file", {"array": "a.npy", "item": "b.csv"})) == [
        "backend file has no option 'item'; did you mean 'items'?",
        "backend file needs the option 'items'",
    ]


def test_vectors_of_no_item_are_named(tmp_path: Path) -> None:
    made(tmp_path, VECTORS, pd.DataFrame({"item_id": list("abcd")}))
    options = {"array": str(tmp_path / "vectors.npy"), "items": str(tmp_path / "items.csv")}
    assert (
        leftovers("file", options, items=["d", "b"]) == "vectors that belong to no item: 2 (a, c)"
    )
    assert leftovers("file", options, items=list("dcba")) == "every vector belongs to an item"
    assert leftovers("logmel", {}, items=["d"]) == ""


def test_shards_take_their_vectors_by_name(tmp_path: Path) -> None:
    backend = made(tmp_path, VECTORS, pd.DataFrame({"item_id": list("abcd")}))
    items = pd.DataFrame({"item_id": ["c", "b"], "row": [0, 1]})
    found = store.embed_shard(tmp_path / "no-sound.wav", items, backend)
    assert found.tolist() == [[4.0, 5.0], [2.0, 3.0]]
    with pytest.raises(TypeError, match="cannot embed a waveform"):
        backend.embed(np.zeros((1, 4), np.float32))


def test_another_array_has_another_description(tmp_path: Path) -> None:
    items = pd.DataFrame({"item_id": list("abcd")})
    first = made(tmp_path, VECTORS, items).describe()
    second = made(tmp_path, VECTORS + 1, items).describe()
    assert first["weights"] != second["weights"]
    assert first["items"] == second["items"]
    assert first["sample_rate"] is None
