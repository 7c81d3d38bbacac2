"""Speed and accuracy of preparing, planning and rendering mixtures, on real clips, in one run.

    python benchmarks/mixtures.py --mirror ../shared/mirror [--mixtures 24000] [--folder SCRATCH]

1. Rendering from prepared clips against a plain loop that decodes, resamples, measures, mixes and
   writes each pair afresh: CPU time of the same pairs, on one core.
2. All mixtures from all clips, preparation included, on all cores, against the floor: every clip
   decoded once and every mixture written once, in the same run. The floor writes one file a
   mixture, as the plain loop does; for comparison, also as shards, as mixtures are kept here.
3. Planning, and how the time per mixture grows with their number.
4. The gap of written mixtures, measured again with pyloudnorm on the separated parts.

The pairs are made up so that every clip takes part: classes with few clips are united. Needs about
160 kB of disk a mixture while it runs.
"""

import argparse
import os
import resource
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from time import perf_counter, process_time

# Before numpy starts its threads. The folder of this file goes from the path: what lies beside it
# must not pass for a library.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
sys.path[0] = str(Path(__file__).resolve().parent.parent)

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import pyloudnorm  # noqa: E402
import soundfile  # noqa: E402
import soxr  # noqa: E402
from tqdm import tqdm  # noqa: E402

from earnest import audio, datasets, io, mixing  # noqa: E402
from earnest.datasets import parts, preparing  # noqa: E402
from earnest.mixing import plan  # noqa: E402

RATE, LENGTH, MARGIN = audio.SAMPLE_RATE, audio.LENGTH, mixing.MARGIN_LU
SHARD = 1_500  # mixtures
CLASS = 60  # clips of a class, at least; smaller labels are united


def used_cpu() -> float:
    """Return the CPU seconds of this process and its finished children."""
    found = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(one.ru_utime + one.ru_stime for one in found)


def spread(work: Callable, jobs: list[tuple], cores: int) -> list:
    """Run jobs in processes of their own and return what they return."""
    with ProcessPoolExecutor(cores) as pool:
        return [job.result() for job in [pool.submit(work, *job) for job in jobs]]


def measured(work: Callable, *arguments: object) -> tuple[float, float, object]:
    """Return wall and CPU seconds, children included, and the result."""
    wall, cpu = perf_counter(), used_cpu()
    found = work(*arguments)
    return perf_counter() - wall, used_cpu() - cpu, found


# --- the plain loop -------------------------------------------------------------------------------


def plain_clip(path: str, *, loop: bool) -> np.ndarray:
    frames, rate = soundfile.read(path, dtype="float32", always_2d=True)
    samples = soxr.resample(frames.mean(axis=1), rate, RATE, quality="HQ")[:LENGTH]
    if loop:
        return np.resize(samples, LENGTH)
    return np.pad(samples, (0, LENGTH - len(samples)))


def plain_mixture(foreground: str, background: str, out: Path) -> None:
    over, under = plain_clip(foreground, loop=False), plain_clip(background, loop=True)
    meter = pyloudnorm.Meter(RATE)
    gap = meter.integrated_loudness(over) - meter.integrated_loudness(under)
    total = over + under * 10 ** ((gap - MARGIN) / 20)
    soundfile.write(out, total / np.abs(total).max() * 0.9999, RATE, subtype="PCM_16")


# --- the floor ------------------------------------------------------------------------------------


def decode_all(paths: list[str]) -> None:
    for path in paths:
        soundfile.read(path, dtype="float32")


def write_files(count: int, folder: Path) -> None:
    samples = some_samples()
    for number in range(count):
        soundfile.write(folder / f"{number}.wav", samples, RATE, subtype="PCM_16")


def write_shard(count: int, path: Path) -> None:
    io.write_audio_blocks([some_samples()] * count, path)


def some_samples() -> np.ndarray:
    return np.random.default_rng(0).integers(-(2**15), 2**15, LENGTH).astype(np.int16)


