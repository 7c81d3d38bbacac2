"""Numbers printed in the paper, to stand beside ours.

All from "Correcting Performance Estimation Bias in Imbalanced Classification with Minority
Subconcepts", for forests without a correction of imbalance. Of other corrections it shows bars
without numbers.
"""

CORRECTION = "none"
MEASURES = ("roc_auc", "balanced_accuracy", "f1")
UTILITIES = ("none", "predicted", "true")

# Tables 1 and 2: by collection and part, one triple (AUC, BA, F1) for each weighting: r, then p.
_TABLES = {
    ("keel", "largest"): (
        (0.885, 0.946, 0.949, 0.824, 0.789, 0.814, 0.853, 0.708, 0.732),
        (3.49e-3, 3.78e-4, 3.19e-4, 1.18e-2, 0.020, 0.014, 3.96e-2, 0.049, 0.039),
    ),
    ("keel", "smallest"): (
        (0.670, 0.194, 0.205, 0.737, 0.442, 0.435, 0.853, 0.590, 0.552),
        (6.94e-2, 0.645, 0.626, 3.71e-2, 0.273, 0.281, 7.07e-3, 0.124, 0.156),
    ),
    ("pmlb", "largest"): (
        (0.995, 0.985, 0.988, 0.983, 0.955, 0.956, 0.981, 0.936, 0.947),
        (3.75e-47, 1.05e-36, 1.14e-38, 1.62e-35, 6.94e-26, 3.60e-26, 2.99e-34, 1.93e-22, 2.29e-24),
    ),
    ("pmlb", "smallest"): (
        (0.913, 0.789, 0.791, 0.889, 0.826, 0.809, 0.946, 0.889, 0.875),
        (1.56e-19, 2.80e-11, 2.28e-11, 3.52e-17, 4.89e-13, 3.41e-12, 3.22e-24, 3.37e-17, 4.34e-16),
    ),
}

# Section 5.2: correlation of mu with the subconcept classifier's AUC, BA and F-measure.
_RECOGNITION = {"keel": (-0.868, -0.891, -0.861), "pmlb": (-0.300, -0.393, -0.241)}

# r and p of 8 data sets do not fit each other in one cell of Table 1.
REMARKS = {
    "keel": (
        "The printed wAUC-largest cell holds r = 0.853 with p = 0.0396, but with 8 data sets that p"
        " belongs to r = 0.73; one of the two is a misprint."
    )
}


def correlation(
    collection: str, correction: str, measure: str, utility: str, part: str
) -> tuple[float | None, float | None]:
    """Return the printed r and p of a full-set score with that of a part, or None twice."""
    cells = _TABLES.get((collection, part))
    known = measure in MEASURES and utility in UTILITIES and correction == CORRECTION
    if cells is None or not known:
        return None, None
    column = 3 * UTILITIES.index(utility) + MEASURES.index(measure)
    return cells[0][column], cells[1][column]


def gap(collection: str, correction: str, measure: str, utility: str) -> float | None:
    """Return the gap between the printed correlations with largest and smallest, or None."""
    largest, smallest = (
        correlation(collection, correction, measure, utility, part)[0]
        for part in ("largest", "smallest")
    )
    return None if largest is None or smallest is None else round(largest - smallest, 3)


def recognition(collection: str, version: str, method: str, measure: str) -> float | None:
    """Return the printed correlation of mu with the subconcept classifier's quality, or None."""
    if collection not in _RECOGNITION or (version, method) != ("absolute", "pearson"):
        return None
    return _RECOGNITION[collection][MEASURES.index(measure)]
