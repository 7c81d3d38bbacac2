"""The estimators: one record each, with its function, words, traits and when its interval holds."""

from dataclasses import dataclass
from typing import Any, ClassVar

from earnest.estimates import (
    auto,
    calibrated,
    class_prior,
    confidence,
    design_based,
    post_stratified,
    thresholded,
    weighted,
)
from earnest.records import Record, Registry, Style, Words
from earnest.weights import WEIGHTS

LINEARISED = "linearised"
INTERVALS = ("bootstrap", LINEARISED)
# How items must have been chosen for an interval to hold, up to approximation, by that alone.
RANDOM = "random"
RECORDED = "recorded"


@dataclass(frozen=True)
class Method(Record):
    """One way to estimate.

    Attributes
    ----------
    function : callable
        Takes a `Subset`, a measure, a utility and options; returns the estimate and its
        replicates (b,), NaN where undefined, or why the sample has none.
    words : Style
    interval : str
        Its own interval, a key of `INTERVALS`.
    why_no_interval : str or None
        Why no interval of it can be valid.
    is_smooth : bool
        Whether it has a derivative by the counts, which the interval `linearised` needs.
    by_chance : bool
        Whether the interval `linearised` looks at the chance of inclusion of each item, instead
        of the share of the pool that is labelled.
    gives_interval : bool
        Whether the function makes its own interval: it takes `level` too, and returns an
        `earnest.estimates.answer.Answer`. `interval` says nothing then.
    needs_labels : bool
        Whether it needs labels where knowing which predictions were right is not enough.
    holds_by : {"random", "recorded"} or None
        The interval holds because of how items were chosen: where they are a random sample, or
        wherever their chances are known; None if by nothing of the kind.
    holds_if : str or None
        What must be true for the interval to hold elsewhere, to follow "holds only if"; needed
        unless there is no interval.
    """

    interval: str = "bootstrap"
    why_no_interval: str | None = None
    is_smooth: bool = True
    by_chance: bool = False
    gives_interval: bool = False
    needs_labels: bool = False
    holds_by: str | None = None
    holds_if: str | None = None

    WORDS: ClassVar[type[Words]] = Style

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.interval not in INTERVALS:
            raise ValueError(f"its interval must be one of {', '.join(INTERVALS)}")
        if self.holds_by not in (None, RANDOM, RECORDED):
            raise ValueError(f"holds_by must be {RANDOM}, {RECORDED} or None")
        if not (self.holds_if or self.why_no_interval):
            raise ValueError("it needs holds_if, when its interval holds, or why_no_interval")

    @property
    def values(self) -> Any:
        """The function."""
        return self.function


_ALIKE = (
    "among items with like {}, being right had nothing to do with being chosen; it leaves"
    " out that the weights are estimates"
)

