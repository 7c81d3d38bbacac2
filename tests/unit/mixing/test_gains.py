"""Gains, peak, regeneration and refusals of mixtures, on made and on real sound."""

import math

import numpy as np
import pandas as pd
import pyloudnorm
import pytest

from earnest import audio, mixing
from earnest.audio import UnusableClip
from earnest.audio.loudness import measure_padded_and_looped
from earnest.io import checksums, schemas
from earnest.io.checksums import DamagedFile
from earnest.mixing import sums


def noise(seed=0, amplitude=0.1, samples=80_000):
    return (amplitude * np.random.default_rng(seed).normal(size=samples)).astype(np.float32)


def gap(foreground, background, mixture):
    """Measure the gap of the two parts as they sound in the mixture."""
    over = audio.integrated_loudness(foreground * mixture.peak_gain)
    under = audio.integrated_loudness(background * (mixture.background_gain * mixture.peak_gain))
    return over - under


@pytest.mark.parametrize("margin", [8.0, 0.0, -3.0, 20.0])
def test_the_gap_is_the_one_asked_for(margin):
    foreground, background = noise(0, 0.01), noise(1, 0.3)
    mixture = mixing.mix(foreground, background, margin_lu=margin)
    assert gap(foreground, background, mixture) == pytest.approx(margin, abs=0.001)


def test_gain_follows_the_formula():
    foreground, background = noise(0, 0.02), noise(1, 0.2)
    mixture = mixing.mix(foreground, background)
    assert mixture.foreground_lufs == audio.integrated_loudness(foreground)
    assert mixture.background_lufs == audio.integrated_loudness(background)
    expected = 10 ** ((mixture.foreground_lufs - 8 - mixture.background_lufs) / 20)
    assert mixture.background_gain == pytest.approx(expected, rel=1e-12)
    # Ten times the amplitude is 20 dB: the gain is about 10^(-28/20) = 0.0398.
    assert mixture.background_gain == pytest.approx(0.0398, rel=0.02)


def test_the_gap_does_not_depend_on_how_loud_the_background_was():
    foreground, background = noise(0), noise(1)
    plain = mixing.mix(foreground, background)
    louder = mixing.mix(foreground, background * np.float32(4))
    np.testing.assert_allclose(plain.samples, louder.samples, atol=1e-6)


@pytest.mark.parametrize("peak", [1.0, mixing.PCM16_PEAK, 0.5])
def test_the_peak_is_exact_and_the_length_kept(peak):
    mixture = mixing.mix(noise(0), noise(1), peak=peak)
    assert np.max(np.abs(mixture.samples)) == np.float32(peak)
    assert mixture.samples.dtype == np.float32
    assert mixture.samples.shape == (80_000,)


def test_a_quiet_background_under_a_loud_click_does_not_clip():
    click = np.zeros(80_000, np.float32)
    click[1_000:9_000] = noise(0, 0.3, 8_000)
    mixture = mixing.mix(click, noise(1, 0.001))
    assert np.max(np.abs(mixture.samples)) == 1.0
    assert gap(click, noise(1, 0.001), mixture) == pytest.approx(8.0, abs=0.05)


def test_one_gain_is_common_to_both_parts():
    foreground, background = noise(0), noise(1)
    mixture = mixing.mix(foreground, background)
    by_hand = mixture.peak_gain * (
        foreground.astype(float) + mixture.background_gain * background.astype(float)
    )
    np.testing.assert_allclose(mixture.samples, by_hand, atol=1e-7)


def test_stored_gains_make_the_same_bytes():
    foreground, background = noise(0), noise(1)
    mixture = mixing.mix(foreground, background)
    again = mixing.combine(foreground, background, mixture.background_gain, mixture.peak_gain)
    assert again.tobytes() == mixture.samples.tobytes()


