"""Where a data set's files come from: a mirror folder, or a download that is checked."""

import csv
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from earnest import io
from earnest.datasets import archives

if TYPE_CHECKING:
    import pandas

REGISTRY_COLUMNS = (
    "dataset",
    "file",
    "address",
    "bytes",
    "checksum",
    "licence",
    "citation",
    "note",
)
ATTEMPTS = 3
PAUSE_S = 2  # before the second attempt, twice that before the third
TIMEOUT_S = 60
RECORD = "hashes.tsv"


class MissingData(Exception):
    """A data set is neither in the mirror nor to be had from its address."""


class WrongChecksum(Exception):
    """A downloaded file is not the one that the registry describes; it was kept aside."""


class ChangedFiles(Exception):
    """Files differ from those whose hashes were recorded."""


@dataclass(frozen=True)
class Source:
    """One row of the registry: a file to download.

    Attributes
    ----------
    dataset, file, address, licence, citation, note : str
    size : int or None
        In bytes; None where it is not known or not stable.
    checksum : str
        `algorithm:digest` (sha256, md5), or empty where it is not known or not stable.
    """

    dataset: str
    file: str
    address: str
    size: int | None
    checksum: str
    licence: str
    citation: str
    note: str


def read_registry(path: str | os.PathLike) -> dict[str, list[Source]]:
    """Read the table of downloads, `config/datasets.tsv`.

    Returns
    -------
    dict
        Data set to its files, in the order of the table.

    Raises
    ------
    ValueError
        If the columns differ, or a row lacks data set, file or address, repeats a file, or has a
        size or a checksum of another form; the message gives the line.
    """
    sources: dict[str, list[Source]] = {}
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        if tuple(rows.fieldnames or ()) != REGISTRY_COLUMNS:
            raise ValueError(f"{path}: the columns must be {', '.join(REGISTRY_COLUMNS)}")
        for row in rows:
            source = _source(row, f"{path}, line {rows.line_num}")
            known = sources.setdefault(source.dataset, [])
            if source.file in {other.file for other in known}:
                raise ValueError(f"{path}, line {rows.line_num}: {source.file} is there twice")
            known.append(source)
    return sources


def _source(row: Mapping[str, str | None], where: str) -> Source:
    if None in row or None in row.values():
        raise ValueError(f"{where}: {len(REGISTRY_COLUMNS)} cells, parted by tabs, are needed")
    for name in ("dataset", "file", "address"):
        if not row[name]:
            raise ValueError(f"{where}: the cell of column {name} is empty")
    if Path(row["file"]).name != row["file"] or Path(row["dataset"]).name != row["dataset"]:
        raise ValueError(f"{where}: data set and file are plain names, without a folder")
    if not row["address"].startswith(("https://", "http://")):
        raise ValueError(f"{where}: the address must start with https:// or http://")
    if row["bytes"] and not row["bytes"].isdigit():
        raise ValueError(f"{where}: bytes must be a whole number or empty, got {row['bytes']!r}")
    algorithm, _, digest = row["checksum"].partition(":")
    if row["checksum"] and not (algorithm in ("sha256", "md5") and digest.isalnum()):
        raise ValueError(f"{where}: a checksum reads sha256:DIGEST or md5:DIGEST, or is empty")
    size = int(row["bytes"]) if row["bytes"] else None
    texts = {name: row[name] for name in REGISTRY_COLUMNS if name != "bytes"}
    return Source(size=size, **texts)


