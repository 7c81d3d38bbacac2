"""Scores of one fold by hand and against scikit-learn; recalls; cells that are not run."""

import numpy as np
import pytest
from sklearn import metrics

from earnest.datasets.tabular import Table
from earnest.io import schemas
from earnest.protocols.crossval import scoring
from earnest.protocols.crossval.scoring import FoldItems, count_hits, score_correction, score_fold
from earnest.protocols.crossval.splitting import split_table

# 4 majority items, 3 of subconcept b and 1 of c. True weights: b 2, c 6.
IS_MINORITY = np.array([0, 0, 0, 0, 1, 1, 1, 1], dtype=bool)
SUBCONCEPT = np.array(["a", "a", "a", "a", "b", "b", "b", "c"])
TRUE = np.array([1, 1, 1, 1, 2, 2, 2, 6.0])
PREDICTED = np.array([1, 1, 1, 3, 2, 2, 1, 4.0])
CONDITIONAL = np.array([1, 1, 1, 1, 2, 2, 2, 5.0])
TESTED = FoldItems(
    IS_MINORITY,
    SUBCONCEPT,
    {"true": TRUE, "predicted": PREDICTED, "conditional": CONDITIONAL},
)
# one majority item and the only c are wrong
HIT = np.array([0, 0, 0, 1, 1, 1, 1, 0], dtype=bool)
SCORES = np.array([0.1, 0.2, 0.3, 0.6, 0.9, 0.8, 0.7, 0.25])


def values(cells):
    return {(c["part"], c["measure"], c["utility"]): c["value"] for c in cells}


def test_balanced_accuracy_by_hand():
    found = values(score_fold(TESTED, HIT, SCORES, ["b", "c"]))
    # recall of the majority, then of the minority, in weights
    expected = {
        "none": (3 / 4, 3 / 4),
        "true": (3 / 4, 6 / 12),
        "predicted": (3 / 6, 5 / 9),
        "majority_one": (3 / 4, 5 / 9),
        "conditional": (3 / 4, 6 / 11),
    }
    for utility, recalls in expected.items():
        value = found["full", "balanced_accuracy", utility]
        assert value == pytest.approx(sum(recalls) / 2, abs=1e-12), utility
    # with b alone all minority items are hit, with c alone none
    assert found["largest", "balanced_accuracy", "none"] == pytest.approx(0.875, abs=1e-12)
    assert found["smallest", "balanced_accuracy", "none"] == pytest.approx(0.375, abs=1e-12)
    assert found["largest", "balanced_accuracy", "predicted"] == pytest.approx(0.75, abs=1e-12)


def test_every_cell_agrees_with_scikit_learn():
    found = values(score_fold(TESTED, HIT, SCORES, ["b", "c"]))
    assert len(found) == 3 * 3 * 5
    weights = {
        "none": np.ones(8),
        "true": TRUE,
        "predicted": PREDICTED,
        "majority_one": np.where(IS_MINORITY, PREDICTED, 1),
        "conditional": CONDITIONAL,
    }
    parts = {
        "full": slice(None),
        "largest": SUBCONCEPT != "c",
        "smallest": SUBCONCEPT != "b",
    }
    for (part, measure, utility), value in found.items():
        rows = parts[part]
        truth, w = IS_MINORITY[rows], weights[utility][rows]
        given = SCORES[rows] if measure == "roc_auc" else HIT[rows]
        function = {
            "roc_auc": metrics.roc_auc_score,
            "balanced_accuracy": metrics.balanced_accuracy_score,
            "f1": metrics.f1_score,
        }[measure]
        assert value == pytest.approx(function(truth, given, sample_weight=w), abs=1e-12)


def test_identical_weights_give_the_plain_measure():
    same = FoldItems(
        IS_MINORITY,
        SUBCONCEPT,
        dict.fromkeys(("true", "predicted", "conditional"), np.full(8, 3.0)),
    )
    found = values(score_fold(same, HIT, SCORES, ["b", "c"]))
    for (part, measure, utility), value in found.items():
        if utility != "majority_one":  # majority 1 against 3: not the same for all items
            assert value == pytest.approx(found[part, measure, "none"], abs=1e-12)


def test_one_class_in_a_test_set_is_said():
    only = FoldItems(IS_MINORITY[4:], SUBCONCEPT[4:], {k: v[4:] for k, v in TESTED.weights.items()})
    cells = score_fold(only, HIT[4:], SCORES[4:], ["b", "c"])
    for cell in cells:
        if cell["measure"] == "f1":
            assert cell["value"] is not None or cell["part"] == "smallest"
        else:
            assert cell["value"] is None
            assert cell["reason"] == "not run: no majority item in the test set"


