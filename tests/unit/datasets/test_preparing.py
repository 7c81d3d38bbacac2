"""From a listing with every kind of damage to a table of clips and one array."""

import hashlib

import numpy as np
import pandas as pd
import pyloudnorm
import pytest
import soundfile

from earnest import audio, io
from earnest.audio.loudness import measure_blocks
from earnest.datasets.preparing import prepare
from earnest.io import schemas
from earnest.mixing import plan
from earnest.rng import generator

RATE = 16_000


def noise(seconds, seed=0, amplitude=0.1, rate=RATE):
    generator_ = np.random.default_rng(seed)
    return (amplitude * generator_.normal(size=round(seconds * rate))).astype(np.float32)


def listing_of(paths):
    return pd.DataFrame(
        {
            "clip_id": [f"made/{path.name}" for path in paths],
            "dataset": "made",
            "path": [str(path) for path in paths],
            "label": "noise",
            "fold": pd.array([None] * len(paths), dtype="Int64"),
            "recording": [f"made/{path.stem}" for path in paths],
            "sha256": None,
        }
    )


def run(listing, folder, **options):
    clips = prepare(listing, part=3, array_path=folder / "part.npy", root_seed=11, **options)
    return clips, np.load(folder / "part.npy")


@pytest.fixture
def corpus(tmp_path):
    """Six usable files and one of each kind of damage, in a mixed order."""
    folder = tmp_path / "audio"
    folder.mkdir()
    sounds = {
        "long.wav": (noise(8), RATE),
        "short.wav": (noise(1.5), RATE),
        "exact.flac": (noise(5), RATE),
        "stereo.wav": (np.stack([noise(5, 1, rate=44_100)] * 2, axis=1), 44_100),
        "tiny.wav": (noise(0.05), RATE),
        "one second.ogg": (noise(1), RATE),
        "silent.wav": (np.zeros(RATE, np.float32), RATE),
        "faint.wav": (noise(2, amplitude=1e-5), RATE),
        "empty.wav": (np.zeros(0, np.float32), RATE),
    }
    for name, (samples, rate) in sounds.items():
        subtype = "FLOAT" if name.endswith(".wav") else None
        soundfile.write(folder / name, samples, rate, subtype=subtype)
    broken = noise(1)
    broken[100] = np.inf
    soundfile.write(folder / "infinite.wav", broken, RATE, subtype="FLOAT")
    whole = (folder / "exact.flac").read_bytes()
    (folder / "cut.flac").write_bytes(whole[: len(whole) // 2])
    (folder / "page.wav").write_text("<html>404</html>")
    stream = bytearray((folder / "silent.wav").read_bytes())
    at = stream.index(b"data") + 4
    stream[at : at + 4] = b"\xff\xff\xff\xff"
    (folder / "stream.wav").write_bytes(stream)
    return [*sorted(folder.iterdir()), folder / "gone.wav"]


def test_every_damage_has_its_own_row_and_reason_and_the_rest_runs(corpus, tmp_path):
    clips, array = run(listing_of(corpus), tmp_path)
    assert clips["path"].tolist() == [str(path) for path in corpus]
    found = {path.name: row for path, row in zip(corpus, clips.to_dict("records"), strict=True)}
    reasons = {name: row["reason"] for name, row in found.items() if row["status"] == "rejected"}
    assert reasons == {
        "silent.wav": "silent",
        "faint.wav": "below_gate",
        "empty.wav": "empty",
        "infinite.wav": "non_finite",
        "cut.flac": "truncated",
        "page.wav": "unreadable",
        "stream.wav": "undeclared_length",
        "gone.wav": "unreadable",
    }
    used = clips[clips["status"] == "used"]
    assert used["row"].tolist() == list(range(6))
    assert array.shape == (6, 80_000)
    assert array.dtype == np.float32
    assert np.isfinite(array).all()
    rejected = clips[clips["status"] == "rejected"]
    assert rejected["row"].isna().all()
    assert rejected["warning"].str.len().min() > 5
    assert "No such file" in found["gone.wav"]["warning"]
    assert (clips["part"] == 3).all()


def test_the_table_fits_its_schema_and_survives_a_file(corpus, tmp_path):
    clips, _ = run(listing_of(corpus), tmp_path)
    io.write_frame("clips", clips, tmp_path / "clips.parquet")
    back = io.read_frame("clips", tmp_path / "clips.parquet")
    assert back["row"].dtype == clips["row"].dtype == "Int64"
    assert back["reason"].isna().tolist() == clips["reason"].isna().tolist()
    for column in ("foreground_lufs", "background_lufs", "duration_s"):
        np.testing.assert_array_equal(back[column], clips[column])


def test_facts_of_the_file_are_kept(corpus, tmp_path):
    clips, _ = run(listing_of(corpus), tmp_path)
    found = clips.set_index("clip_id")
    stereo = found.loc["made/stereo.wav"]
    assert (stereo["sample_rate"], stereo["channels"], stereo["frames"]) == (44_100, 2, 220_500)
    assert stereo["duration_s"] == 5.0
    for path in corpus[:-1]:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert found.loc[f"made/{path.name}", "sha256"] == digest
    assert pd.isna(found.loc["made/gone.wav", "sha256"])
    assert found.loc["made/silent.wav", "frames"] == RATE


def test_clips_of_labels_that_are_not_needed_are_counted_and_not_opened(corpus, tmp_path):
    listing = listing_of(corpus)
    listing.loc[listing["clip_id"].isin(["made/exact.flac", "made/gone.wav"]), "label"] = "hum"
    clips, array = run(listing, tmp_path, labels={"noise", "unheard of"})
    skipped = clips[clips["status"] == "skipped"]
    assert skipped["clip_id"].tolist() == ["made/exact.flac", "made/gone.wav"]
    assert skipped["reason"].str.contains("no pair").all()
    assert skipped[["sha256", "row", "frames", "foreground_lufs"]].isna().all(axis=None)
    assert len(clips) == len(listing)
    schemas.to_arrow("clips", clips)
    others, whole = run(listing_of(corpus), tmp_path)
    kept = others[others["clip_id"] != "made/exact.flac"]
    assert array.tobytes() == whole[kept["row"].dropna().astype(int)].tobytes()
    assert len(array) == len(whole) - 1


def test_the_same_sound_has_one_hash_in_any_lossless_file(tmp_path):
    folder = tmp_path / "audio"
    folder.mkdir()
    whole = np.random.default_rng(0).integers(-(2**15), 2**15, 12_345).astype(np.int16)
    files = {
        "a.wav": (whole, RATE, "PCM_16"),
        "b.wav": (whole.astype(np.int32) << 16, RATE, "PCM_24"),
        "c.flac": (whole, RATE, "PCM_16"),
        "d.flac": (whole.astype(np.int32) << 16, RATE, "PCM_24"),
        "e.wav": (np.stack([whole, whole], axis=1), RATE, "PCM_16"),
        "f.wav": (whole / np.float32(32_768), RATE, "FLOAT"),
        "other rate.wav": (whole, 22_050, "PCM_16"),
        "one step off.wav": (whole + (np.arange(len(whole)) == 77), RATE, "PCM_16"),
    }
    for name, (samples, rate, subtype) in files.items():
        if samples.dtype == np.int64:
            samples = np.clip(samples, -(2**15), 2**15 - 1).astype(np.int16)
        soundfile.write(folder / name, samples, rate, subtype=subtype)
    clips, _ = run(listing_of(sorted(folder.iterdir())), tmp_path)
    assert (clips["status"] == "used").all()
    assert clips["sha256"].nunique() == len(files)
    found = dict(zip(sorted(files), clips["audio_sha256"], strict=True))
    same = {found[name] for name in files if len(name.split(".")[0]) == 1}
    assert len(same) == 1
    assert len({*same, found["other rate.wav"], found["one step off.wav"]}) == 3
    # By hand: the rate as a 64-bit integer, then the samples as 32-bit floats.
    by_hand = RATE.to_bytes(8, "little") + (whole / 32_768).astype("<f4").tobytes()
    assert same == {hashlib.sha256(by_hand).hexdigest()}


def test_a_duplicate_in_another_data_set_and_format_stays_on_one_side(tmp_path):
    """The same sounds as 16-bit WAV in one data set and as 24-bit FLAC in another."""
    frames = []
    for dataset, suffix, subtype in (("first", "wav", "PCM_16"), ("second", "flac", "PCM_24")):
        folder = tmp_path / dataset
        folder.mkdir()
        for number in range(12):
            sound = np.round(noise(0.5, seed=number) * 2**15).astype(np.int32) << 16
            soundfile.write(folder / f"{number:02}.{suffix}", sound, RATE, subtype=subtype)
        listing = listing_of(sorted(folder.iterdir()))
        for column in ("clip_id", "recording"):
            listing[column] = listing[column].str.replace("made", dataset)
        frames.append(run(listing.assign(dataset=dataset), tmp_path / dataset)[0])
    clips = pd.concat(frames, ignore_index=True)
    assert not clips["sha256"].duplicated().any()
    no_pairs = pd.DataFrame({"foreground": [], "background": []}, dtype="str")
    for seed in range(5):
        sides = plan.split_recordings(clips, no_pairs, train_share=0.5, root_seed=seed)
        assert set(sides.values()) == {"train", "pool"}
        for number in range(12):
            assert sides[f"first/{number:02}"] == sides[f"second/{number:02}"]


@pytest.mark.parametrize(("rate", "length"), [(8_000, 16_000), (22_050, 66_150), (44_100, 88_200)])
def test_rate_and_length_are_those_of_the_study(corpus, tmp_path, rate, length):
    clips, array = run(listing_of(corpus), tmp_path, sample_rate=rate, length=length)
    assert array.shape == (6, length)
    found = clips[clips["status"] == "used"].set_index("clip_id")
    # 1.5 s of 2, 3 and 2 s; the crop of 8 s lies inside.
    assert found.loc["made/short.wav", "length"] == min(length, round(1.5 * rate))
    assert 0 <= found.loc["made/long.wav", "crop_start"] <= 8 * rate - length
    assert found.loc["made/stereo.wav", "sample_rate"] == 44_100
    meter = pyloudnorm.Meter(rate)
    for clip in found.to_dict("records"):
        padded = array[clip["row"]]
        looped = audio.fit(padded[: clip["length"]], length, mode="loop")
        for column, signal in (("foreground", padded), ("background", looped)):
            expected = meter.integrated_loudness(signal.astype(float))
            assert clip[f"{column}_lufs"] == pytest.approx(expected, abs=1e-9)


def test_rates_and_lengths_without_a_loudness_are_refused_before_any_decoding(corpus, tmp_path):
    with pytest.raises(ValueError, match="under 8000 Hz"):
        run(listing_of(corpus), tmp_path, sample_rate=7_000)
    with pytest.raises(ValueError, match=r"at least 0\.4 s"):
        run(listing_of(corpus), tmp_path, length=6_399)
    assert not (tmp_path / "part.npy").exists()


def test_stored_loudness_is_that_of_the_signals_that_are_mixed(corpus, tmp_path):
    clips, array = run(listing_of(corpus), tmp_path)
    lengths = {}
    for clip in clips[clips["status"] == "used"].to_dict("records"):
        samples, length = array[clip["row"]], clip["length"]
        looped = audio.fit(samples[:length], mode="loop")
        assert clip["foreground_lufs"] == audio.integrated_loudness(samples)
        assert clip["background_lufs"] == audio.integrated_loudness(looped)
        powers = measure_blocks(samples).powers
        np.testing.assert_allclose(clip["foreground_blocks"], powers, rtol=1e-12, atol=1e-60)
        assert tuple(clip["background_blocks"]) == measure_blocks(looped).powers
        assert not samples[length:].any()
        lengths[clip["clip_id"]] = length
    assert lengths["made/long.wav"] == lengths["made/exact.flac"] == 80_000
    assert lengths["made/short.wav"] == 24_000
    assert lengths["made/tiny.wav"] == 800  # shorter than one gating block (B01)


def test_a_long_clip_keeps_the_window_that_its_own_generator_chooses(corpus, tmp_path):
    clips, array = run(listing_of(corpus), tmp_path)
    clip = clips.set_index("clip_id").loc["made/long.wav"]
    whole = audio.load(clip["path"]).samples
    start = audio.crop_start(whole, 80_000, generator(11, "crop", "made/long.wav"))
    assert clip["crop_start"] == start
    np.testing.assert_array_equal(array[clip["row"]], whole[start : start + 80_000])


def test_order_and_parts_change_no_clip(corpus, tmp_path):
    listing = listing_of(corpus)
    clips, array = run(listing, tmp_path)
    back, other = run(listing[::-1].reset_index(drop=True), tmp_path / "again")
    left, right = clips.set_index("clip_id"), back.set_index("clip_id")
    for name in left.index[left["status"] == "used"]:
        first, second = array[left.loc[name, "row"]], other[right.loc[name, "row"]]
        assert first.tobytes() == second.tobytes()
    same = ["crop_start", "foreground_lufs", "background_lufs", "status", "reason", "sha256"]
    same += ["audio_sha256", "background_blocks"]
    pd.testing.assert_frame_equal(left[same].sort_index(), right[same].sort_index())


def test_a_second_run_writes_the_same_bytes(corpus, tmp_path):
    run(listing_of(corpus), tmp_path)
    first = (tmp_path / "part.npy").read_bytes()
    run(listing_of(corpus), tmp_path)
    assert (tmp_path / "part.npy").read_bytes() == first


def test_no_clips_and_no_usable_clips_give_an_empty_array(corpus, tmp_path):
    for paths in ([], [path for path in corpus if path.name in ("page.wav", "gone.wav")]):
        clips, array = run(listing_of(paths), tmp_path)
        assert array.shape == (0, 80_000)
        assert len(clips) == len(paths)
        schemas.to_arrow("clips", clips)


def test_a_bad_listing_is_refused_before_any_decoding(corpus, tmp_path):
    listing = listing_of(corpus)
    with pytest.raises(schemas.SchemaError, match="recording"):
        run(listing.drop(columns="recording"), tmp_path)
    twice = pd.concat([listing, listing[2:3]], ignore_index=True)
    with pytest.raises(ValueError, match="listed twice"):
        run(twice, tmp_path)
    assert not (tmp_path / "part.npy").exists()


def test_a_failed_run_leaves_no_file(corpus, tmp_path, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("power cut")

    monkeypatch.setattr(audio, "fit", fail)
    with pytest.raises(RuntimeError, match="power cut"):
        run(listing_of(corpus), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["audio"]


def test_quality_reaches_the_resampler(corpus, tmp_path):
    path = [path for path in corpus if path.name == "stereo.wav"]
    _, high = run(listing_of(path), tmp_path)
    _, quick = run(listing_of(path), tmp_path, quality="QQ")
    assert high.tobytes() != quick.tobytes()
    with pytest.raises(ValueError, match="quality"):
        run(listing_of(path), tmp_path, quality="best")


def test_released_clips_of_urbansound8k(mirror, tmp_path):
    paths = sorted((mirror / "urbansound8k_native").glob("*.wav"))
    clips, array = run(listing_of(paths), tmp_path)
    assert (clips["status"] == "used").all()
    assert array.shape == (6, 80_000)
    assert np.isfinite(clips[["foreground_lufs", "background_lufs"]]).all(axis=None)
    assert (clips["length"] < 80_000).any()


def test_a_file_that_changed_after_it_was_listed_stops_with_its_name(tmp_path):
    path = tmp_path / "a.wav"
    soundfile.write(path, noise(0), 16_000)
    listing = listing_of([path]).assign(sha256="0" * 64)
    with pytest.raises(ValueError, match=r"a\.wav changed after it was listed; run again"):
        run(listing, tmp_path)


def test_a_clip_whose_channels_cancel_says_so(tmp_path):
    sound = noise(1.5)
    paths = [tmp_path / "against.wav", tmp_path / "nearly.wav"]
    for path, gain in zip(paths, (-1, -0.98), strict=True):
        soundfile.write(path, np.c_[sound, gain * sound], RATE, subtype="PCM_16")
    clips, _ = run(listing_of(paths), tmp_path)
    clips = clips.set_index("path").loc[[str(path) for path in paths]]
    assert clips["status"].tolist() == ["rejected", "used"]
    assert "channels cancel: -20 dB alone" in clips["warning"].iloc[0]
    assert clips["warning"].iloc[1] == "channels cancel: -20 dB alone, -60 dB averaged"
