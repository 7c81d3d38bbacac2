"""Reading, screening, cropping and measuring, on small files made here in every odd shape."""

import struct
import subprocess
import sys

import numpy as np
import pytest
import soundfile

from earnest import audio
from earnest.audio import loudness

RATE = 16_000


def tone(rate=RATE, seconds=1.0, amplitude=0.5, frequency=1_000.0):
    times = np.arange(round(rate * seconds)) / rate
    return (amplitude * np.sin(2 * np.pi * frequency * times)).astype(np.float32)


def noise(samples, seed=0, amplitude=0.1):
    return (amplitude * np.random.default_rng(seed).normal(size=samples)).astype(np.float32)


def write(path, samples, rate=RATE, **options):
    soundfile.write(path, samples, rate, **options)
    return path


def refusal(path):
    with pytest.raises(audio.UnusableClip) as caught:
        audio.load(path)
    assert caught.value.detail
    return caught.value.reason


# --- formats -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("container", "subtype", "tolerance"),
    [
        ("WAV", "PCM_U8", 1 / 128),
        ("WAV", "PCM_16", 1 / 32_768),
        ("WAV", "PCM_24", 1e-6),
        ("WAV", "PCM_32", 1e-7),
        ("WAV", "FLOAT", 0),
        ("WAV", "DOUBLE", 0),
        ("WAVEX", "PCM_24", 1e-6),
        ("RF64", "PCM_16", 1 / 32_768),
        ("AIFF", "PCM_16", 1 / 32_768),
        ("FLAC", "PCM_24", 1e-6),
    ],
)
@pytest.mark.parametrize("channels", [1, 2])
def test_width_and_channels_change_nothing_beyond_quantisation(
    tmp_path, container, subtype, tolerance, channels
):
    samples = tone()
    stored = np.stack([samples] * channels, axis=1)
    clip = audio.load(write(tmp_path / "a.wav", stored, format=container, subtype=subtype))
    assert (clip.channels, clip.frames, clip.source_rate, clip.sample_rate) == (
        channels,
        RATE,
        RATE,
        RATE,
    )
    assert clip.samples.dtype == np.float32
    assert np.max(np.abs(clip.samples - samples)) <= tolerance


@pytest.mark.parametrize("rate", [8_000, 11_025, 22_050, 44_100, 48_000, 96_000, 192_000])
def test_any_rate_becomes_16_khz_with_the_same_sound(tmp_path, rate):
    clip = audio.load(write(tmp_path / "a.wav", tone(rate, 1.0), rate))
    assert clip.source_rate == rate
    assert abs(len(clip.samples) - RATE) <= 1
    # Away from the ends the tone keeps amplitude and phase.
    inner = slice(1_000, 15_000)
    assert np.max(np.abs(clip.samples[inner] - tone()[inner])) < 2e-3


def test_a_length_that_resampling_rounds_is_fitted_exactly(tmp_path):
    clip = audio.load(write(tmp_path / "a.wav", tone(11_025, 0.7)[:7_717], 11_025))
    assert len(clip.samples) in (11_199, 11_200)  # exact ratio 11199.27 (B19)
    assert audio.fit(clip.samples, mode="pad").shape == (80_000,)


def test_adpcm_may_decode_to_more_frames_than_were_written(tmp_path):
    clip = audio.load(write(tmp_path / "a.wav", tone(), subtype="MS_ADPCM"))
    assert clip.frames == 16_192  # blocks are whole (B15)
    assert np.corrcoef(clip.samples[:RATE], tone())[0, 1] > 0.999


@pytest.mark.parametrize("suffix", ["wav", "raw", "mp3"])
@pytest.mark.parametrize(("container", "subtype"), [("FLAC", "PCM_16"), ("OGG", "VORBIS")])
def test_content_not_name_decides_the_format(tmp_path, container, subtype, suffix):
    path = tmp_path / f"named.{suffix}"
    with open(path, "wb") as file:
        soundfile.write(file, tone(), RATE, format=container, subtype=subtype)
    assert np.corrcoef(audio.load(path).samples, tone())[0, 1] > 0.99


