"""The demo corpus: deterministic, varied, damaged where it says so, neither easy nor hopeless."""

import csv
import hashlib
from pathlib import Path

import numpy as np
import pytest
import soundfile

from earnest import audio, datasets, mixing
from earnest.datasets import demo, preparing
from earnest.datasets.demo import damaged, recordings, sounds
from earnest.embeddings import get_backend
from earnest.io import schemas
from earnest.mixing import plan
from earnest.rng import generator
from earnest.tasks import classifiers

CLIPS = 3


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo.synthesise(
        tmp_path_factory.mktemp("demo corpus"), clips_per_kind=CLIPS, root_seed=7
    )


def digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_kinds_are_distinct_and_fourteen() -> None:
    assert len(demo.FOREGROUNDS) == 8
    assert len(demo.BACKGROUNDS) == 6
    assert len(set(demo.FOREGROUNDS) | set(demo.BACKGROUNDS)) == 14


def test_corpus_holds_what_its_list_says(corpus: Path) -> None:
    with open(corpus / "clips.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 14 * CLIPS + len(damaged.DAMAGED)
    assert list(rows[0]) == ["filename", "label", "recording"]
    files = {path.relative_to(corpus / "audio").as_posix() for path in corpus.rglob("*.wav")}
    assert {row["filename"] for row in rows} == files
    assert all(row["filename"].split("/")[0] == row["label"] for row in rows)


def test_same_seed_gives_the_same_bytes_and_another_seed_other_ones(
    corpus: Path, tmp_path: Path
) -> None:
    again = demo.synthesise(tmp_path / "again", clips_per_kind=CLIPS, root_seed=7)
    assert digests(again) == digests(corpus)
    other = demo.synthesise(tmp_path / "other", clips_per_kind=1, root_seed=8, damaged=False)
    name = "audio/dog_bark/dog_bark_000a.wav"
    assert digests(other)[name] != digests(corpus)[name]


def test_more_clips_add_files_and_change_none(corpus: Path, tmp_path: Path) -> None:
    fewer = demo.synthesise(tmp_path, clips_per_kind=CLIPS - 1, root_seed=7)
    before, after = digests(fewer), digests(corpus)
    before.pop("clips.csv")
    assert len(before) < len(after)
    assert {name: after[name] for name in before} == before


def test_the_ninth_recording_is_cut_into_two_clips() -> None:
    assert [len(recordings.record(0, "hand_clap", number).clips) for number in (7, 8, 9)] == [
        1,
        2,
        1,
    ]


def test_clips_of_one_recording_share_it_in_the_listing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nine recordings give ten clips, the last two from recording 008.
    monkeypatch.setattr(demo, "FOREGROUNDS", ("bell",))
    monkeypatch.setattr(demo, "BACKGROUNDS", ())
    demo.synthesise(tmp_path, clips_per_kind=10, root_seed=1, damaged=False)
    listing = demo.list_clips(tmp_path)
    recordings_of = listing.set_index("clip_id")["recording"]
    assert len(recordings_of) == 10
    assert recordings_of["demo/bell_008a"] == recordings_of["demo/bell_008b"] == "demo/bell_008"
    assert recordings_of.nunique() == 9


def test_listing_fits_its_schema(corpus: Path) -> None:
    listing = datasets.list_clips("demo", corpus)
    assert schemas.to_arrow("listing", listing).num_rows == 14 * CLIPS + len(damaged.DAMAGED)
    assert listing["clip_id"].is_unique
    assert listing["clip_id"].is_monotonic_increasing
    assert listing["fold"].isna().all()
    assert set(listing["dataset"]) == {"demo"}


def test_listing_without_a_list_says_that_the_corpus_is_unfinished(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"clips\.csv is missing"):
        demo.list_clips(tmp_path)


def test_synthesis_takes_the_old_list_away_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo.synthesise(tmp_path, clips_per_kind=1, root_seed=0, damaged=False)

    def killed(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "record", killed)
    with pytest.raises(KeyboardInterrupt):
        demo.synthesise(tmp_path, clips_per_kind=1, root_seed=1, damaged=False)
    assert not (tmp_path / "clips.csv").exists()


def test_no_clips_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="clips_per_kind must be 1 or more, got 0"):
        demo.synthesise(tmp_path, clips_per_kind=0, root_seed=0)


@pytest.mark.parametrize("label", demo.FOREGROUNDS + demo.BACKGROUNDS)
def test_every_kind_sounds_without_clipping_and_varies(label: str) -> None:
    first, second = (recordings.record(3, label, number) for number in (0, 1))
    for recording in (first, second):
        (samples,) = recording.clips
        assert samples.dtype == np.float32
        assert np.isfinite(samples).all()
        assert 0.05 < np.abs(samples).max() <= 1
        assert 1 <= len(samples) / recording.sample_rate <= 8.01
        assert np.mean(np.abs(samples) >= 1) < 1e-4
    longest = min(len(first.clips[0]), len(second.clips[0]))
    assert not np.array_equal(first.clips[0][:longest], second.clips[0][:longest])


def test_formats_are_mixed() -> None:
    made = [recordings.record(0, "door_knock", number) for number in range(30)]
    assert {recording.sample_rate for recording in made} == {16_000, 22_050, 44_100}
    assert {recording.clips[0].ndim for recording in made} == {1, 2}


