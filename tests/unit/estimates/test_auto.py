"""The regression over the pool: against a plain implementation, identities, and known truth."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize
from scipy.special import expit
from scipy.stats import norm, rankdata, t

from earnest import samplers
from earnest.estimates import Pool, estimate
from earnest.pools.geometry import prepare_pool
from earnest.samplers.designs import Design

SLOPES = [(0.57, 0.38), (0.46, 0.63), (0.43, 0.54), (-0.55, 0.63), (-0.04, 0.37), (-0.17, 0.34)]


def made_pool(size=120, seed=0, dimension=6, classes=3):
    """Make a pool whose model is right more often where it is sure."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(size, dimension))
    logits = 1.5 * vectors[:, :classes] + 0.5 * rng.normal(size=(size, classes))
    posteriors = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    right = rng.random(size) < posteriors.max(axis=1)
    return Pool(vectors, posteriors), right


def score_of(values):
    return norm.ppf((rankdata(values) - 0.5) / len(values))


def plain_columns(pool):
    """Compute features and prior by the definition, one item after the other."""
    size = len(pool)
    confidence = pool.posteriors.max(axis=1)
    distances = np.linalg.norm(pool.embeddings[:, None] - pool.embeddings[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    near = np.argsort(distances, axis=1)[:, :10]
    log_odds = np.clip(np.log(confidence / (1 - confidence)), -4, 4)
    nbz = np.array([log_odds[near[i]].mean() for i in range(size)])
    agree = np.array(
        [(pool.predictions[near[i]] == pool.predictions[i]).mean() for i in range(size)]
    )
    share = np.array([(pool.predictions == one).sum() for one in pool.predictions])
    dens = np.array([distances[i, near[i]].mean() for i in range(size)])
    z = (pool.embeddings - pool.embeddings.mean(0)) / pool.embeddings.std(0)
    u, directions = score_of(confidence), np.linalg.svd(z, full_matrices=False)[2]
    scores = z @ directions[:10].T
    scores /= math.sqrt((scores**2).sum(1).mean())
    classes = (pool.predictions[:, None] == np.unique(pool.predictions)).astype(float)
    columns = [
        np.ones(size),
        u,
        (nbz - nbz.mean()) / nbz.std(),
        (agree - agree.mean()) / agree.std(),
    ]
    columns += [score_of(share), score_of(dens), score_of(np.linalg.norm(z, axis=1))]
    features = np.column_stack([*columns, classes, scores])
    means = np.r_[0, [m for m, _ in SLOPES], np.zeros(classes.shape[1] + scores.shape[1])]
    variances = np.r_[25, [0.6 * s**2 + 0.02 for _, s in SLOPES]]
    variances = np.r_[variances, np.full(classes.shape[1], 0.16), np.full(scores.shape[1], 0.25)]
    return features, means, variances, u


def plain_auto(pool, labelled, right, chances=None):
    """Return value, low and high by the definition, with a general optimiser."""
    phi, means, variances, u = plain_columns(pool)
    y, seen, size, n = right.astype(float), phi[labelled], len(pool), len(labelled)

    def loss(w):
        eta = seen @ w
        return np.logaddexp(0, eta).sum() - y @ eta + 0.5 * ((w - means) ** 2 / variances).sum()

    def slope(w):
        return seen.T @ (expit(seen @ w) - y) + (w - means) / variances

    w = minimize(loss, means, jac=slope, method="BFGS", options={"gtol": 1e-10}).x
    p0 = expit(seen @ w)
    C = np.linalg.inv((seen.T * (p0 * (1 - p0))) @ seen + np.diag(1 / variances))
    eta, v = phi @ w, np.sum(phi @ C * phi, axis=1)
    e = eta / np.sqrt(1 + np.pi * v / 8)
    wanted = (y.sum() + expit(e[labelled]).mean()) / (n + 1)
    s = brentq(lambda s: expit(e[labelled] + s).mean() - wanted, -50, 50)
    p = expit(e + s / 2)
    d = p * (1 - p)
    rest = np.setdiff1d(np.arange(size), labelled)
    model = (y.sum() + p[rest].sum()) / size
    if chances is not None:
        h = np.minimum(p0 * (1 - p0) * v[labelled], 0.95)
        without = eta[labelled] - v[labelled] * (y - p0) / (1 - h)
        unseen = expit(without / np.sqrt(1 + np.pi * v[labelled] / (1 - h) / 8) + s / 2)
        r, weights = y - unseen, 1 / chances / (1 / chances).sum()
        mean = weights @ r
        design = (p[rest].sum() + unseen.sum()) / size + mean
        sd = math.sqrt(n / (n - 1) * ((1 - chances) * (weights * (r - mean)) ** 2).sum())
        x = abs(design - model) / sd
        value = model + x**4 / (8 + x**4) * (design - model)
        half = t.ppf(0.975, n - 1) * sd
        return value, value - half, value + half
    g = d[rest] @ phi[rest] / size
    variance = g @ C @ g + d[rest].sum() / size**2
    gap = g + (1 / size - 1 / n) * (d[labelled] @ seen)
    x = abs(model - y.mean()) / math.sqrt(gap @ C @ gap)
    factor = x**4 / (2.5 + x**4)
    value = y.mean() + factor * (model - y.mean())
    low, high = np.quantile(u[labelled], [0.05, 0.95])
    above = 0.3 * (d[rest] @ np.maximum(u[rest] - high, 0)) / size
    below = 0.3 * (d[rest] @ np.maximum(low - u[rest], 0)) / size
    bend = u**2 - 1
    q = d[rest] @ bend[rest] / size + (1 / size - 1 / n) * (d[labelled] @ bend[labelled])
    miss = above**2 + below**2 + (0.15 * q) ** 2
    unmade = ((1 - factor) * (model - y.mean())) ** 2
    half = norm.ppf(0.975) * math.sqrt(variance + miss + unmade)
    return value, value - half, value + half


@pytest.mark.parametrize("seed", range(4))
def test_chances_unknown_is_as_defined(seed):
    pool, right = made_pool(seed=seed)
    labelled = np.random.default_rng(seed).choice(len(pool), 40, replace=False)
    found = estimate("auto", pool, labelled, right[labelled])
    expected = plain_auto(pool, labelled, right[labelled])
    assert (found.value, found.low, found.high) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_chances_known_is_as_defined(seed):
    pool, right = made_pool(seed=seed)
    rng = np.random.default_rng(seed)
    labelled = rng.choice(len(pool), 40, replace=False)
    chances = rng.uniform(0.2, 0.8, 40)
    expected = plain_auto(pool, labelled, right[labelled], chances)
    for known in ({"chances": chances}, {"design": Design(None, chances)}):
        found = estimate("auto", pool, labelled, right[labelled], **known)
        assert (found.value, found.low, found.high) == pytest.approx(expected, abs=1e-6)
    at_random = estimate("auto", pool, labelled, right[labelled], sampler="random")
    expected = plain_auto(pool, labelled, right[labelled], np.full(40, 40 / 120))
    assert (at_random.value, at_random.low, at_random.high) == pytest.approx(expected, abs=1e-6)


def test_chances_and_design_are_one_or_the_other():
    pool, right = made_pool()
    rows, half = np.arange(10), np.full(10, 0.5)
    with pytest.raises(ValueError, match="chances and design both say how items were drawn"):
        estimate("auto", pool, rows, right[:10], chances=half, design=Design(None, half))
    for bad in (0.0, 1.5, math.nan):
        with pytest.raises(ValueError, match="a drawn item had a chance above 0 and at most 1"):
            estimate("auto", pool, rows, right[:10], chances=np.r_[bad, half[1:]])
    with pytest.raises(ValueError, match="definition must be first"):
        estimate("auto", pool, rows, right[:10], definition="second")


def test_all_labels_give_the_truth_and_their_order_changes_nothing():
    pool, right = made_pool()
    order = np.random.default_rng(1).permutation(len(pool))
    found = estimate("auto", pool, order, right[order])
    assert found.value == found.low == found.high == pytest.approx(right.mean(), abs=1e-15)
    assert found.flags == ("whole_pool",)
    some = order[:30]
    for known in ({}, {"sampler": "random"}, {"chances": np.full(30, 0.3)}):
        one = estimate("auto", pool, some, right[some], **known)
        assert estimate("auto", pool, some[::-1], right[some[::-1]], **known) == one


def test_flags_say_what_to_beware_of():
    pool, right = made_pool()
    unsure = np.argsort(pool.posteriors.max(axis=1))[:30]
    assert "chosen_for_doubt" in estimate("auto", pool, unsure, right[unsure]).flags
    by_rule = estimate("auto", pool, np.arange(30), right[:30], sampler="uncertainty")
    assert "chosen_for_doubt" in by_rule.flags
    rows = np.flatnonzero(right)[:30]
    sure = estimate("auto", pool, rows, right[rows], sampler="random")
    assert "no_error_seen" in sure.flags
    # (.025)^((N - n) / (n (N - 1))) with N = 120, n = 30
    assert sure.low <= 0.025 ** (90 / (30 * 119))
    assert sure.high == 1
    wrong = np.flatnonzero(~right)[:20]
    none = estimate("auto", pool, wrong, right[wrong], sampler="random")
    assert none.low == 0
    assert none.high >= 1 - 0.025 ** (100 / (20 * 119))


def test_an_interval_needs_two_labels_and_chance():
    pool, right = made_pool()
    one = estimate("auto", pool, [3], right[[3]], sampler="random")
    assert 0 < one.value < 1
    assert one.low is None
    assert "at least two" in one.reason
    certain = estimate("auto", pool, [3, 4, 5], [True, False, True], chances=np.ones(3))
    assert certain.low is None
    assert "certain to be labelled" in certain.reason


def test_all_right_does_not_exclude_that_all_is_right():
    pool, _ = made_pool()
    for known in ({}, {"sampler": "random"}):
        found = estimate("auto", pool, range(60), np.ones(60, dtype=bool), **known)
        assert found.high == 1
        none = estimate("auto", pool, range(60), np.zeros(60, dtype=bool), **known)
        assert none.low == 0


def test_a_pool_of_one_class_may_still_be_wrong():
    pool = Pool(None, np.ones((10, 1)))
    rows, right = range(4), [True, False, False, True]
    assert estimate("auto", pool, rows, right, sampler="random").value == pytest.approx(
        0.5, abs=0.1
    )


def test_without_embeddings_an_interval_needs_known_chances():
    pool, right = made_pool()
    bare = Pool(None, pool.posteriors)
    rows = np.arange(0, 120, 3)
    found = estimate("auto", bare, rows, right[rows])
    assert 0 <= found.value <= 1
    assert found.low is None
    assert "only where the chances" in found.reason
    assert "no_embeddings" in found.flags
    assert estimate("auto", bare, rows, right[rows], sampler="random").low is not None


def test_only_right_or_wrong_is_needed_for_accuracy():
    pool, right = made_pool()
    rows = np.arange(40)
    labels = np.where(right, pool.predictions, (pool.predictions + 1) % 3)
    given_labels = estimate("auto", pool, rows, labels=labels[:40])
    assert given_labels == estimate("auto", pool, rows, right[:40])
    with pytest.raises(ValueError, match="needs labels, not only correct"):
        estimate("auto", pool, rows, right[:40], measure="balanced_accuracy")


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_whatever_is_given_value_and_interval_lie_in_range_or_say_why(data):
    size = data.draw(st.integers(2, 40))
    classes = data.draw(st.integers(1, 4))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    posteriors = rng.dirichlet(np.full(classes, data.draw(st.sampled_from([0.05, 1.0]))), size)
    if data.draw(st.booleans()):
        posteriors[:] = 1 / classes
    kind = data.draw(st.sampled_from(["none", "constant", "copies", "usual"]))
    vectors = {
        "none": None,
        "constant": np.ones((size, 3)),
        "copies": rng.normal(size=(2, 3))[rng.integers(0, 2, size)],
        "usual": rng.normal(size=(size, 3)),
    }[kind]
    pool = Pool(vectors, posteriors)
    n = data.draw(st.integers(1, size))
    rows = rng.choice(size, n, replace=False)
    right = rng.random(n) < data.draw(st.sampled_from([0.0, 0.5, 1.0]))
    known = data.draw(st.sampled_from([None, "random", "uncertainty", "chances"]))
    given_chances = (
        {"chances": rng.uniform(0.01, 1, n)} if known == "chances" else {"sampler": known}
    )
    found = estimate("auto", pool, rows, right, **given_chances)
    assert 0 <= found.value <= 1
    if found.low is None:
        assert found.reason
    else:
        assert 0 <= found.low <= found.value <= found.high <= 1


@pytest.mark.parametrize("rule", ["random", "farthest"])
def test_on_real_pools_it_beats_the_plain_score_and_its_interval_holds(pools, rule):
    """40 draws of 100 of 1,620 clips: the error of a ratio is about .1, of a coverage .03."""
    with np.load(pools / "urbansound8k-random-split.npz", allow_pickle=False) as arrays:
        labels, posteriors = arrays["labels"], arrays["proba"].astype(np.float64)
        geometry = prepare_pool(arrays["embeddings"])
    pool = Pool(geometry, posteriors / posteriors.sum(axis=1, keepdims=True))
    right = pool.predictions == labels
    truth, errors, held = right.mean(), {"auto": [], "unweighted": []}, 0
    for seed in range(40):
        rows = samplers.select(rule, geometry, 100, posteriors=posteriors, seed=seed)
        for name, list_of in errors.items():
            found = estimate(name, pool, rows, right[rows], sampler=rule, resamples=0)
            list_of.append(found.value - truth)
            if name == "auto":
                held += found.low <= truth <= found.high
    rmse = {name: np.sqrt(np.mean(np.square(values))) for name, values in errors.items()}
    assert rmse["auto"] < rmse["unweighted"]
    assert held >= 35
