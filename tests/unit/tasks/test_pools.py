"""Pools built from made items whose classes can be told apart, but not always."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from earnest import io
from earnest.estimates import Pool, true_value
from earnest.io import schemas
from earnest.rng import generator
from earnest.tasks import TaskError, classifiers
from earnest.tasks.pools import TaskSettings, as_pool, build_pool
from earnest.utility import expected_utility, utility_by_subconcept

FOREGROUNDS = ("cat", "dog", "owl", "rain")
SIZES = {"cat": 80, "dog": 100, "owl": 90, "rain": 60}


@pytest.fixture(scope="module")
def made():
    """Items of four foregrounds over three backgrounds, half to train, and embeddings."""
    rng = np.random.default_rng(0)
    rows = []
    for foreground, size in SIZES.items():
        for k in range(size):
            background = ("street", "street", "wind", "sea")[k % 4]
            rows.append(
                {
                    "item_id": f"{foreground}-{k}",
                    "foreground": foreground,
                    "background": background,
                    "is_primary": background == "street",
                    "split": "train" if k % 8 < 4 else "pool",
                    "recording": f"made/{foreground}-{k // 4}",
                    "background_recording": f"made/{background}",
                    "shard": 0,
                    "row": k,
                }
            )
    items = pd.DataFrame(rows)
    foreground = np.array([FOREGROUNDS.index(name) for name in items["foreground"]])
    embeddings = rng.normal(size=(len(items), 8)).astype(np.float32)
    embeddings[np.arange(len(items)), foreground] += 2.5
    embeddings[items["background"] == "sea", 4] += 2
    embeddings[items["background"] == "wind", 5] += 2
    return items, embeddings


OPTIONS = {"root_seed": 3, "classifier_options": {"C": 1.0}}


def check_tables(result, name):
    """Everything about a result that does not depend on its kind."""
    assert schemas.to_arrow("pool", result.frame).num_rows == len(result.frame)
    schemas.to_arrow("subconcepts", result.subconcepts)
    assert result.embeddings.dtype == np.float32
    assert len(result.embeddings) == len(result.frame)
    description = result.description
    assert json.loads(json.dumps(io.plain(description), allow_nan=False)) == description
    assert description["name"] == name
    assert description["pool_size"] == len(result.frame)
    posteriors = np.array(result.frame["posteriors"].to_list())
    np.testing.assert_allclose(posteriors.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_array_equal(result.frame["confidence"], posteriors.max(axis=1))
    best = np.array(description["classes"])[posteriors.argmax(axis=1)]
    assert (result.frame["prediction"] == best).all()


def test_a_pool_of_classes(made):
    items, embeddings = made
    result = build_pool(items, embeddings, TaskSettings(kind="classes", name="all", **OPTIONS))
    check_tables(result, "all")
    pool_rows = (items["split"] == "pool").to_numpy()
    assert result.frame["item_id"].tolist() == items["item_id"][pool_rows].tolist()
    assert (result.embeddings == embeddings[pool_rows]).all()
    assert (result.frame["label"] == items["foreground"][pool_rows].to_numpy()).all()
    assert (result.frame["subconcept"] == result.frame["label"]).all()
    assert (
        result.frame[[f"utility_{k}" for k in ("true", "predicted", "conditional")]]
        .isna()
        .all(axis=None)
    )
    assert result.description["classes"] == sorted(FOREGROUNDS)
    assert result.description["positive"] is None
    assert result.description["utility"] is None
    assert result.description["title"] == "Which of 4 sounds is it?"
    accuracy = (result.frame["label"] == result.frame["prediction"]).mean()
    assert 0.7 < accuracy < 1


def test_posteriors_are_those_of_a_classifier_of_the_training_items(made):
    items, embeddings = made
    result = build_pool(items, embeddings, TaskSettings(kind="classes", name="all", **OPTIONS))
    train = (items["split"] == "train").to_numpy()
    labels = items["foreground"].to_numpy(dtype=str)
    model = classifiers.fit("logistic", embeddings[train], labels[train], rng=generator(0), C=1.0)
    _, posteriors = classifiers.predict(model, embeddings[~train])
    np.testing.assert_allclose(np.array(result.frame["posteriors"].to_list()), posteriors)


def test_a_pool_of_subconcepts(made):
    items, embeddings = made
    result = build_pool(items, embeddings, TaskSettings(kind="subconcepts", name="rare", **OPTIONS))
    check_tables(result, "rare")
    # dog 100 and owl 90 are the majority; cat min(80, 45), rain min(60, 22)
    description = result.description
    assert description["majority"] == ["dog", "owl"]
    assert description["minority"] == ["cat", "rain"]
    assert description["sizes"] == {"dog": 100, "owl": 90, "cat": 45, "rain": 22}
    assert (description["classes"], description["positive"]) == (
        ["majority", "minority"],
        "minority",
    )
    table = result.subconcepts.set_index("subconcept")
    assert (table["train_size"] + table["pool_size"]).to_dict() == description["sizes"]
    assert table["side"].to_dict() == {
        "dog": "majority", "owl": "majority", "cat": "minority", "rain": "minority",
    }  # fmt: skip
    # dog has k % 8 < 4 in 52 of 100 rows, so Eq. 5 divides 52 by each minority training size
    assert table.loc["dog", "train_size"] == 52
    assert table.loc["dog", "utility"] == 1
    for name in ("cat", "rain"):
        assert table.loc[name, "utility"] == 52 / table.loc[name, "train_size"]
    assert description["utility"] == table["utility"].to_dict()
    frame = result.frame
    assert (frame["utility_true"] == frame["subconcept"].map(description["utility"])).all()
    majority = frame["label"] == "majority"
    assert (frame["utility_conditional"][majority] == 1).all()
    assert (frame["utility_conditional"][~majority] > 1).all()


def test_predicted_utilities_come_from_a_model_of_the_subconcepts(made):
    items, embeddings = made
    result = build_pool(
        items, embeddings, TaskSettings(kind="context", foreground="dog", name="c", **OPTIONS)
    )
    train = (items["split"] == "train").to_numpy()
    own = items["foreground"] == "dog"
    names = items["foreground"].where(~own, "dog + " + items["background"]).to_numpy(dtype=str)
    model = classifiers.fit("logistic", embeddings[train], names[train], rng=generator(0), C=1.0)
    _, posteriors = classifiers.predict(model, embeddings[~train])
    minority = ("dog + street", "dog + sea", "dog + wind")
    task = SimpleNamespace(majority=("owl", "cat", "rain"), minority=minority)
    utility = utility_by_subconcept(names[train], task)
    known = {"minority": minority, "is_minority": own.to_numpy()[~train]}
    for column, conditional in (("utility_predicted", False), ("utility_conditional", True)):
        expected = expected_utility(
            posteriors, model.classes_, utility, conditional=conditional, **known
        )
        np.testing.assert_allclose(result.frame[column], expected, rtol=1e-9)


def test_a_context_pool(made):
    items, embeddings = made
    result = build_pool(
        items, embeddings, TaskSettings(kind="context", foreground="cat", name="cats", **OPTIONS)
    )
    check_tables(result, "cats")
    description = result.description
    assert description["foreground"] == "cat"
    assert set(description["minority"]) == {"cat + street", "cat + wind", "cat + sea"}
    assert description["minority"][0] == "cat + street"
    assert description["title"] == "cat against the rest, by background"
    assert len(result.frame) == (items["split"] == "pool").sum()
    frame = result.frame
    assert ((frame["label"] == "minority") == frame["item_id"].str.startswith("cat-")).all()
    table = result.subconcepts.set_index("subconcept")
    own = frame[frame["subconcept"] == "cat + sea"]
    assert table.loc["cat + sea", "recall"] == (own["prediction"] == "minority").mean()
    assert table.loc["cat + sea", "rare_recall"] == table.loc["cat + sea", "recall"]
    assert np.isnan(table.loc["cat + sea", "primary_recall"])
    dogs = frame[frame["subconcept"] == "dog"]
    primary = dogs[dogs["is_primary"]]
    assert table.loc["dog", "primary_recall"] == (primary["prediction"] == "majority").mean()


@pytest.mark.parametrize("kind", ["classes", "subconcepts", "context"])
@pytest.mark.parametrize("classifier", ["logistic", "forest"])
def test_a_pool_is_the_same_each_time(made, kind, classifier):
    items, embeddings = made
    options = {"foreground": "cat", "name": "x", "root_seed": 1, "classifier": classifier}
    one, other = (
        build_pool(items, embeddings, TaskSettings(kind=kind, **options)) for _ in range(2)
    )
    pd.testing.assert_frame_equal(one.frame, other.frame, check_exact=True)
    assert one.description == other.description


@pytest.mark.parametrize("kind", ["classes", "subconcepts", "context"])
def test_a_task_may_ask_for_calibrated_posteriors(made, kind):
    items, embeddings = made
    result = build_pool(
        items,
        embeddings,
        TaskSettings(
            kind=kind,
            name="x",
            root_seed=1,
            foreground="cat",
            # such a C is far too sure
            classifier_options={"C": 1e3, "calibration": "temperature"},
        ),
    )
    check_tables(result, "x")
    found = result.description["calibration"]
    # 30 % of the recordings do not train, and give the temperature
    share = found["validation_items"] / result.description["train_size"]
    assert 0.25 < share < 0.35
    assert found["temperature"] > 2
    assert found["error"] < 0.9 * found["error_before"]
    accuracy = (result.frame["prediction"] == result.frame["label"]).mean()
    assert abs(result.frame["confidence"].mean() - accuracy) < 0.03


def test_as_pool_after_writing(made, tmp_path):
    items, embeddings = made
    result = build_pool(items, embeddings, TaskSettings(kind="subconcepts", name="rare", **OPTIONS))
    io.write_frame("pool", result.frame, tmp_path / "pool.parquet")
    io.write_json(result.description, tmp_path / "task.json")
    frame = io.read_frame("pool", tmp_path / "pool.parquet")
    pool = as_pool(frame, result.embeddings, io.read_json(tmp_path / "task.json"))
    assert isinstance(pool, Pool)
    assert pool.classes == ("majority", "minority")
    assert pool.positive == "minority"
    assert sorted(pool.utilities) == ["conditional", "predicted", "true"]
    labels = frame["label"].to_numpy()
    # recall of each side by hand, under true utilities
    hit = (frame["prediction"] == frame["label"]).to_numpy()
    weight = frame["utility_true"].to_numpy()
    minority = labels == "minority"
    by_hand = (hit[~minority].mean() + weight[minority & hit].sum() / weight[minority].sum()) / 2
    truth = true_value(pool, labels, "balanced_accuracy", "true").value
    assert truth == pytest.approx(by_hand, abs=1e-12)


def test_as_pool_without_subconcepts_has_no_utilities(made):
    items, embeddings = made
    result = build_pool(items, embeddings, TaskSettings(kind="classes", name="all", **OPTIONS))
    assert as_pool(result.frame, result.embeddings, result.description).utilities == {}


def test_a_subconcept_on_one_side_of_the_split_is_named(made):
    items, embeddings = made
    split = items["split"].where(
        (items["foreground"] != "cat") | (items["background"] != "sea"), "train"
    )
    with pytest.raises(TaskError, match=r"task 'c': 'cat \+ sea' has no item in the pool"):
        build_pool(
            items.assign(split=split),
            embeddings,
            TaskSettings(kind="context", foreground="cat", name="c", **OPTIONS),
        )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "clusters"}, "unknown kind 'clusters'; there are classes"),
        ({"kind": "context"}, "task 'x': a task of kind context needs a foreground"),
        ({"kind": "context", "foreground": "cow"}, "'cow' against the rest"),
        (
            {"kind": "classes", "classifier": "oracle"},
            "task 'x', label model: unknown classifier 'oracle'",
        ),
    ],
)
def test_impossible_pools_say_why(made, options, words):
    with pytest.raises(ValueError, match=words):
        build_pool(*made, TaskSettings(name="x", **(OPTIONS | options)))


def test_a_subconcept_with_one_training_item_is_named(made):
    items, embeddings = made
    cats_at_sea = np.flatnonzero((items["foreground"] == "cat") & (items["background"] == "sea"))
    split = items["split"].copy()
    split[cats_at_sea[1:]] = "pool"
    with pytest.raises(TaskError, match=r"task 'c', subconcept model: .*'cat \+ sea'"):
        build_pool(
            items.assign(split=split),
            embeddings,
            TaskSettings(kind="context", foreground="cat", name="c", **OPTIONS),
        )


def test_embeddings_must_fit_the_items(made):
    items, embeddings = made
    with pytest.raises(ValueError, match="330 items, but 5 embeddings"):
        build_pool(items, embeddings[:5], TaskSettings(kind="classes", name="x", **OPTIONS))


def test_one_foreground_cannot_be_told_apart(made):
    items, embeddings = made
    cats = (items["foreground"] == "cat").to_numpy()
    with pytest.raises(TaskError, match="task 'x': telling classes apart needs two"):
        build_pool(items[cats], embeddings[cats], TaskSettings(kind="classes", name="x", **OPTIONS))


def test_clips_by_themselves_have_no_context_task(made):
    items, embeddings = made
    clips = items.assign(background=None, is_primary=None, background_recording=None)
    with pytest.raises(TaskError, match="task 'c': clips that were not mixed have no background"):
        build_pool(
            clips, embeddings, TaskSettings(kind="context", foreground="cat", name="c", **OPTIONS)
        )
    table = build_pool(
        clips, embeddings, TaskSettings(kind="classes", name="all", **OPTIONS)
    ).subconcepts
    assert table[["primary_recall", "rare_recall"]].isna().all(axis=None)
    assert table["recall"].notna().all()
