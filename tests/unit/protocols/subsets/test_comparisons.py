"""Paired tests against the unweighted estimate: by hand and against scipy."""

import numpy as np
import pandas as pd
import pytest

from earnest.io import schemas
from earnest.protocols.subsets.comparisons import compare, rmse_difference
from earnest.protocols.subsets.summary import summarise

KEYS = {"study": "s", "task": "t", "measure": "accuracy", "utility": "none", "sampler": "farthest"}


def estimates(values, *, truth=0.5, subsets=None, size=20, **changes):
    """One row per seed and estimator; `values` maps estimators to their values by seed."""
    rows = []
    for estimator, column in values.items():
        for seed, value in enumerate(column):
            subset = f"h{seed}" if subsets is None else subsets[seed]
            rows.append(
                dict.fromkeys(schemas.TABLES["estimates"])
                | KEYS
                | {"estimator": estimator, "size": size, "seed": seed, "value": value}
                | {"truth": truth, "subset": subset, "flags": []}
                | changes
            )
    return pd.DataFrame(rows, columns=list(schemas.TABLES["estimates"]))


def compared(*frames):
    table = pd.concat(frames, ignore_index=True)
    found = compare(table, summarise(table))
    schemas.to_arrow("comparisons", found)
    return found.set_index(["sampler", "size", "estimator"])


def test_hand_checked_row():
    # errors .1 .2 .3 .4 unweighted; .05 .1 .1 .5 kde: gains .05 .1 .2 -.1, the tie has rank 2.5
    one = estimates({"unweighted": [0.6, 0.3, 0.8, 0.9], "kde": [0.55, 0.6, 0.4, 1.0]})
    found = compared(one).loc["farthest", 20]
    assert list(found.index) == ["kde", "unweighted"]
    row, reference = found.loc["kde"], found.loc["unweighted"]
    assert (row["subsets"], row["nearer"]) == (4, 0.75)
    assert row["effect"] == pytest.approx((1 + 2.5 + 4 - 2.5) / 10)
    assert row["smallest_p"] == 0.125
    # not even four of four would reach .05
    assert row["verdict"] == "too few"
    assert row["rmse"] == pytest.approx(np.sqrt((0.05**2 + 0.1**2 + 0.1**2 + 0.5**2) / 4))
    assert (row["best"], reference["best"]) == (True, False)
    assert reference["verdict"] == "reference"
    assert np.isnan(reference[["nearer", "p", "p_adjusted"]].astype(float)).all()


def test_gain_in_error_has_the_interval_of_the_linearised_rmse():
    # squared errors .04 and .16 in turn against .01: RMSE sqrt(.1) against .1
    one = estimates({"unweighted": [0.7, 0.1] * 8, "difference": [0.6, 0.4] * 8})
    row = compared(one).loc["farthest", 20, "difference"]
    assert row["difference"] == pytest.approx(0.1 - np.sqrt(0.1))
    # parts .05 - .04 / (2 RMSE) and .05 - .16 / (2 RMSE) differ by .12 / (2 sqrt(.1)) = .18974:
    # SD .09487 sqrt(16 / 15), standard error .024495; t of 15 degrees of freedom is 2.13145
    half = 2.13145 * 0.024495
    assert row["high"] - row["difference"] == pytest.approx(half, rel=1e-4)
    assert row["difference"] - row["low"] == pytest.approx(half, rel=1e-4)
    reference = compared(one).loc["farthest", 20, "unweighted"]
    assert np.isnan(reference[["difference", "low", "high"]].astype(float)).all()
    few = estimates({"unweighted": [0.7, 0.1] * 4, "difference": [0.6, 0.4] * 4})
    row = compared(few).loc["farthest", 20, "difference"]
    assert row["difference"] == pytest.approx(0.1 - np.sqrt(0.1))
    assert np.isnan(row[["low", "high"]].astype(float)).all()
    assert rmse_difference(np.zeros(20), np.ones(20), 0.95) == (-1, None, None)