def test_channels_are_averaged_not_summed(tmp_path):
    left, right = tone(amplitude=0.5), np.zeros(RATE, np.float32)
    clip = audio.load(write(tmp_path / "a.wav", np.stack([left, right], 1), subtype="FLOAT"))
    np.testing.assert_allclose(clip.samples, left / 2, atol=1e-7)


def test_a_file_name_may_hold_spaces_quotes_and_letters_beyond_ascii(tmp_path):
    path = write(tmp_path / "a b's “çà”.wav", tone())
    assert len(audio.load(path).samples) == RATE


def test_one_frame_survives_and_less_than_one_is_empty(tmp_path):
    assert len(audio.load(write(tmp_path / "a.wav", tone()[:1])).samples) == 1
    assert refusal(write(tmp_path / "b.wav", tone()[:1], 44_100)) == "empty"


def test_unknown_quality_is_refused(tmp_path):
    with pytest.raises(ValueError, match="QQ, LQ, MQ, HQ, VHQ"):
        audio.load(write(tmp_path / "a.wav", tone()), quality="best")


# --- refusals ----------------------------------------------------------------------------------


def test_what_is_no_sound_is_unreadable(tmp_path):
    page = tmp_path / "page.wav"
    page.write_text("<html><body>404 Not Found</body></html>")
    assert refusal(page) == "unreadable"
    assert refusal(tmp_path / "missing.wav") == "unreadable"
    assert refusal(tmp_path) == "unreadable"
    stub = tmp_path / "stub.wav"
    stub.write_bytes(write(tmp_path / "a.wav", tone()).read_bytes()[:30])
    assert refusal(stub) == "unreadable"


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(audio.UnusableClip, match="No such file"):
        audio.load(tmp_path / "missing.wav")


def test_no_bytes_and_no_frames_are_empty(tmp_path):
    (tmp_path / "a.wav").touch()
    assert refusal(tmp_path / "a.wav") == "empty"
    assert refusal(write(tmp_path / "b.wav", tone()[:0])) == "empty"


def test_an_empty_data_chunk_before_another_chunk_is_empty_not_undeclared(tmp_path):
    head = write(tmp_path / "a.wav", tone()[:0]).read_bytes()[:44]
    path = tmp_path / "b.wav"
    path.write_bytes(head + b"LIST" + struct.pack("<I", 4) + b"INFO")
    assert refusal(path) == "empty"


@pytest.mark.parametrize(
    ("suffix", "options"),
    [
        ("wav", {"subtype": "PCM_16"}),
        ("wav", {"subtype": "MS_ADPCM"}),
        ("wav", {"format": "WAVEX", "subtype": "PCM_24"}),
        ("wav", {"format": "RF64", "subtype": "PCM_16"}),
        ("aiff", {}),
        ("flac", {}),
        ("ogg", {}),
        ("opus", {"format": "OGG", "subtype": "OPUS"}),
        ("mp3", {}),
    ],
)
@pytest.mark.parametrize("share", [0.5, 0.9])
def test_a_cut_file_is_truncated_and_the_whole_one_is_not(tmp_path, suffix, options, share):
    whole = write(tmp_path / f"whole.{suffix}", noise(80_000), **options)
    assert len(audio.load(whole).samples) >= 80_000
    cut = tmp_path / f"cut.{suffix}"
    cut.write_bytes(whole.read_bytes()[: int(share * whole.stat().st_size)])
    assert refusal(cut) == "truncated"


def test_a_wav_of_which_only_the_header_arrived_is_truncated(tmp_path):
    path = tmp_path / "a.wav"
    path.write_bytes(write(tmp_path / "b.wav", tone()).read_bytes()[:44])
    assert refusal(path) == "truncated"


