"""The user's own audio through the workflow: listed, screened, and listed anew when it changes."""

import numpy as np
import pandas as pd
import pytest
import yaml

from tests.made_releases import noise, write_audio

pytestmark = pytest.mark.workflow

STUDY = {
    "kind": "clips",
    "study": "own",
    "title": "Own sounds",
    "datasets": ["folder"],
    "folder": {"path": "somebody's sounds", "recordings": r"(r\d+)_"},
    "clips": {"parts": 1, "duration_s": 1},
    "split": {},
    "tasks": [{"name": "kinds", "kind": "classes"}],
}
CONFIG = "config/own.yaml"


def write_study(project, **changes):
    (project.folder / CONFIG).write_text(yaml.safe_dump(STUDY | changes))


def test_own_sounds_are_listed_screened_and_listed_anew_when_they_change(empty_project):
    project, rng = empty_project, np.random.default_rng(0)
    sounds = project.folder / STUDY["folder"]["path"]
    for kind, label in enumerate(("hum", "hiss")):
        for number in range(4):
            samples = noise(kind, rng, seconds=1.5, sample_rate=16_000)
            write_audio(sounds / label / f"r{number // 2}_{number}.wav", samples)
    write_study(project)
    project.snakemake("--", "clips", config=CONFIG)
    clips = pd.read_parquet(project.folder / "results" / "own" / "clips.parquet")
    assert clips["status"].tolist() == ["used"] * 8
    assert clips.groupby("label")["recording"].nunique().to_dict() == {"hiss": 2, "hum": 2}
    assert project.snakemake("--dry-run", "clips", config=CONFIG).stdout.count("Nothing to be") == 1
    write_audio(sounds / "hum" / "r9_0.wav", noise(0, rng, seconds=1.5, sample_rate=16_000))
    planned = project.snakemake("--dry-run", "clips", config=CONFIG).stdout
    for rule in ("locate_folder", "list_clips", "prepare_clips", "gather_clips"):
        assert f"\n{rule} " in planned.split("Job stats:")[1]


def test_a_study_whose_folder_is_not_there_stops_before_anything_runs(empty_project):
    write_study(empty_project, folder={"path": "nowhere"})
    result = empty_project.snakemake("--dry-run", config=CONFIG, check=False)
    assert result.returncode != 0
    assert "folder.path: there is no folder nowhere" in result.stdout
