"""The binary forest of one correction, scored in every fold under every weighting."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest import measures
from earnest.io import schemas
from earnest.protocols.crossval.splitting import MEASURES, WEIGHTINGS, fill_missing
from earnest.rng import generator
from earnest.tasks import classifiers, imbalance

if TYPE_CHECKING:
    import pandas

PARTS = ("full", "largest", "smallest")
UNKNOWN = "not run: the true subconcepts of the test items are not known"
UTILITIES = ("none", "predicted", "majority_one", "conditional", "true")


@dataclass(frozen=True)
class FoldItems:
    """The test items of one fold.

    Attributes
    ----------
    is_minority : ndarray (n,) bool
    subconcept : ndarray (n,) of str or None
        None where the true subconcepts are not known.
    weights : dict of str to ndarray (n,)
        By the `true` (left out where it is not known), `predicted` and `conditional` utility.
    """

    is_minority: np.ndarray
    subconcept: np.ndarray | None
    weights: Mapping[str, np.ndarray]


def score_correction(
    description: Mapping[str, Any],
    features: np.ndarray,
    items: "pandas.DataFrame",
    *,
    correction: str,
    root_seed: int,
    n_estimators: int = 100,
) -> tuple["pandas.DataFrame", "pandas.DataFrame"]:
    """Train the binary forest of each fold and score it on the fold's test items.

    Parameters
    ----------
    description, features, items
        Of an `earnest.protocols.crossval.splitting.Split`.
    correction : str
        A key of `earnest.tasks.imbalance.CORRECTIONS`.
    root_seed : int
    n_estimators : int
        Trees of the forest.

    Returns
    -------
    scores : pandas.DataFrame
        Table `fold_scores`: no rows for a data set that was not run; rows without a value but
        with the reason where the correction cannot be applied.
    recalls : pandas.DataFrame
        Table `fold_recalls`.
    """
    scores: list[dict] = []
    recalls: list[dict] = []
    dataset = description["dataset"]
    for repeat, fold, train, test in _folds(items):
        at = {"dataset": dataset, "correction": correction, "repeat": repeat, "fold": fold}
        rng = generator(root_seed, dataset, correction, repeat, fold)
        rows, is_minority = train["row"].to_numpy(), train["is_minority"].to_numpy(dtype=bool)
        filled = fill_missing(features, rows)
        try:
            fixed = imbalance.correct(
                correction, filled[rows], is_minority, seed=int(rng.integers(2**31))
            )
        except imbalance.NotRun as error:
            scores += [at | cell for cell in _cells(None, f"not run: {error}")]
            continue
        hit, score = _classify(fixed, filled[test["row"].to_numpy()], rng, n_estimators)
        tested = _tested(test)
        scores += [at | c for c in score_fold(tested, hit, score, description["minority"])]
        copies = train["subconcept"].to_numpy(dtype=str)[fixed.sources]
        at["neighbours"] = fixed.neighbours
        recalls += [at | row for row in count_hits(tested, hit, description, copies=copies)]
    return schemas.frame_of("fold_scores", scores), schemas.frame_of("fold_recalls", recalls)


def _folds(
    items: "pandas.DataFrame",
) -> Iterator[tuple[int, int, "pandas.DataFrame", "pandas.DataFrame"]]:
    """Yield repeat, fold, training items and test items: what one fold tests, the other trains."""
    for repeat, whole in items.groupby("repeat", sort=True):
        for fold in sorted(whole["fold"].unique()):
            tested = whole["fold"] == fold
            # in the order of the file, so that the training part does not depend on the table's
            yield int(repeat), int(fold), whole[~tested].sort_values("row"), whole[tested]


def _classify(
    fixed: imbalance.Corrected, features: np.ndarray, rng: np.random.Generator, n_estimators: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return which items are predicted to be minority, and the posteriors of it."""
    model = classifiers.fit(
        "forest",
        fixed.features,
        fixed.is_minority.astype(int),
        rng=rng,
        n_estimators=n_estimators,
        class_weight=fixed.class_weight,
    )
    predicted, posteriors = classifiers.predict(model, features)
    return predicted == 1, posteriors[:, 1]


def _tested(test: "pandas.DataFrame") -> FoldItems:
    return FoldItems(
        is_minority=test["is_minority"].to_numpy(dtype=bool),
        subconcept=test["subconcept"].to_numpy(dtype=str),
        weights={way: test[f"utility_{way}"].to_numpy(dtype=np.float64) for way in WEIGHTINGS},
    )