@pytest.mark.parametrize(
    ("foreground", "background", "reason", "who"),
    [
        (np.zeros(80_000, np.float32), noise(), "silent", "foreground"),
        (noise(), np.zeros(80_000, np.float32), "silent", "background"),
        (noise(0, 1e-6), noise(), "below_gate", "foreground"),
        (noise(), noise(0, 1e-6), "below_gate", "background"),
    ],
)
def test_what_cannot_be_heard_is_refused_by_name(foreground, background, reason, who):
    with pytest.raises(UnusableClip, match=who) as caught:
        mixing.mix(foreground, background)
    assert caught.value.reason == reason


def test_parts_that_cancel_out_are_an_error_not_a_division():
    with pytest.raises(ValueError, match="cancel out"):
        mixing.mix(noise(), -noise(), margin_lu=0.0)


def test_options_and_shapes_are_checked():
    with pytest.raises(ValueError, match="differ in shape"):
        mixing.mix(noise(), noise(samples=40_000))
    for peak in (0.0, -1.0, 1.5, math.nan):
        with pytest.raises(ValueError, match="peak must lie"):
            mixing.mix(noise(), noise(1), peak=peak)
    with pytest.raises(ValueError, match="no finite gain"):
        mixing.mix(noise(), noise(1), margin_lu=math.nan)
    broken = noise()
    broken[7] = np.nan
    with pytest.raises(ValueError, match="sample 7 is not finite"):
        mixing.mix(broken, noise(1))
    with pytest.raises(TypeError, match="int16"):
        mixing.mix(noise().astype(np.int16), noise(1))


def test_pcm_values_by_hand():
    # 0.5 * 32768 = 16384; 1.5 / 32768 and 2.5 / 32768 are ties and go to the even neighbour.
    samples = np.array([1, -1, 0.5, 32_767 / 32_768, 1.5 / 32_768, 2.5 / 32_768, 0], np.float32)
    expected = [32_767, -32_768, 16_384, 32_767, 2, 2, 0]
    assert mixing.to_pcm16(samples).tolist() == expected
    assert mixing.to_pcm16(samples).dtype == np.int16


@pytest.mark.parametrize("bad", [1.0001, -1.0001, np.nan, np.inf])
def test_pcm_refuses_what_it_would_clip_or_garble(bad):
    with pytest.raises(ValueError, match="within"):
        mixing.to_pcm16(np.array([0.0, bad]))


def test_pcm_survives_a_file(tmp_path):
    import soundfile

    samples = mixing.mix(noise(0), noise(1), peak=mixing.PCM16_PEAK).samples
    soundfile.write(tmp_path / "a.wav", mixing.to_pcm16(samples), 16_000, subtype="PCM_16")
    back, _ = soundfile.read(tmp_path / "a.wav", dtype="float32")
    assert np.max(np.abs(back)) == np.float32(32_767 / 32_768)
    assert np.max(np.abs(back - samples)) <= 0.5 / 32_768


# --- rendering -----------------------------------------------------------------------------------


def clip_row(clip_id, row, samples, length=80_000, **changes):
    padded, looped = measure_padded_and_looped(samples[:length], len(samples))
    return {
        "clip_id": clip_id,
        "part": 0,
        "row": row,
        "checksum": checksums.of_bytes(samples.astype("<f4")),
        "length": length,
        "crop_start": 5,
        "foreground_lufs": padded.loudness(),
        "background_lufs": looped.loudness(),
        "foreground_blocks": padded.powers,
        "background_blocks": looped.powers,
        "status": "used",
        "reason": None,
    } | changes


def plan_row(name, foreground, background):
    return {
        "mixture_id": name,
        "foreground_clip": foreground,
        "background_clip": background,
        "foreground": "f",
        "background": "b",
        "is_primary": True,
        "split": "train",
        "class_split": "test",
        "recording": "d/1",
        "background_recording": "d/2",
        "shard": 0,
    }


@pytest.fixture(scope="module")
def prepared():
    short = audio.fit(noise(2, samples=30_000), mode="pad")
    near_gate = noise(3, 1.0) * np.repeat(np.geomspace(1e-5, 0.01, 50), 1_600).astype(np.float32)
    return {0: np.stack([noise(0, 0.02), noise(1, 0.2), short, near_gate, -noise(0, 0.02)])}


