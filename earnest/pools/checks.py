"""Refusal of embeddings, posteriors and index lists that no method here can use."""

import operator
from collections.abc import Sized
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from earnest.io.cells import TOLERANCE

# Squared distances of larger values overflow to infinity in double precision.
LARGEST_VALUE = 1e150


def check_embeddings(embeddings: ArrayLike) -> np.ndarray:
    """Return embeddings as a two-dimensional float array, refusing rows that cannot be used.

    Parameters
    ----------
    embeddings : array_like, shape (N, d)
        Real numbers; N and d at least 1.

    Returns
    -------
    numpy.ndarray, shape (N, d)
        The same array when it is float32 or float64 already, else a float64 copy.

    Raises
    ------
    ValueError
        If the array is not two-dimensional, is empty, or if a row holds a value that is not
        finite or beyond 1e150 in size; the rows are named.
    TypeError
        If the values are not real numbers.
    """
    array = np.asarray(embeddings)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"embeddings must have N rows and d columns, neither of them 0, got shape {array.shape}"
        )
    if array.dtype.kind not in "fiu":
        raise TypeError(f"embeddings must be real numbers, got dtype {array.dtype}")
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    _refuse_rows(~np.all(np.isfinite(array), axis=1), "embeddings hold a non-finite value")
    largest = np.maximum(array.max(axis=1), -array.min(axis=1)).astype(np.float64)
    _refuse_rows(
        largest > LARGEST_VALUE,
        f"embeddings hold a value beyond {LARGEST_VALUE:g}, too large for distances",
    )
    return array


def check_posteriors(posteriors: ArrayLike | None, size: int, purpose: str) -> np.ndarray:
    """Return class posteriors as float64, refusing rows that are not distributions.

    Parameters
    ----------
    posteriors : array_like, shape (N, C), or None
        Probabilities of the C classes, every row summing to 1 within 1e-3.
    size : int
        The number of pool items, N.
    purpose : str
        What needs the posteriors, for the message.

    Returns
    -------
    numpy.ndarray, shape (N, C), float64

    Raises
    ------
    ValueError
        If there are none, if the shape is wrong, or if a row is not a distribution; rows are named.
    """
    if posteriors is None:
        raise ValueError(f"{purpose} needs posteriors, an array of N rows and one column per class")
    array = np.asarray(posteriors, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] != size or array.shape[1] == 0:
        raise ValueError(f"posteriors must have {size} rows, one per pool item, got {array.shape}")
    _refuse_rows(~np.all(np.isfinite(array), axis=1), "posteriors hold a non-finite value")
    _refuse_rows(np.any(array < 0, axis=1), "posteriors hold a negative value")
    _refuse_rows(np.abs(array.sum(axis=1) - 1) > TOLERANCE, "posteriors do not sum to 1")
    return array


def count_items(embeddings: Any, posteriors: Any = None) -> int:
    """Return the number of items of a pool: of its embeddings, without them of its posteriors.

    Raises
    ------
    TypeError
        If what is given has no length.
    """
    items = posteriors if embeddings is None and posteriors is not None else embeddings
    if not isinstance(items, Sized):
        raise TypeError(f"a pool is an array with one row an item, not {type(items).__name__}")
    return len(items)


def check_labelled(labelled: ArrayLike, size: int) -> np.ndarray:
    """Return the row numbers of the labelled items as int64.

    Parameters
    ----------
    labelled : array_like of int, shape (n,)
        Distinct rows of the pool, each from 0 to size - 1; n at least 1.
    size : int
        The number of pool items.

    Returns
    -------
    numpy.ndarray, shape (n,), int64

    Raises
    ------
    TypeError
        If the entries are not integers (a boolean mask is refused too).
    ValueError
        If there are none, or if rows repeat or lie outside the pool; they are named.
    """
    array = np.asarray(labelled)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"labelled must be a list of at least one row number, got {array.shape}")
    if array.dtype.kind not in "iu":
        raise TypeError(
            f"labelled must be integer row numbers, got dtype {array.dtype};"
            " turn a mask into row numbers with numpy.flatnonzero"
        )
    outside = array[(array < 0) | (array >= size)]
    if outside.size:
        raise ValueError(
            f"labelled items {_some(outside)} are not in the pool of {size} (rows 0 to {size - 1})"
        )
    ordered = np.sort(array)
    if (ordered[1:] == ordered[:-1]).any():
        rows, counts = np.unique(array, return_counts=True)
        raise ValueError(f"labelled items {_some(rows[counts > 1])} are listed more than once")
    return array.astype(np.int64)


def check_count(name: str, count: int) -> int:
    """Return a count as a Python int, refusing anything but integers from 1 upward."""
    value = operator.index(count)
    if value < 1 or isinstance(count, (bool, np.bool_)):
        raise ValueError(f"{name} must be an integer of at least 1, got {count!r}")
    return value


def check_size(n: int, size: int) -> int:
    """Return how many items to choose from a pool, refusing more than it holds."""
    n = check_count("n", n)
    if n > size:
        raise ValueError(f"cannot choose n = {n} distinct items from a pool of {size}")
    return n


def check_positive(name: str, value: float) -> float:
    """Return an option as a float, refusing anything that is not finite and above 0."""
    number = float(value)
    if not (np.isfinite(number) and number > 0):
        raise ValueError(f"{name} must be a finite number above 0, got {value!r}")
    return number


def _refuse_rows(wrong: np.ndarray, message: str) -> None:
    rows = np.flatnonzero(wrong)
    if rows.size:
        raise ValueError(f"{message} in {rows.size} of {wrong.size} rows: {_some(rows)}")


def _some(rows: np.ndarray, shown: int = 10) -> str:
    """Join the first few numbers, and say when there are more."""
    text = ", ".join(str(row) for row in rows[:shown])
    return text if rows.size <= shown else f"{text}, ..."
