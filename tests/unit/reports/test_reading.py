"""The files behind a page are read under the names that the page has for them."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from earnest import io
from earnest.io import schemas
from earnest.reports import inputs, reading
from earnest.reports.pages import subsets
from tests import made_report


def test_frames_are_read_under_the_names_of_the_page(tmp_path):
    inputs = made_report.made_inputs()
    io.write_frame("dropped", inputs.dropped, tmp_path / "a")
    io.write_frame("summary", inputs.summary, tmp_path / "b")
    paths = {"left_out": tmp_path / "a", "scores": tmp_path / "b", "other": "no file"}
    frames = reading.read_frames({"left_out": "dropped", "scores": "summary"}, paths)
    assert list(frames) == ["left_out", "scores"]
    pd.testing.assert_frame_equal(frames["left_out"], io.read_frame("dropped", tmp_path / "a"))
    assert len(frames["scores"]) == len(inputs.summary) > 0


@pytest.mark.parametrize(
    ("tables", "inputs"),
    [
        (subsets.TABLES, subsets.ReportInputs),
        (inputs.SOUND_TABLES, inputs.TableReportInputs),
    ],
)
def test_every_table_is_a_field_of_its_page(tables, inputs):
    assert tables.keys() <= {field.name for field in dataclasses.fields(inputs)}
    assert set(tables.values()) <= set(schemas.TABLES)


def test_pools_come_by_the_names_of_their_tasks(tmp_path):
    made = made_report.made_inputs().pools
    files = {name: [] for name in ("task", "pool", "subconcepts")}
    for name, (description, pool, subconcepts) in made.items():
        io.write_json(dict(description), tmp_path / f"{name}.json")
        io.write_frame("pool", pool, tmp_path / f"{name}-pool")
        io.write_frame("subconcepts", subconcepts, tmp_path / f"{name}-subconcepts")
        files["task"].append(tmp_path / f"{name}.json")
        files["pool"].append(tmp_path / f"{name}-pool")
        files["subconcepts"].append(tmp_path / f"{name}-subconcepts")
    pools = reading.read_pools(*files.values())
    assert list(pools) == list(made)
    for name, (_, pool, _) in pools.items():
        assert pool["item_id"].tolist() == made[name][1]["item_id"].tolist()
    with pytest.raises(ValueError, match="shorter"):
        reading.read_pools(files["task"], files["pool"][:1], files["subconcepts"])


def test_each_mixture_is_read_from_its_shard_and_row(tmp_path):
    samples = [np.array([0, 1, 2, 3], np.int16), np.array([4, 5, 6, 7], np.int16)]
    paths = [tmp_path / f"{shard}.wav" for shard in range(2)]
    for path, sound in zip(paths, samples, strict=True):
        io.write_audio(sound, path)
    rows = [{"shard": 1, "row": 0, "checksum": None}, {"shard": 0, "row": 1, "checksum": None}]
    read = reading.read_sounds(rows, paths, 2)
    assert [row for row, _ in read] == rows
    assert [(sound * 32768).tolist() for _, sound in read] == [[4, 5], [2, 3]]
