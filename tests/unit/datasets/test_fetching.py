"""Fetching: mirror first, downloads checked (a local server), hashes recorded and compared."""

import hashlib
import io
import json
import resource
import shutil
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from earnest.datasets import archives, fetching, hashes, registry, transfer
from earnest.io import disk
from tests.file_server import Answer, Server, serving

HEADER = "\t".join(registry.COLUMNS)


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in files.items():
            file.writestr(name, content)
    return buffer.getvalue()


RELEASE = zipped({"Release-1/audio/a.wav": b"sound", "Release-1/meta/list.csv": b"a.wav\n"})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving(monkeypatch) as made:
        yield made


def visible(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def written(path: Path, *rows: dict[str, str]) -> Path:
    lines = ["\t".join(row.get(name, "") for name in registry.COLUMNS) for row in rows]
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
        registry=written(tmp_path / "r.tsv", row(server)),
    )
    assert found == tmp_path / "mirror" / "birds"
    assert server.requests == []
    assert not (tmp_path / "raw").exists()


def test_download_is_unpacked_unwrapped_and_made_once(server: Server, tmp_path: Path) -> None:
    server.answers["release.zip"] = [RELEASE]
    rows = written(
        tmp_path / "r.tsv",
        row(server, bytes=str(len(RELEASE)), checksum="sha256:" + sha256(RELEASE)),
    )
    for _ in range(2):
        found = fetching.locate(
            "birds", mirror=tmp_path / "no mirror", destination=tmp_path / "raw", registry=rows
        )
        assert found == tmp_path / "raw" / "birds"
        assert (found / "audio" / "a.wav").read_bytes() == b"sound"
    assert server.requests == ["release.zip"]
    assert visible(tmp_path / "raw") == ["birds", "downloads"]


def test_file_put_there_by_hand_is_used(server: Server, tmp_path: Path) -> None:
    (tmp_path / "raw" / "downloads").mkdir(parents=True)
    (tmp_path / "raw" / "downloads" / "release.zip").write_bytes(RELEASE)
    rows = written(tmp_path / "r.tsv", row(server))
    found = fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    assert (found / "meta" / "list.csv").is_file()
    assert server.requests == []


def test_parts_are_joined(server: Server, tmp_path: Path) -> None:
    shared = {"birds/LICENCE": b"free"}
    server.answers["1.zip"] = [zipped(shared | {"birds/audio/a.wav": b"a"})]
    server.answers["2.zip"] = [zipped(shared | {"birds/audio/b.wav": b"b"})]
    rows = written(tmp_path / "r.tsv", row(server, "1.zip"), row(server, "2.zip"))
    found = fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    names = sorted(path.relative_to(found).as_posix() for path in found.rglob("*.wav"))
    assert names == ["audio/a.wav", "audio/b.wav"]


def test_parts_that_contradict_each_other_are_refused(server: Server, tmp_path: Path) -> None:
    server.answers["1.zip"] = [zipped({"list.csv": b"1"})]
    server.answers["2.zip"] = [zipped({"list.csv": b"2"})]
    rows = written(tmp_path / "r.tsv", row(server, "1.zip"), row(server, "2.zip"))
    with pytest.raises(ValueError, match=r"different files list\.csv"):
        fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    assert visible(tmp_path / "raw") == ["downloads"]


@pytest.mark.parametrize("algorithm", ["sha256", "md5"])
def test_wrong_checksum_is_tried_once_more_and_then_told(
    algorithm: str, server: Server, tmp_path: Path
) -> None:
    server.answers["release.zip"] = [b"damaged"]
    expected = hashlib.new(algorithm, RELEASE).hexdigest()
    found = hashlib.new(algorithm, b"damaged").hexdigest()
    rows = written(tmp_path / "r.tsv", row(server, checksum=f"{algorithm}:{expected}"))
    with pytest.raises(fetching.WrongChecksum) as caught:
        fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    assert f"expected {algorithm} {expected}, found {found}" in str(caught.value)
    assert server.requests == ["release.zip"] * 2
    kept = tmp_path / "raw" / "downloads" / "release.zip.wrong"
    assert str(kept) in str(caught.value)
    assert visible(kept.parent) == ["release.zip.wrong"]
    assert kept.read_bytes() == b"damaged"


