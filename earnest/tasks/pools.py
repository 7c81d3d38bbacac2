"""Pools: a task's classifier applied to the items that it was not trained on."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.pools.pool import Pool
from earnest.rng import generator
from earnest.tasks import classifiers
from earnest.tasks.backgrounds import usual_and_rare
from earnest.tasks.building import TaskError
from earnest.tasks.calibration import Calibrated, expected_calibration_error
from earnest.tasks.kinds import BINARY, KINDS, Framing
from earnest.utility import expected_utility, true_utility, utility_by_subconcept

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class PoolResult:
    """A pool, ready to be written.

    Attributes
    ----------
    frame : pandas.DataFrame
        Table `pool`, one row an item.
    embeddings : ndarray (N, d) float32
        In the order of the rows.
    description : dict
        What the pool is, in plain values for JSON.
    subconcepts : pandas.DataFrame
        Table `subconcepts`. A task over classes lists its classes, with side `class`.
    """

    frame: "pandas.DataFrame"
    embeddings: np.ndarray
    description: dict[str, Any]
    subconcepts: "pandas.DataFrame"


@dataclass(frozen=True)
class TaskSettings:
    """What a task asks of the items, and how its classifier is learned.

    Attributes
    ----------
    name : str
    kind : str
        `classes`: tell all foregrounds apart, no subconcepts. `subconcepts`: the binary task
        that `earnest.tasks.build_task` makes of the foregrounds. `context`: `foreground`
        against the rest, its backgrounds being the subconcepts.
    root_seed : int
        Seed of the study; with `name` it seeds the task's down-sampling and the classifiers.
    foreground : str, optional
        Of a context task.
    classifier : str
        A key of `earnest.tasks.classifiers.CLASSIFIERS`; also the subconcept model.
    classifier_options : mapping
    network : mapping, optional
        The last layer of the network that made the embeddings, if the study trained one
        (`earnest.embeddings.networks.checkpoints.head`).
    """

    name: str
    kind: str
    root_seed: int
    foreground: str | None = None
    classifier: str = "logistic"
    classifier_options: Mapping[str, Any] = field(default_factory=dict)
    network: Mapping[str, Any] | None = None


def build_pool(
    items: "pandas.DataFrame",
    embeddings: np.ndarray,
    settings: TaskSettings,
) -> PoolResult:
    """Train a task's classifier on the training items and apply it to the pool items.

    Parameters
    ----------
    items : pandas.DataFrame
        Table `items`; rows with split `train` train, rows with split `pool` form the pool.
    embeddings : ndarray (len(items), d)
        One row an item.
    settings : TaskSettings

    Returns
    -------
    PoolResult

    Raises
    ------
    earnest.tasks.TaskError
        If the task cannot be built or learned, or a subconcept has no item on one side of
        the split; the message names task and subconcept.
    ValueError
        If the kind is unknown or embeddings do not fit the items.
    """
    kept, framing, model = _prepared(items, embeddings, settings)
    fitted = model.fit(framing.label, "label")
    frame = _pool_frame(kept[model.is_pool], framing, model, fitted)
    classes = [str(one) for one in fitted.classes_]
    train_subconcepts = framing.subconcept[model.is_train]
    utility = None
    if framing.task is not None:
        utility = utility_by_subconcept(train_subconcepts, framing.task)
        frame = frame.assign(**_utilities(framing, model, utility))
    subconcepts = _subconcept_frame(settings.name, frame, framing, utility, train_subconcepts)
    description = _describe(settings, framing, classes, utility, subconcepts)
    description["calibration"] = _calibration(frame, model, fitted)
    pool_embeddings = np.ascontiguousarray(model.embeddings[model.is_pool], dtype=np.float32)
    return PoolResult(frame, pool_embeddings, description, subconcepts)


@dataclass(frozen=True)
class TrainedTask:
    """A task's classifier, and the items that it was not trained on.

    Attributes
    ----------
    model : earnest.tasks.classifiers.Classifier
        The same as the one behind the pool of `build_pool`.
    items : pandas.DataFrame
        Table `items` of the pool, with the column `label` of this task.
    positive : str or None
        The positive class of a binary task.
    """

    model: Any
    items: "pandas.DataFrame"
    positive: str | None


def train_task(
    items: "pandas.DataFrame",
    embeddings: np.ndarray,
    settings: TaskSettings,
) -> TrainedTask:
    """Train a task's classifier as `build_pool` does, and return it; parameters are the same."""
    kept, framing, model = _prepared(items, embeddings, settings)
    pool = kept[model.is_pool].assign(label=framing.label[model.is_pool])
    positive = None if framing.task is None else BINARY[1]
    return TrainedTask(model.fit(framing.label, "label"), pool.reset_index(drop=True), positive)


