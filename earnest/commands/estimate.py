"""`earnest estimate`: a pool, some labels, and what they say of the whole pool."""

import argparse
from typing import Any

from earnest.commands import terminal
from earnest.commands.files import ACCEPT, new_folder, write_evaluation

MOST_CLASSES = 12  # whose recalls the terminal shows

DESCRIPTION = """\
Estimate the scores of a whole pool from the labels of some of its items, say what these leave
unseen, and which items to label next. Prints a summary; --output writes everything.
"""


def add_arguments(commands: Any) -> None:
    """Add the command to a parser."""
    from earnest.embeddings import BACKENDS
    from earnest.protocols.ownpool import evaluating, labelling

    backends = BACKENDS.names(is_trained=False, is_matched=False)
    parser = commands.add_parser(
        "estimate",
        help="scores of a whole pool from some labels",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("pool", help="table of item_id, prediction and confidence or posterior_CLASS columns")
    add("labels", help="table of item_id and label")
    add("--embeddings", metavar="FILE", help=".npy file (items, dimensions), rows as in the pool")
    add("--audio", metavar="FOLDER", help="embed these files instead: item_id is a path below it")
    add("--backend", metavar="NAME", help=f"what embeds them: {', '.join(backends)}")
    add("--sampler", metavar="RULE", help=terminal.choosing())
    add("--drawn", metavar="FILE", help="the next_labels.csv by which further items were labelled")
    add("--positive", metavar="CLASS", help="the positive class of two, for F1")
    add("--accept-new-classes", metavar="CLASS", nargs="+", default=(), help=ACCEPT)
    add("--subconcepts", metavar="FILE", help="table of subconcept, side and train_size")
    add("--estimators", metavar="NAME", nargs="+", help=terminal.estimators("all when not given"))
    add("--budget", type=int, default=evaluating.BUDGET, help="items to label next (%(default)s)")
    add(
        "--target",
        type=float,
        default=evaluating.TARGET,
        help="half-width of the interval for which labels are counted (%(default)s)",
    )
    add(
        "--uniform-share",
        type=float,
        default=labelling.UNIFORM_SHARE,
        help="share of pure chance in what to label next (%(default)s)",
    )
    add("--level", type=float, default=0.95, help="of the intervals (%(default)s)")
    add("--resamples", type=int, default=200, help="of the bootstrap (%(default)s)")
    add("--seed", type=int, default=0, help="of bootstrap and draw (%(default)s)")
    add("--output", metavar="FOLDER", help="write estimates.csv, next_labels.csv and a page there")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> None:
    """Read, evaluate, print and write."""
    from earnest.protocols import ownpool
    from earnest.protocols.ownpool import embedding

    if (given.audio is None) != (given.backend is None):
        raise ownpool.UnusableInput("--audio and --backend go together: give both or neither")
    if given.audio is not None and given.embeddings is not None:
        raise ownpool.UnusableInput("--audio and --embeddings both give vectors: leave one out")
    if given.output is not None:
        new_folder(given.output)
    inputs = ownpool.read(
        given.pool,
        given.labels,
        embeddings=given.embeddings,
        subconcepts=given.subconcepts,
        drawn=given.drawn,
        sampler=given.sampler,
        positive=given.positive,
        accept_new_classes=given.accept_new_classes,
    )
    if given.audio is not None:
        inputs = embedding.with_embeddings(inputs, given.audio, given.backend)
    found = ownpool.evaluate(
        inputs,
        estimators=given.estimators,
        level=given.level,
        resamples=given.resamples,
        seed=given.seed,
        budget=given.budget,
        target=given.target,
        uniform_share=given.uniform_share,
    )
    # First, so that nothing is lost where the reader of what is printed goes away.
    if given.output is not None:
        write_evaluation(found, given.output, given.pool)
    print(summary(found))
    if given.output is not None:
        print(f"\nWritten to {given.output}: estimates.csv, next_labels.csv, evaluation.json,")
        print("report.html")


def summary(found: Any) -> str:
    """Return what the terminal shows of an evaluation."""
    document = found.document()
    parts = [
        f"{document['items']:,} items, {document['labelled']:,} labelled, of"
        f" {len(document['classes'])} classes",
        "\n".join(terminal.paragraph(one) for one in document["recommendation"]),
        _scores(document),
        _recalls(document),
    ]
    assumed = any(row["interval"] == "assumption" for row in document["estimates"])
    if assumed:
        parts.append("* This interval holds only under an assumption, which estimates.csv states.")
    if document["notes"]:
        parts.append("\n".join(terminal.paragraph(one, "Note: ") for one in document["notes"]))
    return "\n\n".join(part for part in parts if part)


def _scores(document: dict[str, Any]) -> str:
    found: dict[str, dict[str, Any]] = {}
    for row in document["estimates"]:
        if row["utility"] == "none" and not row["measure"].startswith("recall:"):
            found.setdefault(row["estimator"], {})[row["measure"]] = row
    measures = list(next(iter(found.values())))
    heads = ["estimator"]
    for measure in measures:
        heads += [measure.replace("_", " "), "interval"]
    rows = []
    for name, scores in found.items():
        cells = [name]
        for measure in measures:
            cells += _cells(scores[measure])
        rows.append(cells)
    return terminal.table(heads, rows, right=range(1, 2 * len(measures), 2))


def _cells(row: dict[str, Any]) -> list[str]:
    mark = "*" if row["interval"] == "assumption" else ""
    return [terminal.number(row["value"]), terminal.interval(row["low"], row["high"]) + mark]


def _recalls(document: dict[str, Any]) -> str:
    """Return the recalls of the estimator that is recommended."""
    if document["recommended"] is None:
        return ""
    rows = [
        [row["measure"].partition(":")[2], *_cells(row)]
        for row in document["recommended"].values()
        if row["measure"].startswith("recall:")
    ]
    name = document["recommended"]["accuracy"]["estimator"]
    text = terminal.table(["class", f"recall ({name})", "interval"], rows[:MOST_CLASSES], right=[1])
    left = len(rows) - MOST_CLASSES
    return text if left <= 0 else f"{text}\nand {left} classes more"
