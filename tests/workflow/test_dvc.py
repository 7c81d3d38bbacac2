"""DVC around Snakemake: what is locked is right, what is not needed is not run."""

import json
import os
import re
import shutil
from dataclasses import dataclass

import pandas as pd
import pytest
import yaml

from tests.projects import Project, run_command

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

STAGES = ["clips", "mixtures", "embeddings", "pools", "draws", "estimates", "reports"]
ALSO = ("dvc.yaml", ".dvcignore", ".gitignore", "Makefile", "requirements.txt", ".dvc")
CONFIG = "config/config.yaml"
COMMAND = '#!/bin/sh\nexec "$(dirname "$0")/python" -m snakemake "$@"\n'
END = {"summarise": 1, "compare_weights": 1, "write_report": 1, "check_clips": 1}


@dataclass(frozen=True)
class Pipeline(Project):
    """A git and DVC repository whose default study is the tiny one."""

    def run(self, *command, check=True):
        """Run a program as in an activated environment; return its result, errors in `stdout`."""
        person = {"NAME": "Somebody", "EMAIL": "somebody@example.org"}
        names = {
            f"GIT_{role}_{key}": person[key] for role in ("AUTHOR", "COMMITTER") for key in person
        }
        path = f"{self.python.parent}{os.pathsep}{os.environ['PATH']}"
        places = {"PATH": path, "DVC_SITE_CACHE_DIR": str(self.folder.parent / "site")}
        return run_command(command, self.folder, names | places, check=check)

    def dvc(self, *arguments, check=True):
        return self.run(str(self.python), "-m", "dvc", *arguments, check=check).stdout

    def repro(self):
        """Reproduce; return the stages that ran."""
        return stages_run(self.dvc("repro"))

    def make(self, target, check=True):
        """Run a target of the Makefile, whose environment is the one of the tests."""
        environment = self.folder / ".venv"
        if not environment.exists():
            environment.symlink_to(self.python.parent.parent)
        (environment / ".core").touch()
        return self.run("make", target, check=check).stdout

    def commit(self, words):
        self.run("git", "add", "--all")
        self.run("git", "commit", "--quiet", "--message", words)

    def change(self, section, **values):
        path = self.folder / CONFIG
        config = yaml.safe_load(path.read_text())
        config[section] |= values
        path.write_text(yaml.safe_dump(config, sort_keys=False))

    def metrics(self):
        return json.loads(self.result("metrics.json").read_text())

    def summary(self):
        return pd.read_parquet(self.result("summary.parquet"))

    def planned(self):
        return super().planned(config=None)


def stages_run(text):
    return re.findall(r"^Running stage '(\w+)'", text, re.M)


def is_locked(pipeline):
    """Whether dvc.lock describes what is there: code, settings and results."""
    return "up to date" in pipeline.dvc("status")


def locked_hash(pipeline, name):
    lock = yaml.safe_load((pipeline.folder / "dvc.lock").read_text())
    (found,) = (
        out["md5"] for out in lock["stages"]["reports"]["outs"] if out["path"].endswith(f"/{name}")
    )
    return found


@pytest.fixture(scope="module")
def reproduced(root, checkout, tmp_path_factory):
    """The tiny study as the default one, reproduced from nothing and committed; to be read only."""
    base = checkout(tmp_path_factory.mktemp("dvc") / "somebody's pipeline")
    for name in ALSO:
        copy = shutil.copytree if (root / name).is_dir() else shutil.copy2
        options = (
            {"ignore": shutil.ignore_patterns("cache", "tmp", "*.local")}
            if copy is shutil.copytree
            else {}
        )
        copy(root / name, base.folder / name, **options)
    # as it stands: it leaves out keys that have defaults
    shutil.copy2(base.folder / "config/tiny.yaml", base.folder / CONFIG)
    command = base.python.with_name("snakemake")
    command.write_text(COMMAND)
    command.chmod(0o755)
    pipeline = Pipeline(base.folder, base.python)
    pipeline.run("git", "init", "--quiet")
    pipeline.dvc("cache", "dir", "--local", str(base.folder.parent / "cache"))
    assert pipeline.repro() == STAGES
    pipeline.commit("Lock the tiny study")
    return pipeline


@pytest.fixture
def pipeline(reproduced, tmp_path):
    """A copy of the reproduced pipeline, to change; the cache is shared."""
    folder = tmp_path / "somebody's copy"
    shutil.copytree(reproduced.folder, folder, symlinks=True)
    return Pipeline(folder, reproduced.python)


def test_a_second_time_nothing_runs(reproduced):
    assert reproduced.repro() == []
    assert reproduced.planned() == {}
    assert reproduced.run("git", "status", "--porcelain").stdout == ""


def test_a_grown_grid_adds_only_shards_and_metrics_compare(pipeline):
    """As an experiment; the draws and all before them keep what they had."""
    before = {path: path.stat().st_mtime_ns for path in shards(pipeline)}
    text = pipeline.dvc("exp", "run", "--name", "grown", "-S", f"{CONFIG}:draws.seeds=4")
    assert stages_run(text) == STAGES
    after = {path: path.stat().st_mtime_ns for path in shards(pipeline)}
    assert {path: after[path] for path in before} == before
    # two tasks x two random samplers x one block of seeds; three estimators with weights
    assert len(after) - len(before) == 4 + 12 + 12
    assert set(pipeline.summary().groupby("sampler")["seeds"].unique().map(list).map(max)) == {4, 1}
    assert is_locked(pipeline)
    assert pipeline.planned() == {}
    assert "grown" in pipeline.dvc("exp", "list", "--name-only")
    pipeline.commit("Take four seeds")
    check_metrics_diff(json.loads(pipeline.dvc("metrics", "diff", "--json", "HEAD~1", "HEAD")))
    table = pipeline.dvc("metrics", "diff", "HEAD~1", "HEAD")
    assert re.search(r"tasks\.context\.farthest\.balanced_accuracy\.kde +0\.\d+ +0\.\d+", table)
    assert max(map(len, table.splitlines())) < 300


