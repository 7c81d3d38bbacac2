"""Tables of pairs, sides of recordings and plans of mixtures, on made and on the real tables."""

import hashlib
import time
from collections import Counter

import pandas as pd
import pytest

from earnest.datasets import recordings
from earnest.io import schemas
from earnest.mixing import pairing, plan

HEADER = "split\tforeground\tbackground\tprimary\n"


def write_pairs(path, *lines):
    path.write_text(HEADER + "".join("\t".join(line.split()) + "\n" for line in lines))
    return path


def made_clips(counts, *, per_recording=1, source="made"):
    """Make usable clips: {label: number}, each recording holding `per_recording` of a label."""
    rows = [
        {
            "clip_id": f"{source}/{label}-{number:04}",
            "label": label,
            "recording": f"{source}/{label}{number // per_recording}",
            "sha256": f"{source}{label}{number}",
            "audio_sha256": f"sound of {source}{label}{number}",
            "status": "used",
        }
        for label, count in counts.items()
        for number in range(count)
    ]
    return pd.DataFrame(rows)


def made_pairs(*rows):
    frame = [("test", f, b, primary) for f, b, primary in rows]
    return pd.DataFrame(frame, columns=["split", "foreground", "background", "is_primary"])


FOUR = made_pairs(
    ("dog", "rain", True), ("dog", "wind", False), ("dog", "sea", False), ("dog", "road", False)
)
OPTIONS = {
    "mixtures_per_foreground": 100,
    "primary_share": 0.7,
    "train_share": 0.6,
    "shards": 4,
    "root_seed": 0,
}


# --- tables --------------------------------------------------------------------------------------


def test_the_published_table_has_its_numbers(root):
    pairs = plan.read_pairs(root / "config" / "spuraudio" / "pairs.tsv")
    assert len(pairs) == 152
    assert pairs["foreground"].nunique() == 38
    assert pairs["background"].nunique() == 31
    assert pairs.groupby("split")["foreground"].nunique().to_dict() == {
        "test": 8,
        "train": 25,
        "validation": 5,
    }
    assert (pairs.groupby("foreground").size() == 4).all()
    assert pairs["background"].value_counts()[["rain", "thunderstorm"]].tolist() == [17, 12]
    crow = pairs[pairs["foreground"] == "crow"]
    assert crow.loc[crow["is_primary"], "background"].tolist() == ["airplane"]


def test_the_table_is_that_of_the_facts(root):
    facts = root.parent / "shared" / "facts" / "spuraudio-pairs.tsv"
    if not facts.exists():
        pytest.skip(f"no {facts}: the two tables were not compared")
    assert (root / "config" / "spuraudio" / "pairs.tsv").read_bytes() == facts.read_bytes()


def test_the_table_of_rejected_is_readable(root):
    assert plan.read_rejected(root / "config" / "spuraudio" / "rejected.tsv") == frozenset()


def test_labels_of_all_pairs_are_those_of_their_unions():
    pairs = made_pairs(("dog+dog_bark", "rain", True), ("siren", "rain+wind", True))
    assert plan.labels_of_pairs(pairs) == {"dog", "dog_bark", "rain", "siren", "wind"}


def test_labels_of_a_union():
    assert plan.labels_of("dog+dog_bark") == ("dog", "dog_bark")
    assert plan.labels_of("crow") == ("crow",)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["test a b 1", "test a b 0"], "line 3: a / b is already on line 2"),
        (["test a a 1"], "line 2: a is paired with itself"),
        (["test dog+bark bark 1"], "line 2: bark is paired with itself"),
        (["test a b 1", "test c b 0"], "line 3: c has 0 primary backgrounds"),
        (["test a b 1", "test a c 1"], "line 2: a has 2 primary backgrounds"),
        (["test a b yes"], "line 2: primary must be 1 or 0, found 'yes'"),
        (["dev a b 1"], "line 2: split 'dev' is not one of"),
        (["test a b 1", "train a c 0"], "line 3: a is in split train, but in test on line 2"),
        (["test a b"], "line 2: 4 cells expected, found 3"),
        (["test a+ b 1"], "line 2: 'a[+]' holds an empty label"),
        (["test a rian 1"], "line 2: unknown class 'rian'; did you mean 'rain'"),
    ],
)
def test_a_bad_pair_is_refused_with_its_line(tmp_path, lines, message):
    path = write_pairs(tmp_path / "pairs.tsv", *lines)
    known = {"a", "b", "c", "dog", "bark", "rain"}
    with pytest.raises(plan.PairsError, match=message) as caught:
        plan.read_pairs(path, known=known)
    assert "pairs.tsv" in str(caught.value)


