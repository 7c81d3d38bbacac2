"""Checksums: every flipped byte of a table, an array or a document is noticed."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from earnest import io
from earnest.io import checksums
from earnest.io.checksums import DamagedFile


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """One file of each kind, with what reads it and what it gives."""
    folder = tmp_path_factory.mktemp("written")
    rows = pd.DataFrame({"kind": "pair", "name": [f"n{k}" for k in range(300)], "reason": "r"})
    io.write_frame("dropped", rows, folder / "a.parquet", stamp="0123456789abcdef")
    io.write_array(np.arange(300, dtype=np.float32).reshape(100, 3), folder / "b.npy")
    io.write_array_blocks([np.ones((7, 2))], folder / "c.npy", rows=7, columns=2)
    io.write_json({"a": [1, 2.5, None], "b": {"c": "text"}}, folder / "d.json")
    return folder


def read(path):
    if path.suffix == ".parquet":
        return io.read_shards("dropped", [path], stamp="0123456789abcdef").to_dict("records")
    if path.suffix == ".npy":
        return io.read_array(path, memory_map=False).tolist()
    return io.read_json(path)


FILES = ("a.parquet", "b.npy", "c.npy", "d.json")


@pytest.mark.parametrize("name", FILES)
def test_what_was_written_is_read(written, name):
    assert len(read(written / name)) in (300, 100, 7, 2)


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
@settings(deadline=None, max_examples=150)
def test_one_changed_byte_is_never_read_as_something_else(written, tmp_path_factory, name, data):
    content = bytearray((written / name).read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.getbasetemp() / f"damaged-{name}"
    path.write_bytes(content)
    try:
        found = read(path)
    except ValueError:  # DamagedFile, or no JSON any more
        return
    # of a document, blanks and the name of the key `checksum` may change, its values may not
    assert name == "d.json"
    assert {key: found[key] for key in ("a", "b")} == read(written / name)


@pytest.mark.parametrize("name", ["a.parquet", "b.npy"])
@pytest.mark.parametrize("keep", [0, 4, 30, 200, -1, -9])
def test_a_cut_file_is_damaged_and_named(written, tmp_path, name, keep):
    path = tmp_path / name
    path.write_bytes((written / name).read_bytes()[:keep])
    with pytest.raises(DamagedFile, match=f"{name} .*; delete it and run again") as raised:
        read(path)
    assert raised.value.path == path


def test_files_of_others_have_no_checksum(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros(9))
    pd.DataFrame({"kind": ["k"], "name": ["n"], "reason": ["r"]}).to_parquet(tmp_path / "b.parquet")
    with pytest.raises(DamagedFile, match="has no checksum: it is damaged, or not written by"):
        io.read_array(tmp_path / "a.npy")
    assert io.read_array(tmp_path / "a.npy", verified=False).tolist() == [0] * 9
    with pytest.raises(DamagedFile, match="has no checksum"):
        io.read_frame("dropped", tmp_path / "b.parquet")
    (tmp_path / "c.json").write_text('{"a": 1}')
    assert io.read_json(tmp_path / "c.json") == {"a": 1}


def test_other_libraries_still_read_the_files(written):
    assert np.load(written / "b.npy", mmap_mode="r", allow_pickle=False).shape == (100, 3)
    assert len(pd.read_parquet(written / "a.parquet")) == 300


def test_an_edited_document_is_refused(written, tmp_path):
    text = (written / "d.json").read_text().replace("2.5", "2.6")
    (tmp_path / "d.json").write_text(text)
    with pytest.raises(DamagedFile, match=r"d\.json is damaged or was edited"):
        io.read_json(tmp_path / "d.json")


def test_samples_of_an_item_are_compared_with_its_table(tmp_path):
    samples = np.arange(-20, 20, dtype=np.int16)
    io.write_audio(samples, tmp_path / "a.wav")
    own = checksums.of_bytes(samples[10:20])
    np.testing.assert_array_equal(
        io.read_item(tmp_path / "a.wav", 1, 10, own), samples[10:20].astype(np.float32) / 32_768
    )
    with pytest.raises(DamagedFile, match=r"a\.wav holds other samples in row 2"):
        io.read_item(tmp_path / "a.wav", 2, 10, own)


def test_the_checksum_is_xxh3_of_64_bits():
    # published: the hash of nothing
    assert checksums.of_bytes(b"") == "2d06800538d394c2"
    assert checksums.of_bytes(b"ab", b"c") == checksums.of_bytes(b"abc")
