"""The workflow on a small study of tables: complete, repeatable, and nothing run twice."""

import gzip
import json
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import yaml

pytestmark = pytest.mark.workflow

STUDY = {
    "kind": "tables",
    "study": "small",
    "title": "Small tables",
    "collection": "pmlb",
    "mirror": "mirror",
    "datasets": ["first", "second", "third_one", "two_classes", "gone"],
    "corrections": ["none", "smote"],
    "repeats": 2,
    "trees": 5,
    "resamples": 100,
}
STAGES = {"split_table": 5, "score_correction": 10, "assess_tables": 1, "write_tables_report": 1}
END = {"assess_tables": 1, "write_tables_report": 1}
CONFIG = "config/small.yaml"


def write_table(folder, name, sizes, seed):
    """Write a table in PMLB's layout: two numbers and a class, some cells empty."""
    rng = np.random.default_rng(seed)
    lines = ["x\ty\ttarget"]
    for place, (label, size) in enumerate(sizes.items()):
        for x, y in rng.normal(size=(size, 2)) + 1.2 * place:
            lines.append(f"{'' if rng.random() < 0.02 else f'{x:.4f}'}\t{y:.4f}\t{label}")
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / f"{name}.tsv.gz", "wt") as file:
        file.write("\n".join(lines) + "\n")


def write_study(project, **changes):
    (project.folder / CONFIG).write_text(yaml.safe_dump(STUDY | changes))


def prepare(project):
    folder = project.folder / "mirror" / "pmlb"
    write_table(folder, "first", {"a": 60, "b": 30, "c": 14}, seed=1)
    write_table(folder, "second", {"0": 50, "1": 45, "2": 25, "3": 20}, seed=2)
    write_table(folder, "third_one", {"x": 70, "y": 40, "z": 20}, seed=3)
    write_table(folder, "two_classes", {"a": 40, "b": 40}, seed=4)
    write_study(project)
    return project


@pytest.fixture(scope="module")
def finished_tables(tmp_path_factory, checkout):
    """The checkout in which the small study has run; to be read only."""
    project = prepare(checkout(tmp_path_factory.mktemp("tables") / "somebody's project"))
    project.snakemake(config=CONFIG)
    return project


@pytest.fixture
def tables(finished_tables, tmp_path):
    """A copy of the finished checkout, to change and run again."""
    folder = tmp_path / "somebody's copy"
    shutil.copytree(finished_tables.folder, folder, symlinks=True)
    return replace(finished_tables, folder=folder)


def result(project, name):
    return project.folder / "results" / "small" / name


def test_a_dry_run_names_every_job(tmp_path, checkout):
    project = prepare(checkout(tmp_path / "somebody's new project"))
    assert project.planned(config=CONFIG) == STAGES


def test_the_run_is_complete(finished_tables):
    scores = pd.read_parquet(result(finished_tables, "scores.parquet"))
    cells = scores.groupby(["dataset", "correction"]).size()
    # 2 repeats x 2 folds x 3 parts x 3 measures x 5 weightings
    assert cells.to_dict() == {
        (name, correction): 180
        for name in ("first", "second", "third_one")
        for correction in ("none", "smote")
    }
    assert scores["value"].notna().all()
    assert (result(finished_tables, "report.html")).stat().st_size > 50_000


def test_what_could_not_be_run_has_its_reason(finished_tables):
    datasets = json.loads(result(finished_tables, "datasets.json").read_text())
    reasons = {one["dataset"]: one["reason"] for one in datasets}
    assert list(reasons) == STUDY["datasets"]
    assert [reasons[name] for name in ("first", "second", "third_one")] == [None] * 3
    assert "a task needs at least 3 classes, found a (40), b (40)" in reasons["two_classes"]
    assert "put gone.tsv.gz from https://" in reasons["gone"]
    page = result(finished_tables, "report.html").read_text()
    assert "put gone.tsv.gz from https://" in page
    assert "3</b><span>data sets used, 2 not run" in page


def test_correlations_are_those_of_the_written_scores(finished_tables):
    scores = pd.read_parquet(result(finished_tables, "scores.parquet"))
    table = pd.read_parquet(result(finished_tables, "correlations.parquet"))
    assert len(table) == 2 * 3 * 5 * 2
    means = scores.groupby(["correction", "measure", "utility", "part", "dataset"])["value"].mean()
    for row in table.itertuples():
        full = means[row.correction, row.measure, row.utility, "full"]
        end = means[row.correction, row.measure, row.utility, row.part]
        assert row.value == pytest.approx(np.corrcoef(full, end)[0, 1], abs=1e-9)


def test_metrics_are_strict_json(finished_tables):
    def refuse(constant):
        raise AssertionError(constant)

    text = result(finished_tables, "metrics.json").read_text()
    metrics = json.loads(text, parse_constant=refuse)
    assert set(metrics["gap"]) == {"none", "smote"}


@pytest.mark.parametrize("seed", ["0", "1"])
def test_a_second_run_does_nothing_whatever_the_hash_seed(finished_tables, seed):
    assert finished_tables.planned(config=CONFIG, PYTHONHASHSEED=seed) == {}


