"""Predictions of a model trained elsewhere: one row a test item, CSV or parquet."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas

POSTERIOR = "posterior:"
NEEDED = ("y_true", "prediction", "score")
SUBCONCEPT_COLUMNS = ("subconcept", "side", "train_size")
SIDES = ("majority", "minority")


class UnusablePredictions(ValueError):
    """A file of predictions cannot be used; the message names file, column and row."""


@dataclass(frozen=True)
class Predictions:
    """What a model predicted for test items, and what its subconcepts are.

    Attributes
    ----------
    is_minority, predicted : ndarray (n,) bool
    scores : ndarray (n,) float64
        Larger means more likely minority.
    posteriors : ndarray (n, c) float64
        Of the subconcepts, rows summing to 1.
    subconcept : ndarray (n,) of str or None
        The true ones; None where the file does not hold them.
    repeat, fold : ndarray (n,) int64
        Zero where the file does not hold them.
    majority, minority : tuple of str
        Subconcepts of each side, largest first; posteriors have the columns of both, in this
        order.
    train_sizes : dict of str to int
        Training items of each subconcept.
    """

    is_minority: np.ndarray
    predicted: np.ndarray
    scores: np.ndarray
    posteriors: np.ndarray
    subconcept: np.ndarray | None
    repeat: np.ndarray
    fold: np.ndarray
    majority: tuple[str, ...]
    minority: tuple[str, ...]
    train_sizes: dict[str, int]


def read(path: str | os.PathLike[str], subconcepts: str | os.PathLike[str]) -> Predictions:
    """Read predictions and the table of subconcepts.

    Parameters
    ----------
    path : path-like
        CSV (or TSV, by its suffix) or parquet with the columns `y_true` and `prediction` (0 for
        majority, 1 for minority), `score`, one `posterior:NAME` per subconcept, and, where they
        are known, `subconcept`, `repeat` and `fold`.
    subconcepts : path-like
        The same kinds of file with the columns `subconcept`, `side` (majority or minority) and
        `train_size`.

    Returns
    -------
    Predictions

    Raises
    ------
    UnusablePredictions
        If a file or column is missing, a posterior is of a subconcept that the table does not
        name or the other way round, or a cell has a value that it cannot have.
    """
    majority, minority, sizes = read_subconcepts(Path(subconcepts))
    names = (*majority, *minority)
    frame = _read_table(Path(path))
    lacking = [name for name in NEEDED if name not in frame.columns]
    if lacking:
        raise UnusablePredictions(f"{path}: no column {lacking[0]!r}")
    is_minority = _binary(frame, "y_true", path)
    return Predictions(
        is_minority=is_minority,
        predicted=_binary(frame, "prediction", path),
        scores=_numbers(frame, "score", path),
        posteriors=_posteriors(frame, names, path),
        subconcept=_true_subconcepts(frame, is_minority, majority, minority, path),
        repeat=_whole(frame, "repeat", path),
        fold=_whole(frame, "fold", path),
        majority=majority,
        minority=minority,
        train_sizes=sizes,
    )


def _read_table(path: Path) -> "pandas.DataFrame":
    import pandas as pd

    if not path.is_file():
        raise UnusablePredictions(f"there is no file {path}")
    text = {"subconcept": str, "side": str}
    try:
        if path.suffix == ".parquet":
            frame = pd.read_parquet(path)
        else:
            separator = "\t" if ".tsv" in path.suffixes else ","
            frame = pd.read_csv(path, sep=separator, dtype=text)
    except (ValueError, OSError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise UnusablePredictions(f"{path} cannot be read: {error}") from error
    if len(frame) == 0:
        raise UnusablePredictions(f"{path}: no rows")
    return frame


def read_subconcepts(path: Path) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, int]]:
    frame = _read_table(path)
    lacking = [name for name in SUBCONCEPT_COLUMNS if name not in frame.columns]
    if lacking:
        raise UnusablePredictions(f"{path}: no column {lacking[0]!r}")
    sizes = _numbers(frame, "train_size", path)
    names = [str(name) for name in frame["subconcept"]]
    for row, (name, side, size) in enumerate(zip(names, frame["side"], sizes, strict=True)):
        if side not in SIDES:
            raise UnusablePredictions(f"{path}, row {row}: side {side!r} is neither of {SIDES}")
        if size < 1 or size != int(size):
            raise UnusablePredictions(f"{path}, row {row}: train_size {size:g} of {name!r}")
        if names.count(name) > 1:
            raise UnusablePredictions(f"{path}: subconcept {name!r} is there twice")
    order = sorted(zip(names, frame["side"], sizes, strict=True), key=lambda row: -row[2])
    majority, minority = (tuple(name for name, s, _ in order if s == side) for side in SIDES)
    for side, found in zip(SIDES, (majority, minority), strict=True):
        if not found:
            raise UnusablePredictions(f"{path}: no {side} subconcept")
    return majority, minority, {name: int(size) for name, _, size in order}


def _binary(frame: "pandas.DataFrame", column: str, path: str | os.PathLike[str]) -> np.ndarray:
    values = _numbers(frame, column, path)
    wrong = np.flatnonzero(~np.isin(values, (0, 1)))
    if len(wrong):
        raise UnusablePredictions(
            f"{path}, column {column}, row {wrong[0]}: {values[wrong[0]]:g} is neither 0 nor 1"
        )
    return values == 1


def _numbers(frame: "pandas.DataFrame", column: str, path: str | os.PathLike[str]) -> np.ndarray:
    try:
        values = frame[column].to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise UnusablePredictions(f"{path}, column {column}: {error}") from error
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        raise UnusablePredictions(f"{path}, column {column}, row {wrong[0]}: no finite number")
    return values


def _whole(frame: "pandas.DataFrame", column: str, path: str | os.PathLike[str]) -> np.ndarray:
    if column not in frame.columns:
        return np.zeros(len(frame), dtype=np.int64)
    values = _numbers(frame, column, path)
    wrong = np.flatnonzero((values < 0) | (values != np.floor(values)))
    if len(wrong):
        raise UnusablePredictions(
            f"{path}, column {column}, row {wrong[0]}: {values[wrong[0]]:g} is no whole number"
        )
    return values.astype(np.int64)


def _posteriors(
    frame: "pandas.DataFrame", names: tuple[str, ...], path: str | os.PathLike[str]
) -> np.ndarray:
    found = [str(c).removeprefix(POSTERIOR) for c in frame.columns if str(c).startswith(POSTERIOR)]
    unknown = [name for name in found if name not in names]
    if unknown:
        raise UnusablePredictions(
            f"{path}: posteriors of {unknown[0]!r}, which is none of the subconcepts:"
            f" {', '.join(names)}"
        )
    lacking = [name for name in names if name not in found]
    if lacking:
        raise UnusablePredictions(f"{path}: no column {POSTERIOR + lacking[0]!r}")
    posteriors = np.column_stack([_numbers(frame, POSTERIOR + name, path) for name in names])
    sums = posteriors.sum(axis=1)
    wrong = np.flatnonzero((posteriors < 0).any(axis=1) | (np.abs(sums - 1) > 1e-4))
    if len(wrong):
        raise UnusablePredictions(
            f"{path}, row {wrong[0]}: posteriors sum to {sums[wrong[0]]:g} or are negative"
        )
    # files hold few digits, so that rows sum to 1 only nearly
    return posteriors / sums[:, np.newaxis]


def _true_subconcepts(
    frame: "pandas.DataFrame",
    is_minority: np.ndarray,
    majority: tuple[str, ...],
    minority: tuple[str, ...],
    path: str | os.PathLike[str],
) -> np.ndarray | None:
    if "subconcept" not in frame.columns:
        return None
    found = frame["subconcept"].astype(str).to_numpy(dtype=str)
    for row, (name, rare) in enumerate(zip(found.tolist(), is_minority, strict=True)):
        side = minority if rare else majority
        if name not in side:
            raise UnusablePredictions(
                f"{path}, row {row}: {name!r} is no {SIDES[int(rare)]} subconcept"
            )
    return found
