"""From a data set to its verified list of clips: where it lies, whole or a subset, unchanged."""

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from earnest import datasets
from earnest.datasets import fetching, hashes
from earnest.io.fingerprints import MISSING, ContentHashes, record_of

if TYPE_CHECKING:
    import pandas

MIRROR, DOWNLOAD, OWN = "mirror", "download", "own"


class IncompleteData(ValueError):
    """A downloaded data set is not the release that it should be."""


def locate(
    dataset: str,
    *,
    mirror: str | os.PathLike[str] | None,
    destination: str | os.PathLike[str],
    registry: str | os.PathLike[str],
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


def locate_own(path: str | os.PathLike[str], contents: str) -> dict[str, str]:
    """Say where the user's own folder is, and what its files hold.

    Returns
    -------
    dict
        `root`, `origin` (`own`) and `contents`, a digest of all its files.
    """
    return {"root": str(path), "origin": OWN, "contents": contents}


def list_verified(
    dataset: str,
    root: str | os.PathLike[str],
    *,
    origin: str,
    records: str | os.PathLike[str],
    **options: str | None,
) -> "pandas.DataFrame":
    """List the clips of a data set after checking it against its metadata and earlier hashes.

    A download must be the whole release, as far as the source's module knows it, unless clips
    of the release vanish (`PARTIAL` in the module); a mirror may be a subset, whose shortcomings
    are warnings. The hash of every file is recorded when a data set is first seen and compared
    ever after. A synthesised corpus is made anew when its code changes, and the user may change
    an own folder, so these have no record.

    Parameters
    ----------
    dataset : str
        A key of `earnest.datasets.SOURCES`.
    root : path-like
        The folder that holds it.
    origin : str
        `mirror`, `download`, `own` or `synthesised`.
    records : path-like
        Folder of the recorded hashes, one file a data set and origin.
    **options
        Of the source's own `list_clips`.

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
    source = datasets.source(dataset)
    listing = source.list_clips(root, **options)
    if origin in (MIRROR, DOWNLOAD, OWN):
        complete = origin == DOWNLOAD and not getattr(source, "PARTIAL", False)
        _check_release(dataset, root, complete=complete, **options)
    if origin in (MIRROR, DOWNLOAD):
        path = Path(records) / f"{dataset}-{origin}.tsv"
        verify = hashes.compare if path.is_file() else hashes.record
        verify(root, listing, path=path)
    return listing.assign(sha256=_hashes_of(listing, root))


def _hashes_of(listing: "pandas.DataFrame", root: str | os.PathLike[str]) -> list[str | None]:
    """Return the SHA-256 of each listed file; null of one that cannot be read."""
    known = ContentHashes(record_of(root))
    digests: list[str | None] = []
    for path in listing["path"]:
        try:
            digest = known.of_file(path)
        except OSError:
            digest = MISSING  # decoding says why, in a row of its own
        digests.append(None if digest == MISSING else digest)
    known.save()
    return digests


def _check_release(
    dataset: str, root: str | os.PathLike[str], *, complete: bool, **options: str | None
) -> None:
    problems = datasets.source(dataset).check(root, complete=complete, **options)
    if problems and complete:
        raise IncompleteData(
            f"{dataset} in {root} is not the whole release:\n  "
            + "\n  ".join(problems)
            + f"\nDelete {root} and run again to download it anew"
        )
    for problem in problems:
        warnings.warn(f"{dataset}: {problem}", stacklevel=2)
