import math
import warnings

import numpy as np
import pytest

from earnest import samplers
from earnest.pools import density, distances
from earnest.weights import WEIGHTS, diagnostics, importance_weights, prepare_pool

PAIRS = np.array([[-1.0], [-1.0], [1.0], [1.0]])  # mean 0 and SD 1: standardising changes nothing
LINE = np.array([[0.0], [1.0], [2.0], [10.0]])


def weigh(name, embeddings, labelled, **options):
    """Weigh, with posteriors that follow the first column where a method needs them."""
    if name == "logistic_posterior":
        columns = np.asarray(getattr(embeddings, "embeddings", embeddings), dtype=float)
        first = 1 / (1 + np.exp(-np.clip(columns[:, 0], -30, 30)))
        options["posteriors"] = np.column_stack([first, 1 - first])
    return importance_weights(name, embeddings, labelled, **options)


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.fixture(scope="module")
def real(pools):
    with np.load(pools / "urbansound8k-random-split.npz", allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


@pytest.fixture(scope="module")
def small(pools):
    with np.load(pools / "esc10.npz", allow_pickle=False) as arrays:
        return arrays["embeddings"]


@pytest.fixture
def noise():
    return np.random.default_rng(7)


def standardised(embeddings):
    from sklearn.preprocessing import StandardScaler

    return StandardScaler().fit_transform(embeddings.astype(np.float64))


def plain_kde(embeddings, labelled, components=8, bandwidth=None):
    from sklearn.decomposition import PCA
    from sklearn.neighbors import KernelDensity

    points = standardised(embeddings)
    components = min(components, np.linalg.matrix_rank(points))
    scores = PCA(components, svd_solver="full").fit_transform(points)
    log_densities = []
    for side in (scores, scores[labelled]):
        h = bandwidth or len(side) ** (-1 / (components + 4))
        model = KernelDensity(bandwidth=h, algorithm="kd_tree", rtol=0, atol=0).fit(side)
        log_densities.append(model.score_samples(scores[labelled]))
    weights = np.exp(log_densities[0] - log_densities[1])
    return weights / weights.mean()


def plain_knn(embeddings, labelled, k=5, power=1):
    from sklearn.neighbors import NearestNeighbors

    points = embeddings.astype(np.float64)
    means = []
    for side, own in ((points[labelled], range(len(labelled))), (points, labelled)):
        wanted = min(k + 1, len(side))
        model = NearestNeighbors(n_neighbors=wanted, algorithm="kd_tree").fit(side)
        gaps, rows = model.kneighbors(points[labelled])
        others = [
            np.sort(gap[row != itself])[:k]
            for gap, row, itself in zip(gaps, rows, own, strict=True)
        ]
        means.append([max(other.mean(), 1e-12) for other in others])
    weights = (np.array(means[0]) / np.array(means[1])) ** power
    return weights / weights.mean()


def plain_logistic(embeddings, labelled, C=1.0):
    from sklearn.linear_model import LogisticRegression

    points = standardised(embeddings)
    rows = np.vstack([points, points[labelled]])
    domain = np.repeat([1, 0], [len(points), len(labelled)])
    model = LogisticRegression(C=C, tol=1e-10, max_iter=10_000, solver="newton-cholesky")
    odds = np.exp(model.fit(rows, domain).decision_function(points[labelled]))
    return odds / odds.mean()


def test_kde_by_hand():
    # Both items at -1 and one at +1 are labelled. The pool density is the same at both places.
    # Labelled kernel sums with h = 3^(-1/5), where exp(-2^2 / 2h^2) = exp(-2 x 3^(2/5)) = .0449:
    # 2 + .0449 at -1 and 1 + 2 x .0449 at +1; weights go with the reciprocals .4890, .4890, .9176.
    other = math.exp(-2 * 3**0.4)
    expected = np.array([1 / (2 + other), 1 / (2 + other), 1 / (1 + 2 * other)])
    found = importance_weights("kde", PAIRS, [0, 1, 2])
    np.testing.assert_allclose(found.values, expected / expected.mean(), atol=1e-14)
    np.testing.assert_allclose(found.values, [0.77391, 0.77391, 1.45218], atol=1e-5)
    assert found.largest == found.values[2]


def test_kde_by_hand_with_both_bandwidths():
    # Pool 0, 0, 3 has mean 1 and SD sqrt 2; the places are 3 / sqrt 2 apart, squared 4.5.
    # Labelled: one item at each place. h = 3^(-1/5) for the pool, 2^(-1/5) for the labelled.
    # Pool sums 2 + a and 1 + 2a with a = exp(-2.25 x 3^.4); labelled sums are equal.
    a = math.exp(-2.25 * 3**0.4)
    expected = np.array([2 + a, 1 + 2 * a])
    found = importance_weights("kde", np.array([[0.0], [0.0], [3.0]]), [0, 2])
    np.testing.assert_allclose(found.values, expected / expected.mean(), atol=1e-14)


def test_kde_with_one_bandwidth_for_both_sides():
    # h = 2: exp(-4 / 8) = exp(-.5) = .6065; 1 / 2.6065 twice and 1 / 2.2131
    found = importance_weights("kde", PAIRS, [0, 1, 2], bandwidth=2.0)
    expected = np.array([1 / 2.60653066, 1 / 2.60653066, 1 / 2.21306132])
    np.testing.assert_allclose(found.values, expected / expected.mean(), atol=1e-8)


def test_logistic_without_penalty_is_the_ratio_of_counts():
    # At -1: 2 pool rows to 2 labelled; at +1: 2 to 1. Odds 1, 1, 2; mean 4/3.
    found = importance_weights("logistic", PAIRS, [0, 1, 2], C=1e9)
    np.testing.assert_allclose(found.values, [0.75, 0.75, 1.5], atol=1e-6)


@pytest.mark.parametrize("C", [1e-3, 1.0, 50.0])
def test_logistic_by_hand(C):
    # With t, u the logits at -1, +1 and v the coefficient, u - t = 2v. The derivatives are
    # intercept: (4 s(t) - 2) + (3 s(u) - 2) = 0, so both brackets are r and -r;
    # coefficient: -r - r + v / C = 0, so v = 2 C r. Left is one equation for r:
    # logit((2 - r) / 3) - logit((2 + r) / 4) = 4 C r.
    from scipy.optimize import brentq
    from scipy.special import logit

    r = brentq(lambda r: logit((2 - r) / 3) - logit((2 + r) / 4) - 4 * C * r, 0, 2, xtol=1e-15)
    ratio = math.exp(4 * C * r)
    expected = np.array([1, 1, ratio]) / ((2 + ratio) / 3)
    found = importance_weights("logistic", PAIRS, [0, 1, 2], C=C)
    np.testing.assert_allclose(found.values, expected, rtol=1e-9)
    if C == 1.0:
        assert r == pytest.approx(0.1068, abs=1e-3)


@pytest.mark.parametrize(
    ("options", "ratios"),
    [
        # labelled 0, 1, 10: nearest labelled 1, 1, 9; nearest in the pool 1, 1, 8
        ({"k": 1}, [1, 1, 9 / 8]),
        # two nearest: labelled 11/2, 10/2, 19/2; pool 3/2, 2/2, 17/2
        ({"k": 2}, [11 / 3, 5, 19 / 17]),
        # the default of 5 is more than there are: labelled as above; pool 13/3, 11/3, 27/3
        ({}, [33 / 26, 15 / 11, 19 / 18]),
        ({"k": 2, "power": 2}, [121 / 9, 25, 361 / 289]),
    ],
)
def test_knn_by_hand(options, ratios):
    found = importance_weights("knn", LINE, [0, 1, 3], **options)
    np.testing.assert_allclose(found.values, ratios / np.mean(ratios), rtol=1e-13)


def test_knn_counts_a_copy_as_a_neighbour_and_floors_its_distance():
    # item 0 has a copy in the pool: 5 / 1e-12; item 2: 5 / 5. Self is excluded by index.
    found = importance_weights("knn", np.array([[0.0], [0.0], [5.0]]), [0, 2], k=1)
    np.testing.assert_allclose(found.values, [2.0, 4e-13], rtol=1e-9)
    both = importance_weights("knn", np.array([[0.0], [0.0], [5.0]]), [0, 1], k=1)
    assert both.values.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("name", sorted(WEIGHTS))
def test_over_sampled_regions_weigh_less_than_one(name, noise):
    # halves of equal size in the pool, 40 labelled on the left, 5 on the right
    pool = np.concatenate([noise.normal(-2, 1, (200, 3)), noise.normal(2, 1, (200, 3))])
    labelled = np.concatenate([np.arange(40), np.arange(200, 205)])
    values = weigh(name, pool, labelled).values
    assert values[:40].mean() < 1 < values[40:].mean()


@pytest.mark.parametrize("name", sorted(WEIGHTS))
@pytest.mark.parametrize("order", ["pool", "shuffled"])
def test_labelling_everything_gives_ones_exactly(name, order, small, noise):
    labelled = np.arange(240) if order == "pool" else noise.permutation(240)
    found = weigh(name, small, labelled)
    assert (found.values == 1.0).all()
    assert (found.ess, found.largest, found.flags) == (240.0, 1.0, ())


@pytest.mark.parametrize(
    ("name", "options", "plain", "tolerance"),
    [
        ("kde", {}, plain_kde, 1e-9),
        ("kde", {"components": 3, "bandwidth": 0.8}, plain_kde, 1e-9),
        ("knn", {}, plain_knn, 1e-9),
        ("knn", {"k": 12, "power": 2}, plain_knn, 1e-9),
        ("logistic", {}, plain_logistic, 1e-3),
        ("logistic", {"C": 1e-3}, plain_logistic, 1e-3),
    ],
)
@pytest.mark.parametrize("sampler", ["random", "uncertainty", "farthest", "density_farthest"])
def test_agreement_with_scikit_learn_on_a_real_pool(real, name, options, plain, tolerance, sampler):
    embeddings, posteriors = real["embeddings"], real["proba"]
    for n in (50, 300):
        labelled = samplers.select(sampler, embeddings, n, posteriors=posteriors, seed=1)
        found = weigh(name, embeddings, labelled, **options).values
        expected = plain(embeddings, labelled, **options)
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def test_logistic_is_converged_far_beyond_the_agreement_asked_for(real):
    labelled = samplers.select("farthest", real["embeddings"], 100, seed=3)
    found = importance_weights("logistic", real["embeddings"], labelled).values
    np.testing.assert_allclose(found, plain_logistic(real["embeddings"], labelled), rtol=1e-7)


@pytest.mark.parametrize("name", ["kde", "logistic"])
@pytest.mark.parametrize("scale", [1e-30, 1e-3, 3.0, 1e30])
def test_scale_of_the_embeddings_does_not_matter(name, scale, small):
    labelled = np.arange(0, 240, 6)
    plain = weigh(name, small.astype(float), labelled).values
    scaled = weigh(name, small.astype(float) * scale, labelled).values
    np.testing.assert_allclose(scaled, plain, rtol=1e-9)


@pytest.mark.parametrize("name", sorted(WEIGHTS))
def test_mean_is_one_for_small_and_large_subsets(name, real):
    for n in (50, 500):
        labelled = samplers.select("farthest", real["embeddings"], n)
        values = weigh(name, real["embeddings"], labelled).values
        assert values.mean() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("name", sorted(WEIGHTS))
def test_order_of_the_list_only_orders_the_values(name, small, noise):
    labelled = noise.choice(240, 50, replace=False)
    mixed = noise.permutation(50)
    plain = weigh(name, small, labelled)
    other = weigh(name, small, labelled[mixed])
    assert other.values.tolist() == plain.values[mixed].tolist()
    assert (other.ess, other.pareto_k) == (plain.ess, plain.pareto_k)


@pytest.mark.parametrize("name", sorted(WEIGHTS))
def test_a_shared_pool_changes_no_bit(name, small, noise):
    shared = prepare_pool(small)
    assert prepare_pool(shared) is shared
    for n in (240, 20, 60):
        labelled = noise.permutation(240)[:n]
        alone = weigh(name, small, labelled)
        together = weigh(name, shared, labelled)
        assert together.values.tolist() == alone.values.tolist()


def test_a_shared_pool_computes_each_item_once(small, monkeypatch):
    asked = []
    real_function = distances.mean_neighbour_distances

    def counted(points, rows, k, metric="euclidean"):
        if len(points) == 240:
            asked.extend(rows.tolist())
        return real_function(points, rows, k, metric)

    monkeypatch.setattr(distances, "mean_neighbour_distances", counted)
    shared = prepare_pool(small)
    for labelled in ([0, 1, 2], [1, 2, 3], [3, 0]):
        importance_weights("knn", shared, labelled)
    assert asked == [0, 1, 2, 3]


def test_blocks_change_no_bit(small, monkeypatch):
    whole = {name: weigh(name, small, range(0, 240, 5)).values for name in WEIGHTS}
    monkeypatch.setattr(distances, "_BLOCK_CELLS", 700)  # two rows of 240 at a time
    for name, values in whole.items():
        assert weigh(name, small, range(0, 240, 5)).values.tolist() == values.tolist()


@pytest.mark.parametrize("name", sorted(WEIGHTS))
def test_constant_columns_do_not_matter(name, noise):
    pool = noise.normal(size=(60, 3))
    # the computed mean of sixty .1 is not .1: what is left must not pass for a component
    constant = np.full((60, 2), 0.1)
    assert (constant.mean(axis=0) != 0.1).all()
    plain = weigh(name, pool, range(12)).values
    together = prepare_pool(np.hstack([pool, constant]))
    assert (together.standardised[:, 3:] == 0).all()
    padded = weigh(name, together, range(12)).values
    np.testing.assert_allclose(padded, plain, rtol=1e-9)


@pytest.mark.parametrize("name", sorted(WEIGHTS))
def test_a_pool_of_copies_gives_ones(name):
    found = weigh(name, np.full((20, 3), 0.1), [4, 5, 6])
    assert found.values.tolist() == [1.0, 1.0, 1.0]
    assert found.flags == ("no_correction",)


@pytest.mark.parametrize("name", sorted(WEIGHTS))
def test_one_labelled_item_stands_for_all(name, small):
    found = weigh(name, small, [17])
    assert (found.values.tolist(), found.ess, found.pareto_k) == ([1.0], 1.0, None)
    assert "no_correction" in found.flags
    single = weigh(name, small[:1], [0])
    assert single.values.tolist() == [1.0]


@pytest.mark.parametrize("name", sorted(WEIGHTS))
def test_fewer_points_than_columns_and_components(name, noise):
    pool = noise.normal(size=(5, 100))
    assert prepare_pool(pool).scores(8).shape == (5, 4)  # five centred points span four
    values = weigh(name, pool, [0, 2]).values
    assert np.isfinite(values).all()
    assert values.mean() == pytest.approx(1, abs=1e-12)


def test_scores_keep_all_distances_when_no_component_is_dropped(noise):
    pool = prepare_pool(noise.normal(size=(30, 6)) * [1, 5, 0.1, 30, 2, 1])
    from scipy.spatial.distance import pdist

    np.testing.assert_allclose(pdist(pool.scores(6)), pdist(pool.standardised), rtol=1e-12)
    np.testing.assert_allclose(pool.standardised.std(axis=0), 1, rtol=1e-12)


def test_separable_domains_converge_and_report_their_weights():
    # 20 labelled points at -10 and 20 unlabelled ones at +10
    pool = np.repeat([[-10.0], [10.0]], 20, axis=0)
    for C in (1e-3, 1.0, 1e6):
        found = importance_weights("logistic", pool, range(20), C=C)
        np.testing.assert_allclose(found.values, 1.0, rtol=1e-9)
    # one labelled point beyond the gap: huge odds, but finite, and reported
    found = importance_weights("logistic", pool, range(21), C=1e6)
    # odds 20/20 at -10 and 20/1 at +10: 20 weights of 1 and one of 20, mean 40/21
    np.testing.assert_allclose(found.values, [*[21 / 40] * 20, 21 / 2], rtol=1e-4)
    assert found.largest == pytest.approx(10.5, rel=1e-4)
    assert found.ess == pytest.approx(40**2 / 420, rel=1e-4)


def test_separable_domains_in_many_dimensions(noise):
    pool = np.concatenate([noise.normal(-10, 1, (20, 50)), noise.normal(10, 1, (20, 50))])
    for C in (1.0, 1e8):
        found = importance_weights("logistic", pool, range(20), C=C)
        np.testing.assert_allclose(found.values, plain_logistic(pool, np.arange(20), C), rtol=1e-3)


def test_kde_flags_a_bandwidth_that_undoes_the_correction(small):
    found = importance_weights("kde", small, range(0, 240, 12), bandwidth=1e-6)
    assert found.flags == ("no_correction", "degenerate")
    np.testing.assert_allclose(found.values, 1.0, atol=1e-9)
    usual = importance_weights("kde", small, range(0, 240, 2))
    assert usual.flags == ()


def test_no_correction_is_for_subsets_below_nine_tenths():
    equal = np.arange(10.0)[:, None] % 2
    assert importance_weights("kde", equal, range(8)).flags == ("no_correction",)
    assert importance_weights("kde", equal, range(9)).flags == ()


def test_effective_sample_size_by_hand():
    of_each = diagnostics.effective_sample_sizes(np.array([[1.0, 1.0], [3.0, 1.0], [2.0, 0.0]]))
    np.testing.assert_allclose(of_each, [2.0, 1.6, 1.0], rtol=1e-15)  # 16 / 10


@pytest.mark.parametrize("shape", [-0.3, 0.2, 0.5, 0.9])
def test_pareto_k_recovers_the_shape_of_an_exact_tail(shape):
    from scipy.stats import genpareto

    # evenly spaced quantiles: 3 sqrt(100,000) = 949 tail points, prior worth 10 of them
    weights = genpareto.ppf((np.arange(100_000) + 0.5) / 100_000, shape)
    assert diagnostics.pareto_k(weights) == pytest.approx(shape, abs=0.03)


def test_pareto_shape_agrees_with_maximum_likelihood(noise):
    from scipy.stats import genpareto

    excess = np.sort(genpareto.rvs(0.4, size=2_000, random_state=noise))
    likely, _, _ = genpareto.fit(excess, floc=0)
    found = diagnostics.generalised_pareto_shape(excess)
    assert found == pytest.approx((2_000 * likely + 5) / 2_010, abs=0.01)
    assert diagnostics.generalised_pareto_shape(excess * 1e-200) == pytest.approx(found, rel=1e-9)


def test_pareto_shape_of_few_points_is_drawn_towards_one_half():
    from scipy.stats import genpareto

    # exact quantiles of shape .9: (20 x .9 + 10 x .5) / 30 = .767, not .9
    excess = genpareto.ppf((np.arange(20) + 0.5) / 20, 0.9)
    assert diagnostics.generalised_pareto_shape(excess) == pytest.approx(0.767, abs=0.04)


def test_pareto_shape_of_equal_excesses_is_a_number():
    # With 100 of them the grid has 40 points, and its third is 1 + (1 - sqrt(40 / 2.5)) / 3 = 0.
    found = diagnostics.generalised_pareto_shapes(np.ones((2, 100)))
    assert np.isfinite(found).all()
    near = diagnostics.generalised_pareto_shape(np.linspace(1 - 1e-9, 1, 100))
    assert found[0] == pytest.approx(near, abs=1e-6)


def test_pareto_k_needs_five_points_above_the_threshold(noise):
    assert diagnostics.pareto_k(np.ones(1_000)) is None
    weights = noise.exponential(size=21)
    assert diagnostics.pareto_k(weights) is not None  # ceil(21 / 5) = 5
    assert diagnostics.pareto_k(weights[:20]) is None
    few_above = np.array([1.0] * 96 + [2.0, 3.0, 4.0, 5.0])
    assert diagnostics.pareto_k(few_above) is None


def test_log_density_agrees_with_scikit_learn(noise):
    from sklearn.neighbors import KernelDensity

    points = noise.normal(size=(40, 3))
    sums = density.log_kernel_sums(points, np.arange(40), 0.3)
    found = density.log_density(sums, 40, 3, 0.3)
    plain = KernelDensity(bandwidth=0.3, rtol=0, atol=0).fit(points).score_samples(points)
    np.testing.assert_allclose(found, plain, rtol=1e-12)


@pytest.mark.parametrize(
    ("labelled", "error", "message"),
    [
        ([0, 4], ValueError, r"labelled items 4 are not in the pool of 4 \(rows 0 to 3\)"),
        ([0, -1], ValueError, "labelled items -1 are not in the pool"),
        ([0, 1, 1, 0, 2], ValueError, "labelled items 0, 1 are listed more than once"),
        ([], ValueError, "at least one row number"),
        ([[0, 1]], ValueError, "at least one row number"),
        ([0.0, 1.0], TypeError, "must be integer row numbers"),
        ([True, False, True, True], TypeError, "numpy.flatnonzero"),
    ],
)
def test_unusable_labelled_items_are_named(labelled, error, message):
    with pytest.raises(error, match=message):
        importance_weights("kde", LINE, labelled)


@pytest.mark.parametrize("name", sorted(WEIGHTS))
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_embeddings_that_are_not_finite_are_named(name, kind, small):
    holes = small.astype(kind)
    holes[3, 5], holes[200, 0] = np.nan, -np.inf
    with pytest.raises(ValueError, match="non-finite value in 2 of 240 rows: 3, 200"):
        weigh(name, holes, [0, 1])


def test_other_unusable_embeddings():
    with pytest.raises(ValueError, match=r"got shape \(4,\)"):
        importance_weights("kde", LINE[:, 0], [0])
    with pytest.raises(ValueError, match=r"got shape \(4, 0\)"):
        importance_weights("kde", LINE[:, :0], [0])
    with pytest.raises(TypeError, match="real numbers"):
        importance_weights("kde", LINE.astype(complex), [0])
    with pytest.raises(ValueError, match="too large for distances in 1 of 4 rows: 2"):
        importance_weights("knn", np.array([[0.0], [1.0], [1e200], [2.0]]), [0])
    with pytest.raises(ValueError, match="do not sum to 1 in 1 of 4 rows: 2"):
        importance_weights(
            "kde", LINE, [0], posteriors=[[0.5, 0.5], [1, 0], [0.4, 0.4], [0.1, 0.9]]
        )
    whole = importance_weights("knn", LINE.astype(int), [0, 1, 3], k=1).values
    np.testing.assert_allclose(whole, [0.96, 0.96, 1.08], rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("kde", {"bandwidth": 0}, "bandwidth must be a finite number above 0"),
        ("kde", {"bandwidth": math.inf}, "bandwidth must be a finite number above 0"),
        ("kde", {"components": 0}, "components must be an integer of at least 1"),
        ("logistic", {"C": -1.0}, "C must be a finite number above 0"),
        ("knn", {"k": 0}, "k must be an integer of at least 1"),
        ("knn", {"power": math.nan}, "power must be a finite number above 0"),
    ],
)
def test_options_out_of_range_are_refused(name, options, message):
    with pytest.raises(ValueError, match=message):
        weigh(name, LINE, [0, 1], **options)


def test_unknown_names_and_options_are_refused():
    with pytest.raises(ValueError, match="kde, logistic, knn, rulsif, kmm, logistic_posterior"):
        importance_weights("histogram", LINE, [0])
    with pytest.raises(TypeError, match="width"):
        importance_weights("kde", LINE, [0], width=3)
