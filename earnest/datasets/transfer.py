"""Downloading one file: continued after a break, tried again, with progress, one at a time.

urllib3, by requests, tries again where no connection comes about or a server is overloaded.
What it does not do is to go on in the middle of a file; this module asks for the missing bytes.
"""

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlsplit

from earnest.io import disk

if TYPE_CHECKING:
    import requests

ATTEMPTS = 4
PAUSE_S = 2.0  # before the second attempt, twice that before the third
TIMEOUT_S = 60.0
CHUNK = 1024 * 1024
OVERLOADED = (408, 429, 500, 502, 503, 504)


class Interrupted(OSError):
    """A download broke off again and again; what arrived is kept, to go on from there."""


class Unreachable(OSError):
    """No connection to a server comes about.

    Attributes
    ----------
    host : str
    """

    def __init__(self, host: str, why: str) -> None:
        super().__init__(f"{host} cannot be reached ({why})")
        self.host = host


class Stopped(Exception):
    """A download was given up because another one cannot be finished."""


def download(
    address: str, path: str | os.PathLike[str], *, stop: threading.Event | None = None
) -> Path:
    """Download a file, going on where an earlier download of it stopped.

    What arrives is written to `<name>.part`, beside a note of the address and of what the server
    says about the file's version; the file gets its name when it is whole. A part is continued
    only if the server answers that it is of the same version, else it is begun anew.

    Parameters
    ----------
    address : str
        http:// or https://
    path : path-like
        Where the file goes. One that is there is left alone.
    stop : threading.Event, optional
        When it is set, the download ends with `Stopped`.

    Returns
    -------
    pathlib.Path
        `path`.

    Raises
    ------
    Unreachable
        If no connection comes about.
    OSError
        If the server refuses (status 4xx, not tried again), or four attempts running brought less
        than a megabyte. requests' exceptions are OSErrors.
    earnest.io.disk.DiskFull
        If there is no room for the file; what arrived is kept.
    Stopped
        If `stop` was set.
    """
    path = Path(path)
    with disk.locked(path):
        if path.is_file():
            return path  # another process was faster
        part = path.with_name(path.name + ".part")
        with disk.told_when_full(path), _session() as session, _told_when_unreachable(address):
            _fill(session, address, part, stop)
        part.replace(path)
        _note(part).unlink(missing_ok=True)
    return path


@contextmanager
def _told_when_unreachable(address: str) -> Iterator[None]:
    import requests

    try:
        yield
    except (requests.ConnectionError, requests.Timeout) as error:
        reason = getattr(error.args[0] if error.args else None, "reason", None) or error
        raise Unreachable(host_of(address), type(reason).__name__) from error


def host_of(address: str) -> str:
    """Return the server of an address."""
    return urlsplit(address).netloc


def _note(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _session() -> "requests.Session":
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.util import Retry

    retry = Retry(
        total=ATTEMPTS - 1,
        status_forcelist=OVERLOADED,
        allowed_methods={"GET"},
        backoff_factor=PAUSE_S,
    )
    session = requests.Session()
    session.mount("http://", HTTPAdapter(max_retries=retry))
    session.mount("https://", HTTPAdapter(max_retries=retry))
    # a packed answer would have another length than the file, and nowhere to go on from
    session.headers["Accept-Encoding"] = "identity"
    return session


def _fill(
    session: "requests.Session", address: str, part: Path, stop: threading.Event | None
) -> None:
    import urllib3.exceptions

    most, stalled = _size(part), 0
    while True:
        try:
            _continue(session, address, part, stop)
            return
        except (urllib3.exceptions.HTTPError, Interrupted) as error:
            size = _size(part)
            # where a server cannot go on in the middle, only a longer part than ever is progress
            stalled = 0 if size > most + CHUNK else stalled + 1
            most = max(most, size)
            if stalled >= ATTEMPTS:
                raise Interrupted(
                    f"{address} broke off {ATTEMPTS} times running ({error}); {size} bytes are"
                    f" kept in {part}, to go on from there"
                ) from error
        time.sleep(PAUSE_S * 2 ** max(stalled - 1, 0))


def _size(part: Path) -> int:
    return part.stat().st_size if part.is_file() else 0


def _continue(
    session: "requests.Session", address: str, part: Path, stop: threading.Event | None
) -> None:
    known = _read_note(part)
    # without a version or a length nothing would tell that the file is another one by now
    recognised = known.get("address") == address and (known.get("version") or known.get("bytes"))
    have = _size(part) if recognised else 0
    headers = {"Range": f"bytes={have}-"} if have else {}
    if have and known.get("version"):
        headers["If-Range"] = known["version"]
    with session.get(address, headers=headers, stream=True, timeout=TIMEOUT_S) as answer:
        if answer.status_code == 416:
            if answer.headers.get("Content-Range", "") == f"bytes */{have}":
                return  # it was whole already
            part.unlink()
            raise Interrupted("the server has a shorter file than the part that is here")
        answer.raise_for_status()
        start = _start(answer, have, known.get("bytes"))
        if start is None:
            part.unlink()
            raise Interrupted(f"asked for the bytes from {have} on, and got other ones")
        length = answer.headers.get("Content-Length", "")
        whole = start + int(length) if length.isdigit() else None
        _write_note(part, address, answer, whole)
        _refuse_too_large(part, start, whole)
        with open(part, "r+b" if start else "wb", buffering=0) as file:
            file.truncate(start)
            file.seek(start)
            _write(answer, file, start, whole, part, stop)
    if whole is not None and _size(part) != whole:
        raise Interrupted(f"{_size(part)} of {whole} bytes arrived")


def _start(answer: "requests.Response", have: int, whole: int | None) -> int | None:
    """Return where the bytes of an answer belong: after those here, at the start, or nowhere."""
    if answer.status_code != 206:
        return 0
    span = answer.headers.get("Content-Range", "")
    fits = span.startswith(f"bytes {have}-") and (whole is None or span.endswith(f"/{whole}"))
    return have if fits else None


def _read_note(part: Path) -> dict[str, Any]:
    try:
        return json.loads(_note(part).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _write_note(part: Path, address: str, answer: "requests.Response", whole: int | None) -> None:
    tag = answer.headers.get("ETag", "")
    version = answer.headers.get("Last-Modified") if not tag or tag.startswith("W/") else tag
    note = {"address": address, "version": version, "bytes": whole}
    _note(part).write_text(json.dumps(note), encoding="utf-8")


def _refuse_too_large(part: Path, start: int, whole: int | None) -> None:
    free = disk.free_bytes(part)
    if whole is not None and whole - start > free:
        raise disk.DiskFull(
            f"no room for {part.with_suffix('')}: {whole - start} bytes are to come, {free} are"
            f" free in {part.parent}; make room and run again"
        )


def _write(
    answer: "requests.Response",
    file: IO[bytes],
    start: int,
    whole: int | None,
    part: Path,
    stop: threading.Event | None,
) -> None:
    from tqdm import tqdm

    style: dict[str, Any] = {
        "unit": "B",
        "unit_scale": True,
        "unit_divisor": 1024,
        "mininterval": 2,
    }
    with tqdm(total=whole, initial=start, desc=part.with_suffix("").name, **style) as bar:
        for chunk in answer.raw.stream(CHUNK, decode_content=False):
            if stop is not None and stop.is_set():
                raise Stopped(f"{part.name} was given up")
            rest = memoryview(chunk)
            while rest:
                rest = rest[file.write(rest) :]
            bar.update(len(chunk))