def test_other_columns_are_refused(tmp_path):
    (tmp_path / "a.tsv").write_text("foreground\tbackground\n")
    with pytest.raises(plan.PairsError, match="line 1: the columns must be"):
        plan.read_pairs(tmp_path / "a.tsv")


def test_rejected_mixtures_and_pairs_are_read(tmp_path):
    path = tmp_path / "rejected.tsv"
    path.write_text("kind\tname\treason\npair\tdog/rain\tmasked\nmixture\tdog-sea-00\tclick\n")
    assert plan.read_rejected(path) == {("pair", "dog/rain"), ("mixture", "dog-sea-00")}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("clip\ta\tb", "line 2: kind must be mixture or pair"),
        ("pair\tdog-rain\tb", "line 2: a pair is named foreground/background"),
        ("mixture\t\tb", "line 2: a name and a reason"),
        ("mixture\ta\t ", "line 2: a name and a reason"),
    ],
)
def test_a_bad_rejection_is_refused_with_its_line(tmp_path, line, message):
    path = tmp_path / "rejected.tsv"
    path.write_text(f"kind\tname\treason\n{line}\n")
    with pytest.raises(plan.PairsError, match=message):
        plan.read_rejected(path)


def test_a_foreground_stays_only_if_all_of_it_can_be_built():
    pairs = made_pairs(
        ("dog+bark", "rain", True),
        ("dog+bark", "knock+tap", False),
        ("cow", "rain", True),
        ("cow", "siren", False),
        ("pig", "rain", True),
    )
    clips = made_clips({"bark": 1, "rain": 1, "tap": 1, "cow": 1, "siren": 1})
    clips.loc[clips["label"] == "siren", "status"] = "rejected"
    kept, dropped = plan.buildable_pairs(pairs, clips)
    assert kept["foreground"].unique().tolist() == ["dog+bark"]
    assert dropped.values.tolist() == [
        ["foreground", "cow", "no usable clips of siren"],
        ["foreground", "pig", "no usable clips of pig"],
    ]


# --- sides ---------------------------------------------------------------------------------------


def test_sides_are_exact_per_class_when_recordings_hold_one_class():
    clips = made_clips({"dog": 40, "rain": 30, "wind": 2, "sea": 1, "road": 9}, per_recording=1)
    sides = plan.split_recordings(clips, FOUR, train_share=0.6, root_seed=0)
    train = Counter(r.split("/")[1].rstrip("0123456789") for r, s in sides.items() if s == "train")
    # round(.6 * 40), round(.6 * 30), one of two, round(.6 * 1), round(5.4)
    assert train == {"dog": 24, "rain": 18, "wind": 1, "sea": 1, "road": 5}


def test_a_recording_is_on_one_side_with_all_its_clips():
    clips = made_clips({"dog": 40, "rain": 30}, per_recording=3)
    sides = plan.split_recordings(clips, FOUR, train_share=0.5, root_seed=0)
    assert set(sides) == set(clips["recording"])
    assert set(sides.values()) == {"train", "pool"}


@pytest.mark.parametrize("column", ["sha256", "audio_sha256"])
def test_equal_files_and_equal_sounds_go_together(column):
    clips = made_clips({"dog": 20, "rain": 20})
    clips.loc[[3, 30], column] = "the same"
    for seed in range(20):
        sides = plan.split_recordings(clips, FOUR, train_share=0.5, root_seed=seed)
        assert sides[clips["recording"][3]] == sides[clips["recording"][30]]


