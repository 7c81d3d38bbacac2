"""Small data sets in the exact layout of their official releases, with sounds of several kinds."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

DEVELOPMENT = "TUT-acoustic-scenes-2017-development"
EVALUATION = "TUT-acoustic-scenes-2017-evaluation"
SCENES = ("beach", "bus", "cafe/restaurant", "car", "city_center", "forest_path")


def write_audio(
    path: Path, samples: np.ndarray, *, sample_rate: int = 16_000, subtype: str = "PCM_16"
) -> Path:
    import soundfile

    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, samples, sample_rate, subtype=subtype)
    return path


def noise(kind: int, rng: np.random.Generator, *, seconds: float, sample_rate: int) -> np.ndarray:
    """Noise of one kind: its slope, its pulse and its tone differ between kinds and vary within.

    Returns
    -------
    ndarray (seconds * sample_rate,) float64
        Peak 0.5.
    """
    count = round(seconds * sample_rate)
    frequency = np.fft.rfftfreq(count, 1 / sample_rate)
    slope = 0.3 + 0.25 * (kind % 4) + rng.normal(0, 0.25)
    spectrum = np.fft.rfft(rng.normal(size=count)) / np.maximum(frequency, 20) ** slope
    samples = np.fft.irfft(spectrum, count)
    samples /= np.abs(samples).max()
    time = np.arange(count) / sample_rate
    pulse = np.exp(rng.normal(0, 0.4)) * (0.7 + 0.9 * (kind % 3))
    samples *= 1 + 0.6 * np.sin(2 * np.pi * pulse * time + rng.uniform(0, 6))
    tone = 150 * 1.7 ** (kind % 5) * np.exp(rng.normal(0, 0.35))
    samples += 0.25 * rng.uniform(0, 1) * np.sin(2 * np.pi * tone * time)
    return 0.5 * samples / np.abs(samples).max()


def write_tut2017(
    root: Path,
    *,
    scenes: Sequence[str] = SCENES,
    recordings: int = 8,
    segments: int = 3,
    evaluation: int = 20,
    seconds: float = 10.0,
    sample_rate: int = 44_100,
    damaged: int = 0,
    names_known: bool = False,
    seed: int = 0,
) -> Path:
    """Write both sets of TUT Acoustic Scenes 2017 in small: binaural, 24 bit, as released.

    Parameters
    ----------
    root : Path
        Gets the folders of the development and the evaluation set.
    scenes : sequence of str
        Official names of scenes.
    recordings, segments : int
        Development recordings of each scene, spread over the four folds, and segments of each.
    evaluation : int
        Evaluation segments of each scene, under names without an identifier; each three are of
        one recording.
    seconds, sample_rate : float, int
        Of each segment; the release has 10 s and 44,100 Hz.
    damaged : int
        Development segments with a span in `error.txt`; none leaves that file out.
    names_known : bool
        Whether `evaluation_setup/map.txt` gives the evaluation segments' original names.
    seed : int
        Of the sounds.

    Returns
    -------
    Path
        `root`.
    """
    rng = np.random.default_rng(seed)
    sound = {"seconds": seconds, "sample_rate": sample_rate}
    development, folds, number = {}, {fold: [] for fold in (1, 2, 3, 4)}, 0
    for kind, scene in enumerate(scenes):
        for recording in range(recordings):
            number += 1
            for segment in range(segments):
                start = round(segment * seconds)
                file = f"audio/b{number:03d}_{start}_{round(start + seconds)}.wav"
                development[file] = scene
                folds[recording % 4 + 1].append(file)
                _write_binaural(root / DEVELOPMENT / file, kind, rng, **sound)
    _write_development_lists(root / DEVELOPMENT, development, folds, damaged)
    labels = [scene for scene in scenes for _ in range(evaluation)]
    order = rng.permutation(len(labels))
    files = {f"audio/{place}.wav": labels[item] for place, item in enumerate(order)}
    for file, scene in files.items():
        _write_binaural(root / EVALUATION / file, scenes.index(scene), rng, **sound)
    lists = root / EVALUATION / "evaluation_setup"
    _write_rows(lists / "test.txt", [[file] for file in files])
    _write_rows(lists / "evaluate.txt", files.items())
    if names_known:
        originals = [
            [file, f"audio/a{order[place] // 3:03d}_{10 * (order[place] % 3)}_0.wav"]
            for place, file in enumerate(files)
        ]
        _write_rows(lists / "map.txt", originals)
    return root


def _write_binaural(path: Path, kind: int, rng: np.random.Generator, **sound: float) -> None:
    mono = noise(kind, rng, **sound)
    stereo = np.stack([mono, 0.8 * np.roll(mono, 20)], axis=1)
    write_audio(path, stereo, sample_rate=sound["sample_rate"], subtype="PCM_24")


def _write_development_lists(
    folder: Path, files: Mapping[str, str], folds: Mapping[int, list[str]], damaged: int
) -> None:
    identified = [[file, scene, Path(file).stem.split("_")[0]] for file, scene in files.items()]
    _write_rows(folder / "meta.txt", identified)
    for fold, evaluated in folds.items():
        lists = folder / "evaluation_setup"
        held = set(evaluated)
        train = [[file, scene] for file, scene in files.items() if file not in held]
        _write_rows(lists / f"fold{fold}_train.txt", train)
        _write_rows(lists / f"fold{fold}_test.txt", [[file] for file in evaluated])
        _write_rows(lists / f"fold{fold}_evaluate.txt", [[f, files[f]] for f in evaluated])
    if damaged:
        spans = [[file, "1.25", "2.5", "microphone failure"] for file in list(files)[:damaged]]
        _write_rows(folder / "error.txt", spans)


def _write_rows(path: Path, rows: "Sequence[Sequence[str]]", *, separator: str = "\t") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=separator, lineterminator="\n").writerows(rows)
