"""When an interval holds: by how the items were chosen, or only under an assumption."""

from earnest.estimates import ESTIMATORS
from earnest.protocols.ownpool.inputs import Inputs

FEWEST_OF_CLASS = 5  # labelled items of a class below which a score of classes proves little
DESIGN, ASSUMPTION = "design", "assumption"
WHOLE, RECORDED, RANDOM, DETERMINISTIC, UNKNOWN = (
    "whole",
    "recorded",
    "random",
    "deterministic",
    "unknown",
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
    method = ESTIMATORS[estimator]
    if way == method.holds_by or (way == RANDOM and method.holds_by == RECORDED):
        return DESIGN, None
    return ASSUMPTION, method.holds_if
