"""A study that trains a network: killed, resumed, its own last layer as the classifier."""

import json
import os
import signal
import subprocess
import time

import pandas as pd
import pytest

pytestmark = pytest.mark.workflow

NETWORK = {"backend": "cnn", "options": {"epochs": 3, "device": "cpu"}}
TARGET = "results/tiny/pools/heard/task.json"
TASKS = [
    {
        "name": "heard",
        "kind": "classes",
        "embedding": "mine",
        "classifier": {"name": "head", "options": {"calibration": "temperature"}},
    },
    {"name": "plain", "kind": "classes", "embedding": "logmel"},
]


def study(project, **changes):
    embeddings = {"logmel": {"backend": "logmel"}, "mine": NETWORK}
    return project.changed_config(**{"embeddings": embeddings, "tasks": TASKS} | changes)


@pytest.mark.slow
def test_a_killed_training_goes_on_and_its_network_answers_the_task(project):
    pytest.importorskip("torch", reason="torch is not installed (`make torch`)")
    config = study(project)
    backbone = project.result("embeddings/mine/backbone")
    process = subprocess.Popen(
        [
            *project.command(None),
            "--configfile",
            config,
            "--",
            "results/tiny/pools/heard/task.json",
        ],
        cwd=project.folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 300
    while not list(backbone.glob("unfinished-*/state.pt")):
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not (backbone / "model.pt").exists()
    project.snakemake("--unlock", config=config)
    project.snakemake("--", TARGET, config=config)
    log = (project.folder / "logs/tiny/train_backbone/mine.log").read_text()
    assert "going on after epoch" in log
    files = {path.name for path in backbone.iterdir()}
    assert files == {"model.pt", "head.json", "training.json"}
    training = json.loads((backbone / "training.json").read_text())
    assert training["epochs"] == 3
    task = json.loads(project.result("pools/heard/task.json").read_text())
    assert task["classes"] == training["classes"]
    assert task["classifier"]["name"] == "head"
    assert task["calibration"]["validation_items"] == training["validation_part"]["items"]
    pool = pd.read_parquet(project.result("pools/heard/pool.parquet"))
    assert (pool["prediction"] == pool["label"]).mean() > 0.25  # eight sounds, three epochs
    # the other embedding and its task are what they were
    assert "train_backbone" not in project.planned(config=study(project, tasks=TASKS[1:]))


def test_a_study_without_torch_stops_before_its_first_job(empty_project):
    blind = empty_project.folder / "blind"
    blind.mkdir()
    (blind / "sitecustomize.py").write_text("import sys\nsys.modules['torch'] = None\n")
    result = empty_project.snakemake(
        config=study(empty_project), check=False, PYTHONPATH=str(blind)
    )
    assert result.returncode != 0
    assert "embeddings.mine: backend cnn needs torch, which is not installed" in result.stdout
    assert "run `make torch`" in result.stdout
    assert not (empty_project.folder / "results").exists()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"embeddings": {"mine": {"backend": "cnn", "options": {"epoch": 3}}}},
            "embeddings.mine: backend cnn has no option 'epoch'; it has epochs, batch_size",
        ),
        (
            {"tasks": [TASKS[0] | {"embedding": "logmel"}]},
            "tasks: 'heard': classifier head is for embeddings whose network the study trains",
        ),
    ],
)
def test_what_a_network_cannot_do_stops_before_any_job(empty_project, changes, words):
    if "embeddings" in changes:
        changes = changes | {"tasks": TASKS[:1]}
    result = empty_project.snakemake(config=study(empty_project, **changes), check=False)
    assert result.returncode != 0
    assert words in result.stdout
    assert not (empty_project.folder / "results").exists()
