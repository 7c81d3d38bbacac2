"""The user's own audio: labels from sub-folders or a table, recordings, and what is refused."""

import numpy as np
import pytest

from earnest import datasets
from earnest.datasets import folder
from earnest.mixing import pairs
from tests.made_releases import noise, write_audio


@pytest.fixture
def own(tmp_path):
    rng = np.random.default_rng(0)
    for kind, name in enumerate(("cat/a1_x.wav", "cat/a1_y.flac", "dog/deep/b2_x.wav")):
        write_audio(tmp_path / name, noise(kind, rng, seconds=0.5, sample_rate=16_000))
    (tmp_path / "cat" / "._a1_x.wav").write_bytes(b"resource fork")
    (tmp_path / "dog" / "notes.txt").write_text("not audio")
    return tmp_path


def test_labels_from_sub_folders(own):
    listing = datasets.list_clips("folder", own)
    assert listing[["clip_id", "label", "recording"]].to_numpy().tolist() == [
        ["folder/cat/a1_x.wav", "cat", "folder/cat/a1_x.wav"],
        ["folder/cat/a1_y.flac", "cat", "folder/cat/a1_y.flac"],
        ["folder/dog/deep/b2_x.wav", "dog", "folder/dog/deep/b2_x.wav"],
    ]
    assert listing["fold"].isna().all()
    assert folder.check(own, complete=False) == []


def test_recordings_are_found_in_names(own):
    listing = folder.list_clips(own, recordings=r"/(\w+?)_\w\.")
    assert listing["recording"].tolist() == ["folder/a1", "folder/a1", "folder/b2"]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(b2)_", r"cat/a1_x\.wav: folder\.recordings '\(b2\)_' finds nothing"),
        ("a1", "has 0 groups, one is needed"),
        ("(", "is no regular expression"),
    ],
)
def test_expressions_that_do_not_serve_are_told(own, pattern, message):
    with pytest.raises(ValueError, match=message):
        folder.list_clips(own, recordings=pattern)


def test_labels_from_a_table(own):
    (own / "labels.csv").write_text(
        "label,fold,file,recording\nmew,1,cat/a1_x.wav,r1\nbark,2,dog/deep/b2_x.wav,r2\n"
    )
    with pytest.warns(UserWarning, match=r"labels\.csv does not name 1 files: .*a1_y\.flac"):
        listing = folder.list_clips(own, labels="labels.csv")
    assert listing[["label", "fold", "recording"]].to_numpy().tolist() == [
        ["mew", 1, "folder/r1"],
        ["bark", 2, "folder/r2"],
    ]