def test_one_missing_byte_is_enough(tmp_path):
    path = tmp_path / "a.wav"
    path.write_bytes(write(tmp_path / "b.wav", tone()).read_bytes()[:-1])
    with pytest.raises(audio.UnusableClip, match="31999 of 32000 declared bytes"):
        audio.load(path)


def test_an_ogg_cut_between_two_pages_lacks_its_end(tmp_path):
    data = write(tmp_path / "a.ogg", noise(80_000)).read_bytes()
    path = tmp_path / "b.ogg"
    path.write_bytes(data[: data.rindex(b"OggS")])
    assert refusal(path) == "truncated"


def test_bytes_after_the_last_ogg_page_and_after_the_data_chunk_do_no_harm(tmp_path):
    for name in ("a.ogg", "a.wav"):
        data = write(tmp_path / name, noise(80_000)).read_bytes()
        (tmp_path / f"tagged_{name}").write_bytes(data + b"TAG some other bytes")
        assert len(audio.load(tmp_path / f"tagged_{name}").samples) == 80_000


@pytest.mark.parametrize("size", [0, 0x7FFFF000, 0x7FFFFFFF, 0xFFFFFFFF])
def test_a_streamed_wav_does_not_declare_its_length(tmp_path, size):
    data = write(tmp_path / "a.wav", tone()).read_bytes()
    path = tmp_path / "b.wav"
    path.write_bytes(data[:40] + struct.pack("<I", size) + data[44:])
    assert refusal(path) == "undeclared_length"


def test_a_streamed_flac_does_not_declare_its_length(tmp_path):
    data = bytearray(write(tmp_path / "a.flac", tone()).read_bytes())
    data[21] &= 0xF0  # the 36-bit number of frames in STREAMINFO
    data[22:26] = bytes(4)
    (tmp_path / "b.flac").write_bytes(data)
    assert refusal(tmp_path / "b.flac") == "undeclared_length"


def test_an_mp3_whose_length_is_a_guess_is_undeclared_and_a_right_guess_is_taken(tmp_path):
    quiet, loud = np.zeros(80_000, np.float32), noise(80_000)
    samples = np.concatenate([quiet, loud, quiet])
    for mode, outcome in (("VARIABLE", "undeclared_length"), ("CONSTANT", None)):
        options = {"bitrate_mode": mode, "compression_level": 0.5}
        data = write(tmp_path / "a.mp3", samples, **options).read_bytes()
        path = tmp_path / f"{mode}.mp3"
        path.write_bytes(data[data.index(data[:2], 4) :])  # without the frame that counts frames
        if outcome:
            assert refusal(path) == outcome
        else:
            assert len(audio.load(path).samples) >= 240_000


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_one_sample_that_is_not_finite_is_named_before_loudness_hides_it(tmp_path, value):
    samples = np.stack([tone(), tone()], axis=1)
    samples[10, 1] = value
    path = write(tmp_path / "a.wav", samples, subtype="FLOAT")
    with pytest.raises(audio.UnusableClip, match="frame 10, channel 1") as caught:
        audio.load(path)
    assert caught.value.reason == "non_finite"


def test_doubles_too_large_for_float32_are_not_finite(tmp_path):
    path = write(tmp_path / "a.wav", np.full(100, 1e300), subtype="DOUBLE")
    assert refusal(path) == "non_finite"


def test_a_reason_must_be_a_known_one():
    with pytest.raises(ValueError, match="unknown reason 'broken'"):
        audio.UnusableClip("broken", "")


# --- false sample rate (B28) ---------------------------------------------------------------------


def test_sound_resampled_from_a_low_rate_is_warned_about(tmp_path):
    import soxr

    narrow = soxr.resample(noise(8_000), 8_000, 48_000)  # nothing above 4 of 24 kHz
    clip = audio.load(write(tmp_path / "a.wav", narrow, 48_000))
    assert "nothing above 6000 Hz" in clip.warning
    assert "48000 Hz may be false" in clip.warning


