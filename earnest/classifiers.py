"""Classifiers on embeddings: logistic probe and random forest; posteriors sum to 1."""

from typing import Any, Protocol

import numpy as np

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


CLASSIFIERS = {"logistic": _logistic, "forest": _forest}


def fit(
    name: str,
    embeddings: np.ndarray,
    labels: np.ndarray,
    *,
    rng: np.random.Generator,
    **options: Any,
) -> Classifier:
    """Fit a classifier.

    Parameters
    ----------
    name : str
        A key of `CLASSIFIERS`: `logistic` (option `C`, default 0.01) or `forest` (options
        `n_estimators`, default 200, `min_samples_leaf`, default 1, and `class_weight`, of which
        `balanced` weights each class by the inverse of its share).
    embeddings : (n, d) float
        Finite. The logistic model standardises them with the mean and SD of these rows.
    labels : (n,) str or int
        At least two classes with two members each.
    rng : numpy.random.Generator
        Source of the forest's randomness.
    **options
        The classifier's own options.

    Returns
    -------
    Classifier

    Raises
    ------
    ValueError
        If the classifier is unknown, lengths differ, an embedding is not finite (the row is
        named), there is one class only, or a class has one member (it is named).
    """
    if name not in CLASSIFIERS:
        raise ValueError(f"unknown classifier {name!r}; known are {', '.join(CLASSIFIERS)}")
    embeddings, labels = _checked(embeddings), np.asarray(labels)
    _check_labels(labels, len(embeddings))
    model = CLASSIFIERS[name](rng, **options)
    model.fit(embeddings, labels)
    _check_converged(model)
    return model


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