def _prepared(
    items: "pandas.DataFrame",
    embeddings: np.ndarray,
    settings: TaskSettings,
) -> tuple["pandas.DataFrame", Framing, "_Model"]:
    """Return the kept items, what the task makes of them, and how to learn it."""
    name, kind = settings.name, settings.kind
    if kind not in KINDS:
        raise ValueError(f"task {name!r}: unknown kind {kind!r}; there are {', '.join(KINDS)}")
    if len(items) != len(embeddings):
        raise ValueError(f"{len(items)} items, but {len(embeddings)} embeddings")
    items = items.reset_index(drop=True)
    with _named(name):
        framing = KINDS[kind](items, name, settings.foreground, settings.root_seed)
    kept = items.iloc[framing.rows]
    is_train, is_pool = (kept["split"] == side for side in ("train", "pool"))
    _refuse_one_sided(name, framing.subconcept, is_train, is_pool)
    vectors = np.asarray(embeddings)[framing.rows]
    return kept, framing, _Model(vectors, kept, is_train, is_pool, settings)


def as_pool(frame: "pandas.DataFrame", embeddings: Any, description: dict[str, Any]) -> Pool:
    """Return the pool that estimators take, from what `build_pool` returned or a file held.

    Parameters
    ----------
    frame : pandas.DataFrame
        Table `pool`.
    embeddings : ndarray (N, d), earnest.weights.PoolGeometry or None
    description : dict
        With `classes` and `positive`.

    Returns
    -------
    earnest.estimates.Pool
    """
    utilities = {
        kind: frame[f"utility_{kind}"].to_numpy(dtype=np.float64)
        for kind in ("true", "predicted", "conditional")
        if frame[f"utility_{kind}"].notna().all() and len(frame)
    }
    return Pool(
        embeddings,
        np.array(frame["posteriors"].to_list(), dtype=np.float64),
        predictions=frame["prediction"].to_numpy(dtype=str),
        classes=tuple(description["classes"]),
        recordings=frame["recording"].to_numpy(dtype=str),
        utilities=utilities,
        positive=description["positive"],
    )


@contextmanager
def _named(name: str, part: str = "") -> Iterator[None]:
    """Put the task's name before the message of whatever is wrong with it."""
    try:
        yield
    except ValueError as error:
        raise TaskError(f"task {name!r}{part}: {error}") from error


def _refuse_one_sided(
    name: str, subconcept: np.ndarray, is_train: np.ndarray, is_pool: np.ndarray
) -> None:
    for side, mask in (("training part", is_train), ("pool", is_pool)):
        missing = sorted(set(subconcept.tolist()) - set(subconcept[mask].tolist()))
        if missing:
            raise TaskError(f"task {name!r}: {missing[0]!r} has no item in the {side}")


@dataclass(frozen=True)
class _Model:
    """The kept items and how to learn something about them."""

    embeddings: np.ndarray
    items: "pandas.DataFrame"
    is_train: np.ndarray
    is_pool: np.ndarray
    settings: TaskSettings

    def posteriors_of(self, labels: np.ndarray, what: str) -> tuple[np.ndarray, np.ndarray, list]:
        """Train on the training items; return predictions and posteriors of the pool, classes."""
        model = self.fit(labels, what)
        predictions, posteriors = classifiers.predict(model, self.embeddings[self.is_pool])
        return predictions, posteriors, [str(one) for one in model.classes_]

    def fit(self, labels: np.ndarray, what: str) -> classifiers.Classifier:
        """Train on the training items."""
        settings = self.settings
        with _named(settings.name, f", {what} model"):
            return classifiers.fit(
                settings.classifier,
                self.embeddings[self.is_train],
                labels[self.is_train],
                rng=generator(settings.root_seed, settings.name, "classifier", what),
                recordings=self.items.loc[self.is_train, "recording"].to_numpy(dtype=str),
                sounds=self.items.loc[self.is_train, "foreground"].to_numpy(dtype=str),
                network=settings.network,
                **settings.classifier_options,
            )