def test_one_upload_in_two_data_sets_goes_together():
    # Freesound 100032 is 1-100032-A-0 of ESC-50 and 100032-3-0-0 of UrbanSound8K.
    both = ["esc50/100032", "urbansound8k/100032", "vocalsound/100032"]
    clips = made_clips({"dog": 20})
    clips.loc[[0, 1, 2], "recording"] = both
    pairs = made_pairs(("dog", "rain", True))
    together = set()
    for seed in range(30):
        sides = plan.split_recordings(clips, pairs, train_share=0.5, root_seed=seed)
        assert sides[both[0]] == sides[both[1]]
        together.add(sides[both[0]] == sides[both[2]])
    assert together == {True, False}  # a speaker of VocalSound is no upload


def test_links_join_in_chains():
    clips = made_clips({"dog": 4})
    clips["recording"] = ["esc50/7", "urbansound8k/7", "esc50/8", "urbansound8k/9"]
    clips["sha256"] = ["a", "b", "b", None]
    clips["audio_sha256"] = None
    groups = recordings.recording_groups(clips)
    assert groups["esc50/7"] == groups["urbansound8k/7"] == groups["esc50/8"]
    assert groups["urbansound8k/9"] != groups["esc50/7"]


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, float("nan")])
def test_a_share_of_nothing_is_refused(share):
    with pytest.raises(ValueError, match="train_share must lie in"):
        plan.split_recordings(made_clips({"dog": 4}), FOUR, train_share=share, root_seed=0)


def test_only_some_splits_over_classes_are_taken():
    pairs = pd.DataFrame(
        [
            ("train", "cat", "rain", True),
            ("train", "cat", "wind", False),
            ("validation", "dog", "rain", True),
            ("validation", "dog", "wind", False),
            ("test", "cow", "rain", True),
            ("test", "cow", "wind", False),
        ],
        columns=["split", "foreground", "background", "is_primary"],
    )
    clips = made_clips(dict.fromkeys(("cat", "dog", "cow", "rain", "wind"), 20))
    made = plan.plan_mixtures(pairs, clips, **OPTIONS, class_splits=["test", "train"])
    assert made.mixtures["foreground"].unique().tolist() == ["cat", "cow"]
    assert set(made.mixtures["class_split"]) == {"train", "test"}
    assert made.dropped.empty
    assert len(plan.plan_mixtures(pairs, clips, **OPTIONS).mixtures) == 300
    with pytest.raises(plan.PairsError, match="unknown class split 'val'; there are test, train"):
        plan.plan_mixtures(pairs, clips, **OPTIONS, class_splits=["val"])
    with pytest.raises(plan.PairsError, match="no foreground is in class split test"):
        plan.plan_mixtures(pairs[:4], clips, **OPTIONS, class_splits=["test"])


# --- plans ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def planned():
    clips = made_clips({"dog": 40, "rain": 30, "wind": 20, "sea": 10, "road": 10})
    return plan.plan_mixtures(FOUR, clips, **OPTIONS)


def test_numbers_are_exact(planned):
    counts = planned.mixtures.groupby(["split", "background"]).size().to_dict()
    # 60 train: 42 primary, 18 / 3; 40 pool: 28 primary, 12 / 3
    assert counts == {
        ("train", "rain"): 42,
        ("train", "road"): 6,
        ("train", "sea"): 6,
        ("train", "wind"): 6,
        ("pool", "rain"): 28,
        ("pool", "road"): 4,
        ("pool", "sea"): 4,
        ("pool", "wind"): 4,
    }
    assert planned.dropped.empty
    schemas.to_arrow("mixture_plan", planned.mixtures)
    schemas.to_arrow("dropped", planned.dropped)


