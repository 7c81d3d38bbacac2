"""What an independent run of the KEEL tables gave, on two repeats and small forests."""

import pandas as pd
import pytest

from earnest.protocols.crossval import correlations, scoring, splitting, weight_quality

pytestmark = pytest.mark.slow

NAMES = ("abalone", "letter", "optdigits", "penbased", "satimage", "segment", "texture", "vehicle")
OPTIONS = {"collection": "keel", "root_seed": 0, "resamples": 500, "level": 0.95}


@pytest.fixture(scope="module")
def keel(mirror):
    forests = {"root_seed": 0, "n_estimators": 50}
    splits = [
        splitting.split_file("keel", name, [mirror / "keel"], repeats=2, **forests)
        for name in NAMES
    ]
    scored = [
        scoring.score_correction(s.description, s.features, s.items, correction="none", **forests)
        for s in splits
    ]
    means = correlations.dataset_means(pd.concat([one for one, _ in scored], ignore_index=True))
    quality = weight_quality.weight_quality(
        pd.concat([s.subconcepts for s in splits], ignore_index=True),
        pd.concat([s.recognition for s in splits], ignore_index=True),
    )
    return {
        "descriptions": {s.description["dataset"]: s.description for s in splits},
        "assessed": correlations.assess(means, **OPTIONS),
        "recognition": weight_quality.correlate_quality(quality, **OPTIONS),
        "distances": weight_quality.distances(means),
        "weights": weight_quality.missed_and_hit(pd.concat([one for _, one in scored])),
    }


def test_the_tasks_are_those_of_table_3(keel):
    sizes = {
        name: (one["majority_size"], one["minority_size"], round(one["ratio"], 2))
        for name, one in keel["descriptions"].items()
    }
    assert sizes == {
        "abalone": (2377, 454, 5.24),
        "letter": (3217, 745, 4.32),
        "optdigits": (2277, 529, 4.30),
        "penbased": (4574, 1069, 4.28),
        "satimage": (4399, 1187, 3.71),
        "segment": (990, 308, 3.21),
        "texture": (2000, 468, 4.27),
        "vehicle": (435, 162, 2.69),
    }


@pytest.mark.parametrize("measure", ["balanced_accuracy", "f1"])
def test_gaps_shrink_from_plain_to_predicted_to_true(keel, measure):
    gaps = keel["assessed"]["table_gaps"].set_index(["measure", "utility"])["value"]
    assert gaps[measure, "none"] > gaps[measure, "predicted"] > gaps[measure, "true"] > 0


def test_printed_correlations_lie_in_our_intervals(keel):
    table = keel["assessed"]["table_correlations"].dropna(subset=["printed"])
    assert len(table) == 18
    outside = table[(table["printed"] < table["low"]) | (table["printed"] > table["high"])]
    assert len(outside) == 0


def test_better_recognition_goes_with_better_weights_by_abalone_alone(keel):
    table = keel["recognition"]
    table = table[(table["version"] == "absolute") & (table["method"] == "pearson")]
    assert table["value"].between(-0.95, -0.7).all()
    assert set(table["high_set"]) == {"abalone"}
    assert (table["high_without"] > 0).all()


def test_predicted_weights_flatter_and_conditional_ones_do_not(keel):
    distances = keel["distances"]
    mine = distances[distances["measure"] == "balanced_accuracy"].groupby("utility")
    mean = mine[["distance", "optimism"]].mean()
    assert mean.loc["conditional", "distance"] < 0.4 * mean.loc["none", "distance"]
    assert mean.loc["predicted", "optimism"] > 0.02
    assert mean.loc["majority_one", "optimism"] > mean.loc["predicted", "optimism"]
    assert abs(mean.loc["conditional", "optimism"]) < 0.01
    weights = keel["weights"].set_index(["dataset", "utility"])
    for name in NAMES:
        true, predicted = (weights.loc[(name, way)] for way in ("true", "predicted"))
        missed = predicted["missed_weight"] / true["missed_weight"]
        assert missed < predicted["hit_weight"] / true["hit_weight"], name
