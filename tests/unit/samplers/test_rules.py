import numpy as np
import pytest

from earnest import samplers
from earnest.pools import distances
from earnest.pools.geometry import prepare_pool

LINE = np.array([[0.0], [1.0], [2.0], [10.0]])

POSTERIORS = np.array([[0.5, 0.5, 0.0], [0.6, 0.2, 0.2], [0.45, 0.35, 0.2]])


class FirstRow:
    """A generator that always draws row 0, for walks that were derived by hand."""

    def integers(self, high):
        return 0


@pytest.fixture(scope="module")
def real(pools):
    with np.load(pools / "esc10.npz", allow_pickle=False) as arrays:
        return arrays["embeddings"], arrays["proba"]


def plain_walk(embeddings, start, n, factor):
    """The definition, one distance at a time."""
    chosen = [start]
    while len(chosen) < n:
        best, best_score = None, -1.0
        for row in range(len(embeddings)):
            gaps = [np.linalg.norm(embeddings[row] - embeddings[one]) for one in chosen]
            score = min(gaps) * factor[row]
            if row not in chosen and score > best_score:
                best, best_score = row, score
        chosen.append(best)
    return chosen


def test_random_draws_prefixes_of_one_permutation():
    long = samplers.select("random", LINE, 4, seed=3)
    assert sorted(long) == [0, 1, 2, 3]
    for n in (1, 2, 3):
        assert samplers.select("random", LINE, n, seed=3).tolist() == long[:n].tolist()


def test_random_reaches_every_item_equally_often():
    # 3,000 draws of 1 of 4: 750 each, binomial SD 23.7; 5 SD either way
    firsts = [samplers.select("random", LINE, 1, seed=seed)[0] for seed in range(3_000)]
    counts = np.bincount(firsts, minlength=4)
    assert np.abs(counts - 750).max() < 5 * 23.7


@pytest.mark.parametrize(
    ("measure", "order"),
    [
        ("least_confidence", [2, 0, 1]),  # largest posteriors .5, .6, .45
        ("margin", [0, 2, 1]),  # 0, .4, .1
        ("entropy", [2, 1, 0]),  # .693, .950, 1.049
    ],
)
def test_uncertainty_orders_by_its_measure(measure, order):
    rows = samplers.select(
        "uncertainty", np.zeros((3, 1)), 3, posteriors=POSTERIORS, measure=measure
    )
    assert rows.tolist() == order


def test_uncertainty_breaks_ties_to_the_lowest_row_and_ignores_the_seed():
    tied = np.tile([0.5, 0.5], (50, 1))
    tied[7] = [0.9, 0.1]
    rows = samplers.select("uncertainty", np.zeros((50, 1)), 50, posteriors=tied, seed=1)
    assert rows.tolist() == [*range(7), *range(8, 50), 7]
    again = samplers.select("uncertainty", np.zeros((50, 1)), 50, posteriors=tied, seed=2)
    assert again.tolist() == rows.tolist()


@pytest.mark.parametrize("measure", ["least_confidence", "margin", "entropy"])
def test_uncertainty_with_one_class_keeps_the_order_of_the_pool(measure):
    ones = np.ones((3, 1))
    rows = samplers.uncertainty(None, 2, posteriors=ones, measure=measure)
    assert rows.tolist() == [0, 1]


def test_uncertainty_agrees_with_a_plain_sort_on_a_real_pool(real):
    embeddings, posteriors = real
    rows = samplers.select("uncertainty", embeddings, 240, posteriors=posteriors)
    plain = sorted(range(240), key=lambda row: (float(posteriors[row].max()), row))
    assert rows.tolist() == plain


def test_farthest_picks_only_its_start_at_random():
    # from 0: the farthest is 10; then 1 and 2 are 1 and 2 away from 0, so 2 (not 1)
    assert samplers.farthest(LINE, 3, rng=FirstRow()).tolist() == [0, 3, 2]
    starts = {int(samplers.select("farthest", LINE, 1, seed=seed)[0]) for seed in range(50)}
    assert starts == {0, 1, 2, 3}


def test_farthest_by_cosine_looks_at_directions():
    points = np.array([[1.0, 0.0], [2.0, 0.1], [0.0, 5.0], [-1.0, 0.0]])
    # Euclidean from row 0: 1.005, 5.099, 2; cosine: .001, 1, 2
    assert samplers.farthest(points, 2, rng=FirstRow()).tolist() == [0, 2]
    chosen = samplers.farthest(points, 3, rng=FirstRow(), metric="cosine")
    assert chosen.tolist() == [0, 3, 2]


