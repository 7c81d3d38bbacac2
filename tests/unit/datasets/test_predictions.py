"""Predictions made elsewhere: read from CSV and parquet, scored by hand, refused with the place."""

import numpy as np
import pandas as pd
import pytest

from earnest.datasets import predictions
from earnest.io import schemas
from earnest.io.cells import UnusableInput
from earnest.protocols.crossval.predictions import score_file

# one majority subconcept of 60, minority subconcepts of 30 and 10: utilities 1, 2 and 6
SUBCONCEPTS = pd.DataFrame(
    {
        "subconcept": ["10", "rare", "base"],
        "side": ["minority", "minority", "majority"],
        "train_size": [30, 10, 60],
    }
)
ITEMS = pd.DataFrame(
    {
        "y_true": [0, 0, 1, 1, 1],
        "prediction": [0, 1, 1, 0, 0],
        "score": [0.1, 0.7, 0.9, 0.4, 0.2],
        "subconcept": ["base", "base", "10", "10", "rare"],
        "posterior:base": [1.0, 0.5, 0.0, 0.8, 0.5],
        "posterior:rare": [0.0, 0.0, 0.0, 0.0, 0.5],
        "posterior:10": [0.0, 0.5, 1.0, 0.2, 0.0],
    }
)
# expected utilities 1, 1.5, 2, 1.2, 3.5; given that they are minority: 2, 2, 6


def write(folder, items=ITEMS, subconcepts=SUBCONCEPTS, suffix="csv"):
    for name, frame in (("items", items), ("subconcepts", subconcepts)):
        path = folder / f"{name}.{suffix}"
        if suffix == "parquet":
            frame.to_parquet(path)
        else:
            frame.to_csv(path, index=False, sep="\t" if suffix == "tsv" else ",")
    return folder / f"items.{suffix}", folder / f"subconcepts.{suffix}"


def values(scored):
    frame = scored.scores
    return frame.set_index(["part", "measure", "utility"])["value"].to_dict()


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_scores_by_hand(tmp_path, suffix):
    scored = score_file("mine", *write(tmp_path, suffix=suffix))
    found = values(scored)
    expected = {
        "none": (1 / 2, 1 / 3),
        "true": (1 / 2, 2 / 10),
        "predicted": (1 / 2.5, 2 / 6.7),
        "majority_one": (1 / 2, 2 / 6.7),
        "conditional": (1 / 2, 2 / 10),
    }
    for utility, recalls in expected.items():
        value = found["full", "balanced_accuracy", utility]
        assert value == pytest.approx(sum(recalls) / 2, abs=1e-12), utility
    # largest is "10" (one of two hit), smallest is "rare" (missed)
    assert found["largest", "balanced_accuracy", "none"] == pytest.approx(0.5, abs=1e-12)
    assert found["smallest", "balanced_accuracy", "none"] == pytest.approx(0.25, abs=1e-12)
    assert set(scored.scores["correction"]) == {"given"}
    assert scored.description["majority"] == ["base"]
    assert scored.description["minority"] == ["10", "rare"]
    for table, frame in (
        ("fold_scores", scored.scores),
        ("fold_recalls", scored.recalls),
        ("fold_subconcepts", scored.subconcepts),
        ("recognition", scored.recognition),
    ):
        assert schemas.to_arrow(table, frame).num_rows > 0


def test_mean_weights_and_recognition_by_hand(tmp_path):
    scored = score_file("mine", *write(tmp_path))
    averages = scored.subconcepts.set_index("subconcept")
    assert averages["mean_true"].to_dict() == {"base": 1, "10": 2, "rare": 6}
    assert averages["mean_predicted"].to_dict() == pytest.approx(
        {"base": 1.25, "10": 1.6, "rare": 3.5}, abs=1e-12
    )
    recognised = scored.recognition.set_index("measure")["value"]
    # likeliest subconcepts: base, base (the first of two), 10, base, base
    assert recognised["balanced_accuracy"] == pytest.approx((1 + 1 / 2 + 0) / 3, abs=1e-12)


def test_without_true_subconcepts_what_needs_them_says_so(tmp_path):
    scored = score_file("mine", *write(tmp_path, ITEMS.drop(columns="subconcept")))
    assert scored.description["status"] == "used"
    known = scored.scores[scored.scores["part"] == "full"]
    known = known[known["utility"] != "true"]
    assert known["value"].notna().all()
    assert known["reason"].isna().all()
    unknown = scored.scores.drop(index=known.index)
    assert unknown["value"].isna().all()
    assert set(unknown["reason"]) == {
        "not run: the true subconcepts of the test items are not known"
    }
    whole = values(score_file("mine", *write(tmp_path)))
    for key, value in values(scored).items():
        if not np.isnan(value):
            assert value == pytest.approx(whole[key], abs=1e-12)
    assert len(scored.recalls) == len(scored.subconcepts) == len(scored.recognition) == 0


def test_folds_are_scored_one_by_one(tmp_path):
    twice = pd.concat([ITEMS.assign(repeat=1, fold=0), ITEMS.assign(repeat=0, fold=1)])
    twice = twice.sample(frac=1, random_state=0)
    scored = score_file("mine", *write(tmp_path, twice))
    folds = scored.scores.groupby(["repeat", "fold"])
    assert list(folds.groups) == [(0, 1), (1, 0)]
    single = values(score_file("mine", *write(tmp_path)))
    for _, fold in folds:
        keyed = fold.set_index(["part", "measure", "utility"])["value"].to_dict()
        assert keyed == pytest.approx(single, abs=1e-12)