@pytest.fixture(scope="module")
def clips(prepared):
    array = prepared[0]
    lengths = [80_000, 80_000, 30_000, 80_000, 80_000]
    names = ["over", "under", "short", "near_gate", "minus_over"]
    rows = [clip_row(n, i, array[i], lengths[i]) for i, n in enumerate(names)]
    rows.append(clip_row("bad", None, array[0], status="rejected", reason="silent"))
    return pd.DataFrame(rows)


def test_a_shard_holds_its_mixtures_in_order(prepared, clips):
    plan = pd.DataFrame([plan_row("a", "over", "under"), plan_row("b", "short", "over")])
    samples, mixtures = mixing.render(plan, clips, prepared)
    assert samples.dtype == np.int16
    assert samples.shape == (160_000,)
    assert mixtures["row"].tolist() == [0, 1]
    expected = mixing.mix(prepared[0][0], prepared[0][1], peak=mixing.PCM16_PEAK)
    np.testing.assert_array_equal(samples[:80_000], mixing.to_pcm16(expected.samples))
    assert mixtures["peak_gain"][0] == expected.peak_gain
    assert mixing.linear_gain(mixtures["background_gain_db"][0]) == expected.background_gain
    assert mixtures["foreground_length"].tolist() == [80_000, 30_000]
    assert mixtures["background_crop_start"].tolist() == [5, 5]
    schemas.to_arrow("mixtures", mixtures)


def test_a_short_background_is_looped_a_short_foreground_is_not(prepared, clips):
    plan = pd.DataFrame([plan_row("a", "short", "over"), plan_row("b", "over", "short")])
    samples, mixtures = mixing.render(plan, clips, prepared)
    by_id = clips.set_index("clip_id").to_dict("index")
    over, under = mixing.prepared_signals(by_id["short"], by_id["over"], prepared)
    assert not np.any(over[30_000:])
    _, looped = mixing.prepared_signals(by_id["over"], by_id["short"], prepared)
    np.testing.assert_array_equal(looped[30_000:60_000], looped[:30_000])
    np.testing.assert_array_equal(looped[60_000:], looped[:20_000])
    for row, mixture in mixtures.iterrows():
        first = by_id[mixture["foreground_clip"]], by_id[mixture["background_clip"]]
        again = mixing.combine(
            *mixing.prepared_signals(*first, prepared),
            mixing.linear_gain(mixture["background_gain_db"]),
            mixture["peak_gain"],
        )
        stored = samples[row * 80_000 : (row + 1) * 80_000]
        assert mixing.to_pcm16(again).tobytes() == stored.tobytes()
    assert under.shape == (80_000,)


def test_what_cannot_be_rendered_becomes_a_row_with_its_reason(prepared, clips):
    plan = pd.DataFrame(
        [
            plan_row("a", "bad", "under"),
            plan_row("b", "over", "unheard_of"),
            plan_row("c", "over", "under"),
        ]
    )
    samples, mixtures = mixing.render(plan, clips, prepared)
    assert mixtures["status"].tolist() == ["rejected", "rejected", "used"]
    assert mixtures["reason"][0] == "foreground clip bad was rejected: silent"
    assert "unheard_of is not among" in mixtures["reason"][1]
    assert mixtures["row"].isna().tolist() == [True, True, False]
    assert mixtures["row"][2] == 0
    assert len(samples) == 80_000
    schemas.to_arrow("mixtures", mixtures)


def test_cancelling_parts_and_a_gap_that_hangs_on_the_level_are_rejected(prepared, clips):
    plan = pd.DataFrame([plan_row("a", "over", "minus_over")])
    _, mixtures = mixing.render(plan, clips, prepared, margin_lu=0.0)
    assert "cancel out" in mixtures["reason"][0]
    plan = pd.DataFrame([plan_row("b", "over", "near_gate")])
    _, mixtures = mixing.render(plan, clips, prepared, margin_lu=30.0)
    assert "gap depends on the level" in mixtures["reason"][0]


