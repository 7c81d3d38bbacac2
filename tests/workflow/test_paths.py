"""Paths: braces, blanks and quotation marks in them, other working folders, and a module."""

import shutil

import pandas as pd
import pytest
import yaml

pytestmark = pytest.mark.workflow

FOLDER = "somebody's {run} of {study}, 100% #1"
OWN = {
    "kind": "own",
    "study": "braces",
    "title": "The {best} pool",
    "pool": f"{FOLDER}/pool.csv",
    "labels": f"{FOLDER}/{{task}}.csv",
    "sampler": "random",
    "budget": 5,
}
MODULE = """
configfile: "config/config.yaml"

module earnest:
    snakefile: {snakefile!r}
    config: config

use rule * from earnest
"""


@pytest.fixture
def braces(empty_project):
    folder = empty_project.folder / FOLDER
    folder.mkdir()
    shutil.copy2(empty_project.folder / "config/own/pool.csv", folder / "pool.csv")
    shutil.copy2(empty_project.folder / "config/own/labels.csv", folder / "{task}.csv")
    return empty_project


def written(project, study):
    path = project.folder / "config" / "written.yaml"
    path.write_text(yaml.safe_dump(study))
    return "config/written.yaml"


def test_a_whole_own_study_with_braces_in_its_paths(braces):
    braces.snakemake(config=written(braces, OWN))
    results = braces.folder / "results/braces"
    assert "The {best} pool" in (results / "report.html").read_text()
    estimates = pd.read_csv(results / "estimates.csv")
    shown = estimates[(estimates["estimator"] == "unweighted") & (estimates["utility"] == "none")]
    accuracy = shown.set_index("measure")["value"]["accuracy"]
    labels = pd.read_csv(braces.folder / "config/own/labels.csv")
    pool = pd.read_csv(braces.folder / "config/own/pool.csv")
    both = labels.merge(pool, on="item_id")
    assert accuracy == pytest.approx((both["label"] == both["prediction"]).mean())
    assert braces.planned(config="config/written.yaml") == {}


def test_a_dry_run_of_mixtures_with_braces_in_every_path(braces):
    given, folder = braces.folder / "config", braces.folder / FOLDER
    shutil.copy2(given / "demo/pairs.tsv", folder / "{dataset}.tsv")
    shutil.copy2(given / "spuraudio/rejected.tsv", folder / "{part}.tsv")
    for name in ("own {sound}", "{mirror}"):
        (folder / name).mkdir()
    (folder / "own {sound}" / "hum.wav").write_bytes(b"RIFF")
    config = braces.changed_config(
        title="The {best} mixtures",
        datasets=["demo", "folder", "esc50"],
        folder={"path": f"{FOLDER}/own {{sound}}"},
        mirror=f"{FOLDER}/{{mirror}}",
        mixtures={"pairs": f"{FOLDER}/{{dataset}}.tsv", "rejected": f"{FOLDER}/{{part}}.tsv"},
    )
    planned = braces.planned(config=config)
    assert planned["prepare_clips"] == 6
    assert planned["locate_folder"] == planned["fetch_dataset"] == planned["write_report"] == 1


def test_an_absent_file_is_said_with_the_folder_that_its_path_starts_from(empty_project):
    config = written(empty_project, OWN | {"labels": "config/own/labels.csv"})
    said = empty_project.snakemake("-n", config=config, check=False)
    assert said.returncode != 0
    wanted = f"pool: there is no file {FOLDER}/pool.csv in {empty_project.folder},"
    assert wanted in said.stdout


@pytest.fixture
def elsewhere(checkout, tmp_path):
    """A folder that holds nothing but a Snakefile which has the workflow as a module."""
    project = checkout(tmp_path / "somebody's {clone}")
    folder = tmp_path / "elsewhere"
    (folder / "config").mkdir(parents=True)
    snakefile = str(project.folder / "Snakefile")
    (folder / "Snakefile").write_text(MODULE.format(snakefile=snakefile))
    return type(project)(folder, project.python), project


def test_a_module_runs_a_shipped_study_in_an_empty_folder(elsewhere):
    module, clone = elsewhere
    shutil.copy2(clone.folder / "config/studies/own.yaml", module.folder / "config/config.yaml")
    module.snakemake(config=None)
    clone.snakemake(config="config/studies/own.yaml")
    for name in ("estimates.csv", "metrics.json", "next_labels.csv", "report.html"):
        made, wanted = (one.folder / "results/own" / name for one in (module, clone))
        assert made.read_bytes() == wanted.read_bytes(), name
    assert module.planned(config=None) == {}


def test_a_module_plans_the_demo_with_the_tables_of_the_workflow(elsewhere):
    module, clone = elsewhere
    shutil.copy2(clone.folder / "config/config.yaml", module.folder / "config/config.yaml")
    planned = module.planned(config=None)
    assert planned["plan_mixtures"] == planned["write_report"] == 1
    # a table of one's own goes first
    own = module.folder / "config/demo/pairs.tsv"
    own.parent.mkdir()
    own.write_text("nothing of use\n")
    said = module.snakemake("-n", config=None, check=False)
    assert said.returncode != 0
    assert "mixtures.pairs: config/demo/pairs.tsv" in said.stdout


def test_a_run_says_where_its_pages_are(braces):
    said = braces.snakemake(config=written(braces, OWN)).stdout
    assert "earnest: see results/braces/report.html" in said
    assert "earnest: see results/index.html" in said
