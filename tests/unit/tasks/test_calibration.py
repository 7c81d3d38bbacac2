"""Calibrated posteriors, the torch probe, and a network's own last layer as a classifier."""

import numpy as np
import pytest

from earnest.rng import generator
from earnest.tasks import calibration, classifiers
from earnest.tasks.heads import Head

# Three sounds, embeddings of two numbers; logits are the rows times the embedding, plus the bias.
NETWORK = {
    "classes": ["bee", "cat", "dog"],
    "weights": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.5]],
}


def items(size: int = 200, seed: int = 0):
    """Two overlapping classes; ten items a recording."""
    rng = generator(seed, "items")
    labels = np.repeat(["no", "yes"], size)
    points = rng.normal(size=(2 * size, 3)) + np.where(labels == "yes", 1.0, 0.0)[:, None]
    recordings = np.array([f"{label}{n // 10}" for n, label in enumerate(labels)])
    return points, labels, recordings


# --- temperature -------------------------------------------------------------


def test_temperature_of_posteriors_that_are_too_sure_is_found() -> None:
    """Labels drawn from p; given p^2 (sharpened), the temperature that mends it is 2."""
    rng = generator(0, "drawn")
    true = rng.dirichlet((1.0, 1.0, 1.0), size=20_000)
    targets = (rng.random(len(true))[:, None] > true.cumsum(axis=1)).sum(axis=1)
    sharp = true**2 / (true**2).sum(axis=1, keepdims=True)
    assert calibration.fit_temperature(sharp, targets) == pytest.approx(2, abs=0.05)
    assert calibration.fit_temperature(true, targets) == pytest.approx(1, abs=0.03)
    np.testing.assert_allclose(calibration.cooled(sharp, 2.0), true, atol=1e-3)


def test_temperature_minimises_the_log_loss() -> None:
    rng = generator(1)
    posteriors = rng.dirichlet((0.3, 0.3, 0.3), size=400)
    targets = rng.integers(3, size=400)
    best = calibration.fit_temperature(posteriors, targets)

    def loss(temperature: float) -> float:
        return -np.log(calibration.cooled(posteriors, temperature)[np.arange(400), targets]).mean()

    grid = np.geomspace(calibration.COLDEST, calibration.HOTTEST, 400)
    assert loss(best) <= min(map(loss, grid)) + 1e-6


def test_temperature_needs_items() -> None:
    with pytest.raises(ValueError, match="needs items"):
        calibration.fit_temperature(np.empty((0, 2)), np.empty(0, dtype=int))


def test_expected_calibration_error_by_hand() -> None:
    # two bins: (.2, .4) with one hit, |1 - .6| = .4; (.8, 1) with one hit, |1 - 1.8| = .8
    confidence = np.array([0.2, 0.4, 0.8, 1.0])
    correct = np.array([True, False, True, False])
    found = calibration.expected_calibration_error(confidence, correct, bins=2)
    assert found == pytest.approx((0.4 + 0.8) / 4)
    assert calibration.expected_calibration_error(np.ones(3), np.ones(3, dtype=bool)) == 0


@pytest.mark.parametrize("name", ["logistic", "forest"])
def test_calibrated_classifier_is_that_of_the_training_part_with_a_temperature(name: str) -> None:
    points, labels, recordings = items()
    model = classifiers.fit(
        name, points, labels, rng=generator(0), recordings=recordings, calibration="temperature"
    )
    others, _, _ = items(size=500, seed=1)
    predicted, posteriors = classifiers.predict(model, others)
    before, uncooled = classifiers.predict(model.plain, others)
    assert predicted.tolist() == before.tolist()
    np.testing.assert_allclose(
        posteriors, calibration.cooled(uncooled, model.temperature), atol=1e-12
    )
    assert 100 <= model.validation_items <= 140