def test_the_16_bit_peak_is_never_exceeded_and_no_rows_are_fine(prepared, clips):
    plan = pd.DataFrame([plan_row("a", "over", "under")])
    samples, _ = mixing.render(plan, clips, prepared, peak=1.0)
    assert np.max(np.abs(samples.astype(int))) == 32_767
    half, _ = mixing.render(plan, clips, prepared, peak=0.5)
    assert np.max(np.abs(half.astype(int))) == 16_384
    samples, mixtures = mixing.render(plan[:0], clips, prepared)
    assert len(samples) == len(mixtures) == 0
    schemas.to_arrow("mixtures", mixtures)


def test_block_size_changes_no_sample(prepared, clips):
    pairs = [("over", "under"), ("short", "under"), ("under", "short"), ("under", "over")]
    plan = pd.DataFrame([plan_row(str(i), *pair) for i, pair in enumerate(pairs)])
    whole, _ = mixing.render(plan, clips, prepared)
    parts = [mixing.render(plan[i : i + 1], clips, prepared)[0] for i in range(len(plan))]
    np.testing.assert_array_equal(whole, np.concatenate(parts))


def test_a_shard_gives_the_mixtures_one_by_one_and_then_their_table(prepared, clips):
    rows = [plan_row("a", "over", "under"), plan_row("b", "bad", "over")]
    plan = pd.DataFrame([*rows, plan_row("c", "short", "over")])
    samples, mixtures = mixing.render(plan, clips, prepared)
    shard = mixing.Shard(plan, clips, prepared)
    with pytest.raises(ValueError, match="0 of 3 mixtures are rendered so far"):
        shard.mixtures()
    for _ in range(2):
        assert b"".join(sound.tobytes() for sound in shard.sounds()) == samples.tobytes()
        pd.testing.assert_frame_equal(shard.mixtures(), mixtures)
    sounds = shard.sounds()
    next(sounds)
    with pytest.raises(ValueError, match="1 of 3 mixtures"):
        shard.mixtures()


@pytest.mark.parametrize("peak", [mixing.PCM16_PEAK, 0.3])
def test_the_short_way_to_16_bits_gives_the_bits_of_the_plain_one(peak):
    rng = np.random.default_rng(5)
    for seed in range(20):
        parts = noise(seed), noise(seed + 100, rng.uniform(1e-6, 1.0))
        gain = rng.uniform(0, 3)
        total = sums.sum_parts(*parts, gain)
        assert total.tobytes() == (parts[0] + gain * parts[1].astype(float)).tobytes()
        peak_gain = sums.gain_to_peak(total, peak)
        plain = mixing.to_pcm16(mixing.combine(*parts, gain, peak_gain))
        found = np.empty_like(plain)
        sums.scale_to_pcm16(total, peak_gain, np.empty(len(total), np.float32), found)
        assert found.tobytes() == plain.tobytes()
        assert np.abs(found.astype(int)).max() == round(peak * 32_768)


# --- variants of one plan ------------------------------------------------------------------------


def test_without_a_background_the_foreground_stands_alone(prepared, clips):
    pairs = [("over", "under"), ("short", "bad"), ("short", "near_gate")]
    plan = pd.DataFrame([plan_row(str(i), *pair) for i, pair in enumerate(pairs)])
    samples, mixtures = mixing.render(plan, clips, prepared, margin_lu=None, variant="clean")
    assert mixtures["status"].tolist() == ["used"] * 3
    for row, clip in enumerate((0, 2, 2)):
        alone = prepared[0][clip].astype(float)
        alone *= mixing.PCM16_PEAK / np.max(np.abs(alone))
        stored = samples[row * 80_000 : (row + 1) * 80_000]
        np.testing.assert_array_equal(stored, mixing.to_pcm16(alone.astype(np.float32)))
    assert not samples[80_000 + 30_000 : 160_000].any()
    for column in ("bg_lufs", "background_gain_db", "background_length", "background_crop_start"):
        assert mixtures[column].isna().all()
    assert mixtures["fg_lufs"][0] == audio.integrated_loudness(prepared[0][0])
    assert mixtures["foreground_length"].tolist() == [80_000, 30_000, 30_000]
    same = ["mixture_id", "foreground_clip", "background_clip", "background", "recording"]
    pd.testing.assert_frame_equal(mixtures[same], plan[same], check_dtype=False)
    assert set(mixtures["variant"]) == {"clean"}
    schemas.to_arrow("mixtures", mixtures)


