import csv
import json
import os

import numpy as np
import pandas as pd
import pytest

from earnest import io
from earnest.io import schemas


def draws(seeds=(0,), items=(3, 1, 2)):
    return pd.DataFrame(
        {
            "task": "t",
            "sampler": "random",
            "size": len(items),
            "seed": list(seeds),
            "is_prefix": True,
            "items": [list(items) for _ in seeds],
            "chances": None,
            "missed": None,
        }
    )


def test_a_frame_survives_the_round_trip(tmp_path):
    io.write_frame("draws", draws((0, 1)), tmp_path / "a.parquet")
    frame = io.read_frame("draws", tmp_path / "a.parquet")
    assert frame["seed"].tolist() == [0, 1]
    assert frame["items"].iloc[1].tolist() == [3, 1, 2]
    assert frame["is_prefix"].tolist() == [True, True]


def test_nulls_stay_nulls_and_integers_stay_integers(tmp_path):
    frame = pd.DataFrame(
        {
            "clip_id": ["a", "b"],
            "dataset": "d",
            "path": "p",
            "label": "l",
            "fold": pd.array([2, None], dtype="Int64"),
            "recording": "r",
            "sha256": None,
        }
    )
    io.write_frame("listing", frame, tmp_path / "l.parquet")
    fold = io.read_frame("listing", tmp_path / "l.parquet")["fold"]
    assert fold.iloc[0] == 2
    assert fold.isna().tolist() == [False, True]


def test_an_empty_frame_keeps_its_columns(tmp_path):
    io.write_frame("draws", draws(()), tmp_path / "empty.parquet")
    frame = io.read_frame("draws", tmp_path / "empty.parquet")
    assert len(frame) == 0
    assert list(frame.columns) == list(schemas.TABLES["draws"])


def test_only_some_rows_are_read(tmp_path):
    frame = pd.DataFrame({"kind": ["a", "b", "a"], "name": ["1", "2", "3"], "reason": "r"})
    io.write_frame("dropped", frame, tmp_path / "a.parquet")
    some = io.read_frame("dropped", tmp_path / "a.parquet", only={"kind": "a", "reason": "r"})
    assert some["name"].tolist() == ["1", "3"]
    none = io.read_frame("dropped", tmp_path / "a.parquet", only={"kind": "c"})
    assert list(none.columns) == list(frame.columns)
    assert len(none) == 0


def test_same_frame_same_bytes(tmp_path):
    for name in ("a", "b"):
        io.write_frame("draws", draws(), tmp_path / f"{name}.parquet", stamp="s")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_shards_come_back_in_the_order_given(tmp_path):
    for seed in (0, 1, 2):
        io.write_frame("draws", draws((seed,)), tmp_path / f"{seed}.parquet", stamp="s")
    frame = io.read_shards("draws", [tmp_path / f"{s}.parquet" for s in (2, 0, 1)], stamp="s")
    assert frame["seed"].tolist() == [2, 0, 1]
    assert frame.index.tolist() == [0, 1, 2]


def test_no_shards_give_an_empty_frame():
    frame = io.read_shards("draws", [], stamp="s")
    assert list(frame.columns) == list(schemas.TABLES["draws"])


def test_a_mix_of_stamps_is_refused_and_named(tmp_path):
    io.write_frame("draws", draws(), tmp_path / "new.parquet", stamp="new")
    io.write_frame("draws", draws(), tmp_path / "old.parquet", stamp="old")
    with pytest.raises(io.StampError, match=r"1 of 2 shards .*old\.parquet \(old instead of new\)"):
        io.read_shards("draws", [tmp_path / "new.parquet", tmp_path / "old.parquet"], stamp="new")


def test_each_shard_may_have_a_stamp_of_its_own(tmp_path):
    paths = [tmp_path / "one.parquet", tmp_path / "two.parquet"]
    for path in paths:
        io.write_frame("draws", draws(), path, stamp=path.stem)
    both = io.read_shards("draws", paths, stamp=["one", "two"])
    assert len(both) == 2 * len(draws())
    with pytest.raises(io.StampError, match=r"2 of 2 shards .*one\.parquet \(one instead of two\)"):
        io.read_shards("draws", paths, stamp=["two", "one"])


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    io.write_text("old", tmp_path / "file.txt")

    def fail():
        with io.written_aside(tmp_path / "file.txt") as aside:
            aside.write_text("half")
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        fail()
    assert (tmp_path / "file.txt").read_text() == "old"
    assert os.listdir(tmp_path) == ["file.txt"]


