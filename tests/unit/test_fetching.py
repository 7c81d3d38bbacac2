"""Fetching: mirror first, downloads checked (a local server), hashes recorded and compared."""

import hashlib
import http.server
import io
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from earnest.datasets import archives, fetching

HEADER = "\t".join(fetching.REGISTRY_COLUMNS)


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in files.items():
            file.writestr(name, content)
    return buffer.getvalue()


RELEASE = zipped({"Release-1/audio/a.wav": b"sound", "Release-1/meta/list.csv": b"a.wav\n"})


class Server(http.server.ThreadingHTTPServer):
    """Serves `answers[path]`: bytes each, taken in turn, the last again and again."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, list[bytes | int | tuple[int, bytes]]] = {}
        self.requests: list[str] = []

    def address(self, name: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{name}"


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        name = self.path.lstrip("/")
        self.server.requests.append(name)
        answers = self.server.answers.get(name, [404])
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, int):
            self.send_error(answer)
            return
        promised, body = answer if isinstance(answer, tuple) else (len(answer), answer)
        self.send_response(200)
        self.send_header("Content-Length", str(promised))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Keep the test's output clean."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(fetching, "PAUSE_S", 0)
    monkeypatch.setattr(fetching, "TIMEOUT_S", 5)
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join(timeout=10)
        assert not thread.is_alive()


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def registry(path: Path, *rows: dict[str, str]) -> Path:
    lines = ["\t".join(row.get(name, "") for name in fetching.REGISTRY_COLUMNS) for row in rows]
    path.write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")
    return path


def row(server: Server, name: str = "release.zip", **cells: str) -> dict[str, str]:
    return {"dataset": "birds", "file": name, "address": server.address(name)} | cells


def test_mirror_comes_first_and_nothing_is_downloaded(server: Server, tmp_path: Path) -> None:
    (tmp_path / "mirror" / "birds").mkdir(parents=True)
    found = fetching.locate(
        "birds",
        mirror=tmp_path / "mirror",
        destination=tmp_path / "raw",
        registry=registry(tmp_path / "r.tsv", row(server)),
    )
    assert found == tmp_path / "mirror" / "birds"
    assert server.requests == []
    assert not (tmp_path / "raw").exists()


def test_download_is_unpacked_unwrapped_and_made_once(server: Server, tmp_path: Path) -> None:
    server.answers["release.zip"] = [RELEASE]
    rows = registry(
        tmp_path / "r.tsv",
        row(server, bytes=str(len(RELEASE)), checksum="sha256:" + sha256(RELEASE)),
    )
    for _ in range(2):
        found = fetching.locate(
            "birds", mirror=tmp_path / "no mirror", destination=tmp_path / "raw", registry=rows
        )
        assert found == tmp_path / "raw" / "birds" / "Release-1"
        assert (found / "audio" / "a.wav").read_bytes() == b"sound"
    assert server.requests == ["release.zip"]
    assert sorted(path.name for path in (tmp_path / "raw").iterdir()) == ["birds", "downloads"]


def test_file_put_there_by_hand_is_used(server: Server, tmp_path: Path) -> None:
    (tmp_path / "raw" / "downloads").mkdir(parents=True)
    (tmp_path / "raw" / "downloads" / "release.zip").write_bytes(RELEASE)
    rows = registry(tmp_path / "r.tsv", row(server))
    found = fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    assert (found / "meta" / "list.csv").is_file()
    assert server.requests == []


def test_parts_are_joined(server: Server, tmp_path: Path) -> None:
    shared = {"birds/LICENCE": b"free"}
    server.answers["1.zip"] = [zipped(shared | {"birds/audio/a.wav": b"a"})]
    server.answers["2.zip"] = [zipped(shared | {"birds/audio/b.wav": b"b"})]
    rows = registry(tmp_path / "r.tsv", row(server, "1.zip"), row(server, "2.zip"))
    found = fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    names = sorted(path.relative_to(found).as_posix() for path in found.rglob("*.wav"))
    assert names == ["audio/a.wav", "audio/b.wav"]


def test_parts_that_contradict_each_other_are_refused(server: Server, tmp_path: Path) -> None:
    server.answers["1.zip"] = [zipped({"list.csv": b"1"})]
    server.answers["2.zip"] = [zipped({"list.csv": b"2"})]
    rows = registry(tmp_path / "r.tsv", row(server, "1.zip"), row(server, "2.zip"))
    with pytest.raises(ValueError, match=r"different files list\.csv"):
        fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    assert [path.name for path in (tmp_path / "raw").iterdir()] == ["downloads"]


@pytest.mark.parametrize("algorithm", ["sha256", "md5"])
def test_wrong_checksum_is_tried_once_more_and_then_told(
    algorithm: str, server: Server, tmp_path: Path
) -> None:
    server.answers["release.zip"] = [b"damaged"]
    expected = hashlib.new(algorithm, RELEASE).hexdigest()
    found = hashlib.new(algorithm, b"damaged").hexdigest()
    rows = registry(tmp_path / "r.tsv", row(server, checksum=f"{algorithm}:{expected}"))
    with pytest.raises(fetching.WrongChecksum) as caught:
        fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    assert f"expected {algorithm} {expected}, found {found}" in str(caught.value)
    assert server.requests == ["release.zip"] * 2
    kept = tmp_path / "raw" / "downloads" / "release.zip.wrong"
    assert str(kept) in str(caught.value)
    assert [path.name for path in kept.parent.iterdir()] == ["release.zip.wrong"]
    assert kept.read_bytes() == b"damaged"


def test_second_download_that_is_right_is_used(server: Server, tmp_path: Path) -> None:
    server.answers["release.zip"] = [b"damaged", RELEASE]
    rows = registry(tmp_path / "r.tsv", row(server, checksum="sha256:" + sha256(RELEASE)))
    found = fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    assert (found / "audio" / "a.wav").is_file()
    assert (tmp_path / "raw" / "downloads" / "release.zip.wrong").read_bytes() == b"damaged"


def test_wrong_size_is_told(server: Server, tmp_path: Path) -> None:
    server.answers["release.zip"] = [b"short"]
    rows = registry(tmp_path / "r.tsv", row(server, bytes="100"))
    with pytest.raises(fetching.WrongChecksum, match="expected 100 bytes, found 5"):
        fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)


def test_broken_connection_is_tried_again(server: Server, tmp_path: Path) -> None:
    server.answers["release.zip"] = [(len(RELEASE) + 50, RELEASE), 503, RELEASE]
    source = fetching.read_registry(registry(tmp_path / "r.tsv", row(server)))["birds"][0]
    path = fetching.fetch(source, tmp_path / "downloads")
    assert path.read_bytes() == RELEASE
    assert len(server.requests) == 3
    assert [other.name for other in path.parent.iterdir()] == ["release.zip"]


def test_data_that_cannot_be_had_says_what_to_do(server: Server, tmp_path: Path) -> None:
    rows = registry(tmp_path / "r.tsv", row(server))
    with pytest.raises(fetching.MissingData) as caught:
        fetching.locate(
            "birds", mirror=tmp_path / "mirror", destination=tmp_path / "raw", registry=rows
        )
    message = str(caught.value)
    for part in (
        "release.zip",
        server.address("release.zip"),
        str(tmp_path / "raw" / "downloads"),
        "`mirror:`",
        str(tmp_path / "mirror" / "birds"),
        "404",
    ):
        assert part in message
    assert server.requests == ["release.zip"]  # a refusal is not asked again
    assert list((tmp_path / "raw" / "downloads").iterdir()) == []


def test_server_that_does_not_answer_is_missing_data(server: Server, tmp_path: Path) -> None:
    server.answers["release.zip"] = [500]
    rows = registry(tmp_path / "r.tsv", row(server))
    with pytest.raises(fetching.MissingData, match="500"):
        fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    assert len(server.requests) == fetching.ATTEMPTS


def test_unknown_data_set_names_registry_and_mirror(tmp_path: Path) -> None:
    rows = registry(tmp_path / "r.tsv")
    with pytest.raises(fetching.MissingData, match=r"r\.tsv lacks it") as caught:
        fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    assert "Set `mirror:` in the config to a folder that holds birds/" in str(caught.value)


def test_hostile_archive_leaves_no_data_set(server: Server, tmp_path: Path) -> None:
    server.answers["release.zip"] = [zipped({"../../outside": b"x"})]
    rows = registry(tmp_path / "r.tsv", row(server))
    with pytest.raises(archives.UnsafeArchive, match="path_escape"):
        fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    assert [path.name for path in (tmp_path / "raw").iterdir()] == ["downloads"]
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"file": ""}, "line 2: the cell of column file is empty"),
        ({"file": "../release.zip"}, "line 2: data set and file are plain names"),
        ({"address": "file:///etc/passwd"}, "must start with https"),
        ({"bytes": "600 MB"}, "bytes must be a whole number or empty, got '600 MB'"),
        ({"checksum": "crc32:00"}, "a checksum reads sha256:DIGEST"),
        ({"checksum": "sha256:"}, "a checksum reads sha256:DIGEST"),
    ],
)
def test_bad_registry_rows_are_named(cells: dict[str, str], message: str, tmp_path: Path) -> None:
    good = {"dataset": "birds", "file": "a.zip", "address": "https://example.org/a.zip"}
    with pytest.raises(ValueError, match=message):
        fetching.read_registry(registry(tmp_path / "r.tsv", good | cells))


def test_registry_with_other_columns_short_rows_or_repeats_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.tsv"
    path.write_text("dataset\tfile\n")
    with pytest.raises(ValueError, match="columns must be dataset, file, address"):
        fetching.read_registry(path)
    path.write_text(HEADER + "\nbirds\ta.zip\n")
    with pytest.raises(ValueError, match="line 2: 8 cells"):
        fetching.read_registry(path)
    good = {"dataset": "birds", "file": "a.zip", "address": "https://example.org/a.zip"}
    with pytest.raises(ValueError, match=r"line 3: a\.zip is there twice"):
        fetching.read_registry(registry(path, good, good))


def test_projects_own_registry_pins_esc50(root: Path) -> None:
    sources = fetching.read_registry(root / "config" / "datasets.tsv")
    (source,) = sources["esc50"]
    assert "33c8ce9eb2cf0b1c2f8bcf322eb349b6be34dbb6" in source.address
    assert source.checksum == ""  # the archive is generated anew: its hash is not stable
    assert "CC BY-NC" in source.licence


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, pd.DataFrame]:
    root = tmp_path / "birds"
    (root / "audio").mkdir(parents=True)
    for name in ("b.wav", "a.wav"):
        (root / "audio" / name).write_bytes(name.encode())
    return root, pd.DataFrame({"path": [str(root / "audio" / n) for n in ("b.wav", "a.wav")]})


def test_hashes_are_recorded_and_found_equal(files: tuple[Path, pd.DataFrame]) -> None:
    root, listing = files
    rows = fetching.record_hashes(root, listing)
    assert (root / "hashes.tsv").read_text() == (
        "file\tbytes\tsha256\n"
        f"audio/a.wav\t5\t{sha256(b'a.wav')}\n"
        f"audio/b.wav\t5\t{sha256(b'b.wav')}\n"
    )
    assert len(rows) == 2
    assert fetching.compare_hashes(root, listing) == 2


def test_changed_missing_and_new_files_are_told(
    files: tuple[Path, pd.DataFrame], tmp_path: Path
) -> None:
    root, listing = files
    record = tmp_path / "record.tsv"
    fetching.record_hashes(root, listing, record=record)
    assert not (root / "hashes.tsv").exists()
    (root / "audio" / "a.wav").write_bytes(b"other")
    (root / "audio" / "b.wav").unlink()
    (root / "audio" / "c.wav").write_bytes(b"new")
    more = pd.DataFrame({"path": [*listing["path"], str(root / "audio" / "c.wav")]})
    with pytest.raises(fetching.ChangedFiles) as caught:
        fetching.compare_hashes(root, more, record=record)
    message = str(caught.value)
    assert "3 files of" in message
    assert f"audio/a.wav: expected {sha256(b'a.wav')}, found {sha256(b'other')}" in message
    assert f"audio/b.wav: expected {sha256(b'b.wav')}, found nothing" in message
    assert f"audio/c.wav: expected nothing, found {sha256(b'new')}" in message