def test_hits_and_weights_by_hand():
    description = {"majority": ["a"], "minority": ["b", "c"]}
    copies = np.array(["a", "a", "b", "b", "b", "c"])
    rows = {r["subconcept"]: r for r in count_hits(TESTED, HIT, description, copies=copies)}
    assert [(r["test_size"], r["hits"], r["trained"]) for r in rows.values()] == [
        (4, 3, 2),
        (3, 3, 3),
        (1, 0, 1),
    ]
    assert (rows["b"]["hit_true"], rows["b"]["hit_predicted"], rows["b"]["missed_true"]) == (
        6,
        5,
        0,
    )
    assert (rows["c"]["missed_true"], rows["c"]["missed_predicted"]) == (6, 4)
    assert rows["c"]["missed_conditional"] == 5
    assert (rows["a"]["missed_predicted"], rows["a"]["side"], rows["c"]["rank"]) == (
        3,
        "majority",
        2,
    )


@pytest.fixture(scope="module")
def split():
    rng = np.random.default_rng(0)
    labels = np.repeat(["a", "b", "c"], [60, 28, 12])
    features = rng.normal(size=(100, 3)) + np.repeat([0, 1, 2], [60, 28, 12])[:, np.newaxis]
    table = Table(features.astype(np.float32), ("x", "y", "z"), labels, 0, ())
    return split_table(table, dataset="made", root_seed=0, repeats=2, n_estimators=10)


@pytest.mark.parametrize("correction", ["none", "ros", "rus", "smote", "weight"])
def test_every_correction_gives_the_whole_table(split, correction):
    scores, recalls = score_correction(
        split.description,
        split.features,
        split.items,
        correction=correction,
        root_seed=0,
        n_estimators=10,
    )
    assert schemas.to_arrow("fold_scores", scores).num_rows == 2 * 2 * 3 * 3 * 5
    assert schemas.to_arrow("fold_recalls", recalls).num_rows == 2 * 2 * 3
    assert scores["value"].between(0, 1 + 1e-12).all()  # sums of pairs may round upwards
    trained = recalls.groupby(["repeat", "fold", "side"])["trained"].sum().unique()
    expected = {"none": [30, 20], "weight": [30, 20], "ros": [30], "smote": [30], "rus": [20]}
    assert sorted(trained, reverse=True) == expected[correction]
    assert set(scores["correction"]) == {correction}
    # each half trains on 20 minority items
    neighbours = recalls["neighbours"].dropna().unique().tolist()
    assert neighbours == ([5] if correction == "smote" else [])


def test_the_order_of_the_items_does_not_matter(split):
    options = {"correction": "smote", "root_seed": 0, "n_estimators": 5}
    shuffled = split.items.sample(frac=1, random_state=3)
    one, _ = score_correction(split.description, split.features, split.items, **options)
    two, _ = score_correction(split.description, split.features, shuffled, **options)
    np.testing.assert_allclose(one["value"], two["value"], rtol=0, atol=1e-12)


def test_smote_with_one_member_leaves_reasons_and_goes_on(split):
    items = split.items[split.items["repeat"] == 0].copy()
    minority = items[items["is_minority"]]
    # fold 0 trains on what fold 1 tests: leave one minority item there
    dropped = minority[minority["fold"] == 1].index[1:]
    scores, recalls = score_correction(
        split.description,
        split.features,
        items.drop(index=dropped),
        correction="smote",
        root_seed=0,
        n_estimators=5,
    )
    first, second = scores[scores["fold"] == 0], scores[scores["fold"] == 1]
    assert first["value"].isna().all()
    assert set(first["reason"]) == {"not run: 1 member in the smaller class, and SMOTE needs 2"}
    assert len(first) == len(second) == 45
    assert second.loc[second["part"] == "full", "value"].notna().all()
    assert set(recalls["fold"]) == {1}


def test_a_set_that_was_not_run_gives_no_rows():
    from earnest.protocols.crossval.splitting import not_run

    split = not_run("gone", "no such file")
    scores, recalls = score_correction(
        split.description, split.features, split.items, correction="none", root_seed=0
    )
    assert schemas.to_arrow("fold_scores", scores).num_rows == 0
    assert schemas.to_arrow("fold_recalls", recalls).num_rows == 0


def test_parts_and_utilities_are_those_of_the_schema_comment():
    assert scoring.PARTS == ("full", "largest", "smallest")
    assert set(scoring.UTILITIES) == {"none", "true", "predicted", "majority_one", "conditional"}
