"""Made frames for tests of the report: three tasks, five samplers, hostile names.

The numbers follow a simple noise model, so that the page looks like a real one.
"""

import numpy as np
import pandas as pd

from earnest.io import schemas
from earnest.protocols.subsets import comparisons
from earnest.reports.pages.subsets import ReportInputs
from earnest.rng import generator

SAMPLERS = ("random", "uncertainty", "farthest", "density_farthest", "kmedoids")
ESTIMATORS = ("unweighted", "kde", "logistic", "knn", "difference")
MEASURES = ("accuracy", "balanced_accuracy", "f1", "roc_auc")
SIZES = (25, 50, 100, 200, 300)
SEEDS = 20
FOREGROUNDS = ("dog", "siren", "bell", "rooster", "engine", "flute", "whistle", "knock")
BACKGROUNDS = ("rain", "wind", "traffic", "stream", "crowd", "hum")
HOSTILE = '<img src=x onerror="alert(1)"> & "quoted"'

_BIAS = {
    "random": 0.0,
    "uncertainty": -0.21,
    "farthest": -0.07,
    "density_farthest": -0.04,
    "kmedoids": 0.012,
}
_LEFT = {"unweighted": 1.0, "kde": 0.7, "logistic": 0.45, "knn": 0.55, "difference": 0.2}
_NOISE = {"unweighted": 0.45, "kde": 0.75, "logistic": 0.55, "knn": 0.6, "difference": 0.38}


def frame(table: str, rows: list[dict]) -> pd.DataFrame:
    """Rows as a data frame in the schema's column order, checked against it."""
    made = pd.DataFrame(rows, columns=list(schemas.TABLES[table]))
    schemas.to_arrow(table, made)  # the noise model must not drift from the real tables
    return made


def summary_rows(task: str, truths: dict) -> list[dict]:
    """Summary rows of one task; `truths` maps (measure, utility) to the true score or None."""
    rng = generator(0, "made report", task)
    rows = []
    for sampler in SAMPLERS:
        for size in SIZES:
            for estimator in ESTIMATORS:
                for (measure, utility), truth in truths.items():
                    key = {"task": task, "sampler": sampler, "size": size, "estimator": estimator}
                    key |= {"measure": measure, "utility": utility}
                    rows.append(_summary_row(key, truth, rng))
    return rows


def joint_rows(tasks: tuple[str, ...]) -> list[dict]:
    """Joint weights that beat their rivals by more, the more labels there are."""
    rows = []
    for task in tasks:
        for sampler in SAMPLERS:
            for size in SIZES:
                for estimator in ("kde", "logistic"):
                    for utility in ("true", "conditional"):
                        key = {"task": task, "sampler": sampler, "size": size}
                        key |= {"estimator": estimator, "utility": utility}
                        rows += [_joint_row(key, rival) for rival in RIVALS]
    return rows


RIVALS = {"neither": 0.12, "importance": 0.09, "utility": 0.01}


def _joint_row(key: dict, rival: str) -> dict:
    fixed = key["sampler"] == "uncertainty"
    error, worse = 0.6 / np.sqrt(key["size"]), RIVALS[rival]
    return key | {
        "measure": "balanced_accuracy",
        "rival": rival,
        "truth": 0.61,
        "subsets": 1 if fixed else SEEDS,
        "undefined": 0,
        "joint_bias": 0.002,
        "joint_rmse": error,
        "rival_bias": worse,
        "rival_rmse": error + worse,
        "difference": -worse,
        "low": None if fixed else -worse - error / 8,
        "high": None if fixed else -worse + error / 8,
        "reason": "no interval: one subset only" if fixed else None,
    }


