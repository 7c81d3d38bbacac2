"""TUT Acoustic Scenes 2017: both sets in their official layout, folds, recordings, damage."""

import zipfile

import numpy as np
import pytest

from earnest import datasets
from earnest.datasets import fetching, preparing, registry, tut2017
from tests import made_releases

SMALL = {"scenes": ("beach", "cafe/restaurant"), "recordings": 4, "segments": 2, "evaluation": 3}
SHORT = {"seconds": 1.0, "sample_rate": 8_000}


@pytest.fixture
def release(tmp_path):
    return made_releases.write_tut2017(tmp_path / "tut2017", **SMALL, **SHORT)


def test_development_trains_and_evaluation_is_fold_0(release):
    listing = datasets.list_clips("tut2017", release)
    assert listing["fold"].value_counts().to_dict() == {0: 6, 1: 4, 2: 4, 3: 4, 4: 4}
    rows = listing.set_index("clip_id")
    assert rows.loc["tut2017/development/b001_0_1"].drop(
        ["path", "dataset", "sha256"]
    ).to_dict() == {
        "label": "beach",
        "fold": 1,
        "recording": "tut2017/b001",
    }
    assert rows.loc["tut2017/development/b008_1_2", "label"] == "cafe/restaurant"
    assert rows.loc["tut2017/development/b008_1_2", "fold"] == 4
    assert rows.loc["tut2017/evaluation/0", "recording"] == "tut2017/evaluation-0"
    assert listing["recording"].nunique() == 8 + 6
    assert listing["clip_id"].is_monotonic_increasing
    assert tut2017.check(release, complete=False) == []


def test_folds_are_those_of_the_evaluate_lists(release):
    lists = release / tut2017.DEVELOPMENT / "evaluation_setup"
    for fold in tut2017.FOLDS:
        evaluated = (lists / f"fold{fold}_evaluate.txt").read_text().splitlines()
        listing = datasets.list_clips("tut2017", release)
        of_fold = listing[listing["fold"] == fold]["path"]
        assert sorted(path.split("/audio/")[1] for path in of_fold) == sorted(
            line.split("\t")[0].removeprefix("audio/") for line in evaluated
        )


def test_map_file_gives_the_recordings_of_evaluation_segments(tmp_path):
    root = made_releases.write_tut2017(tmp_path, names_known=True, **SMALL, **SHORT)
    listing = datasets.list_clips("tut2017", root)
    evaluation = listing[listing["fold"] == 0]
    assert evaluation["recording"].value_counts().to_dict() == {
        "tut2017/a000": 3,
        "tut2017/a001": 3,
    }
    by_recording = evaluation.groupby("recording")["label"].nunique()
    assert by_recording.tolist() == [1, 1]


def test_segments_with_damaged_spans_are_left_out_and_counted(tmp_path):
    root = made_releases.write_tut2017(tmp_path, damaged=3, **SMALL, **SHORT)
    with pytest.warns(UserWarning, match=r"3 segments of .* have damaged spans.*b001_0"):
        listing = datasets.list_clips("tut2017", root)
    assert len(listing) == 16 + 6 - 3
    assert "tut2017/development/b001_0_1" not in set(listing["clip_id"])
    assert "tut2017/development/b002_1_2" in set(listing["clip_id"])


def test_a_span_that_is_none_and_an_unlisted_file_are_named(release):
    error = release / tut2017.DEVELOPMENT / "error.txt"
    error.write_text("audio/b001_0_1.wav\t2.5\t1.0\tnoise\n")
    with pytest.raises(ValueError, match=r"error\.txt: audio/b001_0_1\.wav: no span from 2\.5"):
        datasets.list_clips("tut2017", release)
    error.write_text("audio/b999_0_1.wav\t1.0\t2.5\tnoise\n")
    with pytest.raises(ValueError, match=r"error\.txt names unlisted files: audio/b999_0_1\.wav"):
        datasets.list_clips("tut2017", release)


def test_contradicting_lists_are_named(release):
    path = release / tut2017.DEVELOPMENT / "evaluation_setup" / "fold2_evaluate.txt"
    path.write_text(
        path.read_text().replace("audio/b002_0_1.wav\tbeach", "audio/b002_0_1.wav\tbus")
    )
    with pytest.raises(ValueError, match=r"meta\.txt and the lists .* differ in audio/b002_0_1"):
        datasets.list_clips("tut2017", release)
    path.write_text("audio/b001_0_1.wav\tbeach\n")
    with pytest.raises(ValueError, match=r"several folds evaluate on audio/b001_0_1\.wav"):
        datasets.list_clips("tut2017", release)