def test_what_does_not_divide_goes_to_the_first_names():
    assert pairing.context_counts(10, "p", ["c", "a", "b"], 0.5) == {"p": 5, "a": 2, "b": 2, "c": 1}
    assert pairing.context_counts(3, "p", ["a"], 1.0) == {"p": 3, "a": 0}


def test_no_pair_comes_twice_and_no_recording_is_on_two_sides(planned):
    mixtures = planned.mixtures
    assert not mixtures.duplicated(["foreground_clip", "background_clip"]).any()
    assert mixtures["mixture_id"].is_unique
    on = {side: set() for side in ("train", "pool")}
    for side, rows in mixtures.groupby("split"):
        on[side] |= {*rows["recording"], *rows["background_recording"]}
    assert not on["train"] & on["pool"]


def test_clips_are_used_evenly(planned):
    for _, rows in planned.mixtures.groupby("split"):
        for keys in (["foreground_clip"], ["background_clip"]):
            for _, part in rows.groupby("foreground" if keys[0][0] == "f" else "background"):
                uses = part[keys[0]].value_counts()
                assert uses.max() - uses.min() <= 1
    assert planned.mixtures["foreground_clip"].nunique() == 40


def test_names_mean_their_clips(planned):
    row = planned.mixtures.iloc[0]
    ids = f"{row['foreground_clip']}\n{row['background_clip']}"
    digest = hashlib.sha256(ids.encode()).hexdigest()[:10]
    assert row["mixture_id"] == f"dog-{row['background']}-{digest}"


def test_names_are_slugs_even_of_unions():
    pairs = made_pairs(("dog+dog_bark", "Alarm_Bell", True), ("dog+dog_bark", "door knock", False))
    clips = made_clips({"dog": 9, "dog_bark": 9, "Alarm_Bell": 9, "door knock": 9})
    made = plan.plan_mixtures(pairs, clips, **OPTIONS | {"mixtures_per_foreground": 20}).mixtures
    pattern = r"dog_dog_bark-(Alarm_Bell|door_knock)-[0-9a-f]{10}"
    assert made["mixture_id"].str.fullmatch(pattern).all()
    assert {row.split("/")[1].split("-")[0] for row in made["foreground_clip"]} == {
        "dog",
        "dog_bark",
    }


def test_shards_are_equal_and_in_order(planned):
    shards = planned.mixtures["shard"]
    assert shards.value_counts().to_dict() == dict.fromkeys(range(4), 25)
    assert shards.is_monotonic_increasing


def test_any_order_of_rows_gives_the_same_bytes(planned):
    clips = made_clips({"dog": 40, "rain": 30, "wind": 20, "sea": 10, "road": 10})
    for seed in range(3):
        shuffled = clips.sample(frac=1, random_state=seed)
        pairs = FOUR.sample(frac=1, random_state=seed)
        again = plan.plan_mixtures(pairs, shuffled, **OPTIONS)
        assert again.mixtures.to_csv() == planned.mixtures.to_csv()


def test_another_seed_gives_another_plan(planned):
    clips = made_clips({"dog": 40, "rain": 30, "wind": 20, "sea": 10, "road": 10})
    other = plan.plan_mixtures(FOUR, clips, **OPTIONS | {"root_seed": 1}).mixtures
    assert len(other) == 100
    assert set(other["mixture_id"]) != set(planned.mixtures["mixture_id"])


def test_too_few_pairs_make_fewer_mixtures_at_the_same_primary_share():
    clips = made_clips({"dog": 10, "rain": 10, "wind": 10, "sea": 4, "road": 10})
    made = plan.plan_mixtures(FOUR, clips, **OPTIONS | {"mixtures_per_foreground": 200})
    # train: 6 dogs x 6 rains = 36 primaries, 36 = round(.7 * 52) with .7 * 52 = 36.4; sea has 12.
    # pool: 4 x 4 = 16 primaries, 16 = round(.7 * 23) with .7 * 23 = 16.1.
    assert made.mixtures["split"].value_counts().to_dict() == {"train": 52, "pool": 23}
    for _, rows in made.mixtures.groupby("split"):
        assert rows["is_primary"].sum() == round(0.7 * len(rows))
    assert made.dropped["kind"].tolist() == ["mixtures", "mixtures"]
    assert "52 of 120 mixtures" in made.dropped["reason"][0]
    assert "rain 36" in made.dropped["reason"][0]