def test_a_short_bright_event_in_a_dull_clip_is_found(tmp_path):
    import soxr

    dull = soxr.resample(noise(8_000), 8_000, 48_000)
    dull[30_000:30_200] += noise(200)
    assert audio.load(write(tmp_path / "a.wav", dull, 48_000)).warning is None


def test_silence_and_short_sounds_are_not_judged():
    assert audio.false_rate_warning(np.zeros(48_000, np.float32), 48_000) is None
    assert audio.false_rate_warning(tone(frequency=100)[:1_000], RATE) is None
    assert audio.false_rate_warning(noise(RATE), RATE) is None


# --- loudness ------------------------------------------------------------------------------------


def test_loudness_of_a_reference_tone():
    # Seen elsewhere with pyloudnorm: mono 1 kHz of amplitude 0.5 is -9.097 LUFS (B06).
    measured = audio.integrated_loudness(tone(seconds=5.0))
    assert measured == pytest.approx(-9.097, abs=0.002)


def test_stereo_sources_are_as_loud_as_mono_ones(tmp_path):
    mono = write(tmp_path / "a.wav", tone(seconds=5.0))
    stereo = write(tmp_path / "b.wav", np.stack([tone(seconds=5.0)] * 2, axis=1))
    first, second = (audio.integrated_loudness(audio.load(p).samples) for p in (mono, stereo))
    assert first == pytest.approx(second, abs=1e-9)


def test_loudness_refuses_what_it_would_measure_wrongly():
    with pytest.raises(TypeError, match=r"floating-point.*int16"):
        audio.integrated_loudness(np.zeros(RATE, np.int16))
    with pytest.raises(TypeError, match="list"):
        audio.integrated_loudness([0.0] * RATE)
    with pytest.raises(ValueError, match=r"shape \(2, 80000\)"):
        audio.integrated_loudness(np.zeros((2, 80_000)))
    with pytest.raises(ValueError, match="8000 Hz"):
        audio.integrated_loudness(tone(), 7_999)
    broken = tone()
    broken[10] = np.nan
    with pytest.raises(ValueError, match="sample 10 is not finite"):
        audio.integrated_loudness(broken)


def test_the_shortest_measurable_signal_has_6400_samples():
    with pytest.raises(ValueError, match=r"at least 0\.4 s"):
        audio.integrated_loudness(tone()[:6_399])
    assert np.isfinite(audio.integrated_loudness(tone()[:6_400]))


def test_silence_is_minus_infinity_and_measuring_changes_no_input():
    assert audio.integrated_loudness(np.zeros(RATE, np.float32)) == -np.inf
    samples = tone()
    before = samples.copy()
    audio.integrated_loudness(samples)
    np.testing.assert_array_equal(samples, before)


@pytest.mark.parametrize("level", [0.0, 0.25])
def test_a_constant_signal_is_silent(level):
    with pytest.raises(audio.UnusableClip) as caught:
        audio.screened_loudness(np.full(80_000, level, np.float32))
    assert caught.value.reason == "silent"


def test_the_gate_divides_quiet_from_too_quiet():
    loud = audio.integrated_loudness(tone(seconds=5.0))
    at_gate = 10 ** ((-70 - loud) / 20)
    assert audio.screened_loudness(tone(seconds=5.0) * np.float32(at_gate * 1.05)) > -70
    with pytest.raises(audio.UnusableClip) as caught:
        audio.screened_loudness(tone(seconds=5.0) * np.float32(at_gate * 0.95))
    assert caught.value.reason == "below_gate"


