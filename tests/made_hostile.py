"""A small study whose labels, files and folders are as awkward as people and attackers make."""

import csv

import numpy as np
import yaml

from tests.made_releases import noise, write_audio

CONFIG = "config/hostile.yaml"
FOREGROUNDS = (
    '<img src=x onerror="alert(1)">',
    'it\'s "quoted" & {{7*7}}',
    "=cmd|' /C calc'!A0 $(touch pwned)",
    "\U0001f415 ../../up",
)
BACKGROUNDS = ("rain; touch pwned", "</script><script>alert(2)</script>", "`touch pwned` 雨")
TITLE = 'Hostile <b>names</b> & "quotes" \U0001f415\nin two lines'
SOUNDS = 'somebody\'s "sounds" $(touch pwned)'
STUDY = {
    "kind": "mixtures",
    "study": "tiny",
    "title": TITLE,
    "datasets": ["folder"],
    "folder": {"path": SOUNDS, "labels": "labels; list.csv"},
    "clips": {"parts": 1, "duration_s": 1},
    "mixtures": {"pairs": "config/hostile pairs.tsv", "per_foreground": 40, "shards": 1},
    "tasks": [{"name": "foregrounds", "kind": "classes"}],
    "draws": {"samplers": ["random"], "sizes": [20], "seeds": 2},
    "estimates": {"estimators": ["unweighted", "kde"], "resamples": 50},
    "report": {"headline_size": 20, "examples": 2, "listening_per_pair": 1},
}


def write_study(folder, **changes):
    """Write sounds, labels, pairs and the study file into a checkout."""
    rng = np.random.default_rng(0)
    rows = []
    for kind, label in enumerate(FOREGROUNDS + BACKGROUNDS):
        for number in range(10):
            name = f"a folder/{kind} clip's no. {number}.wav"
            samples = noise(kind, rng, seconds=1.2, sample_rate=16_000)
            write_audio(folder / SOUNDS / name, samples)
            rows.append((name, label))
    with open(folder / SOUNDS / "labels; list.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("file", "label"), *rows])
    pairs = [
        f"train\t{foreground}\t{background}\t{int(place == kind % 3)}"
        for kind, foreground in enumerate(FOREGROUNDS)
        for place, background in enumerate(BACKGROUNDS)
    ]
    table = "\n".join(["split\tforeground\tbackground\tprimary", *pairs]) + "\n"
    (folder / "config/hostile pairs.tsv").write_text(table, encoding="utf-8")
    text = yaml.safe_dump(STUDY | changes, allow_unicode=True)
    (folder / CONFIG).write_text(text, encoding="utf-8")
