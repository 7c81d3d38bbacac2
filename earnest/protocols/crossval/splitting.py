"""A table made into a binary task, its folds, and the subconcept forest that weights each fold."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest import measures, tasks
from earnest import utility as utilities
from earnest.datasets import tabular
from earnest.io import schemas
from earnest.protocols.crossval.folds import FoldError, halves
from earnest.rng import generator
from earnest.tasks import classifiers

if TYPE_CHECKING:
    import pandas

MEASURES = ("roc_auc", "balanced_accuracy", "f1")
WEIGHTINGS = ("true", "predicted", "conditional")


@dataclass(frozen=True)
class Split:
    """A data set ready for its binary forests.

    Attributes
    ----------
    description : dict
        Plain values: status `used` or `not run`, the reason, the two sides and their sizes.
    features : ndarray (n, d) float32
        Of the kept rows; NaN where a number is missing.
    items : pandas.DataFrame
        Table `fold_items`.
    subconcepts : pandas.DataFrame
        Table `fold_subconcepts`.
    recognition : pandas.DataFrame
        Table `recognition`.
    """

    description: dict[str, Any]
    features: np.ndarray
    items: "pandas.DataFrame"
    subconcepts: "pandas.DataFrame"
    recognition: "pandas.DataFrame"


def split_file(
    collection: str,
    name: str,
    folders: Sequence[str | os.PathLike],
    *,
    tried: str | None = None,
    **options: Any,
) -> Split:
    """Read a data set and split it; one that cannot be used gives its reason instead of rows.

    Parameters
    ----------
    collection, name, folders
        As in `earnest.datasets.tabular.read`.
    tried : str, optional
        Why the file could not be downloaded, for the reason of one that is missing.
    **options
        As in `split_table`.

    Returns
    -------
    Split
        With status `not run` if the file is missing or unusable, no task can be built, or a
        fold lacks a subconcept.
    """
    try:
        table = tabular.read(collection, name, folders)
        return split_table(table, dataset=name, **options)
    except tabular.MissingTable as error:
        return not_run(name, f"{error} ({tried})" if tried else str(error))
    except (tabular.UnusableTable, tasks.TaskError, FoldError) as error:
        return not_run(name, str(error))


def not_run(dataset: str, reason: str) -> Split:
    """Return the split of a data set that cannot be used: no rows and a reason."""
    description = {"dataset": dataset, "status": "not run", "reason": reason}
    return Split(description, np.empty((0, 0), dtype=np.float32), *_frames([], [], []))


def split_table(
    table: tabular.Table, *, dataset: str, root_seed: int, repeats: int = 5, n_estimators: int = 100
) -> Split:
    """Build the binary task, split it in halves several times, and weight every test item.

    In each repeat the kept rows are halved at random, every subconcept in equal parts, and
    each half is tested once. A random forest over the subconcepts, trained on the other half,
    gives the posteriors behind the predicted weights. It does not depend on how the binary
    forest's imbalance is corrected, so all corrections share it.

    Parameters
    ----------
    table : earnest.datasets.tabular.Table
    dataset : str
        Names the random draws.
    root_seed : int
    repeats : int
        Of the split into two folds.
    n_estimators : int
        Trees of the subconcept forest.

    Returns
    -------
    Split

    Raises
    ------
    earnest.tasks.TaskError
        If there are too few classes, or too few rows in one.
    FoldError
        If a fold lacks a subconcept.

    Notes
    -----
    "Correcting Performance Estimation Bias in Imbalanced Classification with Minority
    Subconcepts", sections 4.1 to 4.3. The paper does not say whether its folds are stratified
    by class or by subconcept; here they are stratified by subconcept.
    """
    task = tasks.build_task(table.labels, seed=root_seed)
    features = table.features[task.items]
    frames = cross_predict(
        task,
        features,
        dataset=dataset,
        root_seed=root_seed,
        repeats=repeats,
        n_estimators=n_estimators,
    )
    about = {
        "text_columns": list(table.text_columns),
        "missing": table.missing,
        "filled": int(np.isnan(features).sum()),
    }
    description = describe(dataset, task, features, file_rows=len(table.labels), **about)
    return Split(description, features, *frames)


def cross_predict(
    task: tasks.Task,
    features: np.ndarray,
    *,
    dataset: str,
    root_seed: int,
    repeats: int = 5,
    n_estimators: int = 100,
    groups: np.ndarray | None = None,
) -> tuple["pandas.DataFrame", "pandas.DataFrame", "pandas.DataFrame"]:
    """Halve the items of a task several times, and weigh what each half tests.

    Parameters
    ----------
    task : earnest.tasks.Task
    features : ndarray (n, d)
        Of the items that the task keeps; NaN where a number is missing.
    dataset : str
        Names the random draws.
    root_seed, repeats, n_estimators
        As in `split_table`.
    groups : ndarray (n, k) of str, optional
        The recordings of each item, as in `earnest.protocols.crossval.folds.halves`.

    Returns
    -------
    tuple of pandas.DataFrame
        Tables `fold_items`, `fold_subconcepts` and `recognition`.

    Raises
    ------
    FoldError
        If a fold lacks a subconcept.
    """
    items, subconcepts, recognition = [], [], []
    folds = halves(task.subconcept, dataset, repeats, root_seed, groups=groups)
    for repeat, fold, train, test in folds:
        rng = generator(root_seed, dataset, "subconcepts", repeat, fold)
        filled = fill_missing(features, train)
        model = classifiers.fit(
            "forest", filled[train], task.subconcept[train], rng=rng, n_estimators=n_estimators
        )
        predicted, posteriors = classifiers.predict(model, filled[test])
        weights = _weights(task, train, test, posteriors, model.classes_)
        at = {"repeat": repeat, "fold": fold}
        items.append(
            at | {"item": task.items[test], "row": test, "subconcept": task.subconcept[test]}
        )
        items[-1] |= {"is_minority": task.is_minority[test]}
        items[-1] |= {f"utility_{way}": weights[way] for way in WEIGHTINGS}
        at = {"dataset": dataset} | at
        subconcepts += [
            at | row
            for row in subconcept_rows(
                task, task.subconcept[test], weights, train_sizes=_count(task.subconcept[train])
            )
        ]
        recognition += [
            at | row
            for row in recognition_rows(
                task.subconcept[test], predicted, posteriors, model.classes_
            )
        ]
    return _frames(items, subconcepts, recognition)


def fill_missing(features: np.ndarray, train: np.ndarray) -> np.ndarray:
    """Return features with missing numbers replaced by the median of the training rows.

    Parameters
    ----------
    features : ndarray (n, d)
    train : ndarray of int
        Rows of the training part; a feature that has no number there is filled with 0.
    """
    gaps = np.isnan(features)
    if not gaps.any():
        return features
    columns = np.flatnonzero(gaps.any(axis=0))
    medians = np.zeros(features.shape[1], dtype=features.dtype)
    known = [column for column in columns if not gaps[train, column].all()]
    medians[known] = np.nanmedian(features[np.ix_(train, known)], axis=0)
    return np.where(gaps, medians, features)


def _weights(
    task: tasks.Task,
    train: np.ndarray,
    test: np.ndarray,
    posteriors: np.ndarray,
    classes: Sequence,
) -> dict[str, np.ndarray]:
    """Weigh the test items by their own subconcept and by the predicted one."""
    worth = utilities.utility_by_subconcept(task.subconcept[train], task)
    conditional = utilities.expected_utility(
        posteriors,
        classes,
        worth,
        minority=task.minority,
        is_minority=task.is_minority[test],
        conditional=True,
    )
    return {
        "true": utilities.true_utility(task.subconcept[test], worth),
        "predicted": utilities.expected_utility(posteriors, classes, worth),
        "conditional": conditional,
    }


def _count(names: np.ndarray) -> dict[str, int]:
    found, counts = np.unique(names, return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))


def subconcept_rows(
    sides: utilities.Sides,
    subconcept: np.ndarray,
    weights: Mapping[str, np.ndarray],
    *,
    train_sizes: Mapping[str, int],
) -> list[dict[str, Any]]:
    """Average the weights of the test items of each subconcept.

    Parameters
    ----------
    sides : earnest.tasks.Task or alike
        Names the majority and the minority subconcepts, each largest first.
    subconcept : ndarray (n,) of str
        The true subconcept of each test item.
    weights : mapping of str to ndarray (n,)
        By the true, predicted and conditional utility.
    train_sizes : mapping of str to int
        Training items of each subconcept.

    Returns
    -------
    list of dict
        Columns of table `fold_subconcepts` after those that name the fold; no row for a
        subconcept without a test item.
    """
    rows = []
    for rank, name in enumerate((*sides.majority, *sides.minority)):
        mine = subconcept == name
        if not mine.any():
            continue
        rows.append(
            {
                "subconcept": name,
                "side": "majority" if name in sides.majority else "minority",
                "rank": rank,
                "train_size": train_sizes[name],
                "test_size": int(mine.sum()),
            }
            | {f"mean_{way}": float(weights[way][mine].mean()) for way in WEIGHTINGS}
        )
    return rows


def recognition_rows(
    truth: np.ndarray, predicted: np.ndarray, posteriors: np.ndarray, classes: Sequence
) -> list[dict[str, Any]]:
    """Score a subconcept model: AUC and F1 are means over one subconcept against the rest.

    Parameters
    ----------
    truth, predicted : ndarray (n,) of str
    posteriors : ndarray (n, c)
    classes : sequence of c names
        The subconcept of each column.

    Returns
    -------
    list of dict
        measure, value and reason.
    """
    rows = []
    for measure in MEASURES:
        if measure == "balanced_accuracy":
            scored = [measures.score(measure, truth, predicted, classes=classes)]
        else:
            scored = [
                measures.score(
                    measure,
                    (truth == name).astype(int),
                    (predicted == name).astype(int),
                    y_score=posteriors[:, column],
                )
                for column, name in enumerate(classes)
            ]
        reason = next((score.reason for score in scored if score.value is None), None)
        value = None if reason else float(np.mean([score.value for score in scored]))
        rows.append({"measure": measure, "value": value, "reason": reason})
    return rows


def describe(dataset: str, task: tasks.Task, features: np.ndarray, **about: Any) -> dict[str, Any]:
    """Describe a task that was split, in plain values: its two sides and their sizes.

    Parameters
    ----------
    dataset : str
    task : earnest.tasks.Task
    features : ndarray (n, d)
        Of the items that it keeps.
    **about
        What else is to be said: file_rows, text_columns, missing, filled.
    """
    majority, minority = int((~task.is_minority).sum()), int(task.is_minority.sum())
    return {
        "dataset": dataset,
        "status": "used",
        "reason": None,
        "rows": len(task.items),
        "features": features.shape[1],
        **about,
        "majority": list(task.majority),
        "minority": list(task.minority),
        "sizes": task.sizes,
        "majority_size": majority,
        "minority_size": minority,
        "ratio": majority / minority,
    }


def _frames(items: list[dict], subconcepts: list[dict], recognition: list[dict]) -> tuple:
    import pandas as pd

    frames = [pd.DataFrame(part) for part in items] or [schemas.frame_of("fold_items", [])]
    whole = pd.concat(frames, ignore_index=True)
    return (
        whole,
        schemas.frame_of("fold_subconcepts", subconcepts),
        schemas.frame_of("recognition", recognition),
    )