def shards(pipeline):
    return sorted(pipeline.result(".").rglob("seeds-*.parquet"))


def check_metrics_diff(changes):
    (changes,) = changes.values()
    name = "tasks.context.farthest.balanced_accuracy.kde"
    assert 0 < changes[name]["old"] < 1
    assert changes[name]["diff"] == pytest.approx(changes[name]["new"] - changes[name]["old"])
    assert not any(key.endswith(".truth") for key in changes), "the truth is the same"


def test_a_shrunk_grid_gives_the_right_result_and_can_be_pruned(reproduced, pipeline):
    pipeline.change("draws", samplers=["random"])
    pipeline.change("estimates", estimators=["unweighted", "kde"])
    assert pipeline.repro() == STAGES
    whole = reproduced.summary()
    part = whole[(whole["sampler"] == "random") & whole["estimator"].isin(["unweighted", "kde"])]
    pd.testing.assert_frame_equal(pipeline.summary(), part.reset_index(drop=True))
    assert pipeline.metrics()["samplers"] == ["random"]
    curves = pd.read_csv(pipeline.result("curves.csv"))
    assert set(curves["sampler"]) == {"random"}
    assert pipeline.planned() == {}
    # of 6, 18 and 18 shards the grid has 2, 4 and 4
    assert len(shards(pipeline)) == 42
    assert "32 files deleted" in pipeline.make("prune")
    assert len(shards(pipeline)) == 10
    assert pipeline.planned() == {}
    assert is_locked(pipeline) is False  # the folders changed: the next `dvc repro` locks them anew


def test_a_parameter_of_the_report_makes_the_report_only(pipeline):
    before = {path: path.stat().st_mtime_ns for path in shards(pipeline)}
    pipeline.change("report", headline_size=20)
    assert pipeline.repro() == STAGES
    assert {path: path.stat().st_mtime_ns for path in shards(pipeline)} == before
    assert pipeline.metrics()["size"] == 20
    assert is_locked(pipeline)
    # back again: made anew, not put back behind Snakemake's back
    pipeline.change("report", headline_size=40)
    assert pipeline.repro() == STAGES
    assert pipeline.metrics()["size"] == 40
    assert pipeline.planned() == {}


def test_an_edit_in_the_library_never_locks_a_stale_result(reproduced, pipeline):
    pipeline.edit(
        "earnest/protocols/subsets/summary.py", '"bias": errors.mean()', '"bias": 1 + errors.mean()'
    )
    before = {path: path.stat().st_mtime_ns for path in shards(pipeline)}
    assert pipeline.repro() == STAGES
    old, new = reproduced.summary(), pipeline.summary()
    assert (new["bias"] - old["bias"]).dropna().to_numpy() == pytest.approx(1)
    changed = "summary.parquet"
    assert locked_hash(pipeline, changed) != locked_hash(reproduced, changed)
    assert is_locked(pipeline)
    assert {path: path.stat().st_mtime_ns for path in shards(pipeline)} == before
    assert pipeline.planned() == {}


def test_deleted_results_come_back_and_nothing_is_to_do(pipeline):
    for name in ("results", "data"):
        shutil.rmtree(pipeline.folder / name)
    pipeline.dvc("checkout")
    assert pipeline.planned() == {}
    assert pipeline.repro() == []


def test_a_clone_that_pulls_runs_nothing(reproduced, pipeline, tmp_path):
    pipeline.dvc("remote", "add", "--default", "store", str(tmp_path / "a remote"))
    pipeline.commit("Name the remote")
    pipeline.dvc("push")
    clone = Pipeline(tmp_path / "somebody's clone", pipeline.python)
    pipeline.run("git", "clone", "--quiet", str(pipeline.folder), str(clone.folder))
    assert clone.planned() != {}, "nothing was pulled yet"
    clone.make("pull")
    assert clone.planned() == {}
    assert clone.repro() == []
    report = "report.html"
    assert clone.result(report).read_bytes() == reproduced.result(report).read_bytes()
    # what was pulled is known with its code: an edit at the very start is seen
    clone.edit("earnest/datasets/preparing.py", "def prepare(", "EDITED = 1\n\n\ndef prepare(")
    assert clone.planned()["prepare_clips"] == 2
    refused = clone.make("settle", check=False)
    assert "The results are not those of dvc.lock" in refused
    assert clone.planned()["prepare_clips"] == 2


def test_plots_show_every_curve(reproduced, tmp_path):
    curves = pd.read_csv(reproduced.result("curves.csv"))
    # two tasks x four measures x three samplers x three estimators x two sizes
    assert len(curves) == 2 * 4 * 3 * 3 * 2
    text = reproduced.dvc("plots", "show", "--json", "--out", str(tmp_path))
    ((plot,),) = json.loads(text[text.index("{") :])["data"].values()
    content = plot["content"] if isinstance(plot["content"], dict) else json.loads(plot["content"])
    assert content["facet"]["row"]["field"] == "task"
    assert "<DVC_METRIC" not in json.dumps(content)
    points = pd.DataFrame(content["data"]["values"]).replace("", None)
    points = points.astype({"size": int, "mean": float})
    columns = ["task", "measure", "sampler", "estimator", "size"]
    shown = points.query("mean == mean").set_index(columns)["mean"].sort_index()
    expected = curves.dropna(subset="mean").set_index(columns)["mean"].sort_index()
    pd.testing.assert_series_equal(shown, expected)
