"""Tables: both layouts as the official downloads have them, coding of text, what is refused."""

import gzip

import numpy as np
import pytest

from earnest.datasets import tabular

KEEL = """@relation made
@attribute colour {red, green}
@attribute Length real [0.0, 9.0]
@attribute Class {a, b}
@inputs colour, Length
@outputs Class
@data
red, 1.5, a
green, <null>, 01
?, 2.0, b
"""


def written(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", encoding="utf-8") as file:
        file.write(text)
    return path.parent


@pytest.mark.parametrize("file", ["made.dat", "made.dat.gz", "made/made.dat"])
def test_a_keel_file_with_its_header(tmp_path, file):
    written(tmp_path / file, KEEL)
    table = tabular.read("keel", "made", [tmp_path])
    # categories in sorted order, the empty cell as one of its own; the class as it is written
    assert table.names == ("0=(missing)", "0=green", "0=red", "1")
    np.testing.assert_array_equal(
        table.features, [[0, 0, 1, 1.5], [0, 1, 0, np.nan], [1, 0, 0, 2.0]]
    )
    assert table.features.dtype == np.float32
    assert table.labels.tolist() == ["a", "01", "b"]
    assert table.missing == 2
    assert table.text_columns == ("0",)


def test_raw_keel_rows_without_a_header(tmp_path):
    written(tmp_path / "made.dat", "1,2,x \n3,4, y\n\n")
    table = tabular.read("keel", "made", [tmp_path])
    assert table.features.tolist() == [[1, 2], [3, 4]]
    assert table.labels.tolist() == ["x", "y"]


def test_abalone_is_joined_from_its_two_files(tmp_path):
    written(tmp_path / "abalone19.dat", "M, 0.40, 2,negative\nF, 1, 3,positive\n")
    written(tmp_path / "abalone.data.gz", "Sexo,a,b,Anillos\nF,1.0,3,19\nI,7,7,5\nM,0.4,2,8\n")
    table = tabular.read("keel", "abalone", [tmp_path])
    assert table.labels.tolist() == ["8", "19"]
    assert table.names == ("0=F", "0=M", "1", "2")
    assert len(tabular.files("keel", "abalone", [tmp_path])) == 2


def test_a_row_that_cannot_be_joined_is_named(tmp_path):
    written(tmp_path / "abalone19.dat", "M, 0.40, 2,negative\nF, 1, 4,positive\n")
    written(tmp_path / "abalone.data", "Sexo,a,b,Anillos\nM,0.4,2,8\n")
    with pytest.raises(tabular.UnusableTable, match="row 1"):
        tabular.read("keel", "abalone", [tmp_path])


def test_keels_own_abalone_goes_before_the_joined_one(tmp_path):
    written(tmp_path / "abalone19.dat", "M, 0.40, 2,negative\n")
    written(tmp_path / "abalone.data", "Sexo,a,b,Anillos\nM,0.4,2,8\n")
    written(tmp_path / "abalone.dat", "M, 0.40, 2, 15\n")
    assert tabular.read("keel", "abalone", [tmp_path]).labels.tolist() == ["15"]


def test_rows_of_different_width_are_refused(tmp_path):
    written(tmp_path / "made.dat", "1,2,x\n3,y\n5,6,z\n")
    with pytest.raises(tabular.UnusableTable, match="row 1: 2 cells where the last row has 3"):
        tabular.read("keel", "made", [tmp_path])


@pytest.mark.parametrize("file", ["made.tsv.gz", "made.tsv", "made/made.tsv.gz"])
def test_a_pmlb_file(tmp_path, file):
    written(tmp_path / file, "x\ttarget\ty\n1\t0\t2.5\n\t1\tNaN\n3\t1\t4\n")
    table = tabular.read("pmlb", "made", [tmp_path])
    np.testing.assert_array_equal(table.features, [[1, 2.5], [np.nan, np.nan], [3, 4]])
    assert table.labels.tolist() == ["0", "1", "1"]
    assert (table.missing, table.names) == (2, ("x", "y"))


def test_the_first_folder_that_has_a_file_wins(tmp_path):
    written(tmp_path / "two" / "made.tsv", "x\ttarget\n2\tb\n")
    written(tmp_path / "three" / "made.tsv", "x\ttarget\n3\tc\n")
    folders = [tmp_path / name for name in ("one", "two", "three")]
    assert tabular.read("pmlb", "made", folders).labels.tolist() == ["b"]
    assert tabular.files("pmlb", "made", folders) == [str(tmp_path / "two" / "made.tsv")]
    assert tabular.files("pmlb", "other", folders) == []


@pytest.mark.parametrize(
    ("collection", "file", "address"),
    [
        ("keel", "letter.dat", "https://sci2s.ugr.es/keel/"),
        ("pmlb", "letter.tsv.gz", "datasets/letter/letter.tsv.gz"),
    ],
)
def test_a_missing_set_says_what_to_put_where(tmp_path, collection, file, address):
    with pytest.raises(tabular.MissingTable) as caught:
        tabular.read(collection, "letter", [tmp_path])
    for words in (file, address, str(tmp_path)):
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x\ty\n1\t2\n", "no column 'target'"),
        ("x\ttarget\n1\t\n", "row 0: no class"),
        ("target\na\n", "no columns of features"),
        ("x\ttarget\n", "no rows"),
        ("x\ttarget\n1e39\ta\n", "column x, row 0"),
        ("x\ttarget\n" + "".join(f"word{n}\ta\n" for n in range(51)), "column x: text with 51"),
        ("", "cannot be read"),
    ],
)
def test_an_unusable_pmlb_file_says_why(tmp_path, text, reason):
    written(tmp_path / "made.tsv", text)
    with pytest.raises(tabular.UnusableTable, match=reason) as caught:
        tabular.read("pmlb", "made", [tmp_path])
    assert "made.tsv" in str(caught.value)


