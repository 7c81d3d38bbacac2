"""Cross-validated sounds: the same tables as of a data set, no recording in two folds, reasons."""

import re

import numpy as np
import pandas as pd
import pytest

from earnest.io import schemas
from earnest.protocols.crossval import contrasts, correlations, scoring
from earnest.protocols.crossval.items import split_items
from earnest.tasks.pools import TaskSettings, build_pool

FOREGROUNDS = {"dog": 90, "cat": 60, "frog": 60}
BACKGROUNDS = ("park", "rain", "train")  # the first is the usual one, with half of the mixtures


def made_items(seed=0):
    rng = np.random.default_rng(seed)
    rows = []
    for foreground, count in FOREGROUNDS.items():
        for number in range(count):
            background = BACKGROUNDS[0 if number % 2 else 1 + number // 2 % 2]
            rows.append(
                {
                    "item_id": f"{foreground}-{number}",
                    "foreground": foreground,
                    "background": background,
                    "is_primary": background == BACKGROUNDS[0],
                    "split": ("train", "pool")[number % 2],
                    "recording": f"{foreground}/{rng.integers(12)}",
                    "background_recording": f"{background}/{rng.integers(9)}",
                }
            )
    frame = pd.DataFrame(rows)
    centres = {"dog": 0.0, "cat": 1.0, "frog": 2.0, "park": 0.0, "rain": 0.5, "train": 1.5}
    embeddings = rng.normal(scale=0.6, size=(len(frame), 3))
    embeddings[:, 0] += frame["foreground"].map(centres)
    embeddings[:, 1] += frame["background"].map(centres)
    return frame, embeddings.astype(np.float32)


@pytest.fixture(scope="module")
def made():
    return made_items()


@pytest.fixture(scope="module")
def context(made):
    return split_items(
        *made, name="dog", kind="context", foreground="dog", root_seed=0, n_estimators=10
    )


def test_neither_recording_is_ever_in_two_folds(made, context):
    items, _ = made
    assert len(context.items.groupby(["repeat", "fold"])) == 10
    for _, whole in context.items.groupby("repeat"):
        sides = [set(), set()]
        for fold, tested in whole.groupby("fold"):
            mine = items.iloc[tested["item"]]
            sides[fold] |= set(mine["recording"]) | set(mine["background_recording"])
        assert sides[0] & sides[1] == set()


def test_the_description_says_what_the_guard_left_out(made, context):
    found = context.description
    assert (found["status"], found["kind"], found["foreground"]) == ("used", "context", "dog")
    assert found["primary"] == "dog + park"
    assert found["majority"] == ["frog", "cat"]
    assert sorted(found["minority"]) == ["dog + park", "dog + rain", "dog + train"]
    guard = found["guard"]
    tested = context.items.groupby("repeat").size()
    assert guard["left_out"] == (210 - tested).tolist()
    assert (guard["components"], guard["largest_component"]) == (1, 210)
    drawn = made[0][["recording", "background_recording"]].to_numpy()
    assert guard["recordings"] == len(set(drawn.ravel()))
    assert 0 < min(guard["left_out"]) <= max(guard["left_out"]) < 0.45 * 210


def made_clips(items):
    """The clips table of the items, as far as it is looked at: each recording is a file."""
    names = sorted({*items["recording"], *items["background_recording"]})
    return pd.DataFrame(
        {
            "clip_id": names,
            "recording": names,
            "status": "used",
            "sha256": [f"file {name}" for name in names],
            "audio_sha256": [f"sound {name}" for name in names],
        }
    )


def ever_apart(split, items, names):
    """Whether any repeat has one of the recordings in one fold and another in the other."""
    columns = ["recording", "background_recording"]
    for _, whole in split.items.groupby("repeat"):
        sides = [
            set(items.iloc[tested["item"]][columns].to_numpy().ravel()) & names
            for _, tested in whole.groupby("fold")
        ]
        if all(sides):
            return True
    return False


def test_recordings_that_share_a_file_or_a_sound_count_as_one(made):
    items, embeddings = made
    clips = made_clips(items)
    options = {"name": "dog", "kind": "context", "foreground": "dog", "root_seed": 0}
    options |= {"n_estimators": 2}
    alike = [{"dog/0", "cat/2", "frog/3"}, {"dog/3", "park/4"}]
    apart = split_items(items, embeddings, clips=clips, **options)
    assert all(ever_apart(apart, items, names) for names in alike)
    clips.loc[clips["recording"].isin(alike[0]), "sha256"] = "one file"
    clips.loc[clips["recording"].isin(alike[1]), "audio_sha256"] = "one sound"
    joined = split_items(items, embeddings, clips=clips, **options)
    assert not any(ever_apart(joined, items, names) for names in alike)
    before, after = (split.description["guard"]["recordings"] for split in (apart, joined))
    assert after == before - 3


def test_weights_are_by_the_training_half(context):
    for _, whole in context.items.groupby("repeat"):
        for fold, tested in whole.groupby("fold"):
            sizes = whole[whole["fold"] != fold]["subconcept"].value_counts()
            largest = max(sizes["frog"], sizes["cat"])
            for row in tested.itertuples():
                expected = largest / sizes[row.subconcept] if row.is_minority else 1.0
                assert row.utility_true == pytest.approx(expected, abs=1e-12)


def test_the_same_scoring_and_assessing_serve_sounds(made, context):
    _, embeddings = made
    scores, recalls = scoring.score_correction(
        context.description,
        embeddings,
        context.items,
        correction="smote",
        root_seed=0,
        n_estimators=10,
    )
    assert schemas.to_arrow("fold_scores", scores).num_rows == 10 * 3 * 3 * 5
    tested = context.items.groupby("subconcept").size()
    counted = recalls.groupby("subconcept")["test_size"].sum()
    assert counted.to_dict() == tested.to_dict()
    found = contrasts.contrasts(
        [context.description], recalls, correlations.dataset_means(scores)
    ).loc[0]
    mine = recalls.groupby("subconcept")[["hits", "test_size"]].sum()
    share = mine["hits"] / mine["test_size"]
    assert found["usual_recall"] == pytest.approx(share["dog + park"])
    assert found["contrast"] == pytest.approx(
        (share["dog + rain"] + share["dog + train"]) / 2 - share["dog + park"]
    )
    means = scores[(scores["part"] == "full") & (scores["measure"] == "balanced_accuracy")]
    means = means.groupby("utility")["value"].mean()
    assert found["shift_true"] == pytest.approx(means["true"] - means["none"])


def test_the_frames_fit_their_schemas(context):
    for table, frame in (
        ("fold_items", context.items),
        ("fold_subconcepts", context.subconcepts),
        ("recognition", context.recognition),
    ):
        assert schemas.to_arrow(table, frame).num_rows == len(frame) > 0


def test_merged_foregrounds_are_a_task_as_well(made):
    found = split_items(*made, name="all", kind="subconcepts", root_seed=0, n_estimators=5)
    assert found.description["primary"] is None
    assert found.description["majority"] == ["dog"]
    assert found.description["sizes"] == {"dog": 90, "frog": 45, "cat": 22}
    assert set(found.items["item"]) <= set(range(210))


def test_clips_by_themselves_have_one_recording_each(made):
    items, embeddings = made
    clips = items.assign(background=None, is_primary=None, background_recording=None)
    found = split_items(
        clips, embeddings, name="all", kind="subconcepts", root_seed=0, n_estimators=5
    )
    assert found.description["guard"]["left_out"] == [0] * 5
    for _, whole in found.items.groupby("repeat"):
        one, two = (set(clips.iloc[t["item"]]["recording"]) for _, t in whole.groupby("fold"))
        assert one & two == set()
    refused = split_items(
        clips, embeddings, name="dog", kind="context", foreground="dog", root_seed=0
    )
    assert "no background" in refused.description["reason"]


def one_recording(items):
    mine = (items["foreground"] == "dog") & (items["background"] == "rain")
    return items.assign(background_recording=items["background_recording"].mask(mine, "the only"))


@pytest.mark.parametrize(
    ("change", "foreground", "reason"),
    [
        (lambda items: items, "cow", "a context task of 'cow' against the rest; found only"),
        (lambda items: items, None, "needs a foreground"),
        (lambda items: items.assign(background="rain").iloc[:150], "dog", "at least 3 subconcepts"),
        (
            lambda items: items.drop(index=items.index[:90][items["background"][:90] == "rain"]
                                     [8:]),
            "dog",
            r"'dog \+ rain' would have 8 instances",
        ),
        (one_recording, "dog", r"fold 0: no \w+ item of subconcept 'dog \+ rain'"),
    ],
)  # fmt: skip
def test_a_task_that_cannot_be_built_has_its_reason(made, change, foreground, reason):
    items, embeddings = made
    items = change(items)
    found = split_items(
        items,
        embeddings[items.index],
        name="task",
        kind="context",
        foreground=foreground,
        root_seed=0,
        n_estimators=5,
    )
    assert found.description["status"] == "not run"
    assert re.search(reason, found.description["reason"])
    assert found.description["kind"] == "context"
    scores, recalls = scoring.score_correction(
        found.description, embeddings, found.items, correction="none", root_seed=0
    )
    assert len(scores) == len(recalls) == 0


def test_what_is_no_task_at_all_is_an_error(made):
    items, embeddings = made
    with pytest.raises(ValueError, match="unknown kind 'classes'"):
        split_items(items, embeddings, name="x", kind="classes", root_seed=0)
    with pytest.raises(ValueError, match="210 items, but 209 embeddings"):
        split_items(items, embeddings[1:], name="x", kind="subconcepts", root_seed=0)


def test_corrections_in_the_schema_are_those_of_the_library(root):
    import yaml

    from earnest.tasks import imbalance

    study = yaml.safe_load((root / "config/schemas/config.schema.yaml").read_text())
    asked = study["properties"]["subconcepts"]["properties"]
    assert asked["corrections"]["items"]["enum"] == list(imbalance.CORRECTIONS)
    assert asked["corrections"]["default"] == list(imbalance.CORRECTIONS)


@pytest.mark.parametrize("root_seed", [0, 7])
def test_merged_foregrounds_are_drawn_down_as_for_the_pool(made, root_seed):
    items, embeddings = made
    options = {"kind": "subconcepts", "root_seed": root_seed}

    def pool_items(name):
        pool = build_pool(items, embeddings, TaskSettings(name=name, **options))
        return set(pool.frame["item_id"]), pool.description

    split = split_items(*made, name="foregrounds", pool_task="rare", n_estimators=5, **options)
    tested = items.iloc[split.items["item"].unique()].query("split == 'pool'")["item_id"]
    same, description = pool_items("rare")
    assert split.description["sizes"] == description["sizes"]
    assert set(tested) <= same
    assert len(tested) > 0.9 * len(same)
    # under another name another draw is made, which is why the pool's name is needed
    assert not set(tested) <= pool_items("foregrounds")[0]
