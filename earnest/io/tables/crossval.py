"""Tables of cross-validated subconcept tasks and their assessment."""

from earnest.io.tables.column import (
    BOOL,
    FLOAT,
    FLOAT_OR_NULL,
    INT,
    INT_OR_NULL,
    TEXT,
    TEXT_OR_NULL,
    TEXTS,
    Column,
)

_FOLD = {"repeat": INT, "fold": INT}
_FOLD_OF_CORRECTION = {"dataset": TEXT, "correction": TEXT} | _FOLD
_SUBCONCEPT = {"subconcept": TEXT, "side": TEXT, "rank": INT, "test_size": INT}
_SHIFTED = ("predicted", "majority_one", "conditional", "true")
_WEIGHTINGS = ("true", "predicted", "conditional")
_OF_SETS = {"correction": TEXT, "measure": TEXT, "utility": TEXT, "datasets": INT}
# a number over data sets: bootstrap interval over them, and the number that the paper prints
_STATISTIC = {
    "value": FLOAT_OR_NULL,
    "low": FLOAT_OR_NULL,
    "high": FLOAT_OR_NULL,
    "undefined": INT,  # resamples without a value
    "printed": FLOAT_OR_NULL,
    "reason": TEXT_OR_NULL,
}

TABLES: dict[str, dict[str, Column]] = {
    # studies on tables: one row per test item of each fold
    "fold_items": _FOLD
    | {
        "item": INT,  # row of the data set's file
        "row": INT,  # row of the kept features
        "subconcept": TEXT,
        "is_minority": BOOL,
        "utility_true": FLOAT,
        "utility_predicted": FLOAT,
        "utility_conditional": FLOAT,
    },
    "fold_subconcepts": {"dataset": TEXT}
    | _FOLD
    | _SUBCONCEPT
    | {
        "train_size": INT,
        "mean_true": FLOAT,  # mean weight of its test items
        "mean_predicted": FLOAT,
        "mean_conditional": FLOAT,
    },
    # how well the subconcept forest names the subconcept of a test item
    "recognition": {"dataset": TEXT}
    | _FOLD
    | {"measure": TEXT, "value": FLOAT_OR_NULL, "reason": TEXT_OR_NULL},
    "fold_scores": _FOLD_OF_CORRECTION
    | {
        "part": TEXT,  # full | largest | smallest: which minority subconcepts are tested
        "measure": TEXT,
        "utility": TEXT,  # none | true | predicted | majority_one | conditional
        "value": FLOAT_OR_NULL,
        "reason": TEXT_OR_NULL,
    },
    # of each subconcept: how many test items the binary forest hit, and their summed weights
    "fold_recalls": _FOLD_OF_CORRECTION
    | _SUBCONCEPT
    | {
        "trained": INT,  # training rows after the correction, its own or made from them
        "neighbours": INT_OR_NULL,  # k of SMOTE; null for the other corrections
        "hits": INT,
    }
    | {f"{way}_{kind}": FLOAT for way in ("hit", "missed") for kind in _WEIGHTINGS},
    "table_correlations": _OF_SETS
    | {"part": TEXT, "p": FLOAT_OR_NULL}
    | _STATISTIC
    | {
        "low_without": FLOAT_OR_NULL,  # lowest and highest value when one set is left out
        "low_set": TEXT_OR_NULL,
        "high_without": FLOAT_OR_NULL,
        "high_set": TEXT_OR_NULL,
        "printed_p": FLOAT_OR_NULL,
    },
    "table_gaps": _OF_SETS | _STATISTIC,
    "table_gap_differences": _OF_SETS | {"other": TEXT} | _STATISTIC,
    "weight_quality": {"dataset": TEXT, "measure": TEXT}
    | {
        "recognition": FLOAT_OR_NULL,
        "mu": FLOAT,
        "mu_relative": FLOAT,
    },
    "recognition_correlations": {
        "version": TEXT,  # absolute | relative
        "method": TEXT,  # pearson | spearman
        "measure": TEXT,
        "datasets": INT,
        "outliers": TEXTS,  # left out by the paper's rule
        "p": FLOAT_OR_NULL,
    }
    | _STATISTIC
    | {
        "low_without": FLOAT_OR_NULL,
        "low_set": TEXT_OR_NULL,
        "high_without": FLOAT_OR_NULL,
        "high_set": TEXT_OR_NULL,
    },
    # of each data set: how far a weighting is from the one by true subconcepts
    "table_distances": {
        "dataset": TEXT,
        "correction": TEXT,
        "measure": TEXT,
        "utility": TEXT,
        "value": FLOAT_OR_NULL,  # mean over the folds
        "true_value": FLOAT_OR_NULL,
        "distance": FLOAT_OR_NULL,  # absolute, of the two means
        "optimism": FLOAT_OR_NULL,  # with its sign
    },
    # mean weight of the minority items that the binary forest missed, and of those it hit
    "table_weights": {
        "dataset": TEXT,
        "correction": TEXT,
        "utility": TEXT,
        "missed": INT,
        "hits": INT,
        "missed_weight": FLOAT_OR_NULL,
        "hit_weight": FLOAT_OR_NULL,
    },
    # tasks of a study on sounds: the usual minority subconcept against the rare ones
    "sound_contrasts": {
        "dataset": TEXT,
        "kind": TEXT,  # context | subconcepts
        "correction": TEXT,
        "usual": TEXT,
        "rare": TEXTS,
        "usual_recall": FLOAT,
        "rare_recall": FLOAT,  # mean over the rare ones
        "worst": TEXT,
        "worst_recall": FLOAT,
        "contrast": FLOAT,  # rare less usual
        "plain": FLOAT_OR_NULL,  # balanced accuracy on full test sets
    }
    | {f"shift_{way}": FLOAT_OR_NULL for way in _SHIFTED},
    # over the context tasks: means of contrast and shifts, their correlations
    "sound_statistics": {
        "correction": TEXT,
        "statistic": TEXT,
        "datasets": INT,
        "negative": INT_OR_NULL,  # tasks in which it is below zero; null for a correlation
        "value": FLOAT_OR_NULL,
        "low": FLOAT_OR_NULL,
        "high": FLOAT_OR_NULL,
        "undefined": INT,
        "reason": TEXT_OR_NULL,
    },
    # errors of importance x utility weights against one of them alone and neither
    "joint": {
        "task": TEXT,
        "sampler": TEXT,
        "size": INT,
        "estimator": TEXT,  # whose importance weights
        "measure": TEXT,
        "utility": TEXT,  # of the target and of the joint weights
        "rival": TEXT,  # neither | importance | utility
        "truth": FLOAT,
        "subsets": INT,  # distinct ones in which all four estimates have a value
        "undefined": INT,  # the others
        "joint_bias": FLOAT,
        "joint_rmse": FLOAT,
        "rival_bias": FLOAT,
        "rival_rmse": FLOAT,
        "difference": FLOAT,  # joint less rival
        "low": FLOAT_OR_NULL,
        "high": FLOAT_OR_NULL,
        "reason": TEXT_OR_NULL,
    },
}
