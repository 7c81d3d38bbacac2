"""The evaluation of a pool of one's own: the same numbers every way, honest about intervals."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import yaml

from earnest import io
from earnest.commands import main
from earnest.estimates import ESTIMATORS, estimate, true_value
from earnest.protocols.ownpool import UnusableInput, evaluate, read
from earnest.reports.pages import ownpool
from earnest.weights import WEIGHTS
from tests.made_own import made_pool, some_labels, write

BY_RECORDED_CHANCES = {"auto", "horvitz_thompson", "hajek", "design_difference"}
BY_PLAIN_CHANCE = BY_RECORDED_CHANCES | {
    *("unweighted", "difference", "ppi", "post_stratified", "calibrated", "atc", "class_prior"),
    "lure",
}


def files(folder, **options):
    frame, truth, vectors = made_pool(**options)
    np.save(folder / "vectors.npy", vectors)
    return (*write(folder, frame, some_labels(truth, 60)), folder / "vectors.npy"), truth


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Paths of pool, labels and vectors, and the true labels."""
    return files(tmp_path_factory.mktemp("own"))


@pytest.fixture(scope="module")
def inputs(made):
    (pool, labels, vectors), _ = made
    return read(pool, labels, embeddings=vectors, sampler="random")


@pytest.fixture(scope="module")
def found(inputs):
    return evaluate(inputs, budget=30)


def rows_of(found, **wanted):
    rows = found.document()["estimates"]
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def test_command_library_and_notebook_give_the_same_numbers(made, inputs, found, tmp_path):
    (pool, labels, vectors), _ = made
    given = [pool, labels, "--embeddings", vectors, "--sampler", "random", "--budget", "30"]
    assert main(["estimate", *map(str, given), "--output", str(tmp_path / "out")]) == 0
    document = io.read_json(tmp_path / "out" / "evaluation.json")
    assert document == json.loads(json.dumps(io.plain(found.document())))
    drawn = pd.read_csv(tmp_path / "out" / "next_labels.csv")
    assert drawn.to_dict("records") == found.next_labels.to_dict("records")
    sheet = pd.read_csv(tmp_path / "out" / "estimates.csv")
    assert sheet["value"].to_numpy() == pytest.approx(
        found.estimates["value"].astype(float).to_numpy(), nan_ok=True, abs=0
    )
    for row in document["estimates"]:
        one = estimate(
            row["estimator"], inputs.pool, inputs.labelled, labels=inputs.labels,
            measure=row["measure"], sampler="random",
        )  # fmt: skip
        assert (one.value, one.low, one.high) == (row["value"], row["low"], row["high"])


def test_the_index_of_studies_says_what_to_report(found):
    from earnest.reports.pages import index

    lines = index.headline(found.metrics(), {"kind": "own"})
    row = found.facts["recommended"]["accuracy"]
    plain = found.facts["plain_accuracy"]
    assert lines[0] == (
        "Accuracy of the pool (60 of 200 items labelled; PPI++)",
        f"{row['value']:.3f}, interval {row['low']:.3f} to {row['high']:.3f};"
        f" on the labelled part alone {plain:.3f}",
    )
    assert lines[1][0].startswith("Balanced accuracy of the pool")
    assert index.KINDS["own"] == "a pool of one's own"


def test_every_estimator_and_measure_has_its_row(found):
    rows = found.estimates
    assert list(dict.fromkeys(rows["estimator"])) == list(ESTIMATORS)
    measures = ["accuracy", "balanced_accuracy", "recall:cat", "recall:dog", "recall:owl"]
    for _, group in rows.groupby("estimator"):
        assert group["measure"].to_list() == measures
    for row in rows_of(found):
        assert row["low"] is not None or row["reason"]
        assert (row["interval"] is None) == (row["low"] is None)
        assert (row["interval"] == "assumption") == (row["holds_if"] is not None)


