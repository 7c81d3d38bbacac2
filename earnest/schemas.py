"""The row schema of every table that earnest writes, and the check made at the border."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas
    import pyarrow


class SchemaError(ValueError):
    """A table does not have the columns, types or filled cells of its schema."""


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    kind : str
        `string`, `int64`, `float64`, `bool`, `list<int64>`, `list<float64>` or `list<string>`.
    nullable : bool
        Whether a cell may be empty.
    """

    kind: str
    nullable: bool = False


_TEXT, _INT, _FLOAT, _BOOL = Column("string"), Column("int64"), Column("float64"), Column("bool")
_TEXT_OR_NULL, _INT_OR_NULL = Column("string", True), Column("int64", True)
_FLOAT_OR_NULL = Column("float64", True)

_LISTING = {
    "clip_id": _TEXT,
    "dataset": _TEXT,
    "path": _TEXT,  # absolute, or relative to the working directory of the run
    "label": _TEXT,
    "fold": _INT_OR_NULL,
    "recording": _TEXT,
}

_MIXTURE_PLAN = {
    "mixture_id": _TEXT,
    "foreground_clip": _TEXT,
    "background_clip": _TEXT,
    "foreground": _TEXT,
    "background": _TEXT,
    "is_primary": _BOOL,
    "split": _TEXT,  # train | pool
    "class_split": _TEXT,  # SpurAudio's split over classes: train | validation | test
    "recording": _TEXT,  # of the foreground clip, prefixed by its data set
    "background_recording": _TEXT,
    "shard": _INT,
}

_CELL = {"task": _TEXT, "sampler": _TEXT, "size": _INT, "seed": _INT}

_FOLD = {"repeat": _INT, "fold": _INT}
_FOLD_OF_CORRECTION = {"dataset": _TEXT, "correction": _TEXT} | _FOLD
_SUBCONCEPT = {"subconcept": _TEXT, "side": _TEXT, "rank": _INT, "test_size": _INT}
_WEIGHTINGS = ("true", "predicted", "conditional")
_OF_SETS = {"correction": _TEXT, "measure": _TEXT, "utility": _TEXT, "datasets": _INT}
# a number over data sets: bootstrap interval over them, and the number that the paper prints
_STATISTIC = {
    "value": _FLOAT_OR_NULL,
    "low": _FLOAT_OR_NULL,
    "high": _FLOAT_OR_NULL,
    "undefined": _INT,  # resamples without a value
    "printed": _FLOAT_OR_NULL,
    "reason": _TEXT_OR_NULL,
}