def test_farthest_breaks_ties_to_the_lowest_row():
    square = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    assert samplers.farthest(square, 5, rng=FirstRow()).tolist() == [0, 1, 2, 3, 4]


def test_density_farthest_multiplies_distance_by_density():
    # nearest neighbours 1, 1, 1, 8 away: densities 1, 1, 1, 1/8.
    # From 0: 1, 2, 10/8, so item 2; then 1 x 1 and 8 x 1/8 tie, so item 1.
    chosen = samplers.density_farthest(LINE, 4, rng=FirstRow(), k=1)
    assert chosen.tolist() == [0, 2, 1, 3]


def test_density_farthest_with_the_kernel_mean():
    # h = median of 1, 1, 1, 8 = 1; densities .435, .553, .435 and .25 (itself alone).
    # From 0: .553, .871, 2.5, so item 3; then .553 and .871, so item 2.
    chosen = samplers.density_farthest(LINE, 4, rng=FirstRow(), k=1, density="kernel")
    assert chosen.tolist() == [0, 3, 2, 1]
    kernels = distances.kernel_means(LINE, 1.0)
    near, far = np.exp(-0.5), np.exp(-2.0)
    expected = np.array([1 + near + far, 1 + 2 * near, 1 + near + far, 1]) / 4
    np.testing.assert_allclose(kernels, expected, atol=1e-12)


def test_density_farthest_takes_all_others_where_k_is_too_large():
    # all others: means 13/3, 11/3, 11/3, 9; from 0: 3/11, 6/11, 10/9
    assert samplers.density_farthest(LINE, 2, rng=FirstRow()).tolist() == [0, 3]


@pytest.mark.parametrize("density", ["neighbours", "kernel"])
def test_density_farthest_of_copies_stays_finite_and_distinct(density):
    copies = np.repeat([[0.0], [3.0]], 6, axis=0)
    chosen = samplers.density_farthest(copies, 12, rng=FirstRow(), density=density, k=3)
    assert chosen[:2].tolist() == [0, 6]
    assert sorted(chosen) == list(range(12))


@pytest.mark.parametrize("name", ["farthest", "density_farthest"])
def test_walks_agree_with_the_plain_definition_on_a_real_pool(real, name):
    from sklearn.neighbors import NearestNeighbors

    embeddings = real[0].astype(np.float64)
    chosen = samplers.select(name, real[0], 25, seed=5)
    factor = np.ones(240)
    if name == "density_farthest":
        gaps, _ = NearestNeighbors(n_neighbors=11).fit(embeddings).kneighbors(embeddings)
        factor = 1 / gaps[:, 1:].mean(axis=1)
    assert chosen.tolist() == plain_walk(embeddings, int(chosen[0]), 25, factor)


def test_kmedoids_finds_the_middle_of_each_cluster_from_any_start():
    clusters = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    for seed in range(5):
        assert samplers.select("kmedoids", clusters, 2, seed=seed).tolist() == [1, 4]


def test_kmedoids_with_one_cluster_is_the_median():
    # summed distances from 0, 1, 2, 10, 50: 63, 60, 59, 75, 187
    values = np.array([[0.0], [1.0], [2.0], [10.0], [50.0]])
    assert samplers.select("kmedoids", values, 1).tolist() == [2]


@pytest.mark.parametrize("n", [1, 5, 9, 10])
def test_kmedoids_gives_exactly_n_items_when_points_coincide(n):
    copies = np.repeat([[0.0, 1.0], [3.0, 1.0]], 5, axis=0)
    for seed in range(20):
        chosen = samplers.select("kmedoids", copies, n, seed=seed)
        assert chosen.dtype == np.int64
        assert len(set(chosen.tolist())) == n


def test_kmedoids_ends_where_no_single_swap_helps(real):
    matrix = prepare_pool(real[0][:60]).distance_matrix().astype(np.float64)
    chosen = samplers.select("kmedoids", real[0][:60], 6, seed=2).tolist()
    loss = matrix[:, chosen].min(axis=1).sum()
    for position in range(6):
        for row in set(range(60)) - set(chosen):
            swapped = [*chosen[:position], row, *chosen[position + 1 :]]
            assert matrix[:, swapped].min(axis=1).sum() >= loss - 1e-4


def test_kmedoids_refuses_pools_without_room_for_all_distances(monkeypatch):
    monkeypatch.setattr("earnest.samplers.rules.LARGEST_KMEDOIDS_POOL", 3)
    with pytest.raises(ValueError, match=r"at most 3 items; this pool has 4"):
        samplers.select("kmedoids", LINE, 2)