def score_fold(
    tested: FoldItems, predicted: np.ndarray, scores: np.ndarray, minority: Sequence[str]
) -> list[dict[str, Any]]:
    """Score predictions on the full test set and with one minority subconcept alone.

    Parameters
    ----------
    tested : FoldItems
    predicted : ndarray (n,) bool
        Whether each item is predicted to be minority.
    scores : ndarray (n,)
        Larger means more likely minority.
    minority : sequence of str
        The minority subconcepts, largest first. The part `largest` keeps all majority items and
        those of the first, `smallest` those of the last.

    Returns
    -------
    list of dict
        part, measure, utility, value and reason, for every combination. Under `majority_one`
        minority items have their predicted weight and majority items 1.
    """
    weights = _all_weights(tested)
    cells = []
    for part, rows in _parts(tested, minority).items():
        if rows is None:
            cells += _cells(None, UNKNOWN, parts=(part,))
            continue
        truth = tested.is_minority[rows].astype(int)
        for measure in MEASURES:
            values = measures.score_many(
                measure,
                truth,
                predicted[rows].astype(int),
                y_score=scores[rows],
                weights=weights[:, rows],
            )
            cells += _cells(values, _why(truth), parts=(part,), names=(measure,))
    if tested.subconcept is None:
        for cell in cells:
            cell["reason"] = UNKNOWN if cell["utility"] == "true" else cell["reason"]
    return cells


def _all_weights(tested: FoldItems) -> np.ndarray:
    """Return one row of weights per utility; NaN where the true subconcepts are not known."""
    ones = np.ones(len(tested.is_minority))
    weights = {
        "none": ones,
        "true": np.full(len(ones), np.nan),
        "majority_one": np.where(tested.is_minority, tested.weights["predicted"], ones),
        **tested.weights,
    }
    return np.stack([weights[utility] for utility in UTILITIES])


def _parts(tested: FoldItems, minority: Sequence[str]) -> dict[str, np.ndarray | None]:
    """Return which items each part keeps; None for the ends when subconcepts are not known."""
    parts = dict.fromkeys(PARTS) | {"full": np.ones(len(tested.is_minority), dtype=bool)}
    if tested.subconcept is not None:
        for part, name in (("largest", minority[0]), ("smallest", minority[-1])):
            parts[part] = ~tested.is_minority | (tested.subconcept == name)
    return parts


def _why(truth: np.ndarray) -> str:
    """Say why a measure of these labels may be undefined."""
    for label, side in ((1, "minority"), (0, "majority")):
        if not (truth == label).any():
            return f"not run: no {side} item in the test set"
    return "no item is or is predicted minority"


def _cells(
    values: np.ndarray | None,
    reason: str,
    *,
    parts: Sequence[str] = PARTS,
    names: Sequence[str] = MEASURES,
) -> list[dict[str, Any]]:
    """Return one cell per utility, with its value or the reason why there is none."""
    values = np.full(len(UTILITIES), np.nan) if values is None else values
    return [
        {
            "part": part,
            "measure": measure,
            "utility": utility,
            "value": None if np.isnan(value) else float(value),
            "reason": reason if np.isnan(value) else None,
        }
        for part in parts
        for measure in names
        for utility, value in zip(UTILITIES, values, strict=True)
    ]


def count_hits(
    tested: FoldItems, predicted: np.ndarray, description: Mapping[str, Any], *, copies: np.ndarray
) -> list[dict[str, Any]]:
    """Count how many test items of each subconcept are on the predicted side, and their weights.

    Parameters
    ----------
    tested, predicted
        As in `score_fold`.
    description : mapping
        Names the subconcepts, `majority` and `minority`, each largest first.
    copies : ndarray of str
        The subconcept that each row of the corrected training part comes from.

    Returns
    -------
    list of dict
        Columns of table `fold_recalls` after those that name the fold.
    """
    hit = predicted == tested.is_minority
    rows = []
    for rank, name in enumerate((*description["majority"], *description["minority"])):
        mine = tested.subconcept == name
        sums = {
            f"{way}_{kind}": float(tested.weights[kind][mine & chosen].sum())
            for way, chosen in (("hit", hit), ("missed", ~hit))
            for kind in WEIGHTINGS
        }
        rows.append(
            {
                "subconcept": name,
                "side": "majority" if name in description["majority"] else "minority",
                "rank": rank,
                "test_size": int(mine.sum()),
                "trained": int((copies == name).sum()),
                "hits": int((mine & hit).sum()),
            }
            | sums
        )
    return rows
