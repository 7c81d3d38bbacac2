"""Source data sets: one small module each, which lists the files of the official layout."""

import importlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas

SOURCES = {
    "demo": "earnest.datasets.demo",
    "esc50": "earnest.datasets.esc50",
}


def list_clips(name: str, root: str | os.PathLike) -> "pandas.DataFrame":
    """List the clips of a data set, without opening them.

    Parameters
    ----------
    name : str
        A key of `SOURCES`.
    root : path-like
        The folder that holds the data set in its official layout.

    Returns
    -------
    pandas.DataFrame
        Table `listing`, sorted by `clip_id`.

    Raises
    ------
    ValueError
        If no such data set is known; the message names those that are.
    FileNotFoundError
        If the data set's own list of files is not in `root`.
    """
    if name not in SOURCES:
        raise ValueError(f"unknown data set {name!r}; known are {', '.join(sorted(SOURCES))}")
    return importlib.import_module(SOURCES[name]).list_clips(root)
