"""Scores of classes by `auto`: against a slow implementation by items, identities, known truth."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri
from scipy.stats import t

from earnest import samplers
from earnest.estimates import Pool, estimate, estimate_all, true_value
from earnest.estimates.auto_classes import learned_spread, prior_spread
from earnest.estimates.auto_columns import columns_of
from earnest.estimates.auto_fit import fit
from earnest.pools.geometry import prepare_pool


def made_pool(size=90, seed=0, classes=3, names=None, embeddings=True, utilities=False):
    """Return a pool and labels of which the model knows something."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(size, max(classes, 4)))
    logits = 1.5 * vectors[:, :classes] + 0.5 * rng.normal(size=(size, classes))
    posteriors = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    names = np.arange(classes) if names is None else np.array(names)
    labels = names[[rng.choice(classes, p=row) for row in posteriors]]
    weights = {"predicted": rng.uniform(1, 6, size)} if utilities else {}
    vectors = vectors if embeddings else None
    return Pool(vectors, posteriors, classes=tuple(names.tolist()), utilities=weights), labels


def slow_spread(pool, labelled, labels):
    """Return S and its two log variances, item by item."""
    classes, size = list(pool.classes), len(pool)
    c = len(classes)
    column = [classes.index(one) for one in pool.predictions.tolist()]

    def others(row, b):
        kept = [0.0 if k == b else row[k] for k in range(c)]
        return np.array(kept) / sum(kept)

    mean, r = pool.posteriors.mean(axis=0), []
    for i in range(size):
        if pool.embeddings is None:
            r.append(0.8 * others(pool.posteriors[i], column[i]) + 0.2 * others(mean, column[i]))
            continue
        distances = np.linalg.norm(pool.embeddings - pool.embeddings[i], axis=1)
        distances[i] = np.inf
        near = pool.posteriors[np.argsort(distances)[:10]].mean(axis=0)
        local = others(0.7 * pool.posteriors[i] + 0.3 * near, column[i])
        r.append(0.9 * local + 0.1 * others(mean, column[i]))
    wrong = [
        (i, classes.index(y))
        for i, y in zip(labelled.tolist(), labels.tolist(), strict=True)
        if classes.index(y) != column[i]
    ]
    e = np.zeros(c)
    for i, _ in wrong:
        e += r[i]
    g = np.array([(2 + sum(o == k for _, o in wrong)) / (2 + e[k]) for k in range(c)])
    seen, expected = np.zeros((c, c)), np.zeros((c, c))
    for i, o in wrong:
        seen[column[i], o] += 1
        expected[column[i]] += r[i] * g / (r[i] @ g)
    pair = (4 + seen) / (4 + expected)
    chances = np.array([r[i] * g * pair[column[i]] for i in range(size)])
    return chances / chances.sum(axis=1, keepdims=True), 1 / (2 + e), 1 / (4 + expected), column


def slow_measure(name, hits, true, predicted, classes):
    if name == "accuracy":
        return hits.sum() / true.sum()
    if name == "balanced_accuracy":
        return np.mean(hits / true)
    if name == "f1":
        return 2 * hits[-1] / (true[-1] + predicted[-1])
    k = [str(one) for one in classes].index(name.partition(":")[2])
    return hits[k] / true[k]


