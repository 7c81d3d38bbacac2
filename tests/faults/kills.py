"""Killing a run of Snakemake with everything that it started, and comparing what runs have made."""

import base64
import hashlib
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from earnest.studies.pruning import HALF_WRITTEN

# The index of studies says when each was finished; all else under results/ is a result.
TIMED = "results/index.html"
MADE = ("results", "data/demo")


def moments(seed: int, count: int, duration: float) -> list[float]:
    """Draw `count` moments of a run, one in each of as many equal parts of its duration.

    A duration is in seconds of CPU time of all processes together, so that a moment lies at the
    same place of the work whatever else the machine does.
    """
    draw = random.Random(seed)
    return [(part + draw.random()) * duration / count for part in range(count)]


def work_of(session: int) -> float:
    """Return the CPU seconds that the processes of a session have used, ended ones included."""
    ticks = 0
    for state in _states().values():
        if int(state[3]) == session:
            ticks += sum(map(int, state[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def wait_for_work(run: subprocess.Popen, seconds: float) -> bool:
    """Wait until a run has used so much CPU time; false if it ended before."""
    while work_of(run.pid) < seconds:
        if run.poll() is not None:
            return False
        time.sleep(0.02)
    return run.poll() is None


def start(project, config: str | None, output: Path) -> subprocess.Popen:
    """Start Snakemake in a session of its own, its output in a file."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with open(output, "w", encoding="utf-8") as file:
        return subprocess.Popen(
            project.command(config),
            cwd=project.folder,
            env=clean,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def kill(run: subprocess.Popen, folder: Path) -> int:
    """Send SIGKILL to a run and all that it started, until nothing is left; say how many."""
    killed = set()
    while left := set(_alive(run.pid, folder)):
        for process in left:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        killed |= left
        run.poll()  # or it stays as a zombie
        time.sleep(0.01)
    run.wait()
    return len(killed)


def _alive(session: int, folder: Path) -> Iterator[int]:
    """Yield the processes of a session, and those that work in the folder, zombies left out."""
    for process, state in _states().items():
        with suppress(OSError):
            here = Path(os.readlink(f"/proc/{process}/cwd"))
            if state[0] != "Z" and (int(state[3]) == session or here.is_relative_to(folder)):
                yield process


def children(session: int) -> list[int]:
    """Return the living processes of a session but the first one."""
    return [
        process
        for process, state in _states().items()
        if process != session and int(state[3]) == session and state[0] != "Z"
    ]


def _states() -> dict[int, list[str]]:
    """Return what /proc says of every process, from its state on."""
    states = {}
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            states[int(path.name)] = (path / "stat").read_text().rpartition(")")[2].split()
    return states


def begun(folder: Path) -> list[str]:
    """Return the outputs that Snakemake has noted as begun and not as finished."""
    marks = folder / ".snakemake" / "incomplete"
    names = [path.relative_to(marks) for path in marks.rglob("*") if not path.is_dir()]
    return sorted(
        base64.b64decode(str(name).replace("/@", ""), altchars=b"-_").decode() for name in names
    )


def wait_for_jobs(run: subprocess.Popen, output: Path, *, seconds: float = 300) -> None:
    """Wait until a run begins its first job, or has ended."""
    deadline = time.monotonic() + seconds
    while run.poll() is None and "Select jobs to execute" not in output.read_text():
        assert time.monotonic() < deadline, "no job began"
        time.sleep(0.05)


def stages_at_work(folder: Path) -> str:
    """Say to which stages the outputs belong that were begun."""
    return ", ".join(sorted({_stage(name) for name in begun(folder)})) or "between jobs"


def _stage(output: str) -> str:
    parts = Path(output).parts
    return parts[2] if parts[0] == "results" else parts[1]


def made(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every result by its path; files that a killed writer left are none."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for part in MADE
        for path in sorted((folder / part).rglob("*"))
        if path.is_file()
        and str(path.relative_to(folder)) != TIMED
        and not HALF_WRITTEN.fullmatch(path.name)
    }


def damaged(folder: Path, expected: dict[str, str]) -> list[str]:
    """Name what a killed run left, was not noted as begun, and is not as in a finished run."""
    again = begun(folder)
    left = {
        name: digest
        for name, digest in made(folder).items()
        if not any(name == output or name.startswith(f"{output}/") for output in again)
    }
    return [line for line in differences(left, expected) if not line.endswith(": missing")]


def differences(found: dict[str, str], expected: dict[str, str]) -> list[str]:
    """Name every file that is missing, too many or of other content."""
    return sorted(
        f"{name}: {'missing' if name not in found else 'changed' if name in expected else 'new'}"
        for name in found.keys() | expected.keys()
        if found.get(name) != expected.get(name)
    )


def finish(project, config: str | None) -> None:
    """Go on as the README says: remove the lock, give the same command again."""
    project.snakemake("--unlock", config=config)
    project.snakemake(config=config)
