"""The rivals of the paper's three methods: rulsif, kmm and logistic_posterior."""

import numpy as np
import pytest

from earnest import samplers
from earnest.weights import importance_weights, moment_matching, prepare_pool
from earnest.weights.many import weigh_subsets

PAIRS = np.array([[-1.0], [-1.0], [1.0], [1.0]])  # mean 0 and SD 1: standardising changes nothing


@pytest.fixture(scope="module")
def real(pools):
    with np.load(pools / "esc10.npz", allow_pickle=False) as arrays:
        return prepare_pool(arrays["embeddings"]), arrays["proba"].astype(float)


@pytest.fixture(scope="module")
def labelled(real):
    return samplers.select("farthest", real[0], 60, seed=2)


def kernel(some, others, bandwidth):
    gaps = some[:, None] - others[None]
    return np.exp(-np.square(gaps).sum(axis=2) / (2 * bandwidth**2))


def test_rulsif_by_hand():
    # Labelled: both at -1, one at +1. All kernels are 1 or q = exp(-2^2 / 2h^2) with h = 2.
    # The four centres lie at -1, -1, +1, +1, so phi is (1, 1, q, q) at -1 and (q, q, 1, 1) at +1:
    # with e = (1, 1, -1, -1) the two points are c +- (1 - q)/2 e. The pool has mean c, the
    # labelled ones c + (1 - q)/6 e, the mixture (alpha .1) c + .9 (1 - q)/6 e = c + s e.
    # m_D - m = -s e; S = (v^2 - s^2) e e' with v = (1 - q)/2; |e|^2 = 4.
    # theta = t e with t (4 (v^2 - s^2) + penalty) = -s, ratio 1 + 4 t (+-v - s).
    q = np.exp(-0.5)
    v, s, penalty = (1 - q) / 2, 0.9 * (1 - q) / 6, 0.01
    t = -s / (4 * (v**2 - s**2) + penalty)
    expected = np.array([1 + 4 * t * (v - s)] * 2 + [1 + 4 * t * (-v - s)])
    found = importance_weights("rulsif", PAIRS, [0, 1, 2], bandwidth=2.0, penalty=penalty)
    np.testing.assert_allclose(found.values, expected / expected.mean(), rtol=1e-12)
    assert expected[0] < 1 < expected[2]


def test_rulsif_minimises_its_objective(real, labelled):
    pool = real[0]
    scores, rows = pool.scores(8), np.sort(labelled)
    centres = moment_matching.centres(scores)
    assert centres.shape == (100, 8)
    of_pool, of_subset = kernel(scores, centres, 3.0), kernel(scores[rows], centres, 3.0)
    mean = 0.1 * of_pool.mean(axis=0) + 0.9 * of_subset.mean(axis=0)

    def objective(theta):
        on_pool, on_subset = 1 + (of_pool - mean) @ theta, 1 + (of_subset - mean) @ theta
        squares = 0.1 * np.square(on_pool).mean() + 0.9 * np.square(on_subset).mean()
        return squares / 2 - on_pool.mean() + 0.05 * theta @ theta / 2

    from scipy.optimize import minimize

    best = minimize(objective, np.zeros(100), method="BFGS", options={"gtol": 1e-9})
    plain = 1 + (of_subset - mean) @ best.x
    found = importance_weights("rulsif", pool, rows, bandwidth=3.0, penalty=0.05).values
    floored = np.maximum(plain, moment_matching.SMALLEST_RATIO)  # no weight is negative
    np.testing.assert_allclose(found, floored / floored.mean(), atol=1e-5)


def test_rulsif_chooses_width_and_penalty_by_cross_validation(real, labelled):
    pool, rows = real[0], np.sort(labelled)
    scores, usual = pool.scores(8), moment_matching.usual_bandwidth(pool.scores(8))
    losses = {}
    for width in (0.5, 1.0, 2.0):
        centres = moment_matching.centres(scores)
        of_pool = kernel(scores, centres, width * usual)
        of_subset = kernel(scores[rows], centres, width * usual)
        for penalty in (1e-3, 1e-2, 1e-1, 1.0):
            loss = 0.0
            for fold in range(5):
                own, other = np.arange(240) % 5 == fold, np.arange(60) % 5 == fold
                mean = 0.1 * of_pool[~own].mean(0) + 0.9 * of_subset[~other].mean(0)
                one, two = of_pool[~own] - mean, of_subset[~other] - mean
                spread = 0.1 * one.T @ one / len(one) + 0.9 * two.T @ two / len(two)
                theta = np.linalg.solve(spread + penalty * np.eye(100), one.mean(0))
                on_pool = 1 + (of_pool[own] - mean) @ theta
                on_subset = 1 + (of_subset[other] - mean) @ theta
                squares = 0.1 * np.square(on_pool).mean() + 0.9 * np.square(on_subset).mean()
                loss += squares / 2 - on_pool.mean()
            losses[width, penalty] = loss
    width, penalty = min(losses, key=losses.get)
    chosen = importance_weights("rulsif", pool, rows, bandwidth=width * usual, penalty=penalty)
    found = importance_weights("rulsif", pool, rows)
    np.testing.assert_allclose(found.values, chosen.values, rtol=1e-9)


