"""Shards read a part at a time: which rows, in which order, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from earnest import io
from earnest.io import schemas, shards
from earnest.protocols.subsets import comparisons, joint
from earnest.protocols.subsets import summary as assessment


def estimates(task, sampler, seed=0):
    """Estimates of two estimators with and without a utility, from twelve subsets."""
    rng, rows = np.random.default_rng([seed, *map(ord, task + sampler)]), []
    empty = dict.fromkeys(schemas.TABLES["estimates"])
    for estimator in ("unweighted", "kde"):
        for utility in ("none", "true"):
            for draw in range(12):
                row = {"study": "s", "task": task, "sampler": sampler, "size": 10, "seed": draw}
                row |= {"estimator": estimator, "measure": "accuracy", "utility": utility}
                row |= {"value": rng.uniform(), "truth": 0.5, "flags": [], "subset": f"h{draw}"}
                rows.append(empty | row)
    return pd.DataFrame(rows)


@pytest.fixture
def written(tmp_path):
    """Paths and stamps of shards, tasks mixed."""
    paths = []
    for place, (task, sampler) in enumerate([("b", "x"), ("a", "x"), ("b", "w"), ("a", "w")]):
        paths.append(tmp_path / f"{place}.parquet")
        io.write_frame("estimates", estimates(task, sampler), paths[-1], stamp=f"of {task}")
    return paths, ["of b", "of a"] * 2


def test_parts_are_whole_sorted_and_in_the_order_of_their_shards(written):
    paths, stamps = written
    parts = list(shards.read_parts("estimates", paths, stamps=stamps, by="task"))
    seen = [part[["task", "sampler"]].drop_duplicates().to_numpy().tolist() for part in parts]
    assert seen == [[["a", "x"], ["a", "w"]], [["b", "x"], ["b", "w"]]]
    assert list(shards.read_parts("estimates", [], stamps=[], by="task")) == []


def test_what_is_made_part_by_part_is_what_is_made_of_all(written):
    paths, stamps = written
    whole = io.read_shards("estimates", paths, stamp=stamps)
    found = {"summary": [], "comparisons": [], "joint": []}
    for part in shards.read_parts("estimates", paths, stamps=stamps, by="task"):
        found["summary"].append(assessment.summarise(part))
        found["comparisons"].append(comparisons.compare(part, found["summary"][-1]))
        found["joint"].append(joint.compare(part, root_seed=0))
    summary = assessment.summarise(whole)
    expected = {"summary": summary, "comparisons": comparisons.compare(whole, summary)}
    expected["joint"] = joint.compare(whole, root_seed=0)
    for table, parts in found.items():
        one, other = (
            schemas.to_arrow(table, frame)
            for frame in (pd.concat(parts, ignore_index=True), expected[table])
        )
        assert one.num_rows > 0
        assert one.equals(other), table


def test_other_stamps_and_mixed_shards_are_refused(written, tmp_path):
    paths, stamps = written
    with pytest.raises(io.StampError, match=r"1 of 2 shards.*3\.parquet"):
        list(shards.read_parts("estimates", paths, stamps=[*stamps[:3], "else"], by="task"))
    mixed = pd.concat([estimates("a", "x"), estimates("b", "x")])
    io.write_frame("estimates", mixed, tmp_path / "mixed.parquet", stamp="of a")
    with pytest.raises(ValueError, match=r"mixed\.parquet has several values of task: a, b"):
        list(
            shards.read_parts("estimates", [tmp_path / "mixed.parquet"], stamps=["of a"], by="task")
        )