def locate(
    dataset: str,
    *,
    mirror: str | os.PathLike | None,
    destination: str | os.PathLike,
    registry: str | os.PathLike,
) -> Path:
    """Return the folder of a data set, downloading and unpacking it if need be.

    Looked for in this order: the folder `<mirror>/<dataset>`; the folder
    `<destination>/<dataset>` that an earlier call made; archives that lie in
    `<destination>/downloads`; the addresses of the registry.

    Parameters
    ----------
    dataset : str
        Name in the registry, and of the folder in a mirror.
    mirror : path-like or None
        Folder of data sets in their official layout. It is only read.
    destination : path-like
        Folder for downloads and for what is unpacked from them.
    registry : path-like
        The table that `read_registry` reads.

    Returns
    -------
    pathlib.Path
        The folder that holds the data set; if an archive wraps all in one folder, that one.

    Raises
    ------
    MissingData
        If the data set is not to be had; the message names each file, its address, where to put
        it by hand, and `mirror:`.
    WrongChecksum
        If a file is wrong twice running.
    earnest.datasets.archives.UnsafeArchive
        If an archive is damaged or hostile.
    """
    if mirror is not None and (folder := Path(mirror) / dataset).is_dir():
        return folder
    destination = Path(destination)
    folder = destination / dataset
    if not folder.is_dir():
        sources = read_registry(registry).get(dataset, [])
        if not sources:
            raise MissingData(_advice(dataset, [], mirror, destination, f"{registry} lacks it"))
        _unpack_all(sources, mirror, destination)
    return _unwrapped(folder)


