"""The section on the tasks of cross-validation, and what was left out."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from earnest.reports import subconcept_words as words
from earnest.reports.findings import number
from earnest.reports.inputs import TableReportInputs
from earnest.reports.view import plain
from earnest.tasks.imbalance import NEIGHBOURS as SMOTE_NEIGHBOURS

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]


def shows(inputs: TableReportInputs) -> Row:
    """Return the data sets, what was not run, and training items by subconcept."""
    return {
        "tasks": dataset_rows(inputs.datasets),
        "not_run": not_run_rows(inputs.datasets, inputs.scores),
        "trained": trained_rows(inputs.recalls, inputs.corrections),
        "few_neighbours": few_neighbours(inputs.recalls),
    }


def dataset_rows(datasets: Sequence[Row]) -> list[Row]:
    """One row per data set that was used: the task as the paper's Table 3 shows it."""
    return [
        {
            "dataset": one["dataset"],
            "file_rows": one["file_rows"],
            "features": one["features"],
            "majority_size": one["majority_size"],
            "minority_size": one["minority_size"],
            "majority": ", ".join(f"{name} ({one['sizes'][name]})" for name in one["majority"]),
            "minority": ", ".join(f"{name} ({one['sizes'][name]})" for name in one["minority"]),
            "ratio": one["ratio"],
            "filled": one["filled"],
        }
        for one in datasets
        if one["status"] == "used"
    ]


def not_run_rows(datasets: Sequence[Row], scores: "pandas.DataFrame") -> list[Row]:
    """Data sets without scores, and cells without a value, each with its reason."""
    rows = [
        {"what": one["dataset"], "reason": one["reason"]}
        for one in datasets
        if one["status"] != "used"
    ]
    empty = scores[scores["value"].isna()]
    keys = ["dataset", "correction", "measure", "reason"]
    for (dataset, correction, measure, reason), mine in empty.groupby(keys, sort=True):
        where = f"{dataset}, {words.correction(correction)}, {words.measure(measure)}"
        rows.append({"what": f"{where} ({len(mine)} cells)", "reason": reason})
    return rows


def trained_rows(recalls: "pandas.DataFrame", corrections: Sequence[str]) -> list[Row]:
    """One row per subconcept: mean number of training rows under each correction."""
    keys = ["dataset", "rank", "subconcept", "side"]
    means = recalls.pivot_table(index=keys, columns="correction", values="trained")
    return [
        {
            "dataset": dataset,
            "subconcept": subconcept,
            "side": side,
            "cells": [number(plain(found.get(name)), 1) for name in corrections],
        }
        for (dataset, _, subconcept, side), found in means.iterrows()
    ]


def few_neighbours(recalls: "pandas.DataFrame") -> list[str]:
    """Data sets in which SMOTE had fewer than its usual five neighbours, with the fewest."""
    few = recalls[recalls["neighbours"].astype("float64") < SMOTE_NEIGHBOURS]
    fewest = few.groupby("dataset")["neighbours"].min()
    return [f"{name} ({int(count)})" for name, count in fewest.items()]