@pytest.mark.parametrize("rate", [8_000, 16_000, 22_050, 44_100, 48_000])
@pytest.mark.parametrize("seconds", [0.4, 0.45, 1.2345, 5.0])
def test_loudness_is_what_pyloudnorm_measures_at_any_rate(rate, seconds):
    import pyloudnorm

    count = int(np.ceil(seconds * rate))
    samples = noise(count) * np.linspace(0, 1, count, dtype=np.float32) ** 6
    expected = pyloudnorm.Meter(rate).integrated_loudness(samples.astype(float))
    # Where 0.1 s is no whole number of samples, edges may differ by one sample.
    tolerance = 1e-9 if rate % 10 == 0 and seconds in (0.4, 5.0) else 2e-3
    assert audio.integrated_loudness(samples, rate) == pytest.approx(expected, abs=tolerance)


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100])
def test_the_compiled_filter_is_that_of_pyloudnorm_run_by_scipy(rate):
    from pyloudnorm.iirfilter import IIRfilter
    from scipy.signal import sosfilt

    stages = (
        IIRfilter(4.0, 1 / np.sqrt(2), 1500.0, rate, "high_shelf"),
        IIRfilter(0.0, 0.5, 38.0, rate, "high_pass"),
    )
    ours = loudness._k_weighting(rate)
    assert [list(stage) for stage in ours] == [[*s.b, *s.a[1:]] for s in stages]
    samples = noise(rate) * np.geomspace(1e-3, 1, rate, dtype=np.float32)
    filtered = sosfilt(np.array([[*s.b, *s.a] for s in stages]), samples.astype(float))
    power = np.square(filtered).reshape(10, -1).sum(axis=1)
    expected = np.sort(np.convolve(power, np.ones(4), mode="valid")) / (0.4 * rate)
    for kind in (np.float32, np.float64):
        found = loudness.measure_blocks(samples.astype(kind), rate).powers
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("gain", [-40.0, -8.0, 0.0, 12.0])
def test_blocks_foretell_the_loudness_after_a_gain(gain):
    samples = noise(80_000) * np.geomspace(1e-4, 1, 80_000, dtype=np.float32)
    scaled = samples.astype(float) * 10 ** (gain / 20)
    foretold = loudness.measure_blocks(samples).loudness(gain)
    assert foretold == pytest.approx(audio.integrated_loudness(scaled), abs=1e-6)


def test_gating_of_blocks_by_hand():
    # Blocks at -20, -20, -40 and -75 LUFS. Absolute gate: the last one drops out. Relative gate:
    # mean power of the others is 10^-2 * 2.01 / 3 = -21.74 LUFS, less 10: the third drops out.
    blocks = loudness.Blocks(tuple(10 ** ((x + 0.691) / 10) for x in (-75, -40, -20, -20)))
    assert blocks.loudness() == pytest.approx(-20.0, abs=1e-9)
    # 49 dB lower only -69, -69 pass the absolute gate; 51 dB lower none does.
    assert blocks.loudness(-49.0) == pytest.approx(-69.0, abs=1e-9)
    assert blocks.loudness(-51.0) == -np.inf


@pytest.mark.parametrize(("count", "rate"), [(800, 16_000), (24_000, 16_000), (79_999, 16_000)])
def test_padded_and_looped_are_measured_as_each_alone(count, rate):
    sound = noise(count) * np.float32(0.1)
    padded, looped = loudness.measure_padded_and_looped(sound, 80_000, rate)
    alone = [loudness.measure_blocks(audio.fit(sound, mode=m), rate) for m in ("pad", "loop")]
    np.testing.assert_allclose(padded.powers, alone[0].powers, rtol=1e-12, atol=1e-60)
    assert looped == alone[1]
    assert padded.loudness() == alone[0].loudness()


def test_a_whole_clip_is_measured_once():
    padded, looped = loudness.measure_padded_and_looped(noise(80_000), 80_000)
    assert padded is looped
    assert padded == loudness.measure_blocks(noise(80_000))


def test_the_filter_stops_ringing_a_second_after_a_click():
    # In exact arithmetic it never stops; denormal numbers would make it many times slower.
    padded, _ = loudness.measure_padded_and_looped(noise(800), 80_000)
    # Sound and ringing end at 1.05 s; blocks start every 0.1 s, so 11 of 47 hold any.
    assert sum(power > 0 for power in padded.powers) == 11


