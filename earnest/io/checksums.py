"""Checksums inside the files that earnest reads back: written with them, verified when read.

Every byte of a file counts, so one flipped bit anywhere is noticed. The checksum is xxh3 of 64
bits, against damage and edits, not against forgery; it is as fast as memory.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

KEY = "earnest.checksum"
DIGITS = 16
_EMPTY = b"0" * DIGITS
# In the footer of parquet, where a value follows its key after its type and its length.
_VALUE_AT = len(KEY) + 2
_ARRAY_MARK = b"\n" + KEY.encode() + b"="
_ARRAY_END = len(_ARRAY_MARK) + DIGITS + 1


class DamagedFile(ValueError):
    """A file does not hold what was written into it.

    Attributes
    ----------
    path : pathlib.Path
        The file; whoever knows that it can be made again may delete it.
    """

    def __init__(self, path: str | os.PathLike[str], problem: str) -> None:
        super().__init__(f"{path} {problem}; delete it and run again, and it is made anew")
        self.path = Path(path)


def of_bytes(*parts: Any) -> str:
    """Return the checksum of buffers, one after the other, as 16 hexadecimal digits."""
    import xxhash

    digest = xxhash.xxh3_64()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def placeholder() -> dict[str, str]:
    """Return what the metadata of a parquet file must hold for `seal_parquet`."""
    return {KEY: _EMPTY.decode()}


def seal_parquet(path: str | os.PathLike[str]) -> None:
    """Fill in the checksum of a parquet file whose metadata hold the `placeholder`."""
    with open(path, "rb+") as file:
        content = file.read()
        place = _place_in_footer(content)
        if place is None or content[place : place + DIGITS] != _EMPTY:
            raise ValueError(f"{path} has no placeholder for its checksum")
        file.seek(place)
        file.write(of_bytes(content).encode())


def verified_parquet(path: str | os.PathLike[str]) -> "pyarrow.Buffer":
    """Return the content of a parquet file, memory-mapped, after verifying its checksum.

    Raises
    ------
    DamagedFile
        If the checksum is missing or of another content.
    FileNotFoundError
        If there is no such file.
    """
    import pyarrow as pa

    with pa.memory_map(os.fspath(path)) as file:
        content = file.read_buffer()
    view = memoryview(content)
    place = _place_in_footer(view)
    if place is None:
        raise DamagedFile(path, "has no checksum: it is damaged, or not written by earnest")
    written = bytes(view[place : place + DIGITS])
    _compare(path, written, of_bytes(view[:place], _EMPTY, view[place + DIGITS :]))
    return content


def _place_in_footer(content: Any) -> int | None:
    """Return where the digits of the checksum begin; the footer's length comes before the end."""
    size = int.from_bytes(content[-8:-4], "little")
    start = max(0, len(content) - 8 - size)
    place = bytes(content[start:]).rfind(KEY.encode())
    return None if place < 0 else start + place + _VALUE_AT


def seal_array(path: str | os.PathLike[str]) -> None:
    """Append the checksum to a .npy file, behind the array, where numpy does not look."""
    import numpy as np

    content = np.memmap(path, dtype=np.uint8, mode="r")
    digest = of_bytes(content)
    del content
    with open(path, "ab") as file:
        file.write(_ARRAY_MARK + digest.encode() + b"\n")


def verify_array(path: str | os.PathLike[str]) -> None:
    """Compare a .npy file with the checksum behind its array.

    Raises
    ------
    DamagedFile
        If the checksum is missing or of another content.
    FileNotFoundError
        If there is no such file.
    """
    import numpy as np

    if os.path.getsize(path) <= _ARRAY_END:
        raise DamagedFile(path, "is too short to be whole")
    content = np.memmap(path, dtype=np.uint8, mode="r")
    end = bytes(content[-_ARRAY_END:])
    if not (end.startswith(_ARRAY_MARK) and end.endswith(b"\n")):
        raise DamagedFile(path, "has no checksum: it is damaged, or not written by earnest")
    _compare(path, end[len(_ARRAY_MARK) : -1], of_bytes(content[:-_ARRAY_END]))


def verify_samples(path: str | os.PathLike[str], row: int, samples: Any, checksum: Any) -> None:
    """Compare the samples of one item with the checksum that its table has.

    An item without one (null) lies in no shard that earnest wrote, and passes.

    Raises
    ------
    DamagedFile
        If they are others than those that were written.
    """
    if isinstance(checksum, str) and of_bytes(samples) != checksum:
        raise DamagedFile(path, f"holds other samples in row {row} than its table says")


def _compare(path: str | os.PathLike[str], written: bytes, computed: str) -> None:
    if written != computed.encode():
        raise DamagedFile(
            path,
            f"is damaged or was edited: its checksum is {computed}, and"
            f" {written.decode(errors='replace')} was written",
        )
