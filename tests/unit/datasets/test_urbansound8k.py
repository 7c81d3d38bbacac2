"""UrbanSound8K: real clips of three folds, and the errors of damaged tables."""

import shutil

import pytest

from earnest import datasets
from earnest.datasets import urbansound8k

HEADER = "slice_file_name,fsID,start,end,salience,fold,classID,class\n"


def test_real_clips_of_three_folds(mirror):
    root = mirror / "urbansound8k"
    listing = datasets.list_clips("urbansound8k", root)
    assert len(listing) == 2_598
    assert listing["fold"].value_counts().to_dict() == {1: 873, 2: 888, 10: 837}
    assert set(listing["label"]) == set(urbansound8k.LABELS)
    row = listing.set_index("clip_id").loc["urbansound8k/101415-3-0-2"]
    assert row["recording"] == "urbansound8k/101415"
    assert row["label"] == "dog_bark"
    assert row["path"].endswith("/audio/fold1/101415-3-0-2.ogg")
    # the recording of a slice is the first field of its name, and never in two folds
    names = listing["clip_id"].str.removeprefix("urbansound8k/").str.split("-").str[0]
    assert ("urbansound8k/" + names == listing["recording"]).all()
    assert listing.groupby("recording")["fold"].nunique().max() == 1
    assert urbansound8k.check(root, complete=True) == [
        "2598 clips are listed, the release has 8732"
    ]


def test_clips_as_released_are_listed_by_their_names(mirror, tmp_path):
    rows = []
    for path in sorted((mirror / "urbansound8k_native").glob("*.wav")):
        upload, kind, *_ = path.stem.split("-")
        label = urbansound8k.LABELS[int(kind)]
        rows.append(f"{path.name},{upload},0,4,1,5,{kind},{label}\n")
        (tmp_path / "audio" / "fold5").mkdir(parents=True, exist_ok=True)
        shutil.copy(path, tmp_path / "audio" / "fold5" / path.name)
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "UrbanSound8K.csv").write_text(HEADER + "".join(rows))
    listing = datasets.list_clips("urbansound8k", tmp_path)
    assert len(listing) == len(rows) > 4
    assert urbansound8k.check(tmp_path, complete=False) == []
    assert listing["recording"].nunique() == len({row.split("-")[0] for row in rows})


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a.wav,1,0,4,1,1,3,dog\n", r"unknown labels dog; the release has air_conditioner, car"),
        ("a.wav,,0,4,1,1,3,dog_bark\n", r"csv, line 2: the cell of column fsID is empty"),
        ("a.wav,1,0,4,1,one,3,dog_bark\n", r"csv, a\.wav: 'one' is not a whole number"),
        ("a.wav,1,0,4,1,1,3,dog_bark\n" * 2, r"csv lists 1 files more than once: a\.wav"),
    ],
)
def test_damaged_tables_are_told_with_their_place(rows, message, tmp_path):
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "UrbanSound8K.csv").write_text(HEADER + rows)
    with pytest.raises(ValueError, match=message):
        datasets.list_clips("urbansound8k", tmp_path)


def test_a_recording_on_two_folds_is_a_problem(tmp_path):
    (tmp_path / "metadata").mkdir()
    rows = "1-3-0-0.wav,1,0,4,1,1,3,dog_bark\n1-3-0-1.wav,1,0,4,1,2,3,dog_bark\n"
    (tmp_path / "metadata" / "UrbanSound8K.csv").write_text(HEADER + rows)
    problems = urbansound8k.check(tmp_path, complete=False)
    assert problems[0].startswith("2 listed files are not there")
    assert problems[1] == "recordings in more than one fold: urbansound8k/1"


def test_a_missing_table_says_what_the_folder_must_hold(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"UrbanSound8K\.csv is missing: .* as released"):
        datasets.list_clips("urbansound8k", tmp_path)
