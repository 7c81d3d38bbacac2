"""Tables of pools, labelled subsets and what is estimated from them."""

from earnest.io.tables.column import (
    BOOL,
    BOOL_OR_NULL,
    FLOAT,
    FLOAT_OR_NULL,
    FLOATS,
    INT,
    INTS,
    TEXT,
    TEXT_OR_NULL,
    TEXTS,
    Column,
)

_CELL = {"task": TEXT, "sampler": TEXT, "size": INT, "seed": INT}

TABLES: dict[str, dict[str, Column]] = {
    "pool": {
        "item_id": TEXT,
        "label": TEXT,
        "prediction": TEXT,
        "confidence": FLOAT,  # the largest posterior
        "posteriors": FLOATS,  # in the order of the pool's `classes`
        "recording": TEXT,
        "subconcept": TEXT,
        "context": TEXT_OR_NULL,  # null, as the next one, in a study on clips
        "is_primary": BOOL_OR_NULL,
        "utility_true": FLOAT_OR_NULL,  # null in a task without subconcepts
        "utility_predicted": FLOAT_OR_NULL,
        "utility_conditional": FLOAT_OR_NULL,
    },
    "draws": _CELL
    | {
        "is_prefix": BOOL,  # the first n of `items` are the draw of size n, for every n <= size
        "items": INTS,  # pool row numbers, in the order drawn
        # of a sampler with recorded chances (`earnest.samplers.designs.Draw`), else null
        "chances": Column("list<float64>", True),
        "missed": Column("list<float64>", True),
    },
    "weights": _CELL
    | {
        "estimator": TEXT,
        "values": FLOATS,  # in the order of the drawn items; mean 1
        "ess": FLOAT,
        "largest": FLOAT,
        "pareto_k": FLOAT_OR_NULL,
        "flags": TEXTS,
    },
    "estimates": {"study": TEXT}
    | _CELL
    | {
        "estimator": TEXT,
        "measure": TEXT,
        "utility": TEXT,  # none | true | predicted | conditional
        "value": FLOAT_OR_NULL,
        "low": FLOAT_OR_NULL,
        "high": FLOAT_OR_NULL,
        "truth": FLOAT_OR_NULL,
        "ess": FLOAT_OR_NULL,  # null for an estimator without weights, as the next two
        "largest": FLOAT_OR_NULL,
        "pareto_k": FLOAT_OR_NULL,
        # shares of the pool beyond what is labelled, of the subset; with `unweighted` only
        "outside_confidence": FLOAT_OR_NULL,
        "outside_distance": FLOAT_OR_NULL,
        "flags": TEXTS,
        "reason": TEXT_OR_NULL,  # why the value, or else the interval, is null
        "subset": TEXT,  # hash of the drawn set: equal hashes are equal subsets
    },
    "subconcepts": {
        "task": TEXT,
        "subconcept": TEXT,
        "side": TEXT,  # majority | minority
        "train_size": INT,
        "pool_size": INT,
        "utility": FLOAT,
        "recall": FLOAT_OR_NULL,  # share of its pool items predicted on the right side
        "primary_recall": FLOAT_OR_NULL,
        "rare_recall": FLOAT_OR_NULL,
    },
    "summary": {
        "study": TEXT,
        "task": TEXT,
        "sampler": TEXT,
        "size": INT,
        "estimator": TEXT,
        "measure": TEXT,
        "utility": TEXT,
        "truth": FLOAT_OR_NULL,
        "seeds": INT,  # cells summarised
        "distinct_subsets": INT,
        "undefined": INT,  # cells whose value is null
        "mean": FLOAT_OR_NULL,
        "sd": FLOAT_OR_NULL,  # ddof 1; null with fewer than two values
        "bias": FLOAT_OR_NULL,
        "rmse": FLOAT_OR_NULL,
        "coverage": FLOAT_OR_NULL,  # share of the intervals that hold the truth
        "mean_width": FLOAT_OR_NULL,
        "interval": TEXT,  # valid | no valid interval
        "ess": FLOAT_OR_NULL,  # medians over the cells
        "largest": FLOAT_OR_NULL,
        "pareto_k": FLOAT_OR_NULL,
        "outside_confidence": FLOAT_OR_NULL,  # means over the cells
        "outside_distance": FLOAT_OR_NULL,
        "flags": TEXTS,  # those raised in any cell
        "reason": TEXT_OR_NULL,
    },
    # each estimator against the unweighted score, by `earnest.protocols.subsets.comparisons`
    "comparisons": dict.fromkeys(("study", "task", "measure", "utility", "sampler"), TEXT)
    | {
        "size": INT,
        "estimator": TEXT,
        "truth": FLOAT_OR_NULL,
        "mean": FLOAT_OR_NULL,
        "bias": FLOAT_OR_NULL,  # this and the next two over the seeds, as in `summary`
        "sd": FLOAT_OR_NULL,
        "rmse": FLOAT_OR_NULL,
        "best": BOOL,  # lowest RMSE of its sampler and size
        "subsets": INT,  # distinct subsets on which both have a value
        "difference": FLOAT_OR_NULL,  # RMSE less that of the unweighted score, on them
        "low": FLOAT_OR_NULL,  # its interval, paired by subset
        "high": FLOAT_OR_NULL,
        "nearer": FLOAT_OR_NULL,  # share of them on which it is nearer to the truth
        "effect": FLOAT_OR_NULL,  # rank-biserial correlation, 1: nearer in all
        "p": FLOAT_OR_NULL,
        "smallest_p": FLOAT_OR_NULL,  # that so many pairs could give
        "p_adjusted": FLOAT_OR_NULL,  # Holm, over one task, measure and utility
        "verdict": TEXT,  # reference | better | worse | mixed | not shown | too few | undefined
    },
    # one classifier on the same mixtures at several margins
    "dose_response": {
        "task": TEXT,
        "variant": TEXT,
        "margin_lu": FLOAT_OR_NULL,  # null without background
        "part": TEXT,  # all | primary | rare | gap (primary less rare)
        "measure": TEXT,
        "value": FLOAT_OR_NULL,
        "low": FLOAT_OR_NULL,
        "high": FLOAT_OR_NULL,
        "items": INT,
        "recordings": INT,
        "reason": TEXT_OR_NULL,  # why the value, or else the interval, is null
    },
    # what tools that plot CSV files draw: plain scores only
    "curves": dict.fromkeys(("task", "measure", "sampler", "estimator"), TEXT)
    | {"size": INT, "mean": FLOAT_OR_NULL, "truth": FLOAT_OR_NULL},
}