def _summary_row(key: dict, truth: float | None, rng) -> dict:
    sampler, size, estimator = key["sampler"], key["size"], key["estimator"]
    fixed = sampler == "uncertainty"
    unfit = estimator == "difference" and (key["utility"] != "none" or key["measure"] == "roc_auc")
    weighted = estimator in ("kde", "logistic", "knn")
    row = {
        "study": "made",
        **key,
        "truth": truth,
        "seeds": 1 if fixed else SEEDS,
        "distinct_subsets": 1 if fixed else SEEDS - (sampler == "kmedoids" and size < 100),
        "undefined": 0,
        "interval": "no valid interval",
        "ess": None,
        "largest": None,
        "pareto_k": None,
        "outside_confidence": 2 / size if estimator == "unweighted" else None,
        "outside_distance": 9 / size if estimator == "unweighted" else None,
        "flags": [],
        "reason": None,
    }
    empty = dict.fromkeys(("mean", "sd", "bias", "rmse", "coverage", "mean_width"))
    if weighted:
        row["ess"] = size * (0.3 + 0.5 * _NOISE[estimator] * rng.uniform(0.6, 1))
        row |= {"largest": size / row["ess"] * 2, "pareto_k": 0.9 if size > 100 else 0.5}
        row["flags"] = ["no_correction"] if estimator == "kde" and size == 25 else []
    if truth is None or unfit:
        reason = "the difference estimator knows no such measure" if unfit else "undefined"
        return row | empty | {"undefined": row["seeds"], "reason": reason}
    noise = _NOISE[estimator] / np.sqrt(size)
    bias = _BIAS[sampler] * _LEFT[estimator] * (1 - size / 900) + rng.normal(0, noise / 4.5)
    row |= {"mean": truth + bias, "bias": bias, "sd": None if fixed else noise}
    row["rmse"] = abs(bias) if fixed else float(np.hypot(bias, noise))
    row |= {"coverage": None, "mean_width": None}
    if fixed:
        row["reason"] = "the sampler left a region without any chance of selection"
        return row
    row["coverage"] = float(np.round(np.clip(0.95 - abs(bias) / noise * 0.2, 0, 1) * SEEDS) / SEEDS)
    row["mean_width"] = 3.9 * noise
    if row["coverage"] >= 0.9:
        row["interval"] = "valid"
    else:
        row["reason"] = f"covers {100 * row['coverage']:.0f} % of {SEEDS} subsets"
    return row


def comparison_rows(summary: list[dict]) -> list[dict]:
    """The paired tests that such a summary could come with: a p from the two RMSEs."""
    plain = {_cell_of(row): row["rmse"] for row in summary if row["estimator"] == "unweighted"}
    rows = []
    for row in summary:
        reference, own = plain[_cell_of(row)], row["rmse"]
        made = {key: row[key] for key in schemas.TABLES["comparisons"] if key in row}
        made |= dict.fromkeys(("nearer", "effect", "p", "smallest_p", "p_adjusted"))
        made |= dict.fromkeys(("difference", "low", "high"))
        made |= {"best": False, "subsets": row["distinct_subsets"], "verdict": "reference"}
        if row["estimator"] != "unweighted":
            made["verdict"] = "undefined"
        if row["estimator"] != "unweighted" and own is not None:
            far = abs(np.log(own / reference))
            p = min(float(np.exp(-20 * far)), 1.0) if made["subsets"] > 1 else 1.0
            made["difference"] = own - reference
            if made["subsets"] > 1:
                made |= {"low": own - reference - 0.01, "high": own - reference + 0.01}
            made |= {"nearer": 0.5, "effect": 0.0, "p": p, "p_adjusted": min(80 * p, 1.0)}
            made["smallest_p"] = 2.0 ** (1 - made["subsets"])
            made["verdict"] = "better" if own < reference else "worse"
            if made["p_adjusted"] >= comparisons.SIGNIFICANCE:
                made["verdict"] = "not shown" if made["subsets"] > 1 else "too few"
        rows.append(made)
    return rows


def _cell_of(row: dict) -> tuple:
    return tuple(row[key] for key in ("task", "sampler", "size", "measure", "utility"))


