"""One classifier on the same mixtures at several margins: the right items, scores and intervals."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from earnest import measures
from earnest.io import schemas
from earnest.protocols import doses
from earnest.tasks.pools import TaskSettings, build_pool, train_task

FOREGROUNDS = ("cat", "dog", "owl")
CONTEXTS = {"cat": ("street", "sea"), "dog": ("wind", "sea"), "owl": ("sea", "wind")}
MARGINS = {"8-lu": 8.0, "0-lu": 0.0, "clean": None}
OPTIONS = {"kind": "classes", "root_seed": 3, "name": "sounds", "classifier_options": {"C": 1.0}}


def made(strength, drop=()):
    """Items whose usual background shifts the embedding by `strength`, towards the class."""
    rng = np.random.default_rng(0)
    rows, vectors = [], []
    for label, foreground in enumerate(FOREGROUNDS):
        for k in range(120):
            is_primary = k % 4 != 3
            usual, rare = CONTEXTS[foreground]
            background = usual if is_primary else rare
            rows.append(
                {
                    "item_id": f"{foreground}-{k}",
                    "foreground": foreground,
                    "background": background,
                    "is_primary": is_primary,
                    "split": "train" if k % 8 < 4 else "pool",
                    "recording": f"made/{foreground}-{k // 8}-{k % 8 < 4}",
                    "background_recording": f"made/{background}",
                    "shard": 0,
                    "row": k,
                }
            )
            vector = rng.normal(size=6)
            vector[label] += 1.5
            vector[3 + ("street", "wind", "sea").index(background)] += strength
            vectors.append(vector)
    items, vectors = pd.DataFrame(rows), np.array(vectors, dtype=np.float32)
    kept = ~items["item_id"].isin(drop)
    return items[kept].reset_index(drop=True), vectors[kept.to_numpy()]


@pytest.fixture(scope="module")
def given():
    return {"8-lu": made(1.0), "0-lu": made(3.0, drop=["cat-5"]), "clean": made(0.0)}


@pytest.fixture(scope="module")
def scored(given):
    task = train_task(*given["8-lu"], TaskSettings(**OPTIONS))
    return doses.score_variants(
        task, given, MARGINS, name="sounds", measures=["accuracy", "f1", "recall"], root_seed=3
    )


def row_of(frame, **wanted):
    for column, value in wanted.items():
        frame = frame[frame[column] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def test_the_classifier_is_the_one_behind_the_pool(given):
    pool = build_pool(*given["8-lu"], TaskSettings(**OPTIONS))
    task = train_task(*given["8-lu"], TaskSettings(**OPTIONS))
    assert task.items["item_id"].tolist() == pool.frame["item_id"].tolist()
    assert task.items["label"].tolist() == pool.frame["label"].tolist()
    posteriors = task.model.predict_proba(pool.embeddings.astype(float))
    np.testing.assert_allclose(posteriors, np.stack(pool.frame["posteriors"]), atol=1e-12)
    assert task.positive is None


def test_rows_are_those_of_every_variant_measure_and_part(scored):
    schemas.to_arrow("dose_response", scored)
    assert scored["variant"].unique().tolist() == ["8-lu", "0-lu", "clean"]
    assert scored["part"].tolist()[:4] == ["all", "primary", "rare", "gap"]
    recalls = [f"recall:{name}" for name in FOREGROUNDS]
    assert scored["measure"].unique().tolist() == ["accuracy", "f1", *recalls]
    assert scored["margin_lu"].isna().tolist() == (scored["variant"] == "clean").tolist()


def test_only_mixtures_that_every_variant_has_are_scored(given, scored):
    # Of 180 pool items (60 a class) one is missing at 0 LU; every fourth is rare.
    counts = scored[scored["measure"] == "accuracy"].groupby("part")["items"].agg(["min", "max"])
    assert counts.loc["all"].tolist() == [179, 179]
    assert counts.loc["primary"].tolist() == [134, 134]
    assert counts.loc["rare"].tolist() == [45, 45]
    names = given["8-lu"][0].query("split == 'pool'")["item_id"].tolist()
    assert doses.common_items(names, given) == [n for n in names if n != "cat-5"]


def test_scores_are_those_of_the_common_items_by_hand(given, scored):
    task = train_task(*given["8-lu"], TaskSettings(**OPTIONS))
    for variant, (items, vectors) in given.items():
        kept = (items["split"] == "pool") & (items["item_id"] != "cat-5")
        own = items[kept]
        right = task.model.predict(vectors[kept].astype(float)) == own["foreground"].to_numpy()
        primary = own["is_primary"].to_numpy()
        found = {
            part: row_of(scored, variant=variant, measure="accuracy", part=part)["value"]
            for part in doses.PARTS
        }
        assert found["all"] == pytest.approx(right.mean(), abs=1e-12)
        assert found["primary"] == pytest.approx(right[primary].mean(), abs=1e-12)
        assert found["rare"] == pytest.approx(right[~primary].mean(), abs=1e-12)
        gap = right[primary].mean() - right[~primary].mean()
        assert found["gap"] == pytest.approx(gap, abs=1e-12)
        cat = row_of(scored, variant=variant, measure="recall:cat", part="rare")["value"]
        rare_cats = (~primary) & (own["foreground"] == "cat").to_numpy()
        assert cat == pytest.approx(right[rare_cats].mean(), abs=1e-12)


def test_louder_backgrounds_widen_the_gap_and_intervals_hold_the_value(scored):
    gaps = [row_of(scored, variant=v, measure="accuracy", part="gap") for v in ("clean", "0-lu")]
    assert gaps[1]["value"] > gaps[0]["value"] + 0.1
    own = scored[(scored["measure"] == "accuracy")]
    assert (own["low"] <= own["value"]).all()
    assert (own["value"] <= own["high"]).all()
    assert own["reason"].isna().all()


def test_measures_that_do_not_apply_say_so(scored):
    own = scored[scored["measure"] == "f1"]
    assert own["value"].isna().all()
    assert own["low"].isna().all()
    assert set(own["reason"]) == {"f1 is for tasks with two classes"}


def test_order_of_rows_changes_nothing(given, scored):
    order = np.random.default_rng(1).permutation(len(given["0-lu"][0]))
    items, vectors = given["0-lu"]
    shuffled = given | {"0-lu": (items.iloc[order].reset_index(drop=True), vectors[order])}
    task = train_task(*given["8-lu"], TaskSettings(**OPTIONS))
    again = doses.score_variants(
        task, shuffled, MARGINS, name="sounds", measures=["accuracy", "f1", "recall"], root_seed=3
    )
    pd.testing.assert_frame_equal(again, scored)


def test_a_binary_task_has_all_measures(given):
    options = OPTIONS | {"kind": "context", "foreground": "cat", "name": "cats"}
    three = {name: made(strength) for name, strength in (("8-lu", 1.0), ("clean", 0.0))}
    for items, _ in three.values():
        rare = (items["foreground"] == "cat") & ~items["is_primary"]
        items.loc[rare, "background"] = np.where(np.arange(rare.sum()) // 2 % 2, "sea", "hum")
    task = train_task(*three["8-lu"], TaskSettings(**options))
    assert task.positive == "minority"
    names = ["balanced_accuracy", "f1", "roc_auc"]
    found = doses.score_variants(
        task, three, MARGINS, name="cats", measures=names, root_seed=3, resamples=50
    )
    items, vectors = three["clean"]
    kept = (items["split"] == "pool") & items["is_primary"]
    likely = task.model.predict_proba(vectors[kept].astype(float))[:, 1]
    truth = (items[kept]["foreground"] == "cat").to_numpy().astype(int)
    expected = measures.score("roc_auc", truth, None, y_score=likely).value
    row = row_of(found, variant="clean", measure="roc_auc", part="primary")
    assert row["value"] == pytest.approx(expected, abs=1e-12)
    assert found["value"].notna().all()


def test_nothing_in_common_and_one_recording_are_said(given):
    task = train_task(*given["8-lu"], TaskSettings(**OPTIONS))
    none = given | {"0-lu": made(3.0, drop=[f"{f}-{k}" for f in FOREGROUNDS for k in range(120)])}
    with pytest.raises(ValueError, match="no mixture of the pool is in every variant"):
        doses.score_variants(task, none, MARGINS, name="s", measures=["accuracy"], root_seed=0)
    one = train_task(*given["8-lu"], TaskSettings(**OPTIONS))
    one.items["recording"] = "made/only"
    found = doses.score_variants(one, given, MARGINS, name="s", measures=["accuracy"], root_seed=0)
    assert found["value"].notna().all()
    assert found["low"].isna().all()
    assert found["reason"].str.contains("no uncertainty").all()


def test_an_item_without_a_background_is_neither_usual_nor_rare(given):
    task = train_task(*given["8-lu"], TaskSettings(**OPTIONS))
    unmixed = np.arange(len(task.items)) % 3 == 0
    marks = task.items["is_primary"].astype(object)
    task = replace(task, items=task.items.assign(is_primary=marks.mask(unmixed, None)))
    found = doses.score_variants(task, given, MARGINS, name="s", measures=["accuracy"], root_seed=0)
    counts = found[found["variant"] == "clean"].set_index("part")["items"]
    common = task.items["item_id"] != "cat-5"
    assert counts["all"] == common.sum()
    assert counts["primary"] + counts["rare"] == (common & ~unmixed).sum()
    assert counts["rare"] == (task.items["is_primary"] == False)[common].sum()  # noqa: E712
