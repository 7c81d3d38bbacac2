"""From a data set to its verified list of clips: where it lies, whole or a subset, unchanged."""

import importlib
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from earnest import datasets
from earnest.datasets import fetching, hashes

if TYPE_CHECKING:
    import pandas

MIRROR, DOWNLOAD = "mirror", "download"


class IncompleteData(ValueError):
    """A downloaded data set is not the release that it should be."""


def locate(
    dataset: str,
    *,
    mirror: str | os.PathLike | None,
    destination: str | os.PathLike,
    registry: str | os.PathLike,
) -> dict[str, str]:
    """Find a data set, as `earnest.datasets.fetching.locate` does, and say where it came from.

    Returns
    -------
    dict
        `root`, the folder, and `origin`, `mirror` or `download`.
    """
    root = fetching.locate(dataset, mirror=mirror, destination=destination, registry=registry)
    from_mirror = mirror is not None and root == Path(mirror) / dataset
    return {"root": str(root), "origin": MIRROR if from_mirror else DOWNLOAD}


def list_verified(
    dataset: str, root: str | os.PathLike, *, origin: str, records: str | os.PathLike
) -> "pandas.DataFrame":
    """List the clips of a data set after checking it against its metadata and earlier hashes.

    A download must be the whole release, as far as the source's module knows it; a mirror may
    be a subset, whose shortcomings are warnings. The hash of every file is recorded when a data
    set is first seen and compared ever after; a synthesised corpus is made anew when its code
    changes, so it has no record.

    Parameters
    ----------
    dataset : str
        A key of `earnest.datasets.SOURCES`.
    root : path-like
        The folder that holds it.
    origin : str
        `mirror`, `download` or `synthesised`.
    records : path-like
        Folder of the recorded hashes, one file a data set and origin.

    Returns
    -------
    pandas.DataFrame
        Table `listing`.

    Raises
    ------
    IncompleteData
        If a download is not the whole release.
    earnest.datasets.hashes.ChangedFiles
        If a file is not what it was when first seen.
    """
    listing = datasets.list_clips(dataset, root)
    if origin in (MIRROR, DOWNLOAD):
        _check_release(dataset, root, complete=origin == DOWNLOAD)
        path = Path(records) / f"{dataset}-{origin}.tsv"
        verify = hashes.compare if path.is_file() else hashes.record
        verify(root, listing, path=path)
    return listing


def _check_release(dataset: str, root: str | os.PathLike, *, complete: bool) -> None:
    source = importlib.import_module(datasets.SOURCES[dataset])
    problems = source.check(root, complete=complete)
    if problems and complete:
        raise IncompleteData(
            f"{dataset} in {root} is not the whole release:\n  "
            + "\n  ".join(problems)
            + f"\nDelete {root} and run again to download it anew"
        )
    for problem in problems:
        warnings.warn(f"{dataset}: {problem}", stacklevel=2)