def _calibration(
    frame: "pandas.DataFrame", model: _Model, fitted: classifiers.Classifier
) -> dict[str, Any]:
    """Return how far confidence is from accuracy on the pool, with and without a temperature."""
    correct = (frame["prediction"] == frame["label"]).to_numpy()
    error = expected_calibration_error(frame["confidence"].to_numpy(), correct)
    found = {"temperature": None, "validation_items": 0, "error": error, "error_before": error}
    if isinstance(fitted, Calibrated):
        before = classifiers.predict(fitted.plain, model.embeddings[model.is_pool])[1].max(axis=1)
        found["temperature"] = fitted.temperature
        found["validation_items"] = fitted.validation_items
        found["error_before"] = expected_calibration_error(before, correct)
    return found


def _pool_frame(
    kept: "pandas.DataFrame", framing: Framing, model: _Model, fitted: classifiers.Classifier
) -> "pandas.DataFrame":
    import pandas as pd

    predictions, posteriors = classifiers.predict(fitted, model.embeddings[model.is_pool])
    return pd.DataFrame(
        {
            "item_id": kept["item_id"].to_numpy(),
            "label": framing.label[model.is_pool],
            "prediction": predictions,
            "confidence": posteriors.max(axis=1),
            "posteriors": list(posteriors),
            "recording": kept["recording"].to_numpy(),
            "subconcept": framing.subconcept[model.is_pool],
            "context": kept["background"].to_numpy(),
            "is_primary": kept["is_primary"].to_numpy(dtype=object),
            "utility_true": np.nan,
            "utility_predicted": np.nan,
            "utility_conditional": np.nan,
        }
    )


def _utilities(framing: Framing, model: _Model, utility: dict[str, float]) -> dict[str, np.ndarray]:
    """Return the three utility columns of the pool items, by a model of the subconcepts."""
    _, posteriors, classes = model.posteriors_of(framing.subconcept, "subconcept")
    known = {
        "minority": framing.task.minority,
        "is_minority": framing.task.is_minority[model.is_pool],
    }
    return {
        "utility_true": true_utility(framing.subconcept[model.is_pool], utility),
        "utility_predicted": expected_utility(posteriors, classes, utility),
        "utility_conditional": expected_utility(
            posteriors, classes, utility, conditional=True, **known
        ),
    }


def _subconcept_frame(
    name: str,
    frame: "pandas.DataFrame",
    framing: Framing,
    utility: dict[str, float] | None,
    train_subconcepts: np.ndarray,
) -> "pandas.DataFrame":
    import pandas as pd

    if framing.task is None:
        sides = dict.fromkeys(sorted(set(framing.subconcept.tolist())), "class")
    else:
        sides = dict.fromkeys(framing.task.majority, BINARY[0])
        sides |= dict.fromkeys(framing.task.minority, BINARY[1])
    hit = (frame["prediction"] == frame["label"]).to_numpy()
    usual, rare = usual_and_rare(frame["is_primary"])
    rows = []
    for subconcept, side in sides.items():
        own = (frame["subconcept"] == subconcept).to_numpy()
        row = {"task": name, "subconcept": subconcept, "side": side}
        row["train_size"] = int((train_subconcepts == subconcept).sum())
        row["pool_size"] = int(own.sum())
        row["utility"] = 1.0 if utility is None else utility[subconcept]
        row["recall"] = _share(hit[own])
        row["primary_recall"] = _share(hit[own & usual])
        row["rare_recall"] = _share(hit[own & rare])
        rows.append(row)
    return pd.DataFrame(rows)


def _share(hits: np.ndarray) -> float:
    return float(hits.mean()) if len(hits) else float("nan")


def _describe(
    settings: TaskSettings,
    framing: Framing,
    classes: list[str],
    utility: dict[str, float] | None,
    subconcepts: "pandas.DataFrame",
) -> dict[str, Any]:
    task = framing.task
    return {
        "name": settings.name,
        "kind": settings.kind,
        "foreground": settings.foreground,
        "title": framing.title,
        "question": framing.question,
        "classes": classes,
        "positive": None if task is None else BINARY[1],
        "train_size": int(subconcepts["train_size"].sum()),
        "pool_size": int(subconcepts["pool_size"].sum()),
        "utility": utility,
        "majority": [] if task is None else list(task.majority),
        "minority": [] if task is None else list(task.minority),
        "sizes": {} if task is None else dict(task.sizes),
        "classifier": {
            "name": settings.classifier,
            "options": dict(settings.classifier_options),
        },
    }