# --- cropping and fitting ------------------------------------------------------------------------


def test_a_crop_never_lands_on_a_silent_tail():
    samples = np.zeros(30 * RATE, np.float32)  # 10 s of sound, 20 s of zeros (B09)
    samples[: 10 * RATE] = noise(10 * RATE)
    starts = [audio.crop_start(samples, 80_000, np.random.default_rng(s)) for s in range(200)]
    # Half of the fullest window's 50 frames must sound: the last start is at 7.5 s.
    assert max(starts) <= 7.5 * RATE
    assert len(set(starts)) > 40


def test_a_crop_ignores_a_noise_floor_beside_a_loud_sound():
    samples = noise(30 * RATE, amplitude=3e-4)
    samples[: 10 * RATE] += noise(10 * RATE, seed=1, amplitude=0.3)
    starts = [audio.crop_start(samples, 80_000, np.random.default_rng(s)) for s in range(100)]
    assert max(starts) <= 7.6 * RATE


def test_a_lone_click_is_always_in_the_crop():
    samples = np.zeros(20 * RATE, np.float32)
    samples[8 * RATE : 8 * RATE + 100] = 0.5
    for seed in range(50):
        start = audio.crop_start(samples, 80_000, np.random.default_rng(seed))
        assert np.any(samples[start : start + 80_000])


def test_crops_of_steady_sound_cover_every_start_and_repeat_by_seed():
    samples = noise(10 * RATE)
    starts = {audio.crop_start(samples, 80_000, np.random.default_rng(s)) for s in range(600)}
    assert starts == set(range(0, 80_001, 1_600))
    again = [audio.crop_start(samples, 80_000, np.random.default_rng(7)) for _ in range(2)]
    assert again[0] == again[1]


@pytest.mark.parametrize("count", [1, 79_999, 80_000])
def test_no_crop_where_nothing_is_too_long(count):
    assert audio.crop_start(noise(count), 80_000, np.random.default_rng(0)) == 0


def test_one_sample_too_long_leaves_one_window():
    assert audio.crop_start(noise(80_001), 80_000, np.random.default_rng(0)) == 0


def test_fit_pads_loops_and_cuts():
    samples = np.array([1, 2, 3], np.float32)
    assert audio.fit(samples, 7, mode="pad").tolist() == [1, 2, 3, 0, 0, 0, 0]
    assert audio.fit(samples, 7, mode="loop").tolist() == [1, 2, 3, 1, 2, 3, 1]
    assert audio.fit(samples, 2, mode="pad").tolist() == [1, 2]
    assert audio.fit(samples, 2, mode="loop").tolist() == [1, 2]
    assert audio.fit(samples, mode="loop").shape == (80_000,)


def test_fit_returns_a_new_array_and_refuses_nonsense():
    samples = np.ones(5, np.float32)
    audio.fit(samples, 5, mode="pad")[0] = 9
    audio.fit(samples, 5, mode="loop")[0] = 9
    assert samples.tolist() == [1] * 5
    with pytest.raises(ValueError, match='"pad" or "loop"'):
        audio.fit(samples, 5, mode="reflect")
    with pytest.raises(ValueError, match="empty"):
        audio.fit(samples[:0], 5, mode="loop")


