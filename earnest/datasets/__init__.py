"""Source data sets: one small module each, which lists the files of the official layout."""

import importlib
import os
from collections.abc import Collection, Iterable
from types import ModuleType
from typing import TYPE_CHECKING

from earnest.datasets import releases

if TYPE_CHECKING:
    import pandas

SOURCES = {
    "demo": "earnest.datasets.demo",
    "esc50": "earnest.datasets.esc50",
    "urbansound8k": "earnest.datasets.urbansound8k",
    "tut2017": "earnest.datasets.tut2017",
    "vocalsound": "earnest.datasets.vocalsound",
    "desed": "earnest.datasets.desed",
    "wilddesed": "earnest.datasets.wilddesed",
    "usm": "earnest.datasets.usm",
    "dcase2016_task2": "earnest.datasets.dcase2016_task2",
    "folder": "earnest.datasets.folder",
}


def list_clips(
    name: str, root: str | os.PathLike[str], **options: str | None
) -> "pandas.DataFrame":
    """List the clips of a data set, without opening them.

    Parameters
    ----------
    name : str
        A key of `SOURCES`.
    root : path-like
        The folder that holds the data set in its official layout.
    **options
        Of `earnest.datasets.folder.list_clips`; other data sets have none.

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
    return source(name).list_clips(root, **options)


def known_labels(names: Iterable[str], own: Collection[str] | None = None) -> frozenset[str] | None:
    """Return every label that some source could give, so that others can be called unknown.

    All sources count, whichever a study has: a foreground of an absent one drops out with a
    message, and only a label that no source knows is a mistake.

    Parameters
    ----------
    names : iterable of str
        The data sets of a study, keys of `SOURCES`.
    own : collection of str, optional
        The labels of the user's own sounds, where they are known.

    Returns
    -------
    frozenset of str, or None
        None if one of them has whatever labels its user gave it, and these are not known.
    """
    if own is None and not all(hasattr(source(name), "LABELS") for name in names):
        return None
    modules = map(source, SOURCES)
    return frozenset(own or ()).union(*(getattr(module, "LABELS", ()) for module in modules))


def source(name: str) -> ModuleType:
    """Return the module of a data set.

    Raises
    ------
    ValueError
        If no such data set is known; the message names those that are.
    """
    if name not in SOURCES:
        raise ValueError(f"unknown data set {name!r}; known are {', '.join(sorted(SOURCES))}")
    return importlib.import_module(SOURCES[name])


def count(name: str, root: str | os.PathLike[str]) -> dict[str, int | None]:
    """Count the clips of a data set: those of the release, listed in a folder, and found there.

    Returns
    -------
    dict
        `released` (None for a data set without a fixed number of clips), `listed`, `found`.
    """
    released = getattr(source(name), "CLIPS", None)
    return releases.count(list_clips(name, root), released)
