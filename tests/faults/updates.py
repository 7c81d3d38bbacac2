"""Finished studies that are brought up to date, and interrupted while they are."""

import os
import random
import shutil
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import yaml

from tests.faults import kills
from tests.made_releases import noise, write_audio
from tests.projects import Project

TINY = "config/tiny.yaml"
FOLDER = "config/folder.yaml"
FOLDER_STUDY = {
    "kind": "clips",
    "study": "folder",
    "title": "Sounds of a folder",
    "datasets": ["folder"],
    "folder": {"path": "somebody's sounds", "recordings": r"(r\d+)_"},
    "clips": {"parts": 2, "duration_s": 1},
    "split": {},
    "tasks": [{"name": "kinds", "kind": "classes"}],
    "draws": {"samplers": ["random"], "sizes": [4], "seeds": 2},
    "estimates": {"estimators": ["unweighted", "difference"], "resamples": 50},
    "report": {"headline_size": 4},
}


def write_folder_study(project: Project) -> None:
    """Write the sounds of two classes and a study of them."""
    rng = np.random.default_rng(0)
    for kind, label in enumerate(("hum", "hiss")):
        for number in range(10):
            samples = noise(kind, rng, seconds=1.5, sample_rate=16_000)
            name = f"r{10 * kind + number // 2}_{number}.wav"
            write_audio(project.folder / "somebody's sounds" / label / name, samples)
    (project.folder / FOLDER).write_text(yaml.safe_dump(FOLDER_STUDY))


def _sounds(project: Project) -> Path:
    return project.folder / "somebody's sounds"


def changed_clip(project: Project) -> None:
    """Replace a clip by another of the same length and with its time."""
    clip = _sounds(project) / "hum" / "r0_0.wav"
    state = clip.stat()
    shutil.copy(_sounds(project) / "hum" / "r4_9.wav", clip)
    os.utime(clip, ns=(state.st_atime_ns, state.st_mtime_ns))


def corrected_label(project: Project) -> None:
    """Move a clip into the folder of another class."""
    os.rename(_sounds(project) / "hum" / "r1_2.wav", _sounds(project) / "hiss" / "r1_2.wav")


def deleted_clip(project: Project) -> None:
    """Take a clip away."""
    (_sounds(project) / "hiss" / "r14_8.wav").unlink()


def changed_pair(project: Project) -> None:
    """Make another background the usual one of a foreground; the table gets an older time."""
    table = project.folder / "config/demo/pairs.tsv"
    lines = table.read_text().splitlines()
    rows = [line.split("\t") for line in lines]
    first = rows[1][1]
    usual = next(k for k, row in enumerate(rows) if row[1] == first and row[3] == "1")
    other = next(k for k, row in enumerate(rows) if row[1] == first and row[3] == "0")
    rows[usual][3], rows[other][3] = "0", "1"
    table.write_text("\n".join("\t".join(row) for row in rows) + "\n")
    os.utime(table, (1_500_000_000, 1_500_000_000))


def grown_grid(project: Project) -> None:
    """Add a sampler and an estimator."""
    path = project.folder / TINY
    study = yaml.safe_load(path.read_text())
    study["draws"]["samplers"].append("density_farthest")
    study["estimates"]["estimators"].append("logistic")
    path.write_text(yaml.safe_dump(study))


def changed_setting(project: Project) -> None:
    """Ask for other intervals."""
    path = project.folder / TINY
    study = yaml.safe_load(path.read_text())
    study["estimates"]["level"] = 0.9
    path.write_text(yaml.safe_dump(study))


def edited_library(project: Project) -> None:
    """Edit a function that mixes."""
    path = project.folder / "earnest/mixing/sums.py"
    text = path.read_text()
    path.write_text(text + "\n\nEDITED = 1\n")


UPDATES = {
    FOLDER: (changed_clip, corrected_label, deleted_clip),
    TINY: (changed_pair, grown_grid, changed_setting, edited_library),
}
WAYS = ("kill", "interrupt", "terminate", "kill a child")


@dataclass(frozen=True)
class Update:
    """One update of a finished study, and what it makes when nobody disturbs it."""

    project: Project  # finished, before the update; to be read only
    config: str
    change: object
    expected: dict[str, str]
    work: float  # CPU seconds of the undisturbed update

    def interrupted(self, folder: Path, way: str, share: float) -> list[str]:
        """Interrupt the update in a copy, give the command again, and name what differs."""
        project = copied(self.project, folder)
        self.change(project)
        output = folder.parent / "output.txt"
        run = kills.start(project, self.config, output)
        kills.wait_for_jobs(run, output)
        kills.wait_for_work(run, kills.work_of(run.pid) + share * self.work)
        interrupt(run, project.folder, way)
        print(f"\n  {self.change.__name__}, {way}: {kills.stages_at_work(folder)}", flush=True)
        kills.finish(project, self.config)
        assert project.planned(config=self.config) == {}
        return kills.differences(kills.made(project.folder), self.expected)


def undisturbed(project: Project, config: str, change, folder: Path) -> Update:
    """Bring a copy of a finished study up to date, and measure what that takes."""
    updated = copied(project, folder)
    change(updated)
    output = folder.parent / "undisturbed.txt"
    run = kills.start(updated, config, output)
    kills.wait_for_jobs(run, output)
    begun = kills.work_of(run.pid)
    work = begun
    while run.poll() is None:
        work = max(work, kills.work_of(run.pid))
        with suppress(subprocess.TimeoutExpired):
            run.wait(0.05)
    assert run.returncode == 0, output.read_text()
    expected = kills.made(updated.folder)
    assert kills.differences(expected, kills.made(project.folder)), "the update changed nothing"
    return Update(project, config, change, expected, work - begun)


def copied(project: Project, folder: Path) -> Project:
    """Copy a project with all that it has made; times stay."""
    shutil.copytree(project.folder, folder, symlinks=True)
    return replace(project, folder=folder)


def interrupt(run: subprocess.Popen, folder: Path, way: str) -> None:
    """Interrupt a run in one of the `WAYS`, and wait until nothing of it is left."""
    if way == "interrupt":
        run.send_signal(signal.SIGINT)
    elif way == "terminate":
        run.send_signal(signal.SIGTERM)
    elif way == "kill a child":
        children = kills.children(run.pid)
        if children:
            with suppress(ProcessLookupError):
                os.kill(random.Random(len(children)).choice(children), signal.SIGKILL)
    if way != "kill":
        with suppress(subprocess.TimeoutExpired):
            run.wait(120)
    kills.kill(run, folder)