TABLES: dict[str, dict[str, Column]] = {
    # one row per file of a source data set, before any decoding
    "listing": _LISTING,
    # one row per listed clip after screening; rejected ones keep their row and a reason
    "clips": _LISTING
    | {
        "sample_rate": _INT_OR_NULL,  # Hz, as stored in the file
        "channels": _INT_OR_NULL,
        "frames": _INT_OR_NULL,  # at the file's own sample rate
        "duration_s": _FLOAT_OR_NULL,
        "sha256": _TEXT_OR_NULL,  # of the file's bytes
        "part": _INT,  # which prepared array holds the samples
        "row": _INT_OR_NULL,  # row in that array; null when rejected
        "length": _INT_OR_NULL,  # samples of sound at 16 kHz kept in that row
        "crop_start": _INT_OR_NULL,  # first kept sample at 16 kHz
        "foreground_lufs": _FLOAT_OR_NULL,  # 5 s, zero-padded when shorter
        "background_lufs": _FLOAT_OR_NULL,  # 5 s, looped when shorter
        "status": _TEXT,  # used | rejected
        "reason": _TEXT_OR_NULL,
        "warning": _TEXT_OR_NULL,  # accepted, but worth a look (false sample rate, ...)
    },
    "mixture_plan": _MIXTURE_PLAN,
    # what a study could not build: pairs, foregrounds, mixtures
    "dropped": {"kind": _TEXT, "name": _TEXT, "reason": _TEXT},
    "mixtures": _MIXTURE_PLAN
    | {
        "row": _INT_OR_NULL,  # samples [row * length, (row + 1) * length) of its shard
        "fg_lufs": _FLOAT_OR_NULL,
        "bg_lufs": _FLOAT_OR_NULL,
        "background_gain_db": _FLOAT_OR_NULL,
        "peak_gain": _FLOAT_OR_NULL,
        "foreground_length": _INT_OR_NULL,  # samples of sound; zeros follow
        "background_length": _INT_OR_NULL,  # samples of sound; looped when short
        "foreground_crop_start": _INT_OR_NULL,
        "background_crop_start": _INT_OR_NULL,
        "status": _TEXT,
        "reason": _TEXT_OR_NULL,
    },
    # rows of embeddings.npy, in order
    "items": {
        "item_id": _TEXT,
        "foreground": _TEXT,
        "background": _TEXT,
        "is_primary": _BOOL,
        "split": _TEXT,
        "recording": _TEXT,
        "background_recording": _TEXT,
        "shard": _INT,
        "row": _INT,
    },
    "pool": {
        "item_id": _TEXT,
        "label": _TEXT,
        "prediction": _TEXT,
        "confidence": _FLOAT,  # the largest posterior
        "posteriors": Column("list<float64>"),  # in the order of the pool's `classes`
        "recording": _TEXT,
        "subconcept": _TEXT,
        "context": _TEXT,
        "is_primary": _BOOL,
        "utility_true": _FLOAT_OR_NULL,  # null in a task without subconcepts
        "utility_predicted": _FLOAT_OR_NULL,
        "utility_conditional": _FLOAT_OR_NULL,
    },
    "draws": _CELL
    | {
        "is_prefix": _BOOL,  # the first n of `items` are the draw of size n, for every n <= size
        "items": Column("list<int64>"),  # pool row numbers, in the order drawn
        # of a sampler with recorded chances, see `earnest.designs.Draw`; null for the others
        "chances": Column("list<float64>", True),
        "missed": Column("list<float64>", True),
    },
    "weights": _CELL
    | {
        "estimator": _TEXT,
        "values": Column("list<float64>"),  # in the order of the drawn items; mean 1
        "ess": _FLOAT,
        "largest": _FLOAT,
        "pareto_k": _FLOAT_OR_NULL,
        "flags": Column("list<string>"),
    },
    "estimates": {"study": _TEXT}
    | _CELL
    | {
        "estimator": _TEXT,
        "measure": _TEXT,
        "utility": _TEXT,  # none | true | predicted | conditional
        "value": _FLOAT_OR_NULL,
        "low": _FLOAT_OR_NULL,
        "high": _FLOAT_OR_NULL,
        "truth": _FLOAT_OR_NULL,
        "ess": _FLOAT_OR_NULL,  # null for an estimator without weights, as the next two
        "largest": _FLOAT_OR_NULL,
        "pareto_k": _FLOAT_OR_NULL,
        # shares of the pool beyond what is labelled, of the subset; with `unweighted` only
        "outside_confidence": _FLOAT_OR_NULL,
        "outside_distance": _FLOAT_OR_NULL,
        "flags": Column("list<string>"),
        "reason": _TEXT_OR_NULL,  # why the value, or else the interval, is null
        "subset": _TEXT,  # hash of the drawn set: equal hashes are equal subsets
    },
    "subconcepts": {
        "task": _TEXT,
        "subconcept": _TEXT,
        "side": _TEXT,  # majority | minority
        "train_size": _INT,
        "pool_size": _INT,
        "utility": _FLOAT,
        "recall": _FLOAT_OR_NULL,  # share of its pool items predicted on the right side
        "primary_recall": _FLOAT_OR_NULL,
        "rare_recall": _FLOAT_OR_NULL,
    },
    "summary": {
        "study": _TEXT,
        "task": _TEXT,
        "sampler": _TEXT,
        "size": _INT,
        "estimator": _TEXT,
        "measure": _TEXT,
        "utility": _TEXT,
        "truth": _FLOAT_OR_NULL,
        "seeds": _INT,  # cells summarised
        "distinct_subsets": _INT,
        "undefined": _INT,  # cells whose value is null
        "mean": _FLOAT_OR_NULL,
        "sd": _FLOAT_OR_NULL,  # ddof 1; null with fewer than two values
        "bias": _FLOAT_OR_NULL,
        "rmse": _FLOAT_OR_NULL,
        "coverage": _FLOAT_OR_NULL,  # share of the intervals that hold the truth
        "mean_width": _FLOAT_OR_NULL,
        "interval": _TEXT,  # valid | no valid interval
        "ess": _FLOAT_OR_NULL,  # medians over the cells
        "largest": _FLOAT_OR_NULL,
        "pareto_k": _FLOAT_OR_NULL,
        "outside_confidence": _FLOAT_OR_NULL,  # means over the cells
        "outside_distance": _FLOAT_OR_NULL,
        "flags": Column("list<string>"),  # those raised in any cell
        "reason": _TEXT_OR_NULL,
    },
    # what tools that plot CSV files draw: plain scores only
    "curves": dict.fromkeys(("task", "measure", "sampler", "estimator"), _TEXT)
    | {"size": _INT, "mean": _FLOAT_OR_NULL, "truth": _FLOAT_OR_NULL},
    # studies on tables: one row per test item of each fold
    "fold_items": _FOLD
    | {
        "item": _INT,  # row of the data set's file
        "row": _INT,  # row of the kept features
        "subconcept": _TEXT,
        "is_minority": _BOOL,
        "utility_true": _FLOAT,
        "utility_predicted": _FLOAT,
        "utility_conditional": _FLOAT,
    },
    "fold_subconcepts": {"dataset": _TEXT}
    | _FOLD
    | _SUBCONCEPT
    | {
        "train_size": _INT,
        "mean_true": _FLOAT,  # mean weight of its test items
        "mean_predicted": _FLOAT,
        "mean_conditional": _FLOAT,
    },
    # how well the subconcept forest names the subconcept of a test item
    "recognition": {"dataset": _TEXT}
    | _FOLD
    | {"measure": _TEXT, "value": _FLOAT_OR_NULL, "reason": _TEXT_OR_NULL},
    "fold_scores": _FOLD_OF_CORRECTION
    | {
        "part": _TEXT,  # full | largest | smallest: which minority subconcepts are tested
        "measure": _TEXT,
        "utility": _TEXT,  # none | true | predicted | majority_one | conditional
        "value": _FLOAT_OR_NULL,
        "reason": _TEXT_OR_NULL,
    },
    # of each subconcept: how many test items the binary forest hit, and their summed weights
    "fold_recalls": _FOLD_OF_CORRECTION
    | _SUBCONCEPT
    | {
        "trained": _INT,  # training rows after the correction, its own or made from them
        "neighbours": _INT_OR_NULL,  # k of SMOTE; null for the other corrections
        "hits": _INT,
    }
    | {f"{way}_{kind}": _FLOAT for way in ("hit", "missed") for kind in _WEIGHTINGS},
    "table_correlations": _OF_SETS
    | {"part": _TEXT, "p": _FLOAT_OR_NULL}
    | _STATISTIC
    | {
        "low_without": _FLOAT_OR_NULL,  # lowest and highest value when one set is left out
        "low_set": _TEXT_OR_NULL,
        "high_without": _FLOAT_OR_NULL,
        "high_set": _TEXT_OR_NULL,
        "printed_p": _FLOAT_OR_NULL,
    },
    "table_gaps": _OF_SETS | _STATISTIC,
    "table_gap_differences": _OF_SETS | {"other": _TEXT} | _STATISTIC,
    "weight_quality": {"dataset": _TEXT, "measure": _TEXT}
    | {
        "recognition": _FLOAT_OR_NULL,
        "mu": _FLOAT,
        "mu_relative": _FLOAT,
    },
    "recognition_correlations": {
        "version": _TEXT,  # absolute | relative
        "method": _TEXT,  # pearson | spearman
        "measure": _TEXT,
        "datasets": _INT,
        "outliers": Column("list<string>"),  # left out by the paper's rule
        "p": _FLOAT_OR_NULL,
    }
    | _STATISTIC
    | {
        "low_without": _FLOAT_OR_NULL,
        "low_set": _TEXT_OR_NULL,
        "high_without": _FLOAT_OR_NULL,
        "high_set": _TEXT_OR_NULL,
    },
    # of each data set: how far a weighting is from the one by true subconcepts
    "table_distances": {
        "dataset": _TEXT,
        "correction": _TEXT,
        "measure": _TEXT,
        "utility": _TEXT,
        "value": _FLOAT_OR_NULL,  # mean over the folds
        "true_value": _FLOAT_OR_NULL,
        "distance": _FLOAT_OR_NULL,  # absolute, of the two means
        "optimism": _FLOAT_OR_NULL,  # with its sign
    },
    # mean weight of the minority items that the binary forest missed, and of those it hit
    "table_weights": {
        "dataset": _TEXT,
        "correction": _TEXT,
        "utility": _TEXT,
        "missed": _INT,
        "hits": _INT,
        "missed_weight": _FLOAT_OR_NULL,
        "hit_weight": _FLOAT_OR_NULL,
    },
}


