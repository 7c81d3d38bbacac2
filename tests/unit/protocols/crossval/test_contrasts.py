"""Rare against usual subconcepts: recalls and shifts by hand, statistics over tasks."""

import numpy as np
import pandas as pd
import pytest

from earnest.io import schemas
from earnest.protocols.crossval import contrasts
from earnest.protocols.crossval.contrasts import contrast_statistics

DESCRIPTIONS = [
    {
        "dataset": "dog",
        "status": "used",
        "kind": "context",
        "primary": "dog + park",
        "minority": ["dog + rain", "dog + park", "dog + train"],
    },
    {"dataset": "cow", "status": "not run", "kind": "context", "reason": "too few"},
    {
        "dataset": "foregrounds",
        "status": "used",
        "kind": "subconcepts",
        "primary": None,
        "minority": ["cat", "frog"],
    },
]
# hits and test items of two folds
RECALLS = {
    ("dog", "dog + rain"): [(1, 5), (2, 5)],
    ("dog", "dog + park"): [(9, 10), (8, 10)],
    ("dog", "dog + train"): [(2, 4), (2, 4)],
    ("dog", "cat"): [(10, 10), (10, 10)],
    ("foregrounds", "cat"): [(6, 10), (6, 10)],
    ("foregrounds", "frog"): [(8, 10), (8, 10)],
}
SCORES = {"none": 0.8, "predicted": 0.82, "majority_one": 0.81, "conditional": 0.75, "true": 0.7}


def recalls():
    empty = dict.fromkeys(schemas.TABLES["fold_recalls"], 0)
    return pd.DataFrame(
        [
            empty
            | {"dataset": dataset, "correction": "none", "fold": fold, "subconcept": name}
            | {"hits": hits, "test_size": size}
            for (dataset, name), folds in RECALLS.items()
            for fold, (hits, size) in enumerate(folds)
        ]
    )


def means():
    return pd.DataFrame(
        [
            {"dataset": dataset, "correction": "none", "part": part, "measure": measure}
            | {"utility": utility, "mean": value if part == "full" else 0.1}
            for dataset in ("dog", "foregrounds")
            for part in ("full", "largest")
            for measure in ("balanced_accuracy", "f1")
            for utility, value in SCORES.items()
        ]
    )


def test_recalls_and_shifts_by_hand():
    found = contrasts.contrasts(DESCRIPTIONS, recalls(), means())
    assert schemas.to_arrow("sound_contrasts", found).num_rows == 2
    dog, merged = found.to_dict("records")
    assert (dog["dataset"], dog["usual"]) == ("dog", "dog + park")
    assert dog["rare"] == ["dog + rain", "dog + train"]
    # 17 of 20; mean of 3/10 and 4/8
    assert dog["usual_recall"] == pytest.approx(0.85, abs=1e-12)
    assert dog["rare_recall"] == pytest.approx(0.4, abs=1e-12)
    assert dog["contrast"] == pytest.approx(-0.45, abs=1e-12)
    assert (dog["worst"], dog["worst_recall"]) == ("dog + rain", pytest.approx(0.3))
    shifts = {way: dog[f"shift_{way}"] for way in contrasts.WAYS}
    assert shifts == pytest.approx(
        {"predicted": 0.02, "majority_one": 0.01, "conditional": -0.05, "true": -0.1}, abs=1e-12
    )
    assert dog["plain"] == 0.8
    # without a primary subconcept the largest is the usual one
    assert (merged["usual"], merged["contrast"]) == ("cat", pytest.approx(0.2))


def made(contrast, shift):
    empty = dict.fromkeys(schemas.TABLES["sound_contrasts"])
    rows = [
        empty
        | {"dataset": f"d{i}", "kind": "context", "correction": "none", "contrast": c}
        | {f"shift_{way}": s for way in contrasts.WAYS}
        for i, (c, s) in enumerate(zip(contrast, shift, strict=True))
    ]
    # the merged task stands for another question
    rows.append(rows[0] | {"dataset": "foregrounds", "kind": "subconcepts", "contrast": -9.0})
    return pd.DataFrame(rows)


OPTIONS = {"root_seed": 0, "resamples": 200, "level": 0.95}


def test_statistics_are_over_context_tasks():
    contrast = np.array([-0.4, -0.1, 0.2, -0.3, 0.0])
    shift = np.array([-0.2, 0.0, 0.1, -0.1, 0.05])
    found = contrast_statistics(made(contrast, shift), **OPTIONS)
    assert schemas.to_arrow("sound_statistics", found).num_rows == 9
    found = found.set_index("statistic")
    assert set(found["datasets"]) == {5}
    assert found.loc["contrast", "value"] == pytest.approx(-0.12, abs=1e-12)
    assert found.loc["contrast", "negative"] == 3
    assert found.loc["shift_true", "value"] == pytest.approx(shift.mean(), abs=1e-12)
    assert found.loc["r_true", "value"] == pytest.approx(
        np.corrcoef(contrast, shift)[0, 1], abs=1e-12
    )
    assert pd.isna(found.loc["r_true", "negative"])
    assert (found["low"] <= found["value"]).all()
    assert (found["value"] <= found["high"]).all()


def test_two_tasks_are_too_few_to_say_anything():
    found = contrast_statistics(made([-0.1, 0.1], [0.0, 0.1]), **OPTIONS)
    assert found["value"].isna().all()
    assert set(found["reason"]) == {"not run: 2 data sets, and 3 are needed"}


def test_no_task_at_all_gives_empty_tables():
    none = contrasts.contrasts([DESCRIPTIONS[1]], recalls().iloc[:0], means().iloc[:0])
    assert schemas.to_arrow("sound_contrasts", none).num_rows == 0
    assert len(contrast_statistics(none, **OPTIONS)) == 0