def test_written_files_have_ordinary_permissions(tmp_path):
    mask = os.umask(0o022)
    try:
        io.write_text("x", tmp_path / "file.txt")
    finally:
        os.umask(mask)
    assert (tmp_path / "file.txt").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f: f.drop(columns="seed"), r"missing columns \['seed'\]"),
        (lambda f: f.assign(extra=1), r"unknown columns \['extra'\]"),
        (lambda f: f.assign(seed=None), "column seed, row 0: empty cell"),
        (lambda f: f.assign(seed="one"), "table draws, column seed"),
    ],
)
def test_a_frame_that_does_not_fit_is_refused(change, words, tmp_path):
    with pytest.raises(schemas.SchemaError, match=words):
        io.write_frame("draws", change(draws()), tmp_path / "bad.parquet")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_no_weight_that_is_not_finite_is_written(bad, tmp_path):
    frame = pd.DataFrame(
        {
            "task": "t",
            "sampler": "random",
            "size": 2,
            "seed": 0,
            "estimator": "kde",
            "values": [[1.0, bad]],
            "ess": 2.0,
            "largest": 1.0,
            "pareto_k": None,
            "flags": [[]],
        }
    )
    with pytest.raises(
        schemas.SchemaError, match=r"column values, value 1: not a (finite )?number"
    ):
        io.write_frame("weights", frame, tmp_path / "w.parquet")


def test_a_parquet_of_another_table_is_refused(tmp_path):
    io.write_frame("draws", draws(), tmp_path / "d.parquet")
    with pytest.raises(schemas.SchemaError, match="does not hold the columns of table pool"):
        io.read_frame("pool", tmp_path / "d.parquet")


def test_json_is_strict_and_takes_numpy(tmp_path):
    document = {"b": np.float64(0.5), "a": [np.int64(3), np.array([1, 2])], "c": None}
    io.write_json(document, tmp_path / "m.json")
    assert io.read_json(tmp_path / "m.json") == {"a": [3, [1, 2]], "b": 0.5, "c": None}
    assert (tmp_path / "m.json").read_text().index('"a"') < (tmp_path / "m.json").read_text().index(
        '"b"'
    )


@pytest.mark.parametrize("bad", [float("nan"), np.inf, np.array([1.0, np.nan])])
def test_json_refuses_what_is_no_number(bad, tmp_path):
    with pytest.raises(ValueError, match="give null and a reason"):
        io.write_json({"auc": bad}, tmp_path / "m.json")
    assert not list(tmp_path.iterdir())


def test_json_with_nan_is_not_read(tmp_path):
    (tmp_path / "m.json").write_text(json.dumps({"auc": float("nan")}))
    with pytest.raises(ValueError, match="holds NaN"):
        io.read_json(tmp_path / "m.json")


def test_arrays_are_mapped_and_pickles_refused(tmp_path):
    io.write_array(np.arange(3.0), tmp_path / "a.npy")
    mapped = io.read_array(tmp_path / "a.npy")
    assert isinstance(mapped, np.memmap)
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        io.write_array(np.array([{}], dtype=object), tmp_path / "b.npy")
    np.save(tmp_path / "c.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="allow_pickle=False"):
        io.read_array(tmp_path / "c.npy", memory_map=False, verified=False)


def curve(**changes):
    cell = {"task": "t", "measure": "accuracy", "sampler": "random", "estimator": "kde"}
    return pd.DataFrame([cell | {"size": 20, "mean": 0.1 + 0.2, "truth": None} | changes])


def test_csv_is_strict_and_keeps_every_digit(tmp_path):
    io.write_csv("curves", curve()[::-1], tmp_path / "c.csv")
    assert (tmp_path / "c.csv").read_bytes() == (
        b"task,measure,sampler,estimator,size,mean,truth\n"
        b"t,accuracy,random,kde,20,0.30000000000000004,\n"
    )


@pytest.mark.parametrize("start", [*"=+-@\t\r\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_no_cell_of_a_csv_is_a_formula_and_every_text_comes_back(start, tmp_path):
    texts = [f"{start}cmd|' /C calc'!A0", f"'{start}x", "'", 'plain, "quoted"\nin lines']
    frame = pd.concat([curve(task=text) for text in texts])
    io.write_csv("curves", frame, tmp_path / "c.csv")
    with open(tmp_path / "c.csv", encoding="utf-8", newline="") as file:
        cells = [row["task"] for row in csv.DictReader(file)]
    assert cells[:3] == [f"'{text}" for text in texts[:3]]
    assert [cell[1:] if cell.startswith("'") else cell for cell in cells] == texts


def test_csv_of_another_shape_is_refused(tmp_path):
    with pytest.raises(schemas.SchemaError, match="missing columns"):
        io.write_csv("curves", curve().drop(columns="size"), tmp_path / "c.csv")


def test_a_document_that_may_be_missing_is_read_or_none(tmp_path):
    path = tmp_path / "one.json"
    io.write_json({"a": 1}, path)
    assert io.read_optional_json([path]) == {"a": 1}
    assert io.read_optional_json([]) is None
    with pytest.raises(ValueError, match="got 2"):
        io.read_optional_json([path, path])


def test_bytes_are_written_as_they_are(tmp_path):
    io.write_bytes(b"\x00\r\n\xff", tmp_path / "new" / "data.bin")
    assert (tmp_path / "new" / "data.bin").read_bytes() == b"\x00\r\n\xff"
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["data.bin"]
