"""Splitting a table: folds that hold every subconcept, weights by hand, reasons for not running."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

from earnest.datasets.tabular import Table
from earnest.io import schemas
from earnest.protocols.crossval import splitting
from earnest.protocols.crossval.folds import FoldError, halves
from earnest.protocols.crossval.splitting import fill_missing, split_file, split_table

SIZES = {"a": 60, "b": 28, "c": 12}  # one majority; b and c fit under halves of what is above


def made_table(missing=0, sizes=SIZES, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.repeat(list(sizes), list(sizes.values()))
    centres = np.repeat(np.arange(len(sizes)), list(sizes.values()))
    features = rng.normal(size=(len(labels), 3)) + 1.5 * centres[:, np.newaxis]
    features = features.astype(np.float32)
    features[:missing, 1] = np.nan
    return Table(features, ("x", "y", "z"), labels, missing, ())


@pytest.fixture(scope="module")
def split():
    return split_table(made_table(missing=3), dataset="made", root_seed=0, n_estimators=20)


def test_every_item_is_tested_once_in_every_repeat(split):
    counts = split.items.groupby(["repeat", "item"]).size()
    assert (counts == 1).all()
    assert len(counts) == 5 * 100
    sizes = split.items.groupby(["repeat", "fold", "subconcept"]).size().unique()
    assert sorted(sizes) == [6, 14, 30]  # every subconcept halved


def test_weights_by_hand(split):
    # both halves train on 30 a, 14 b, 6 c: u is 1, 30/14 and 30/6
    worth = {"a": 1.0, "b": 30 / 14, "c": 5.0}
    for name, value in worth.items():
        mine = split.items[split.items["subconcept"] == name]
        assert mine["utility_true"].to_numpy() == pytest.approx(value, abs=1e-12)
    predicted = split.items["utility_predicted"]
    assert predicted.between(1 - 1e-12, 5 + 1e-12).all()
    minority = split.items["is_minority"]
    assert (split.items.loc[~minority, "utility_conditional"] == 1).all()
    assert split.items.loc[minority, "utility_conditional"].ge(30 / 14 - 1e-12).all()


def test_subconcepts_summarise_the_items(split):
    items = split.items
    for row in split.subconcepts.itertuples():
        mine = items[(items["repeat"] == row.repeat) & (items["fold"] == row.fold)]
        mine = mine[mine["subconcept"] == row.subconcept]
        assert row.test_size == len(mine)
        assert row.mean_predicted == pytest.approx(mine["utility_predicted"].mean(), abs=1e-12)
        assert row.mean_conditional == pytest.approx(mine["utility_conditional"].mean(), abs=1e-12)
    ranks = split.subconcepts.groupby("subconcept")["rank"].unique()
    assert {name: list(found) for name, found in ranks.items()} == {"a": [0], "b": [1], "c": [2]}


def test_recognition_agrees_with_scikit_learn():
    rng = np.random.default_rng(1)
    truth = np.array(["a", "b", "c"])[rng.integers(3, size=50)]
    posteriors = rng.dirichlet(np.ones(3), size=50)
    predicted = np.array(["a", "b", "c"])[posteriors.argmax(axis=1)]

    found = splitting.recognition_rows(truth, predicted, posteriors, ["a", "b", "c"])
    values = {row["measure"]: row["value"] for row in found}
    assert values["balanced_accuracy"] == pytest.approx(
        metrics.balanced_accuracy_score(truth, predicted), abs=1e-12
    )
    assert values["f1"] == pytest.approx(
        metrics.f1_score(truth, predicted, average="macro"), abs=1e-12
    )
    assert values["roc_auc"] == pytest.approx(
        metrics.roc_auc_score(truth, posteriors, multi_class="ovr", average="macro"), abs=1e-12
    )


def test_the_frames_fit_their_schemas(split):
    for table, frame in (
        ("fold_items", split.items),
        ("fold_subconcepts", split.subconcepts),
        ("recognition", split.recognition),
    ):
        assert schemas.to_arrow(table, frame).num_rows == len(frame) > 0


def test_the_description(split):
    found = split.description
    assert (found["status"], found["majority"], found["minority"]) == ("used", ["a"], ["b", "c"])
    assert (found["majority_size"], found["minority_size"], found["ratio"]) == (60, 40, 1.5)
    assert (found["missing"], found["filled"], found["rows"]) == (3, 3, 100)


def test_only_the_seed_and_the_name_decide():
    options = {"n_estimators": 5, "repeats": 1}
    one, same = (split_table(made_table(), dataset="x", root_seed=4, **options) for _ in range(2))
    pd.testing.assert_frame_equal(one.items, same.items)
    for other in (
        split_table(made_table(), dataset="y", root_seed=4, **options),
        split_table(made_table(), dataset="x", root_seed=5, **options),
    ):
        assert not one.items["item"].equals(other.items["item"])


def test_missing_numbers_become_medians_of_the_training_part():
    features = np.array([[1, np.nan], [3, np.nan], [8, 7], [np.nan, 5]], dtype=np.float32)
    filled = fill_missing(features, np.array([0, 1, 2]))
    # medians over rows 0 to 2: 3 and 7
    np.testing.assert_array_equal(filled, [[1, 7], [3, 7], [8, 7], [3, 5]])
    # no training number at all in the second feature
    np.testing.assert_array_equal(
        fill_missing(features, np.array([0, 1])), [[1, 0], [3, 0], [8, 7], [2, 5]]
    )
    whole = features[2:3]
    assert fill_missing(whole, np.array([0])) is whole


@pytest.mark.filterwarnings("ignore:The least populated class")
def test_a_fold_without_a_subconcept_is_named():
    subconcept = np.array(["a"] * 10 + ["b"] * 10 + ["lonely"])
    with pytest.raises(FoldError, match="subconcept 'lonely'"):
        list(halves(subconcept, "made", 1, 0))


def write_tsv(path, sizes):
    rows = [f"{n % 7}\t{name}" for name, size in sizes.items() for n in range(size)]
    path.write_text("x\ttarget\n" + "\n".join(rows) + "\n")


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [
        ({"a": 50, "b": 50}, "at least 3 classes"),
        ({"a": 50, "b": 20, "c": 8}, "'c' would have 8"),
        (None, "put made.tsv.gz from"),
    ],
)
def test_a_set_that_cannot_be_used_is_not_run(tmp_path, sizes, reason):
    if sizes is not None:
        write_tsv(tmp_path / "made.tsv", sizes)
    found = split_file("pmlb", "made", [tmp_path], root_seed=0)
    assert found.description["status"] == "not run"
    assert found.description["dataset"] == "made"
    assert reason in found.description["reason"]
    assert len(found.features) == 0
    for table, frame in (
        ("fold_items", found.items),
        ("fold_subconcepts", found.subconcepts),
        ("recognition", found.recognition),
    ):
        assert schemas.to_arrow(table, frame).num_rows == 0
