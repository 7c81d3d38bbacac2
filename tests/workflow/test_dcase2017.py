"""The experiment of the sampling bias paper, on a small data set in the layout of the real one."""

import pandas as pd
import pytest
import yaml

from earnest import io
from tests import made_releases

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

STUDY = "config/studies/dcase2017.yaml"
SCENES = ("beach", "bus", "cafe/restaurant", "car")

# What makes the study small; all else is as shipped.
SMALL = {
    "clips": {"duration_s": 1, "parts": 1},
    "embeddings": {"cnn": {"backend": "cnn", "options": {"epochs": 2, "batch_size": 8}}},
    "draws": {"samplers": ["random", "farthest"], "sizes": [10, 20, 30], "seeds": 12},
    "estimates": {"estimators": ["unweighted", "difference"], "resamples": 50},
}


@pytest.fixture(scope="module")
def project(checkout, tmp_path_factory):
    """A checkout beside a small data set that lies where the study looks for it."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("dcase")
    made_releases.write_tut2017(
        folder / "shared/mirror/tut2017",
        scenes=SCENES,
        recordings=8,
        segments=2,
        evaluation=12,
        seconds=1.0,
        sample_rate=16_000,
    )
    return checkout(folder / "project")


@pytest.fixture(scope="module")
def finished(project):
    study = yaml.safe_load((project.folder / STUDY).read_text())
    for section, changes in SMALL.items():
        study[section] = {**study.get(section, {}), **changes}
    (project.folder / "config/small.yaml").write_text(yaml.safe_dump(study))
    project.snakemake(config="config/small.yaml")
    return project.folder / "results/dcase2017"


def test_the_study_as_shipped_is_the_experiment_of_the_paper(project):
    study = yaml.safe_load((project.folder / STUDY).read_text())
    assert study["clips"]["duration_s"] == 10
    low = [50, 100, 150, 200, 300, 400, 500, 600]
    assert study["draws"]["sizes"] == [*low, 800, 900, 1100, 1250, 1400, 1550]
    assert study["draws"]["seeds"] == 500
    planned = project.planned(config=STUDY)
    # two blocks of 250 seeds for four samplers and one draw of the deterministic one
    assert planned["draw_subsets"] == 9
    assert planned["estimate_scores"] == 9 * len(study["estimates"]["estimators"])
    assert planned["train_backbone"] == 1


def test_the_network_learns_from_development_alone(finished):
    items = io.read_frame("items", finished / "embeddings/cnn/clips/items.parquet")
    assert items["split"].value_counts().to_dict() == {"train": 64, "pool": 48}
    by_side = {side: set(rows["recording"]) for side, rows in items.groupby("split")}
    assert not by_side["train"] & by_side["pool"]
    training = io.read_json(finished / "embeddings/cnn/backbone/training.json")
    assert len(training["curve"]) == 2
    assert io.read_array(finished / "embeddings/cnn/clips/embeddings.npy").shape == (112, 100)


def test_every_scene_has_a_score_and_every_cell_a_comparison(finished):
    summary = pd.read_parquet(finished / "summary.parquet")
    recalls = {f"recall:{scene}" for scene in SCENES}
    assert set(summary["measure"]) == {"accuracy", "balanced_accuracy", *recalls}
    compared = pd.read_csv(finished / "comparisons.csv")
    assert len(compared) == len(summary) == 2 * 3 * 2 * 6
    accuracy = compared[compared["measure"] == "accuracy"]
    assert accuracy.groupby(["sampler", "size"])["best"].sum().ge(1).all()
    assert accuracy["p_adjusted"].notna().sum() == 2 * 3


def test_the_report_recommends_and_says_how_far_that_reaches(finished):
    page = (finished / "report.html").read_text()
    assert "With items chosen farthest first, " in page
    assert "this page has one pool only: on another it may be the opposite." in page
    assert "recall of cafe/restaurant" in page