def frame_of(table: str, rows: "list[dict]") -> "pandas.DataFrame":
    """Return rows as a data frame with the columns of a table; none is fine."""
    import pandas as pd

    return pd.DataFrame(rows, columns=list(TABLES[table]))


def arrow_schema(table: str) -> "pyarrow.Schema":
    """Return the Arrow schema of a table named in `TABLES`."""
    import pyarrow as pa

    kinds = {
        "string": pa.string(),
        "int64": pa.int64(),
        "float64": pa.float64(),
        "bool": pa.bool_(),
        "list<int64>": pa.list_(pa.int64()),
        "list<float64>": pa.list_(pa.float64()),
        "list<string>": pa.list_(pa.string()),
    }
    columns = TABLES[table].items()
    return pa.schema([pa.field(name, kinds[c.kind], nullable=c.nullable) for name, c in columns])


def to_arrow(table: str, frame: "pandas.DataFrame") -> "pyarrow.Table":
    """Convert a data frame to the Arrow table of its schema, checking every cell.

    Parameters
    ----------
    table : str
        A key of `TABLES`.
    frame : pandas.DataFrame
        Exactly the columns of the schema, in any order; may have no rows.

    Returns
    -------
    pyarrow.Table
        Columns in schema order.

    Raises
    ------
    SchemaError
        If a column is missing, unknown or of another type, if a cell that must be
        filled is empty, or if a number is infinite; the message names table, column and row.
    """
    import pyarrow as pa

    schema = arrow_schema(table)
    missing = [name for name in schema.names if name not in frame.columns]
    unknown = [name for name in frame.columns if name not in schema.names]
    if missing or unknown:
        raise SchemaError(f"table {table}: missing columns {missing}, unknown columns {unknown}")
    arrays = []
    for field in schema:
        try:
            cells = frame[field.name]
            # An empty column of lists has lost its type; as objects Arrow takes it.
            cells = cells.astype(object) if pa.types.is_list(field.type) else cells
            array = pa.Array.from_pandas(cells, type=field.type)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise SchemaError(f"table {table}, column {field.name}: {error}") from error
        _refuse_bad_cells(table, field, array)
        arrays.append(array)
    return pa.Table.from_arrays(arrays, schema=schema)


def _refuse_bad_cells(table: str, field: "pyarrow.Field", array: "pyarrow.Array") -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not field.nullable and array.null_count:
        row = array.is_null().index(True).as_py()
        raise SchemaError(f"table {table}, column {field.name}, row {row}: empty cell")
    numbers = array.flatten() if pa.types.is_list(field.type) else array
    if numbers is not array and numbers.null_count:
        position = numbers.is_null().index(True).as_py()
        raise SchemaError(f"table {table}, column {field.name}, value {position}: not a number")
    if not pa.types.is_floating(numbers.type):
        return
    infinite = pc.invert(pc.is_finite(numbers)).fill_null(False)
    if pc.any(infinite).as_py():
        position = infinite.index(True).as_py()
        raise SchemaError(
            f"table {table}, column {field.name}, value {position}: not a finite number"
        )