def test_all_labels_give_the_score_of_the_pool(made, tmp_path):
    (pool, _, vectors), truth = made
    frame = pd.read_csv(pool)
    paths = write(tmp_path, frame, dict(enumerate(truth)))
    inputs = read(*paths, embeddings=vectors)
    found = evaluate(inputs)
    for row in rows_of(found):
        if row["value"] is None:
            assert row["estimator"] == "atc"
        elif row["estimator"] != "average_confidence":
            exact = true_value(inputs.pool, inputs.labels, row["measure"]).value
            assert row["value"] == pytest.approx(exact, abs=1e-12)
            assert row["low"] == row["high"] == row["value"]
            assert row["interval"] == "design"
    assert found.next_labels.empty
    assert found.plans.empty
    assert found.recommendation == (
        f"Report an accuracy of {(frame['prediction'] == truth).mean():.3f} by unweighted: every"
        " item of the pool is labelled.",
    )
    io.write_csv("next_labels", found.next_labels, tmp_path / "none.csv")


def test_a_small_pool_by_hand(tmp_path):
    # confidences .9 .8 .6 .5, right and wrong on the second and third
    frame = pd.DataFrame({"item_id": list("abcd"), "confidence": [0.9, 0.8, 0.6, 0.5]})
    frame["prediction"] = ["x", "x", "y", "y"]
    inputs = read(*write(tmp_path, frame, {1: "x", 2: "x"}), sampler="random", positive="x")
    values = {
        row["estimator"]: row["value"] for row in rows_of(evaluate(inputs), measure="accuracy")
    }
    assert values["unweighted"] == 0.5
    assert values["average_confidence"] == pytest.approx(0.7)
    # .7 + mean(.2, -.6)
    assert values["difference"] == values["design_difference"] == pytest.approx(0.5)
    f1 = {row["estimator"]: row["value"] for row in rows_of(evaluate(inputs), measure="f1")}
    assert f1["unweighted"] == pytest.approx(2 / 3)  # 1 of 2 true found, 1 predicted: 2/(2+1)


def test_without_embeddings_weights_say_why(made):
    (pool, labels, _), _ = made
    found = evaluate(read(pool, labels, sampler="random"))
    for name in WEIGHTS:
        (row,) = rows_of(found, estimator=name, measure="accuracy")
        if name == "logistic_posterior":
            assert row["value"] is not None
        else:
            assert (row["value"], row["reason"]) == (
                None,
                "weighs by embeddings, and none are given",
            )
    distance = found.unseen.set_index("kind").loc["distance"]
    assert distance["reason"] == "needs embeddings"


def designs(found):
    return {row["estimator"] for row in rows_of(found, interval="design", measure="accuracy")}


def test_intervals_hold_by_design_only_where_chance_chose(inputs, found):
    assert designs(found) == BY_PLAIN_CHANCE
    assert found.facts["recommended"]["accuracy"]["estimator"] == "ppi"
    assert "random sample, so the interval holds whatever" in found.recommendation[0]
    unknown = evaluate(replace(inputs, sampler="farthest"))
    assert designs(unknown) == set()
    assert unknown.facts["recommended"]["accuracy"]["estimator"] == "calibrated"
    assert "holds only if at any confidence" in unknown.recommendation[0]
    plain, random = (rows_of(one, estimator="difference") for one in (unknown, found))
    assert [row["low"] for row in plain] == [row["low"] for row in random]


def test_a_deterministic_rule_has_no_interval_and_bounds(inputs):
    found = evaluate(replace(inputs, sampler="uncertainty"))
    assert all(row["low"] is None for row in rows_of(found) if row["estimator"] != "auto")
    # what `auto` gives is no interval that holds, and says so
    (row,) = rows_of(found, estimator="auto", measure="accuracy")
    assert row["interval"] == "assumption"
    assert "chosen_for_doubt" in row["flags"]
    assert "whatever the rest is, accuracy lies in" in found.recommendation[1]
    assert found.facts["next_scheme"] == "designed"


def test_few_labels_of_a_class_prove_little_of_it(made, tmp_path):
    (pool, _, _), truth = made
    frame = pd.read_csv(pool)
    rows = [*np.flatnonzero(truth == "owl")[:4], *np.flatnonzero(truth != "owl")[:60]]
    labels = {int(row): truth[row] for row in sorted(rows)}
    found = evaluate(read(*write(tmp_path, frame, labels), sampler="random"))
    rows = {row["measure"]: row for row in rows_of(found, estimator="hajek")}
    assert {rows[measure]["interval"] for measure in ("accuracy", "recall:cat")} == {"design"}
    few = "the few labelled items of 'owl' are typical of the class"
    assert rows["balanced_accuracy"]["interval"] == "assumption"
    assert {row["holds_if"] for row in rows.values()} == {None, few}