def slow_class_score(pool, labelled, labels, name, weights=None, chances=None):
    """Return value, low and high by the definition, with derivatives by differences."""
    classes, size = list(pool.classes), len(pool)
    order = np.argsort(labelled)
    labelled, labels = labelled[order], labels[order]
    a = np.ones(size) if weights is None else weights
    s, of_class, of_pair, column = slow_spread(pool, labelled, labels)
    y = [classes.index(one) for one in labels.tolist()]
    right = np.array([column[i] == k for i, k in zip(labelled, y, strict=True)], dtype=float)
    columns = columns_of(pool)
    fitted = fit(columns, labelled, right)
    p, d, phi, cov = fitted.chances, fitted.slopes, columns.features, fitted.covariance
    c, rest = len(classes), np.setdiff1d(np.arange(size), labelled)
    totals = np.zeros((3, c))

    def add(i, k, share):
        totals[0, k] += share * a[i] * (k == column[i])
        totals[1, k] += share * a[i]
        totals[2, column[i]] += share * a[i]

    for i, k in zip(labelled, y, strict=True):
        add(i, k, 1.0)
    for i in rest:
        for k in range(c):
            add(i, k, p[i] if k == column[i] else (1 - p[i]) * s[i, k])
    value = slow_measure(name, *totals, classes)
    slope = np.zeros((3, c))
    for row in range(3):
        for k in range(c):
            step = np.zeros((3, c))
            step[row, k] = 1e-4
            more, less = (slow_measure(name, *(totals + x), classes) for x in (step, -step))
            slope[row, k] = (more - less) / 2e-4

    def psi(i, k):
        return a[i] * (slope[1, k] + (k == column[i]) * slope[0, k] + slope[2, column[i]])

    bar = [sum(s[i, k] * psi(i, k) for k in range(c)) for i in range(size)]
    gain = np.array([d[i] * (psi(i, column[i]) - bar[i]) for i in range(size)])
    g = gain[rest] @ phi[rest]
    var = g @ cov @ g
    pairs = np.zeros((c, c))
    for i in rest:
        b = column[i]
        mean = p[i] * psi(i, b) + (1 - p[i]) * bar[i]
        squares = sum(s[i, k] * psi(i, k) ** 2 for k in range(c))
        var += p[i] * psi(i, b) ** 2 + (1 - p[i]) * squares - mean**2
        pairs[b] += [(1 - p[i]) * s[i, k] * (psi(i, k) - bar[i]) for k in range(c)]
    var += (pairs.sum(axis=0) ** 2 * of_class).sum() + (pairs**2 * of_pair).sum()
    u = columns.doubt
    low, high = np.quantile(u[labelled], [0.05, 0.95])
    bend = u**2 - 1
    q = gain[rest] @ bend[rest] - g @ cov @ ((d * bend)[labelled] @ phi[labelled])
    miss = (0.3 * gain[rest] @ np.maximum(u - high, 0)[rest]) ** 2 + (0.15 * q) ** 2
    miss += (0.3 * gain[rest] @ np.maximum(low - u, 0)[rest]) ** 2
    half = ndtri(0.975) * math.sqrt(var + miss)
    if chances is None:
        return value, max(0, value - half), min(1, value + half)
    chances, n = chances[order], len(labelled)
    w = 1 / chances * size / (1 / chances).sum()
    r = []
    for place, (i, k) in enumerate(zip(labelled, y, strict=True)):
        unseen = fitted.left_out[place]
        r.append(psi(i, k) - unseen * psi(i, column[i]) - (1 - unseen) * bar[i])
    r = np.array(r)
    mean = (w @ r) / w.sum()
    sd = math.sqrt(n / (n - 1) * ((1 - chances) * (w * (r - mean)) ** 2).sum())
    step = ((w - 1) * r).sum()
    x = abs(step) / sd
    value = min(1, max(0, value + x**4 / (30 + x**4) * step))
    half = max(half, t.ppf(0.975, n - 1) * sd)
    return value, max(0, value - half), min(1, value + half)


def check_same(found, expected):
    assert found.reason is None
    assert (found.value, found.low, found.high) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("measure", ["balanced_accuracy", "recall:b", "recall:c"])
def test_many_classes_are_as_defined(seed, measure):
    pool, labels = made_pool(seed=seed, names=["c", "a", "b"])
    rng = np.random.default_rng(seed)
    rows, chances = rng.choice(90, 30, replace=False), rng.uniform(0.1, 0.9, 30)
    found = estimate("auto", pool, rows, labels=labels[rows], measure=measure)
    check_same(found, slow_class_score(pool, rows, labels[rows], measure))
    known = estimate("auto", pool, rows, labels=labels[rows], measure=measure, chances=chances)
    check_same(known, slow_class_score(pool, rows, labels[rows], measure, chances=chances))


