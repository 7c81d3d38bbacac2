"""What the last stage of a study of 10,000 cells costs: CPU time, wall time, memory, page size.

    python benchmarks/large_report.py

A cell is a task, sampler, size and estimator. Each has its seeds, and each of these 16 pairs of
measure and weighting. In a temporary folder, tasks are built by the workflow from the demo corpus
made small, and one shard of estimates of each task is computed. All others are made from that one
with errors of their own, and noted as finished. Then the workflow makes summary, comparisons
and the report, each in a run of its own, and has nothing to do after that.
"""

import argparse
import itertools
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow.parquet
import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.pop(0)  # this folder, where this file would pass for the package of its name
sys.path.insert(0, str(ROOT))

from earnest import io, samplers, weights  # noqa: E402

PARTS = ("Snakefile", "rules", "workflow_scripts", "earnest", "config", "profiles")
SAMPLERS = ("random", "uncertainty", "farthest", "density_farthest", "kmedoids")
ESTIMATORS = (
    *("unweighted", "kde", "logistic", "knn", "difference", "ppi"),
    *("post_stratified", "calibrated", "average_confidence", "class_prior"),
)
SIZES = (10, 15, 20, 25, 30, 40, 50, 60, 80, 100)
CONTEXT = {"kind": "context", "foreground": "dog_bark"}
STEPS = ("summary.parquet", "joint.parquet", "report.html")


def prepare(folder: Path, tasks: int, seeds: int) -> None:
    """Copy the project and write the study."""
    ignored = shutil.ignore_patterns("__pycache__")
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy2
        copy(ROOT / part, folder / part, **({"ignore": ignored} if (ROOT / part).is_dir() else {}))
    study = yaml.safe_load((ROOT / "config/tiny.yaml").read_text())
    study |= {
        "study": "large",
        "title": "A study of many cells",
        "tasks": [CONTEXT | {"name": f"task-{k:03d}"} for k in range(tasks)],
        "draws": {"samplers": [*SAMPLERS], "sizes": [*SIZES], "seeds": seeds},
        "estimates": {"estimators": [*ESTIMATORS], "resamples": 50},
    }
    (folder / "config/large.yaml").write_text(yaml.safe_dump(study))


def snakemake(folder: Path, *arguments: str) -> dict[str, float]:
    """Run the workflow and return its CPU and wall seconds, and the peak of memory so far."""
    command = [sys.executable, "-m", "snakemake", "--cores=1", "--quiet=all"]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command += [*arguments, "--configfile", "config/large.yaml"]
    subprocess.run(command, cwd=folder, check=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu": cpu, "wall": wall, "peak": after.ru_maxrss / 1e6}


def fill(folder: Path, tasks: int, seeds: int) -> int:
    """Write every shard that is not there, by the one that is; return the number of estimates."""
    results, written = folder / "results/large", 0
    for task, sampler in itertools.product(range(tasks), SAMPLERS):
        here, rng = f"task-{task:03d}", np.random.default_rng([task, SAMPLERS.index(sampler)])
        last = 0 if sampler in samplers.DETERMINISTIC else seeds - 1
        real = f"random/seeds-0-{seeds - 1}.parquet"
        draws = results / "draws" / here
        of_sampler("draws", draws / real, draws / f"{sampler}/seeds-0-{last}.parquet", sampler)
        real = results / "estimates" / here / real.replace("/", "/unweighted/")
        for estimator in ESTIMATORS:
            path = results / "estimates" / here / sampler / estimator / f"seeds-0-{last}.parquet"
            written += of_sampler("estimates", real, path, sampler, estimator, rng)
    return written


def of_sampler(table: str, real: Path, path: Path, sampler: str, *moved: Any) -> int:
    """Write a shard like another, of a sampler and its seeds; return the number of rows."""
    frame = io.read_frame(table, real)
    if path != real:
        stamp = pyarrow.parquet.read_schema(real).metadata[io.STAMP_KEY].decode()
        if sampler in samplers.DETERMINISTIC:
            frame = frame[frame["seed"] == 0]
        frame = frame.assign(sampler=sampler)
        io.write_frame(table, other(frame, *moved) if moved else frame, path, stamp=stamp)
    return len(frame)


def other(frame: pandas.DataFrame, estimator: str, rng: np.random.Generator) -> pandas.DataFrame:
    """Return estimates with errors that an estimator and subsets of its sampler might have."""
    sampler, count = frame["sampler"].iloc[0], len(frame)
    bias = 0.1 * np.random.default_rng([*map(ord, sampler + estimator)]).normal()
    error = (bias + rng.normal(size=count)) / np.sqrt(frame["size"])
    value = (frame["truth"] + 0.5 * error).clip(0, 1)
    weighted = estimator in weights.WEIGHTS
    share = rng.uniform(0.3, 1, count)
    changes = {"estimator": estimator, "subset": sampler + frame["subset"], "value": value}
    changes |= {"low": (value - 0.1).clip(0, 1), "high": (value + 0.1).clip(0, 1)}
    if weighted:
        changes |= {"ess": share * frame["size"], "largest": 3 / share, "pareto_k": share}
        changes["flags"] = [["degenerate"] if one < 0.35 else [] for one in share]
    if estimator != "unweighted":
        changes |= dict.fromkeys(("outside_confidence", "outside_distance"))
    return frame.assign(**changes)


def main() -> None:
    """Make the study, run its last stage and print what it cost."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks", type=int, default=20, help="of 500 cells each (%(default)s)")
    parser.add_argument("--seeds", type=int, default=20, help="draws of each cell (%(default)s)")
    parser.add_argument("--keep", metavar="FOLDER", help="work there, and leave it")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(given.keep or name)
        build(folder, given.tasks, given.seeds)
        measure(folder)


def build(folder: Path, tasks: int, seeds: int) -> None:
    """Make all that comes before the last stage, and print how much it is."""
    prepare(folder, tasks, seeds)
    results = "results/large"
    real = f"random/unweighted/seeds-0-{seeds - 1}.parquet"
    shards = [f"{results}/estimates/task-{k:03d}/{real}" for k in range(tasks)]
    more = [f"{results}/{name}" for name in ("listening.html", "clips.parquet")]
    snakemake(folder, *shards, *more)
    rows = fill(folder, tasks, seeds)
    snakemake(folder, "estimates", "--touch", "--forceall")
    cells = tasks * len(SAMPLERS) * len(ESTIMATORS) * len(SIZES)
    print(f"{cells:,} cells, {rows:,} estimates")


def measure(folder: Path) -> None:
    """Print CPU and wall seconds and the peak of memory of every step."""
    results = "results/large"
    steps = {"nothing to do": ["estimates"], "the same": ["estimates", "--dry-run"]}
    steps |= {name: [f"{results}/{name}"] for name in STEPS}
    steps["nothing to do, all"] = ["reports"]
    for name, arguments in steps.items():
        used = snakemake(folder, *arguments)
        print(
            f"{name:20} {used['cpu']:7.1f} s of CPU {used['wall']:7.1f} s on the clock"
            f" {used['peak']:6.2f} GB at most"
        )
    size = (folder / results / "report.html").stat().st_size
    print(f"the page has {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
