"""Blocks of seeds on a small made pool."""

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from earnest.estimates import Pool, estimate, estimate_all, true_value
from earnest.estimates.support import outside_confidence, outside_distance
from earnest.io import schemas
from earnest.protocols.subsets.drawing import draw_block
from earnest.protocols.subsets.estimating import estimate_block
from earnest.rng import generator
from earnest.samplers import DETERMINISTIC, PREFIX_SAMPLERS, SAMPLERS
from earnest.samplers.designs import mixed_draw, of_prefix
from earnest.utility import UTILITIES
from earnest.weights import WEIGHTS, importance_weights

SIZES = [15, 30]
MEASURES = ("accuracy", "balanced_accuracy", "f1", "roc_auc")
CELLS = {"task": "t", "root_seed": 7, "sizes": SIZES}


@pytest.fixture(scope="module")
def made():
    """A pool of 90 items in 45 recordings, and its labels."""
    rng = np.random.default_rng(2)
    labels = np.repeat(["majority", "minority"], [60, 30])
    embeddings = rng.normal(size=(90, 6)).astype(np.float32)
    embeddings[60:, 0] += 2
    p = 1 / (1 + np.exp(1 - embeddings[:, 0].astype(float)))
    pool = Pool(
        embeddings,
        np.column_stack([1 - p, p]),
        classes=("majority", "minority"),
        recordings=np.array([f"r{k // 2}" for k in range(90)]),
        utilities={name: 1 + 9 * rng.random(90) for name in UTILITIES[1:]},
    )
    return pool, labels


def estimated(made, draws, sampler, estimator, **changes):
    pool, labels = made
    options = {"study": "s", "sampler": sampler, "estimator": estimator, "resamples": 50}
    options |= {"measures": MEASURES, "utilities": UTILITIES}
    return estimate_block(pool, labels, draws, **(CELLS | options | changes))


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_draws_are_distinct_items_in_the_schema(made, sampler):
    draws = draw_block(made[0], sampler=sampler, seeds=[0, 1, 2], **CELLS)
    assert schemas.to_arrow("draws", draws).num_rows == len(draws)
    seeds = [0] if sampler in DETERMINISTIC else [0, 1, 2]
    sizes = [30] if sampler in PREFIX_SAMPLERS else SIZES
    assert draws[["seed", "size"]].values.tolist() == [[s, n] for s in seeds for n in sizes]
    for row in draws.to_dict("records"):
        assert len(set(row["items"].tolist())) == row["size"]
        assert row["is_prefix"] == (sampler in PREFIX_SAMPLERS)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_draw_is_the_sampler_with_its_own_generator(made, sampler):
    pool = made[0]
    draws = draw_block(pool, sampler=sampler, seeds=[0], **CELLS)
    size = draws["size"][0]
    expected = SAMPLERS[sampler](
        pool.embeddings, size, posteriors=pool.posteriors, rng=generator(7, "t", sampler, 0)
    )
    assert draws["items"][0].tolist() == expected.tolist()


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_blocks_may_split_anywhere(made, sampler):
    pool = made[0]
    whole = draw_block(pool, sampler=sampler, seeds=[0, 1, 2], **CELLS)
    parts = [draw_block(pool, sampler=sampler, seeds=s, **CELLS) for s in ([0], [1, 2])]
    pd.testing.assert_frame_equal(whole, pd.concat(parts, ignore_index=True), check_dtype=False)
    for estimator in ("unweighted", "knn", "difference"):
        together = estimated(made, whole, sampler, estimator)
        apart = [estimated(made, part, sampler, estimator) for part in parts if len(part)]
        for position in (0, 1):
            joined = pd.concat([one[position] for one in apart], ignore_index=True)
            assert joined.astype(object).to_json() == together[position].astype(object).to_json()


def test_no_bit_of_an_estimate_depends_on_the_number_of_threads():
    rng = np.random.default_rng(5)
    posteriors = rng.dirichlet(np.ones(10), size=1200)
    pool, labels = Pool(None, posteriors), rng.integers(10, size=1200)
    options = {"task": "t", "sampler": "random", "sizes": [900], "root_seed": 0}
    found = []
    draws = pd.DataFrame({"task": ["t"], "sampler": ["random"], "size": [900], "seed": [0]})
    draws["items"] = [rng.permutation(1200)[:900]]
    draws[["is_prefix", "chances", "missed"]] = True, None, None
    options |= {"study": "s", "measures": ["balanced_accuracy", "recall"], "utilities": ["none"]}
    for threads in (1, 2):
        with threadpool_limits(limits=threads, user_api="blas"):
            for estimator in ("unweighted", "calibrated"):
                rows, _ = estimate_block(pool, labels, draws, estimator=estimator, **options)
                found.append(rows[["value", "low", "high"]].to_numpy(float))
    assert np.isfinite(np.concatenate(found)).all()
    assert found[0].tobytes() == found[2].tobytes()
    assert found[1].tobytes() == found[3].tobytes()