@pytest.mark.parametrize("measure", ["accuracy", "balanced_accuracy", "f1", "recall:1"])
@pytest.mark.parametrize("utility", ["none", "predicted"])
def test_two_classes_and_utilities_are_as_defined(measure, utility):
    if (measure, utility) == ("accuracy", "none"):
        return  # of test_auto.py
    pool, labels = made_pool(classes=2, seed=4, utilities=True)
    rng = np.random.default_rng(4)
    rows, chances = rng.choice(90, 30, replace=False), rng.uniform(0.1, 0.9, 30)
    weights = None if utility == "none" else pool.utilities[utility]
    settings = {"labels": labels[rows], "measure": measure, "utility": utility}
    for known in (None, chances):
        expected = slow_class_score(pool, rows, labels[rows], measure, weights, known)
        check_same(estimate("auto", pool, rows, chances=known, **settings), expected)


def test_without_embeddings_the_spread_is_that_of_the_posteriors():
    pool, labels = made_pool(embeddings=False)
    rows, chances = np.arange(30), np.full(30, 1 / 3)
    settings = {"labels": labels[rows], "measure": "balanced_accuracy"}
    found = estimate("auto", pool, rows, sampler="random", **settings)
    expected = slow_class_score(pool, rows, labels[rows], "balanced_accuracy", chances=chances)
    check_same(found, expected)
    assert "no_embeddings" in found.flags
    unknown = estimate("auto", pool, rows, **settings)
    assert unknown.low is None
    assert "without embeddings" in unknown.reason


def test_a_spread_without_a_wrong_label_is_the_prior_one():
    pool, _ = made_pool()
    prior = prior_spread(pool)
    column = pool.predictions
    rows = np.arange(20)
    found = learned_spread(prior, rows, column, column[rows])
    assert found.chances == pytest.approx(prior, abs=1e-12)
    assert prior.sum(axis=1) == pytest.approx(1)
    assert (prior[np.arange(90), column] == 0).all()
    assert found.class_variances == pytest.approx(1 / 2)
    assert found.pair_variances == pytest.approx(1 / 4)
    certain = Pool(None, np.tile([1.0, 0.0, 0.0], (5, 1)))
    assert prior_spread(certain) == pytest.approx(np.tile([0, 0.5, 0.5], (5, 1)))


def test_all_labels_give_the_truth_and_their_order_changes_nothing():
    pool, labels = made_pool(classes=2, utilities=True)
    measures = ("accuracy", "balanced_accuracy", "f1", "recall:0", "recall:1")
    settings = {"measures": measures, "utilities": ("none", "predicted")}
    order = np.random.default_rng(0).permutation(90)
    for key, found in estimate_all("auto", pool, order, labels[order], **settings).items():
        assert found.value == pytest.approx(true_value(pool, labels, *key).value, abs=1e-12)
        assert found.low == found.high == found.value
    some = order[:89]
    nearly = estimate_all("auto", pool, some, labels[some], **settings)
    for key, found in nearly.items():
        # one item is left: no measure can be off by more than its share of the smallest class
        assert found.value == pytest.approx(true_value(pool, labels, *key).value, abs=0.1)
    turned = estimate_all("auto", pool, some[::-1], labels[some[::-1]], **settings)
    assert turned == nearly


def test_flags_and_refusals_of_class_scores():
    pool, labels = made_pool(size=120)
    right = np.flatnonzero(labels == pool.predictions)[:20]
    found = estimate("auto", pool, right, labels=labels[right], measure="balanced_accuracy")
    assert found.low is None
    assert "no_error_seen" in found.flags
    assert "nothing shows how classes differ" in found.reason
    rows = np.flatnonzero(labels != 2)[:30]
    unseen = estimate("auto", pool, rows, labels=labels[rows], measure="recall:2")
    assert "class_without_label" in unseen.flags
    assert 0 <= unseen.low < unseen.value < unseen.high <= 1
    seen = estimate("auto", pool, rows, labels=labels[rows], measure="recall:1")
    assert "class_without_label" not in seen.flags
    one = estimate("auto", pool, rows[:1], labels=labels[rows[:1]], measure="recall:1")
    assert one.low is None


def test_doubted_items_of_two_classes_get_no_interval():
    for classes, has_interval in ((2, False), (3, True)):
        pool, labels = made_pool(size=200, classes=classes)
        rows = np.argsort(pool.posteriors.max(axis=1))[:40]
        found = estimate("auto", pool, rows, labels=labels[rows], measure="recall:1")
        assert "chosen_for_doubt" in found.flags
        assert (found.low is not None) == has_interval
        assert found.value is not None
        assert (found.reason is None) == has_interval


