"""What moved between two runs or two models: by hand, and against single evaluations."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from earnest import io
from earnest.estimates import estimate
from earnest.io import schemas
from earnest.protocols.ownpool import UnusableInput, read
from earnest.protocols.ownpool.comparing import compare_runs, judged
from earnest.protocols.ownpool.models import compare_models
from earnest.reports.pages import comparison
from tests.made_own import made_pool, some_labels, write


def estimates(values, **changes):
    """Return rows of table estimates, one a seed, with truth 0.5."""
    empty = dict.fromkeys(schemas.TABLES["estimates"])
    about = {"study": "s", "task": "t", "sampler": "random", "size": 10, "estimator": "ppi"}
    about |= {"measure": "accuracy", "utility": "none", "truth": 0.5, "flags": []} | changes
    return pd.DataFrame(
        [
            empty | about | {"seed": seed, "value": value, "subset": f"subset {seed}"}
            for seed, value in enumerate(values)
        ]
    )


def only_row(found):
    (row,) = found.rows.to_dict("records")
    return row


def test_a_paired_comparison_by_hand():
    first, second = estimates([0.5, 0.6, 0.4]), estimates([0.6, 0.8, 0.7])
    row = only_row(compare_runs(first, second))
    # differences .1 .2 .3: mean .2, SD .1, standard error .05774; t(2) = 4.30265
    assert row["first"] == pytest.approx(0.5)
    assert row["difference"] == pytest.approx(0.2)
    half = 4.30265273 * 0.1 / math.sqrt(3)
    assert (row["low"], row["high"]) == pytest.approx((0.2 - half, 0.2 + half))
    assert row["p"] == pytest.approx(2 * stats.t.cdf(-0.2 / (0.1 / math.sqrt(3)), 2))
    assert row["p"] == row["p_adjusted"] == pytest.approx(0.0742, abs=1e-4)
    assert (row["verdict"], row["pairs"]) == ("within noise", 3)
    # errors .1 .3 .2 instead of 0 .1 .1
    assert row["error_difference"] == pytest.approx(0.2 - 0.2 / 3)


def test_p_is_adjusted_over_all_rows():
    rng = np.random.default_rng(0)
    base = rng.normal(0.5, 0.05, 40)
    shifted = [base + rng.normal(shift, 0.02, 40) for shift in (0.05, 0.0, 0.0)]
    names = ("accuracy", "balanced_accuracy", "f1")
    first = pd.concat([estimates(base, measure=name) for name in names])
    second = pd.concat([estimates(v, measure=name) for v, name in zip(shifted, names, strict=True)])
    found = compare_runs(first, second)
    assert found.rows["verdict"].to_list() == ["moved", "within noise", "within noise"]
    expected = stats.false_discovery_control(found.rows["p"].astype(float), method="by")
    assert found.rows["p_adjusted"].to_numpy() == pytest.approx(expected)
    assert found.sentences[0].startswith(
        "Of 3 estimates in both, 1 moved beyond the noise of draws"
    )
    assert "The largest move: accuracy by ppi, t, 10 items by random" in found.sentences[1]


def test_equal_runs_are_unchanged():
    first = estimates([0.5, 0.6, 0.4])
    row = only_row(compare_runs(first, first))
    assert (row["verdict"], row["difference"], row["p"]) == ("unchanged", 0, 1)


def test_equal_subsets_count_once_and_one_is_no_noise():
    first, second = estimates([0.5, 0.5, 0.5]), estimates([0.6, 0.6, 0.6])
    first["subset"] = second["subset"] = "the same"
    row = only_row(compare_runs(first, second))
    assert (row["pairs"], row["verdict"]) == (1, "not comparable")
    assert row["difference"] == pytest.approx(0.1)
    assert "one pair of labelled subsets" in row["reason"]


def test_undefined_values_take_no_part():
    first, second = estimates([None, 0.6, 0.4]), estimates([0.6, 0.7, None])
    assert only_row(compare_runs(first, second))["pairs"] == 1
    none = only_row(compare_runs(estimates([None]), estimates([0.5])))
    assert (none["verdict"], none["reason"]) == ("not comparable", "no draw has a value in both")


def test_what_is_in_one_run_only_is_counted():
    first = pd.concat([estimates([0.5, 0.6]), estimates([0.5], sampler="farthest")])
    found = compare_runs(first, estimates([0.6, 0.8, 0.9]))
    assert found.rows["pairs"].to_list() == [2]
    assert found.sentences[-1] == "1 estimates are in the first only and take no part."
    with pytest.raises(ValueError, match="no estimate in common"):
        compare_runs(first, estimates([0.5], task="other"))


def test_a_constant_difference_is_beyond_any_noise():
    assert judged(np.full(5, 0.25), 0.95) == {"low": 0.25, "high": 0.25, "p": 0.0}


# --- two models


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Paths of the pools of two models and of the labels; the second model is worse."""
    folder = tmp_path_factory.mktemp("models")
    frame, truth, _ = made_pool(400, seed=2)
    pool, labels = write(folder, frame, some_labels(truth, 150))
    names = [name for name in frame.columns if name.startswith("posterior_")]
    worse = frame.copy()
    noise = np.random.default_rng(9).dirichlet([1, 1, 1], 400)
    worse[names] = 0.45 * frame[names] + 0.55 * noise
    worse["prediction"] = worse[names].idxmax(axis=1).str.removeprefix("posterior_")
    worse.sample(frac=1, random_state=1).to_csv(folder / "worse.csv", index=False)
    return pool, folder / "worse.csv", labels


def both(models, **options):
    return [read(path, models[2], **options) for path in models[:2]]


