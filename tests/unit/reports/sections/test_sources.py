"""What became of every clip: counts, reasons, and sounds that occur more than once."""

import dataclasses

import pandas as pd
import pytest

from earnest.io import schemas
from earnest.reports.pages.subsets import build_report
from earnest.reports.sections import sources
from tests import made_report


def clip(name, dataset, *, sound=None, label="dog", reason=None, file="x"):
    row = dict.fromkeys(schemas.TABLES["clips"])
    row |= {"clip_id": f"{dataset}/{name}", "dataset": dataset, "path": "x", "label": label}
    row |= {"recording": f"{dataset}/{name}", "part": 0, "sha256": file, "audio_sha256": sound}
    return row | {"status": "rejected" if reason else "used", "reason": reason}


CLIPS = made_report.frame(
    "clips",
    [
        clip("1", "one", sound="a"),
        clip("2", "one", sound="b"),
        clip("3", "one", sound="b", label="wolf"),  # again in the same data set, by another name
        clip("4", "one", reason="unreadable: No such file or directory", file=None),
        clip("5", "one", sound="c", reason="silent"),
        clip("1", "two", sound="a"),  # the same sound as one/1
        clip("2", "two", sound="c"),  # its equal was rejected
        clip("3", "two", reason="truncated"),
    ],
)


def mixtures(*rows):
    columns = ["foreground_clip", "background_clip", "split", "status"]
    return pd.DataFrame([(*row, "used") for row in rows], columns=columns)


MIXTURES = mixtures(("one/1", "one/2", "train"), ("two/1", "one/3", "train"))


def test_counts_follow_a_clip_from_the_list_to_the_study():
    one, two = sources.clip_counts(CLIPS, sources.sides_of(MIXTURES))
    assert one == {
        "dataset": "one",
        "listed": 5,
        "skipped": 0,
        "found": 4,
        "decodable": 4,  # silence is decoded
        "used": 3,
        "rejected": 2,
        "heard": 3,
        "equal": 3,
        "warned": 0,
    }
    assert (two["listed"], two["found"], two["decodable"], two["used"]) == (3, 3, 2, 2)
    assert (two["heard"], two["equal"]) == (1, 1)
    both = sources.totals([one, two])
    assert (both["listed"], both["used"], both["equal"]) == (8, 5, 4)
    assert sources.totals([one]) is None


def test_clips_that_no_pair_needs_are_neither_found_nor_rejected(inputs):
    extra = [clip(name, "two", reason="no pair names it", file=None) for name in "45"]
    extra = made_report.frame("clips", [row | {"status": "skipped"} for row in extra])
    clips = pd.concat([CLIPS, extra], ignore_index=True)
    one, two = sources.clip_counts(clips, sources.sides_of(MIXTURES))
    assert (one["listed"], one["skipped"]) == (5, 0)
    assert (two["listed"], two["skipped"], two["found"], two["decodable"]) == (5, 2, 3, 2)
    assert two["used"] + two["rejected"] + two["skipped"] == two["listed"]
    assert sources.reason_counts(clips) == sources.reason_counts(CLIPS)
    with_column = build_report(dataclasses.replace(inputs, clips=clips))
    without = build_report(dataclasses.replace(inputs, clips=CLIPS))
    assert ">not needed</th>" in with_column
    assert ">not needed</th>" not in without


def test_reasons_are_counted_per_data_set():
    assert [(r["dataset"], r["reason"], r["count"]) for r in sources.reason_counts(CLIPS)] == [
        ("one", "silent", 1),
        ("one", "unreadable", 1),
        ("two", "truncated", 1),
    ]
    assert all(row["meaning"] for row in sources.reason_counts(CLIPS))


def test_equal_sounds_are_found_across_data_sets_and_labels():
    found = sources.equal_sounds(CLIPS, sources.sides_of(MIXTURES))
    assert {name: found[name] for name in ("groups", "clips", "across", "labels", "split")} == {
        "groups": 2,
        "clips": 4,
        "across": 1,
        "labels": 1,
        "split": 0,
    }
    assert [row["clips"] for row in found["rows"]] == [["one/1", "two/1"], ["one/2", "one/3"]]
    assert [row["side"] for row in found["rows"]] == ["training side", "training side"]


def test_a_sound_on_both_sides_is_told():
    sides = sources.sides_of(mixtures(("one/1", "x", "train"), ("y", "two/1", "pool")))
    found = sources.equal_sounds(CLIPS, sides)
    assert found["split"] == 1
    assert found["rows"][0]["side"] == "both sides"
    assert found["rows"][1]["side"] == "not used"


def test_a_mixture_that_was_not_rendered_puts_no_clip_on_a_side():
    made = MIXTURES.assign(status=["rejected", "used"])
    assert set(sources.sides_of(made)) == {"two/1", "one/3"}


def test_items_of_a_study_on_clips_have_sides_too():
    items = pd.DataFrame({"item_id": ["one/1", "two/1"], "split": ["train", "pool"]})
    sides = sources.sides_of(MIXTURES.head(0), items)
    assert sides == {"one/1": {"train"}, "two/1": {"pool"}}


@pytest.fixture(scope="module")
def inputs():
    return dataclasses.replace(made_report.made_inputs(), examples=[])


def test_the_page_says_that_no_sound_is_there_twice(inputs):
    html = build_report(inputs)
    assert "No two used clips hold the same sound" in html
    assert 'aria-label="Reasons of rejection"' in html


def test_the_page_shows_equal_sounds_and_warns_of_both_sides(inputs):
    html = build_report(dataclasses.replace(inputs, clips=CLIPS))
    assert "4 used clips hold 2 sounds that occur more than once, 1 of them in more than" in html
    assert "Each is kept on one side of the split" in html
    rows = made_report.mixtures_frame()
    rows.loc[[0, 1], "foreground_clip"] = ["one/1", "two/1"]  # the pool, and to train
    html = build_report(dataclasses.replace(inputs, clips=CLIPS, mixtures=rows))
    assert "1 of them is heard on both sides of the split: the scores on this page flatter" in html