def test_what_it_has_no_form_for_is_said():
    pool, labels = made_pool(classes=2)
    worth = Pool(pool.embeddings, pool.posteriors, utilities={"true": np.full(90, 2.0)})
    rows = np.arange(30)
    for measure, utility, words in (
        ("roc_auc", "none", "no form for ROC AUC"),
        ("accuracy", "true", "the true utility does"),
    ):
        settings = {"labels": labels[rows], "measure": measure, "utility": utility}
        found = estimate("auto", worth, rows, **settings)
        assert found.value is None
        assert words in found.reason
    single = Pool(None, np.ones((9, 1)))
    found = estimate("auto", single, [0, 1], labels=[0, 0], measure="balanced_accuracy")
    assert found.value is None
    assert "only the class 0" in found.reason


@settings(deadline=None, max_examples=80)
@given(st.data())
def test_whatever_is_given_value_and_interval_lie_in_range_or_say_why(data):
    size, classes = data.draw(st.integers(2, 40)), data.draw(st.integers(1, 4))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    posteriors = rng.dirichlet(np.full(classes, data.draw(st.sampled_from([0.02, 1.0]))), size)
    kind = data.draw(st.sampled_from(["equal", "certain", "usual"]))
    if kind == "equal":
        posteriors[:] = 1 / classes
    if kind == "certain":
        posteriors = np.eye(classes)[rng.integers(classes, size=size)]
    vectors = {
        "none": None,
        "constant": np.ones((size, 3)),
        "copies": rng.normal(size=(2, 3))[rng.integers(0, 2, size)],
        "usual": rng.normal(size=(size, 3)),
    }[data.draw(st.sampled_from(["none", "constant", "copies", "usual"]))]
    pool = Pool(vectors, posteriors, utilities={"predicted": rng.uniform(0.1, 9, size)})
    n = data.draw(st.integers(1, size))
    rows = rng.choice(size, n, replace=False)
    labels = rng.integers(classes, size=n)
    if data.draw(st.booleans()):
        labels = pool.predictions[rows]
    sampler = data.draw(st.sampled_from([None, "random", "uncertainty"]))
    f1 = ("f1",) if classes == 2 else ()
    measures = ("accuracy", "balanced_accuracy", "recall:0", *f1)
    settings = {"measures": measures, "utilities": ("none", "predicted"), "sampler": sampler}
    for found in estimate_all("auto", pool, rows, labels, **settings).values():
        if found.low is None:
            assert found.reason
            assert found.value is None or 0 <= found.value <= 1
        else:
            assert 0 <= found.low <= found.value <= found.high <= 1


@pytest.mark.parametrize("rule", ["random", "density_farthest"])
def test_on_a_real_pool_recalls_are_nearer_and_intervals_hold(pools, rule):
    """25 draws of 100 of 1,620 clips; recalls of ten classes are pooled."""
    with np.load(pools / "urbansound8k-random-split.npz", allow_pickle=False) as arrays:
        labels, posteriors = arrays["labels"], arrays["proba"].astype(np.float64)
        geometry = prepare_pool(arrays["embeddings"])
    pool = Pool(geometry, posteriors / posteriors.sum(axis=1, keepdims=True))
    measures = ("balanced_accuracy", *(f"recall:{one}" for one in pool.classes))
    settings = {"measures": measures, "utilities": ("none",), "sampler": rule, "resamples": 0}
    truth = {one: true_value(pool, labels, one).value for one in measures}
    errors, held = {"auto": [], "unweighted": []}, []
    for seed in range(25):
        rows = samplers.select(rule, geometry, 100, posteriors=posteriors, seed=seed)
        both = {n: estimate_all(n, pool, rows, labels[rows], **settings) for n in errors}
        for one in measures:
            ours, plain = both["auto"][one, "none"], both["unweighted"][one, "none"]
            held.append(ours.low <= truth[one] <= ours.high)
            if plain.value is not None:
                errors["auto"].append(ours.value - truth[one])
                errors["unweighted"].append(plain.value - truth[one])
    rmse = {name: np.sqrt(np.mean(np.square(values))) for name, values in errors.items()}
    assert rmse["auto"] < 0.9 * rmse["unweighted"]
    assert np.mean(held) >= 0.9
