"""What the report calls things, and what each of them means in plain language."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """How one estimator is named and drawn.

    Colours start from those of Okabe and Ito and of Tol, which stay apart for colour-blind
    readers, the light ones made darker to be seen on white (3 to 1 at least); dash and marker
    together are each estimator's own, so no colour is needed to tell curves apart.
    """

    label: str
    colour: str
    dash: str
    marker: str
    meaning: str


UNWEIGHTED = "unweighted"
TRUTH_COLOUR = "#111111"

STYLES = {
    UNWEIGHTED: Style(
        "Unweighted",
        "#595959",
        "6 4",
        "square",
        "the plain score on the labelled items, as if they were a fair sample",
    ),
    "kde": Style(
        "Density weights (KDE)",
        "#0072B2",
        "",
        "circle",
        "labelled items count more where the pool is dense and the labelled part is thin,"
        " both estimated by smoothing",
    ),
    "logistic": Style(
        "Domain classifier (logistic)",
        "#D55E00",
        "9 3 2 3",
        "triangle",
        "a small classifier learns to tell pool items from labelled ones; its odds are the weights",
    ),
    "knn": Style(
        "Neighbour distances (k-NN)",
        "#009E73",
        "3 2",
        "down",
        "compares how far the nearest labelled and the nearest pool items are;"
        " a heuristic, not a density ratio",
    ),
    "rulsif": Style(
        "Relative ratio (RuLSIF)",
        "#4477AA",
        "6 4",
        "circle",
        "fits the ratio of pool to labelled items directly and never lets it grow large",
    ),
    "kmm": Style(
        "Mean matching (KMM)",
        "#B8860B",
        "",
        "triangle",
        "chooses the weights under which the labelled items resemble the pool on average",
    ),
    "logistic_posterior": Style(
        "Domain classifier on confidence",
        "#CC6677",
        "3 2",
        "square",
        "as the domain classifier, but told only how sure the model was and what it predicted",
    ),
    "difference": Style(
        "Difference estimator",
        "#B84C8F",
        "",
        "diamond",
        "the model's own mean confidence over the whole pool, corrected by how wrong that"
        " confidence was on the labelled items; uses no weights",
    ),
    "ppi": Style(
        "PPI++",
        "#882255",
        "8 3",
        "circle",
        "as the difference estimator, but trusting the model's confidence only as far as it proved"
        " useful on the labelled items (prediction-powered inference with a tuned share)",
    ),
    "post_stratified": Style(
        "Post-stratified by confidence",
        "#3390CC",
        "",
        "square",
        "the pool is cut into quarters by confidence, and each counts as much as it does in the"
        " pool however many of its items were labelled",
    ),
    "calibrated": Style(
        "Calibrated confidence",
        "#BF7F00",
        "3 2",
        "diamond",
        "the labelled items teach how often a given confidence is right (Platt scaling); the rest"
        " of the pool counts by that, the labelled items by their labels",
    ),
    "average_confidence": Style(
        "Average confidence",
        "#929230",
        "2 3",
        "triangle",
        "the model's own mean confidence over the pool, taken at its word; uses no label at all",
    ),
    "atc": Style(
        "Thresholded confidence (ATC)",
        "#3A9887",
        "9 3 2 3",
        "down",
        "the share of the pool that is surer than a threshold, set so that as many labelled items"
        " are surer as were right; for accuracy only",
    ),
    "class_prior": Style(
        "Class-prior weights",
        "#332288",
        "6 4",
        "triangle",
        "classes count as much as they are estimated to make up of the pool; corrects only for"
        " having labelled too many or too few items of a class",
    ),
    "lure": Style(
        "Recorded chances, in order (LURE)",
        "#117733",
        "",
        "down",
        "each labelled item stands for as many as its recorded chance at its turn says; right on"
        " average whatever the model is like, but only where chances were recorded",
    ),
    "horvitz_thompson": Style(
        "Recorded chances (Horvitz-Thompson)",
        "#661100",
        "8 3",
        "square",
        "each labelled item counts as one over its recorded chance of being labelled at all",
    ),
    "hajek": Style(
        "Recorded chances, balanced (Hájek)",
        "#6292C8",
        "5 2 1 2",
        "diamond",
        "one over the recorded chance as well, but divided by the sum of these weights, which makes"
        " it steadier",
    ),
    "design_difference": Style(
        "Difference by recorded chances",
        "#AA4466",
        "4 2",
        "triangle",
        "as the difference estimator, but each labelled item's error counts as one over its"
        " recorded chance of being labelled; right on average whatever the model is like",
    ),
}
_SPARE = ("#3390CC", "#BF7F00", "#332288", "#882255", "#3A9887", "#929230")

SAMPLERS = {
    "random": ("Random", "every item has the same chance: the fair comparison"),
    "uncertainty": (
        "Uncertainty",
        "always the items the model is least sure of; the same ones every time",
    ),
    "farthest": (
        "Farthest first",
        "each new item is the one most unlike all those already chosen",
    ),
    "density_farthest": (
        "Density-weighted farthest",
        "unlike those already chosen, but in a well-populated region",
    ),
    "kmedoids": ("k-medoids", "one typical item from each of n groups of similar items"),
    "kmedoids_clara": (
        "k-medoids of parts (CLARA)",
        "k-medoids of several random parts of a large pool, the best of them kept",
    ),
    "density_farthest_sampled": (
        "Density-weighted farthest, sampled",
        "as density-weighted farthest, with the density estimated from a part of a large pool",
    ),
    "uncertainty_mixed": (
        "Uncertainty, half uniform",
        "half by uncertainty, half at random, with the chance of each item recorded",
    ),
}

_CHOSEN = {
    "random": "at random",
    "uncertainty": "by uncertainty",
    "farthest": "farthest first",
    "density_farthest": "farthest first, weighted by density",
    "kmedoids": "as k-medoids",
    "kmedoids_clara": "as k-medoids of parts of the pool",
    "density_farthest_sampled": "farthest first, weighted by sampled density",
    "uncertainty_mixed": "by uncertainty, half of them at random",
}

MEASURES = {
    "accuracy": ("accuracy", "the share of items the model gets right"),
    "balanced_accuracy": (
        "balanced accuracy",
        "the share it gets right within each class, averaged over the classes,"
        " so that a small class counts as much as a large one",
    ),
    "f1": ("F1", "how well the minority class is found without false alarms"),
    "roc_auc": (
        "ROC AUC",
        "how often a minority item is ranked above a majority item",
    ),
    "recall": ("recall", "the share of the items of one class that the model finds"),
}

UTILITIES = {
    "none": ("plain", "every item counts the same"),
    "true": (
        "true-weighted",
        "items of rare subconcepts count more, by their real subconcept",
    ),
    "predicted": (
        "predicted-weighted",
        "the same, but with subconcepts guessed by a model, as one must without subconcept labels",
    ),
    "conditional": (
        "conditional-weighted",
        "guessed subconcepts, given that the binary label of the item is known",
    ),
}

FLAGS = {
    "no_correction": "The weights came out practically equal although only part of the pool is"
    " labelled: this estimate corrects nothing.",
    "degenerate": "Every item saw only itself: the weights say nothing about the pool.",
    "outside_range": "The estimate lies outside 0 to 1 and is shown as computed.",
    "deterministic_sampler": "The sampler always chooses the same items, so items outside its"
    " choice had no chance; no weighting can correct that.",
    "whole_pool": "All of the pool was labelled, so the estimate is the true score.",
    "undefined_resamples": "Part of the bootstrap resamples gave no value.",
    "joined_strata": "A confidence quarter of the pool held fewer than five labelled items and was"
    " joined with its neighbour.",
    "class_without_label": "A class has no labelled item, so its share of the pool cannot be given"
    " to anything.",
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

DETERMINISTIC = frozenset({"uncertainty"})


def style(name: str) -> Style:
    """Style of an estimator; one that this page does not know keeps its own name."""
    if name in STYLES:
        return STYLES[name]
    place = sum(name.encode()) % len(_SPARE)
    return Style(in_words(name), _SPARE[place], "5 2 1 2", "circle", "")


def sampler(name: str) -> str:
    """Name of a sampler for people."""
    return SAMPLERS[name][0] if name in SAMPLERS else in_words(name)


def chosen(name: str) -> str:
    """How a sampler chooses, to follow "items chosen"."""
    return _CHOSEN.get(name, f"by {name.replace('_', ' ')}")


def measure(name: str) -> str:
    """Name of a measure for people, lower case where it is not an acronym."""
    name, _, own = name.partition(":")
    if own:
        return f"{measure(name)} of {own.replace('_', ' ')}"
    return MEASURES[name][0] if name in MEASURES else name.replace("_", " ")


def utility(name: str) -> str:
    """Name of a utility weighting for people."""
    return UTILITIES[name][0] if name in UTILITIES else name.replace("_", " ")


def flag(name: str) -> str:
    """Meaning of a flag; a flag without a recorded meaning says so."""
    return FLAGS.get(name, "A warning raised by the estimator; no explanation is recorded here.")


def in_words(name: str) -> str:
    """Turn an identifier such as `church_bells` into words, first letter large."""
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]
