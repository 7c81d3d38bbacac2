"""Mixtures as single files: names, samples, the list of them, and nothing half-made."""

import re

import numpy as np
import pandas as pd
import pytest
import soundfile

from earnest import io
from earnest.io import schemas
from earnest.mixing import exporting

LENGTH = 800


def row(number, variant, **changes):
    gain, loop = (None, None) if variant == "clean" else (-6.0 - number, LENGTH - 10 * number)
    return {
        "mixture_id": f"m{number}",
        "foreground_clip": "a/1",
        "background_clip": "b/2",
        "foreground": "dog+dog_bark",
        "background": "Alarm_Bell_Ringing",
        "is_primary": True,
        "split": "train",
        "class_split": "test",
        "recording": "a/1",
        "background_recording": "b/2",
        "shard": number % 2,
        "variant": variant,
        "row": number // 2,
        "background_gain_db": gain,
        "background_length": loop,
        "status": "used",
    } | changes


@pytest.fixture
def made(tmp_path):
    """Two variants of four mixtures in two shards; the second one is rejected in one variant."""
    rows = [row(n, "8-lu") for n in range(4)] + [row(n, "clean") for n in range(4)]
    rows[1] |= {"status": "rejected", "row": None, "reason": "the gap depends on the level"}
    rows[3]["row"] = 0
    frame = pd.DataFrame(rows, columns=list(schemas.TABLES["mixtures"]))
    samples = np.random.default_rng(0).integers(-(2**15), 2**15, (2, 2, 2, LENGTH))
    samples = samples.astype(np.int16)
    shards = {}
    for place, variant in enumerate(("8-lu", "clean")):
        for shard in (0, 1):
            path = tmp_path / variant / f"shard-{shard}.wav"
            io.write_audio(samples[place, shard].reshape(-1), path, sample_rate=8_000)
            shards[variant, shard] = path
    return frame, shards, samples


def run(made, folder):
    frame, shards, _ = made
    exporting.export(frame, shards, folder, length=LENGTH, sample_rate=8_000)
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.wav"))


def test_files_are_named_as_published(made, tmp_path):
    files = run(made, tmp_path / "export")
    # 10^(-6 / 20) = 0.501187, 10^(-8 / 20) = 0.398107, 10^(-9 / 20) = 0.354813
    assert files[:3] == [
        "8-lu/dog_dog_bark/dog_dog_bark-alarm_bell_ringing_alpha=0.354813_loop=1_id=3.wav",
        "8-lu/dog_dog_bark/dog_dog_bark-alarm_bell_ringing_alpha=0.398107_loop=1_id=2.wav",
        "8-lu/dog_dog_bark/dog_dog_bark-alarm_bell_ringing_alpha=0.501187_loop=0_id=0.wav",
    ]
    assert files[3:] == [
        f"clean/dog_dog_bark/dog_dog_bark-alarm_bell_ringing_alpha=0_loop=0_id={n}.wav"
        for n in range(4)
    ]


def test_the_samples_are_those_of_the_shards(made, tmp_path):
    _, _, samples = made
    run(made, tmp_path / "export")
    for path in (tmp_path / "export").rglob("*.wav"):
        number = int(re.search(r"id=(\d+)", path.name)[1])
        variant = path.parts[-3]
        place = 0 if (variant, number) == ("8-lu", 3) else number // 2
        expected = samples[int(variant == "clean"), number % 2, place]
        found, rate = soundfile.read(path, dtype="int16")
        assert rate == 8_000
        assert found.tobytes() == expected.tobytes()


def test_the_list_names_every_file_with_what_it_is(made, tmp_path):
    files = run(made, tmp_path / "export")
    listed = pd.read_csv(tmp_path / "export" / "mixtures.csv")
    assert sorted(listed["file"]) == files
    assert list(listed.columns) == list(schemas.TABLES["exported"])
    assert listed["mixture_id"].tolist() == ["m0", "m2", "m3", "m0", "m1", "m2", "m3"]


def test_a_second_export_replaces_the_first_and_gives_the_same_bytes(made, tmp_path):
    folder = tmp_path / "export"
    files = run(made, folder)
    first = [(folder / name).read_bytes() for name in files]
    (folder / "old.wav").write_bytes(b"old")
    assert run(made, folder) == files
    assert [(folder / name).read_bytes() for name in files] == first


def test_a_failed_export_leaves_what_was_there(made, tmp_path):
    frame, shards, _ = made
    folder = tmp_path / "export"
    files = run(made, folder)
    frame.loc[7, "row"] = 99
    with pytest.raises(ValueError, match="does not hold item 99"):
        exporting.export(frame, shards, folder, length=LENGTH, sample_rate=8_000)
    assert sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.wav")) == files
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    ("labels", "words"),
    [(("dog bark", "dog_bark"), "'dog bark' has too"), (("+", "rain"), "which is empty")],
)
def test_labels_that_cannot_be_told_apart_in_names_are_refused(labels, words):
    frame = pd.DataFrame([row(0, "8-lu", foreground=labels[0], background=labels[1])])
    with pytest.raises(ValueError, match=re.escape(words)):
        exporting.add_files(frame, "wav", LENGTH)


@pytest.mark.parametrize(
    ("label", "name"),
    [("../etc/passwd", "etc_passwd"), ("Ä b", "b"), ("a-b", "a_b"), ("crow", "crow")],
)
def test_no_label_leads_out_of_the_folder(label, name):
    assert exporting.slug(label) == name
