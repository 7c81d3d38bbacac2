"""ESC-50: names, folds and recordings from its own table; made folders and the real subset."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import soundfile

from earnest import datasets
from earnest.datasets import esc50
from earnest.io import schemas

HEADER = "filename,fold,target,category,esc10,src_file,take\n"
ROWS = [
    "1-13572-A-46.wav,1,46,church_bells,False,13572,A",
    "1-100032-A-0.wav,1,0,dog,True,100032,A",
    "4-188703-A-0.wav,4,0,dog,True,188703,A",
    "4-188703-B-0.wav,4,0,dog,True,188703,B",
]


def make(root: Path, rows: list[str], *, seconds: float = 5.0) -> Path:
    (root / "meta").mkdir(parents=True)
    (root / "audio").mkdir()
    (root / "meta" / "esc50.csv").write_text(HEADER + "\n".join(rows) + "\n")
    for row in rows:
        path = root / "audio" / row.split(",")[0]
        soundfile.write(path, np.zeros(round(seconds * 8000)), 8000)
    return root


def test_listing_keeps_folds_and_groups_takes_of_one_upload(tmp_path: Path) -> None:
    listing = datasets.list_clips("esc50", make(tmp_path / "esc50", ROWS))
    schemas.to_arrow("listing", listing)
    rows = listing.set_index("clip_id")
    assert list(rows.index) == sorted(f"esc50/{row.split('.')[0]}" for row in ROWS)
    assert rows["fold"].to_dict() == {
        "esc50/1-100032-A-0": 1,
        "esc50/1-13572-A-46": 1,
        "esc50/4-188703-A-0": 4,
        "esc50/4-188703-B-0": 4,
    }
    assert rows.loc["esc50/4-188703-A-0", "recording"] == "esc50/188703"
    assert rows.loc["esc50/4-188703-B-0", "recording"] == "esc50/188703"
    assert rows.loc["esc50/1-13572-A-46", "label"] == "church_bells"
    assert Path(rows.loc["esc50/1-13572-A-46", "path"]).is_file()


def test_listing_does_not_depend_on_the_order_of_the_table(tmp_path: Path) -> None:
    forward = esc50.list_clips(make(tmp_path / "a", ROWS))
    backward = esc50.list_clips(make(tmp_path / "b", ROWS[::-1]))
    pd.testing.assert_frame_equal(forward.drop(columns="path"), backward.drop(columns="path"))


def test_missing_file_is_listed_so_that_screening_can_say_so(tmp_path: Path) -> None:
    root = make(tmp_path / "esc50", ROWS)
    (root / "audio" / "1-100032-A-0.wav").unlink()
    assert "esc50/1-100032-A-0" in set(esc50.list_clips(root)["clip_id"])
    assert datasets.count("esc50", root) == {"released": 2000, "listed": 4, "found": 3}
    (problem,) = esc50.check(root, complete=False)
    assert problem.startswith("1 listed files are not there")
    assert "1-100032-A-0.wav" in problem


def test_subset_is_fine_unless_the_release_is_expected(tmp_path: Path) -> None:
    root = make(tmp_path / "esc50", ROWS)
    assert esc50.check(root, complete=False) == []
    problems = esc50.check(root, complete=True)
    assert problems == [
        "2 labels are listed, the release has 50",
        "4 clips are listed, the release has 2000",
        "labels without 40 clips: church_bells (1), dog (3)",
    ]


def test_wrong_length_and_unreadable_files_are_named(tmp_path: Path) -> None:
    root = make(tmp_path / "esc50", ROWS)
    soundfile.write(root / "audio" / "1-13572-A-46.wav", np.zeros(8000 * 4), 8000)
    (root / "audio" / "4-188703-B-0.wav").write_text("<html>404</html>")
    (broken,) = esc50.check(root, complete=False)
    assert "4-188703-B-0.wav does not open" in broken
    short, broken = esc50.check(root, complete=True)[-2:]
    assert "1-13572-A-46.wav lasts 4.000 s, not 5 s" in short
    assert "4-188703-B-0.wav does not open" in broken


def test_recording_in_two_folds_is_named(tmp_path: Path) -> None:
    rows = [*ROWS, "5-188703-C-0.wav,5,0,dog,True,188703,C"]
    root = make(tmp_path / "esc50", rows)
    assert esc50.check(root, complete=False) == ["recordings in more than one fold: esc50/188703"]


def test_complete_release_has_no_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(esc50, "CLIPS", 4)
    monkeypatch.setattr(esc50, "CLASSES", 2)
    rows = [f"{n % 5 + 1}-{n}-A-{n // 2}.wav,{n % 5 + 1},0,c{n // 2},False,{n},A" for n in range(4)]
    root = make(tmp_path / "esc50", rows)
    assert esc50.check(root, complete=True) == []


def test_malformed_tables_are_refused_with_the_place(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"esc50\.csv is missing"):
        esc50.list_clips(tmp_path)
    twice = make(tmp_path / "twice", [*ROWS, ROWS[0]])
    with pytest.raises(ValueError, match=r"1 files more than once: 1-13572-A-46\.wav"):
        esc50.list_clips(twice)
    gap = make(tmp_path / "gap", [ROWS[0], "1-100032-A-0.wav,1,0,,True,100032,A"])
    with pytest.raises(ValueError, match="line 3: the cell of column category is empty"):
        esc50.list_clips(gap)
    other = tmp_path / "other" / "meta"
    other.mkdir(parents=True)
    (other / "esc50.csv").write_text("filename,fold\na.wav,1\n")
    with pytest.raises(ValueError, match="lacks the columns category, src_file"):
        esc50.list_clips(other.parent)


def test_unknown_data_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"'esc5'; known are .*, demo, .*, esc50"):
        datasets.list_clips("esc5", tmp_path)


def test_real_subset_is_sound(mirror: Path) -> None:
    root = mirror / "esc50"
    assert datasets.count("esc50", root) == {"released": 2000, "listed": 731, "found": 731}
    assert esc50.check(root, complete=False) == []
    assert esc50.check(root, complete=True)[0] == "731 clips are listed, the release has 2000"
    listing = esc50.list_clips(root)
    assert listing["label"].nunique() == 50
    folds = listing.groupby("recording")["fold"].nunique()
    assert set(folds.index[folds > 1]) == esc50.CROSSING_FOLDS