def test_recorded_chances_are_used(made, tmp_path):
    (pool, _, _), truth = made
    frame = pd.read_csv(pool)
    labels = some_labels(truth, 40)
    frame["inclusion_probability"] = np.where(np.arange(200) % 2, 0.1, 0.3)
    found = evaluate(read(*write(tmp_path, frame, labels)))
    assert designs(found) == BY_RECORDED_CHANCES
    assert found.facts["recommended"]["accuracy"]["estimator"] == "design_difference"
    (row,) = rows_of(found, estimator="lure", measure="accuracy")
    assert (
        row["reason"]
        == "only chances of inclusion are recorded, not those of each item at its turn"
    )


def test_confidence_alone_cannot_be_believed_of_other_classes(made, tmp_path):
    (pool, _, _), truth = made
    frame = pd.read_csv(pool)
    frame["confidence"] = frame.filter(like="posterior_").max(axis=1)
    frame = frame[["item_id", "prediction", "confidence"]]
    found = evaluate(read(*write(tmp_path, frame, some_labels(truth, 60)), sampler="random"))
    believed = {row["measure"]: row for row in rows_of(found, estimator="average_confidence")}
    assert believed["accuracy"]["value"] == pytest.approx(frame["confidence"].mean())
    assert believed["recall:cat"]["value"] is None
    assert "not only confidence" in believed["recall:cat"]["reason"]
    assert rows_of(found, estimator="difference", measure="recall:cat")[0]["value"] is not None


def test_what_is_unseen(made, tmp_path):
    (pool, _, _), truth = made
    frame = pd.read_csv(pool)
    frame["subconcept_a"] = np.where(np.arange(200) < 10, 1, 0)
    frame["subconcept_b"] = 1 - frame["subconcept_a"]
    rows = np.flatnonzero((frame["prediction"] == "cat") & (truth == "cat") & (np.arange(200) > 9))
    unsure = rows[frame["posterior_cat"][rows].argmin()]
    labels = {int(row): "cat" for row in sorted({*rows[:3], unsure})}
    found = evaluate(read(*write(tmp_path, frame, labels)))
    unseen = {(row["kind"], row["name"]): row for row in found.document()["unseen"]}
    others = {name: int((frame["prediction"] == name).sum()) for name in ("dog", "owl")}
    for kind in ("prediction", "label"):
        assert {n: unseen[kind, n]["items"] for n in others} == others
    assert unseen["subconcept", "a"]["share"] == 0.05
    sure = frame.filter(like="posterior_").max(axis=1)
    own_range = sure[list(labels)]
    beyond = (sure < own_range.min()) | (sure > own_range.max())
    assert unseen["confidence", None]["items"] == beyond.sum()
    assert "No labelled item is predicted to be 'dog', 'owl'." in found.recommendation
    assert "No labelled item is most probably of the subconcept 'a'." in found.recommendation


def test_another_round_of_labels(made, tmp_path):
    (pool, labels, _), truth = made
    place = {f"item-{i:04d}": i for i in range(200)}
    found = evaluate(read(pool, labels), budget=50)
    drawn = found.next_labels
    assert drawn["rank"].to_list() == list(range(1, 51))
    known = set(pd.read_csv(labels)["item_id"])
    assert known.isdisjoint(drawn["item_id"])
    io.write_csv("next_labels", drawn, tmp_path / "next.csv")
    rows = [place[name] for name in drawn["item_id"]]

    def again(count, **options):
        more = pd.DataFrame({"item_id": drawn["item_id"][:count], "label": truth[rows[:count]]})
        table = pd.concat([pd.read_csv(labels), more])
        table.to_csv(tmp_path / "labels.csv", index=False)
        return read(pool, tmp_path / "labels.csv", drawn=tmp_path / "next.csv", **options)

    whole = again(50)
    chances = dict(zip(drawn["item_id"], drawn["inclusion_probability"], strict=True))
    names = whole.item_ids[whole.labelled]
    assert whole.design.inclusion.tolist() == [chances.get(name, 1.0) for name in names]
    main_row = evaluate(whole).facts["recommended"]["accuracy"]
    assert main_row["estimator"] == "design_difference"
    assert main_row["interval"] == "design"
    half = again(25)
    assert half.notes == ("the first 25 of 50 drawn items are labelled",)
    assert half.design.inclusion.min() == pytest.approx(
        min(chances[n] for n in drawn["item_id"][:25]) / 2
    )
    # the first is missing, which was perhaps hard to label
    pd.read_csv(tmp_path / "labels.csv").query("item_id != @drawn.item_id[0]").to_csv(
        tmp_path / "labels.csv", index=False
    )
    with pytest.raises(UnusableInput, match="perhaps hard to label"):
        read(pool, tmp_path / "labels.csv", drawn=tmp_path / "next.csv")
    with pytest.raises(UnusableInput, match="none of its items has a label yet"):
        read(pool, labels, drawn=tmp_path / "next.csv")


