"""Downloading single tables of a collection, such that one that is not to be had says why."""

import importlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from earnest import io
from earnest.datasets import archives, fetching, hashes, registry, tabular
from earnest.io import disk


def is_registered(collection: str, name: str, table: str | os.PathLike[str]) -> bool:
    """Whether the registry says where to download a table, or the archive that may hold it."""
    return bool(_sources(collection, name, table))


def fetch_table(
    collection: str,
    name: str,
    *,
    table: str | os.PathLike[str],
    destination: str | os.PathLike[str],
    records: str | os.PathLike[str],
) -> dict[str, Any]:
    """Download a table of a collection; archives that hold several tables are unpacked once.

    The SHA-256 of the table is recorded when it is first seen and compared ever after, since not
    every archive has a hash that is stable.

    Parameters
    ----------
    collection, name : str
        As in `earnest.datasets.tabular.read`.
    table : path-like
        The registry of downloads.
    destination : path-like
        Archives and plain files go to `downloads/<collection>` in it, what archives hold to
        `tables/<collection>`.
    records : path-like
        Folder of the recorded hashes.

    Returns
    -------
    dict
        `folders`, in which `earnest.datasets.tabular.read` finds the table, and `reason`, why
        there are none, or None.

    Raises
    ------
    earnest.io.disk.DiskFull
        If there is no room. Everything else that keeps a table away is a reason.
    """
    destination = Path(destination)
    try:
        folders = _folders(_sources(collection, name, table), collection, destination)
        wanted = importlib.import_module(tabular.COLLECTIONS[collection]).file_names(name)
        found = sorted(
            {path for folder in folders for path in folder.rglob("*") if path.name in wanted}
        )
        if not found:
            return {"folders": [], "reason": f"no download of {collection} holds {name}"}
        _verify(found, destination, Path(records) / f"{collection}-{name}.tsv")
    except (
        fetching.MissingData,
        fetching.WrongChecksum,
        archives.UnsafeArchive,
        hashes.ChangedFiles,
    ) as error:
        return {"folders": [], "reason": str(error)}
    return {"folders": sorted({str(path.parent) for path in found}), "reason": None}


def found_by(
    files: Sequence[str | os.PathLike[str]], folders: Sequence[str]
) -> tuple[list[str], str | None]:
    """Return the folders to look through, those of a download added, and why it failed, or None.

    Parameters
    ----------
    files : sequence of path-like
        The files of a table, or the JSON document with what `fetch_table` returned.
    folders : sequence of str
        Those that are looked through first.
    """
    tried = [io.read_json(file) for file in files if Path(file).suffix == ".json"]
    added = [folder for one in tried for folder in one["folders"]]
    reasons = [
        f"{one['reason']}; to try again, delete {file}"
        for one, file in zip(tried, files, strict=False)
        if one["reason"]
    ]
    return [*folders, *added], reasons[0] if reasons else None


def _sources(collection: str, name: str, table: str | os.PathLike[str]) -> list[registry.Source]:
    downloads = importlib.import_module(tabular.COLLECTIONS[collection]).downloads(name)
    rows = registry.read_registry(table).get(collection, [])
    return [source for source in rows if source.file in downloads]


def _folders(sources: Sequence[registry.Source], collection: str, destination: Path) -> list[Path]:
    downloads = destination / "downloads" / collection
    files, failed = fetching.fetch_all(sources, downloads)
    if failed:
        lines = [f"download of {source.file} failed: {error}" for source, error in failed.items()]
        raise fetching.MissingData("; ".join(lines))
    return [_unpacked(file, destination / "tables" / collection) for file in files]


def _unpacked(file: Path, folder: Path) -> Path:
    if not file.name.lower().endswith(fetching.ARCHIVES):
        return file.parent
    unpacked = folder / file.name
    with disk.locked(unpacked):  # several tables of one archive are asked for at a time
        if not unpacked.is_dir():
            archives.extract(file, unpacked)
    return unpacked


def _verify(files: Sequence[Path], root: Path, record: Path) -> None:
    import pandas as pd

    listing = pd.DataFrame({"path": [str(path) for path in files]})
    verify = hashes.compare if record.is_file() else hashes.record
    verify(root, listing, path=record)
