"""The whole evaluation of a pool: estimates, what is unseen, what to label next, what to report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.estimates import ESTIMATORS, FROM_POSTERIORS, Estimate, estimate_all, subset_weights
from earnest.io.schemas import frame_of
from earnest.pools.pool import each_measure
from earnest.protocols.ownpool import labelling, recommending, validity
from earnest.protocols.ownpool.inputs import Inputs, UnusableInput
from earnest.protocols.ownpool.unseen import unseen_rows
from earnest.rng import generator
from earnest.weights import WEIGHTS, prepare_pool

if TYPE_CHECKING:
    import pandas

BUDGET, TARGET = 100, 0.02


@dataclass(frozen=True)
class Evaluation:
    """What is known of a pool from the labels of some of its items; frames as in `schemas`.

    Attributes
    ----------
    estimates : pandas.DataFrame
        Table `own_estimates`.
    unseen : pandas.DataFrame
        Table `own_unseen`: what the labelled items leave out.
    plans : pandas.DataFrame
        Table `own_plans`: what further labels would bring; no rows for a whole pool.
    next_labels : pandas.DataFrame
        Table `next_labels`: the items to label next, in the order in which to label them.
    recommendation : tuple of str
        Sentences.
    notes : tuple of str
        What is worth knowing about the files.
    facts : dict
        Plain values: sizes, classes, settings, and the estimate that is recommended.
    """

    estimates: "pandas.DataFrame"
    unseen: "pandas.DataFrame"
    plans: "pandas.DataFrame"
    next_labels: "pandas.DataFrame"
    recommendation: tuple[str, ...]
    notes: tuple[str, ...]
    facts: dict[str, Any]

    def document(self) -> dict[str, Any]:
        """Return all of it but the items to label next, as plain values for JSON."""
        tables = {
            name: [
                {key: None if value != value else value for key, value in row.items()}
                for row in getattr(self, name).astype(object).to_dict("records")
            ]
            for name in ("estimates", "unseen", "plans")
        }
        said = {"recommendation": list(self.recommendation), "notes": list(self.notes)}
        return self.facts | said | tables

    def metrics(self) -> dict[str, Any]:
        """Return the scores to report, as plain values for `metrics.json`."""
        recommended = self.facts["recommended"] or {}
        scores = {
            measure: {key: row[key] for key in ("value", "low", "high")}
            for measure, row in recommended.items()
            if measure in ("accuracy", "balanced_accuracy")
        }
        estimator = next((row["estimator"] for row in recommended.values()), None)
        keys = ("items", "labelled", "plain_accuracy")
        facts = {key: self.facts[key] for key in keys}
        return {"own": facts | {"estimator": estimator, "scores": scores}}


def evaluate(
    inputs: Inputs,
    *,
    estimators: Sequence[str] | None = None,
    level: float = 0.95,
    resamples: int = 200,
    seed: int = 0,
    budget: int = BUDGET,
    target: float = TARGET,
    uniform_share: float = labelling.UNIFORM_SHARE,
) -> Evaluation:
    """Estimate the scores of a whole pool and say what to label next.

    Parameters
    ----------
    inputs : Inputs
    estimators : sequence of str, optional
        Keys of `earnest.estimates.ESTIMATORS`; all of them when not given.
    level : float
        Nominal coverage of the intervals.
    resamples : int
        Bootstrap resamples.
    seed : int
        Of the bootstrap and of the draw of what to label next.
    budget : int
        Further items to label.
    target : float
        Half-width of the interval of accuracy for which labels are counted.
    uniform_share : float
        Share of pure chance in that draw.

    Returns
    -------
    Evaluation

    Raises
    ------
    UnusableInput
        If a setting has a value that it cannot have.
    """
    names = list(ESTIMATORS) if estimators is None else list(estimators)
    _check_settings(names, level, budget, target, uniform_share)
    if inputs.pool.embeddings is not None:
        inputs = replace(
            inputs, pool=replace(inputs.pool, embeddings=prepare_pool(inputs.pool.embeddings))
        )
    way = validity.way_of_choosing(inputs)
    settings = {"level": level, "resamples": resamples}
    rows = [row for name in names for row in _estimates(inputs, name, way, seed, settings)]
    unseen = unseen_rows(inputs)
    plans, chosen = _further(inputs, way, level, seed, budget, target, uniform_share)
    facts = _facts(inputs, way) | settings | {"seed": seed, "budget": budget, "target": target}
    facts |= {"uniform_share": uniform_share, "recommended": recommending.recommended(rows, way)}
    facts |= {"next_scheme": recommending.next_scheme(plans, way)}
    said = recommending.sentences(facts, rows, unseen, plans)
    return Evaluation(
        frame_of("own_estimates", rows), frame_of("own_unseen", unseen),
        frame_of("own_plans", plans), frame_of("next_labels", chosen),
        said, _notes(inputs), facts,
    )  # fmt: skip


def _check_settings(
    names: Sequence[str], level: float, budget: int, target: float, uniform_share: float
) -> None:
    unknown = [name for name in names if name not in ESTIMATORS]
    if unknown:
        raise UnusableInput(
            f"no estimator {unknown[0]!r}; there are {', '.join(ESTIMATORS.names())}"
        )
    if not 0.5 < level < 1:
        raise UnusableInput(f"level must be above 0.5 and below 1, got {level}")
    if budget < 1:
        raise UnusableInput(f"budget must be at least 1 label, got {budget}")
    if not 0 < target < 1:
        raise UnusableInput(f"the target must be a half-width between 0 and 1, got {target}")
    if not 0 < uniform_share <= 1:
        raise UnusableInput(f"uniform_share must be above 0 and at most 1, got {uniform_share}")


def _measures(inputs: Inputs) -> tuple[str, ...]:
    f1 = ("f1",) if len(inputs.pool.classes) == 2 and inputs.named_positive else ()
    return each_measure(inputs.pool.classes, ("accuracy", "balanced_accuracy", *f1, "recall"))


def _notes(inputs: Inputs) -> tuple[str, ...]:
    notes = list(inputs.notes)
    if len(inputs.pool.classes) == 2 and not inputs.named_positive:
        notes.append("F1 is of one class: name it as positive to have it")
    if inputs.only_confidence and len(inputs.pool.classes) > 2:
        notes.append(
            "only the confidence of the prediction is known: what is left of it is shared evenly"
            " by the other classes, which makes scores of classes no less valid, but less sharp"
        )
    return tuple(notes)


def _facts(inputs: Inputs, way: str) -> dict[str, Any]:
    pool, plain = inputs.pool, inputs.pool.predictions[inputs.labelled] == inputs.labels
    recordings = None if pool.recordings is None else len(np.unique(pool.recordings))
    return {
        "items": len(pool),
        "labelled": len(inputs.labelled),
        "classes": list(pool.classes),
        "positive": pool.positive if inputs.named_positive else None,
        "recordings": recordings,
        "sampler": inputs.sampler,
        "way": way,
        "has_embeddings": pool.embeddings is not None,
        "plain_accuracy": float(plain.mean()),
    }


def _estimates(
    inputs: Inputs, name: str, way: str, seed: int, settings: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one estimator."""
    pool, measures = inputs.pool, _measures(inputs)
    utilities = ("none", *pool.utilities)
    weights, found = None, {}
    try:
        has_weights = pool.embeddings is not None or name in FROM_POSTERIORS
        if name in WEIGHTS and has_weights:
            weights = subset_weights(name, pool, inputs.labelled)
        if name not in WEIGHTS or has_weights:
            found = estimate_all(
                name, pool, inputs.labelled, inputs.labels, measures=measures,
                utilities=utilities, rng=generator(seed, "bootstrap"), weights=weights,
                sampler=inputs.sampler if inputs.design is None else None,
                design=inputs.design, **settings,
            )  # fmt: skip
        reason = "weighs by embeddings, and none are given"
    except (RuntimeError, np.linalg.LinAlgError) as error:
        reason = f"could not be computed: {error}"
    scarce = _scarce(inputs)
    for utility in utilities:
        for measure in measures:
            one = found.get((measure, utility), Estimate(None, reason=reason))
            if name == "average_confidence" and measure != "accuracy" and _is_spread(inputs):
                one = Estimate(None, reason="needs posteriors of all classes, not only confidence")
            yield _row(name, measure, utility, one, weights, way, scarce)