def pool_frames(task: str, kind: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Pool and subconcepts tables of one task."""
    rng = generator(0, "made pool", task)
    sizes = dict(zip(FOREGROUNDS, (220, 190, 170, 150, 60, 40, 22, 11), strict=True))
    rows, subconcepts = [], []
    for place, (foreground, count) in enumerate(sizes.items()):
        side = "majority" if place < 4 or kind == "classes" else "minority"
        label = foreground if kind == "classes" else side
        good, primary = [], rng.uniform(size=count) < 0.7
        for item in range(count):
            right = rng.uniform() < 0.93 - 0.05 * place - (0 if primary[item] else 0.22)
            good.append(bool(right))
            rows.append(
                {
                    "item_id": f"{foreground}-{item}",
                    "label": label,
                    "prediction": label if right else "other",
                    "confidence": float(rng.uniform(0.5, 1)),
                    "posteriors": [0.5, 0.5],
                    "recording": f"demo/{foreground}-{item // 2}",
                    "subconcept": HOSTILE if foreground == "knock" else foreground,
                    "context": BACKGROUNDS[item % 6],
                    "is_primary": bool(primary[item]),
                    "utility_true": None,
                    "utility_predicted": None,
                    "utility_conditional": None,
                }
            )
        good = np.array(good)
        subconcepts.append(
            {
                "task": task,
                "subconcept": HOSTILE if foreground == "knock" else foreground,
                "side": side,
                "train_size": count,
                "pool_size": count,
                "utility": 1.0 if side == "majority" else 220 / count,
                "recall": float(good.mean()),
                "primary_recall": float(good[primary].mean()) if primary.any() else None,
                "rare_recall": float(good[~primary].mean()) if (~primary).any() else None,
            }
        )
    return frame("pool", rows), frame("subconcepts", subconcepts)


def clips_frame() -> pd.DataFrame:
    """A clips table with five rejected clips and one warning."""
    reasons = ["silent", "truncated", "unreadable", "non_finite", "empty"]
    rows = []
    for place in range(120):
        label = (FOREGROUNDS + BACKGROUNDS)[place % 14]
        reason = reasons[place // 20] if place % 20 == 0 and place // 20 < 5 else None
        row = dict.fromkeys(schemas.TABLES["clips"])
        row |= {"clip_id": f"demo/{label}-{place}", "dataset": "demo", "path": "x.wav"}
        row |= {"label": label, "recording": f"demo/{place}", "part": 0, "reason": reason}
        row["sha256"] = None if reason == "unreadable" else f"file {place}"
        row["audio_sha256"] = None if reason else f"sound {place}"
        row["status"] = "rejected" if reason else "used"
        row["warning"] = "nothing above 4 kHz: upsampled?" if place == 7 else None
        if reason == "truncated":
            row["warning"] = "9000 of 16000 declared frames are there"
        rows.append(row)
    return frame("clips", rows)


def mixtures_frame() -> pd.DataFrame:
    """A mixtures table of 200 rows, one of them rejected."""
    rows = []
    for place in range(200):
        foreground, background = FOREGROUNDS[place % 8], BACKGROUNDS[place % 6]
        row = dict.fromkeys(schemas.TABLES["mixtures"])
        row |= {
            "mixture_id": f"{foreground}-{background}-{place:010x}",
            "foreground_clip": f"demo/{foreground}-{place % 120}",
            "background_clip": f"demo/{background}-{place % 120}",
            "foreground": foreground,
            "background": background,
            "is_primary": place % 4 != 0,
            "split": "train" if place % 2 else "pool",
            "class_split": "train",
            "recording": f"demo/{place}",
            "background_recording": f"demo/b{place}",
            "shard": 0,
            "variant": "8-lu",
            "fg_lufs": -21.4,
            "bg_lufs": -30.2,
            "background_gain_db": 0.8,
            "peak_gain": 0.93,
            "status": "used",
        }
        if place == 13:
            row |= {"status": "rejected", "reason": "the background is silent"}
        rows.append(row)
    return frame("mixtures", rows)


def examples(count: int = 4) -> list[tuple[dict, np.ndarray]]:
    """Five-second sounds, a gliding tone over noise, with their rows of the mixtures table."""
    rows = mixtures_frame().to_dict("records")
    seconds = np.arange(80_000) / 16_000
    made = []
    for place in range(count):
        rng = generator(0, "made sound", place)
        tone = np.sin(2 * np.pi * (300 + 150 * place + 90 * seconds) * seconds)
        beat = np.exp(-4 * (seconds % (0.5 + 0.2 * place)))
        sound = 0.5 * tone * beat + rng.normal(0, 0.04, seconds.size)
        made.append((rows[place], np.clip(sound, -1, 1).astype(np.float32)))
    return made


def dose_rows(tasks) -> list[dict]:
    """Rows in which rare backgrounds cost more the louder they are; F1 is undefined."""
    rows = []
    for task in tasks:
        for variant, margin, step in (("8-lu", 8.0, 1), ("-2.5-lu", -2.5, 2), ("clean", None, 0)):
            for measure in MEASURES:
                scores = {"primary": 0.8 + 0.02 * step, "rare": 0.8 - 0.1 * step}
                scores |= {"all": 0.8 - 0.01 * step, "gap": 0.12 * step}
                for part in ("all", "primary", "rare", "gap"):
                    row = {"task": task, "variant": variant, "margin_lu": margin, "part": part}
                    row |= {"measure": measure, "items": 400, "recordings": 80}
                    value = None if measure == "f1" else scores[part]
                    row |= {"value": value, "low": value and value - 0.03, "high": value}
                    row["reason"] = HOSTILE if value is None else None
                    rows.append(row)
    return rows


def made_training(epochs: int = 60) -> dict:
    """training.json of a network that learns fast and then overfits."""
    curve = [
        {
            "epoch": n,
            "loss": 2.2 * 0.94**n,
            "validation_loss": 1.2 + 0.9 * 0.8**n + 0.004 * n,
            "validation_accuracy": 0.62 - 0.4 * 0.9**n + 0.02 * (n % 3),
        }
        for n in range(1, epochs + 1)
    ]
    best = max(curve, key=lambda row: row["validation_accuracy"])
    return {
        "architecture": "cnn",
        "classes": list(FOREGROUNDS),
        "training_part": {"items": 1185, "recordings": 194},
        "validation_part": {"items": 576, "recordings": 74},
        "classes_without_validation": ["flute"],
        "best_epoch": best["epoch"],
        "validation_accuracy": best["validation_accuracy"],
        "epochs": epochs,
        "stopped_early": True,
        "curve": curve,
    }


def made_inputs() -> ReportInputs:
    """Inputs of a complete report."""
    classes = {(m, "none"): t for m, t in zip(MEASURES, (0.783, 0.741, None, None), strict=True)}
    binary = {(m, "none"): t for m, t in zip(MEASURES, (0.874, 0.829, 0.652, 0.901), strict=True)}
    for place, utility in enumerate(("true", "predicted", "conditional")):
        for measure, truth in zip(MEASURES, (0.81, 0.71, 0.55, 0.83), strict=True):
            binary[(measure, utility)] = truth + 0.02 * place * (2 - place) + 0.003 * place
    tasks = {
        "foregrounds": ("classes", "Naming eight sounds", classes),
        "subconcepts": ("subconcepts", "Common against rare sounds", binary),
        "dog_context": ("context", "Dogs, whatever is behind them", binary),
    }
    pools, summary = {}, []
    for name, (kind, title, truths) in tasks.items():
        description = {"name": name, "kind": kind, "title": title}
        description |= {"foreground": "dog", "positive": "minority"} if kind == "context" else {}
        description["question"] = "Which of the eight sounds is heard, whatever the background?"
        description |= {"train_size": 400, "classifier": {"name": "head", "options": {}}}
        description["calibration"] = {
            "temperature": None if kind == "context" else 1.37,
            "validation_items": 0 if kind == "context" else 120,
            "error": 0.021,
            "error_before": 0.064,
        }
        pools[name] = (description, *pool_frames(name, kind))
        summary += summary_rows(name, truths)
    return ReportInputs(
        trainings={"cnn": made_training()},
        dose_response=frame("dose_response", dose_rows(pools)),
        joint=frame("joint", joint_rows(("subconcepts", "dog_context"))),
        study="made",
        title="A made study of eight sounds",
        pools=pools,
        summary=frame("summary", summary),
        comparisons=frame("comparisons", comparison_rows(summary)),
        clips=clips_frame(),
        dropped=frame("dropped", [{"kind": "pair", "name": "flute/crowd", "reason": HOSTILE}]),
        mixtures=mixtures_frame(),
        examples=examples(),
        provenance={
            "config": {"study": {"seeds": SEEDS, "sizes": list(SIZES), "samplers": list(SAMPLERS)}},
            "versions": {"python": "3.11.9", "numpy": "2.4.0"},
            "code": {"weights": "0123456789abcdef"},
            "seeds": {"root_seed": 0},
        },
    )