def test_calibration_mends_a_classifier_that_is_too_sure() -> None:
    """Forty numbers of which three matter, a hundred items a class, hardly any penalty."""
    points, labels, recordings = items(size=100)
    others, truth, _ = items(size=2_000, seed=1)
    noise, more = (generator(3, n).normal(size=(len(rows), 37)) for n, rows in
                   enumerate((points, others)))  # fmt: skip
    points, others = np.column_stack([points, noise]), np.column_stack([others, more])
    model = classifiers.fit(
        "logistic", points, labels, rng=generator(0), recordings=recordings, C=100.0,
        calibration="temperature",
    )  # fmt: skip
    predicted, posteriors = classifiers.predict(model, others)
    after, before = (
        calibration.expected_calibration_error(one.max(axis=1), predicted == truth)
        for one in (posteriors, classifiers.predict(model.plain, others)[1])
    )
    assert model.temperature > 2
    assert after < 0.3 * before


def test_no_recording_is_on_both_sides_of_a_calibration(monkeypatch) -> None:
    points, labels, recordings = items(size=50)
    seen = []

    class Watched:
        def fit(self, embeddings, labels):
            seen.append({tuple(row) for row in embeddings})
            self.classes_ = np.unique(labels)

        def predict_proba(self, embeddings):
            seen.append({tuple(row) for row in embeddings})
            return np.full((len(embeddings), 2), 0.5)

    monkeypatch.setitem(classifiers.CLASSIFIERS, "logistic", lambda rng: Watched())
    classifiers.fit(
        "logistic", points, labels, rng=generator(0), recordings=recordings,
        calibration="temperature",
    )  # fmt: skip
    of = {tuple(row): name for row, name in zip(points, recordings, strict=True)}
    trained, judged = seen
    assert {of[row] for row in trained}.isdisjoint(of[row] for row in judged)
    assert len(trained) + len(judged) == len(points)


def test_recordings_that_chose_a_networks_epoch_calibrate() -> None:
    points, labels, recordings = items(size=50)
    network = {"validation_recordings": ["no0", "yes7"]}
    model = classifiers.fit(
        "logistic", points, labels, rng=generator(0), recordings=recordings, network=network,
        calibration="temperature",
    )  # fmt: skip
    assert model.validation_items == 20
    with pytest.raises(ValueError, match="no item is of a recording that the network was not"):
        classifiers.fit(
            "logistic", points, labels, rng=generator(0), recordings=recordings,
            network={"validation_recordings": ["elsewhere"]}, calibration="temperature",
        )  # fmt: skip


def test_what_a_calibration_lacks_is_said() -> None:
    points, labels, _ = items(size=10)
    with pytest.raises(ValueError, match="unknown calibration 'platt'; known are none, temp"):
        classifiers.fit("logistic", points, labels, rng=generator(0), calibration="platt")
    with pytest.raises(ValueError, match="needs the recordings"):
        classifiers.fit("logistic", points, labels, rng=generator(0), calibration="temperature")
    with pytest.raises(ValueError, match="too few recordings for a validation part"):
        classifiers.fit(
            "logistic", points, labels, rng=generator(0), recordings=labels,
            calibration="temperature",
        )  # fmt: skip


# --- the head of a network ---------------------------------------------------


