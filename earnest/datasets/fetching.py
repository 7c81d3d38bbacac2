"""Where a data set's files come from: a mirror folder, or downloads that are checked."""

import hashlib
import os
import shutil
import tempfile
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from earnest.datasets import archives, packages, transfer
from earnest.datasets.registry import WHOLE_RECORD, Source, read_registry, resolve
from earnest.io import disk

PARALLEL = 4
ARCHIVES = (".zip", ".whl", ".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz")


class MissingData(Exception):
    """A data set is neither in the mirror nor to be had from its address."""


class WrongChecksum(Exception):
    """A downloaded file is not the one that the registry describes; it was kept aside."""


def locate(
    dataset: str,
    *,
    mirror: str | os.PathLike[str] | None,
    destination: str | os.PathLike[str],
    registry: str | os.PathLike[str],
) -> Path:
    """Return the folder of a data set, downloading and unpacking it if need be.

    Looked for in this order: the folder `<mirror>/<dataset>`; the folder
    `<destination>/<dataset>` that an earlier call, or a person, made; files that lie in
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
        The table that `earnest.datasets.registry.read_registry` reads.

    Returns
    -------
    pathlib.Path
        The folder that holds the data set, without the folder that an archive wraps all in.

    Raises
    ------
    MissingData
        If the data set is not to be had; the message names each missing file, its address, where
        to put it by hand, and `mirror:`.
    WrongChecksum
        If a file is wrong twice running.
    earnest.io.disk.DiskFull
        If there is no room; nothing half-written has a name that is used.
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
    return folder


def _unpack_all(
    sources: list[Source], mirror: str | os.PathLike[str] | None, destination: Path
) -> None:
    """Unpack every file of a data set; one that comes in parts is joined in one folder."""
    dataset, downloads = sources[0].dataset, destination / "downloads"
    try:
        sources = resolve(sources, downloads)
    except OSError as error:
        advice = _advice(dataset, sources, mirror, destination, f"download failed: {error}")
        raise MissingData(advice) from error
    files, failed = fetch_all(sources, downloads)
    if failed:
        why = "; ".join(dict.fromkeys(str(error) for error in failed.values()))
        raise MissingData(_advice(dataset, list(failed), mirror, destination, why))
    with disk.locked(downloads / dataset):
        _unpack(list(zip(sources, files, strict=True)), destination / dataset)


def _unpack(files: list[tuple[Source, Path]], folder: Path) -> None:
    """Make the folder of a data set, and remove what killed calls left; only one at a time does."""
    for path in folder.parent.glob(f".{folder.name}.*"):
        if path.is_dir():
            shutil.rmtree(path)
    if folder.is_dir():
        return  # another process was faster
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        with disk.told_when_full(folder):
            for number, (source, file) in enumerate(files):
                _put(source, file, aside / f"part{number}", aside / "whole")
            _unwrapped(aside / "whole").rename(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _put(source: Source, file: Path, part: Path, whole: Path) -> None:
    """Put what a file holds, or the file itself if it is no archive, in its place."""
    whole = whole / source.place
    if file.name.lower().endswith(ARCHIVES):
        _merge(archives.extract(file, part), whole)
    else:
        whole.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, whole / file.name)


def _merge(part: Path, whole: Path) -> None:
    """Move the files of one part to the others; a file that both have must be the same."""
    import filecmp

    for path in sorted(part.rglob("*")):
        target = whole / path.relative_to(part)
        if path.is_dir():
            continue
        if target.is_file() and not filecmp.cmp(target, path, shallow=False):
            raise ValueError(f"two parts of a data set hold different files {target.name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)


def _unwrapped(folder: Path) -> Path:
    inside = list(folder.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def _advice(
    dataset: str,
    sources: Iterable[Source],
    mirror: str | os.PathLike[str] | None,
    destination: Path,
    why: str,
) -> str:
    sources = list(sources)
    lines = [f"data set {dataset} is missing ({why})."]
    for source in sources:
        address, unpacked = source.origin, destination / dataset
        if source.file == WHOLE_RECORD:
            lines.append(f"Put what the files of {address} hold into {unpacked} ({source.note}),")
            continue
        lines.append(f"Put the file {source.file} from {address} into {destination / 'downloads'},")
        if source.by_hand:
            lines.append(f"  or what it holds into {unpacked} ({source.note}),")
    looked = f"looked for {Path(mirror) / dataset}" if mirror is not None else "not set now"
    lines.append(
        f"{'or s' if sources else 'S'}et `mirror:` in the config to a folder that holds {dataset}/"
        f" in its official layout ({looked})."
    )
    return "\n".join(lines)


def fetch_all(
    sources: Sequence[Source], folder: str | os.PathLike[str], *, parallel: int = PARALLEL
) -> tuple[list[Path], dict[Source, Exception]]:
    """Download several files at a time, each as `fetch` does.

    A file that cannot be had does not keep the others from coming: they will be there when that
    one is supplied. A server that cannot be reached is not asked for the others, though. Where
    the disk is full or a file is wrong, the others stop at once.

    Parameters
    ----------
    sources : sequence of Source
    folder : path-like
    parallel : int
        How many are downloaded at a time.

    Returns
    -------
    list of pathlib.Path
        Of the files that are there, in the order of `sources`.
    dict
        Source to error of those that cannot be had.

    Raises
    ------
    earnest.io.disk.DiskFull
    WrongChecksum
    """
    stop = threading.Event()
    failed: dict[Source, Exception] = {}
    files: list[Path] = []
    unreachable: dict[str, transfer.Unreachable] = {}

    def fetch_one(source: Source) -> Path:
        gone = unreachable.get(transfer.host_of(source.address))
        if gone is not None and not (Path(folder) / source.file).is_file():
            raise gone
        try:
            return fetch(source, folder, stop=stop)
        except transfer.Unreachable as error:
            unreachable[error.host] = error
            raise

    with ThreadPoolExecutor(max_workers=parallel) as pool:
        jobs = {source: pool.submit(fetch_one, source) for source in sources}
        try:
            for source, job in jobs.items():
                try:
                    files.append(job.result())
                except OSError as error:
                    failed[source] = error
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return files, failed


def fetch(
    source: Source, folder: str | os.PathLike[str], *, stop: threading.Event | None = None
) -> Path:
    """Download one file, unless it is there; check its content either way.

    Parameters
    ----------
    source : Source
    folder : path-like
        Where the file goes under its own name; made if need be.
    stop : threading.Event, optional
        Ends the download when it is set.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    WrongChecksum
        If the file is wrong and so is the one of a second download; the message gives what was
        expected and found. A wrong file is kept beside it as `<file>.wrong`.
    OSError
        If the file is not to be had.
    """
    path = Path(folder) / source.file
    wrong, kept = None, path
    for attempt in (1, 2):
        if not path.is_file():
            if source.by_hand:
                raise FileNotFoundError(f"only a person may fetch {source.file}")
            if source.package:
                packages.download(source.package, path)
            else:
                transfer.download(source.address, path, stop=stop)
        wrong = _difference(source, path)
        if wrong is None:
            return path
        kept = path.replace(path.with_name(path.name + ".wrong"))
        if attempt == 2 or source.by_hand:
            break
    again = "" if source.by_hand else ", also when downloaded again"
    note = f" ({source.note})" if source.note else ""
    raise WrongChecksum(
        f"{source.file} from {source.origin}: {wrong}{again};"
        f" the wrong file was kept as {kept}{note}"
    )


def _difference(source: Source, path: Path) -> str | None:
    """Say what is wrong with a file; its checksum decides, then its size, then its kind."""
    import tarfile
    import zipfile

    size = path.stat().st_size
    if source.checksum:
        algorithm, _, expected = source.checksum.partition(":")
        with open(path, "rb") as file:
            found = hashlib.file_digest(file, algorithm).hexdigest()
        sizes = f" ({source.size} bytes expected, {size} found)" if source.size != size else ""
        right = found == expected.lower()
        return None if right else f"expected {algorithm} {expected}, found {found}{sizes}"
    if source.size is not None and size != source.size:
        return f"expected {source.size} bytes, found {size}"
    if path.name.lower().endswith(ARCHIVES):
        # such as the page of a server that asks for a password
        packed = zipfile.is_zipfile(path) or tarfile.is_tarfile(path)
        return None if packed else "expected a zip or tar archive, found something else"
    return None
