"""Classifiers on embeddings, with calibrated posteriors if wanted; posteriors sum to 1."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from earnest.embeddings.networks import devices
from earnest.embeddings.networks.validation import split_off
from earnest.tasks.calibration import Calibrated, fit_temperature
from earnest.tasks.heads import Head
from earnest.tasks.probes import LinearProbe

MAX_ITERATIONS = 2_000


class Classifier(Protocol):
    """A fitted classifier: `classes_` in sorted order, `predict_proba` in their order."""

    classes_: np.ndarray

    def predict_proba(self, embeddings: np.ndarray) -> np.ndarray:
        """Return posteriors (n, C) of embeddings (n, d)."""
        ...


def _logistic(rng: np.random.Generator, *, C: float = 0.01) -> Any:
    """Multinomial logistic regression with an L2 penalty, on standardised embeddings."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if not C > 0:
        raise ValueError(f"C must be positive, got {C}")
    # lbfgs draws no random number, so this model leaves the generator alone.
    return make_pipeline(StandardScaler(), LogisticRegression(C=C, max_iter=MAX_ITERATIONS))


def _forest(
    rng: np.random.Generator,
    *,
    n_estimators: int = 200,
    min_samples_leaf: int = 1,
    class_weight: str | None = None,
) -> Any:
    """Random forest on the embeddings as they are; posteriors are means over the trees."""
    from sklearn.ensemble import RandomForestClassifier

    seed = int(rng.integers(2**31))
    return RandomForestClassifier(
        n_estimators=n_estimators,
        min_samples_leaf=min_samples_leaf,
        class_weight=class_weight,
        random_state=seed,
        n_jobs=1,
    )


def _probe(
    rng: np.random.Generator,
    *,
    epochs: int = 100,
    batch_size: int = 32,
    learning_rate: float = 0.01,
    weight_decay: float = 0.01,
    device: str = "auto",
) -> Any:
    """Linear layer in torch, on standardised embeddings."""
    return LinearProbe(
        rng,
        epochs=epochs,
        batch_size=batch_size,
        learning_rate=learning_rate,
        weight_decay=weight_decay,
        device=device,
    )


def _head(rng: np.random.Generator) -> Any:
    """The last layer of the network that made the embeddings; made in `fit`, which knows it."""
    raise ValueError("classifier head needs the network that a study trained for its embedding")


CLASSIFIERS = {"logistic": _logistic, "forest": _forest, "probe": _probe, "head": _head}
CALIBRATIONS = ("none", "temperature")


def find_problems(name: str, *, task: str, is_trained: bool) -> Iterator[str]:
    """Yield why a classifier cannot be used, before anything is computed.

    Parameters
    ----------
    name : str
        A key of `CLASSIFIERS`.
    task : str
        Kind of the task.
    is_trained : bool
        Whether the study trains the network that makes the embeddings.
    """
    if name == "probe" and not devices.torch_is_installed():
        yield devices.missing("classifier probe")
    if name == "head" and not is_trained:
        yield "classifier head is for embeddings whose network the study trains"
    if name == "head" and task == "context":
        yield "classifier head hears sounds, not their backgrounds: take another for kind context"


