"""What the report calls things, and what each of them means in plain language."""

from earnest import records
from earnest.records import Style, Words

UNWEIGHTED = "unweighted"

_ESTIMATORS = records.registry("estimators")
_SAMPLERS = records.registry("samplers")
_MEASURES = records.registry("measures")
# The library's own, in the order of a page.
STYLES: dict[str, Style] = {name: _ESTIMATORS[name].words for name in _ESTIMATORS}
SAMPLERS: dict[str, Words] = {name: _SAMPLERS[name].words for name in _SAMPLERS}
MEASURES: dict[str, Words] = {name: _MEASURES[name].words for name in _MEASURES}
DETERMINISTIC = _SAMPLERS.having("is_deterministic")

_SPARE = ("#3390CC", "#BF7F00", "#332288", "#882255", "#3A9887", "#929230")

UTILITIES = {
    "none": Words(label="plain", meaning="every item counts the same"),
    "true": Words(
        label="true-weighted",
        meaning="items of rare subconcepts count more, by their real subconcept",
    ),
    "predicted": Words(
        label="predicted-weighted",
        meaning="the same, but with subconcepts guessed by a model, as one must without subconcept"
        " labels",
    ),
    "conditional": Words(
        label="conditional-weighted",
        meaning="guessed subconcepts, given that the binary label of the item is known",
    ),
}

FLAGS = {
    "no_correction": "The weights came out practically equal although only part of the pool is"
    " labelled: this estimate corrects nothing.",
    "degenerate": "Every item saw only itself: the weights say nothing about the pool.",
    "chosen_for_doubt": "The labelled items are those that the model doubts: the interval is a"
    " plausible range, and none that holds.",
    "large_correction": "The plain score was moved by more than two standard deviations.",
    "no_error_seen": "All labels are right, or none: the interval reaches to the exact limit.",
    "no_embeddings": "There were no embeddings to learn from.",
    "outside_range": "The estimate lies outside 0 to 1 and is shown as computed.",
    "deterministic_sampler": "The sampler always chooses the same items, so items outside its"
    " choice had no chance; no weighting can correct that.",
    "whole_pool": "All of the pool was labelled, so the estimate is the true score.",
    "undefined_resamples": "Part of the bootstrap resamples gave no value.",
    "joined_strata": "A confidence quarter of the pool held fewer than five labelled items and was"
    " joined with its neighbour.",
    "class_without_label": "A class has no labelled item: its share of the pool is given to"
    " nothing, or what is said of it is the model's word.",
}

REASONS = {
    "unreadable": "not a sound file that can be decoded",
    "empty": "holds no samples",
    "truncated": "ends before its declared length",
    "undeclared_length": "does not say how long it is",
    "non_finite": "contains values that are not numbers",
    "silent": "contains only silence",
    "below_gate": "too quiet for a loudness to be measured",
}


def style(name: str) -> Style:
    """Style of an estimator; one that is not installed keeps its own name."""
    if name in _ESTIMATORS:
        return _ESTIMATORS[name].words
    colour = _SPARE[sum(name.encode()) % len(_SPARE)]
    label = in_words(name)
    return Style(label=label, meaning="", colour=colour, dash="5 2 1 2", marker="circle")


def sampler(name: str) -> str:
    """Name of a sampler for people."""
    return _SAMPLERS[name].words.label if name in _SAMPLERS else in_words(name)


def chosen(name: str) -> str:
    """How a sampler chooses, to follow "items chosen"."""
    if name in _SAMPLERS:
        return _SAMPLERS[name].words.chosen
    return f"by {name.replace('_', ' ')}"


def measure(name: str) -> str:
    """Name of a measure for people, lower case where it is not an acronym."""
    name, _, own = name.partition(":")
    if own:
        return f"{measure(name)} of {own.replace('_', ' ')}"
    return MEASURES[name].label if name in MEASURES else name.replace("_", " ")


def entry(column: str, name: str) -> tuple[str, str]:
    """Label and meaning of what stands in a key column; no meaning where it is not known."""
    if column == "utility":
        known = UTILITIES.get(name)
    else:
        methods = {"sampler": _SAMPLERS, "estimator": _ESTIMATORS, "measure": _MEASURES}[column]
        known = methods[name].words if name in methods else None
    return (known.label, known.meaning) if known else (in_words(name), "")


def utility(name: str) -> str:
    """Name of a utility weighting for people."""
    return UTILITIES[name].label if name in UTILITIES else name.replace("_", " ")


def flag(name: str) -> str:
    """Meaning of a flag; a flag without a recorded meaning says so."""
    return FLAGS.get(name, "A warning raised by the estimator; no explanation is recorded here.")


def in_words(name: str) -> str:
    """Turn an identifier such as `church_bells` into words, first letter large."""
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]