def test_a_foreground_alone_must_sound(prepared, clips):
    silent = {0: np.zeros_like(prepared[0])}
    plan = pd.DataFrame([plan_row("a", "over", "under")])
    clips = clips.assign(checksum=None)  # of an array that no one wrote
    samples, mixtures = mixing.render(plan, clips, silent, margin_lu=None)
    with pytest.raises(DamagedFile, match="part 0 holds other samples in row 0"):
        mixing.render(plan, clips.assign(checksum="0" * 16), silent, margin_lu=None)
    assert len(samples) == 0
    assert "zero peak" in mixtures["reason"][0]


@pytest.mark.parametrize("margin", [8.0, 0.0, -3.5, 20.0, None])
def test_every_variant_of_a_plan_can_be_made_again_from_its_row(prepared, clips, margin):
    pairs = [("over", "under"), ("short", "under"), ("under", "short")]
    plan = pd.DataFrame([plan_row(str(i), *pair) for i, pair in enumerate(pairs)])
    samples, mixtures = mixing.render(plan, clips, prepared, margin_lu=margin)
    assert mixtures["mixture_id"].tolist() == plan["mixture_id"].tolist()
    by_id = clips.set_index("clip_id").to_dict("index")
    for mixture in mixtures.to_dict("records"):
        over, under = mixing.prepared_signals(
            by_id[mixture["foreground_clip"]], by_id[mixture["background_clip"]], prepared
        )
        gain = None
        if margin is None:
            under = None
        else:
            gain = mixing.linear_gain(mixture["background_gain_db"])
            made = mixing.Mixture(over, 0, 0, gain, mixture["peak_gain"])
            assert gap(over, under, made) == pytest.approx(margin, abs=0.05)
        again = mixing.combine(over, under, gain, mixture["peak_gain"])
        stored = samples[mixture["row"] * 80_000 : (mixture["row"] + 1) * 80_000]
        assert mixing.to_pcm16(again).tobytes() == stored.tobytes()
        assert np.max(np.abs(stored.astype(int))) == 32_767


def test_a_mixture_may_miss_the_gap_in_one_variant_only():
    # Two halves 11.5 dB apart, the quiet one at about -63.5 LUFS: both count, until a gain of less
    # than about -6.5 dB puts the quiet half below the gate and the mean up by 2.7 LU.
    over = noise(0, 0.02)
    under = noise(1) * np.repeat(np.float32([1, 10 ** (-11.5 / 20)]), 40_000)
    quiet = audio.integrated_loudness(under[40_000:])
    under *= np.float32(10 ** ((-63.5 - quiet) / 20))
    rows = [clip_row("over", 0, over), clip_row("under", 1, under)]
    plan = pd.DataFrame([plan_row("a", "over", "under"), plan_row("b", "over", "over")])
    arrays = {0: np.stack([over, under])}
    level = rows[0]["foreground_lufs"] - rows[1]["background_lufs"]
    found = {
        margin: mixing.render(plan, pd.DataFrame(rows), arrays, margin_lu=margin)[1]
        for margin in (level + 5, level + 9, None)
    }
    statuses = [mixtures["status"].tolist() for mixtures in found.values()]
    assert statuses == [["used", "used"], ["rejected", "used"], ["used", "used"]]
    assert "gap depends on the level" in found[level + 9]["reason"][0]


