"""Tables read strictly: broken quotes, odd encodings, parquet of all kinds, ragged rows."""

import gzip

import numpy as np
import pandas as pd
import pytest

from earnest.io.cells import UnusableInput
from earnest.io.strict import read_texts

GOOD = b"item_id,label\na,robin\nb,wren\n"


def written(folder, data, name="t.csv"):
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


READABLE = {
    "plain": GOOD,
    "mark": b"\xef\xbb\xbf" + GOOD,
    "windows": GOOD.replace(b"\n", b"\r\n"),
    "old mac": GOOD.replace(b"\n", b"\r"),
    "mixed": b"item_id,label\r\na,robin\rb,wren",
    "blank lines": b"item_id,label\n\na,robin\n\nb,wren\n\n",
    "quoted": b'"item_id","label"\n"a","robin"\n"b","wren"\n',
    "packed": gzip.compress(GOOD),
}


@pytest.mark.parametrize("name", READABLE)
def test_what_means_the_same_reads_the_same(tmp_path, name):
    table = read_texts(written(tmp_path, READABLE[name]), ["label"], key="item_id")
    assert table.names.tolist() == ["a", "b"]
    assert table.columns["label"].tolist() == ["robin", "wren"]


def test_rows_know_their_lines(tmp_path):
    table = read_texts(written(tmp_path, "item_id,label\n\na,x\n\n\nb,y\n"))
    assert table.lines.tolist() == [3, 6]


def test_names_are_those_of_normal_form_c(tmp_path):
    table = read_texts(written(tmp_path, "item_id,label\na,Vo\u0308gel\n"))
    assert table.columns["label"].tolist() == ["V\xf6gel"]
    with pytest.raises(UnusableInput, match="is there twice, in rows 1 and 2"):
        read_texts(written(tmp_path, "item_id\nVo\u0308gel\nV\xf6gel\n"), key="item_id")


UNREADABLE = {
    "two stray marks": (
        'item_id,label\na,"robin\nb,wren\nc,"wren\nd,robin\n',
        r"row 1 \(line 2\): a cell does not end in its line.*is a quotation mark missing",
    ),
    "one stray mark": ('item_id,label\na,robin\nb,"wren\n', r"row 2 \(line 3\).*quotation mark"),
    "unread column": ('item_id,label,note\na,x,"he said\nb,y,no"\n', r"row 1 \(line 2\)"),
    "text after a mark": ('item_id,label\na,"5" wide\n', "text follows a quotation mark"),
    "line end": ('item_id,label\n"a\nb",x\n', r"row 1 \(line 2\)"),
    "long": ("item_id,label\n" + "x" * 200_000 + ",y\n", "longer than any name"),
    "short row": ("item_id,label\na,x\nb\n", "line 3: 2 cells expected, found 1"),
    "long row": ("item_id,label\na,x,y\n", "line 2: 2 cells expected, found 3"),
    "empty": ("", "the file is empty"),
    "blank": (" \n\n", "the file is empty"),
    "semicolons": ("item_id;label\na;x\n", "parted by semicolons"),
    "tabs": ("item_id\tlabel\na\tx\n", "parted by tabs"),
    "sep": ("sep=,\nitem_id,label\na,x\n", "remove the first line 'sep='"),
    "utf-16": ("item_id,label\na,x\n".encode("utf-16"), "UTF-16 text; save it as UTF-8"),
    "latin": ("item_id,label\na,\xe9\n".encode("latin-1"), "line 2 holds the byte 0xe9"),
    "nul": ("item_id,label\na\0,x\n", "line 2: a NUL character"),
    "workbook": (b"PK\x03\x04rest", "a workbook; save the sheet as CSV"),
    "array": (b"\x93NUMPY\x01", "an array"),
    "twice": ("item_id,label,label\na,x,y\n", "column 'label' is there twice"),
}


OF_COMMAS = ("semicolons", "tabs", "sep", "utf-16", "latin", "nul", "workbook", "array")
CASES = [(name, "csv") for name in UNREADABLE]
CASES += [(name, "tsv") for name in UNREADABLE if name not in OF_COMMAS]


