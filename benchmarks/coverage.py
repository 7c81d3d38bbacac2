"""Coverage study: which interval of which estimator holds the truth, under which sampler.

Draws subsets of real pools by several samplers, estimates accuracy and balanced accuracy from
each, and prints how often the nominal 95 % interval held the score of the whole pool, with the
typical error and the mean width; then, per measure, the coverage of every estimator's own interval
as a Markdown table, in italics where a study would print `no valid interval`. Every number
follows from the seed.

    python benchmarks/coverage.py ../shared/pools --seeds 200 --sizes 50 100 200

A pool is an .npz file with `embeddings` (N, d), `proba` (N, C) and `labels` (N,). Its items
count as recordings of their own.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.pop(0)  # this folder, where this file would pass for the package of its name
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from earnest.estimates import ESTIMATORS, INTERVALS, Pool, estimate_all, subset_weights, true_value
from earnest.protocols.statistics import FEWEST_SUBSETS
from earnest.protocols.subsets.drawing import draw_block
from earnest.protocols.subsets.summary import ERRORS, MARGIN
from earnest.samplers import SAMPLERS as RULES
from earnest.samplers.designs import of_prefix
from earnest.weights import WEIGHTS, prepare_pool

SAMPLERS = ("random", "farthest", "kmedoids", "uncertainty_mixed")
MEASURES = ("accuracy", "balanced_accuracy")


def load(path: Path, sides: bool) -> tuple[Pool, np.ndarray]:
    """Return a pool and its labels; with `sides`, the first half of the classes is one class."""
    with np.load(path, allow_pickle=False) as data:
        embeddings, labels = data["embeddings"], data["labels"]
        posteriors = data["proba"].astype(np.float64)
    posteriors /= posteriors.sum(axis=1, keepdims=True)
    if sides:
        half = posteriors.shape[1] // 2
        one = posteriors[:, half:].sum(axis=1)
        posteriors, labels = np.column_stack([1 - one, one]), (labels >= half).astype(int)
    return Pool(prepare_pool(embeddings), posteriors), labels


def subsets(pool: Pool, sampler: str, sizes: list[int], seeds: int):
    """Yield size, seed, items and design of every draw."""
    draws = draw_block(
        pool, task="coverage", sampler=sampler, sizes=sizes, seeds=range(seeds), root_seed=0
    )
    for row in draws.to_dict("records"):
        for size in sizes if row["is_prefix"] else [row["size"]]:
            design = None
            if RULES[sampler].with_chances:
                design = of_prefix(row["chances"], row["missed"], size, len(pool))
            yield size, row["seed"], row["items"][:size], design


def estimates(pool: Pool, labels: np.ndarray, sampler: str, options: argparse.Namespace):
    """Yield size, estimator, interval, measure and estimate of every cell."""
    for size, seed, items, design in subsets(pool, sampler, options.sizes, options.seeds):
        for name in options.estimators:
            weights = subset_weights(name, pool, items) if name in WEIGHTS else None
            for interval in INTERVALS:
                found = estimate_all(
                    name, pool, items, labels[items], measures=MEASURES, utilities=("none",),
                    resamples=options.resamples, rng=np.random.default_rng(seed),
                    sampler=sampler, weights=weights, design=design, interval=interval,
                )  # fmt: skip
                for (measure, _), one in found.items():
                    yield (size, name, measure, interval), one


def table(cells: dict, truths: dict[str, float]) -> list[str]:
    """Return one line a size, estimator and measure: error, and coverage of each interval."""
    lines = [f"{'size':>5} {'estimator':18} {'measure':18} {'bias':>7} {'rmse':>6}"]
    lines[0] += "".join(f" | {name:>10}: held, of, width" for name in INTERVALS)
    for size, name, measure in dict.fromkeys(key[:3] for key in cells):
        values = [one.value for one in cells[size, name, measure, INTERVALS[0]]]
        errors = np.array([value for value in values if value is not None]) - truths[measure]
        if not len(errors):
            continue
        line = f"{size:5} {name:18} {measure:18} {errors.mean():+7.3f}"
        line += f" {np.sqrt(np.mean(errors**2)):6.3f}"
        for interval in INTERVALS:
            line += " | " + _held(cells[size, name, measure, interval], truths[measure])
        lines.append(line)
    return lines


def _held(found: list, truth: float) -> str:
    pairs = np.array([(one.low, one.high) for one in found if one.low is not None])
    if not len(pairs):
        return f"{'none':>27}"
    held = ((pairs[:, 0] <= truth) & (truth <= pairs[:, 1])).mean()
    return f"{held:12.3f} {len(pairs):6} {np.diff(pairs).mean():7.3f}"


def digest(cells: dict, truths: dict[str, float], measure: str, options) -> list[str]:
    """Return the coverage of own intervals, one row an estimator and one column a sampler."""
    sizes = " / ".join(map(str, options.sizes))
    lines = [f"Coverage of {measure} with {sizes} labels:", ""]
    lines += ["| estimator | " + " | ".join(options.samplers) + " |"]
    lines += ["| --- " * (1 + len(options.samplers)) + "|"]
    for name in options.estimators:
        found = []
        for sampler in options.samplers:
            own = ESTIMATORS[name].interval
            keys = [(sampler, size, name, measure, own) for size in options.sizes]
            found.append(" / ".join(_verdict(cells[key], truths[measure]) for key in keys))
        lines.append(f"| `{name}` | " + " | ".join(found) + " |")
    return lines


def _verdict(found: list, truth: float) -> str:
    held = [one.low <= truth <= one.high for one in found if one.low is not None]
    if len(held) < FEWEST_SUBSETS:
        return "–"
    text, error = f"{np.mean(held):.2f}", np.sqrt(0.95 * 0.05 / len(held))
    return text if np.mean(held) >= 0.95 - min(MARGIN, ERRORS * error) - 1e-9 else f"*{text}*"


def main() -> None:
    """Print the tables of every pool and sampler."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="folder with pools as .npz files")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--resamples", type=int, default=200)
    parser.add_argument("--sizes", type=int, nargs="+", default=[50, 150])
    parser.add_argument("--samplers", nargs="+", default=list(SAMPLERS))
    parser.add_argument("--estimators", nargs="+", default=list(ESTIMATORS))
    parser.add_argument("--sides", action="store_true", help="merge the classes into two sides")
    options = parser.parse_args()
    for path in sorted(options.folder.glob("*.npz")):
        pool, labels = load(path, options.sides)
        truths = {name: true_value(pool, labels, name).value for name in MEASURES}
        everything = {}
        for sampler in options.samplers:
            start, cells = time.process_time(), {}
            for key, one in estimates(pool, labels, sampler, options):
                cells.setdefault(key, []).append(one)
            known = ", ".join(f"{name} {value:.3f}" for name, value in truths.items())
            spent = time.process_time() - start
            print(f"\n{path.stem}, {len(pool)} items ({known}), {sampler}, {spent:.0f} CPU s")
            print("\n".join(table(cells, truths)), flush=True)
            everything |= {(sampler, *key): found for key, found in cells.items()}
        for measure in MEASURES:
            print(f"\n{path.stem}. " + "\n".join(digest(everything, truths, measure, options)))


if __name__ == "__main__":
    main()
