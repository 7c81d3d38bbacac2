"""VocalSound, DCASE 2016 task 2, DESED, WildDESED, USM in their layouts; labels of pairs."""

import json

import numpy as np
import pandas as pd
import pytest

from earnest import datasets
from earnest.datasets import dcase2016_task2, desed, usm, vocalsound
from earnest.mixing import plan
from tests import made_releases

RELEASED = [name for name in datasets.SOURCES if name not in ("demo", "folder")]


def recordings(listing):
    return dict(zip(listing["clip_id"], listing["recording"], strict=True))


def test_vocalsound_keeps_speakers_together_and_its_official_parts(tmp_path):
    root = made_releases.write_vocalsound(tmp_path)
    listing = datasets.list_clips("vocalsound", root)
    assert len(listing) == 36
    row = listing.set_index("clip_id").loc["vocalsound/m0001_0_throatclearing"]
    assert (row["label"], row["fold"], row["recording"]) == (
        "throatclearing",
        1,
        "vocalsound/m0001",
    )
    assert listing.groupby("recording").size().tolist() == [6] * 6
    assert listing.groupby("recording")["fold"].first().tolist() == [1, 1, 2, 1, 1, 3]
    assert vocalsound.check(root, complete=False) == []
    assert vocalsound.check(root, complete=True) == ["36 clips are listed, the release has 21024"]
    assert datasets.count("vocalsound", root) == {"released": 21_024, "listed": 36, "found": 36}


def test_vocalsound_without_lists_has_no_folds(tmp_path):
    listing = datasets.list_clips(
        "vocalsound", made_releases.write_vocalsound(tmp_path, parts=False)
    )
    assert listing["fold"].isna().all()


def test_vocalsound_names_and_lists_are_checked(tmp_path):
    root = made_releases.write_vocalsound(tmp_path)
    (root / "datafiles" / "te.json").write_text(
        json.dumps({"data": [{"wav": "x/f0000_0_cough.wav"}]})
    )
    with pytest.raises(ValueError, match=r"te\.json: in another part too: f0000_0_cough"):
        datasets.list_clips("vocalsound", root)
    (root / "datafiles" / "te.json").write_text("[1]")
    with pytest.raises(ValueError, match=r"te\.json is no list of VocalSound's clips"):
        datasets.list_clips("vocalsound", root)
    (root / "datafiles" / "te.json").unlink()
    (root / "audio_16k" / "f0000_0_yawn.wav").touch()
    with pytest.raises(ValueError, match=r"f0000_0_yawn\.wav: the name is not <gender"):
        datasets.list_clips("vocalsound", root)
    with pytest.raises(FileNotFoundError, match="16 kHz release of VocalSound"):
        datasets.list_clips("vocalsound", root / "datafiles")


def test_dcase2016_lists_isolated_sounds_but_no_scenes(tmp_path):
    root = made_releases.write_dcase2016_task2(tmp_path)
    folder = root / "dcase2016_task2_train_dev" / "dcase2016_task2_train"
    (folder / "._cough037.wav").write_bytes(b"what some systems put beside a file")
    listing = datasets.list_clips("dcase2016_task2", root)
    assert sorted(set(listing["label"])) == sorted(dcase2016_task2.LABELS)
    row = listing[listing["label"] == "keysdrop"].iloc[0]
    assert row["clip_id"] == row["recording"] == "dcase2016_task2/keysDrop005"
    assert listing["recording"].is_unique
    assert dcase2016_task2.check(root, complete=False) == []
    assert "22 clips are listed, the release has 220" in dcase2016_task2.check(root, complete=True)
    assert datasets.list_clips("dcase2016_task2", folder).equals(listing)
    (folder / "yawn001.wav").touch()
    with pytest.raises(ValueError, match=r"yawn001\.wav: the name is not a class and a number"):
        datasets.list_clips("dcase2016_task2", root)
    with pytest.raises(FileNotFoundError, match="no folder dcase2016_task2_train"):
        datasets.list_clips("dcase2016_task2", tmp_path / "none")