def test_two_models_differ_by_what_each_evaluation_says(models):
    first, second = both(models, sampler="random")
    found = compare_models(first, second)
    assert set(found.rows["estimator"]) == {"unweighted", "difference", "ppi", "calibrated"}
    for row in found.rows.to_dict("records"):
        apart = [
            estimate(
                row["estimator"], one.pool, one.labelled, labels=one.labels,
                measure=row["measure"], sampler="random",
            )
            for one in (first, second)
        ]  # fmt: skip
        assert (row["first"], row["second"]) == pytest.approx([one.value for one in apart])
        assert row["difference"] == pytest.approx(apart[1].value - apart[0].value)
        if row["measure"] == "accuracy":
            assert row["verdict"] == "moved"
            assert row["low"] < row["difference"] < row["high"] < 0
            # paired: sharper than two intervals apart
            widths = [one.high - one.low for one in apart]
            assert row["high"] - row["low"] < math.hypot(*widths)
    right = [
        dict(
            zip(
                one.item_ids[one.labelled],
                one.pool.predictions[one.labelled] == one.labels,
                strict=True,
            )
        )
        for one in (first, second)
    ]
    only = (
        sum(right[0][k] > right[1][k] for k in right[0]),
        sum(right[0][k] < right[1][k] for k in right[0]),
    )
    p = stats.binomtest(only[0], sum(only)).pvalue
    assert found.sentences[-1] == (
        f"Of 150 labelled items, {only[0]} are right in the first only and {only[1]} in the second"
        f" only (exact McNemar p = {p:.2g})."
    )


def test_a_model_is_the_same_as_itself_in_any_order(models, tmp_path):
    pool, _, labels = models
    pd.read_csv(pool).sample(frac=1, random_state=4).to_csv(tmp_path / "again.csv", index=False)
    found = compare_models(read(pool, labels), read(tmp_path / "again.csv", labels))
    assert set(found.rows["verdict"]) == {"unchanged"}


def test_a_linearised_difference_is_the_t_test_of_the_pairs(models):
    first, second = both(models, sampler="random")
    found = compare_models(first, second, estimators=["hajek"]).rows.set_index("measure")
    order = {name: row for row, name in enumerate(second.item_ids.tolist())}
    theirs = np.array([order[name] for name in first.item_ids])
    gaps = np.zeros(400)
    for sign, one, rows in ((-1, first, first.labelled), (1, second, theirs[first.labelled])):
        gaps[first.labelled] += sign * (one.pool.predictions[rows] == first.labels)
    gaps = gaps[first.labelled]
    error = gaps.std(ddof=1) / math.sqrt(150) * math.sqrt(1 - 150 / 400)
    half = stats.t.ppf(0.975, 149) * error
    row = found.loc["accuracy"]
    assert row["high"] - row["low"] == pytest.approx(2 * half)
    assert row["p"] == pytest.approx(2 * stats.t.sf(abs(gaps.mean()) / error, 149))


def test_models_that_cannot_be_compared_say_why(models, tmp_path):
    first, second = both(models, sampler="uncertainty")
    found = compare_models(first, second)
    assert set(found.rows["verdict"]) == {"not comparable"}
    assert found.rows["difference"].notna().all()
    assert found.rows["reason"].str.contains("without any chance of selection").all()
    names = ["knn", "average_confidence"]
    rows = compare_models(*both(models), estimators=names).rows.groupby("estimator").first()
    assert rows.loc["knn", "reason"] == "weighs by embeddings, and none are given"
    assert "no label is used" in rows.loc["average_confidence", "reason"]
    with pytest.raises(UnusableInput, match="no estimator 'best'"):
        compare_models(first, second, estimators=["best"])
    frame = pd.read_csv(models[0])
    frame.loc[[0, 1], "item_id"] = ["other", "another"]
    labels = pd.read_csv(models[2]).query("item_id not in ('item-0000', 'item-0001')")
    frame.to_csv(tmp_path / "p.csv", index=False)
    labels.to_csv(tmp_path / "l.csv", index=False)
    third = read(tmp_path / "p.csv", tmp_path / "l.csv")
    with pytest.raises(UnusableInput, match="2 items are not in the second pool: 'item-0000'"):
        compare_models(first, third)
    other = replace(second, labels=np.roll(second.labels, 1))
    with pytest.raises(UnusableInput, match="on the same labels"):
        compare_models(first, other)


def test_a_whole_pool_has_no_noise(tmp_path):
    frame, truth, _ = made_pool(30)
    pool, labels = write(tmp_path, frame, dict(enumerate(truth)))
    owls, columns = frame["prediction"] == "owl", ["posterior_dog", "posterior_owl"]
    frame.loc[owls, columns] = frame.loc[owls, columns[::-1]].to_numpy()
    frame.loc[owls, "prediction"] = "dog"
    frame.to_csv(tmp_path / "other.csv", index=False)
    found = compare_models(read(pool, labels), read(tmp_path / "other.csv", labels))
    row = found.rows.query("measure == 'accuracy' and estimator == 'unweighted'").iloc[0]
    assert (row["verdict"], row["p"]) == ("moved", 0)
    assert row["low"] == row["high"] == row["difference"]


def test_the_table_and_the_page_of_a_comparison(models, tmp_path):
    found = compare_models(*both(models, sampler="random"))
    io.write_csv("run_comparison", found.rows, tmp_path / "comparison.csv")
    read_back = pd.read_csv(tmp_path / "comparison.csv")
    assert read_back["difference"].to_numpy() == pytest.approx(found.rows["difference"].to_numpy())
    page = comparison.build_page(found, "<old>.csv", "new.csv")
    assert "&lt;old&gt;.csv" in page
    assert page.count('<th scope="row">') == len(found.rows)
    assert comparison.build_page(found, "<old>.csv", "new.csv") == page
