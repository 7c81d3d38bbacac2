"""When an interval holds: by how the items were chosen, or only under an assumption."""

from earnest.protocols.ownpool.inputs import Inputs
from earnest.weights import WEIGHTS

FEWEST_OF_CLASS = 5  # labelled items of a class below which a score of classes proves little
DESIGN, ASSUMPTION = "design", "assumption"
WHOLE, RECORDED, RANDOM, DETERMINISTIC, UNKNOWN = (
    "whole",
    "recorded",
    "random",
    "deterministic",
    "unknown",
)
# Estimators whose interval holds, up to approximation, because of how items were chosen.
BY_RECORDED_CHANCES = frozenset({"horvitz_thompson", "hajek", "design_difference"})
BY_PLAIN_CHANCE = BY_RECORDED_CHANCES | {
    "unweighted",
    "difference",
    "ppi",
    "post_stratified",
    "calibrated",
    "atc",
    "class_prior",
    "lure",
}

_IF = {
    "unweighted": "the labelled items are as good as drawn at random from the pool",
    "difference": "confidence is as far off on the unlabelled items as on the labelled ones",
    "ppi": "confidence goes with being right on the unlabelled items as on the labelled ones",
    "post_stratified": "within each quarter of confidence, labelled items are like the others",
    "calibrated": "at any confidence, labelled items are right as often as the others",
    "atc": "the threshold of confidence that fits the labelled items fits the others",
    "class_prior": "within each class, labelled items are like the others",
}
_WEIGHTED = (
    "among items with like embeddings, being right had nothing to do with being chosen; it leaves"
    " out that the weights are estimates"
)
_WEIGHTED_BY_CONFIDENCE = (
    "among items with like confidence and prediction, being right had nothing to do with being"
    " chosen; it leaves out that the weights are estimates"
)


def way_of_choosing(inputs: Inputs) -> str:
    """Return how the labelled items were chosen, as far as validity depends on it."""
    from earnest.samplers import DETERMINISTIC as RULES

    if len(inputs.labelled) == len(inputs.pool):
        return WHOLE
    if inputs.design is not None:
        return RECORDED
    if inputs.sampler == "random":
        return RANDOM
    return DETERMINISTIC if inputs.sampler in RULES else UNKNOWN


def basis(
    way: str, estimator: str, measure: str, scarce: tuple[str, ...]
) -> tuple[str, str | None]:
    """Return whether an interval holds by design, and under which assumption otherwise.

    Parameters
    ----------
    way : str
        As `way_of_choosing` says it.
    estimator, measure : str
    scarce : tuple of str
        Classes with fewer than `FEWEST_OF_CLASS` labelled items.

    Returns
    -------
    (`design`, None) or (`assumption`, text that continues "holds only if")
    """
    if way == WHOLE:
        return DESIGN, None
    name, _, own = measure.partition(":")
    few = [one for one in scarce if name != "accuracy" and own in ("", one)]
    if few:
        return ASSUMPTION, (
            f"the few labelled items of {', '.join(map(repr, few[:3]))}"
            f"{' and others' if len(few) > 3 else ''} are typical of the class"
        )
    by_chance = {RECORDED: BY_RECORDED_CHANCES, RANDOM: BY_PLAIN_CHANCE}.get(way, frozenset())
    if estimator in by_chance:
        return DESIGN, None
    if estimator == "logistic_posterior":
        return ASSUMPTION, _WEIGHTED_BY_CONFIDENCE
    return ASSUMPTION, _WEIGHTED if estimator in WEIGHTS else _IF[estimator]