@pytest.mark.parametrize("name", sorted(samplers.SAMPLERS))
def test_all_of_a_real_pool_and_repeats(real, name):
    embeddings, posteriors = real
    everything = samplers.select(name, embeddings, 240, posteriors=posteriors)
    assert sorted(everything) == list(range(240))
    some = samplers.select(name, embeddings, 31, posteriors=posteriors, seed=4)
    assert some.dtype == np.int64
    assert len(set(some.tolist())) == 31
    again = samplers.select(name, prepare_pool(embeddings), 31, posteriors=posteriors, seed=4)
    assert again.tolist() == some.tolist()


@pytest.mark.parametrize("name", sorted(samplers.PREFIX_SAMPLERS))
def test_prefix_samplers_do_not_change_when_more_is_asked(real, name):
    embeddings, posteriors = real
    long = samplers.select(name, embeddings, 60, posteriors=posteriors, seed=9)
    short = samplers.select(name, embeddings, 17, posteriors=posteriors, seed=9)
    assert short.tolist() == long[:17].tolist()


def test_seeds_change_the_subset_of_all_but_deterministic_samplers(real):
    embeddings, posteriors = real
    for name in samplers.SAMPLERS:
        subsets = {
            tuple(sorted(samplers.select(name, embeddings, 30, posteriors=posteriors, seed=seed)))
            for seed in range(6)
        }
        assert (len(subsets) == 1) == (name in samplers.DETERMINISTIC), name


@pytest.mark.parametrize("name", sorted(samplers.SAMPLERS))
@pytest.mark.parametrize("metric_rows", [1, 3])
def test_more_than_the_pool_holds_is_refused_with_both_numbers(name, metric_rows):
    pool = LINE[:metric_rows]
    posteriors = np.ones((metric_rows, 1))
    with pytest.raises(ValueError, match=rf"n = 4 distinct items from a pool of {metric_rows}"):
        samplers.select(name, pool, 4, posteriors=posteriors)
    assert samplers.select(name, pool, 1, posteriors=posteriors)[0] in range(metric_rows)


@pytest.mark.parametrize("n", [0, -1, True])
def test_counts_below_one_are_refused(n):
    with pytest.raises(ValueError, match="n must be an integer of at least 1"):
        samplers.select("random", LINE, n)


def test_fractional_counts_are_refused():
    with pytest.raises(TypeError):
        samplers.select("random", LINE, 2.5)


@pytest.mark.parametrize(
    ("posteriors", "message"),
    [
        (None, "uncertainty needs posteriors"),
        ([[0.5, 0.5]] * 3, r"must have 4 rows, one per pool item, got \(3, 2\)"),
        ([[0.5, 0.5], [0.5, 0.6], [1, 0], [0, 0.9]], "do not sum to 1 in 2 of 4 rows: 1, 3"),
        ([[0.5, 0.5], [1.5, -0.5], [1, 0], [1, 0]], "negative value in 1 of 4 rows: 1"),
        ([[0.5, 0.5], [1, 0], [np.nan, 1], [1, 0]], "non-finite value in 1 of 4 rows: 2"),
    ],
)
def test_unusable_posteriors_are_refused_by_row(posteriors, message):
    with pytest.raises(ValueError, match=message):
        samplers.select("uncertainty", LINE, 2, posteriors=posteriors)


def test_unusable_embeddings_are_refused_by_row():
    holes = LINE.copy()
    holes[1, 0], holes[3, 0] = np.nan, np.inf
    with pytest.raises(ValueError, match="non-finite value in 2 of 4 rows: 1, 3"):
        samplers.select("farthest", holes, 2)
    with pytest.raises(ValueError, match=r"all-zero embeddings, rows \[0\]"):
        samplers.select("farthest", LINE, 2, metric="cosine")


def test_unknown_names_list_the_known_ones():
    with pytest.raises(ValueError, match="random, uncertainty, farthest, density_farthest, kmed"):
        samplers.select("coreset", LINE, 2)
    with pytest.raises(ValueError, match="euclidean, cosine"):
        samplers.select("farthest", LINE, 2, metric="manhattan")
    with pytest.raises(ValueError, match="neighbours or kernel"):
        samplers.select("density_farthest", LINE, 2, density="volume")
    with pytest.raises(ValueError, match="least_confidence, margin, entropy"):
        samplers.select("uncertainty", LINE[:3], 2, posteriors=POSTERIORS, measure="variance")
    with pytest.raises(TypeError, match="depth"):
        samplers.select("random", LINE, 2, depth=3)