def _unpack_all(sources: list[Source], mirror: str | os.PathLike | None, destination: Path) -> None:
    """Unpack every file of a data set; one that comes in parts is joined in one folder."""
    import shutil
    import tempfile

    dataset = sources[0].dataset
    downloads = destination / "downloads"
    try:
        files = [fetch(source, downloads) for source in sources]
    except OSError as error:  # requests' errors are OSErrors too
        advice = _advice(dataset, sources, mirror, destination, f"download failed: {error}")
        raise MissingData(advice) from error
    aside = Path(tempfile.mkdtemp(prefix=f".{dataset}.", dir=destination))
    try:
        for number, file in enumerate(files):
            part = archives.extract(file, aside / f"part{number}")
            _merge(part, aside / "whole")
        (aside / "whole").rename(destination / dataset)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _merge(part: Path, whole: Path) -> None:
    """Move the files of one part to the others; a file that both have must be the same."""
    for path in sorted(part.rglob("*")):
        target = whole / path.relative_to(part)
        if path.is_dir():
            continue
        if target.is_file() and target.read_bytes() != path.read_bytes():
            raise ValueError(f"two parts of a data set hold different files {target.name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)


def _unwrapped(folder: Path) -> Path:
    inside = [path for path in folder.iterdir() if path.name != RECORD]
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def _advice(
    dataset: str,
    sources: list[Source],
    mirror: str | os.PathLike | None,
    destination: Path,
    why: str,
) -> str:
    lines = [f"data set {dataset} is missing ({why})."]
    lines += [
        f"Put the file {source.file} from {source.address} into {destination / 'downloads'},"
        for source in sources
    ]
    looked = f"looked for {Path(mirror) / dataset}" if mirror is not None else "not set now"
    lines.append(
        f"{'or s' if sources else 'S'}et `mirror:` in the config to a folder that holds {dataset}/"
        f" in its official layout ({looked})."
    )
    return "\n".join(lines)


def fetch(source: Source, folder: str | os.PathLike, *, attempts: int = ATTEMPTS) -> Path:
    """Download one file by pooch, unless it is there; check its size and checksum either way.

    Parameters
    ----------
    source : Source
    folder : path-like
        Where the file goes under its own name; made if need be.
    attempts : int
        How often a broken connection is tried, with growing pauses.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    WrongChecksum
        If the file is wrong and so is the one of a second download; the message gives what was
        expected and found. A wrong file is kept beside it as `<file>.wrong`.
    OSError
        If no attempt got through.
    """
    path = Path(folder) / source.file
    if not path.is_file():
        _download(source, path, attempts)
    wrong = _difference(source, path)
    if wrong:
        _keep_aside(path)
        _download(source, path, attempts)
        wrong = _difference(source, path)
    if wrong:
        kept = _keep_aside(path)
        raise WrongChecksum(
            f"{source.file} from {source.address}: {wrong}, also when downloaded again;"
            f" the wrong file was kept as {kept}"
        )
    return path


def _keep_aside(path: Path) -> Path:
    return path.replace(path.with_name(path.name + ".wrong"))


def _difference(source: Source, path: Path) -> str | None:
    import pooch

    size = path.stat().st_size
    if source.size is not None and size != source.size:
        return f"expected {source.size} bytes, found {size}"
    if source.checksum:
        algorithm, _, expected = source.checksum.partition(":")
        found = pooch.file_hash(str(path), alg=algorithm)
        if found != expected.lower():
            return f"expected {algorithm} {expected}, found {found}"
    return None


def _download(source: Source, path: Path, attempts: int) -> None:
    import time

    import pooch

    download = pooch.HTTPDownloader(progressbar=True, chunk_size=archives.CHUNK, timeout=TIMEOUT_S)
    for attempt in range(1, attempts + 1):
        try:
            with io.written_aside(path) as aside:
                download(source.address, str(aside), None)
            return
        except OSError as error:
            if attempt == attempts or _is_refusal(error):
                raise
            time.sleep(PAUSE_S * 2 ** (attempt - 1))


def _is_refusal(error: OSError) -> bool:
    """Whether a server answered that it will not give the file, now or later (status 4xx)."""
    status = getattr(getattr(error, "response", None), "status_code", None)
    return status is not None and 400 <= status < 500 and status not in (408, 429)


def record_hashes(
    root: str | os.PathLike,
    listing: "pandas.DataFrame",
    *,
    record: str | os.PathLike | None = None,
) -> "pandas.DataFrame":
    """Record the size and SHA-256 of every listed file that is there, in a TSV.

    Parameters
    ----------
    root : path-like
        The data set's folder.
    listing : pandas.DataFrame
        Table `listing`.
    record : path-like, optional
        The TSV to write, `hashes.tsv` in `root` unless given.

    Returns
    -------
    pandas.DataFrame
        Columns file (relative to `root`, with slashes), bytes, sha256; sorted by file.
    """
    rows = _hashes(Path(root), listing)
    path = Path(record) if record is not None else Path(root) / RECORD
    io.write_text(rows.to_csv(sep="\t", index=False, lineterminator="\n"), path)
    return rows


def compare_hashes(
    root: str | os.PathLike,
    listing: "pandas.DataFrame",
    *,
    record: str | os.PathLike | None = None,
) -> int:
    """Compare every listed file with the recorded hashes.

    Parameters
    ----------
    root, listing, record
        As in `record_hashes`.

    Returns
    -------
    int
        How many files were compared and are equal.

    Raises
    ------
    ChangedFiles
        If a file changed, is missing or is not in the record; each with what was expected and
        found.
    """
    import pandas as pd

    path = Path(record) if record is not None else Path(root) / RECORD
    expected = pd.read_csv(path, sep="\t", dtype=str).set_index("file")["sha256"]
    found = _hashes(Path(root), listing).set_index("file")["sha256"]
    both = expected.to_frame("expected").join(found.to_frame("found"), how="outer")
    changed = both[both["expected"].ne(both["found"])].fillna("nothing")
    if len(changed):
        lines = [
            f"{row.Index}: expected {row.expected}, found {row.found}"
            for row in changed.head(20).itertuples()
        ]
        raise ChangedFiles(
            f"{len(changed)} files of {root} differ from {path}:\n"
            + "\n".join(lines)
            + f"\nRestore them, or delete {path} to accept them as they are."
        )
    return len(both)


def _hashes(root: Path, listing: "pandas.DataFrame") -> "pandas.DataFrame":
    import hashlib

    import pandas as pd

    rows = []
    for path in sorted(Path(text) for text in listing["path"]):
        if path.is_file():
            with open(path, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            name = path.relative_to(root).as_posix()
            rows.append({"file": name, "bytes": path.stat().st_size, "sha256": digest})
    return pd.DataFrame(rows, columns=["file", "bytes", "sha256"])
