"""What the report on tables calls its weightings, corrections and methods, and their colours."""

from earnest.reports import words

CORRECTIONS = {
    "none": "no correction",
    "ros": "random over-sampling",
    "rus": "random under-sampling",
    "smote": "SMOTE",
    "weight": "class weights",
    "given": "predictions as given",
}
# for the axis of a narrow figure, two short lines
SHORT = {
    "none": "none",
    "ros": "over- sampled",
    "rus": "under- sampled",
    "smote": "SMOTE",
    "weight": "class weights",
    "given": "as given",
}

# name, colour, dash: colours of Okabe and Ito, with dashes for grey prints
UTILITIES = {
    "none": ("plain", "#595959", "6 4"),
    "predicted": ("predicted (Eq. 6)", "#D55E00", "9 3 2 3"),
    "majority_one": ("predicted, majority 1", "#B8860B", "2 2"),
    "conditional": ("conditional", "#B84C8F", ""),
    "true": ("true", "#111111", "1.5 3.5"),
}
MEANINGS = {
    "none": "every item counts the same",
    "predicted": "each item counts by the expected utility of its predicted subconcept (Eq. 6)"
    " of the paper; a minority item that looks like majority then counts little",
    "majority_one": "the same for minority items, and exactly 1 for majority items",
    "conditional": "as before, but the subconcept of a minority item is predicted among minority"
    " subconcepts only, since its binary label is known when it is scored",
    "true": "by the subconcept that the item really has; the reference",
}
METHODS = {
    "pearson": "Pearson, outliers left out",
    "pearson_all": "Pearson, all sets",
    "spearman": "Spearman, all sets",
}
VERSIONS = {"absolute": "μ (Eq. 7)", "relative": "relative μ"}


def correction(name: str) -> str:
    """Name of a correction for people."""
    return CORRECTIONS.get(name, name.replace("_", " "))


def utility(name: str) -> str:
    """Name of a weighting for people."""
    return UTILITIES[name][0]


def measure(name: str) -> str:
    """Name of a measure for people, first letter large."""
    text = words.measure(name)
    return text[:1].upper() + text[1:]
