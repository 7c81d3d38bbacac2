"""Embeddings that somebody else computed, for the items of a pool."""

import os
from pathlib import Path

import numpy as np

from earnest import io
from earnest.io.cells import SHOWN, UnusableInput


def read_vectors(path: str | os.PathLike[str], names: np.ndarray) -> np.ndarray:
    """Read embeddings whose rows are those of a table.

    Parameters
    ----------
    path : path-like
        A .npy file (N, d); pickled objects are refused.
    names : ndarray (N,) of str

    Returns
    -------
    ndarray (N, d) of floating point numbers, memory-mapped

    Raises
    ------
    UnusableInput
        If it is no such array, has another number of rows, or holds a number that is not finite.
    """
    path = Path(path)
    if not path.is_file():
        raise UnusableInput(f"there is no file {path}")
    try:
        vectors = io.read_array(path, verified=False)
    except (ValueError, EOFError, OSError) as error:
        raise UnusableInput(
            f"{path} holds no plain array (.npy): {_no_array(path, error)}"
        ) from error
    if vectors.ndim != 2 or vectors.shape[1] == 0 or vectors.dtype.kind not in "fiu":
        raise UnusableInput(
            f"{path} must hold numbers (items, dimensions), but has shape {vectors.shape} of"
            f" {vectors.dtype}"
        )
    if len(vectors) != len(names):
        raise UnusableInput(
            f"{path} has {len(vectors)} rows, but the pool has {len(names)} items; row i must be"
            " the vector of the item in row i of the pool"
        )
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        where = [f"row {row + 1} ({names[row]})" for row in bad[: SHOWN + 1]]
        raise UnusableInput(
            f"{path}: {len(bad)} vectors are not finite: {', '.join(where[:SHOWN])}"
            f"{' and more' if len(bad) > SHOWN else ''}; compute them again or remove the items"
        )
    return vectors if vectors.dtype.kind == "f" else vectors.astype(np.float64)


def _no_array(path: Path, error: Exception) -> str:
    """Say what a file is instead of an array; numpy would advise to load it unsafely."""
    with open(path, "rb") as file:
        head = file.read(1024)
    if not head:
        return "the file is empty"
    if head.startswith(b"\x93NUMPY"):
        return "it holds Python objects or is cut; save numbers with numpy.save"
    if head.isascii() and b"\0" not in head:
        return "it is text; save the vectors with numpy.save"
    return str(error).partition(";")[0] if "allow_pickle" not in str(error) else "it is no .npy"
