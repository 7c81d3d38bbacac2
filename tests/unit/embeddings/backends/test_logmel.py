"""Log-mel statistics against librosa, one clip at a time, and on real recordings."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from earnest import audio
from earnest.embeddings import BACKENDS, get_backend
from earnest.embeddings.backends.logmel import STATISTICS, LogMel
from earnest.rng import generator
from earnest.tasks import classifiers


def waveforms(n: int, samples: int = 80_000) -> np.ndarray:
    rng = generator(0, "waveforms", n)
    tilt = np.exp(np.linspace(0, -6, samples))
    noise = rng.standard_normal((n, samples)) * rng.uniform(0.001, 0.2, (n, 1)) * tilt
    tone = 0.2 * np.sin(2 * np.pi * rng.uniform(100, 6000, (n, 1)) * np.arange(samples) / 16_000)
    return (noise + tone).astype(np.float32)


def librosa_statistics(waveform: np.ndarray) -> np.ndarray:
    """Compute the same vector by librosa's own functions, in float64."""
    import librosa

    power = librosa.feature.melspectrogram(
        y=waveform.astype(np.float64),
        sr=16_000,
        n_fft=640,
        hop_length=320,
        window="hamming",
        center=False,
        power=2.0,
        n_mels=40,
        norm=None,
        htk=False,
    )
    energies = np.log(power + 1e-5)
    slopes = librosa.feature.delta(energies, width=9, mode="nearest")
    return np.concatenate(
        [
            energies.mean(axis=1),
            energies.std(axis=1),
            np.percentile(energies, 10, axis=1),
            np.percentile(energies, 50, axis=1),
            np.percentile(energies, 90, axis=1),
            np.abs(slopes).mean(axis=1),
            slopes.std(axis=1),
        ]
    )


def test_equals_librosa_clip_by_clip() -> None:
    made = waveforms(4)
    expected = np.stack([librosa_statistics(waveform) for waveform in made])
    np.testing.assert_allclose(get_backend("logmel").embed(made), expected, rtol=0, atol=1e-3)


def test_shape_type_and_dimension() -> None:
    backend = get_backend("logmel")
    vectors = backend.embed(waveforms(2))
    assert backend.sample_rate == 16_000
    assert vectors.shape == (2, backend.dimension) == (2, 280)
    assert vectors.dtype == np.float32


def test_vector_does_not_depend_on_the_batch() -> None:
    made, backend = waveforms(7), get_backend("logmel")
    together = backend.embed(made)
    alone = np.concatenate([backend.embed(made[row : row + 1]) for row in range(7)])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(backend.embed(made[::-1]), together[::-1])


def test_silence_reads_as_the_floor() -> None:
    vector = get_backend("logmel").embed(np.zeros((1, 80_000), np.float32))[0]
    parts = dict(zip(STATISTICS, vector.reshape(7, 40), strict=True))
    for name in ("mean", "p10", "p50", "p90"):
        np.testing.assert_allclose(parts[name], np.log(1e-5), rtol=1e-6)
    for name in ("sd", "delta_mean", "delta_sd"):
        np.testing.assert_allclose(parts[name], 0, atol=1e-5)


def test_twice_the_amplitude_adds_the_log_of_four() -> None:
    loud = waveforms(1) + 0.01 * generator(1).standard_normal((1, 80_000)).astype(np.float32)
    backend = LogMel(floor=1e-30)
    quiet, twice = backend.embed(loud).reshape(7, 40), backend.embed(2 * loud).reshape(7, 40)
    np.testing.assert_allclose(twice[0] - quiet[0], np.log(4), atol=1e-4)
    np.testing.assert_allclose(twice[1], quiet[1], atol=1e-4)


def test_tone_is_loudest_in_its_own_band() -> None:
    import librosa

    centres = librosa.mel_frequencies(42, fmin=0, fmax=8000)[1:-1]
    for band in (3, 20, 35):
        tone = np.sin(2 * np.pi * centres[band] * np.arange(80_000) / 16_000).astype(np.float32)
        assert get_backend("logmel").embed(tone[None])[0, :40].argmax() == band


def test_clip_shorter_than_a_window_is_padded() -> None:
    # 368 samples: shorter than the window of 640.
    vector = get_backend("logmel").embed(waveforms(1, 368))
    assert vector.shape == (1, 280)
    assert np.isfinite(vector).all()


def test_no_waveforms_give_no_vectors() -> None:
    assert get_backend("logmel").embed(np.empty((0, 80_000), np.float32)).shape == (0, 280)


def test_non_finite_sample_is_named() -> None:
    made = waveforms(3)
    made[1, 5] = np.inf
    with pytest.raises(ValueError, match="waveform 1 holds a non-finite sample"):
        get_backend("logmel").embed(made)


@pytest.mark.parametrize("shape", [(80_000,), (2, 0)])
def test_other_shapes_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"must be \(n, samples\)"):
        get_backend("logmel").embed(np.zeros(shape, np.float32))


def test_bands_are_an_option_and_bad_ones_are_refused() -> None:
    assert get_backend("logmel", bands=20).embed(waveforms(1)).shape == (1, 140)
    with pytest.raises(ValueError, match="bands must be at least 1"):
        get_backend("logmel", bands=0)
    with pytest.raises(ValueError, match="floor positive"):
        get_backend("logmel", floor=0.0)


def test_description_names_settings_and_versions() -> None:
    import scipy

    description = get_backend("logmel", floor=1e-6).describe()
    assert description["backend"] == "logmel"
    assert description["floor"] == 1e-6
    assert description["dimension"] == 280
    assert description["versions"]["scipy"] == scipy.__version__


def test_unknown_backend_is_named() -> None:
    assert "logmel" in BACKENDS
    with pytest.raises(ValueError, match="'logmell'; known are"):
        get_backend("logmell")
    with pytest.raises(TypeError, match="colour"):
        get_backend("logmel", colour="blue")


@pytest.mark.slow
def test_probe_on_real_esc10_reaches_76_percent(mirror: Path) -> None:
    """Official folds, standardised logistic regression; chance is 10 %."""
    root = mirror / "esc50"
    rows = pd.read_csv(root / "meta/esc50.csv")
    rows = rows[rows["esc10"]]
    assert len(rows) == 400
    sounds = [audio.load(root / "audio" / name).samples for name in rows["filename"]]
    vectors = get_backend("logmel").embed(
        np.stack([audio.fit(samples[: audio.LENGTH], mode="pad") for samples in sounds])
    )
    folds, labels = rows["fold"].to_numpy(), rows["category"].to_numpy(dtype=str)
    right = 0
    for fold in range(1, 6):
        held = folds == fold
        model = classifiers.fit("logistic", vectors[~held], labels[~held], rng=generator(0))
        right += (classifiers.predict(model, vectors[held])[0] == labels[held]).sum()
    assert right / len(rows) >= 0.76