def test_second_download_that_is_right_is_used(server: Server, tmp_path: Path) -> None:
    server.answers["release.zip"] = [b"damaged", RELEASE]
    rows = written(tmp_path / "r.tsv", row(server, checksum="sha256:" + sha256(RELEASE)))
    found = fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    assert (found / "audio" / "a.wav").is_file()
    assert (tmp_path / "raw" / "downloads" / "release.zip.wrong").read_bytes() == b"damaged"


def test_wrong_size_is_told(server: Server, tmp_path: Path) -> None:
    server.answers["release.zip"] = [b"short"]
    rows = written(tmp_path / "r.tsv", row(server, bytes="100"))
    with pytest.raises(fetching.WrongChecksum, match="expected 100 bytes, found 5"):
        fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)


def test_data_that_cannot_be_had_says_what_to_do(server: Server, tmp_path: Path) -> None:
    rows = written(tmp_path / "r.tsv", row(server))
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
    assert visible(tmp_path / "raw" / "downloads") == []


def test_server_that_does_not_answer_is_missing_data(server: Server, tmp_path: Path) -> None:
    server.answers["release.zip"] = [500]
    rows = written(tmp_path / "r.tsv", row(server))
    with pytest.raises(fetching.MissingData, match="500"):
        fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    assert len(server.requests) == transfer.ATTEMPTS


def test_unknown_data_set_names_registry_and_mirror(tmp_path: Path) -> None:
    rows = written(tmp_path / "r.tsv")
    with pytest.raises(fetching.MissingData, match=r"r\.tsv lacks it") as caught:
        fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    assert "Set `mirror:` in the config to a folder that holds birds/" in str(caught.value)


def test_hostile_archive_leaves_no_data_set(server: Server, tmp_path: Path) -> None:
    server.answers["release.zip"] = [zipped({"../../outside": b"x"})]
    rows = written(tmp_path / "r.tsv", row(server))
    with pytest.raises(archives.UnsafeArchive, match="path_escape"):
        fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    assert visible(tmp_path / "raw") == ["downloads"]
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
        registry.read_registry(written(tmp_path / "r.tsv", good | cells))


def test_registry_with_other_columns_short_rows_or_repeats_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.tsv"
    path.write_text("dataset\tfile\n")
    with pytest.raises(ValueError, match="columns must be dataset, file, place"):
        registry.read_registry(path)
    path.write_text(HEADER + "\nbirds\ta.zip\n")
    with pytest.raises(ValueError, match="line 2: 9 cells"):
        registry.read_registry(path)
    good = {"dataset": "birds", "file": "a.zip", "address": "https://example.org/a.zip"}
    with pytest.raises(ValueError, match=r"line 3: a\.zip is there twice"):
        registry.read_registry(written(path, good, good))


def test_parts_come_in_parallel(server: Server, tmp_path: Path) -> None:
    names = [f"{number}.zip" for number in range(4)]
    for name in names:
        server.answers[name] = [zipped({f"birds/audio/{name}.wav": b"a"})]
    server.meeting = threading.Barrier(4)  # nobody gets an answer before all have asked
    rows = written(tmp_path / "r.tsv", *(row(server, name) for name in names))
    found = fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    assert len(list((found / "audio").iterdir())) == 4
    assert server.most_at_once == 4


def test_missing_parts_are_named_and_the_others_are_kept(server: Server, tmp_path: Path) -> None:
    server.answers["1.zip"] = [zipped({"birds/audio/a.wav": b"a"})]
    rows = written(tmp_path / "r.tsv", row(server, "1.zip"), row(server, "2.zip"))
    where = {"mirror": None, "destination": tmp_path / "raw", "registry": rows}
    with pytest.raises(fetching.MissingData) as caught:
        fetching.locate("birds", **where)
    assert "Put the file 2.zip" in str(caught.value)
    assert "1.zip" not in str(caught.value)
    server.answers["2.zip"] = [zipped({"birds/audio/b.wav": b"b"})]
    server.requests.clear()
    fetching.locate("birds", **where)
    assert server.requests == ["2.zip"]