@pytest.mark.parametrize(("collection", "file"), [("pmlb", "made.tsv.gz"), ("keel", "made.dat.gz")])
@pytest.mark.parametrize("damage", ["cut", "changed", "other"])
def test_a_damaged_archive_says_so(tmp_path, collection, file, damage):
    head = b"x\ttarget\n" if collection == "pmlb" else b""
    separator = b"\t" if collection == "pmlb" else b","
    rows = b"".join(b"%d%sa\n" % (n * n, separator) for n in range(999))
    packed = gzip.compress(head + rows)
    broken = {
        "cut": packed[:-30],
        "changed": packed[:200] + bytes(99) + packed[299:],
        "other": b"<html>not found</html>",
    }
    (tmp_path / file).write_bytes(broken[damage])
    with pytest.raises(tabular.UnusableTable, match=f"{file} cannot be read"):
        tabular.read(collection, "made", [tmp_path])


@pytest.mark.parametrize(
    ("collection", "file"), [("keel", "glass1.dat.gz"), ("pmlb", "glass1.tsv.gz")]
)
def test_a_packed_bomb_is_refused_before_it_fills_the_memory(
    tmp_path, monkeypatch, collection, file
):
    monkeypatch.setattr(tabular, "MOST_BYTES", 5_000_000)
    with gzip.open(tmp_path / file, "wb") as packed:
        for _ in range(6):
            packed.write(b"1,2,a\n" * 170_000)
    assert (tmp_path / file).stat().st_size < 100_000
    with pytest.raises(tabular.UnusableTable, match="unpacks to more than 5000000 bytes"):
        tabular.read(collection, "glass1", [tmp_path])


def test_a_join_with_text_for_a_number_is_named(tmp_path):
    written(tmp_path / "abalone19.dat", "M, 0.40, 2,negative\n")
    written(tmp_path / "abalone.data", "Sexo,a,b,Anillos\nM,much,2,8\n")
    with pytest.raises(tabular.UnusableTable, match=r"abalone\.data cannot be read"):
        tabular.read("keel", "abalone", [tmp_path])


def test_an_unknown_collection_is_named():
    with pytest.raises(ValueError, match="unknown collection 'uci'; known are keel, pmlb"):
        tabular.read("uci", "iris", [])


def test_the_real_sets_have_their_published_sizes(mirror):
    # rows and inputs as KEEL's and PMLB's pages give them; the classes without those of no row
    expected = {
        ("keel", "abalone"): (4174, 8 + 2, 28),
        ("keel", "vehicle"): (846, 18, 4),
        ("pmlb", "penguins"): (344, 7, 3),
        ("pmlb", "wine_quality_red"): (1599, 11, 6),
    }
    for (collection, name), (rows, features, classes) in expected.items():
        table = tabular.read(collection, name, [mirror / collection])
        assert table.features.shape == (rows, features), name
        assert len(set(table.labels.tolist())) == classes, name
