"""The importance weights: one record each, with its function, words and traits."""

from dataclasses import dataclass
from typing import ClassVar

from earnest.records import Record, Registry, Style, Words
from earnest.weights import methods


@dataclass(frozen=True)
class Weighting(Record):
    """One way to weigh labelled items.

    Attributes
    ----------
    function : callable
        Takes a `PoolGeometry` of N items, n distinct rows (ascending), and by keyword posteriors
        (N, C) or None and options; returns `LogWeights`.
    words : Style
        Of the estimator that scores under these weights, too.
    from_posteriors : bool
        It looks at no embedding.
    """

    from_posteriors: bool = False

    WORDS: ClassVar[type[Words]] = Style


WEIGHTS = Registry(
    "weights",
    Weighting,
    {
        "kde": Weighting(
            methods.kde,
            words=Style(
                label="Density weights (KDE)",
                meaning="labelled items count more where the pool is dense and the labelled part is"
                " thin, both estimated by smoothing",
                colour="#0072B2",
                dash="",
                marker="circle",
            ),
        ),
        "logistic": Weighting(
            methods.logistic,
            words=Style(
                label="Domain classifier (logistic)",
                meaning="a small classifier learns to tell pool items from labelled ones; its odds"
                " are the weights",
                colour="#D55E00",
                dash="9 3 2 3",
                marker="triangle",
            ),
        ),
        "knn": Weighting(
            methods.knn,
            words=Style(
                label="Neighbour distances (k-NN)",
                meaning="compares how far the nearest labelled and the nearest pool items are; a"
                " heuristic, not a density ratio",
                colour="#009E73",
                dash="3 2",
                marker="down",
            ),
        ),
        "rulsif": Weighting(
            methods.rulsif,
            words=Style(
                label="Relative ratio (RuLSIF)",
                meaning="fits the ratio of pool to labelled items directly and never lets it grow"
                " large",
                colour="#4477AA",
                dash="6 4",
                marker="circle",
            ),
        ),
        "kmm": Weighting(
            methods.kmm,
            words=Style(
                label="Mean matching (KMM)",
                meaning="chooses the weights under which the labelled items resemble the pool on"
                " average",
                colour="#B8860B",
                dash="",
                marker="triangle",
            ),
        ),
        "logistic_posterior": Weighting(
            methods.logistic_posterior,
            from_posteriors=True,
            words=Style(
                label="Domain classifier on confidence",
                meaning="as the domain classifier, but told only how sure the model was and what it"
                " predicted",
                colour="#CC6677",
                dash="3 2",
                marker="square",
            ),
        ),
    },
)
FROM_POSTERIORS = WEIGHTS.having("from_posteriors")
