"""`earnest compare`: two runs of a study, or two models on one pool."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from earnest.commands import terminal
from earnest.commands.files import ACCEPT, new_folder, write_comparison

if TYPE_CHECKING:
    import pandas

MOST_ROWS = 30
READING = ("drawn", "sampler", "positive", "accept_new_classes")
# Options that say how one pool was labelled.
OF_ONE_POOL = ("labels", "embeddings", "sampler", "drawn", "positive", "accept_new_classes")

DESCRIPTION = """\
Say which estimates moved from a first to a second run, and whether that is outside the noise.

  earnest compare results/before results/after       two runs of a study (folders, or one
                                                     table of estimates each), paired over draws
  earnest compare old.csv new.csv --labels LABELS    two models on one pool, paired over the
                                                     labelled items
  earnest compare results/old results/new            the same, where each was evaluated by a study
                                                     of kind `own`
"""


def add_arguments(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "compare",
        help="what moved between two runs or two models",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("first", help="folder of results, table of estimates, or table of a pool")
    add("second", help="the same of the second")
    add("--labels", metavar="FILE", help="the labels, for two models on one pool")
    add("--embeddings", metavar="FILE", help=".npy file with rows as in the first pool")
    add("--sampler", metavar="RULE", help=terminal.choosing())
    add("--drawn", metavar="FILE", help="the next_labels.csv by which they were chosen")
    add("--positive", metavar="CLASS", help="the positive class of two, for F1")
    add("--accept-new-classes", metavar="CLASS", nargs="+", default=(), help=ACCEPT)
    add("--estimators", metavar="NAME", nargs="+", help=terminal.estimators("of two models"))
    add("--level", type=float, default=0.95, help="of the intervals (%(default)s)")
    add("--resamples", type=int, default=1000, help="of the bootstrap (%(default)s)")
    add("--seed", type=int, default=0, help="of the bootstrap (%(default)s)")
    add("--output", metavar="FOLDER", help="write comparison.csv and report.html there")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> None:
    """Read, compare, print and write."""
    from earnest.protocols.ownpool import UnusableInput, comparing
    from earnest.protocols.ownpool.evaluated import is_evaluation

    if not 0.5 < given.level < 1:
        raise UnusableInput(f"level must be above 0.5 and below 1, got {given.level}")
    if given.output is not None:
        new_folder(given.output)
    evaluated = [is_evaluation(path) for path in (given.first, given.second)]
    if any(evaluated):
        found = _evaluations(given, evaluated)
    elif given.labels is None:
        tables = [read_estimates(path) for path in (given.first, given.second)]
        found = comparing.compare_runs(*tables, level=given.level)
    else:
        found = _models(given)
    # First, so that nothing is lost where the reader of what is printed goes away.
    if given.output is not None:
        write_comparison(found, given.output, given.first, given.second)
    print(summary(found))
    if given.output is not None:
        print(f"\nWritten to {given.output}: comparison.csv, report.html")


def _evaluations(given: argparse.Namespace, evaluated: list[bool]) -> Any:
    """Compare two folders of studies on own pools."""
    from earnest.protocols.ownpool import UnusableInput
    from earnest.protocols.ownpool.evaluated import read_evaluated

    paths = [given.first, given.second]
    if not all(evaluated):
        own, other = paths if evaluated[0] else paths[::-1]
        raise UnusableInput(
            f"{own} is of an own pool, and {other} is not: two own pools can be compared, or two"
            " runs of a study"
        )
    for name in OF_ONE_POOL:
        if getattr(given, name) not in (None, ()):
            option = name.replace("_", "-")
            raise UnusableInput(f"leave out --{option}: each study says it itself")
    return _compared(given, *map(read_evaluated, paths))


def _models(given: argparse.Namespace) -> Any:
    from earnest.protocols import ownpool

    settings = {key: getattr(given, key) for key in READING}
    first, second = (
        ownpool.read(path, given.labels, embeddings=embeddings, **settings)
        for path, embeddings in ((given.first, given.embeddings), (given.second, None))
    )
    return _compared(given, first, second)


def _compared(given: argparse.Namespace, first: Any, second: Any) -> Any:
    from earnest.protocols.ownpool.models import compare_models

    return compare_models(
        first,
        second,
        estimators=given.estimators,
        level=given.level,
        resamples=given.resamples,
        seed=given.seed,
    )


def read_estimates(path: str) -> "pandas.DataFrame":
    """Read the estimates of a run: one table, or all below a folder of results.

    Raises
    ------
    UnusableInput
        If there are none.
    """
    import pandas as pd

    from earnest import io
    from earnest.io import schemas
    from earnest.protocols.ownpool import UnusableInput

    place = Path(path)
    if place.suffix in (".csv", ".tsv"):
        raise UnusableInput(f"{place}: a pool is compared by its labels; give them with --labels")
    if not place.exists():
        raise UnusableInput(f"there is no file or folder {place}")
    files = [place] if place.is_file() else sorted((place / "estimates").rglob("*.parquet"))
    if not files:
        hint = "; name the folder of a study below results/"
        if (place / "datasets.json").exists():
            hint = ": it is of a study on tables, whose page compares corrections and weightings"
            hint += " itself; two such studies cannot be compared here"
        raise UnusableInput(f"{place} holds no estimates/*.parquet{hint}")
    try:
        frames = [io.read_frame("estimates", file) for file in files]
    except (schemas.SchemaError, OSError) as error:
        raise UnusableInput(str(error)) from error
    return pd.concat(frames, ignore_index=True)


def summary(found: Any) -> str:
    """Return what the terminal shows of a comparison."""
    from earnest.protocols.ownpool.comparing import MOVED, name_of

    records = found.rows.astype(object).where(found.rows.notna(), None).to_dict("records")
    shown = [row for row in records if row["verdict"] == MOVED]
    heading = "Moved:"
    if not shown:
        shown = [row for row in records if row["difference"] is not None]
        heading = "None moved. The largest differences:"
    shown.sort(key=lambda row: -abs(row["difference"]))
    rows = [
        [
            name_of(row),
            terminal.number(row["first"]),
            terminal.number(row["second"]),
            f"{row['difference']:+.3f}",
            terminal.interval(row["low"], row["high"]),
            "-" if row["p_adjusted"] is None else f"{row['p_adjusted']:.2g}",
        ]
        for row in shown[:MOST_ROWS]
    ]
    heads = ["estimate", "first", "second", "difference", "interval", "adjusted p"]
    parts = ["\n".join(terminal.paragraph(one) for one in found.sentences)]
    if rows:
        parts += [heading, terminal.table(heads, rows, right=(1, 2, 3, 5))]
    if len(shown) > MOST_ROWS:
        parts.append(f"and {len(shown) - MOST_ROWS} more")
    return "\n\n".join(parts)
