"""The tiny study cross-validated by recordings: complete, repeatable, and only what is asked."""

import json

import pandas as pd
import pytest

pytestmark = pytest.mark.workflow

ASKED = {"foregrounds": ["dog_bark"], "corrections": ["none"], "repeats": 2, "trees": 5}
OWN = {"split_sounds": 2, "score_correction": 2, "assess_tables": 1, "contrast_contexts": 1}
END = {"assess_tables": 1, "contrast_contexts": 1, "write_subconcepts_report": 1}


def test_a_study_that_does_not_ask_has_no_such_target(finished):
    found = finished.snakemake("--dry-run", "--", "subconcepts", check=False)
    assert found.returncode != 0


def test_what_is_asked_for_is_made_and_no_more(project):
    config = project.changed_config(subconcepts=ASKED)
    # the study's own report shows the configuration, which is another now
    report = {"write_report": 1, "check_clips": 1}
    assert project.planned(config=config) == OWN | END | report
    project.snakemake("--", "subconcepts", config=config)
    assert project.planned(config=config) == report
    folder = project.result("subconcepts")
    scores = pd.read_parquet(folder / "scores.parquet")
    # 2 repeats x 2 folds x 3 parts x 3 measures x 5 weightings
    assert scores.groupby("dataset").size().to_dict() == {"dog_bark": 180}
    described = {one["dataset"]: one for one in json.loads((folder / "datasets.json").read_text())}
    assert described["dog_bark"]["primary"].startswith("dog_bark + ")
    # 8 foregrounds of 60 mixtures: halved again and again, the fourth of the minority has too few
    assert described["foregrounds"]["status"] == "not run"
    assert "would have 3 of its" in described["foregrounds"]["reason"]
    embedded = next((project.folder / "results/tiny/embeddings").rglob("items.parquet"))
    items = pd.read_parquet(embedded)
    tested = pd.read_parquet(folder / "splits/dog_bark/items.parquet")
    for _, whole in tested.groupby("repeat"):
        sides = [items.iloc[part["item"]] for _, part in whole.groupby("fold")]
        for column in ("recording", "background_recording"):
            assert set(sides[0][column]) & set(sides[1][column]) == set()
    page = (folder / "report.html").read_text()
    assert "Do rare contexts fail, and do the weights show it?" in page
    # another correction adds its own jobs
    more = project.changed_config(subconcepts=ASKED | {"corrections": ["none", "smote"]})
    assert project.planned(config=more) == {"score_correction": 2, **END, **report}


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"foregrounds": ["dog_barck"]}, "subconcepts.foregrounds: no foreground 'dog_barck'"),
        ({"embedding": "cnn"}, "subconcepts.embedding: no embedding 'cnn'; there are logmel"),
        ({"corrections": ["smot"]}, "did you mean 'smote'?"),
    ],
)
def test_a_misspelt_name_stops_before_any_job(empty_project, asked, reason):
    config = empty_project.changed_config(subconcepts=ASKED | asked)
    found = empty_project.snakemake("--dry-run", config=config, check=False)
    assert found.returncode != 0
    assert reason in found.stdout
