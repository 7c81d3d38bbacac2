"""Variants of one plan of mixtures: how a classifier's score falls as backgrounds get louder."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from earnest import measures
from earnest.estimates.bootstrap import percentile_interval
from earnest.io import schemas
from earnest.pools.pool import each_measure
from earnest.protocols.statistics import resample_counts
from earnest.rng import generator
from earnest.tasks import classifiers
from earnest.tasks.backgrounds import usual_and_rare
from earnest.tasks.pools import TrainedTask

if TYPE_CHECKING:
    import pandas

PARTS = ("all", "primary", "rare", "gap")
Variant = tuple["pandas.DataFrame", np.ndarray]  # table `items`, embeddings of its rows


def common_items(names: Sequence[str], variants: Mapping[str, Variant]) -> list[str]:
    """Return those of the named items that every variant has, in the order given."""
    shared = set(names).intersection(*(items["item_id"] for items, _ in variants.values()))
    return [name for name in names if name in shared]


def score_variants(
    task: TrainedTask,
    variants: Mapping[str, Variant],
    margins: Mapping[str, float | None],
    *,
    name: str,
    measures: Sequence[str],
    root_seed: int,
    level: float = 0.95,
    resamples: int = 200,
) -> "pandas.DataFrame":
    """Score one classifier on the same mixtures at several margins.

    The classifier was trained on one variant and is applied to the pool items of each. Only
    mixtures that every variant has are scored, so that margins differ and nothing else: one that
    is rejected in a variant takes no part in any.

    Parameters
    ----------
    task : earnest.tasks.pools.TrainedTask
        From `earnest.tasks.pools.train_task` on the main variant.
    variants : mapping of str to (DataFrame, ndarray)
        Table `items` of each variant and its embeddings (N, d), in the order of the result.
    margins : mapping of str to float or None
        Margin of each variant in LU; None without background.
    name : str
        The task's name.
    measures : sequence of str
        Of `earnest.measures.MEASURES`; `recall` gives one row a class.
    root_seed : int
        Seed of the study; the same recordings are drawn for all variants, parts and measures.
    level : float
        Of the intervals, in (0, 1).
    resamples : int
        Bootstrap resamples of recordings behind each interval.

    Returns
    -------
    pandas.DataFrame
        Table `dose_response`: of each variant and measure, rows for all items, those over their
        primary background, those over rare ones, and the gap (primary less rare).

    Raises
    ------
    ValueError
        If no mixture is in every variant, or a variant has no margin.
    """
    common = common_items(task.items["item_id"], variants)
    if not common:
        raise ValueError(f"task {name!r}: no mixture of the pool is in every variant")
    items = task.items.set_index("item_id").loc[common]
    groups = np.unique(items["recording"].to_numpy(dtype=str), return_inverse=True)[1]
    rng = generator(root_seed, name, "dose response")
    counts = _counts(groups, resamples, rng)
    usual, rare = usual_and_rare(items["is_primary"])
    masks = {"all": np.ones(len(items), dtype=bool), "primary": usual, "rare": rare}
    rows = []
    for variant, (own, embeddings) in variants.items():
        place = dict(zip(own["item_id"], range(len(own)), strict=True))
        vectors = np.asarray(embeddings)[[place[item] for item in common]]
        answers = _Answers(task, items["label"].to_numpy(dtype=str), vectors)
        facts = {"task": name, "variant": variant, "margin_lu": margins[variant]}
        for measure in each_measure(answers.classes, measures):
            for row in _rows(answers, measure, masks, counts, groups, level):
                rows.append(facts | {"measure": measure} | row)
    return _frame(rows)


def _counts(groups: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Return how often each item counts: once, then in each resample of whole recordings."""
    times = resample_counts(int(groups.max()) + 1, resamples, rng)
    return np.vstack([np.ones(len(groups)), times[:, groups]])


class _Answers:
    """What a classifier says of the common items of one variant, against their labels."""

    def __init__(self, task: TrainedTask, labels: np.ndarray, vectors: np.ndarray) -> None:
        predictions, posteriors = classifiers.predict(task.model, vectors)
        self.labels, self.predictions = labels, predictions.astype(str)
        self.positive = task.positive
        self.classes = [str(one) for one in task.model.classes_]
        self.posteriors = posteriors

    def scores(self, measure: str, mask: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return a measure of the masked items under many weightings, NaN where undefined."""
        kind, _, positive = measure.partition(":")
        positive = positive or self.positive
        labels, predictions = self.labels[mask], self.predictions[mask]
        if positive is None:
            classes, likely = self.classes, None
        else:
            labels, predictions = (
                (these == positive).astype(np.int64) for these in (labels, predictions)
            )
            classes, likely = [0, 1], self.posteriors[mask, self.classes.index(positive)]
        weights = weights[:, mask]
        return measures.score_many(
            kind, labels, predictions, y_score=likely, weights=weights, classes=classes
        )

    def why_not(self, measure: str) -> str | None:
        """Say why a measure makes no sense for this task."""
        if self.positive is None and measure in measures.BINARY_MEASURES:
            return f"{measure} is for tasks with two classes"
        return None


def _rows(
    answers: _Answers,
    measure: str,
    masks: Mapping[str, np.ndarray],
    counts: np.ndarray,
    groups: np.ndarray,
    level: float,
) -> Iterator[dict[str, object]]:
    """Yield the rows of one measure of one variant, the gap last."""
    why_not, values = answers.why_not(measure), {}
    for part, mask in masks.items():
        found = np.full(len(counts), np.nan)
        if mask.any() and why_not is None:
            found = answers.scores(measure, mask, counts)
        values[part] = found
    values["gap"] = values["primary"] - values["rare"]
    masks = dict(masks) | {"gap": masks["all"]}
    for part in PARTS:
        yield {
            "part": part,
            "items": int(masks[part].sum()),
            "recordings": len(np.unique(groups[masks[part]])),
        } | _value(values[part], why_not, measure, level)


def _value(
    values: np.ndarray, why_not: str | None, measure: str, level: float
) -> dict[str, object]:
    """Return the score and its interval, or why there is none."""
    low = high = None
    if np.isnan(values[0]):
        reason = why_not or f"{measure} is undefined: a class it needs has no item here"
        return {"value": None, "low": low, "high": high, "reason": reason}
    low, high, reason = percentile_interval(values[1:], level)
    return {"value": float(values[0]), "low": low, "high": high, "reason": reason}


def _frame(rows: list[dict[str, object]]) -> "pandas.DataFrame":
    columns = schemas.TABLES["dose_response"]
    numbers = [name for name, column in columns.items() if column.kind == "float64"]
    return schemas.frame_of("dose_response", rows).astype(dict.fromkeys(numbers, "float64"))
