"""Two models on one pool with the same labels: which is better, and is it outside the noise?"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from earnest.estimates import ESTIMATORS, FROM_POSTERIORS, LINEARISED, Pool, subset_weights
from earnest.estimates.bootstrap import percentile_interval, resample
from earnest.estimates.linearised import linearised_interval
from earnest.estimates.subset import Subset, known_design, recordings_of
from earnest.io.cells import UnusableInput, listed
from earnest.pools.pool import each_measure
from earnest.protocols.ownpool import comparing, validity
from earnest.protocols.ownpool.comparing import Comparison, concluded, empty_row
from earnest.protocols.ownpool.inputs import Inputs
from earnest.rng import generator
from earnest.weights import WEIGHTS, prepare_pool

BASIC = ("unweighted", "difference", "ppi", "calibrated")
BY_CHANCE = ("hajek", "design_difference")


def compare_models(
    first: Inputs,
    second: Inputs,
    *,
    estimators: Sequence[str] | None = None,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Comparison:
    """Compare the scores of two models on the whole pool, paired over the labelled items.

    Parameters
    ----------
    first, second : Inputs
        Of pools with the same items, in any order, and the same labels.
    estimators : sequence of str, optional
        Keys of `earnest.estimates.ESTIMATORS`; `unweighted`, `difference`, `ppi` and `calibrated`
        when not given, and `hajek` and `design_difference` where chances are recorded.
    level : float
    resamples : int
        Of the bootstrap over recordings.
    seed : int
        Of the bootstrap.

    Returns
    -------
    Comparison

    Raises
    ------
    UnusableInput
        If the pools hold other items or labels.

    Notes
    -----
    Both estimates are computed under the same item counts, those of the estimator's own interval:
    bootstrap resamples of whole recordings, or each recording counted a little more and a little
    less. The interval and p are those of the difference.
    """
    second = _aligned(first, second)
    pools = _alike(first.pool, second.pool)
    way = validity.way_of_choosing(first)
    if estimators is None:
        estimators = BASIC + (BY_CHANCE if way == validity.RECORDED else ())
    unknown = [name for name in estimators if name not in ESTIMATORS]
    if unknown:
        raise UnusableInput(
            f"no estimator {unknown[0]!r}; there are {', '.join(ESTIMATORS.names())}"
        )
    f1 = ("f1",) if len(pools[0].classes) == 2 and first.named_positive else ()
    plain = ("accuracy", "balanced_accuracy", *f1, "recall")
    measures = each_measure(pools[0].classes, plain)
    rows = []
    for name in estimators:
        found = _Pair(name, pools, first, resamples, seed)
        rows += [found.row(measure, level) for measure in measures]
    return concluded(rows, level, _counted(first, second), "labelled items")


class _Pair:
    """Both models seen by one estimator, under the same counts."""

    def __init__(
        self, name: str, pools: tuple[Pool, Pool], inputs: Inputs, resamples: int, seed: int
    ) -> None:
        self.name, self.method = name, ESTIMATORS[name]
        sampler = inputs.sampler if inputs.design is None else None
        labelled, rng = inputs.labelled, generator(seed, "bootstrap")
        counts, self.why_not = resample(
            pools[0], labelled, resamples, rng, sampler, self.method.interval
        )
        self.why_not = self.method.why_no_interval or self.why_not
        self.is_whole = len(labelled) == len(pools[0])
        self.recordings = len(np.unique(recordings_of(pools[0], labelled)))
        self.subsets, self.reason = [], None
        for pool in pools:
            weights = None
            if name in WEIGHTS:
                if pool.embeddings is None and name not in FROM_POSTERIORS:
                    self.reason = "weighs by embeddings, and none are given"
                    continue
                weights = subset_weights(name, pool, labelled)
            design = known_design(pool, labelled, sampler, inputs.design)
            self.subsets.append(Subset(pool, labelled, inputs.labels, counts, weights, design))

    def row(self, measure: str, level: float) -> dict[str, Any]:
        about = {"task": None, "sampler": None, "size": None}
        about |= {"estimator": self.name, "measure": measure, "utility": "none"}
        if self.reason:
            return about | empty_row(self.reason)
        values = [self.method.values(one, measure, "none") for one in self.subsets]
        reasons = [one for one in values if isinstance(one, str)]
        if reasons:
            return about | empty_row(reasons[0])
        first, second = (float(one[0]) for one in values)
        known = {"first": first, "second": second, "difference": second - first}
        known["pairs"] = self.recordings
        return about | empty_row(None) | known | self._judged(values[1] - values[0], level)

    def _judged(self, gaps: np.ndarray, level: float) -> dict[str, Any]:
        from scipy.special import stdtr, stdtrit

        if np.nanmax(np.abs(gaps)) <= comparing.EQUAL:
            return {"low": 0.0, "high": 0.0, "p": 1.0}
        if self.is_whole:
            # every label is known: what differs, differs
            return {"low": float(gaps[0]), "high": float(gaps[0]), "p": 0.0}
        if self.why_not:
            return {"reason": self.why_not}
        freedom = self.recordings - 1
        if self.method.interval == LINEARISED:
            left_out = self._left_out()
            low, high, reason = linearised_interval(gaps, level, left_out)
            freedom = int((np.broadcast_to(left_out, self.recordings) > 0).sum()) - 1
            if reason is None:
                error = (high - low) / 2 / float(stdtrit(freedom, (1 + level) / 2))
        else:
            low, high, reason = percentile_interval(gaps[1:], level)
            error = float(np.nanstd(gaps[1:], ddof=1))
        if reason is not None:
            return {"reason": reason}
        return {"low": low, "high": high, "p": 2 * float(stdtr(freedom, -abs(gaps[0]) / error))}

    def _left_out(self) -> float | np.ndarray:
        subset = self.subsets[0]
        if self.method.by_chance:
            return subset.left_out()
        return 1 - len(subset.labelled) / len(subset.pool)


def _aligned(first: Inputs, second: Inputs) -> Inputs:
    """Return the second with its items in the order of the first."""
    for one, other, name in ((first, second, "second"), (second, first, "first")):
        alone = sorted(set(one.item_ids.tolist()) - set(other.item_ids.tolist()))
        if alone:
            raise UnusableInput(
                f"{len(alone)} items are not in the {name} pool: {listed(alone)}; compare models on"
                " the same items"
            )
    place = {name: row for row, name in enumerate(second.item_ids.tolist())}
    order = np.array([place[name] for name in first.item_ids.tolist()])
    _refuse_other_labels(first, second)
    if None not in (first.sampler, second.sampler) and first.sampler != second.sampler:
        raise UnusableInput(
            f"the labelled items of the first were chosen by {first.sampler}, of the second by"
            f" {second.sampler}: one of the two cannot be right"
        )
    pool = second.pool
    return replace(
        second,
        pool=replace(
            pool,
            embeddings=first.pool.embeddings,
            posteriors=pool.posteriors[order],
            predictions=pool.predictions[order],
            recordings=first.pool.recordings,
            utilities={},
        ),
        item_ids=first.item_ids,
        labelled=first.labelled,
        labels=first.labels,
    )


def _refuse_other_labels(first: Inputs, second: Inputs) -> None:
    """Two models can be paired where the same items have the same labels."""
    known = [
        dict(zip(one.item_ids[one.labelled].tolist(), one.labels.tolist(), strict=True))
        for one in (first, second)
    ]
    alone = sorted(known[0].keys() ^ known[1].keys())
    if alone:
        raise UnusableInput(
            f"{len(alone)} items are labelled for one model only: {listed(alone)}; the two must be"
            " compared on the same labels"
        )
    other = sorted(name for name, label in known[0].items() if label != known[1][name])
    if other:
        raise UnusableInput(
            f"{len(other)} items have another label for the second model: {listed(other)}; the two"
            " must be compared on the same labels"
        )


def _alike(first: Pool, second: Pool) -> tuple[Pool, Pool]:
    """Return both pools with the same classes, one that a model does not know having chance 0."""
    names = tuple(sorted({*first.classes, *second.classes}))
    geometry = None if first.embeddings is None else prepare_pool(first.embeddings)
    pools = []
    for pool in (first, second):
        posteriors = np.zeros((len(pool), len(names)))
        posteriors[:, np.searchsorted(names, pool.classes)] = pool.posteriors
        positive = pool.positive if len(names) == 2 else None
        pools.append(
            replace(
                pool, embeddings=geometry, posteriors=posteriors, classes=names, positive=positive
            )
        )
    return pools[0], pools[1]


def _counted(first: Inputs, second: Inputs) -> list[str]:
    """Return on how many labelled items only one of the models is right, with the exact test."""
    from scipy.stats import binomtest

    right = [one.pool.predictions[first.labelled] == first.labels for one in (first, second)]
    only = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
    text = (
        f"Of {len(first.labels):,} labelled items, {only[0]:,} are right in the first only and"
        f" {only[1]:,} in the second only"
    )
    if sum(only) == 0:
        return [f"{text}."]
    p = binomtest(only[0], sum(only), 0.5).pvalue
    # items of one recording are not independent, so the test is left to pools without them
    return [f"{text} (exact McNemar p = {p:.2g})." if first.pool.recordings is None else f"{text}."]
