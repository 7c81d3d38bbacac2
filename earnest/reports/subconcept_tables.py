"""Rows of the tables in the report on tables: numbers in words, with the printed ones beside."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from earnest.reports import subconcept_words as words
from earnest.reports.findings import number, signed
from earnest.reports.view import plain, records
from earnest.tasks.imbalance import NEIGHBOURS as SMOTE_NEIGHBOURS

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]


def with_interval(row: Row) -> str:
    """A value with its interval in brackets, where there is one."""
    return f"{number(row['value'])} {interval(row)}".rstrip()


def interval(row: Row, shown=number) -> str:
    """A value's interval in brackets, or nothing where there is none."""
    if row["low"] is None or row["high"] is None:
        return ""
    return f"[{shown(row['low'], 2)}, {shown(row['high'], 2)}]"


def inside(row: Row) -> str:
    """Whether the printed number lies in our interval, in one word."""
    if row["printed"] is None:
        return ""
    if row["low"] is None:
        return "no interval"
    return "inside" if row["low"] <= row["printed"] <= row["high"] else "outside"


def p_text(p: float | None) -> str:
    """A p-value for people: three digits, or a power of ten when it is small."""
    if p is None:
        return "–"
    if p >= 0.001:
        return f"{p:.3f}"
    if p == 0:
        return "< 1e−300"
    return f"{p:.2e}".replace("e-0", "e-").replace("-", "−")


def correlation_rows(correlations: "pandas.DataFrame", correction: str) -> list[Row]:
    """One row per measure and weighting, with cells for largest and smallest."""
    found: dict[tuple[str, str], Row] = {}
    for row in records(correlations):
        if row["correction"] != correction:
            continue
        key = row["measure"], row["utility"]
        entry = found.setdefault(
            key,
            {
                "measure": words.measure(row["measure"]),
                "utility": words.utility(row["utility"]),
                "datasets": row["datasets"],
            },
        )
        entry[row["part"]] = {
            "value": row["value"],
            "text": number(row["value"]),
            "reason": row["reason"] or "",
            "interval": interval(row),
            "p": p_text(row["p"]),
            "printed": "" if row["printed"] is None else number(row["printed"]),
            "printed_p": "" if row["printed_p"] is None else p_text(row["printed_p"]),
            "inside": inside(row),
            "without": _without(row),
        }
    return list(found.values())


def _without(row: Row) -> str:
    if row["low_without"] is None:
        return ""
    return (
        f"{number(row['low_without'], 2)} (without {row['low_set']}) to"
        f" {number(row['high_without'], 2)} (without {row['high_set']})"
    )


def gap_rows(gaps: "pandas.DataFrame") -> list[Row]:
    """One row per correction, measure and weighting."""
    return [_shown(row) | {"utility": words.utility(row["utility"])} for row in records(gaps)]


def difference_rows(differences: "pandas.DataFrame") -> list[Row]:
    """One row per correction, measure and pair of weightings."""
    return [
        _shown(row)
        | {
            "pair": f"{words.utility(row['utility'])} less {words.utility(row['other'])}",
            "told": _told(row),
        }
        for row in records(differences)
    ]


def _shown(row: Row) -> Row:
    return {
        "correction": words.correction(row["correction"]),
        "measure": words.measure(row["measure"]),
        "value": row["value"],
        "text": signed(row["value"]),
        "interval": interval(row, signed),
        "printed": "" if row["printed"] is None else signed(row["printed"]),
        "inside": inside(row),
        "reason": row["reason"] or "",
    }


def _told(row: Row) -> str:
    """Whether a difference is told from nothing by its interval."""
    if row["low"] is None:
        return ""
    return "yes" if row["low"] > 0 or row["high"] < 0 else "no"


def recognition_rows(recognition: "pandas.DataFrame") -> list[Row]:
    """One row per version of mu, measure of the subconcept forest and method."""
    return [
        {
            "version": words.VERSIONS[row["version"]],
            "measure": words.measure(row["measure"]),
            "method": words.METHODS[row["method"]],
            "datasets": row["datasets"],
            "outliers": ", ".join(row["outliers"]) or "none",
            "value": row["value"],
            "text": number(row["value"]),
            "interval": interval(row),
            "p": p_text(row["p"]),
            "printed": "" if row["printed"] is None else number(row["printed"]),
            "inside": inside(row),
            "without": _without(row),
            "reason": row["reason"] or "",
        }
        for row in records(recognition)
    ]


def distance_rows(distances: "pandas.DataFrame") -> list[Row]:
    """Mean distance to the true-weighted score per correction, measure and weighting."""
    rows = []
    defined = distances.dropna(subset=["distance"])
    keys = ["correction", "measure", "dataset"]
    plain = defined[defined["utility"] == "none"].set_index(keys)["distance"]
    for correction in dict.fromkeys(defined["correction"]):
        for measure in dict.fromkeys(defined["measure"]):
            for utility in ("none", "predicted", "majority_one", "conditional"):
                mine = defined[
                    (defined["correction"] == correction)
                    & (defined["measure"] == measure)
                    & (defined["utility"] == utility)
                ]
                if mine.empty:
                    continue
                nearer = mine["distance"] < mine.join(plain.rename("plain"), on=keys)["plain"]
                rows.append(
                    {
                        "correction": words.correction(correction),
                        "measure": words.measure(measure),
                        "utility": words.utility(utility),
                        "datasets": len(mine),
                        "distance": float(mine["distance"].mean()),
                        "text": number(float(mine["distance"].mean()), 4),
                        "optimism": signed(float(mine["optimism"].mean()), 4),
                        "flatters": int((mine["optimism"] > 0).sum()),
                        "nearer": "" if utility == "none" else int(nearer.sum()),
                    }
                )
    return rows


def weight_rows(weights: "pandas.DataFrame") -> list[Row]:
    """Mean weights of missed and of hit minority items, over data sets, relative to true ones."""
    wide = weights.pivot(index=["correction", "dataset"], columns="utility")
    rows = []
    for correction in dict.fromkeys(weights["correction"]):
        mine = wide.loc[correction]
        for utility in ("predicted", "conditional"):
            cells: Row = {
                "correction": words.correction(correction),
                "utility": words.utility(utility),
            }
            for what in ("missed", "hit"):
                share = mine[f"{what}_weight", utility] / mine[f"{what}_weight", "true"]
                share = share.astype("float64").dropna()
                cells[what] = number(float(share.mean()) if len(share) else None, 2)
                cells[f"{what}_sets"] = len(share)
            rows.append(cells)
    return rows


def weight_set_rows(weights: "pandas.DataFrame", correction: str) -> list[Row]:
    """Mean weights of missed and of hit minority items of each data set."""
    rows: dict[str, Row] = {}
    for row in records(weights[weights["correction"] == correction]):
        entry = rows.setdefault(
            row["dataset"],
            {"dataset": row["dataset"], "missed": row["missed"], "hits": row["hits"]},
        )
        for what in ("missed", "hit"):
            entry[f"{what}_{row['utility']}"] = number(row[f"{what}_weight"], 2)
    return list(rows.values())


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
