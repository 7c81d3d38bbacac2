"""What the fault tests themselves rely on: that nothing survives, and that damage is seen."""

import base64
import subprocess
import sys
import time

from tests.faults import kills

# A parent that waits, and a child in a process group of its own that would write in a while.
FAMILY = """
import pathlib, subprocess, sys
subprocess.Popen(
    [sys.executable, "-c", "import time, pathlib; time.sleep(3); pathlib.Path('late').touch()"],
    process_group=0,
)
pathlib.Path("ready").touch()
input()
"""


def test_one_moment_lies_in_each_part():
    moments = kills.moments(7, 20, 200.0)
    assert [int(moment // 10) for moment in moments] == list(range(20))
    assert moments == kills.moments(7, 20, 200.0)


def test_no_child_survives(tmp_path):
    command = [sys.executable, "-c", FAMILY]
    run = subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, start_new_session=True)
    while not (tmp_path / "ready").exists():
        time.sleep(0.01)
    assert kills.work_of(run.pid) > 0
    assert kills.kill(run, tmp_path) == 2
    run.stdin.close()
    time.sleep(3.2)
    assert not (tmp_path / "late").exists()


def test_damage_is_seen_unless_the_output_is_made_again(tmp_path):
    results = tmp_path / "results" / "demo"
    results.mkdir(parents=True)
    for name in ("a.npy", "b.npy"):
        (results / name).write_bytes(b"whole")
    (results / ".c.q1w2e3r4.npy").write_bytes(b"of a killed writer")
    expected = kills.made(tmp_path)
    assert sorted(expected) == ["results/demo/a.npy", "results/demo/b.npy"]
    (results / "a.npy").write_bytes(b"half")
    (results / "b.npy").unlink()
    assert kills.damaged(tmp_path, expected) == ["results/demo/a.npy: changed"]
    assert kills.differences(kills.made(tmp_path), expected) == [
        "results/demo/a.npy: changed",
        "results/demo/b.npy: missing",
    ]
    marks = tmp_path / ".snakemake" / "incomplete"
    marks.mkdir(parents=True)
    (marks / base64.b64encode(b"results/demo/a.npy").decode()).touch()
    assert kills.begun(tmp_path) == ["results/demo/a.npy"]
    assert kills.damaged(tmp_path, expected) == []
