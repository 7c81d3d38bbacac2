"""Summaries of estimates whose numbers are worked out by hand."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from earnest import io
from earnest.io import schemas
from earnest.protocols.subsets.summary import curves, metrics, summarise

CELL = {
    "study": "s",
    "task": "t",
    "sampler": "random",
    "size": 20,
    "estimator": "kde",
    "measure": "accuracy",
    "utility": "none",
}


def row(seed, value, low=None, high=None, **changes):
    reason = None if low is not None else "too few recordings"
    cell = {"seed": seed, "truth": 0.7, "ess": 10.0 + seed, "subset": f"h{seed}", "flags": []}
    return CELL | cell | {"value": value, "low": low, "high": high, "reason": reason} | changes


def table(*rows):
    return pd.DataFrame(rows, columns=list(schemas.TABLES["estimates"]))


def test_hand_checked_summary():
    # values .6, .8, .9; truth .7: errors -.1, .1, .2
    rows = [
        row(0, 0.6, 0.5, 0.65, flags=["degenerate"]),  # misses
        row(1, 0.8, 0.6, 0.9),
        row(2, 0.9, 0.7, 1.0, flags=["no_correction"]),  # holds at its very end
        row(3, None, reason="undefined", ess=None),
    ]
    summary = summarise(table(*rows))
    assert len(summary) == 1
    found = summary.iloc[0]
    assert {name: found[name] for name in CELL} == CELL
    assert found["truth"] == 0.7
    assert (found["seeds"], found["distinct_subsets"], found["undefined"]) == (4, 4, 1)
    assert found["mean"] == pytest.approx(2.3 / 3)
    assert found["bias"] == pytest.approx(0.2 / 3)
    assert found["rmse"] == pytest.approx(math.sqrt(0.06 / 3))
    assert found["sd"] == pytest.approx(np.std([0.6, 0.8, 0.9], ddof=1))
    assert found["coverage"] == pytest.approx(2 / 3)
    assert found["mean_width"] == pytest.approx((0.15 + 0.3 + 0.3) / 3)
    assert found["ess"] == 11.0
    assert found["flags"] == ["degenerate", "no_correction"]
    assert found["interval"] == "no valid interval"
    assert found["reason"] == "coverage was measured on 3 distinct subsets only"


def test_diagnostics_are_medians_and_shares_are_means():
    rows = [
        row(0, 0.6, largest=2.0, pareto_k=0.1, outside_confidence=0.5, outside_distance=0.0),
        row(1, 0.6, largest=9.0, pareto_k=None, outside_confidence=0.2, outside_distance=0.3),
        row(2, 0.6, largest=3.0, pareto_k=0.7, outside_confidence=0.2, outside_distance=None),
    ]
    found = summarise(table(*rows)).iloc[0]
    assert (found["largest"], found["pareto_k"]) == (3.0, pytest.approx(0.4))
    assert found["outside_confidence"] == pytest.approx(0.3)
    assert found["outside_distance"] == pytest.approx(0.15)
    assert math.isnan(summarise(table(row(0, 0.6)))["pareto_k"][0])


def with_coverage(hits, misses):
    rows = [row(seed, 0.7, 0.6, 0.8) for seed in range(hits)]
    return table(*rows, *(row(hits + seed, 0.9, 0.8, 1.0) for seed in range(misses)))


@pytest.mark.parametrize(
    ("hits", "misses", "level", "reason"),
    [
        (20, 0, 0.95, None),
        (18, 2, 0.95, None),  # .90, just within the margin
        (17, 3, 0.95, "covers 85% of 20 subsets, not 95%"),
        (9, 1, 0.95, None),
        (1, 0, 0.95, "coverage was measured on 1 distinct subset only"),
        (9, 0, 0.95, "coverage was measured on 9 distinct subsets only"),
        # 600 subsets: three standard errors are .027, so .92 is too low although above .90
        (552, 48, 0.95, "covers 92% of 600 subsets, not 95%"),
        (556, 44, 0.95, None),
        (17, 3, 0.9, None),
    ],
)
def test_an_interval_measured_not_to_cover_is_not_valid(hits, misses, level, reason):
    found = summarise(with_coverage(hits, misses), level=level).iloc[0]
    assert found["interval"] == ("valid" if reason is None else "no valid interval")
    assert found["reason"] == reason if reason else pd.isna(found["reason"])


def test_equal_subsets_are_one_piece_of_evidence():
    rows = [row(seed, 0.7, 0.6, 0.8, subset="same") for seed in range(30)]
    rows += [row(30, 0.9, 0.8, 1.0)]
    found = summarise(table(*rows)).iloc[0]
    assert (found["seeds"], found["distinct_subsets"]) == (31, 2)
    assert found["coverage"] == 0.5
    assert "2 distinct subsets only" in found["reason"]


def test_without_any_interval_the_commonest_reason_stays():
    rows = [row(seed, 0.7) for seed in range(3)] + [row(3, None, reason="undefined")]
    found = summarise(table(*rows)).iloc[0]
    assert found["interval"] == "no valid interval"
    assert found["reason"] == "too few recordings"
    assert math.isnan(found["coverage"])
    assert math.isnan(found["mean_width"])


def test_an_estimate_that_is_never_defined():
    rows = [row(s, None, reason="no form", truth=None, ess=None) for s in range(2)]
    found = summarise(table(*rows)).iloc[0]
    assert found["undefined"] == 2
    for name in ("truth", "mean", "sd", "bias", "rmse", "coverage", "ess"):
        assert math.isnan(found[name])
    assert found["reason"] == "no form"


def test_a_single_value_has_no_spread():
    assert math.isnan(summarise(table(row(0, 0.7, 0.6, 0.8)))["sd"][0])


def test_cells_are_kept_apart_and_sorted():
    rows = [row(0, 0.5, size=100), row(0, 0.6), row(0, 0.7, estimator="knn", ess=None)]
    summary = summarise(table(*rows))
    assert summary[["size", "estimator", "mean"]].values.tolist() == [
        [20, "kde", 0.6],
        [20, "knn", 0.7],
        [100, "kde", 0.5],
    ]


def test_disagreeing_truths_are_an_error():
    with pytest.raises(ValueError, match=r"s / t / random / 20 / kde .* disagree about the truth"):
        summarise(table(row(0, 0.7), row(1, 0.7, truth=0.71)))


def test_no_estimates_give_an_empty_summary():
    summary = summarise(table())
    assert len(summary) == 0
    assert schemas.to_arrow("summary", summary).num_rows == 0


def test_summary_survives_writing(tmp_path):
    rows = [row(seed, 0.7, 0.6, 0.8) for seed in range(12)] + [row(0, None, size=50, ess=None)]
    io.write_frame("estimates", table(*rows), tmp_path / "estimates.parquet")
    read = io.read_frame("estimates", tmp_path / "estimates.parquet")
    summary = summarise(read)
    io.write_frame("summary", summary, tmp_path / "summary.parquet")
    back = io.read_frame("summary", tmp_path / "summary.parquet")
    assert back["interval"].tolist() == ["valid", "no valid interval"]
    assert back["mean"][0] == pytest.approx(0.7)


def test_curves_are_plain_scores_by_size():
    rows = [
        row(0, 0.5, size=40),
        row(1, 0.7, size=40),
        row(0, 0.8, size=20),
        row(0, None, size=20, sampler="farthest", reason="undefined"),
        row(0, 0.9, size=20, utility="true"),
    ]
    found = curves(summarise(table(*rows)))
    assert list(found) == list(schemas.TABLES["curves"])
    cells = [("farthest", 20, None), ("random", 20, 0.8), ("random", 40, 0.6)]
    assert [
        (one["sampler"], one["size"], None if math.isnan(one["mean"]) else one["mean"])
        for one in found.to_dict("records")
    ] == [(sampler, size, mean and pytest.approx(mean)) for sampler, size, mean in cells]
    assert set(found["truth"]) == {0.7}


MEASURES = {"t": "accuracy"}


def test_metrics_are_strict_and_nested():
    rows = [row(0, 0.6), row(1, 0.8), row(0, 0.6, utility="true"), row(0, 0.9, size=50)]
    rows.append(row(0, None, measure="f1", truth=None, ess=None, reason="needs a binary task"))
    found = metrics(summarise(table(*rows)), size=20, measures={"t": "accuracy"})
    assert (found["size"], found["samplers"]) == (20, ["random"])
    scores = {"truth": 0.7, "kde": pytest.approx(0.7)}
    assert found["tasks"] == {"t": {"random": {"accuracy": scores}}}
    undefined = metrics(summarise(table(*rows)), size=20, measures={"t": "f1"})
    assert undefined["tasks"]["t"]["random"] == {"f1": {"truth": None, "kde": None}}
    assert json.loads(json.dumps(found, allow_nan=False)) == found


@pytest.mark.parametrize(("asked", "taken"), [(1, 20), (34, 20), (35, 20), (36, 50), (999, 50)])
def test_metrics_take_the_nearest_size(asked, taken):
    summary = summarise(table(row(0, 0.6), row(0, 0.6, size=50)))
    assert metrics(summary, size=asked, measures=MEASURES)["size"] == taken


def test_metrics_of_one_sampler_or_all():
    summary = summarise(table(row(0, 0.6), row(0, 0.6, sampler="farthest")))
    for asked, taken in (
        ("farthest", ["farthest"]),
        ("kmedoids", ["farthest", "random"]),
        (None, ["farthest", "random"]),
    ):
        found = metrics(summary, size=20, sampler=asked, measures=MEASURES)
        assert found["samplers"] == taken
        assert sorted(found["tasks"]["t"]) == taken


def test_metrics_of_a_utility_that_was_not_estimated():
    with pytest.raises(ValueError, match="no estimate was made with utility 'true'"):
        metrics(summarise(table(row(0, 0.6))), size=20, utility="true", measures=MEASURES)