def fit(
    name: str,
    embeddings: np.ndarray,
    labels: np.ndarray,
    *,
    rng: np.random.Generator,
    recordings: np.ndarray | None = None,
    sounds: np.ndarray | None = None,
    network: Mapping[str, Any] | None = None,
    calibration: str = "none",
    validation_share: float = 0.3,
    **options: Any,
) -> Classifier:
    """Fit a classifier.

    Parameters
    ----------
    name : str
        A key of `CLASSIFIERS`: `logistic` (option `C`, default 0.01), `forest` (options
        `n_estimators`, default 200, `min_samples_leaf`, default 1, and `class_weight`, of which
        `balanced` weights each class by the inverse of its share), `probe` (options `epochs`,
        `batch_size`, `learning_rate`, `weight_decay`, `device`; needs torch) or `head`.
    embeddings : (n, d) float
        Finite. `logistic` and `probe` standardise them with the mean and SD of these rows.
    labels : (n,) str or int
        At least two classes with two members each.
    rng : numpy.random.Generator
        Source of all randomness.
    recordings : (n,) str, optional
        Needed for calibration: none of them is on both sides of it.
    sounds : (n,) str, optional
        Needed for `head`: what the network was trained to call the items.
    network : mapping, optional
        Needed for `head`: the last layer of the network that made the embeddings
        (`earnest.embeddings.networks.checkpoints.head`). Where it names the recordings that chose
        its epoch, they, and no others, calibrate any classifier: it was trained on the rest.
    calibration : str
        `temperature`: a validation part does not train the classifier, and its posteriors are
        given the temperature with the least log loss there.
    validation_share : float
        Share of that part, by recordings.
    **options
        The classifier's own options.

    Returns
    -------
    Classifier
        With calibration, an `earnest.tasks.calibration.Calibrated`.

    Raises
    ------
    ValueError
        If the classifier is unknown, lengths differ, an embedding is not finite (the row is
        named), there is one class only, a class has one member (it is named), or there are too few
        recordings for a validation part.
    """
    if name not in CLASSIFIERS:
        raise ValueError(f"unknown classifier {name!r}; known are {', '.join(CLASSIFIERS)}")
    if calibration not in CALIBRATIONS:
        raise ValueError(
            f"unknown calibration {calibration!r}; known are {', '.join(CALIBRATIONS)}"
        )
    embeddings, labels = _checked(embeddings), np.asarray(labels)
    _check_labels(labels, len(embeddings))

    def fitted(rows: np.ndarray) -> Classifier:
        if name == "head" and network is not None and sounds is not None:
            return Head(network, **options).learn_labels(labels[rows], np.asarray(sounds)[rows])
        model = CLASSIFIERS[name](rng, **options)
        model.fit(embeddings[rows], labels[rows])
        _check_converged(model)
        return model

    everything = np.arange(len(labels))
    if calibration == "none":
        return fitted(everything)
    if recordings is None:
        raise ValueError("a calibration needs the recordings of the items")
    training, validation = _halves(
        labels, np.asarray(recordings, dtype=str), network, validation_share, rng
    )
    if len(np.unique(labels[training])) < 2 and name != "head":
        raise ValueError("too few recordings for a validation part: one class is left to train on")
    # the head was trained elsewhere, without its validation part
    model = fitted(everything if name == "head" else training)
    validation = validation[np.isin(labels[validation], model.classes_)]
    targets = np.searchsorted(model.classes_, labels[validation])
    temperature = fit_temperature(predict(model, embeddings[validation])[1], targets)
    return Calibrated(model, temperature, len(validation))


def _halves(
    labels: np.ndarray,
    recordings: np.ndarray,
    network: Mapping[str, Any] | None,
    share: float,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the training and of the validation part."""
    if network is None or "validation_recordings" not in network:
        parts = split_off(labels.astype(str), recordings, share=share, rng=rng)
        return parts.training, parts.validation
    unheard = np.isin(recordings, list(network["validation_recordings"]))
    if not unheard.any():
        raise ValueError("no item is of a recording that the network was not trained on")
    return np.flatnonzero(~unheard), np.flatnonzero(unheard)


def predict(model: Classifier, embeddings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Predict labels and posteriors.

    Parameters
    ----------
    model : Classifier
        From `fit`.
    embeddings : (n, d) float
        Finite; none is fine.

    Returns
    -------
    labels : (n,)
        The class with the largest posterior, the first of them in a tie.
    posteriors : (n, C) float64
        In the order of `model.classes_`; each row sums to 1.
    """
    embeddings = _checked(embeddings)
    if len(embeddings) == 0:
        return model.classes_[:0], np.empty((0, len(model.classes_)))
    posteriors = np.asarray(model.predict_proba(embeddings), dtype=np.float64)
    posteriors /= posteriors.sum(axis=1, keepdims=True)
    return model.classes_[posteriors.argmax(axis=1)], posteriors


def _checked(embeddings: np.ndarray) -> np.ndarray:
    embeddings = np.asarray(embeddings, dtype=np.float64)
    if embeddings.ndim != 2:
        raise ValueError(f"embeddings must be (n, d), got shape {embeddings.shape}")
    bad = np.flatnonzero(~np.isfinite(embeddings).all(axis=1))
    if len(bad):
        raise ValueError(f"{len(bad)} embeddings are not finite, the first in row {bad[0]}")
    return embeddings


def _check_labels(labels: np.ndarray, rows: int) -> None:
    if labels.shape != (rows,):
        raise ValueError(f"{rows} embeddings need as many labels, got shape {labels.shape}")
    classes, sizes = np.unique(labels, return_counts=True)
    if len(classes) < 2:
        raise ValueError(f"a classifier needs two classes, got {classes.tolist()}")
    if sizes.min() < 2:
        lonely = classes[sizes < 2].tolist()
        raise ValueError(f"classes with one member cannot be learned: {lonely}")


def _check_converged(model: Any) -> None:
    """Turn an unfinished logistic fit into an error: its posteriors would depend on the limit."""
    last = model[-1] if hasattr(model, "steps") else model
    iterations = getattr(last, "n_iter_", None)
    if iterations is not None and np.max(iterations) >= MAX_ITERATIONS:
        raise ValueError(
            f"the logistic model did not converge in {MAX_ITERATIONS} iterations; use a smaller C"
        )