def run_floor(listing: pd.DataFrame, mixtures: int, cores: int, folder: Path) -> dict[str, tuple]:
    """Return wall and CPU seconds of decoding, and of writing in both ways."""
    paths = listing["path"].sample(frac=1, random_state=0).tolist()
    found = {}
    jobs = [(paths[part :: 4 * cores],) for part in range(4 * cores)]
    found["decode every clip"] = measured(spread, decode_all, jobs, cores)[:2]
    jobs = [(mixtures // cores, new_folder(folder / f"files-{part}")) for part in range(cores)]
    found["write every mixture, a file each"] = measured(spread, write_files, jobs, cores)[:2]
    remove(folder)
    shards = -(-mixtures // SHARD)
    jobs = [(mixtures // shards, folder / f"{shard}.wav") for shard in range(shards)]
    found["write every mixture, in shards"] = measured(spread, write_shard, jobs, cores)[:2]
    remove(folder)
    return found


def new_folder(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


def remove(folder: Path) -> None:
    """Delete the sound files below a folder, and see to it that writing them is over."""
    for path in folder.rglob("*.wav"):
        path.unlink()
    os.sync()


# --- earnest --------------------------------------------------------------------------------------


def prepare(listing: pd.DataFrame, part: int, folder: Path) -> float:
    clips = preparing.prepare(listing, part=part, array_path=folder / f"{part}.npy", root_seed=0)
    io.write_frame("clips", clips, folder / f"{part}.parquet")
    return peak_memory()


def render(shard: int, count: int, folder: Path, out: Path) -> float:
    """Render one shard as the workflow's job does, reading everything from disk."""
    rows = io.read_frame("mixture_plan", folder / "plan.parquet", only={"shard": shard})
    arrays = {part: io.read_array(folder / f"{part}.npy") for part in range(count)}
    clips = io.read_frame("clips", folder / "clips.parquet")
    made = mixing.Shard(rows, clips, arrays, margin_lu=MARGIN, variant="8-lu")
    io.write_audio_blocks(made.sounds(), out / f"shard-{shard}.wav")
    io.write_frame("mixtures", made.mixtures(), out / f"shard-{shard}.parquet")
    return peak_memory()


def peak_memory() -> float:
    """Return the largest resident size of this process so far in GB, mapped files included."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def prepare_all(listing: pd.DataFrame, cores: int, folder: Path) -> list[float]:
    count = 2 * cores
    jobs = [
        (parts.rows_of_part(listing, part=part, parts=count), part, folder) for part in range(count)
    ]
    memory = spread(prepare, jobs, cores)
    frames = [io.read_frame("clips", folder / f"{part}.parquet") for part in range(count)]
    io.write_frame("clips", parts.join_parts(frames), folder / "clips.parquet")
    return memory


def made_up_pairs(listing: pd.DataFrame) -> pd.DataFrame:
    """Unite labels to classes of at least `CLASS` clips; each has the next four as backgrounds."""
    classes, labels, size = [], [], 0
    for label, count in listing["label"].value_counts().sort_index().items():
        labels, size = [*labels, label], size + count
        if size >= CLASS:
            classes.append("+".join(labels))
            labels, size = [], 0
    if labels:
        classes[-1] = "+".join([classes[-1], *labels])
    rows = [
        ("train", name, classes[(place + step) % len(classes)], step == 1)
        for place, name in enumerate(classes)
        for step in range(1, 5)
    ]
    return pd.DataFrame(rows, columns=["split", "foreground", "background", "is_primary"])


def plan_all(listing: pd.DataFrame, mixtures: int, folder: Path) -> pd.DataFrame:
    clips = io.read_frame("clips", folder / "clips.parquet")
    pairs = made_up_pairs(listing)
    foregrounds = pairs["foreground"].nunique()
    made = plan.plan_mixtures(
        pairs,
        clips,
        mixtures_per_foreground=-(-mixtures // foregrounds),
        primary_share=0.5,
        train_share=0.5,
        shards=-(-mixtures // SHARD),
        root_seed=0,
    )
    io.write_frame("mixture_plan", made.mixtures, folder / "plan.parquet")
    return made.mixtures


def render_all(planned: pd.DataFrame, cores: int, folder: Path, out: Path) -> list[float]:
    jobs = [(int(shard), 2 * cores, folder, out) for shard in planned["shard"].unique()]
    return spread(render, jobs, cores)


# --- the parts of the report ----------------------------------------------------------------------


def compare_with_plain_loop(planned: pd.DataFrame, cores: int, folder: Path, pairs: int) -> None:
    """Mix the same pairs both ways; both run once before, so that no import is timed."""
    clips = io.read_frame("clips", folder / "clips.parquet")
    path = clips.set_index("clip_id")["path"]
    rows = planned.sample(pairs, random_state=0)
    arrays = {part: io.read_array(folder / f"{part}.npy") for part in range(2 * cores)}

    def plain(rows: pd.DataFrame) -> None:
        for row in rows.to_dict("records"):
            names = path[row["foreground_clip"]], path[row["background_clip"]]
            plain_mixture(*names, folder / f"plain-{row['mixture_id']}.wav")

    def earnest(rows: pd.DataFrame) -> None:
        made = mixing.Shard(rows, clips, arrays, margin_lu=MARGIN)
        io.write_audio_blocks(made.sounds(), folder / "plain-shard.wav")
        io.write_frame("mixtures", made.mixtures(), folder / "plain.parquet")

    seconds = {}
    for work in (plain, earnest):
        work(rows[:5])
        start = process_time()
        work(rows)
        seconds[work.__name__] = (process_time() - start) / pairs
    ratio = seconds["plain"] / seconds["earnest"]
    print(f"1. {pairs} pairs, CPU ms a mixture: plain loop {seconds['plain'] * 1e3:.2f}")
    print(f"   from prepared clips {seconds['earnest'] * 1e3:.3f}; ratio {ratio:.1f} (target 10)")
    print(f"   {1 / seconds['earnest']:.0f} mixtures a second a core (target 500)")
    for file in folder.glob("plain*"):
        file.unlink()


def print_times(title: str, times: dict[str, tuple]) -> tuple[float, float]:
    print(f"   {title:44}{'wall s':>8}{'CPU s':>8}")
    for name, (wall, cpu) in times.items():
        print(f"   {name:44}{wall:8.1f}{cpu:8.1f}")
    return tuple(sum(one[place] for one in times.values()) for place in (0, 1))


def run_whole(listing: pd.DataFrame, mixtures: int, cores: int, folder: Path) -> pd.DataFrame:
    floor = run_floor(listing, mixtures, cores, folder)
    print(f"2. {mixtures} mixtures from {len(listing)} clips on {cores} cores")
    print_times("floor", floor)
    spent, out = {}, new_folder(folder / "mixtures")
    *spent["prepare"], memory = measured(prepare_all, listing, cores, folder)
    *spent["plan"], planned = measured(plan_all, listing, mixtures, folder)
    *spent["render"], more = measured(render_all, planned, cores, folder, out)
    total = print_times("earnest", spent)
    decode, files, shards = floor.values()
    for name, written, target in (
        ("a file each", files, " (target 1.5)"),
        ("in shards", shards, ""),
    ):
        ratios = [total[i] / (decode[i] + written[i]) for i in (0, 1)]
        print(
            f"   ratio to the floor with {name}: wall {ratios[0]:.2f}, CPU {ratios[1]:.2f}{target}"
        )
    memory = max(*memory, *more)
    print(f"   peak memory of a process, mapped files included: {memory:.2f} GB (target 1.5)")
    return planned


def check_accuracy(shards: list[int], cores: int, folder: Path, out: Path) -> None:
    """Measure the gap of every accepted mixture of some shards again, from the written file."""
    clips = io.read_frame("clips", folder / "clips.parquet").set_index("clip_id").to_dict("index")
    arrays = {part: io.read_array(folder / f"{part}.npy") for part in range(2 * cores)}
    meter, misses, rejected, exact = pyloudnorm.Meter(RATE), [], 0, 0
    for shard in tqdm(shards, desc="measure again", mininterval=5):
        mixtures = io.read_frame("mixtures", out / f"shard-{shard}.parquet")
        samples, _ = soundfile.read(out / f"shard-{shard}.wav", dtype="int16")
        used = mixtures[mixtures["status"] == "used"]
        rejected += len(mixtures) - len(used)
        if len(samples) != LENGTH * len(used):
            raise SystemExit(f"shard {shard} holds {len(samples)} samples of {len(used)} mixtures")
        for row in used.to_dict("records"):
            stored = samples[row["row"] * LENGTH : (row["row"] + 1) * LENGTH]
            pair = clips[row["foreground_clip"]], clips[row["background_clip"]]
            over, under = mixing.prepared_signals(*pair, arrays)
            gain = mixing.linear_gain(row["background_gain_db"])
            again = mixing.combine(over, under, gain, row["peak_gain"])
            exact += mixing.to_pcm16(again).tobytes() == stored.tobytes()
            if np.abs(stored.astype(int)).max() != 32_767:
                raise SystemExit(f"{row['mixture_id']} has another peak than 32767")
            over = over.astype(float) * row["peak_gain"]
            gap = meter.integrated_loudness(over)
            gap -= meter.integrated_loudness(stored / 32_768 - over)
            misses.append(abs(gap - MARGIN))
    beyond = int(np.sum(np.array(misses) > mixing.GAP_TOLERANCE_LU))
    print(f"4. {len(misses)} accepted mixtures measured again ({rejected} were rejected):")
    print(f"   largest miss of the gap {max(misses):.4f} LU, {beyond} beyond 0.05 (target 0)")
    print(f"   {exact} made again from their stored gains, byte for byte (target {len(misses)})")


def show_scaling(listing: pd.DataFrame, totals: list[int], cores: int, folder: Path) -> None:
    print("3. planning and rendering by number, all cores")
    print(f"   {'mixtures':>8}{'plan s':>8}{'render s':>10}{'CPU ms a mixture':>18}")
    out = new_folder(folder / "scaling")
    for total in totals:
        seconds, _, planned = measured(plan_all, listing, total, folder)
        wall, cpu, _ = measured(render_all, planned, cores, folder, out)
        print(f"   {len(planned):8}{seconds:8.2f}{wall:10.1f}{cpu / len(planned) * 1e3:18.3f}")
        remove(out)
    print("   target: planning 24,000 below 10 s; time per mixture flat")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mirror", required=True, help="folder with esc50 and urbansound8k")
    parser.add_argument("--mixtures", type=int, default=24_000)
    parser.add_argument("--pairs", type=int, default=300, help="pairs of the plain loop")
    parser.add_argument("--measured", type=int, default=4, help="shards to measure again")
    parser.add_argument("--folder", help="where the scratch folder is made")
    options = parser.parse_args()
    frames = [
        datasets.list_clips(name, Path(options.mirror) / name) for name in ("esc50", "urbansound8k")
    ]
    listing, cores = pd.concat(frames, ignore_index=True), os.cpu_count()
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        folder = Path(scratch)
        planned = run_whole(listing, options.mixtures, cores, folder)
        out = folder / "mixtures"
        shards = planned["shard"].drop_duplicates().sample(frac=1, random_state=0)
        check_accuracy(shards[: options.measured].tolist(), cores, folder, out)
        remove(out)
        compare_with_plain_loop(planned, cores, folder, options.pairs)
        totals = [total for total in (1_000, 4_000, options.mixtures) if total <= options.mixtures]
        show_scaling(listing, totals, cores, folder)


if __name__ == "__main__":
    main()
