"""`make faults`: the demo is killed at twenty random moments; what it makes is always the same.

`RUNS` spreads the kills over so many runs: by default every run is killed once; with fewer, each is
killed several times, which takes less time.
"""

import os
import resource
import shutil

import pytest

from tests.faults import kills

pytestmark = pytest.mark.faults

CONFIG = "config/config.yaml"
SEED = 7
KILLS = 20
RUNS = int(os.environ.get("RUNS", KILLS))


@pytest.fixture(scope="module")
def undisturbed(checkout, tmp_path_factory):
    """What the demo makes when nobody disturbs it, and how much CPU time that takes."""
    project = checkout(tmp_path_factory.mktemp("undisturbed") / "somebody's demo")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    project.snakemake(config=CONFIG)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    duration = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    expected = kills.made(project.folder)
    print(f"\nundisturbed: {duration:.0f} s of CPU time, {len(expected)} files", flush=True)
    return expected, duration


def kill_after(project, seconds, *, resumed):
    """Kill a run after so much work; return the number of processes, none if it ended before."""
    output = project.folder.parent / "output.txt"
    run = kills.start(project, CONFIG, output)
    if resumed:  # to start again is no part of an undisturbed run
        kills.wait_for_jobs(run, output)
        seconds += kills.work_of(run.pid)
    is_at_work = kills.wait_for_work(run, seconds)
    return kills.kill(run, project.folder) if is_at_work else 0


def killed_at(project, moments, expected):
    """Kill a run from nothing at each moment and look at what is left; false if it ended before."""
    before = 0.0
    for moment in moments:
        if before:
            project.snakemake("--unlock", config=CONFIG)
        killed = kill_after(project, moment - before, resumed=before > 0)
        if not killed:
            return False
        there, stages = len(kills.made(project.folder)), kills.stages_at_work(project.folder)
        print(
            f"\n  {moment:.1f} s: {killed} processes killed, {there} files there; {stages}",
            flush=True,
        )
        assert kills.damaged(project.folder, expected) == []
        before = moment
    return True


@pytest.mark.parametrize("number", range(RUNS))
def test_a_killed_demo_ends_in_the_same_bytes(undisturbed, checkout, tmp_path, number):
    expected, duration = undisturbed
    moments = kills.moments(SEED, KILLS, duration)[number::RUNS]
    for attempt in range(5):
        project = checkout(tmp_path / str(attempt) / "somebody's killed demo")
        if killed_at(project, moments, expected):
            break
        print("\n  it ended before; from nothing again, and sooner", flush=True)
        moments = [0.8 * moment for moment in moments]
    else:
        pytest.fail("the run always ended before it could be killed")
    kills.finish(project, CONFIG)
    assert kills.differences(kills.made(project.folder), expected) == []
    assert project.planned(config=CONFIG) == {}
    shutil.rmtree(project.folder)