ESTIMATORS = Registry(
    "estimators",
    Method,
    {
        "unweighted": Method(
            weighted.weighted,
            holds_by=RANDOM,
            holds_if="the labelled items are as good as drawn at random from the pool",
            words=Style(
                label="Unweighted",
                meaning="the plain score on the labelled items, as if they were a fair sample",
                colour="#595959",
                dash="6 4",
                marker="square",
            ),
        ),
        **{
            name: Method(
                weighted.weighted,
                holds_if=_ALIKE.format(
                    "confidence and prediction" if record.from_posteriors else "embeddings"
                ),
                words=record.words,
            )
            for name, record in WEIGHTS.items()
        },
        "auto": Method(
            auto.auto,
            gives_interval=True,
            holds_by=RECORDED,
            holds_if="right or wrong goes with confidence, prediction and neighbours on the"
            " unlabelled items as on the labelled ones",
            words=Style(
                label="Regression over the pool (auto)",
                meaning="how often the model is right is learned from the labels, given how sure"
                " it is, what it predicts and what it says of similar items, starting from what"
                " other pools have shown; that is added up over the pool",
                colour="#00665E",
                dash="1 3",
                marker="circle",
            ),
        ),
        "difference": Method(
            confidence.difference,
            interval=LINEARISED,
            holds_by=RANDOM,
            holds_if="confidence is as far off on the unlabelled items as on the labelled ones",
            words=Style(
                label="Difference estimator",
                meaning="the model's own mean confidence over the whole pool, corrected by how"
                " wrong that confidence was on the labelled items; uses no weights",
                colour="#B84C8F",
                dash="",
                marker="diamond",
            ),
        ),
        "ppi": Method(
            confidence.ppi,
            interval=LINEARISED,
            holds_by=RANDOM,
            holds_if="confidence goes with being right on the unlabelled items as on the labelled"
            " ones",
            words=Style(
                label="PPI++",
                meaning="as the difference estimator, but trusting the model's confidence only as"
                " far as it proved useful on the labelled items (prediction-powered inference"
                " with a tuned share)",
                colour="#882255",
                dash="8 3",
                marker="circle",
            ),
        ),
        "post_stratified": Method(
            post_stratified.post_stratified,
            interval=LINEARISED,
            holds_by=RANDOM,
            holds_if="within each quarter of confidence, labelled items are like the others",
            words=Style(
                label="Post-stratified by confidence",
                meaning="the pool is cut into quarters by confidence, and each counts as much as it"
                " does in the pool however many of its items were labelled",
                colour="#3390CC",
                dash="",
                marker="square",
            ),
        ),
        "calibrated": Method(
            calibrated.calibrated,
            interval=LINEARISED,
            holds_by=RANDOM,
            holds_if="at any confidence, labelled items are right as often as the others",
            words=Style(
                label="Calibrated confidence",
                meaning="the labelled items teach how often a given confidence is right (Platt"
                " scaling); the rest of the pool counts by that, the labelled items by their"
                " labels",
                colour="#BF7F00",
                dash="3 2",
                marker="diamond",
            ),
        ),
        "average_confidence": Method(
            confidence.average_confidence,
            why_no_interval="no label is used, so nothing shows how far off the confidences are",
            words=Style(
                label="Average confidence",
                meaning="the model's own mean confidence over the pool, taken at its word; uses no"
                " label at all",
                colour="#929230",
                dash="2 3",
                marker="triangle",
            ),
        ),
        "atc": Method(
            thresholded.atc,
            is_smooth=False,
            holds_by=RANDOM,
            holds_if="the threshold of confidence that fits the labelled items fits the others",
            words=Style(
                label="Thresholded confidence (ATC)",
                meaning="the share of the pool that is surer than a threshold, set so that as many"
                " labelled items are surer as were right; for accuracy only",
                colour="#3A9887",
                dash="9 3 2 3",
                marker="down",
            ),
        ),
        "class_prior": Method(
            class_prior.class_prior,
            interval=LINEARISED,
            needs_labels=True,
            holds_by=RANDOM,
            holds_if="within each class, labelled items are like the others",
            words=Style(
                label="Class-prior weights",
                meaning="classes count as much as they are estimated to make up of the pool;"
                " corrects only for having labelled too many or too few items of a class",
                colour="#332288",
                dash="6 4",
                marker="triangle",
            ),
        ),
        "lure": Method(
            design_based.lure,
            interval=LINEARISED,
            holds_by=RANDOM,
            holds_if="the items were drawn one after another with the recorded chances",
            words=Style(
                label="Recorded chances, in order (LURE)",
                meaning="each labelled item stands for as many as its recorded chance at its turn"
                " says; right on average whatever the model is like, but only where chances"
                " were recorded",
                colour="#117733",
                dash="",
                marker="down",
            ),
        ),
        "horvitz_thompson": Method(
            design_based.horvitz_thompson,
            interval=LINEARISED,
            holds_by=RECORDED,
            holds_if="the items were drawn with the recorded chances",
            words=Style(
                label="Recorded chances (Horvitz-Thompson)",
                meaning="each labelled item counts as one over its recorded chance of being"
                " labelled at all",
                colour="#661100",
                dash="8 3",
                marker="square",
            ),
        ),
        "hajek": Method(
            design_based.hajek,
            interval=LINEARISED,
            holds_by=RECORDED,
            holds_if="the items were drawn with the recorded chances",
            words=Style(
                label="Recorded chances, balanced (Hájek)",
                meaning="one over the recorded chance as well, but divided by the sum of these"
                " weights, which makes it steadier",
                colour="#6292C8",
                dash="5 2 1 2",
                marker="diamond",
            ),
        ),
        "design_difference": Method(
            design_based.design_difference,
            interval=LINEARISED,
            by_chance=True,
            holds_by=RECORDED,
            holds_if="the items were drawn with the recorded chances",
            words=Style(
                label="Difference by recorded chances",
                meaning="as the difference estimator, but each labelled item's error counts as one"
                " over its recorded chance of being labelled; right on average whatever the"
                " model is like",
                colour="#AA4466",
                dash="4 2",
                marker="triangle",
            ),
        ),
    },
    group="earnest.estimators",
)
NEED_LABELS = ESTIMATORS.having("needs_labels")