def test_every_distinct_pair_can_be_used():
    pairs = made_pairs(("dog", "rain", True))
    clips = made_clips({"dog": 10, "rain": 10})
    options = OPTIONS | {"mixtures_per_foreground": 500, "primary_share": 1.0}
    made = plan.plan_mixtures(pairs, clips, **options).mixtures
    assert made["split"].value_counts().to_dict() == {"train": 36, "pool": 16}


def test_a_class_of_one_recording_drops_its_foreground_with_a_reason():
    clips = made_clips({"dog": 10, "rain": 10, "wind": 10, "sea": 1, "road": 10})
    made = plan.plan_mixtures(FOUR, clips, **OPTIONS)
    assert made.mixtures.empty
    assert made.dropped.values.tolist() == [
        ["foreground", "dog", "no recording of sea is left for pool"]
    ]
    schemas.to_arrow("mixture_plan", made.mixtures)


def test_a_clip_never_meets_its_own_upload():
    clips = made_clips({"dog": 12, "rain": 12})
    clips["recording"] = [f"made/{number // 2}" for number in range(12)] * 2
    pairs = made_pairs(("dog", "rain", True))
    options = OPTIONS | {"mixtures_per_foreground": 400, "primary_share": 1.0, "train_share": 0.5}
    made = plan.plan_mixtures(pairs, clips, **options).mixtures
    assert (made["recording"] != made["background_recording"]).all()
    # Each side: 6 x 6 pairs less 3 recordings of 2 x 2.
    assert made["split"].value_counts().to_dict() == {"train": 24, "pool": 24}


def test_a_rejected_mixture_is_replaced_and_the_numbers_stay(planned):
    clips = made_clips({"dog": 40, "rain": 30, "wind": 20, "sea": 10, "road": 10})
    gone = planned.mixtures["mixture_id"][[0, 17, 60]]
    rejected = frozenset(("mixture", name) for name in gone)
    made = plan.plan_mixtures(FOUR, clips, **OPTIONS, rejected=rejected).mixtures
    assert not set(gone) & set(made["mixture_id"])
    counts = [m.groupby(["split", "background"]).size().to_dict() for m in (made, planned.mixtures)]
    assert counts[0] == counts[1]
    # One other mixture gives up its partner for each; the rest of the plan stays.
    assert len(set(planned.mixtures["mixture_id"]) - set(made["mixture_id"])) <= 6
    for side, rows in made.groupby("split"):
        uses = rows["foreground_clip"].value_counts()
        assert uses.max() - uses.min() <= 1, side


def test_a_rejected_pair_leaves_its_share_to_the_others():
    clips = made_clips({"dog": 40, "rain": 30, "wind": 20, "sea": 10, "road": 10})
    made = plan.plan_mixtures(FOUR, clips, **OPTIONS, rejected=frozenset({("pair", "dog/sea")}))
    counts = made.mixtures.groupby(["split", "background"]).size()
    assert counts["train"].to_dict() == {"rain": 42, "road": 9, "wind": 9}
    assert made.dropped.values.tolist() == [["pair", "dog/sea", "rejected on listening"]]


def test_a_foreground_without_its_primary_or_without_contrast_drops():
    clips = made_clips({"dog": 40, "rain": 30, "wind": 20, "sea": 10, "road": 10})
    made = plan.plan_mixtures(FOUR, clips, **OPTIONS, rejected=frozenset({("pair", "dog/rain")}))
    assert made.mixtures.empty
    assert "no primary background" in made.dropped["reason"].iloc[-1]
    names = frozenset(("pair", f"dog/{name}") for name in ("wind", "sea", "road"))
    made = plan.plan_mixtures(FOUR, clips, **OPTIONS, rejected=names)
    assert made.mixtures.empty
    assert "no other background" in made.dropped["reason"].iloc[-1]


