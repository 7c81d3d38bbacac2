"""A study on a pool of one's own: the workflow gives the numbers of the library."""

import json

import numpy as np
import pandas as pd
import pytest
import yaml

from earnest import io
from earnest.commands import main
from earnest.protocols import ownpool
from earnest.protocols.ownpool import embedding

pytestmark = pytest.mark.workflow

CONFIG = "config/own-pool.yaml"
STUDY = {
    "kind": "own",
    "study": "birds",
    "title": "Birds",
    "pool": "somebody's pool.csv",
    "labels": "labels.csv",
    "audio": {"path": "somebody's clips", "backend": "logmel", "duration_s": 1},
    "budget": 5,
}
JOBS = {"embed_own_sounds": 1, "evaluate_own_pool": 1}


def prepare(project):
    rng = np.random.default_rng(1)
    names = [f"night/clip {i}.wav" for i in range(20)]
    for place, name in enumerate(names):
        tone = np.sin(np.arange(16_000) * (0.05 + 0.1 * (place % 2))) * 8_000
        samples = (tone + rng.normal(0, 500, 16_000)).astype(np.int16)
        io.write_audio(samples, project.folder / STUDY["audio"]["path"] / name)
    pool = pd.DataFrame({"item_id": names, "prediction": ["low", "high"] * 10})
    pool["confidence"] = rng.uniform(0.5, 1, 20)
    pool.to_csv(project.folder / STUDY["pool"], index=False)
    labels = pool[["item_id", "prediction"]].set_axis(["item_id", "label"], axis=1)[:9]
    labels.loc[[1, 4], "label"] = ["low", "high"]
    labels.to_csv(project.folder / "labels.csv", index=False)
    (project.folder / CONFIG).write_text(yaml.safe_dump(STUDY))
    return project


@pytest.fixture(scope="module")
def finished_own(tmp_path_factory, checkout):
    """The checkout in which the study has run."""
    project = prepare(checkout(tmp_path_factory.mktemp("own") / "somebody's project"))
    assert project.planned(config=CONFIG) == JOBS
    project.snakemake(config=CONFIG)
    return project


def test_results_are_compared_by_their_folders(finished_own, capsys):
    folder = str(finished_own.folder / "results" / "birds")
    assert main(["compare", folder, folder, "--estimators", "unweighted", "logistic"]) == 0
    text = capsys.readouterr().out
    # accuracy, its balanced form and two recalls, by two estimators
    assert "Of 8 estimates in both, 0 moved" in text
    assert "8 are the same" in text


def to_nine_digits(document):
    """Round every number: a job has one thread, and this process as many as there are cores."""
    return json.loads(json.dumps(document), parse_float=lambda text: f"{float(text):.9g}")


def test_the_workflow_gives_the_numbers_of_the_library(finished_own):
    folder = finished_own.folder
    inputs = ownpool.read(folder / STUDY["pool"], folder / STUDY["labels"])
    audio = dict(STUDY["audio"])
    inputs = embedding.with_embeddings(
        inputs, folder / audio.pop("path"), audio.pop("backend"), **audio
    )
    found = ownpool.evaluate(inputs, budget=5)
    results = folder / "results" / "birds"
    document = io.read_json(results / "evaluation.json")
    assert to_nine_digits(document) == to_nine_digits(io.plain(found.document()))
    assert (np.load(results / "embeddings.npy") == inputs.pool.embeddings).all()
    drawn = pd.read_csv(results / "next_labels.csv")
    assert drawn["item_id"].to_list() == found.next_labels["item_id"].to_list()
    frame = io.read_frame("own_estimates", results / "estimates.parquet")
    assert len(frame) == len(document["estimates"]) == len(pd.read_csv(results / "estimates.csv"))
    metrics = json.loads((results / "metrics.json").read_text())
    assert to_nine_digits(metrics) == to_nine_digits(io.plain(found.metrics()))
    assert "Birds" in (results / "report.html").read_text()
    assert json.loads((results / "provenance.json").read_text())["config"]["study"] == "birds"


def test_only_what_changed_runs_again(finished_own):
    folder = finished_own.folder
    assert finished_own.planned(config=CONFIG) == {}
    labels = (folder / "labels.csv").read_text()
    (folder / "labels.csv").write_text(labels + "night/clip 12.wav,low\n")
    assert finished_own.planned(config=CONFIG) == {"evaluate_own_pool": 1}
    (folder / "labels.csv").write_text(labels)
    clip = folder / STUDY["audio"]["path"] / "night" / "clip 19.wav"
    io.write_audio(np.full(8_000, 100, np.int16), clip)
    assert finished_own.planned(config=CONFIG) == JOBS


def test_what_is_not_there_is_named_before_anything_runs(finished_own):
    changes = {"pool": "gone.csv", "embeddings": "gone.npy", "sampler": "random"}
    changes["audio"] = {"path": "gone", "backend": "logmel", "options": {"band": 3}}
    path = finished_own.folder / "config" / "wrong.yaml"
    path.write_text(yaml.safe_dump(STUDY | changes))
    said = finished_own.snakemake("-n", config="config/wrong.yaml", check=False)
    assert said.returncode != 0
    for words in (
        "pool: there is no file gone.csv",
        "embeddings: there is no file gone.npy",
        "`audio` and `embeddings` both give embeddings",
        "audio.path: there is no folder gone",
        "backend logmel has no option 'band'; did you mean 'bands'?",
    ):
        assert words in said.stdout