def test_reading_needs_neither_torch_nor_torchcodec(tmp_path, root):
    path = write(tmp_path / "a.wav", tone(44_100), 44_100)
    program = (
        "import sys; sys.modules.update(torch=None, torchaudio=None, torchcodec=None)\n"
        f"from earnest import audio; print(len(audio.load({str(path)!r}).samples))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout == "16000\n"


def test_released_urbansound8k_files_load(mirror):
    paths = sorted((mirror / "urbansound8k_native").glob("*.wav"))
    assert len(paths) == 6
    for path in paths:
        clip = audio.load(path)
        assert (clip.source_rate, clip.channels) == (44_100, 2)
        assert abs(len(clip.samples) - clip.frames * 16_000 / 44_100) <= 1


def test_real_ogg_files_are_whole_and_their_halves_are_not(mirror, tmp_path):
    for path in sorted((mirror / "esc50" / "audio").glob("*.ogg"))[::100]:
        assert abs(len(audio.load(path).samples) - 80_000) < 1_000
        half = tmp_path / path.name
        half.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        assert refusal(half) == "truncated"


SOUND = (np.random.default_rng(0).normal(size=24_000) * 0.1).astype(np.float32)
CUT = [
    *(("AU", s) for s in ("PCM_16", "FLOAT", "ULAW", "G721_32")),
    *(("W64", s) for s in ("PCM_16", "FLOAT", "GSM610")),
    *(("VOC", s) for s in ("PCM_16", "ULAW")),
    *(("NIST", s) for s in ("PCM_16", "ULAW")),
    *((f, "PCM_16") for f in ("SVX", "AVR", "AIFF", "WAV", "WAVEX", "RF64", "FLAC", "SDS")),
    *(("WAV", s) for s in ("GSM610", "G721_32", "NMS_ADPCM_32", "IMA_ADPCM", "ALAW")),
    ("OGG", "VORBIS"),
    ("CAF", "PCM_16"),
    ("HTK", "PCM_16"),
]


@pytest.mark.parametrize(("container", "codec"), CUT)
def test_every_container_is_whole_or_refused(tmp_path, container, codec):
    path = tmp_path / "sound"
    soundfile.write(path, SOUND, 16_000, format=container, subtype=codec)
    # blocks of codecs are filled up; VOC counts its end mark as a sample of 8 bits
    assert 24_000 <= audio.load(path).frames <= 24_000 + 1_024
    whole = path.read_bytes()
    for share in (0.3, 0.5, 0.9):
        path.write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(audio.UnusableClip) as caught:
            audio.load(path)
        assert caught.value.reason in ("truncated", "unreadable")


@pytest.mark.parametrize("container", ["IRCAM", "PVF", "PAF", "MAT4", "MAT5", "MPC2K"])
def test_containers_that_nobody_can_call_whole_are_refused(tmp_path, container):
    path = tmp_path / "sound"
    soundfile.write(path, SOUND, 16_000, format=container, subtype="PCM_16")
    with pytest.raises(audio.UnusableClip, match=r"undeclared_length: .* to WAV or FLAC"):
        audio.load(path)


@pytest.mark.parametrize(
    ("container", "codec"),
    [("OGG", "VORBIS"), ("OGG", "OPUS"), ("FLAC", "PCM_16"), ("WAV", "PCM_16")],
)
def test_several_streams_in_one_file_are_refused(tmp_path, container, codec):
    parts = []
    for samples in (SOUND[:8_000], SOUND[8_000:]):
        soundfile.write(tmp_path / "part", samples, 16_000, format=container, subtype=codec)
        parts.append((tmp_path / "part").read_bytes())
    (tmp_path / "joined").write_bytes(b"".join(parts))
    with pytest.raises(audio.UnusableClip, match="unreadable: several streams in one file"):
        audio.load(tmp_path / "joined")


def test_channels_that_cancel_are_said_with_their_levels(tmp_path):
    path = tmp_path / "sound.wav"
    for gain, words in ((-0.98, "-20 dB alone, -60 dB averaged"), (-0.5, None), (0.0, None)):
        soundfile.write(path, np.c_[SOUND, gain * SOUND], 16_000, subtype="PCM_16")
        warning = audio.load(path).warning
        assert warning == (None if words is None else f"channels cancel: {words}")
    soundfile.write(path, np.c_[SOUND, -SOUND], 16_000, subtype="FLOAT")
    assert audio.load(path).cancelled == "channels cancel: -20 dB alone, silence averaged"
