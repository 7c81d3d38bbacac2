"""The joint weights against one weight alone and neither: errors by hand, pairing, reasons."""

import numpy as np
import pandas as pd
import pytest

from earnest.io import schemas
from earnest.protocols.subsets import joint

# estimates of one subset each: kde x true, kde alone, true alone, neither; the target is 0.5
VALUES = {
    ("kde", "true"): [0.5, 0.6, 0.4],
    ("kde", "none"): [0.8, 0.8, 0.8],
    ("unweighted", "true"): [0.6, 0.7, 0.5],
    ("unweighted", "none"): [0.9, 0.7, 0.5],
}
TRUTH = {"true": 0.5, "none": 0.75}


def estimates(values=VALUES, size=10, **changes):
    empty = dict.fromkeys(schemas.TABLES["estimates"])
    rows = []
    for (estimator, utility), numbers in values.items():
        for seed, value in enumerate(numbers):
            row = {"study": "s", "task": "t", "sampler": "random", "size": size, "seed": seed}
            row |= {"estimator": estimator, "measure": "balanced_accuracy", "utility": utility}
            row |= {"value": value, "truth": TRUTH[utility], "flags": [], "subset": f"h{seed}"}
            rows.append(empty | row | changes)
    return pd.DataFrame(rows)


def test_errors_by_hand():
    found = joint.compare(estimates(), root_seed=0).set_index("rival")
    assert list(found.index) == ["neither", "importance", "utility"]
    # errors of the joint estimate: 0, 0.1, -0.1
    assert found["joint_rmse"].to_numpy() == pytest.approx(np.sqrt(0.02 / 3), abs=1e-12)
    assert found["joint_bias"].to_numpy() == pytest.approx(0, abs=1e-12)
    # every rival is held against the target of the joint estimate, not against its own
    assert found.loc["importance", "rival_rmse"] == pytest.approx(0.3, abs=1e-12)
    assert found.loc["importance", "rival_bias"] == pytest.approx(0.3, abs=1e-12)
    assert found.loc["utility", "rival_rmse"] == pytest.approx(np.sqrt(0.05 / 3), abs=1e-12)
    assert found.loc["neither", "rival_rmse"] == pytest.approx(np.sqrt(0.2 / 3), abs=1e-12)
    difference = found["joint_rmse"] - found["rival_rmse"]
    assert found["difference"].to_numpy() == pytest.approx(difference.to_numpy(), abs=1e-12)
    assert set(found["truth"]) == {0.5}
    assert set(found["reason"]) == {"no interval: 3 distinct subsets only"}
    assert schemas.to_arrow("joint", found.reset_index()).num_rows == 3


def test_a_subset_in_which_one_estimate_is_undefined_counts_for_none():
    values = VALUES | {("unweighted", "true"): [0.6, None, 0.5]}
    found = joint.compare(estimates(values), root_seed=0).set_index("rival")
    assert (set(found["subsets"]), set(found["undefined"])) == ({2}, {1})
    assert found.loc["neither", "rival_rmse"] == pytest.approx(np.sqrt(0.16 / 2), abs=1e-12)
    nothing = VALUES | {("unweighted", "true"): [None] * 3}
    assert len(joint.compare(estimates(nothing), root_seed=0)) == 0


def test_equal_subsets_count_once():
    twice = pd.concat([estimates(), estimates().assign(seed=7)])
    one, two = (joint.compare(frame, root_seed=0) for frame in (estimates(), twice))
    pd.testing.assert_frame_equal(one, two)
    single = joint.compare(estimates(subset="same"), root_seed=0)
    assert set(single["reason"]) == {"no interval: one subset only"}


def many(rng, noise=0.05, bias=0.2, subsets=40):
    """Subsets whose importance-only estimate is off by `bias`, the others by noise alone."""
    draws = rng.normal(scale=noise, size=(4, subsets))
    return {
        ("kde", "true"): 0.5 + 0.5 * draws[0],
        ("kde", "none"): 0.5 + bias + draws[1],
        ("unweighted", "true"): 0.5 + draws[0],
        ("unweighted", "none"): 0.5 + bias + draws[3],
    }


def test_intervals_tell_a_difference_and_are_paired():
    found = joint.compare(estimates(many(np.random.default_rng(0))), root_seed=0)
    found = found.set_index("rival")
    assert (found["low"] <= found["difference"]).all()
    assert (found["difference"] <= found["high"]).all()
    assert (found["high"] < 0).all()
    # the joint error is half the utility-only one in each subset, so their difference hardly
    # varies but with the scale of both: paired, the interval is as wide as half an RMSE's
    width = found.loc["utility", "high"] - found.loc["utility", "low"]
    assert width < 0.02


def test_pairs_of_equal_estimates_differ_by_nothing():
    values = many(np.random.default_rng(1))
    values["kde", "true"] = values["unweighted", "true"]
    row = joint.compare(estimates(values), root_seed=0).set_index("rival").loc["utility"]
    assert (row["low"], row["difference"], row["high"]) == (0, 0, 0)


def test_only_the_root_seed_moves_the_intervals():
    frame = estimates(many(np.random.default_rng(2)))
    one, same, other = (joint.compare(frame, root_seed=seed) for seed in (3, 3, 4))
    pd.testing.assert_frame_equal(one, same)
    assert not one["low"].equals(other["low"])
    pd.testing.assert_frame_equal(
        one.drop(columns=["low", "high"]), other.drop(columns=["low", "high"])
    )


def test_without_utilities_there_is_nothing_to_join():
    plain = {key: value for key, value in VALUES.items() if key[1] == "none"}
    assert len(joint.compare(estimates(plain), root_seed=0)) == 0
    assert len(joint.compare(estimates().iloc[:0], root_seed=0)) == 0
    # an estimator whose utility scores have no value, as `difference`
    difference = VALUES | {("difference", "true"): [None] * 3, ("difference", "none"): [0.7] * 3}
    assert set(joint.compare(estimates(difference), root_seed=0)["estimator"]) == {"kde"}
