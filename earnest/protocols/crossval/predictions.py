"""The predictions of a model trained elsewhere, scored as the forests of tables are."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest import utility as utilities
from earnest.datasets import predictions
from earnest.io import schemas
from earnest.io.cells import UnusableInput
from earnest.protocols.crossval.scoring import FoldItems, count_hits, score_fold
from earnest.protocols.crossval.splitting import recognition_rows, subconcept_rows

if TYPE_CHECKING:
    import pandas

CORRECTION = "given"


@dataclass(frozen=True)
class Scored:
    """What the predictions of one model come to.

    Attributes
    ----------
    description : dict
        Plain values: status `used` or `not run`, the reason, the two sides and their sizes.
    scores, recalls, subconcepts, recognition : pandas.DataFrame
        Tables `fold_scores`, `fold_recalls`, `fold_subconcepts` and `recognition`; the last three
        have no rows where the true subconcepts are not known.
    """

    description: dict[str, Any]
    scores: "pandas.DataFrame"
    recalls: "pandas.DataFrame"
    subconcepts: "pandas.DataFrame"
    recognition: "pandas.DataFrame"


def score_file(name: str, path: str | os.PathLike, subconcepts: str | os.PathLike) -> Scored:
    """Read and score the predictions of a model; unusable ones give their reason instead of rows.

    Parameters
    ----------
    name : str
        What the model is called in every table.
    path, subconcepts
        As in `earnest.datasets.predictions.read`.

    Returns
    -------
    Scored
    """
    try:
        given = predictions.read(path, subconcepts)
    except UnusableInput as error:
        description = {"dataset": name, "status": "not run", "reason": str(error)}
        return _scored(description, [], [], [], [])
    return score_predictions(name, given)


def score_predictions(name: str, given: predictions.Predictions) -> Scored:
    """Score predictions under every weighting, fold by fold.

    The utility of a subconcept is that of Eq. 5, from the training sizes given. Where the true
    subconcepts of the test items are not known, what needs them has no value but that reason:
    predicted and conditional weights need none.

    Parameters
    ----------
    name : str
    given : earnest.datasets.predictions.Predictions

    Returns
    -------
    Scored

    Notes
    -----
    "Correcting Performance Estimation Bias in Imbalanced Classification with Minority
    Subconcepts", Eq. 3 to 6.
    """
    scores: list[dict] = []
    recalls: list[dict] = []
    averages: list[dict] = []
    recognised: list[dict] = []
    description = _description(name, given)
    trained = _trained(given)
    for fold, rows in _folds(given):
        tested = _tested(given, rows)
        at = {"dataset": name, "correction": CORRECTION} | fold
        hit = given.predicted[rows]
        cells = score_fold(tested, hit, given.scores[rows], given.minority)
        scores += [at | cell for cell in cells]
        if tested.subconcept is None:
            continue
        found = count_hits(tested, hit, description, copies=trained)
        recalls += [at | {"neighbours": None} | row for row in found]
        at = {"dataset": name} | fold
        averages += [
            at | row
            for row in subconcept_rows(
                given, tested.subconcept, tested.weights, train_sizes=given.train_sizes
            )
        ]
        names = np.array((*given.majority, *given.minority))
        likeliest = names[given.posteriors[rows].argmax(axis=1)]
        found = recognition_rows(tested.subconcept, likeliest, given.posteriors[rows], names)
        recognised += [at | row for row in found]
    return _scored(description, scores, recalls, averages, recognised)


def _folds(given: predictions.Predictions) -> Iterator[tuple[dict[str, int], np.ndarray]]:
    """Yield the name of each fold and its rows."""
    pairs = np.stack([given.repeat, given.fold], axis=1)
    for repeat, fold in np.unique(pairs, axis=0).tolist():
        rows = np.flatnonzero((given.repeat == repeat) & (given.fold == fold))
        yield {"repeat": repeat, "fold": fold}, rows


def _trained(given: predictions.Predictions) -> np.ndarray:
    """Return the subconcept of every training item."""
    return np.repeat(list(given.train_sizes), list(given.train_sizes.values()))


def _tested(given: predictions.Predictions, rows: np.ndarray) -> FoldItems:
    worth = utilities.utility_by_subconcept(_trained(given), given)
    names = (*given.majority, *given.minority)
    posteriors, is_minority = given.posteriors[rows], given.is_minority[rows]
    weights = {
        "predicted": utilities.expected_utility(posteriors, names, worth),
        "conditional": utilities.expected_utility(
            posteriors,
            names,
            worth,
            minority=given.minority,
            is_minority=is_minority,
            conditional=True,
        ),
    }
    subconcept = None if given.subconcept is None else given.subconcept[rows]
    if subconcept is not None:
        weights["true"] = utilities.true_utility(subconcept, worth)
    return FoldItems(is_minority, subconcept, weights)


def _description(name: str, given: predictions.Predictions) -> dict[str, Any]:
    majority = sum(given.train_sizes[one] for one in given.majority)
    minority = sum(given.train_sizes[one] for one in given.minority)
    return {
        "dataset": name,
        "status": "used",
        "reason": None,
        "file_rows": len(given.scores),
        "rows": len(given.scores),
        "features": None,
        "text_columns": [],
        "missing": 0,
        "filled": 0,
        "majority": list(given.majority),
        "minority": list(given.minority),
        "sizes": given.train_sizes,
        "majority_size": majority,
        "minority_size": minority,
        "ratio": majority / minority,
    }


def _scored(
    description: dict[str, Any],
    scores: list[dict],
    recalls: list[dict],
    averages: list[dict],
    recognised: list[dict],
) -> Scored:
    return Scored(
        description,
        schemas.frame_of("fold_scores", scores),
        schemas.frame_of("fold_recalls", recalls),
        schemas.frame_of("fold_subconcepts", averages),
        schemas.frame_of("recognition", recognised),
    )