def test_what_another_study_rejected_changes_nothing_and_is_counted(planned):
    clips = made_clips({"dog": 40, "rain": 30, "wind": 20, "sea": 10, "road": 10})
    known = ("mixture", planned.mixtures["mixture_id"][3])
    others = {("pair", "dog/moon"), ("pair", "cat/rain"), ("mixture", "dog-rain-0123456789")}
    alone = plan.plan_mixtures(FOUR, clips, **OPTIONS, rejected=frozenset({known}))
    made = plan.plan_mixtures(FOUR, clips, **OPTIONS, rejected=frozenset({known, *others}))
    pd.testing.assert_frame_equal(made.mixtures, alone.mixtures)
    assert alone.dropped.empty
    told = "in the table of rejected {} cannot occur in this study, the first {}"
    assert made.dropped.values.tolist() == [
        ["rejected", "pairs", "2 of 2 " + told.format("pairs", "cat/rain")],
        ["rejected", "mixtures", "1 of 2 " + told.format("mixtures", "dog-rain-0123456789")],
    ]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("primary_share", 0.0),
        ("primary_share", 1.1),
        ("train_share", 1.0),
        ("mixtures_per_foreground", 1),
        ("shards", 0),
    ],
)
def test_options_out_of_range_are_refused(option, value):
    clips = made_clips({"dog": 10, "rain": 10, "wind": 10, "sea": 10, "road": 10})
    with pytest.raises(ValueError, match=option):
        plan.plan_mixtures(FOUR, clips, **OPTIONS | {option: value})


def test_a_clip_listed_twice_is_refused():
    clips = made_clips({"dog": 10, "rain": 10, "wind": 10, "sea": 10, "road": 10})
    with pytest.raises(ValueError, match="listed twice"):
        plan.plan_mixtures(FOUR, pd.concat([clips, clips[:1]]), **OPTIONS)


def test_24000_mixtures_of_3300_clips_are_planned_in_seconds(root):
    pairs = plan.read_pairs(root / "config" / "spuraudio" / "pairs.tsv")
    labels = sorted(
        {x for n in (*pairs["foreground"], *pairs["background"]) for x in plan.labels_of(n)}
    )
    counts = {label: 3_300 // len(labels) + 1 for label in labels}
    clips = made_clips(counts, per_recording=2)
    start = time.process_time()
    made = plan.plan_mixtures(pairs, clips, **OPTIONS | {"mixtures_per_foreground": 640})
    assert time.process_time() - start < 10
    assert len(made.mixtures) == 24_320
    assert made.dropped.empty


def test_the_real_table_on_real_labels(root, mirror):
    pairs = plan.read_pairs(root / "config" / "spuraudio" / "pairs.tsv")
    meta = pd.read_csv(mirror / "esc50" / "meta" / "esc50.csv")
    clips = pd.DataFrame(
        {
            "clip_id": "esc50/" + meta["filename"],
            "label": meta["category"],
            "recording": "esc50/" + meta["src_file"].astype(str),
            "sha256": meta["filename"],
            "audio_sha256": meta["filename"],
            "status": "used",
        }
    )
    kept, dropped = plan.buildable_pairs(pairs, clips)
    test = kept[kept["split"] == "test"]["foreground"].unique().tolist()
    assert test == ["crackling_fire", "crow", "chainsaw", "coughing+cough", "sneezing", "pig"]
    assert kept["foreground"].nunique() + len(dropped) == 38
    made = plan.plan_mixtures(pairs, clips, **OPTIONS | {"mixtures_per_foreground": 60})
    sides = made.mixtures.groupby("split")[["recording", "background_recording"]].agg(set)
    train, pool = ({*row.iloc[0], *row.iloc[1]} for _, row in sides.iterrows())
    assert not train & pool
