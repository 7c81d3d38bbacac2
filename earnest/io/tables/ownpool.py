"""Tables of the evaluation of a pool of the user's own, and of comparisons."""

from earnest.io.tables.column import (
    FLOAT,
    FLOAT_OR_NULL,
    INT,
    INT_OR_NULL,
    TEXT,
    TEXT_OR_NULL,
    Column,
)

TABLES: dict[str, dict[str, Column]] = {
    "own_estimates": {
        "estimator": TEXT,
        "measure": TEXT,
        "utility": TEXT,  # none | predicted
        "value": FLOAT_OR_NULL,
        "low": FLOAT_OR_NULL,
        "high": FLOAT_OR_NULL,
        "interval": TEXT_OR_NULL,  # design | assumption; null without an interval
        "holds_if": TEXT_OR_NULL,  # the assumption
        "ess": FLOAT_OR_NULL,  # null for an estimator without weights, as the next two
        "largest": FLOAT_OR_NULL,
        "pareto_k": FLOAT_OR_NULL,
        "flags": TEXT,  # separated by spaces
        "reason": TEXT_OR_NULL,  # why the value, or else the interval, is null
    },
    "own_unseen": {
        "kind": TEXT,  # confidence | distance | prediction | label | subconcept
        "name": TEXT_OR_NULL,  # of the class or subconcept
        "items": INT_OR_NULL,
        "share": FLOAT_OR_NULL,  # of the pool
        "reason": TEXT_OR_NULL,
    },
    "own_plans": {
        "scheme": TEXT,  # random | designed
        "estimator": TEXT,
        "target": FLOAT,  # half-width of the interval of accuracy
        "labels": INT,  # further labels that it would take
        "budget": INT,
        "half_width": FLOAT,  # expected after as many further labels as the budget
    },
    "next_labels": {"item_id": TEXT, "rank": INT, "inclusion_probability": FLOAT},
    "run_comparison": {
        "task": TEXT_OR_NULL,  # null, as the next two, for two models on one pool
        "sampler": TEXT_OR_NULL,
        "size": INT_OR_NULL,
        "estimator": TEXT,
        "measure": TEXT,
        "utility": TEXT,
        "first": FLOAT_OR_NULL,  # mean over the pairs
        "second": FLOAT_OR_NULL,
        "difference": FLOAT_OR_NULL,  # second less first
        "low": FLOAT_OR_NULL,
        "high": FLOAT_OR_NULL,
        "p": FLOAT_OR_NULL,
        "p_adjusted": FLOAT_OR_NULL,  # over all rows of the table
        "pairs": INT,  # what was resampled or compared: recordings, or distinct draws
        "verdict": TEXT,  # moved | within noise | unchanged | not comparable
        "error_difference": FLOAT_OR_NULL,  # mean distance to the truth, second less first
        "reason": TEXT_OR_NULL,
    },
}