def _is_spread(inputs: Inputs) -> bool:
    return inputs.only_confidence and len(inputs.pool.classes) > 2


def _scarce(inputs: Inputs) -> tuple[str, ...]:
    names, counts = np.unique(inputs.labels, return_counts=True)
    held = dict(zip(names.tolist(), counts.tolist(), strict=True))
    return tuple(c for c in inputs.pool.classes if held.get(c, 0) < validity.FEWEST_OF_CLASS)


def _row(
    name: str, measure: str, utility: str, one: Estimate, weights: Any, way: str, scarce: tuple
) -> dict[str, Any]:
    interval, holds_if = (
        (None, None) if one.low is None else validity.basis(way, name, measure, scarce)
    )
    return {
        "estimator": name,
        "measure": measure,
        "utility": utility,
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "interval": interval,
        "holds_if": holds_if,
        "ess": None if weights is None else weights.ess,
        "largest": None if weights is None else weights.largest,
        "pareto_k": None if weights is None else weights.pareto_k,
        "flags": " ".join(one.flags),
        "reason": one.reason,
    }


def _further(
    inputs: Inputs, way: str, level: float, seed: int, budget: int, target: float, share: float
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows of plans and of the items to label next; none for a whole pool."""
    from scipy.special import ndtri

    pool = inputs.pool
    rest = np.setdiff1d(np.arange(len(pool)), inputs.labelled)
    if len(rest) == 0:
        return [], []
    expected = labelling.expected_residuals(pool, inputs.labelled, inputs.labels)
    z, count = float(ndtri((1 + level) / 2)), min(budget, len(rest))
    square = expected.square[rest]

    def width(labels: int) -> float:
        chances = labelling.inclusion(square, labels, uniform_share=share)
        return labelling.half_width(expected, rest, labels, z, chances=chances)

    plans = labelling.random_plans(
        expected, rest, random=way == validity.RANDOM, target=target, count=count, z=z
    )
    labels = labelling.fewest(width, len(rest), target)
    plans.append(("designed", "design_difference", labels, width(count)))
    keys = ("scheme", "estimator", "labels", "half_width")
    settled = {"target": target, "budget": count}
    rows = [dict(zip(keys, one, strict=True)) | settled for one in plans]
    chances = labelling.inclusion(square, count, uniform_share=share)
    if recommending.next_scheme(rows, way) == "random":
        chances = np.full(len(rest), count / len(rest))
    # every round of labels draws anew
    places = labelling.draw(chances, generator(seed, "next labels", len(inputs.labelled)))
    chosen = [
        {
            "item_id": inputs.item_ids[rest[place]],
            "rank": rank,
            "inclusion_probability": float(chances[place]),
        }
        for rank, place in enumerate(places.tolist(), start=1)
    ]
    return rows, chosen