def test_a_download_that_was_cut_goes_on_in_the_next_run(server: Server, tmp_path: Path) -> None:
    server.answers["release.zip"] = [Answer(RELEASE, cut=100), Answer(RELEASE, cut=0)]
    rows = written(tmp_path / "r.tsv", row(server))
    where = {"mirror": None, "destination": tmp_path / "raw", "registry": rows}
    with pytest.raises(fetching.MissingData, match="broke off"):
        fetching.locate("birds", **where)
    server.answers["release.zip"] = [RELEASE]
    found = fetching.locate("birds", **where)
    assert (found / "audio" / "a.wav").is_file()
    assert server.ranges[-1] == "bytes=100-"


def test_no_network_names_every_file_and_the_mirror(server: Server, tmp_path: Path) -> None:
    gone = server.address("").replace(str(server.server_port), "9")
    rows = written(
        tmp_path / "r.tsv",
        row(server, "1.zip", address=f"{gone}1.zip"),
        row(server, "2.zip", address=f"{gone}2.zip"),
    )
    with pytest.raises(fetching.MissingData) as caught:
        fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    downloads = tmp_path / "raw" / "downloads"
    assert "birds is missing (127.0.0.1:9 cannot be reached (NewConnectionError)).\n" in str(
        caught.value
    )
    assert f"Put the file 1.zip from {gone}1.zip into {downloads},\n" in str(caught.value)
    assert f"Put the file 2.zip from {gone}2.zip into {downloads},\n" in str(caught.value)
    assert "or set `mirror:` in the config to a folder that holds birds/" in str(caught.value)


def test_a_server_that_cannot_be_reached_is_asked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def download(address: str, path: Path, **_: object) -> Path:
        asked.append(address)
        raise transfer.Unreachable("example.org", "NameResolutionError")

    monkeypatch.setattr(transfer, "download", download)
    rows = [
        {"dataset": "birds", "file": f"{n}.zip", "address": f"http://example.org/{n}"}
        for n in range(9)
    ]
    sources = registry.read_registry(written(tmp_path / "r.tsv", *rows))["birds"]
    (tmp_path / "8.zip").write_bytes(RELEASE)
    files, failed = fetching.fetch_all(sources, tmp_path, parallel=1)
    assert asked == ["http://example.org/0"]
    assert files == [tmp_path / "8.zip"]
    assert list(failed) == sources[:8]


def test_plain_files_go_to_their_place(server: Server, tmp_path: Path) -> None:
    server.answers["release.zip"] = [zipped({"audio/a.wav": b"sound"})]
    server.answers["list.csv"] = [b"file\n"]
    rows = written(
        tmp_path / "r.tsv",
        row(server, place="sounds"),
        row(server, "list.csv", place="metadata/more"),
    )
    found = fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    assert (found / "sounds" / "audio" / "a.wav").read_bytes() == b"sound"
    assert (found / "metadata" / "more" / "list.csv").read_bytes() == b"file\n"


def test_a_page_in_place_of_an_archive_is_kept_aside(server: Server, tmp_path: Path) -> None:
    server.answers["release.zip"] = [b"<html>please sign in</html>"]
    rows = written(tmp_path / "r.tsv", row(server))
    with pytest.raises(fetching.WrongChecksum, match="zip or tar archive, found something else"):
        fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    assert visible(tmp_path / "raw" / "downloads") == ["release.zip.wrong"]


def test_what_only_a_person_may_fetch(server: Server, tmp_path: Path) -> None:
    page = "https://example.org/terms"
    cells = {"address": f"by hand: {page}", "note": "accept the terms"}
    rows = written(tmp_path / "r.tsv", row(server, **cells))
    where = {"mirror": None, "destination": tmp_path / "raw", "registry": rows}
    with pytest.raises(fetching.MissingData) as caught:
        fetching.locate("birds", **where)
    message = str(caught.value)
    assert "only a person may fetch release.zip" in message
    assert f"Put the file release.zip from {page} into {tmp_path / 'raw' / 'downloads'}" in message
    assert f"or what it holds into {tmp_path / 'raw' / 'birds'} (accept the terms)" in message
    downloads = tmp_path / "raw" / "downloads"
    downloads.mkdir(parents=True, exist_ok=True)
    (downloads / "release.zip").write_bytes(RELEASE)
    assert (fetching.locate("birds", **where) / "audio" / "a.wav").is_file()