def test_a_tab_separated_table_and_a_missing_file(own):
    (own / "labels.tsv").write_text("file\tlabel\ncat/a1_x.wav\tmew\ncat/gone.wav\tmew\n")
    options = {"labels": "labels.tsv"}
    with pytest.warns(UserWarning, match="does not name 2 files"):
        problems = folder.check(own, complete=False, **options)
    assert len(problems) == 1
    assert problems[0].endswith("cat/gone.wav")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file,class\na.wav,x\n", "lacks the columns label"),
        ("file,label\ncat/a1_x.wav,\n", r"labels\.csv, line 2: the cell of column label is empty"),
        ("file,label\n../a.wav,x\n", r"file \.\./a\.wav: the path leaves the folder"),
        ("file,label\n/etc/a.wav,x\n", r"file /etc/a\.wav: the path leaves the folder"),
        ("file,label\na.wav,x\na.wav,y\n", r"lists 1 files more than once: a\.wav"),
        ("file,label,fold\na.wav,x,one\n", r"file a\.wav: 'one' is not a whole number"),
        ("file,label\ncat\\a1_x.wav,x\n", "there is 'cat/a1_x.wav'; was the table made on Windows"),
        ("file,label\ncat/A1_x.WAV,x\n", "there is 'cat/a1_x.wav', which differs by case"),
        ('file,label\na.wav,"x\nb.wav,y\n', r"row 1 \(line 2\).*is a quotation mark missing"),
        ("file,label\na.wav,x\nb.wav,X\n", "'X' and 'x' differ only by case"),
        ('file,label\na.wav,"{""choices"":[""x""]}"\n', "is JSON; write the name of one class"),
        ("file;label\na.wav;x\n", "parted by semicolons"),
        ("file,label\na.wav\n", "line 2: 2 cells expected, found 1"),
        ("file,label\na.wav,x+y\n", "label 'x\\+y': `\\+` joins labels in pairs"),
    ],
)
@pytest.mark.filterwarnings("ignore:folder. ")
def test_tables_that_do_not_serve_are_told_with_their_place(own, text, message):
    (own / "labels.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        folder.list_clips(own, labels="labels.csv")


def test_files_without_a_label_and_folders_without_audio(own, tmp_path):
    write_audio(own / "loose.wav", np.zeros(10))
    with pytest.raises(ValueError, match=r"loose\.wav lies in no sub-folder, so it has no label"):
        folder.list_clips(own)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        folder.list_clips(own / "none")
    (own / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="holds no audio file"):
        folder.list_clips(own / "empty")
    with pytest.raises(FileNotFoundError, match=r"none\.csv is missing: .*folder\.labels names"):
        folder.list_clips(own, labels="none.csv")


def test_an_absolute_path_inside_the_folder_is_told_apart(own):
    (own / "labels.csv").write_text(f"file,label\n{own.resolve()}/cat/a1_x.wav,x\n")
    with pytest.raises(ValueError, match=r"write the path below the folder .*: cat/a1_x\.wav"):
        folder.list_clips(own, labels="labels.csv")


def test_names_in_another_normal_form_are_the_same_file(own):
    write_audio(own / "cat" / "Vo\u0308gel.wav", np.zeros(10))
    (own / "labels.csv").write_text("file,label\ncat/V\xf6gel.wav,x\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="does not name 3 files"):
        listing = folder.list_clips(own, labels="labels.csv")
    assert listing["path"].tolist() == [str(own / "cat" / "Vo\u0308gel.wav")]


def test_sub_folders_of_two_cases_are_refused(own):
    write_audio(own / "Cat" / "c_x.wav", np.zeros(10))
    with pytest.raises(ValueError, match="'Cat' and 'cat' differ only by case"):
        folder.list_clips(own)


def test_links_to_folders_are_followed_and_loops_are_not(own, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    write_audio(elsewhere / "o_x.wav", np.zeros(10))
    (own / "owl").symlink_to(elsewhere)
    (elsewhere / "again").symlink_to(own)
    (own / "cat" / "up").symlink_to("..")
    listing = folder.list_clips(own)
    assert listing["label"].tolist() == ["cat", "cat", "dog", "owl"]
    assert listing["clip_id"].tolist()[-1] == "folder/owl/o_x.wav"


def test_what_is_passed_over_is_said(own):
    (own / "bat").mkdir()
    for number in range(4):
        (own / "bat" / f"{number}.m4a").write_bytes(b"sound")
    (own / "cat" / "gone.wav").symlink_to("/nowhere/at/all.wav")
    words = r"5 files .* 4 \*\.m4a \(such as bat/0\.m4a\), 1 links that lead nowhere \(such as cat/"
    with pytest.warns(UserWarning, match=words):
        assert len(folder.list_clips(own)) == 3


def test_labels_of_pairs_that_no_folder_has_are_refused_with_the_nearest(own, tmp_path):
    known = datasets.known_labels(["folder"], folder.labels_in(own))
    assert known >= {"cat", "dog"}
    assert datasets.known_labels(["folder"]) is None
    assert folder.labels_in(own / "gone") is None
    path = tmp_path / "pairs.tsv"
    path.write_text("split\tforeground\tbackground\tprimary\ntrain\tcat\tHelikopter\t1\n")
    with pytest.raises(pairs.PairsError, match="line 2: unknown class 'Helikopter'; did you mean"):
        pairs.read_pairs(path, known={*known, "Helicopter"})
    assert len(pairs.read_pairs(path)) == 1