def test_growing_the_grid_changes_no_earlier_number(made):
    pool = made[0]
    for sampler in ("farthest", "kmedoids"):
        grown = CELLS | {"sizes": [15, 30, 45]}
        small = draw_block(pool, sampler=sampler, seeds=[0, 1], **CELLS)
        large = draw_block(pool, sampler=sampler, seeds=[0, 1], **grown)
        one, _ = estimated(made, small, sampler, "kde")
        other, _ = estimated(made, large, sampler, "kde")
        assert one.to_json() == other.to_json()


@pytest.mark.parametrize("estimator", ["unweighted", *WEIGHTS, "difference"])
def test_rows_hold_what_one_call_of_estimate_gives(made, estimator):
    pool, labels = made
    draws = draw_block(pool, sampler="random", seeds=[4], **CELLS)
    estimates, weights = estimated(made, draws, "random", estimator)
    assert schemas.to_arrow("estimates", estimates).num_rows == 2 * 4 * 4
    assert schemas.to_arrow("weights", weights).num_rows == (2 if estimator in WEIGHTS else 0)
    items = draws["items"][0][:15]
    found = estimate_all(
        estimator, pool, items, labels[items], measures=MEASURES, utilities=UTILITIES,
        resamples=50, rng=generator(7, "t", "random", 4, "bootstrap", 15),
    )  # fmt: skip
    first = estimates[estimates["size"] == 15].set_index(["measure", "utility"])
    for key, one in found.items():
        row = first.loc[key]
        for name in ("value", "low", "high"):
            expected = np.nan if getattr(one, name) is None else getattr(one, name)
            # logistic fits end where a step moves no log odds by more than 1e-9
            assert row[name] == pytest.approx(expected, abs=1e-9, nan_ok=True)
        truth = true_value(pool, labels, *key).value
        assert row["truth"] == pytest.approx(truth, abs=1e-15)
        assert row["flags"] == list(one.flags)


@pytest.mark.parametrize("estimator", WEIGHTS)
def test_weights_are_those_of_the_public_function(made, estimator):
    pool = made[0]
    draws = draw_block(pool, sampler="farthest", seeds=[1], **CELLS)
    estimates, weights = estimated(made, draws, "farthest", estimator)
    for row in weights.to_dict("records"):
        items = draws["items"][0][: row["size"]]
        expected = importance_weights(estimator, pool.embeddings, items, posteriors=pool.posteriors)
        np.testing.assert_allclose(row["values"], expected.values, rtol=1e-9)
        assert row["ess"] == pytest.approx(expected.ess)
        own = estimates[estimates["size"] == row["size"]]
        for name in ("ess", "largest", "pareto_k"):
            given = getattr(expected, name)  # Pareto k is None where the tail is too short
            given = np.nan if given is None else given
            assert row[name] == pytest.approx(given, nan_ok=True)
            np.testing.assert_allclose(own[name], given, rtol=1e-9)


def test_value_or_reason_in_every_row(made):
    for sampler in SAMPLERS:
        draws = draw_block(made[0], sampler=sampler, seeds=[0, 1], **CELLS)
        for estimator in ("unweighted", "kde", "difference"):
            estimates, _ = estimated(made, draws, sampler, estimator)
            assert (estimates["low"].notna() != estimates["reason"].notna()).all()
            assert (estimates["low"].isna() == estimates["high"].isna()).all()
            if sampler in DETERMINISTIC:
                assert estimates["low"].isna().all()


def test_subset_hash_names_the_set_and_not_its_order(made):
    draws = draw_block(made[0], sampler="random", seeds=[0, 1], **CELLS)
    hashes = estimated(made, draws, "random", "unweighted")[0].groupby(["seed", "size"])["subset"]
    assert (hashes.nunique() == 1).all()
    assert hashes.first().nunique() == 4
    backwards = draws.assign(items=[items[::-1] for items in draws["items"]])
    again = estimated(made, backwards, "random", "unweighted", sizes=[30])[0]
    assert set(again["subset"]) == set(hashes.first().xs(30, level="size"))


def test_a_task_without_subconcepts_has_rows_with_reasons(made):
    pool, labels = made
    posteriors = np.column_stack([pool.posteriors / 2, np.full(90, 0.5)])
    three = Pool(pool.embeddings, posteriors, classes=("majority", "minority", "other"))
    draws = draw_block(three, sampler="random", seeds=[0], **CELLS)
    estimates, _ = estimated((three, labels), draws, "random", "unweighted")
    assert len(estimates) == 2 * 4 * 4
    weighted = estimates[estimates["utility"] != "none"]
    assert weighted["value"].isna().all()
    assert weighted["truth"].isna().all()
    auc = estimates[estimates["measure"] == "roc_auc"]
    assert auc["reason"].str.contains("binary task").all()