def test_a_folder_that_a_person_made_is_used_as_it_is(server: Server, tmp_path: Path) -> None:
    (tmp_path / "raw" / "birds" / "audio_16k").mkdir(parents=True)
    rows = written(tmp_path / "r.tsv", row(server))
    found = fetching.locate("birds", mirror=None, destination=tmp_path / "raw", registry=rows)
    assert found == tmp_path / "raw" / "birds"  # one folder in it is no wrapping


def record(server: Server, **files: bytes) -> bytes:
    """What Zenodo says about a record."""
    described = [
        {
            "key": name,
            "size": len(content),
            "checksum": "md5:" + hashlib.md5(content).hexdigest(),
            "links": {"self": server.address(f"api/records/7/files/{name}/content")},
        }
        for name, content in files.items()
    ]
    return json.dumps({"id": 7, "files": described}).encode()


def test_a_record_names_its_files_and_is_pinned(server: Server, tmp_path: Path) -> None:
    one, two = zipped({"birds/audio/a.wav": b"a"}), zipped({"birds/audio/b.wav": b"b"})
    server.answers["api/records/7"] = [record(server, **{"1.zip": one, "2.zip": two})]
    server.answers["api/records/7/files/1.zip/content"] = [one]
    server.answers["api/records/7/files/2.zip/content"] = [two]
    rows = written(tmp_path / "r.tsv", row(server, "*", address=server.address("records/7")))
    where = {"mirror": None, "destination": tmp_path / "raw", "registry": rows}
    found = fetching.locate("birds", **where)
    assert sorted(path.name for path in (found / "audio").iterdir()) == ["a.wav", "b.wav"]
    shutil.rmtree(found)
    # another version of the record, and a damaged file: neither passes for what was pinned
    server.answers["api/records/7"] = [record(server)]
    (tmp_path / "raw" / "downloads" / "1.zip").write_bytes(two)
    server.requests.clear()
    fetching.locate("birds", **where)
    assert server.requests == ["api/records/7/files/1.zip/content"]
    assert (tmp_path / "raw" / "downloads" / "1.zip.wrong").read_bytes() == two


def test_a_record_that_cannot_be_had_or_is_none(server: Server, tmp_path: Path) -> None:
    address = server.address("records/7")
    rows = written(tmp_path / "r.tsv", row(server, "*", address=address, note="only the weak part"))
    where = {"mirror": None, "destination": tmp_path / "raw", "registry": rows}
    with pytest.raises(fetching.MissingData) as caught:
        fetching.locate("birds", **where)
    place = tmp_path / "raw" / "birds"
    assert f"Put what the files of {address} hold into {place} (only the weak part)" in str(
        caught.value
    )
    server.answers["api/records/7"] = [b"<html></html>"]
    with pytest.raises(ValueError, match=r"json\.wrong does not describe a Zenodo record"):
        fetching.locate("birds", **where)
    server.answers["api/records/7"] = [record(server, **{"../1.zip": b""})]
    with pytest.raises(ValueError, match=r"'\.\./1\.zip' is not a plain file name"):
        fetching.locate("birds", **where)


def test_a_full_disk_stops_the_other_parts_and_leaves_no_data_set(
    server: Server, tmp_path: Path
) -> None:
    large = zipped({"birds/large.wav": bytes(range(256)) * 20_000})
    server.answers["1.zip"] = [large]
    server.answers["2.zip"] = [zipped({"birds/small.wav": b"b"})]
    rows = written(tmp_path / "r.tsv", row(server, "1.zip"), row(server, "2.zip"))
    where = {"mirror": None, "destination": tmp_path / "raw", "registry": rows}
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, before[1]))
    try:
        with pytest.raises(disk.DiskFull, match=r"no room for .*1\.zip"):
            fetching.locate("birds", **where)
        assert not (tmp_path / "raw" / "birds").exists()
        assert not (tmp_path / "raw" / "downloads" / "1.zip").exists()
        # and where it fills up while the archive is unpacked
        (tmp_path / "raw" / "downloads" / "1.zip").symlink_to(tmp_path / "1.zip")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    (tmp_path / "1.zip").write_bytes(large)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, before[1]))
    try:
        with pytest.raises(disk.DiskFull, match="no room for"):
            fetching.locate("birds", **where)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert visible(tmp_path / "raw") == ["downloads"]
    assert [path.name for path in (tmp_path / "raw").iterdir()] == ["downloads"]
    found = fetching.locate("birds", **where)
    assert (found / "large.wav").stat().st_size == 256 * 20_000