def test_rulsif_holds_the_ratio_below_one_over_alpha():
    # a region of the pool without any labels: the plain ratio has no bound there
    line = np.linspace(0, 10, 201)[:, None]
    rows = [*range(0, 60), 150]
    for alpha in (0.2, 0.5):
        pool = prepare_pool(line)
        ratio = moment_matching.relative_ratio(
            pool.scores(1), np.array(rows), alpha=alpha, bandwidth=0.3, penalty=1e-4
        )
        assert ratio[:-1].mean() < 1.0
        assert 1.0 < ratio[-1] < 1.1 / alpha


def test_kmm_solves_its_problem(real, labelled):
    from scipy.optimize import minimize

    pool, rows = real[0], np.sort(labelled)
    scores, width = pool.scores(8), moment_matching.usual_bandwidth(pool.scores(8))
    inner = kernel(scores[rows], scores[rows], width)
    target = kernel(scores[rows], scores, width).sum(axis=1) * 60 / 240
    best = minimize(
        lambda w: w @ inner @ w / 2 - target @ w + 0.02 * np.square(w - 1).sum() / 2,
        np.ones(60),
        jac=lambda w: inner @ w - target + 0.02 * (w - 1),
        bounds=[(0, 2)] * 60,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 60},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 2_000},
    )
    found = importance_weights("kmm", pool, rows, ridge=0.02, bound=2).values
    np.testing.assert_allclose(found, best.x, atol=1e-4)
    assert (found < 1e-9).sum() > 0  # both bounds are met somewhere
    assert found.max() == pytest.approx(2, abs=1e-6)


def test_kmm_by_hand():
    # both at -1 and one at +1 labelled, kernels 1 or q: w = (a, a, 3 - 2a) by symmetry.
    # Gradients with ridge g: at -1: 2a + q(3 - 2a) - .75 (2 + 2q) + g (a - 1),
    # at +1: 2aq + 3 - 2a - .75 (2 + 2q) + g (2 - 2a); equal at the optimum, so
    # (1 - q)(4a - 3) + g (3a - 3) = 0 and a = 3 (1 - q + g) / (4 (1 - q) + 3 g).
    q, ridge = np.exp(-4 / 8), 0.1
    a = 3 * (1 - q + ridge) / (4 * (1 - q) + 3 * ridge)
    found = importance_weights("kmm", PAIRS, [0, 1, 2], bandwidth=2.0, ridge=ridge).values
    np.testing.assert_allclose(found, [a, a, 3 - 2 * a], atol=1e-9)


def test_logistic_posterior_agrees_with_scikit_learn(real, labelled):
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    pool, posteriors = real
    ordered = np.sort(posteriors, axis=1)
    columns = [ordered[:, -1], ordered[:, -1] - ordered[:, -2]]
    columns += [posteriors.argmax(axis=1) == one for one in range(posteriors.shape[1])]
    points = StandardScaler().fit_transform(np.column_stack(columns).astype(float))
    model = LogisticRegression(C=0.3, tol=1e-10, max_iter=10_000, solver="newton-cholesky")
    model.fit(np.vstack([points, points[labelled]]), np.repeat([1, 0], [240, 60]))
    odds = np.exp(model.decision_function(points[labelled]))
    found = importance_weights("logistic_posterior", pool, labelled, posteriors=posteriors, C=0.3)
    np.testing.assert_allclose(found.values, odds / odds.mean(), rtol=1e-6)


def test_logistic_posterior_looks_only_at_posteriors(real, labelled):
    pool, posteriors = real
    found = importance_weights("logistic_posterior", pool, labelled, posteriors=posteriors)
    nothing = np.zeros((240, 1))
    other = importance_weights("logistic_posterior", nothing, labelled, posteriors=posteriors)
    assert other.values.tolist() == found.values.tolist()
    with pytest.raises(ValueError, match="logistic_posterior needs posteriors"):
        importance_weights("logistic_posterior", pool, labelled)
    with pytest.raises(ValueError, match="logistic_posterior needs posteriors"):
        weigh_subsets("logistic_posterior", pool, [labelled])


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("rulsif", {"alpha": 1.0}, "alpha must be at least 0 and below 1"),
        ("rulsif", {"alpha": -0.1}, "alpha must be at least 0 and below 1"),
        ("rulsif", {"penalty": 0}, "penalty must be a finite number above 0"),
        ("rulsif", {"components": 0}, "components must be an integer of at least 1"),
        ("kmm", {"bandwidth": -1}, "bandwidth must be a finite number above 0"),
        ("kmm", {"bound": 1.0}, "bound must be above 1"),
        ("kmm", {"ridge": 0.0}, "ridge must be a finite number above 0"),
    ],
)
def test_options_out_of_range_are_refused(name, options, message):
    with pytest.raises(ValueError, match=message):
        importance_weights(name, PAIRS, [0, 1], **options)
