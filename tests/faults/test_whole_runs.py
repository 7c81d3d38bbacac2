"""A small study with hostile names that is killed, finds its disk full, or may not write.

Whatever happens, it ends in the same bytes. `make faults` kills the demo at twenty moments.
"""

import csv
import random
import re
import shutil
import subprocess
import time

import pytest

from earnest.studies import pruning
from tests import made_hostile
from tests.faults import kills
from tests.made_hostile import CONFIG
from tests.projects import Project

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

# Decoding, drawing, and what is done last; each is killed within so many seconds after it began.
STAGES = {"prepare_clips": 0.5, "draw_subsets": 0.3, "write_report": 1.5}


@pytest.fixture(scope="module")
def undisturbed(checkout, tmp_path_factory):
    """A checkout in which the small study has run; to be read only."""
    project = checkout(tmp_path_factory.mktemp("undisturbed") / "somebody's project")
    made_hostile.write_study(project.folder)
    project.snakemake(config=CONFIG)
    return project


@pytest.fixture(scope="module")
def expected(undisturbed):
    """The hash of every file that the small study makes."""
    return kills.made(undisturbed.folder)


@pytest.fixture
def fresh(empty_project):
    """A checkout in which the small study has not run yet."""
    made_hostile.write_study(empty_project.folder)
    return empty_project


@pytest.fixture
def mounted():
    """What mounts over a folder, and takes it away again in the end."""
    folders = []

    def mount(folder, *arguments):
        folder.mkdir(parents=True, exist_ok=True)
        command = ["mount", *arguments, str(folder)]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("nothing can be mounted here (no root?): this fault was not tried")
        folders.append(folder)

    yield mount
    for folder in folders:
        subprocess.run(["umount", str(folder)], check=True)


def is_at_work(project, rule):
    logs = project.folder.glob("logs/tiny/**/*.log")
    return any(path.stem == rule or rule in path.parts for path in logs)


def kill_in(project, rule, output, pause):
    """Run until a job of a rule has begun and a while longer, then kill everything."""
    run = kills.start(project, CONFIG, output)
    deadline = time.monotonic() + 240
    while not is_at_work(project, rule):
        assert run.poll() is None, output.read_text()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(pause)
    return kills.kill(run, project.folder)


def half_written(project):
    return [
        path
        for path in project.folder.glob("results/**/.*")
        if pruning.HALF_WRITTEN.fullmatch(path.name)
    ]


def test_hostile_names_are_text_in_pages_and_tables_and_plain_in_file_names(
    undisturbed, expected, tmp_path
):
    project = Project(tmp_path / "somebody's copy", undisturbed.python)
    shutil.copytree(undisturbed.folder, project.folder, symlinks=True)
    project.snakemake("--", "export", config=CONFIG)
    pages = ["results/tiny/report.html", "results/tiny/listening.html", "results/index.html"]
    for page in pages:
        text = (project.folder / page).read_text(encoding="utf-8")
        assert "<img src=x" not in text
        assert "alert(2)</script>" not in text
        assert "<b>names" not in text
        assert "\U0001f415" in text
    with open(project.result("export/mixtures.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = {row["foreground"].removeprefix("'") for row in rows}
    assert found == set(made_hostile.FOREGROUNDS)
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())
    plain = re.compile(r"[\w.=/-]+", re.ASCII)
    names = {row["file"] for row in rows} | set(expected)
    assert [name for name in names if not plain.fullmatch(name)] == []
    assert list(project.folder.rglob("pwned*")) == []


def test_a_run_killed_at_three_stages_ends_in_the_same_bytes(fresh, expected, tmp_path):
    draw = random.Random(7)
    for rule, longest in STAGES.items():
        killed = kill_in(fresh, rule, tmp_path / f"{rule}.txt", draw.uniform(0, longest))
        assert killed >= 2  # Snakemake itself and a job
        assert kills.damaged(fresh.folder, expected) == []
        if rule == "prepare_clips":
            refused = fresh.snakemake(config=CONFIG, check=False)
            assert refused.returncode != 0
            assert "--unlock" in refused.stdout
        fresh.snakemake("--unlock", config=CONFIG)
    fresh.snakemake(config=CONFIG)
    assert kills.differences(kills.made(fresh.folder), expected) == []
    assert fresh.planned(config=CONFIG) == {}


def test_a_full_disk_stops_a_run_that_goes_on_when_there_is_room(fresh, expected, mounted):
    results = fresh.folder / "results"
    mounted(results, "-t", "tmpfs", "-o", "size=3m", "tmpfs")
    # first the prepared clips do not fit, then they do and the mixtures do not
    for size, name in (("3m", "part-0.npy"), ("7m", "shard-0.wav")):
        subprocess.run(["mount", "-o", f"remount,size={size}", str(results)], check=True)
        stopped = fresh.snakemake(config=CONFIG, check=False)
        assert stopped.returncode != 0
        (line,) = (
            line for line in stopped.stdout.splitlines() if line.startswith("earnest: OSError: ")
        )
        assert "No space left on device" in line
        assert f"{name} was not written, and nothing of it was kept; make room" in line
        assert half_written(fresh) == []
        assert kills.damaged(fresh.folder, expected) == []
        assert not list(results.rglob(name))
    subprocess.run(["mount", "-o", "remount,size=100m", str(results)], check=True)
    fresh.snakemake(config=CONFIG)
    assert kills.differences(kills.made(fresh.folder), expected) == []


def test_results_that_are_read_only_are_told_and_left_as_they_are(
    undisturbed, expected, mounted, tmp_path
):
    project = Project(tmp_path / "somebody's copy", undisturbed.python)
    shutil.copytree(undisturbed.folder, project.folder, symlinks=True)
    results = project.folder / "results"
    for name in ("summary.parquet", "comparisons.csv", "curves.csv", "report.html"):
        (results / "tiny" / name).unlink()
    before = kills.made(project.folder)
    mounted(results, "--bind", str(results))
    subprocess.run(["mount", "-o", "remount,ro,bind", str(results)], check=True)
    stopped = project.snakemake(config=CONFIG, check=False)
    assert stopped.returncode != 0
    said = [line for line in stopped.stdout.splitlines() if line.startswith("earnest: ")]
    assert f"earnest: results: nothing can be written there: {results} is read-only" in said[0]
    assert "Make it writable for this user" in said[0]
    assert kills.made(project.folder) == before
    subprocess.run(["mount", "-o", "remount,rw,bind", str(results)], check=True)
    project.snakemake(config=CONFIG)
    assert kills.differences(kills.made(project.folder), expected) == []