def test_a_set_that_turns_up_runs_only_its_own_jobs(tables):
    write_table(tables.folder / "mirror" / "pmlb", "gone", {"p": 50, "q": 25, "r": 12}, seed=9)
    expected = {"split_table": 1, "score_correction": 2, **END}
    assert tables.planned(config=CONFIG) == expected
    tables.snakemake(config=CONFIG)
    scores = pd.read_parquet(result(tables, "scores.parquet"))
    assert set(scores["dataset"]) == {"first", "second", "third_one", "gone"}


def test_another_correction_runs_only_its_own_jobs(tables):
    write_study(tables, corrections=["none", "smote", "rus"])
    assert tables.planned(config=CONFIG) == {"score_correction": 5, **END}


def test_a_set_that_is_taken_out_leaves_the_tables(tables):
    write_study(tables, datasets=["first", "second"])
    assert tables.planned(config=CONFIG) == END
    tables.snakemake(config=CONFIG)
    scores = pd.read_parquet(result(tables, "scores.parquet"))
    assert set(scores["dataset"]) == {"first", "second"}
    gaps = pd.read_parquet(result(tables, "gaps.parquet"))
    assert gaps["value"].isna().all()
    assert set(gaps["reason"]) == {"not run: 2 data sets, and 3 are needed"}


@pytest.mark.parametrize(
    ("file", "line", "expected"),
    [
        ("tasks/imbalance", "def correct(", {"score_correction": 10, **END}),
        ("protocols/crossval/splitting", "def split_table(", STAGES),
        ("protocols/crossval/weight_quality", "def distances(", END),
    ],
)
def test_an_edit_in_the_library_runs_its_dependants_again(tables, file, line, expected):
    tables.edit(f"earnest/{file}.py", line, f"EDITED = 1\n\n\n{line}")
    assert tables.planned(config=CONFIG) == expected


def test_a_misspelt_key_stops_before_any_job(tmp_path, checkout):
    project = prepare(checkout(tmp_path / "somebody's new project"))
    write_study(project, tree=7, corrections=["smot"])
    found = project.snakemake(config=CONFIG, check=False)
    assert found.returncode != 0
    assert "unknown key 'tree' at the top level; did you mean 'trees'?" in found.stdout
    assert "did you mean 'smote'?" in found.stdout
    assert not (project.folder / "results").exists()


def test_a_misspelt_kind_names_the_kinds(tmp_path, checkout):
    project = prepare(checkout(tmp_path / "somebody's new project"))
    write_study(project, kind="tabels")
    found = project.snakemake(config=CONFIG, check=False)
    assert found.returncode != 0
    assert "did you mean 'tables'?" in found.stdout


@pytest.mark.parametrize("study", ["keel", "pmlb"])
def test_the_studies_of_the_paper_plan_their_jobs(tmp_path, checkout, study):
    project = checkout(tmp_path / "somebody's new project")
    config = f"config/studies/{study}.yaml"
    sets, corrections = {"keel": (8, 5), "pmlb": (48, 1)}[study]
    # no mirror lies beside this checkout, so every set is to be fetched
    expected = {"fetch_table": sets, "split_table": sets, "score_correction": sets * corrections}
    assert project.planned(config=config) == expected | END


def write_predictions(folder, name, seed):
    """Write a made model's predictions and its subconcepts."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(["base", "large", "small"], [40, 20, 10])
    posteriors = rng.dirichlet(np.ones(3), size=70)
    posteriors[np.arange(70), np.repeat([0, 1, 2], [40, 20, 10])] += 1
    posteriors /= posteriors.sum(axis=1, keepdims=True)
    frame = pd.DataFrame(
        posteriors, columns=["posterior:base", "posterior:large", "posterior:small"]
    )
    frame = frame.assign(y_true=(truth != "base").astype(int), subconcept=truth)
    frame = frame.assign(score=1 - posteriors[:, 0] + 0.3 * rng.normal(size=70))
    frame = frame.assign(prediction=(frame["score"] > 0.5).astype(int))
    folder.mkdir(exist_ok=True)
    frame.to_csv(folder / f"{name}.csv", index=False)
    pd.DataFrame(
        {
            "subconcept": ["base", "large", "small"],
            "side": ["majority", "minority", "minority"],
            "train_size": [400, 200, 100],
        }
    ).to_csv(folder / "subconcepts.csv", index=False)


def test_predictions_made_elsewhere_get_the_same_tables(tmp_path, checkout):
    project = checkout(tmp_path / "somebody's new project")
    names = ["first", "second", "third", "gone"]
    for seed, name in enumerate(names[:3]):
        write_predictions(project.folder / "given", name, seed)
    models = [
        {
            "name": name,
            "predictions": f"given/{name}.csv",
            "subconcepts": "given/subconcepts.csv",
        }
        for name in names
    ]
    study = {"kind": "predictions", "study": "small", "title": "Given", "models": models}
    (project.folder / CONFIG).write_text(yaml.safe_dump(study | {"resamples": 100}))
    assert project.planned(config=CONFIG) == {"score_predictions": 4, **END}
    project.snakemake(config=CONFIG)
    assert project.planned(config=CONFIG) == {}
    scores = pd.read_parquet(result(project, "scores.parquet"))
    assert scores.groupby("dataset").size().to_dict() == dict.fromkeys(sorted(names[:3]), 45)
    gaps = pd.read_parquet(result(project, "gaps.parquet"))
    assert gaps["value"].notna().all()
    assert "there is no file given/gone.csv" in result(project, "report.html").read_text()