@pytest.mark.parametrize(("name", "suffix"), CASES)
def test_what_cannot_be_read_says_where_and_why(tmp_path, name, suffix):
    data, words = UNREADABLE[name]
    if suffix == "tsv":
        data = data.replace(",", "\t")
    path = written(tmp_path, data, f"t.{suffix}")
    with pytest.raises(UnusableInput, match=words) as caught:
        read_texts(path, ["label"], key="item_id")
    assert f"t.{suffix}" in str(caught.value)
    assert len(str(caught.value)) < 400


def test_nullable_columns_of_parquet(tmp_path):
    frame = pd.DataFrame({"item_id": ["a", "b"], "chance": [0.25, np.nan], "note": ["x", None]})
    frame["whole"] = [1, 2]
    frame["sure"] = [True, False]
    frame.convert_dtypes().to_parquet(tmp_path / "t.parquet")
    frame.to_parquet(tmp_path / "plain.parquet")
    for name in ("t", "plain"):
        table = read_texts(tmp_path / f"{name}.parquet", key="item_id")
        assert {key: cells.tolist() for key, cells in table.columns.items()} == {
            "item_id": ["a", "b"],
            "chance": ["0.25", ""],
            "note": ["x", ""],
            "whole": ["1", "2"],
            "sure": ["True", "False"],
        }


def test_an_index_of_pandas_is_a_column(tmp_path):
    pd.DataFrame({"item_id": ["a"], "label": ["x"]}).set_index("item_id").to_parquet(
        tmp_path / "t.parquet"
    )
    assert read_texts(tmp_path / "t.parquet", key="item_id").names.tolist() == ["a"]


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([["x", "y"], ["z"]], "a cell holds several values"),
        ([b"x", b"y"], "holds bytes"),
        (["x", "y\nz"], r"row 2, column 'label': 'y\\nz' holds a line end"),
    ],
)
def test_cells_of_parquet_that_are_no_text(tmp_path, cells, words):
    pd.DataFrame({"label": cells}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(UnusableInput, match=words):
        read_texts(tmp_path / "t.parquet")


def test_numbers_are_those_of_python_and_nothing_looser(tmp_path):
    path = written(tmp_path, "p\n1.0000001\n-5.8e-17\n0.25\n1e-3\n")
    assert read_texts(path).numbers("p", "").tolist() == [1, 0, 0.25, 0.001]
    for cell in ("0_1", "\uff11", "0,5", "inf", "nan", "1.01", "-0.01", "0x1"):
        path = written(tmp_path, f'p\n"{cell}"\n')
        with pytest.raises(UnusableInput, match=r"row 1, column 'p': .* is no number from 0 to 1"):
            read_texts(path).numbers("p", "remedy")


def test_rounded_probabilities_are_scaled_and_said(tmp_path):
    table = read_texts(written(tmp_path, "p_a,p_b,p_c\n0.33,0.33,0.33\n0.5,0.25,0.25\n"))
    values, notes = table.normalised(np.array([[0.33] * 3, [0.5, 0.25, 0.25]]), "p_")
    assert values[0] == pytest.approx(np.full(3, 1 / 3))
    assert "1 rows of p_* are rounded to 2 digits and sum to 1 only within 0.01" in notes[0]
    values, notes = table.normalised(np.array([[0.3333, 0.3333, 0.333]]), "p_")
    assert notes == []
    with pytest.raises(UnusableInput, match=r"sum to 0.96 .*rounding to 2 digits explains 0.015"):
        table.normalised(np.array([[0.32] * 3]), "p_")
    with pytest.raises(UnusableInput, match=r"sum to 0.9981.*softmax"):
        table.normalised(np.array([[0.332700001] * 3]), "p_")


def test_json_in_a_cell_is_no_class(tmp_path):
    path = written(tmp_path, 'label\n"{""choices"":[""hum""]}"\n')
    with pytest.raises(UnusableInput, match="is JSON, as labelling tools export it"):
        read_texts(path).classes("label", "")
    path = written(tmp_path, "label\n[sic]\n{odd\n")
    assert read_texts(path).classes("label", "").tolist() == ["[sic]", "{odd"]