def test_interval_of_a_gain_is_that_of_the_paired_bootstrap():
    rng = np.random.default_rng(0)
    reference = rng.normal(0.03, 0.05, size=400)
    errors = 0.4 * reference + rng.normal(0, 0.03, size=400)
    counts = rng.multinomial(400, np.full(400, 1 / 400), size=4000)
    both = [np.sqrt(counts @ one**2 / 400) for one in (errors, reference)]
    low, high = np.quantile(both[0] - both[1], [0.025, 0.975])
    assert rmse_difference(errors, reference, 0.95)[1:] == pytest.approx((low, high), abs=2e-4)


def test_equal_subsets_count_once_and_equal_errors_not_at_all():
    plain = [0.6] * 8 + [0.7] * 8
    other = [0.55] * 8 + [0.7] * 8
    names = ["a"] * 8 + ["b"] * 8
    again = estimates({"unweighted": plain, "kde": other}, subsets=names)
    row = compared(again).loc["farthest", 20, "kde"]
    assert (row["subsets"], row["nearer"], row["smallest_p"], row["p"]) == (2, 0.5, 1.0, 1.0)
    same = estimates({"unweighted": plain, "kde": np.array(plain) + 1e-15})
    row = compared(same).loc["farthest", 20, "kde"]
    assert (row["effect"], row["p"], row["best"]) == (0.0, 1.0, True)


def test_better_worse_mixed_and_not_shown():
    rng = np.random.default_rng(0)
    errors = rng.uniform(0.05, 0.2, size=30)
    values = {
        "unweighted": 0.5 + errors,
        "difference": 0.5 - errors / 2,  # the side of the truth does not matter
        "kde": 0.5 + errors * 1.5,
        "knn": 0.5 + np.where(np.arange(30) < 3, 0.45, errors / 2),  # nearer but for three
        "logistic": 0.5 + rng.permutation(errors),
    }
    found = compared(estimates(values)).loc["farthest", 20]
    assert found["verdict"].to_dict() == {
        "unweighted": "reference",
        "difference": "better",
        "kde": "worse",
        "knn": "mixed",
        "logistic": "not shown",
    }
    assert found.loc["knn", "rmse"] > found.loc["unweighted", "rmse"]
    assert found.loc["knn", "nearer"] == 0.9
    # Holm by hand: the smallest of four p times 4, the next times 3 or the one before, ...
    p = found["p"].dropna().sort_values()
    expected, before = {}, 0.0
    for name, times in zip(p.index, (4, 3, 2, 1), strict=True):
        before = expected[name] = min(max(before, p[name] * times), 1.0)
    assert found["p_adjusted"].dropna().to_dict() == pytest.approx(expected)


def test_a_family_is_one_task_measure_and_utility():
    values = {"unweighted": [0.6, 0.7, 0.8, 0.9, 1.0, 0.65, 0.75], "kde": [0.5] * 7}
    frames = [estimates(values, size=size) for size in (10, 20, 30)]
    other = [estimates(values, measure="recall:dog", size=size) for size in (10, 20, 30)]
    found = compared(*frames, *other)
    # 2^-6 each; three in each family, not six
    assert found["p"].dropna().tolist() == [2.0**-6] * 6
    assert found["p_adjusted"].dropna().tolist() == pytest.approx([3 * 2.0**-6] * 6)
    assert set(found["verdict"]) == {"reference", "better"}


def test_what_has_no_value_is_undefined():
    values = {"unweighted": [0.6, None, 0.7], "kde": [None, 0.5, None], "knn": [0.5, None, 0.6]}
    found = compared(estimates(values)).loc["farthest", 20]
    assert found.loc["kde", "verdict"] == "undefined"
    assert found.loc["kde", "subsets"] == 0
    assert found.loc["knn", "subsets"] == 2
    assert np.isnan(found.loc["kde", "p"])
    nothing = estimates({"unweighted": [None], "kde": [None]}, truth=None)
    assert not compared(nothing)["best"].any()


def test_without_the_unweighted_score_nothing_is_compared():
    found = compared(estimates({"kde": [0.5, 0.6]})).loc["farthest", 20]
    assert found["verdict"].tolist() == ["undefined"]