def test_a_size_that_was_not_drawn_is_named(made):
    draws = draw_block(made[0], sampler="kmedoids", seeds=[3], **CELLS)
    with pytest.raises(ValueError, match="no draw of size 20: t, kmedoids, seed 3"):
        estimated(made, draws, "kmedoids", "unweighted", sizes=[20])


def test_more_labels_than_items_is_an_error(made):
    with pytest.raises(ValueError, match=r"91.*90"):
        draw_block(made[0], sampler="random", seeds=[0], **(CELLS | {"sizes": [91]}))


def test_unknown_names_are_errors(made):
    with pytest.raises(ValueError, match="unknown sampler 'lottery'; there are random"):
        draw_block(made[0], sampler="lottery", seeds=[0], **CELLS)
    with pytest.raises(ValueError, match="no subset size"):
        draw_block(made[0], sampler="random", seeds=[0], **(CELLS | {"sizes": []}))
    draws = draw_block(made[0], sampler="random", seeds=[0], **CELLS)
    with pytest.raises(ValueError, match="unknown estimator 'oracle'"):
        estimated(made, draws, "random", "oracle")


def test_a_block_of_no_seeds_is_empty_with_all_columns(made):
    draws = draw_block(made[0], sampler="uncertainty", seeds=[5, 6], **CELLS)
    assert schemas.to_arrow("draws", draws).num_rows == 0
    estimates, weights = estimated(made, draws, "uncertainty", "kde")
    assert schemas.to_arrow("estimates", estimates).num_rows == 0
    assert schemas.to_arrow("weights", weights).num_rows == 0


@pytest.mark.parametrize("estimator", ["lure", "horvitz_thompson", "hajek"])
def test_recorded_chances_reach_the_estimate_of_every_prefix(made, estimator):
    pool, labels = made
    draws = draw_block(pool, sampler="uncertainty_mixed", seeds=[3], **CELLS)
    drawn = mixed_draw(pool.posteriors, 30, rng=generator(7, "t", "uncertainty_mixed", 3))
    assert draws["items"][0].tolist() == drawn.items.tolist()
    estimates, _ = estimated(made, draws, "uncertainty_mixed", estimator)
    for size in SIZES:
        rows, design = drawn.items[:size], of_prefix(drawn.chances, drawn.missed, size, 90)
        expected = estimate(estimator, pool, rows, labels=labels[rows], design=design)
        own = estimates[(estimates["size"] == size) & (estimates["utility"] == "none")]
        row = own.set_index("measure").loc["accuracy"]
        assert row["value"] == pytest.approx(expected.value, abs=1e-14)
        assert row["low"] == pytest.approx(expected.low, abs=1e-12)
    unrecorded, _ = estimated(
        made, draw_block(pool, sampler="farthest", seeds=[0], **CELLS), "farthest", estimator
    )
    assert unrecorded["value"].isna().all()
    assert unrecorded["reason"].str.contains("chances with which the items were drawn").all()


def test_intervals_are_made_as_asked(made):
    draws = draw_block(made[0], sampler="random", seeds=[0], **CELLS)
    widths = {
        (estimator, interval): (rows["high"] - rows["low"]).sum()
        for estimator in ("unweighted", "ppi")
        for interval in ("own", "bootstrap", "linearised")
        for rows in [estimated(made, draws, "random", estimator, interval=interval)[0]]
    }
    for estimator, own in (("unweighted", "bootstrap"), ("ppi", "linearised")):
        assert widths[estimator, "own"] == widths[estimator, own]
        assert widths[estimator, "bootstrap"] != widths[estimator, "linearised"]


def test_recall_gives_one_measure_a_class(made):
    pool, labels = made
    draws = draw_block(pool, sampler="random", seeds=[0], **CELLS)
    options = {"measures": ("accuracy", "recall"), "utilities": ("none",), "sizes": [30]}
    estimates, _ = estimated(made, draws, "random", "unweighted", **options)
    assert estimates["measure"].tolist() == ["accuracy", "recall:majority", "recall:minority"]
    items = draws["items"][0]
    for side in ("majority", "minority"):
        own = items[labels[items] == side]
        expected = (pool.predictions[own] == side).mean()
        row = estimates.set_index("measure").loc[f"recall:{side}"]
        assert row["value"] == pytest.approx(expected)
        assert row["truth"] == pytest.approx((pool.predictions == labels)[labels == side].mean())


def test_what_the_labelled_leave_out_stands_with_the_unweighted(made):
    draws = draw_block(made[0], sampler="farthest", seeds=[0], **CELLS)
    unweighted, _ = estimated(made, draws, "farthest", "unweighted")
    knn, _ = estimated(made, draws, "farthest", "knn")
    for size in SIZES:
        items = draws["items"][0][:size]
        rows = unweighted[unweighted["size"] == size]
        assert (rows["outside_confidence"] == outside_confidence(made[0], items)).all()
        assert (rows["outside_distance"] == outside_distance(made[0], items)).all()
    assert knn[["outside_confidence", "outside_distance"]].isna().all(axis=None)