@pytest.mark.filterwarnings("ignore:desed. 1 of 6")
def test_desed_lists_single_labels_spelt_as_in_the_pairs(tmp_path):
    root = made_releases.write_desed(tmp_path)
    listing = datasets.list_clips("desed", root)
    assert recordings(listing) == {
        "desed/YaaaaaaaaaaA_30.000_40.000": "desed/YaaaaaaaaaaA",
        "desed/YaaaaaaaaaaA_90.000_100.000": "desed/YaaaaaaaaaaA",
        "desed/Ybb_bbbbbbb-_0.000_10.000": "desed/Ybb_bbbbbbb-",
        "desed/Yccccccccccc_5.000_9.231": "desed/Yccccccccccc",
        "desed/Yeeeeeeeeeee_5.000_15.000": "desed/Yeeeeeeeeeee",
    }
    assert sorted(listing["label"]) == [
        "Alarm_Bell_Ringing",
        "blender",
        "cat",
        "cat",
        "running_water",
    ]
    problems = desed.check(root, complete=True)
    assert "lists 6 files, the release has 1578" in problems[0]
    assert problems[1].startswith("1 listed files are not there")
    assert problems[1].endswith("Yeeeeeeeeeee_5.000_15.000.wav")
    assert datasets.count("desed", root) == {"released": 984, "listed": 5, "found": 4}


def test_desed_counts_rows_with_several_labels(tmp_path):
    root = made_releases.write_desed(tmp_path)
    with pytest.warns(UserWarning, match="desed: 1 of 6 clips have several labels"):
        datasets.list_clips("desed", root)


@pytest.mark.filterwarnings("ignore:(wild)?desed. 1 of 6")
def test_wilddesed_shares_its_recordings_with_desed(tmp_path):
    clean = datasets.list_clips("desed", made_releases.write_desed(tmp_path / "a"))
    wild = datasets.list_clips(
        "wilddesed", made_releases.write_desed(tmp_path / "b", folder="weak_16k")
    )
    assert set(wild["recording"]) == set(clean["recording"])
    assert set(wild["dataset"]) == {"wilddesed"}
    assert wild["clip_id"].str.startswith("wilddesed/").all()
    assert datasets.count("wilddesed", tmp_path / "b")["found"] == 4


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("a_0_10.wav", "Cats")] * 2, r"file a_0_10\.wav: unknown labels cats"),
        ([("a_0_10.wav", "Cat"), ("a_0_10.wav", "Dog")], "listed twice, with different labels"),
        ([("a_0_10.wav", ""), ("b_0_10.wav", "Cat")], "line 2: the cell of column event_labels"),
    ],
)
def test_damaged_tables_of_desed_are_told(rows, message, tmp_path):
    root = made_releases.write_desed(tmp_path, rows=rows)
    with pytest.raises(ValueError, match=message):
        datasets.list_clips("desed", root)


def test_a_row_of_desed_that_is_there_twice_is_one_clip(tmp_path):
    rows = [("a_0_10.wav", "Cat"), ("a_0_10.wav", "Cat"), ("b_0_10.wav", "Dog")]
    listing = datasets.list_clips("desed", made_releases.write_desed(tmp_path, rows=rows))
    assert listing["clip_id"].tolist() == ["desed/a_0_10", "desed/b_0_10"]


def test_usm_lists_stems_with_the_uploads_they_were_cut_from(tmp_path):
    root = made_releases.write_usm(tmp_path)
    with pytest.warns(UserWarning, match="usm: 2 stems share class and soundscape"):
        listing = datasets.list_clips("usm", root)
    assert recordings(listing) == {
        "usm/eval/1_mix_stem_0": "usm/99",
        "usm/train/1_mix_stem_0": "usm/55033",
        "usm/train/1_mix_stem_1": "usm/251633",
        "usm/val/3_mix_stem_0": "usm/251633",
        "usm/val/3_mix_stem_1": "usm/118728",
        "usm/val/3_mix_stem_2": "usm/9",
        "usm/val/4_mix_stem_2": "usm/12",
    }
    labels = listing.set_index("clip_id")["label"]
    assert labels["usm/train/1_mix_stem_0"] == "church_bell"
    assert labels["usm/val/3_mix_stem_1"] == "lawn_mower"
    assert listing.set_index("clip_id")["fold"]["usm/val/4_mix_stem_2"] == 2


