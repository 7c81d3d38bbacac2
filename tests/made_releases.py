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


def write_vocalsound(root: Path, *, speakers: int = 6, parts: bool = True) -> Path:
    """Write the 16 kHz release of VocalSound in small: six sounds of each speaker.

    Parameters
    ----------
    root : Path
        Gets `audio_16k/`, and `datafiles/` with the lists of the official parts.
    speakers : int
        Women and men in turn; the first two thirds train, then validation and test.
    parts : bool
        Whether the lists of the official parts are there.
    """
    import json

    rng = np.random.default_rng(1)
    labels = ("cough", "laughter", "sigh", "sneeze", "sniff", "throatclearing")
    lists: dict[str, list] = {"tr": [], "val": [], "te": []}
    for number in range(speakers):
        speaker = f"{'fm'[number % 2]}{number:04d}"
        part = ("tr", "tr", "tr", "tr", "val", "te")[number * 6 // speakers]
        for kind, label in enumerate(labels):
            name = f"{speaker}_0_{label}.wav"
            samples = noise(kind, rng, seconds=1.0 + 0.1 * number, sample_rate=16_000)
            write_audio(root / "audio_16k" / name, samples)
            lists[part].append({"wav": f"/makers/own/path/audio_16k/{name}", "labels": label})
    if parts:
        (root / "datafiles").mkdir()
        for part, rows in lists.items():
            (root / "datafiles" / f"{part}.json").write_text(json.dumps({"data": rows}))
    return root


def write_dcase2016_task2(root: Path, *, per_label: int = 2) -> Path:
    """Write the isolated sounds of DCASE 2016 task 2 in small, below their archive's folder."""
    rng = np.random.default_rng(2)
    names = ("clearthroat", "cough", "doorslam", "drawer", "keyboard", "keysDrop", "knock")
    names += ("laughter", "pageturn", "phone", "speech")
    folder = root / "dcase2016_task2_train_dev" / "dcase2016_task2_train"
    for kind, name in enumerate(names):
        for item in range(per_label):
            samples = noise(kind, rng, seconds=0.6 + 0.2 * item, sample_rate=44_100)
            write_audio(folder / f"{name}{37 * item + kind:03d}.wav", samples, sample_rate=44_100)
    scene = noise(0, rng, seconds=2.0, sample_rate=44_100)
    scenes = root / "dcase2016_task2_train_dev" / "dcase2016_task2_dev" / "sound"
    write_audio(scenes / "dev_1_ebr_-6_nec_1_poly_0.wav", scene, sample_rate=44_100)
    return root


WEAK_ROWS = (
    ("YaaaaaaaaaaA_30.000_40.000.wav", "Cat"),
    ("YaaaaaaaaaaA_90.000_100.000.wav", "Cat"),
    ("Ybb_bbbbbbb-_0.000_10.000.wav", "Alarm_bell_ringing"),
    ("Yccccccccccc_5.000_9.231.wav", "Running_water"),
    ("Yddddddddddd_5.000_15.000.wav", "Dishes,Frying"),
    ("Yeeeeeeeeeee_5.000_15.000.wav", "Blender"),
)


def write_desed(root: Path, *, folder: str = "weak", rows: "Sequence" = WEAK_ROWS) -> Path:
    """Write the weak part of DESED in small; the clip of the last row vanished from YouTube."""
    rng = np.random.default_rng(3)
    _write_rows(root / "metadata" / "train" / "weak.tsv", [("filename", "event_labels"), *rows])
    for kind, (file, _) in enumerate(rows[:-1]):
        samples = noise(kind, rng, seconds=2.0, sample_rate=44_100)
        path = root / "audio" / "train" / folder / file
        write_audio(path, samples, sample_rate=44_100)
    return root


USM_LABELS = (
    "airplane alarm birds bus car cheering church_bell dogs drilling glass_break gunshot hammer"
    " helicopter jackhammer lawn_mower motorcycle music rain sawing scream siren speech"
    " thunderstorm train truck wind"
)
USM_SOUNDS = {
    "train": {1: (("church bell", "dev/55033.wav"), ("rain", "dev/251633.wav"))},
    "val": {
        3: (("rain", "dev/251633.wav"), ("lawn mower", "dev/118728.wav"), ("car", "dev/9.wav")),
        4: (("dogs", "dev/10.wav"), ("dogs", "dev/11.wav"), ("wind", "dev/12.wav")),
    },
    "eval": {1: (("siren", "eval/99.wav"),)},
}


def write_usm(root: Path, sounds: Mapping = USM_SOUNDS) -> Path:
    """Write USM in small: stereo soundscapes, mono stems, targets, and the authors' metadata."""
    rng = np.random.default_rng(4)
    labels = [name.replace("_", " ") for name in USM_LABELS.split()]
    header = "ID;class_usm;class_fsd;file;licence;dur_sec;part;init_silence_sec;on_sec;off_sec;"
    header += "is_foreground;mix_coeff_db;stereo_coeff;usm_id"
    for part, soundscapes in sounds.items():
        lines = [header.split(";")]
        for number, stems in soundscapes.items():
            stem = f"{number}_mix"
            mixed = noise(number, rng, seconds=5.0, sample_rate=16_000)
            write_audio(root / part / f"{stem}.wav", np.stack([mixed, mixed], axis=1))
            present = np.zeros(len(labels), dtype=np.int64)
            for place, (label, file) in enumerate(stems):
                target = (np.array(labels) == label).astype(np.int64)
                present |= target
                np.save(root / part / f"{number}_stem_{place}_target.npy", target)
                sound = noise(labels.index(label), rng, seconds=5.0, sample_rate=16_000)
                write_audio(root / part / f"{stem}_stem_{place}.wav", sound)
                cells = ["7", label, "Any", file, "CC by", "9.0", "dev", "0.0", "1.0", "6.0"]
                lines.append([*cells, "True", "-1.5", "0.5", str(number)])
            np.save(root / part / f"{stem}_targets.npy", present)
        _write_rows(root / "metadata" / f"usm_{part}.csv", lines, separator=";")
    return root