def registered(root: Path) -> list[registry.Source]:
    return [
        s for rows in registry.read_registry(root / "config/datasets.tsv").values() for s in rows
    ]


def test_the_registry_has_every_data_set_with_licence_and_citation(root: Path) -> None:
    from earnest import datasets
    from earnest.datasets import tabular

    sources = registered(root)
    own = {"demo", "folder"}
    assert {source.dataset for source in sources} == (set(datasets.SOURCES) - own) | set(
        tabular.COLLECTIONS
    )
    for source in sources:
        assert source.licence, source
        assert source.citation, source
        assert source.checksum or source.note, f"{source.file}: no checksum and no word why"
        address = source.address.removeprefix(registry.BY_HAND).removeprefix("pip: ")
        assert " " not in address, source


def test_the_registry_pins_both_sets_of_tut_2017(root: Path) -> None:
    files = {s.file: s for s in registered(root) if s.dataset == "tut2017"}
    assert len(files) == 13 + 6
    audio = [s.size for s in files.values() if "development.audio" in s.file]
    assert (len(audio), sum(audio)) == (10, 10_700_259_999)
    one = files["TUT-acoustic-scenes-2017-evaluation.audio.1.zip"]
    assert one.checksum == "md5:3d6dda4445871e9544e0fefe7d14c7d9"
    assert one.address == (
        "https://zenodo.org/record/1040168/files/TUT-acoustic-scenes-2017-evaluation.audio.1.zip"
    )


def test_the_registry_agrees_with_the_real_tables(root: Path, mirror: Path) -> None:
    rows = {s.file: s for s in registered(root) if s.dataset == "pmlb"}
    assert len(rows) == 48
    there = sorted((mirror / "pmlb").glob("*.tsv.gz"))
    assert len(there) == 46
    for path in there:
        source = rows[path.name]
        assert (source.size, source.checksum) == (
            path.stat().st_size,
            "sha256:" + sha256(path.read_bytes()),
        )


def test_projects_own_registry_pins_esc50(root: Path) -> None:
    sources = registry.read_registry(root / "config" / "datasets.tsv")
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
    rows = hashes.record(root, listing)
    assert (root / "hashes.tsv").read_text() == (
        "file\tbytes\tsha256\n"
        f"audio/a.wav\t5\t{sha256(b'a.wav')}\n"
        f"audio/b.wav\t5\t{sha256(b'b.wav')}\n"
    )
    assert len(rows) == 2
    assert hashes.compare(root, listing) == 2


def test_changed_missing_and_new_files_are_told(
    files: tuple[Path, pd.DataFrame], tmp_path: Path
) -> None:
    root, listing = files
    record = tmp_path / "record.tsv"
    hashes.record(root, listing, path=record)
    assert not (root / "hashes.tsv").exists()
    (root / "audio" / "a.wav").write_bytes(b"other")
    (root / "audio" / "b.wav").unlink()
    (root / "audio" / "c.wav").write_bytes(b"new")
    more = pd.DataFrame({"path": [*listing["path"], str(root / "audio" / "c.wav")]})
    with pytest.raises(hashes.ChangedFiles) as caught:
        hashes.compare(root, more, path=record)
    message = str(caught.value)
    assert "3 files of" in message
    assert f"audio/a.wav: expected {sha256(b'a.wav')}, found {sha256(b'other')}" in message
    assert f"audio/b.wav: expected {sha256(b'b.wav')}, found nothing" in message
    assert f"audio/c.wav: expected nothing, found {sha256(b'new')}" in message