@pytest.mark.parametrize("rate", [8_000, 44_100])
def test_mixing_at_another_rate_measures_at_that_rate(rate):
    over, under = noise(0, 0.02, rate), noise(1, 0.2, rate)
    made = mixing.mix(over, under, sample_rate=rate)
    assert made.foreground_lufs == audio.integrated_loudness(over, rate)
    moved = audio.integrated_loudness(under * np.float32(made.background_gain), rate)
    assert made.foreground_lufs - moved == pytest.approx(8.0, abs=1e-3)
    assert made.background_lufs != audio.integrated_loudness(under)


def test_the_length_is_that_of_the_prepared_clips(clips):
    short = {0: np.stack([noise(0, 0.02, 8_000), noise(1, 0.2, 8_000)])}
    rows = [clip_row(n, i, short[0][i], 8_000) for i, n in enumerate(["over", "under"])]
    plan = pd.DataFrame([plan_row("a", "over", "under"), plan_row("b", "under", "over")])
    samples, mixtures = mixing.render(plan, pd.DataFrame(rows), short)
    assert samples.shape == (16_000,)
    assert mixtures["foreground_length"].tolist() == [8_000, 8_000]
    with pytest.raises(ValueError, match="differ in length"):
        mixing.render(plan, clips, {0: short[0], 1: np.zeros((1, 9_000), np.float32)})


def test_real_pairs_keep_the_gap_and_the_peak(mirror, tmp_path):
    from earnest.datasets.preparing import prepare
    from earnest.mixing import plan

    meta = pd.read_csv(mirror / "esc50" / "meta" / "esc50.csv")
    meta = meta[meta["category"].isin(["dog", "rain", "crackling_fire", "sea_waves", "rooster"])]
    meta = meta.groupby("category").head(12)
    listing = pd.DataFrame(
        {
            "clip_id": "esc50/" + meta["filename"],
            "dataset": "esc50",
            "path": str(mirror / "esc50" / "audio") + "/" + meta["filename"],
            "label": meta["category"],
            "fold": meta["fold"],
            "recording": "esc50/" + meta["src_file"].astype(str),
            "sha256": None,
        }
    ).reset_index(drop=True)
    clips = prepare(listing, part=0, array_path=tmp_path / "part.npy", root_seed=0)
    assert (clips["status"] == "used").all()
    pairs = pd.DataFrame(
        [
            ("test", "dog", "rain", True),
            ("test", "dog", "sea_waves", False),
            ("test", "rooster", "crackling_fire", True),
            ("test", "rooster", "rain", False),
        ],
        columns=["split", "foreground", "background", "is_primary"],
    )
    options = {"primary_share": 0.7, "train_share": 0.6, "shards": 1, "root_seed": 0}
    rows = plan.plan_mixtures(pairs, clips, mixtures_per_foreground=40, **options).mixtures
    prepared = {0: np.load(tmp_path / "part.npy", mmap_mode="r")}
    samples, mixtures = mixing.render(rows, clips, prepared)
    meter = pyloudnorm.Meter(16_000)
    used = mixtures[mixtures["status"] == "used"]
    assert len(rows) == 80
    assert len(used) >= 70
    assert len(samples) == 80_000 * len(used)
    by_id = clips.set_index("clip_id").to_dict("index")
    for mixture in used.to_dict("records"):
        over, under = mixing.prepared_signals(
            by_id[mixture["foreground_clip"]], by_id[mixture["background_clip"]], prepared
        )
        gain = mixing.linear_gain(mixture["background_gain_db"])
        stored = samples[mixture["row"] * 80_000 : (mixture["row"] + 1) * 80_000]
        again = mixing.combine(over, under, gain, mixture["peak_gain"])
        assert mixing.to_pcm16(again).tobytes() == stored.tobytes()
        assert np.max(np.abs(stored.astype(int))) == 32_767
        # By another meter than the one that chose the gain, on the separated parts of the file.
        heard = [mixture["peak_gain"] * over.astype(float)]
        heard.append(stored / 32_768 - heard[0])
        measured = [meter.integrated_loudness(part) for part in heard]
        assert measured[0] - measured[1] == pytest.approx(8.0, abs=0.05)
