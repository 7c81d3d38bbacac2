"""Reading and writing of every file: parquet, npy, strict JSON; stamped, aside and renamed."""

import json
import math
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.io import checksums, disk, encoding, schemas, spreadsheets

if TYPE_CHECKING:
    import pandas
    import pyarrow

STAMP_KEY = b"earnest.stamp"
TABLE_KEY = b"earnest.table"
CHECKSUM = "checksum"


class StampError(ValueError):
    """Shards that were made by different code or configuration were about to be mixed."""


@contextmanager
def written_aside(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside `path`, and rename it to `path` if the block succeeds.

    A killed or failed block leaves `path` as it was; the temporary file keeps the
    suffix of `path`, because writers choose their format by it.

    Raises
    ------
    OSError
        If there is no room, or the folder cannot be written to; the message names `path`, of which
        nothing was kept, and what to do.
    """
    path = Path(path)
    aside = _empty_file_beside(path)
    try:
        yield aside
        mask = os.umask(0)
        os.umask(mask)
        aside.chmod(0o666 & ~mask)
        os.replace(aside, path)
    except OSError as error:
        # numpy reports a short write without a number
        if error.errno not in (None, *disk.FULL):
            raise
        raise disk.with_advice(error, path) from error
    finally:
        with suppress(
            OSError
        ):  # a folder that was made read-only meanwhile: the first error counts
            aside.unlink(missing_ok=True)


def _empty_file_beside(path: Path) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(
            prefix=f".{path.stem}.", suffix=path.suffix, dir=path.parent
        )
    except OSError as error:
        if error.errno not in (*disk.FULL, *disk.CLOSED):
            raise
        raise disk.with_advice(error, path) from error
    os.close(handle)
    return Path(name)


def write_frame(
    table: str, frame: "pandas.DataFrame", path: str | os.PathLike[str], *, stamp: str = ""
) -> None:
    """Check a data frame against its schema and write it as parquet.

    Parameters
    ----------
    table : str
        A key of `earnest.io.schemas.TABLES`.
    frame : pandas.DataFrame
        The rows; none is fine, the columns are written all the same.
    path : path-like
        Where to write; parent folders are made.
    stamp : str
        What made the rows (code version and configuration), checked by `read_shards`.

    Raises
    ------
    earnest.io.schemas.SchemaError
        If the frame does not fit its schema.
    """
    import pyarrow.parquet as pq

    rows = schemas.to_arrow(table, frame)
    rows = rows.replace_schema_metadata({TABLE_KEY: table.encode(), STAMP_KEY: stamp.encode()})
    with written_aside(path) as aside:
        with pq.ParquetWriter(aside, rows.schema, compression="zstd") as writer:
            writer.write_table(rows)
            writer.add_key_value_metadata(checksums.placeholder())
        checksums.seal_parquet(aside)


def read_frame(
    table: str, path: str | os.PathLike[str], *, only: Mapping[str, Any] | None = None
) -> "pandas.DataFrame":
    """Read a parquet file that `write_frame` wrote; columns in schema order, nullable types kept.

    Parameters
    ----------
    table : str
        A key of `earnest.io.schemas.TABLES`.
    path : path-like
        The file.
    only : mapping of str to value, optional
        Columns and the values that rows must have; others are not read into memory.

    Raises
    ------
    earnest.io.schemas.SchemaError
        If the file's columns are not those of the schema.
    earnest.io.checksums.DamagedFile
        If the file is not what was written.
    """
    return _to_pandas(read_arrow(table, path, only))


def read_shards(
    table: str, paths: Sequence[str | os.PathLike[str]], *, stamp: str | Sequence[str]
) -> "pandas.DataFrame":
    """Read and join the shards of one stage, in the order given.

    Parameters
    ----------
    table : str
        A key of `earnest.io.schemas.TABLES`.
    paths : sequence of path-like
        The shards that the grid names; an empty sequence gives an empty frame.
    stamp : str or sequence of str
        The stamp that every shard must carry, or that of each.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    StampError
        If a shard carries another stamp; all such shards are listed.
    earnest.io.checksums.DamagedFile
        If a shard is not what was written.
    """
    import pyarrow as pa

    tables = [read_arrow(table, path) for path in paths]
    found = [(t.schema.metadata or {}).get(STAMP_KEY, b"").decode() for t in tables]
    wanted = [stamp] * len(tables) if isinstance(stamp, str) else stamp
    wrong = [
        f"{path} ({have} instead of {want})"
        for path, have, want in zip(paths, found, wanted, strict=True)
        if have != want
    ]
    if wrong:
        raise StampError(
            f"{len(wrong)} of {len(tables)} shards were not made by the present code and"
            f" configuration (by their stamps): {', '.join(wrong[:5])}; delete them and run again"
        )
    if not tables:
        return _to_pandas(schemas.arrow_schema(table).empty_table())
    plain = [t.replace_schema_metadata(None) for t in tables]
    return _to_pandas(pa.concat_tables(plain))


def read_arrow(
    table: str, path: str | os.PathLike[str], only: Mapping[str, Any] | None = None
) -> "pyarrow.Table":
    """Read a parquet file as `read_frame` does, as an Arrow table with its metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    filters = [(name, "=", value) for name, value in (only or {}).items()]
    content = pa.BufferReader(checksums.verified_parquet(path))
    rows = pq.read_table(content, filters=filters or None)
    if rows.schema.names != schemas.arrow_schema(table).names:
        raise schemas.SchemaError(f"{path} does not hold the columns of table {table}")
    return rows


def _to_pandas(rows: Any) -> "pandas.DataFrame":
    import pandas as pd
    import pyarrow as pa

    nullable = {pa.int64(): pd.Int64Dtype()}
    plain = {f.name for f in rows.schema if f.type == pa.int64() and not f.nullable}
    frame = rows.to_pandas(types_mapper=nullable.get)
    return frame.astype(dict.fromkeys(plain, "int64"))


def write_csv(table: str, frame: "pandas.DataFrame", path: str | os.PathLike[str]) -> None:
    """Check a data frame against its schema and write it as UTF-8 CSV, aside and renamed.

    Columns stand in the order of the schema, null is an empty field, numbers are written so
    that reading them gives the same double. Texts pass through `spreadsheets.safe_text`.

    Raises
    ------
    earnest.io.schemas.SchemaError
        If the frame does not fit its schema.
    """
    rows = _to_pandas(schemas.to_arrow(table, frame))
    for name, column in schemas.TABLES[table].items():
        if column.kind == "string":
            rows[name] = rows[name].map(spreadsheets.safe_text, na_action="ignore")
    write_text(spreadsheets.as_csv(rows), path)


def write_array(array: np.ndarray, path: str | os.PathLike[str]) -> None:
    """Write an array as .npy, aside and renamed; object arrays are refused."""
    with written_aside(path) as aside:
        with open(aside, "wb") as file:
            np.save(file, array, allow_pickle=False)
        checksums.seal_array(aside)


def write_array_blocks(
    blocks: Iterable[np.ndarray], path: str | os.PathLike[str], *, rows: int, columns: int
) -> None:
    """Write a float32 array (rows, columns) as .npy from blocks of its rows, aside and renamed.

    Only one block is in memory at a time.

    Raises
    ------
    ValueError
        If the blocks together have another shape.
    """
    header = {"descr": "<f4", "fortran_order": False, "shape": (rows, columns)}
    with written_aside(path) as aside:
        with open(aside, "wb") as file:
            np.lib.format.write_array_header_1_0(file, header)
            written = 0
            for block in blocks:
                if block.ndim != 2 or block.shape[1] != columns:
                    raise ValueError(
                        f"{path}: a block has shape {block.shape} instead of (n, {columns})"
                    )
                file.write(np.ascontiguousarray(block, dtype="<f4").tobytes())
                written += len(block)
            if written != rows:
                raise ValueError(f"{path}: the blocks have {written} rows instead of {rows}")
        checksums.seal_array(aside)


def read_array(
    path: str | os.PathLike[str], *, memory_map: bool = True, verified: bool = True
) -> np.ndarray:
    """Read a .npy array; pickles are refused.

    Parameters
    ----------
    path : path-like
        The file.
    memory_map : bool
        Map it read-only instead of reading it.
    verified : bool
        Whether earnest wrote it and the whole of it is compared with its checksum. Not where
        others wrote it, nor where its rows are verified one by one.

    Raises
    ------
    earnest.io.checksums.DamagedFile
        If the file is not what was written.
    """
    if verified:
        checksums.verify_array(path)
    return np.load(path, mmap_mode="r" if memory_map else None, allow_pickle=False)


def plain(value: Any) -> Any:
    """Convert numpy scalars, arrays, paths and tuples to plain Python values for JSON or YAML.

    Raises
    ------
    ValueError
        If a number is NaN or infinite: such a result is written as null with a reason.
    TypeError
        If a value has no plain form.
    """
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("NaN and infinite numbers are not written: give null and a reason")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{type(value).__name__} has no plain form: {value!r}")


def write_json(document: Any, path: str | os.PathLike[str], *, checksum: bool = True) -> None:
    """Write a strict JSON document (no NaN, sorted keys, a final newline), aside and renamed.

    A document with keys gets the key `checksum`, which `read_json` verifies and leaves out; not
    one that others read for its numbers, such as `metrics.json`.
    """
    document = plain(document)
    if checksum and isinstance(document, dict):
        document = document | {CHECKSUM: checksums.of_bytes(_json_text(document).encode())}
    write_text(_json_text(document), path)


def _json_text(document: Any) -> str:
    return (
        json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
    )


def read_json(path: str | os.PathLike[str]) -> Any:
    """Read a JSON document; NaN and Infinity are refused.

    Raises
    ------
    earnest.io.checksums.DamagedFile
        If it has the key `checksum`, and that of the rest is another.
    """

    def refuse(constant: str) -> None:
        raise ValueError(f"{path} holds {constant}, which is not JSON")

    document = json.loads(Path(path).read_text(encoding="utf-8"), parse_constant=refuse)
    if isinstance(document, dict) and CHECKSUM in document:
        written = document.pop(CHECKSUM)
        if written != checksums.of_bytes(_json_text(document).encode()):
            raise checksums.DamagedFile(path, "is damaged or was edited: its checksum is another")
    return document


def read_named_json(
    names: Iterable[str], paths: Iterable[str | os.PathLike[str]]
) -> dict[str, Any]:
    """Read one document for each name, in the same order."""
    return dict(zip(names, map(read_json, paths), strict=True))


def read_optional_json(paths: Sequence[str | os.PathLike[str]]) -> Any:
    """Read the one document of a list of at most one path; None where the list is empty."""
    if len(paths) > 1:
        raise ValueError(
            f"one document was expected, got {len(paths)}: {', '.join(map(str, paths))}"
        )
    return read_json(paths[0]) if paths else None


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """Write UTF-8 text with newlines kept, aside and renamed."""
    with written_aside(path) as aside:
        aside.write_text(text, encoding="utf-8", newline="")


def write_bytes(data: bytes, path: str | os.PathLike[str]) -> None:
    """Write bytes as they are, aside and renamed."""
    with written_aside(path) as aside:
        aside.write_bytes(data)


def write_audio(
    samples: np.ndarray, path: str | os.PathLike[str], *, sample_rate: int = 16_000
) -> None:
    """Write mono 16-bit samples as WAV or FLAC, by the suffix of the path.

    Parameters
    ----------
    samples : ndarray (n,) int16
        Integers, because a writer that is given floats clips or scales them in its own way.
    path : path-like
        Ends in .wav or .flac.
    sample_rate : int
        In Hz.

    Raises
    ------
    TypeError
        If the samples are not int16.
    ValueError
        If the format is unknown, or the samples are more than a WAV file can hold.
    """
    write_audio_blocks([samples], path, sample_rate=sample_rate)


def write_audio_blocks(
    blocks: Iterable[np.ndarray], path: str | os.PathLike[str], *, sample_rate: int = 16_000
) -> None:
    """Write the samples of several arrays, one after the other, as `write_audio` writes one.

    Each is written before the next is asked for, so all may be views of the same memory.
    """
    write = encoding.writer(path)
    with written_aside(path) as aside, open(aside, "wb") as file:
        write(blocks, file, sample_rate)


def remove_folder(path: str | os.PathLike[str]) -> None:
    """Remove a folder and all that is in it; one that does not exist is passed over."""
    import shutil

    if os.path.isdir(path):
        shutil.rmtree(path)


def read_item(
    path: str | os.PathLike[str], row: int, length: int, checksum: str | None = None
) -> np.ndarray:
    """Read one item of a file of equally long items, such as a shard of mixtures.

    Parameters
    ----------
    path : path-like
        A mono file that `write_audio` wrote.
    row : int
        Position of the item.
    length : int
        Samples in each item.
    checksum : str, optional
        Of its 16-bit samples, as the table `mixtures` has it.

    Returns
    -------
    ndarray (length,) float32
        In [-1, 1).

    Raises
    ------
    ValueError
        If the file ends before that item does.
    earnest.io.checksums.DamagedFile
        If the item is not what was written.
    """
    import soundfile

    samples, _ = soundfile.read(path, start=row * length, frames=length, dtype="int16")
    if len(samples) != length:
        raise ValueError(f"{path} does not hold item {row} of {length} samples")
    checksums.verify_samples(path, row, samples, checksum)
    return samples.astype(np.float32) / np.float32(32_768)
