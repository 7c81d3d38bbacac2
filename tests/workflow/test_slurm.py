"""The workflow under a real Slurm: jobs are submitted, and those that are lost come back."""

import os
import re
import subprocess
import time
from dataclasses import replace

import pytest

from tests import slurm_node

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

QUICK = {
    "--slurm-init-seconds-before-status-checks": "1",
    "--seconds-between-status-checks": "1",
    "--latency-wait": "10",
}


@pytest.fixture
def asked_for(request):
    """What takes long is run by `make slurm`."""
    if "slurm" not in request.config.option.markexpr:
        pytest.skip("the whole demo under Slurm is run by `make slurm`")


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """A Slurm of our own."""
    if reason := slurm_node.why_not():
        pytest.skip(f"no Slurm run was tried: {reason}")
    with slurm_node.running(tmp_path_factory.mktemp("slurm")):
        yield


@pytest.fixture
def small(empty_project, make_python):
    """A study of about a dozen jobs; the plugin does not quote a Python whose path has quotes."""
    empty_project.changed_config(
        tasks=[{"name": "foregrounds", "kind": "classes"}],
        clips={"parts": 1},
        mixtures={"shards": 1},
        draws={"samplers": ["random"]},
        estimates={"estimators": ["unweighted", "kde"]},
    )
    return replace(empty_project, python=make_python("venv"))


def submit(project, *arguments, config="config/changed.yaml", **kwargs):
    """Start Snakemake with the Slurm profile."""
    options = [word for pair in QUICK.items() for word in pair]
    command = [*project.command(config), "--profile", "profiles/slurm"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.Popen(
        [*command, *options, *arguments],
        cwd=project.folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **kwargs,
    )


def first_running_job():
    """Wait for a job to run and return its number."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        found = subprocess.run(
            ["squeue", "-h", "-t", "RUNNING", "-o", "%A"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        if found:
            return found[0]
        time.sleep(0.2)
    raise AssertionError("no job ran within two minutes")


def test_a_study_completes_although_a_job_is_cancelled(slurm, small):
    process = submit(small)
    subprocess.run(["scancel", first_running_job()], check=True)
    output, _ = process.communicate(timeout=500)
    assert process.returncode == 0, output
    assert "Trying to restart job" in output
    assert small.result("report.html").stat().st_size > 0
    assert len(set(re.findall(r"SLURM jobid '?(\d+)", output))) >= 12


def test_a_job_out_of_memory_is_submitted_again_with_more(slurm, small):
    # Less than Python needs with the libraries; the second try has a hundred times as much.
    process = submit(
        small,
        "--set-resources",
        "synthesise_demo:mem_mb=40*100**(attempt-1)",
        "--until",
        "synthesise_demo",
    )
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output
    assert "Trying to restart job" in output
    assert list(small.folder.glob("data/demo/*/root.json"))


def files_of(folder):
    """Every file below a folder, by its path there."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.slurm
def test_the_whole_demo_gives_the_same_files_under_slurm(
    asked_for, slurm, checkout, make_python, tmp_path
):
    python = make_python("venv")
    here, there = (replace(checkout(tmp_path / name), python=python) for name in ("here", "there"))
    start = time.monotonic()
    output, _ = submit(there, config="config/config.yaml").communicate(timeout=7200)
    submitted = set(re.findall(r"SLURM jobid '?(\d+)", output))
    print(f"{len(submitted)} jobs, {time.monotonic() - start:.0f} s")
    assert "Trying to restart job" not in output
    assert len(submitted) > 100, output
    here.snakemake(config="config/config.yaml")
    results = [files_of(project.folder / "results" / "demo") for project in (here, there)]
    assert results[0].keys() == results[1].keys()
    assert [name for name in results[0] if results[0][name] != results[1][name]] == []
