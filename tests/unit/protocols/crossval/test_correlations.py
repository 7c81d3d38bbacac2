"""Correlations, gaps and printed numbers; weights and their distance to true ones."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from earnest.io import schemas
from earnest.protocols.crossval import correlations, published, weight_quality
from earnest.protocols.crossval.scoring import PARTS, UTILITIES
from earnest.protocols.crossval.splitting import MEASURES

NAMES = [f"set{n}" for n in range(8)]


def made_scores(names=NAMES, corrections=("none",), seed=0):
    rng = np.random.default_rng(seed)
    rows = [
        {
            "dataset": name,
            "correction": correction,
            "repeat": 0,
            "fold": fold,
            "part": part,
            "measure": measure,
            "utility": utility,
            "value": rng.random(),
            "reason": None,
        }
        for name in names
        for correction in corrections
        for fold in (0, 1)
        for part in PARTS
        for measure in MEASURES
        for utility in UTILITIES
    ]
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def scores():
    return made_scores()


@pytest.fixture(scope="module")
def found(scores):
    means = correlations.dataset_means(scores)
    return correlations.assess(means, collection="keel", root_seed=0, resamples=300)


def mean_of(scores, name, part, measure, utility):
    mine = scores[
        (scores["dataset"] == name)
        & (scores["part"] == part)
        & (scores["measure"] == measure)
        & (scores["utility"] == utility)
    ]
    return mine["value"].mean()


def test_correlations_are_those_of_the_fold_means(scores, found):
    table = found["table_correlations"]
    assert len(table) == 3 * 5 * 2
    for row in table.itertuples():
        full, end = (
            [mean_of(scores, name, part, row.measure, row.utility) for name in NAMES]
            for part in ("full", row.part)
        )
        expected = scipy_stats.pearsonr(full, end)
        assert row.value == pytest.approx(expected.statistic, abs=1e-12)
        assert row.p == pytest.approx(expected.pvalue, rel=1e-9)
        assert row.low <= row.value <= row.high


def test_gaps_and_their_differences_belong_together(found):
    r = found["table_correlations"].set_index(["measure", "utility", "part"])["value"]
    gaps = found["table_gaps"].set_index(["measure", "utility"])["value"]
    for (measure, utility), value in gaps.items():
        largest, smallest = r[measure, utility, "largest"], r[measure, utility, "smallest"]
        assert value == pytest.approx(largest - smallest, abs=1e-12)
    for row in found["table_gap_differences"].itertuples():
        expected = gaps[row.measure, row.utility] - gaps[row.measure, row.other]
        assert row.value == pytest.approx(expected, abs=1e-12)


def test_the_tables_fit_their_schemas(found):
    for table, frame in found.items():
        assert schemas.to_arrow(table, frame).num_rows == len(frame) > 0


def test_printed_numbers_stand_beside_ours(found):
    table = found["table_correlations"].set_index(["measure", "utility", "part"])
    assert table.loc[("balanced_accuracy", "none", "smallest"), "printed"] == 0.194
    assert table.loc[("f1", "true", "largest"), "printed_p"] == 0.039
    assert pd.isna(table.loc[("f1", "conditional", "largest"), "printed"])
    gaps = found["table_gaps"].set_index(["measure", "utility"])["printed"]
    assert gaps["balanced_accuracy", "none"] == pytest.approx(0.752)
    differences = found["table_gap_differences"].set_index(["measure", "utility", "other"])
    # .752 - .347
    printed = differences.loc[("balanced_accuracy", "none", "predicted"), "printed"]
    assert printed == pytest.approx(0.405)


def test_an_undefined_fold_takes_the_set_out(scores):
    holed = scores.copy()
    hole = (holed["dataset"] == "set3") & (holed["measure"] == "f1") & (holed["fold"] == 1)
    holed.loc[hole & (holed["utility"] == "true"), "value"] = None
    holed.loc[hole & (holed["utility"] == "true"), "reason"] = "not run: made"
    means = correlations.dataset_means(holed)
    gone = means[(means["dataset"] == "set3") & (means["measure"] == "f1")]
    gone = gone[gone["utility"] == "true"]
    assert gone["mean"].isna().all()
    assert set(gone["reason"]) == {"not run: made"}
    table = correlations.assess(means, collection="keel", root_seed=0, resamples=100)["table_gaps"]
    sizes = table.groupby("measure")["datasets"].unique().map(list).to_dict()
    assert sizes == {"balanced_accuracy": [8], "f1": [7], "roc_auc": [8]}


def test_two_sets_are_too_few():
    means = correlations.dataset_means(made_scores(NAMES[:2]))
    found = correlations.assess(means, collection="other", root_seed=0, resamples=100)
    for frame in found.values():
        assert frame["value"].isna().all()
        assert set(frame["reason"]) == {"not run: 2 data sets, and 3 are needed"}


def test_no_set_at_all_gives_empty_tables():
    means = correlations.dataset_means(schemas.frame_of("fold_scores", []))
    found = correlations.assess(means, collection="keel", root_seed=0, resamples=100)
    for table, frame in found.items():
        assert schemas.to_arrow(table, frame).num_rows == 0


def test_transcribed_p_values_fit_their_correlations():
    # r and n give p; the one cell of Table 1 that does not is named in REMARKS
    misfits = []
    for collection, n in (("keel", 8), ("pmlb", 48)):
        for part in ("largest", "smallest"):
            for measure in MEASURES:
                for utility in ("none", "predicted", "true"):
                    r, p = published.correlation(collection, "none", measure, utility, part)
                    t = r * np.sqrt((n - 2) / (1 - r**2))
                    ours = 2 * scipy_stats.t.sf(abs(t), n - 2)
                    # r is printed with three digits, so small p are known within a few times
                    edges = [r - 0.0006, r + 0.0006]
                    ts = [e * np.sqrt((n - 2) / (1 - e**2)) for e in edges]
                    low, high = sorted(2 * scipy_stats.t.sf(np.abs(ts), n - 2))
                    if not low * 0.97 <= p <= high * 1.03:
                        misfits.append((collection, part, measure, utility, ours))
    assert [m[:4] for m in misfits] == [("keel", "largest", "roc_auc", "true")]


def test_nothing_is_printed_for_other_corrections():
    assert published.correlation("keel", "smote", "f1", "none", "largest") == (None, None)
    assert published.gap("keel", "none", "f1", "conditional") is None
    assert published.gap("made", "none", "f1", "none") is None
    assert published.recognition("pmlb", "absolute", "pearson", "balanced_accuracy") == -0.393
    assert published.recognition("pmlb", "relative", "pearson", "balanced_accuracy") is None


def subconcept_rows(dataset, rows):
    columns = ("subconcept", "test_size", "mean_true", "mean_predicted")
    return [dict(zip(columns, row, strict=True)) | {"dataset": dataset} for row in rows]


def test_mu_by_hand():
    # a: true 1, predicted (10 x 1.2 + 30 x 1.6) / 40 = 1.5; b: true 4, predicted 2.5
    frame = pd.DataFrame(
        subconcept_rows(
            "made",
            [("a", 10, 1.0, 1.2), ("a", 30, 1.0, 1.6), ("b", 5, 4.0, 2.0), ("b", 5, 4.0, 3.0)],
        )
    )
    recognised = pd.DataFrame(
        [
            {"dataset": "made", "measure": measure, "value": value, "reason": None}
            for measure in MEASURES
            for value in (0.5, 0.7)
        ]
    )
    found = weight_quality.weight_quality(frame, recognised)
    assert found["mu"].to_numpy() == pytest.approx((0.5 + 1.5) / 2, abs=1e-12)
    assert found["mu_relative"].to_numpy() == pytest.approx((0.5 / 1 + 1.5 / 4) / 2, abs=1e-12)
    assert found["recognition"].to_numpy() == pytest.approx(0.6, abs=1e-12)


def quality_of(x, mu):
    frames = [
        pd.DataFrame(
            {
                "dataset": [f"set{n:02}" for n in range(len(x))],
                "measure": measure,
                "recognition": x,
                "mu": mu,
                "mu_relative": np.asarray(mu) / 10,
            }
        )
        for measure in MEASURES
    ]
    return pd.concat(frames, ignore_index=True)


def test_the_papers_outlier_rule():
    rng = np.random.default_rng(0)
    x, mu = rng.random(30), rng.random(30)
    mu[7] = 50.0  # z is (n - 1) / sqrt(n) = 5.3 at most, and nearly that here
    options = {"collection": "made", "root_seed": 0, "resamples": 100, "level": 0.95}
    table = weight_quality.correlate_quality(quality_of(x, mu), **options)
    assert schemas.to_arrow("recognition_correlations", table).num_rows == 2 * 3 * 3
    table = table[(table["version"] == "absolute") & (table["measure"] == "f1")]
    table = table.set_index("method")
    assert table.loc["pearson", "outliers"] == ["set07"]
    assert table.loc["pearson", "datasets"] == 29
    kept = np.arange(30) != 7
    expected = scipy_stats.pearsonr(x[kept], mu[kept]).statistic
    assert table.loc["pearson", "value"] == pytest.approx(expected, abs=1e-10)
    for method, function in (
        ("pearson_all", scipy_stats.pearsonr),
        ("spearman", scipy_stats.spearmanr),
    ):
        assert table.loc[method, "datasets"] == 30
        assert table.loc[method, "value"] == pytest.approx(function(x, mu).statistic, abs=1e-10)


def test_among_17_sets_nothing_is_an_outlier():
    mu = np.array([1e9] + [0.0] * 16)
    assert not weight_quality._is_outlier(mu).any()
    assert weight_quality._is_outlier(np.append(mu, 0.0))[0] == (17 / np.sqrt(18) > 4)


def test_distances_to_the_true_weighted_score():
    scores = made_scores(NAMES[:1])
    found = weight_quality.distances(correlations.dataset_means(scores))
    assert schemas.to_arrow("table_distances", found).num_rows == 3 * 4
    for row in found.itertuples():
        plain = mean_of(scores, "set0", "full", row.measure, row.utility)
        true = mean_of(scores, "set0", "full", row.measure, "true")
        assert row.optimism == pytest.approx(plain - true, abs=1e-12)
        assert row.distance == pytest.approx(abs(plain - true), abs=1e-12)


def test_mean_weights_of_missed_and_hit_items():
    def row(fold, subconcept, side, size, hits, weight):
        sums = {
            f"{way}_{kind}": weight * count
            for way, count in (("hit", hits), ("missed", size - hits))
            for kind in ("true", "predicted", "conditional")
        }
        at = {"dataset": "made", "correction": "none", "repeat": 0, "fold": fold}
        named = {"subconcept": subconcept, "side": side, "test_size": size, "hits": hits}
        return at | named | sums

    frame = pd.DataFrame(
        [
            row(0, "a", "majority", 50, 10, 9.0),  # not counted
            row(0, "b", "minority", 10, 8, 2.0),
            row(1, "b", "minority", 10, 6, 3.0),
            row(1, "c", "minority", 4, 4, 5.0),
        ]
    )
    found = weight_quality.missed_and_hit(frame)
    assert schemas.to_arrow("table_weights", found).num_rows == 3
    # hit: (8 x 2 + 6 x 3 + 4 x 5) / 18, missed: (2 x 2 + 4 x 3) / 6
    assert found["hit_weight"].to_numpy() == pytest.approx(3.0)
    assert found["missed_weight"].to_numpy() == pytest.approx(16 / 6)
    assert found["hits"].tolist() == [18] * 3


def test_metrics_are_plain_and_strict(found, scores):
    from earnest import io

    distances = weight_quality.distances(correlations.dataset_means(scores))
    mu = np.random.default_rng(1).random(8)
    options = {"collection": "keel", "root_seed": 0, "resamples": 100, "level": 0.95}
    recognition = weight_quality.correlate_quality(quality_of(np.zeros(8), mu), **options)
    document = io.plain(correlations.metrics(found, recognition, distances))
    assert document["gap"]["none"]["f1"].keys() == set(UTILITIES)
    assert document["recognition"]["absolute"]["pearson"]["f1"] is None
    expected = distances[(distances["measure"] == "f1") & (distances["utility"] == "none")]
    value = document["distance"]["none"]["f1"]["none"]
    assert value == pytest.approx(expected["distance"].mean(), abs=1e-12)