def test_unknown_scene_and_missing_lists_are_named(release, tmp_path):
    lists = release / tut2017.EVALUATION / "evaluation_setup"
    (lists / "evaluate.txt").write_text("audio/0.wav\tbeech\n")
    with pytest.raises(ValueError, match=r"unknown labels beech; the release has beach, bus"):
        datasets.list_clips("tut2017", release)
    (lists / "evaluate.txt").unlink()
    with pytest.raises(FileNotFoundError, match=r"evaluate\.txt is missing.*meta package"):
        datasets.list_clips("tut2017", release)
    with pytest.raises(FileNotFoundError, match="holds neither TUT-acoustic"):
        datasets.list_clips("tut2017", tmp_path / "nothing")


def test_a_missing_part_is_told(release):
    """As when one of the audio archives was not downloaded: names on the list, no files."""
    for name in ("b001_0_1", "b001_1_2"):
        (release / tut2017.DEVELOPMENT / "audio" / f"{name}.wav").unlink()
    (problem,) = tut2017.check(release, complete=False)
    assert problem.startswith("2 listed files are not there: ")
    assert "b001_1_2.wav" in problem
    assert datasets.count("tut2017", release) == {"released": 6_300, "listed": 22, "found": 20}


def test_a_subset_is_not_the_whole_release(release):
    problems = tut2017.check(release, complete=True)
    assert any("evaluation: 6 clips are listed, the release has 1620" in text for text in problems)
    assert any("labels without 312 clips: beach (8)" in text for text in problems)
    assert any("lasts 1.000 s, not 10 s" in text for text in problems)


def test_both_sets_are_read_from_their_archives(release, tmp_path):
    """The archives of the release: lists and parts of the sound, each with the set's folder."""
    downloads = tmp_path / "raw" / "downloads"
    downloads.mkdir(parents=True)
    lines = ["\t".join(registry.COLUMNS)]
    for folder in (tut2017.DEVELOPMENT, tut2017.EVALUATION):
        files = sorted(path for path in (release / folder).rglob("*") if path.is_file())
        sound = [path for path in files if path.suffix == ".wav"]
        parts = {
            "meta": sorted(set(files) - set(sound)),
            "audio.1": sound[::2],
            "audio.2": sound[1::2],
        }
        for part, members in parts.items():
            name = f"{folder}.{part}.zip"
            with zipfile.ZipFile(downloads / name, "w") as archive:
                for path in members:
                    archive.write(path, path.relative_to(release))
            lines.append("\t".join(["tut2017", name, "", "https://example.org/", *[""] * 5]))
    (tmp_path / "registry.tsv").write_text("\n".join(lines) + "\n")
    root = fetching.locate(
        "tut2017",
        mirror=None,
        destination=tmp_path / "raw",
        registry=tmp_path / "registry.tsv",
    )
    found = datasets.list_clips("tut2017", root)
    expected = datasets.list_clips("tut2017", release)
    assert found.drop(columns="path").equals(expected.drop(columns="path"))
    assert tut2017.check(root, complete=False) == []


def test_made_scenes_decode_and_can_be_told_apart_but_not_always(tmp_path):
    """The helper serves whole studies: its sounds must be neither noise nor a give-away."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    from earnest.embeddings import get_backend

    root = made_releases.write_tut2017(
        tmp_path, recordings=8, segments=2, evaluation=10, seconds=3.0, sample_rate=8_000
    )
    listing = datasets.list_clips("tut2017", root)
    clips = preparing.prepare(listing, part=0, array_path=tmp_path / "a.npy", root_seed=0)
    assert set(clips["status"]) == {"used"}
    assert set(clips["channels"]) == {2}
    vectors = get_backend("logmel").embed(np.load(tmp_path / "a.npy"))
    train = (clips["fold"] > 0).to_numpy()
    scaler = StandardScaler().fit(vectors[train])
    model = LogisticRegression(C=0.01, max_iter=500)
    model.fit(scaler.transform(vectors[train]), clips["label"][train])
    accuracy = model.score(scaler.transform(vectors[~train]), clips["label"][~train])
    assert 0.5 < accuracy < 0.98
