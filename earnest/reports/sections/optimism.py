"""The section on how far guessed weights are from true ones."""

from typing import TYPE_CHECKING, Any

from earnest.reports import subconcept_words as words
from earnest.reports.findings import number, signed
from earnest.reports.inputs import TableReportInputs
from earnest.reports.view import records

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]


def shows(inputs: TableReportInputs) -> Row:
    """Return distances to the true-weighted score, and weights of missed and hit items."""
    return {
        "distances": distance_rows(inputs.distances),
        "weights": weight_rows(inputs.weights),
        "sets": {name: weight_set_rows(inputs.weights, name) for name in inputs.corrections},
    }


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
