"""Clips as they are: sides by fold or recording, nothing on both, a long tail on demand."""

from collections import Counter

import pandas as pd
import pytest

from earnest.io import schemas
from earnest.mixing import plan


def clips(rows):
    """Make a `clips` table from (clip, label, fold, recording); an odd name is a rejected one."""
    filled = []
    for place, (name, label, fold, recording) in enumerate(rows):
        used = not name.startswith("bad")
        filled.append(
            dict.fromkeys(schemas.TABLES["clips"])
            | {
                "clip_id": name,
                "dataset": "esc50",
                "path": name,
                "label": label,
                "fold": fold,
                "recording": f"esc50/{recording}",
                "sha256": name,
                "part": place % 2,
                "row": place // 2 if used else None,
                "status": "used" if used else "rejected",
                "reason": None if used else "silent",
            }
        )
    frame = pd.DataFrame(filled, columns=list(schemas.TABLES["clips"]))
    return frame.astype({"fold": "Int64", "row": "Int64"})


TWO_FOLDS = [(f"{label}{i}", label, 1 + i % 2, f"{label}{i}") for label in "ab" for i in range(6)]


def sides(planned):
    return dict(zip(planned.items["item_id"], planned.items["split"], strict=True))


def test_official_folds_make_the_sides_and_rows_point_into_the_arrays():
    table = clips(TWO_FOLDS)
    planned = plan.plan_clips(table, root_seed=0, train_folds=[1], pool_folds=[2])
    assert sides(planned) == {n: "train" if f == 1 else "pool" for n, _, f, _ in TWO_FOLDS}
    assert planned.dropped.empty
    schemas.to_arrow("items", planned.items)
    where = planned.items.set_index("item_id").loc["b3", ["shard", "row"]]
    assert where.tolist() == table.set_index("clip_id").loc["b3", ["part", "row"]].tolist()


def test_the_plan_is_the_same_for_any_order_of_the_clips():
    table = clips(TWO_FOLDS)
    options = {"root_seed": 3, "train_share": 0.5, "long_tail": 3}
    first = plan.plan_clips(table, **options)
    second = plan.plan_clips(table.sample(frac=1, random_state=1), **options)
    pd.testing.assert_frame_equal(first.items, second.items)
    pd.testing.assert_frame_equal(first.dropped, second.dropped)


def test_clips_of_other_folds_and_rejected_ones_are_left_out_with_their_reason():
    rows = [*TWO_FOLDS, ("a9", "a", 3, "a9"), ("bad", "a", 1, "x")]
    planned = plan.plan_clips(clips(rows), root_seed=0, train_folds=[1], pool_folds=[2])
    assert set(sides(planned)) == {name for name, *_ in TWO_FOLDS}
    assert planned.dropped.to_dict("records") == [
        {
            "kind": "clips",
            "name": "esc50, fold 3",
            "reason": "1 clips: in no fold that the study uses",
        }
    ]


def test_a_pool_clip_whose_recording_trains_is_left_out():
    rows = [*TWO_FOLDS, ("a9", "a", 2, "a0")]
    planned = plan.plan_clips(clips(rows), root_seed=0, train_folds=[1], pool_folds=[2])
    assert "a9" not in sides(planned)
    (reason,) = planned.dropped["reason"]
    assert reason == "1 clips: its recording is on the other side of the split too"


def test_without_folds_recordings_are_split_and_never_cut():
    rows = [
        (f"{label}{i}-{j}", label, None, f"{label}{i}")
        for label in "ab"
        for i in range(4)
        for j in range(3)
    ]
    planned = plan.plan_clips(clips(rows), root_seed=0)
    items = planned.items
    assert items.groupby("recording")["split"].nunique().max() == 1
    assert Counter(items["split"]) == {"train": 12, "pool": 12}


def test_a_class_on_one_side_only_is_dropped_by_name():
    rows = [*TWO_FOLDS, ("c1", "c", 1, "c1"), ("d1", "d", 2, "d1")]
    planned = plan.plan_clips(clips(rows), root_seed=0, train_folds=[1], pool_folds=[2])
    assert set(planned.items["foreground"]) == {"a", "b"}
    found = dict(zip(planned.dropped["name"], planned.dropped["reason"], strict=True))
    assert found == {"c": "no clip in the pool", "d": "no clip to train on"}


def test_a_long_tail_keeps_geometric_numbers_of_the_pool_and_all_of_the_training_part():
    rows = [
        (f"{label}{fold}-{i}", label, fold, f"{label}{fold}-{i}")
        for label in "abc"
        for fold in (1, 2)
        for i in range(40)
    ]
    options = {"root_seed": 0, "train_folds": [1], "pool_folds": [2]}
    planned = plan.plan_clips(clips(rows), long_tail=16, **options)
    counts = Counter(zip(planned.items["split"], planned.items["foreground"], strict=True))
    # 40, 40 * 16 ** -0.5 = 10, 40 / 16 = 2.5, rounded to even
    assert [counts["pool", label] for label in "abc"] == [40, 10, 2]
    assert [counts["train", label] for label in "abc"] == [40, 40, 40]
    assert planned.dropped["reason"].tolist() == [
        "30 clips: left out so that the pool has a long tail, 16 to 1",
        "38 clips: left out so that the pool has a long tail, 16 to 1",
    ]
    same = plan.plan_clips(clips(rows), long_tail=1, **options)
    pd.testing.assert_frame_equal(same.items, plan.plan_clips(clips(rows), **options).items)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"train_folds": [1]}, "give folds for both sides"),
        ({"train_folds": [1], "pool_folds": [1]}, "none of them for both"),
        ({"train_folds": [1], "pool_folds": [7]}, "no usable clip is in fold 7"),
        ({"long_tail": 0.5}, "long_tail must be 1 or more, got 0.5"),
        ({"train_share": 1.0}, "train_share must lie in"),
    ],
)
def test_a_split_that_cannot_be_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        plan.plan_clips(clips(TWO_FOLDS), root_seed=0, **options)


def test_a_split_without_a_class_on_both_sides_is_refused():
    rows = [("a1", "a", 1, "a1"), ("b1", "b", 2, "b1")]
    with pytest.raises(
        ValueError, match="no class has usable clips both to train on and in the pool"
    ):
        plan.plan_clips(clips(rows), root_seed=0, train_folds=[1], pool_folds=[2])