@pytest.mark.filterwarnings("ignore:usm. 2 stems")
def test_usm_says_what_it_lacks_and_what_crosses_to_evaluation(tmp_path):
    root = made_releases.write_usm(tmp_path)
    assert usm.check(root, complete=False) == []  # train and val do share uploads
    assert "train has 1 soundscapes, the release has 20000" in usm.check(root, complete=True)
    sounds = made_releases.USM_SOUNDS | {"eval": {1: (("rain", "eval/251633.wav"),)}}
    crossing = made_releases.write_usm(tmp_path / "crossing", sounds)
    assert usm.check(crossing, complete=False) == ["recordings in more than one fold: usm/251633"]


def test_usm_names_stems_that_contradict_targets_and_metadata(tmp_path):
    root = made_releases.write_usm(tmp_path)
    target = root / "eval" / "1_stem_0_target.npy"
    np.save(target, np.eye(26, dtype=int)[0])
    with pytest.raises(ValueError, match=r"soundscape 1: the stems are of airplane; .* siren"):
        datasets.list_clips("usm", root)
    np.save(target, np.ones(26))
    with pytest.raises(ValueError, match=r"1_stem_0_target\.npy: one of 26 .* found 26 of 26"):
        datasets.list_clips("usm", root)
    target.unlink()
    with pytest.raises(FileNotFoundError, match="says which sound its stem is"):
        datasets.list_clips("usm", root)
    (root / "metadata" / "usm_train.csv").unlink()
    with pytest.raises(FileNotFoundError, match=r"usm_train\.csv is missing: .* repository of USM"):
        datasets.list_clips("usm", root)
    with pytest.raises(FileNotFoundError, match="none of the folders train, val, eval"):
        datasets.list_clips("usm", tmp_path / "none")


def test_an_upload_in_three_data_sets_is_one_recording():
    from earnest.datasets.recordings import recording_groups

    names = ["esc50/7", "urbansound8k/7", "usm/7", "vocalsound/7"]
    clips = pd.DataFrame({"recording": names, "sha256": list("abcd"), "audio_sha256": list("abcd")})
    groups = recording_groups(clips)
    assert len({groups[name] for name in names[:3]}) == 1
    assert groups["vocalsound/7"] == "vocalsound/7"


def labels_of_sources(mirror):
    """Return which labels each source gives: of ESC-50 from its real table, else as declared."""
    given = {
        name: set(datasets.source(name).LABELS)
        for name in RELEASED
        if hasattr(datasets.source(name), "LABELS")
    }
    return given | {"esc50": set(datasets.list_clips("esc50", mirror / "esc50")["label"])}


def test_the_labels_of_esc50_are_those_of_its_table(mirror):
    assert set(datasets.source("esc50").LABELS) == labels_of_sources(mirror)["esc50"]


def test_labels_that_no_source_has_are_unknown_unless_the_user_gives_some():
    known = datasets.known_labels(["esc50", "demo"])
    assert {"rain", "dog_bark", "bell", "sniff", "phone"} <= known
    assert "rian" not in known
    assert datasets.known_labels(["esc50", "folder"]) is None


def test_every_label_of_the_pairs_is_given_by_a_source_under_exactly_that_name(root, mirror):
    pairs = plan.read_pairs(root / "config" / "spuraudio" / "pairs.tsv")
    labels = {
        label
        for name in {*pairs["foreground"], *pairs["background"]}
        for label in plan.labels_of(name)
    }
    given = labels_of_sources(mirror)
    assert set(given) == set(RELEASED)
    assert len(labels) > 69
    assert labels - set().union(*given.values()) == set()
    # what only one source has, so that the paper's split cannot be built without it
    only = {
        name: labels & given[name] - set().union(*(g for n, g in given.items() if n != name))
        for name in RELEASED
    }
    assert {"doorslam", "drawer", "keysdrop", "pageturn", "phone"} <= only["dcase2016_task2"]
    assert {"Alarm_Bell_Ringing", "blender", "frying"} <= given["desed"] & given["wilddesed"]
    assert {"sigh", "sniff", "throatclearing"} <= only["vocalsound"]
    assert {"air_conditioner", "dog_bark", "street_music"} <= only["urbansound8k"]


@pytest.mark.parametrize("name", RELEASED)
def test_labels_that_differ_only_in_case_are_one(name, mirror):
    given = labels_of_sources(mirror)
    lower = {label.lower() for label in given[name]}
    assert len(lower) == len(given[name])
    others = {label for other, labels in given.items() if other != name for label in labels}
    assert {label for label in others if label.lower() in lower} <= given[name]