def test_rounded_posteriors_are_taken(tmp_path):
    rounded = ITEMS.assign(**{"posterior:base": ITEMS["posterior:base"] + 4e-5})
    given = predictions.read(*write(tmp_path, rounded))
    np.testing.assert_allclose(given.posteriors.sum(axis=1), 1, rtol=0, atol=1e-12)


def changed(column, row, value):
    frame = ITEMS.astype(dict.fromkeys(ITEMS.columns, object))
    frame.loc[row, column] = value
    return frame


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        (ITEMS.drop(columns="score"), "no column 'score'"),
        (ITEMS.rename(columns={"posterior:rare": "posterior:rar"}), "posteriors of 'rar'"),
        (ITEMS.drop(columns="posterior:rare"), "no column 'posterior:rare'"),
        (changed("y_true", 3, 2), "row 4, column 'y_true': '2' is neither 0 nor 1"),
        (changed("score", 2, ""), "row 3, column 'score': '' is no finite number"),
        (changed("score", 2, "high"), "row 3, column 'score': 'high' is no finite number"),
        (changed("posterior:base", 1, 0.9), r"row 2: columns posterior:\* sum to 1.4"),
        (changed("subconcept", 4, "base"), "row 5: 'base' is no minority subconcept"),
        (changed("subconcept", 4, "odd"), "row 5: 'odd' is no minority subconcept"),
        (ITEMS.assign(fold=0.5), "row 1, column 'fold': '0.5' is no whole number"),
        (ITEMS.iloc[:0], "no rows"),
    ],
)
def test_unusable_items_name_the_place(tmp_path, items, reason):
    with pytest.raises(UnusableInput, match=reason) as caught:
        predictions.read(*write(tmp_path, items))
    assert "items.csv" in str(caught.value)


@pytest.mark.parametrize(
    ("subconcepts", "reason"),
    [
        (SUBCONCEPTS.drop(columns="side"), "no column 'side'"),
        (SUBCONCEPTS.assign(side="minority"), "no majority subconcept"),
        (SUBCONCEPTS.assign(side="small"), "row 1, column 'side': 'small' is neither"),
        (SUBCONCEPTS.assign(train_size=0), "row 1, column 'train_size': '0' is no number of items"),
        (SUBCONCEPTS.assign(subconcept="base"), "'base' is there twice"),
    ],
)
def test_unusable_subconcepts_name_the_place(tmp_path, subconcepts, reason):
    with pytest.raises(UnusableInput, match=reason) as caught:
        predictions.read(*write(tmp_path, subconcepts=subconcepts))
    assert "subconcepts.csv" in str(caught.value)


def test_an_unusable_file_is_a_row_with_its_reason(tmp_path):
    scored = score_file("mine", tmp_path / "items.csv", write(tmp_path)[1].with_name("no.csv"))
    assert scored.description["status"] == "not run"
    assert "there is no file" in scored.description["reason"]
    assert schemas.to_arrow("fold_scores", scored.scores).num_rows == 0


def test_posteriors_of_an_unknown_class_stop_that_model_alone(tmp_path):
    unknown = ITEMS.rename(columns={"posterior:rare": "posterior:rar"})
    refused = score_file("mine", *write(tmp_path, unknown))
    assert refused.description["status"] == "not run"
    assert "posteriors of 'rar'" in refused.description["reason"]
    assert len(refused.scores) == 0
    # the others go on, and all of them fit in one table
    other = score_file("other", *write(tmp_path))
    both = pd.concat([refused.scores, other.scores], ignore_index=True)
    assert schemas.to_arrow("fold_scores", both).num_rows == 45


def test_one_class_in_the_test_items_leaves_what_can_be_scored(tmp_path):
    scored = score_file("mine", *write(tmp_path, ITEMS.iloc[2:]))
    assert scored.description["status"] == "used"
    cells = scored.scores.set_index("measure")
    assert cells.loc[["balanced_accuracy", "roc_auc"], "value"].isna().all()
    reasons = set(cells.loc[["balanced_accuracy", "roc_auc"], "reason"])
    assert reasons == {"not run: no majority item in the test set"}
    found = values(scored)
    # of three minority items one is hit: F1 = 2 / (3 + 1); by weights 2, 2 and 6, 4 / (10 + 2)
    assert found["full", "f1", "none"] == pytest.approx(0.5, abs=1e-12)
    assert found["full", "f1", "true"] == pytest.approx(1 / 3, abs=1e-12)


@pytest.mark.parametrize("name", ["NA", "null", "None", "nan"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_names_that_other_readers_take_for_missing(tmp_path, name, suffix):
    items = ITEMS.replace({"rare": name}).rename(columns={"posterior:rare": f"posterior:{name}"})
    given = predictions.read(*write(tmp_path, items, SUBCONCEPTS.replace("rare", name), suffix))
    assert given.minority == ("10", name)
    assert given.subconcept.tolist() == ["base", "base", "10", "10", name]


def test_posteriors_of_three_digits_are_scaled(tmp_path):
    thirds = {f"posterior:{name}": 0.333 for name in ("base", "rare", "10")}
    given = predictions.read(*write(tmp_path, ITEMS.assign(**thirds)))
    assert given.posteriors == pytest.approx(np.full((5, 3), 1 / 3))
    thirds = dict.fromkeys(thirds, 0.33)
    with pytest.warns(UserWarning, match="rounded to 2 digits"):
        predictions.read(*write(tmp_path, ITEMS.assign(**thirds)))
