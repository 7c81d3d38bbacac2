"""A small study on made tables, scored and assessed, for the tests of its report."""

import numpy as np
import pandas as pd

from earnest.datasets.tabular import Table
from earnest.protocols.crossval import correlations, published, scoring, splitting, weight_quality
from earnest.reports.pages import crossval

OPTIONS = {"collection": "keel", "root_seed": 0, "resamples": 200, "level": 0.95}
CORRECTIONS = ("none", "smote")


def made_table(seed):
    rng = np.random.default_rng(seed)
    labels = np.repeat(["a", "b", "c<i>"], [60, 28, 12])
    centres = np.repeat([0, 1, 2], [60, 28, 12])[:, np.newaxis]
    features = rng.normal(size=(100, 3)) + (0.5 + 0.4 * seed) * centres
    return Table(features.astype(np.float32), ("x", "y", "z"), labels, 0, ())


def made_inputs():
    """Return the inputs of the report: five sets, one not run, one without SMOTE scores."""
    splits = [
        splitting.split_table(
            made_table(n), dataset=f"made{n}", root_seed=0, repeats=1, n_estimators=5
        )
        for n in range(5)
    ]
    splits.append(splitting.not_run("gone", "data set gone is missing: put it <here>"))
    scored = [
        scoring.score_correction(
            split.description,
            split.features,
            split.items,
            correction=correction,
            root_seed=0,
            n_estimators=5,
        )
        for split in splits
        for correction in CORRECTIONS
    ]
    scores = pd.concat([one for one, _ in scored], ignore_index=True)
    recalls = pd.concat([one for _, one in scored], ignore_index=True)
    hole = (scores["dataset"] == "made1") & (scores["correction"] == "smote")
    scores.loc[hole, ["value", "reason"]] = [None, "not run: 1 member"]
    quality = weight_quality.weight_quality(
        pd.concat([split.subconcepts for split in splits], ignore_index=True),
        pd.concat([split.recognition for split in splits], ignore_index=True),
    )
    means = correlations.dataset_means(scores)
    found = correlations.assess(means, **OPTIONS)
    return crossval.TableReportInputs(
        study="made",
        title="Made & tested",
        collection="keel",
        level=0.95,
        datasets=[split.description for split in splits],
        scores=scores,
        recalls=recalls,
        correlations=found["table_correlations"],
        gaps=found["table_gaps"],
        differences=found["table_gap_differences"],
        quality=quality,
        recognition=weight_quality.correlate_quality(quality, **OPTIONS),
        distances=weight_quality.distances(means),
        weights=weight_quality.missed_and_hit(recalls),
        remark=published.REMARKS["keel"],
        provenance={"config": {"study": "made"}, "code": {"scores": "abc"}},
    )
