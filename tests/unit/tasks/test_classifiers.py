"""Classifiers: values, normalised posteriors, and errors that name the culprit."""

import numpy as np
import pytest
from scipy.optimize import minimize

from earnest.rng import generator
from earnest.tasks import classifiers

# `head` learns nothing from embeddings; tests/unit/tasks/test_calibration.py
LEARNED = sorted(classifiers.CLASSIFIERS.keys() - {"head"})


def blobs(seed: int = 0, size: int = 40) -> tuple[np.ndarray, np.ndarray]:
    rng = generator(seed, "blobs")
    labels = np.repeat(["ant", "bee", "cat"], size)
    centres = {"ant": (0, 0), "bee": (3, 0), "cat": (0, 3)}
    points = np.array([centres[label] for label in labels]) + rng.normal(size=(3 * size, 2))
    return points.astype(np.float32), labels


@pytest.mark.parametrize("name", LEARNED)
def test_separated_classes_are_learned(name: str) -> None:
    embeddings, labels = blobs()
    model = classifiers.fit(name, embeddings, labels, rng=generator(0, "fit"))
    predicted, posteriors = classifiers.predict(model, np.array([[0, 0], [3, 0], [0, 3]]))
    assert predicted.tolist() == ["ant", "bee", "cat"]
    assert model.classes_.tolist() == ["ant", "bee", "cat"]
    assert posteriors.argmax(axis=1).tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", LEARNED)
def test_posteriors_are_float64_and_sum_to_one(name: str) -> None:
    embeddings, labels = blobs(1)
    model = classifiers.fit(name, embeddings, labels, rng=generator(0, "fit"))
    _, posteriors = classifiers.predict(model, 10 * embeddings)
    assert posteriors.dtype == np.float64
    assert (posteriors >= 0).all()
    np.testing.assert_allclose(posteriors.sum(axis=1), 1, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", LEARNED)
def test_same_generator_gives_the_same_model(name: str) -> None:
    embeddings, labels = blobs(2)
    first, second = (
        classifiers.predict(
            classifiers.fit(name, embeddings, labels, rng=generator(5, "fit")), embeddings
        )[1]
        for _ in range(2)
    )
    np.testing.assert_array_equal(first, second)


def test_forest_uses_the_generator() -> None:
    embeddings, labels = blobs(3)
    first, second = (
        classifiers.predict(
            classifiers.fit("forest", embeddings, labels, rng=generator(seed, "fit")), embeddings
        )[1]
        for seed in (0, 1)
    )
    assert not np.array_equal(first, second)


def test_logistic_minimises_its_stated_loss() -> None:
    """Sum of log losses + |w|^2 / 2C on standardised data, minimised here by another method."""
    embeddings, labels = blobs(4)
    keep = labels != "cat"
    points, y = embeddings[keep].astype(float), (labels[keep] == "bee") * 2.0 - 1
    z = (points - points.mean(axis=0)) / points.std(axis=0)
    strength = 0.01

    def loss(w: np.ndarray) -> float:
        margins = y * (z @ w[:2] + w[2])
        return np.logaddexp(0, -margins).sum() + np.square(w[:2]).sum() / (2 * strength)

    w = minimize(loss, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}).x
    expected = 1 / (1 + np.exp(-(z @ w[:2] + w[2])))
    model = classifiers.fit("logistic", points, labels[keep], rng=generator(0), C=strength)
    np.testing.assert_allclose(classifiers.predict(model, points)[1][:, 1], expected, atol=2e-4)


def test_logistic_ignores_scale_and_shift_of_the_embeddings() -> None:
    embeddings, labels = blobs(5)
    plain = classifiers.fit("logistic", embeddings, labels, rng=generator(0))
    moved = classifiers.fit("logistic", 1000 * embeddings + 7, labels, rng=generator(0))
    np.testing.assert_allclose(
        classifiers.predict(plain, embeddings)[1],
        classifiers.predict(moved, 1000 * embeddings + 7)[1],
        atol=1e-4,
    )


def test_constant_column_does_no_harm() -> None:
    embeddings, labels = blobs(6)
    with_constant = np.column_stack([embeddings, np.full(len(labels), 3.0)])
    model = classifiers.fit("logistic", with_constant, labels, rng=generator(0))
    assert np.isfinite(classifiers.predict(model, with_constant)[1]).all()


def test_tie_goes_to_the_first_class() -> None:
    class Undecided:
        classes_ = np.array(["ant", "bee"])

        def predict_proba(self, embeddings: np.ndarray) -> np.ndarray:
            return np.full((len(embeddings), 2), 0.5)

    assert classifiers.predict(Undecided(), np.zeros((2, 1)))[0].tolist() == ["ant", "ant"]


def test_no_items_give_no_predictions() -> None:
    embeddings, labels = blobs()
    model = classifiers.fit("logistic", embeddings, labels, rng=generator(0))
    predicted, posteriors = classifiers.predict(model, embeddings[:0])
    assert predicted.shape == (0,)
    assert posteriors.shape == (0, 3)


def test_options_reach_the_model() -> None:
    embeddings, labels = blobs(7)
    weak, strong = (
        classifiers.predict(
            classifiers.fit("logistic", embeddings, labels, rng=generator(0), C=C), embeddings
        )[1].max(axis=1)
        for C in (1e-4, 1.0)
    )
    assert weak.mean() < 0.5 < strong.mean()
    with pytest.raises(TypeError, match="depth"):
        classifiers.fit("forest", embeddings, labels, rng=generator(0), depth=3)


def test_class_with_one_member_is_named() -> None:
    embeddings, labels = blobs(size=3)
    labels = np.r_[labels[:-3], ["cat", "dog", "dog"]]
    with pytest.raises(ValueError, match=r"one member.*\['cat'\]"):
        classifiers.fit("logistic", embeddings, labels, rng=generator(0))


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match=r"two classes, got \['ant'\]"):
        classifiers.fit("forest", np.zeros((4, 2)), np.repeat("ant", 4), rng=generator(0))


def test_unknown_classifier_is_named() -> None:
    with pytest.raises(ValueError, match="'svm'; known are logistic, forest, probe, head"):
        classifiers.fit("svm", *blobs(), rng=generator(0))


def test_non_finite_row_is_named() -> None:
    embeddings, labels = blobs()
    embeddings[17, 1] = np.nan
    with pytest.raises(ValueError, match="first in row 17"):
        classifiers.fit("logistic", embeddings, labels, rng=generator(0))


def test_lengths_must_agree() -> None:
    embeddings, labels = blobs()
    with pytest.raises(ValueError, match="120 embeddings need as many labels"):
        classifiers.fit("logistic", embeddings, labels[:-1], rng=generator(0))


def test_fit_that_does_not_converge_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classifiers, "MAX_ITERATIONS", 1)
    with (
        pytest.warns(match="failed to converge"),
        pytest.raises(ValueError, match="did not converge in 1 iterations"),
    ):
        classifiers.fit("logistic", *blobs(), rng=generator(0), C=100.0)
