"""What holds for every mixture, whatever the sounds and options."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from earnest import audio, mixing

seeds = st.integers(0, 2**32 - 1)
# a background 20 LU below the quietest foreground still lies well above the gate at -70 LUFS
decibels = st.floats(-15, 30)


def sound(seed, level_db):
    """Make one second of noise under a random envelope, well above the gate."""
    rng = np.random.default_rng(seed)
    envelope = np.repeat(rng.uniform(0.2, 1, 10), 1_600)
    return (rng.normal(size=16_000) * envelope * 0.1 * 10 ** (level_db / 20)).astype(np.float32)


@settings(deadline=None, max_examples=40)
@given(seeds, seeds, decibels, decibels, st.floats(-10, 20), st.floats(0.01, 1))
def test_gap_peak_and_regeneration(first, second, over_db, under_db, margin, peak):
    foreground, background = sound(first, over_db), sound(second + 1, under_db)
    if first == second + 1:
        return
    mixture = mixing.mix(foreground, background, margin_lu=margin, peak=peak)
    under = audio.integrated_loudness(background * mixture.background_gain)
    assert abs(audio.integrated_loudness(foreground) - under - margin) < 0.05
    assert np.isfinite(mixture.samples).all()
    assert np.max(np.abs(mixture.samples)) == np.float32(peak)
    again = mixing.combine(foreground, background, mixture.background_gain, mixture.peak_gain)
    assert again.tobytes() == mixture.samples.tobytes()
    mixing.to_pcm16(mixture.samples)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(-1, 1, width=32), max_size=50))
def test_pcm_is_within_half_a_step_except_at_plus_one(values):
    samples = np.array(values, np.float32)
    error = np.abs(mixing.to_pcm16(samples) / 32_768 - samples)
    assert np.all(error <= np.where(samples > 32_767.5 / 32_768, 1, 0.5) / 32_768)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 300), st.integers(1, 300))
def test_fit_has_the_length_and_starts_with_the_signal(count, length):
    samples = np.arange(1, count + 1, dtype=np.float32)
    kept = min(count, length)
    padded, looped = (audio.fit(samples, length, mode=mode) for mode in ("pad", "loop"))
    assert len(padded) == len(looped) == length
    np.testing.assert_array_equal(padded[:kept], samples[:kept])
    assert not padded[kept:].any()
    np.testing.assert_array_equal(looped, samples[np.arange(length) % count])


@settings(deadline=None, max_examples=60)
@given(seeds, st.integers(1, 2_000), st.integers(1, 2_000), seeds)
def test_a_crop_lies_inside_and_holds_sound_if_there_is_any(seed, count, length, draw):
    rng = np.random.default_rng(seed)
    samples = np.zeros(count, np.float32)
    start, stop = np.sort(rng.integers(0, count + 1, 2))
    samples[start:stop] = rng.normal(size=stop - start)
    chosen = audio.crop_start(samples, length, np.random.default_rng(draw))
    assert 0 <= chosen <= max(0, count - length)
    reachable = samples[
        : (max(0, count - length) // max(1, length // 50)) * max(1, length // 50) + length
    ]
    if np.any(np.abs(reachable) > 0.01):
        assert np.any(samples[chosen : chosen + length])