def test_further_random_labels_enlarge_a_random_sample(made, tmp_path):
    (pool, labels, _), truth = made
    found = evaluate(read(pool, labels, sampler="random"), budget=40)
    assert found.facts["next_scheme"] == "random"
    drawn = found.next_labels
    assert drawn["inclusion_probability"].to_numpy() == pytest.approx(np.full(40, 40 / 140))
    rows = [int(name[5:]) for name in drawn["item_id"]]
    more = pd.DataFrame({"item_id": drawn["item_id"], "label": truth[rows]})
    pd.concat([pd.read_csv(labels), more]).to_csv(tmp_path / "labels.csv", index=False)
    io.write_csv("next_labels", drawn, tmp_path / "next.csv")
    again = read(pool, tmp_path / "labels.csv", drawn=tmp_path / "next.csv", sampler="random")
    assert again.design is None
    assert evaluate(again).facts["way"] == "random"


def test_seeds_draw_anew_and_repeat_themselves(inputs):
    settings = {"estimators": ["unweighted"], "budget": 20}
    one, same, other = (evaluate(inputs, seed=seed, **settings) for seed in (0, 0, 1))
    assert one.document() == same.document()
    assert one.next_labels.equals(same.next_labels)
    assert not one.next_labels.equals(other.next_labels)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"estimators": ["best"]}, "no estimator 'best'; there are unweighted"),
        ({"level": 95}, "level must be above 0.5 and below 1, got 95"),
        ({"budget": 0}, "budget must be at least 1"),
        ({"target": 2}, "half-width between 0 and 1, got 2"),
        ({"uniform_share": 0}, "uniform_share must be above 0"),
    ],
)
def test_settings_that_make_no_sense(inputs, settings, words):
    with pytest.raises(UnusableInput, match=words):
        evaluate(inputs, **settings)


def test_the_page_shows_hostile_names_as_text(tmp_path):
    frame, truth, _ = made_pool(80)
    hostile = "<script>alert(1)</script>"
    frame = frame.rename(columns={"posterior_cat": f"posterior_{hostile}"})
    frame["prediction"] = frame["prediction"].replace("cat", hostile)
    frame.loc[::2, "item_id"] = [f"=cmd|' /C calc'!A{i}" for i in range(40)]
    truth = np.where(truth == "cat", hostile, truth)
    found = evaluate(read(*write(tmp_path, frame, some_labels(truth, 30))), budget=50)
    page = ownpool.build_page(found, "A <b> title", {"versions": {"numpy": "1"}})
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "=cmd|" in page
    assert ownpool.build_page(found, "A <b> title", {"versions": {"numpy": "1"}}) == page
    io.write_csv("next_labels", found.next_labels, tmp_path / "next.csv")
    io.write_csv("own_estimates", found.estimates, tmp_path / "estimates.csv")
    assert (tmp_path / "next.csv").read_text().count("\n'=cmd|") >= 10


def test_the_schema_names_the_methods_of_the_library(root):
    from earnest.embeddings import BACKENDS, TRAINED
    from earnest.protocols.ownpool import labelling
    from earnest.protocols.ownpool.evaluating import BUDGET, TARGET

    keys = yaml.safe_load((root / "config/schemas/own.schema.yaml").read_text())["properties"]
    traits = keys["audio"]["properties"]["backend"]["x-traits"]
    backends = BACKENDS.names(**traits)
    assert backends == [name for name in BACKENDS if name not in (*TRAINED, "file")]
    defaults = [keys[key]["default"] for key in ("budget", "target", "uniform_share")]
    assert defaults == [BUDGET, TARGET, labelling.UNIFORM_SHARE]