def test_head_gives_the_posteriors_of_the_network() -> None:
    sounds = np.array(["bee", "cat", "dog"])
    points = np.array([[2.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    model = classifiers.fit(
        "head", np.tile(points, (2, 1)), np.tile(sounds, 2), rng=generator(0),
        sounds=np.tile(sounds, 2), network=NETWORK,
    )  # fmt: skip
    logits = np.array([[2.0, 0, 0.5], [0, 1.0, 0.5], [-1.0, -1.0, 0.5]])
    powers = np.exp(logits)
    predicted, posteriors = classifiers.predict(model, points)
    np.testing.assert_allclose(posteriors, powers / powers.sum(axis=1, keepdims=True), rtol=1e-12)
    assert predicted.tolist() == ["bee", "cat", "dog"]


def test_sounds_of_one_label_are_summed_and_sounds_without_items_left_out() -> None:
    points = np.zeros((4, 2))
    merged = Head(NETWORK).learn_labels(
        np.array(["rare", "usual", "usual", "rare"]), np.array(["bee", "cat", "dog", "bee"])
    )
    share = np.exp(0.5) / (2 + np.exp(0.5))  # of dog; bee and cat have 1 / (2 + e^.5) each
    np.testing.assert_allclose(merged.predict_proba(points)[:, 1], share + (1 - share) / 2)
    fewer = Head(NETWORK).learn_labels(np.array(["x", "y"]), np.array(["bee", "cat"]))
    np.testing.assert_allclose(fewer.predict_proba(points), 0.5)


def test_head_says_what_it_cannot_tell() -> None:
    with pytest.raises(ValueError, match="not trained on 'ant'; it knows bee, cat, dog"):
        Head(NETWORK).learn_labels(np.array(["a", "b"]), np.array(["ant", "bee"]))
    with pytest.raises(ValueError, match="one sound, 'bee', where the task tells 'b1' from 'b2'"):
        Head(NETWORK).learn_labels(np.array(["b1", "b2"]), np.array(["bee", "bee"]))
    with pytest.raises(ValueError, match="3 classes of a network need as many rows"):
        Head(NETWORK | {"weights": [[1.0, 2.0]]})
    model = Head(NETWORK).learn_labels(np.array(["a", "b"]), np.array(["bee", "cat"]))
    with pytest.raises(ValueError, match="embeddings have 2 numbers, these 5"):
        model.predict_proba(np.zeros((1, 5)))
    with pytest.raises(ValueError, match="head needs the network that a study trained"):
        classifiers.fit("head", *items(size=5)[:2], rng=generator(0))


def test_calibrated_head_is_judged_on_recordings_it_never_saw() -> None:
    rng = generator(2)
    sounds = np.array(["bee", "cat"] * 30)
    points = np.where((sounds == "bee")[:, None], [2.0, 0.0], [0.0, 2.0])
    points = 3 * (points + rng.normal(scale=3, size=points.shape))
    recordings = np.array([f"r{n // 6}" for n in range(60)])
    unheard = np.isin(recordings, ["r1", "r8"])
    model = classifiers.fit(
        "head", points, sounds, rng=generator(0), sounds=sounds, recordings=recordings,
        network=NETWORK | {"validation_recordings": ["r1", "r8"]}, calibration="temperature",
    )  # fmt: skip
    assert model.validation_items == unheard.sum() == 12
    expected = calibration.fit_temperature(
        classifiers.predict(model.plain, points[unheard])[1], (sounds[unheard] == "cat").astype(int)
    )
    assert model.temperature == expected > 1


def test_problems_of_a_classifier_are_found_before_anything_runs(monkeypatch) -> None:
    def problems(*arguments, **options):
        return list(classifiers.find_problems(*arguments, **options))

    assert problems("head", task="classes", is_trained=True) == []
    assert problems("logistic", task="context", is_trained=False) == []
    (problem,) = problems("head", task="classes", is_trained=False)
    assert problem == "classifier head is for embeddings whose network the study trains"
    (problem,) = problems("head", task="context", is_trained=True)
    assert "hears sounds, not their backgrounds" in problem
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    (problem,) = problems("probe", task="classes", is_trained=False)
    assert problem.startswith("classifier probe needs torch, which is not installed: run `make")


# --- the probe ---------------------------------------------------------------


def test_probe_learns_what_logistic_regression_learns() -> None:
    pytest.importorskip("torch", reason="torch is not installed (`make torch`)")
    points, labels, _ = items()
    others, truth, _ = items(size=1_000, seed=1)
    probe, logistic = (
        classifiers.fit(name, points, labels, rng=generator(0), **options)
        for name, options in (("probe", {"weight_decay": 0.0}), ("logistic", {"C": 1e6}))
    )
    predicted, posteriors = classifiers.predict(probe, others)
    np.testing.assert_allclose(posteriors, classifiers.predict(logistic, others)[1], atol=0.02)
    assert (predicted == truth).mean() > 0.75


def test_senseless_options_of_the_probe_are_refused() -> None:
    points, labels, _ = items(size=5)
    for options in ({"epochs": 0}, {"learning_rate": 0.0}, {"weight_decay": -1.0}):
        with pytest.raises(ValueError, match="epochs and batch_size must be at least 1"):
            classifiers.fit("probe", points, labels, rng=generator(0), **options)


def test_probe_that_diverges_says_so() -> None:
    pytest.importorskip("torch", reason="torch is not installed (`make torch`)")
    points, labels, _ = items(size=20)
    with pytest.raises(ValueError, match=r"did not converge.* learning_rate \(now 1e\+30\)"):
        classifiers.fit("probe", points, labels, rng=generator(0), learning_rate=1e30, epochs=3)
