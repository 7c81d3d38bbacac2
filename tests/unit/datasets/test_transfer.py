"""Downloads of one file: gone on with, tried again, refused, and a disk without room."""

import json
import os
import resource
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import requests

from earnest.datasets import transfer
from earnest.io import disk
from tests.file_server import Answer, Server, serving

BODY = np.random.default_rng(0).bytes(5_000_000)
THIRD = 1_700_000


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving(monkeypatch) as made:
        yield made


def visible(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def test_a_cut_download_goes_on_where_it_stopped(server: Server, tmp_path: Path) -> None:
    server.answers["a"] = [Answer(BODY, cut=THIRD)]
    path = transfer.download(server.address("a"), tmp_path / "a.zip")
    assert path.read_bytes() == BODY
    assert server.ranges == [None, f"bytes={THIRD}-", f"bytes={2 * THIRD}-"]
    assert visible(tmp_path) == ["a.zip"]


def test_a_later_run_goes_on_where_the_earlier_one_gave_up(server: Server, tmp_path: Path) -> None:
    server.answers["a"] = [Answer(BODY, cut=THIRD), Answer(BODY, cut=0)]
    with pytest.raises(transfer.Interrupted, match=rf"broke off 4 times running .*{THIRD} bytes"):
        transfer.download(server.address("a"), tmp_path / "a.zip")
    assert visible(tmp_path) == ["a.zip.part", "a.zip.part.json"]
    assert (tmp_path / "a.zip.part").read_bytes() == BODY[:THIRD]
    server.answers["a"], server.ranges[:] = [BODY], []
    assert transfer.download(server.address("a"), tmp_path / "a.zip").read_bytes() == BODY
    assert server.ranges == [f"bytes={THIRD}-"]


def test_a_killed_download_goes_on(server: Server, tmp_path: Path) -> None:
    """Not an exception but kill -9, in the middle of the file."""
    server.answers["a"] = [Answer(BODY, cut=2 * THIRD)]
    part = tmp_path / "a.zip.part"
    code = (
        "import sys\nfrom earnest.datasets import transfer\ntransfer.PAUSE_S = 30\n"
        "transfer.download(sys.argv[1], sys.argv[2])"
    )
    command = [sys.executable, "-c", code, server.address("a"), str(tmp_path / "a.zip")]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        while not part.is_file() or part.stat().st_size < 2 * THIRD:
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
    server.answers["a"], server.ranges[:] = [BODY], []
    assert transfer.download(server.address("a"), tmp_path / "a.zip").read_bytes() == BODY
    assert server.ranges == [f"bytes={2 * THIRD}-"]


def test_a_server_that_gives_no_parts_is_asked_for_the_whole(
    server: Server, tmp_path: Path
) -> None:
    server.answers["a"] = [Answer(BODY, cut=THIRD, ranges=False), Answer(BODY, ranges=False)]
    path = transfer.download(server.address("a"), tmp_path / "a.zip")
    assert path.read_bytes() == BODY
    assert server.ranges == [None, f"bytes={THIRD}-"]


def test_a_server_that_gives_no_parts_and_always_cuts_is_given_up(
    server: Server, tmp_path: Path
) -> None:
    server.answers["a"] = [Answer(BODY, cut=THIRD, ranges=False)]
    with pytest.raises(transfer.Interrupted):
        transfer.download(server.address("a"), tmp_path / "a.zip")
    # the first try brought more than there was before, the others did not
    assert len(server.requests) == 1 + transfer.ATTEMPTS


def test_another_version_is_not_sewn_to_the_part_of_the_first(
    server: Server, tmp_path: Path
) -> None:
    other = BODY[::-1]
    server.answers["a"] = [Answer(BODY, cut=THIRD), Answer(other, tag='"2"')]
    path = transfer.download(server.address("a"), tmp_path / "a.zip")
    assert path.read_bytes() == other


def test_without_a_version_the_length_must_be_the_same(server: Server, tmp_path: Path) -> None:
    longer = BODY + b"more"
    server.answers["a"] = [Answer(BODY, cut=THIRD, tag=""), Answer(longer, tag="")]
    assert transfer.download(server.address("a"), tmp_path / "a").read_bytes() == longer
    assert server.ranges == [None, f"bytes={THIRD}-", None]


def test_a_part_that_nothing_identifies_is_not_continued(server: Server, tmp_path: Path) -> None:
    """As of archives that a server makes while it sends them: no version, no length."""
    (tmp_path / "a.zip.part").write_bytes(BODY[::-1][:THIRD])
    note = {"address": server.address("a"), "version": None, "bytes": None}
    (tmp_path / "a.zip.part.json").write_text(json.dumps(note))
    server.answers["a"] = [Answer(BODY, tag="")]
    assert transfer.download(server.address("a"), tmp_path / "a.zip").read_bytes() == BODY
    assert server.ranges == [None]


def test_a_part_of_another_address_is_not_used(server: Server, tmp_path: Path) -> None:
    server.answers["a"] = [Answer(BODY, cut=THIRD), Answer(BODY, cut=0)]
    server.answers["b"] = [BODY[::-1]]
    with pytest.raises(transfer.Interrupted):
        transfer.download(server.address("a"), tmp_path / "a.zip")
    path = transfer.download(server.address("b"), tmp_path / "a.zip")
    assert path.read_bytes() == BODY[::-1]


def test_a_part_that_is_whole_is_taken(server: Server, tmp_path: Path) -> None:
    """As after a kill between the last byte and the renaming."""
    server.answers["a"] = [BODY]
    (tmp_path / "a.zip.part").write_bytes(BODY)
    note = {"address": server.address("a"), "version": '"1"', "bytes": len(BODY)}
    (tmp_path / "a.zip.part.json").write_text(json.dumps(note))
    assert transfer.download(server.address("a"), tmp_path / "a.zip").read_bytes() == BODY
    assert server.ranges == [f"bytes={len(BODY)}-"]
    (tmp_path / "a.zip").replace(tmp_path / "a.zip.part")  # and one that is too long is not
    (tmp_path / "a.zip.part").write_bytes(BODY + b"x")
    (tmp_path / "a.zip.part.json").write_text(json.dumps(note))
    assert transfer.download(server.address("a"), tmp_path / "a.zip").read_bytes() == BODY


def test_an_overloaded_server_is_asked_again_a_refusal_is_not(
    server: Server, tmp_path: Path
) -> None:
    server.answers["a"] = [503, 429, BODY]
    assert transfer.download(server.address("a"), tmp_path / "a").read_bytes() == BODY
    server.answers["b"] = [500]
    with pytest.raises(OSError, match="500"):
        transfer.download(server.address("b"), tmp_path / "b")
    assert server.requests.count("b") == transfer.ATTEMPTS
    for status in (403, 404):
        server.answers["c"], server.requests[:] = [status], []
        with pytest.raises(requests.HTTPError, match=str(status)):
            transfer.download(server.address("c"), tmp_path / "c")
        assert server.requests == ["c"]
    assert visible(tmp_path) == ["a"]


def test_no_server_at_all(server: Server, tmp_path: Path) -> None:
    address = server.address("a").replace(str(server.server_port), "9")
    with pytest.raises(transfer.Unreachable, match=r"127\.0\.0\.1:9 cannot be reached \(New"):
        transfer.download(address, tmp_path / "a")


def test_two_downloads_of_one_file_are_one(server: Server, tmp_path: Path) -> None:
    server.answers["a"] = [BODY]
    threads = [
        threading.Thread(target=transfer.download, args=(server.address("a"), tmp_path / "a"))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert (tmp_path / "a").read_bytes() == BODY
    assert server.requests == ["a"]


def test_progress_is_shown_and_goes_on_too(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answers["a"] = [Answer(BODY, cut=THIRD)]
    transfer.download(server.address("a"), tmp_path / "clips.zip")
    shown = capsys.readouterr().err
    assert "clips.zip:  34%" in shown
    assert "clips.zip: 100%" in shown


@pytest.fixture
def no_large_files() -> Iterator[None]:
    """Let the system refuse files above 2 MB, as a full disk does: in the middle of a write."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("no_large_files")
def test_a_disk_that_fills_up_stops_clearly(server: Server, tmp_path: Path) -> None:
    server.answers["a"] = [BODY]
    with pytest.raises(disk.DiskFull, match=r"no room for .*a\.zip .*make room and run again"):
        transfer.download(server.address("a"), tmp_path / "a.zip")
    assert server.requests == ["a"]
    assert not (tmp_path / "a.zip").exists()
    assert (tmp_path / "a.zip.part").read_bytes() == BODY[:2_000_000]
    resource.setrlimit(resource.RLIMIT_FSIZE, (-1, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    assert transfer.download(server.address("a"), tmp_path / "a.zip").read_bytes() == BODY
    assert server.ranges[-1] == "bytes=2000000-"


def test_a_file_that_cannot_fit_is_not_begun(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answers["a"] = [BODY]
    usage = shutil._ntuple_diskusage(10**7, 10**7 - 4_000_000, 4_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(disk.DiskFull, match="5000000 bytes are to come, 4000000 are free"):
        transfer.download(server.address("a"), tmp_path / "a.zip")
    assert not (tmp_path / "a.zip.part").exists()


def test_other_errors_of_the_disk_are_not_called_a_full_disk(tmp_path: Path) -> None:
    with pytest.raises(PermissionError), disk.told_when_full(tmp_path / "a"):
        raise PermissionError(13, os.strerror(13))