REASONS = {
    "demo/damaged_silent": "silent",
    "demo/damaged_below_gate": "below_gate",
    "demo/damaged_empty": "empty",
    "demo/damaged_truncated": "truncated",
    "demo/damaged_undeclared_length": "undeclared_length",
    "demo/damaged_non_finite": "non_finite",
    "demo/damaged_web_page": "unreadable",
}


def test_screening_finds_each_damage_and_rejects_nothing_else(corpus: Path, tmp_path: Path) -> None:
    listing = demo.list_clips(corpus)
    clips = preparing.prepare(listing, part=0, array_path=tmp_path / "part.npy", root_seed=7)
    rejected = clips[clips["status"] == "rejected"].set_index("clip_id")["reason"]
    assert rejected.to_dict() == REASONS
    used = clips[clips["status"] == "used"]
    warned = used.loc[used["warning"].notna(), "clip_id"].tolist()
    assert warned == ["demo/odd_false_sample_rate"]


def test_wav_bytes_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "made.wav"
    for samples in (np.array([0, 32767, -32768], np.int16), np.array([0.5, -0.25], np.float32)):
        path.write_bytes(damaged.wav_bytes(samples, 22_050))
        read, rate = soundfile.read(path, dtype=str(samples.dtype))
        assert rate == 22_050
        np.testing.assert_array_equal(read, samples)


def test_pulses_have_their_pitch() -> None:
    # 100 Hz for one second: the spectrum is zero between multiples of 100 Hz.
    wave = sounds.pulses(np.full(16_000, 100.0), 16_000, sharpness=60)
    spectrum = np.abs(np.fft.rfft(wave))
    assert spectrum[100] == spectrum.max()
    assert spectrum[150] < 1e-3 * spectrum[100]
    # Bessel functions: harmonic k of exp(s cos) is I_k(s); I_2(60) / I_1(60) = 0.9753.
    assert spectrum[200] / spectrum[100] == pytest.approx(0.9753, abs=1e-3)


def test_decay_falls_by_60_db() -> None:
    envelope = sounds.decay(16_001, 16_000, seconds=0.5)
    assert envelope[8_000] == pytest.approx(1e-3, rel=1e-3)


def test_band_passes_its_middle_and_halves_power_at_its_edges() -> None:
    gain = sounds.band(200, 2000)(np.array([0.0, 200.0, 632.0, 2000.0, 8000.0]))
    assert gain[[1, 3]] == pytest.approx(np.sqrt([0.5, 0.5]), abs=1e-4)
    assert gain[2] == pytest.approx(1, abs=1e-3)
    assert gain[0] < 1e-6
    assert gain[4] < 0.005


def test_rhythm_always_starts_and_stays_inside() -> None:
    rng = generator(0, "rhythm")
    for _ in range(200):
        seconds = rng.uniform(1, 8)
        starts = sounds.rhythm(rng, seconds, rng.uniform(0.1, 2), jitter=0.2, missing=0.9)
        assert len(starts) >= 1
        assert starts.min() >= 0
        assert starts.max() <= seconds
        assert (np.diff(starts) >= 0).all()


def test_demo_pairs_use_every_kind_with_one_primary_of_four(root: Path) -> None:
    pairs = plan.read_pairs(root / "config" / "demo" / "pairs.tsv")
    assert set(pairs["foreground"]) == set(demo.FOREGROUNDS)
    assert set(pairs["background"]) == set(demo.BACKGROUNDS)
    sizes = pairs.groupby("foreground")["is_primary"].agg(["size", "sum"])
    assert set(sizes["size"]) == {4}
    assert set(sizes["sum"]) == {1}


@pytest.mark.slow
def test_probe_is_right_often_but_not_always_and_leans_on_the_background(
    root: Path, tmp_path: Path
) -> None:
    demo.synthesise(tmp_path, root_seed=0)
    array = tmp_path / "part.npy"
    listing = demo.list_clips(tmp_path)
    clips = preparing.prepare(listing, part=0, array_path=array, root_seed=0)
    mixtures = plan.plan_mixtures(
        plan.read_pairs(root / "config" / "demo" / "pairs.tsv"),
        clips,
        mixtures_per_foreground=180,
        primary_share=0.75,
        train_share=0.5,
        shards=1,
        root_seed=0,
    ).mixtures
    rendered, made = mixing.render(
        mixtures, clips, {0: np.load(array, mmap_mode="r")}, margin_lu=8.0, peak=mixing.PCM16_PEAK
    )
    used = made[made["status"] == "used"].reset_index(drop=True)
    assert len(used) >= 1_400
    waveforms = rendered.reshape(-1, audio.LENGTH)[used["row"].to_numpy(dtype=int)]
    vectors = get_backend("logmel").embed(waveforms / np.float32(32768))
    train, labels = (used["split"] == "train").to_numpy(), used["foreground"].to_numpy(dtype=str)
    model = classifiers.fit("logistic", vectors[train], labels[train], rng=generator(0, "probe"))
    right = classifiers.predict(model, vectors[~train])[0] == labels[~train]
    primary = used.loc[~train, "is_primary"].to_numpy(dtype=bool)
    assert 0.65 < right.mean() < 0.88
    assert right[primary].mean() > right[~primary].mean() + 0.05
