"""What a sound file's container declares, against the bytes that are there."""

import os
import struct
from typing import BinaryIO

REASONS = (
    "unreadable",
    "empty",
    "truncated",
    "undeclared_length",
    "non_finite",
    "silent",
    "below_gate",
)

_STREAM_SIZE = 0x7FFFF000  # streaming writers put this or more where they do not know the size


class UnusableClip(Exception):
    """A clip that cannot take part, with the reason that the report counts.

    Attributes
    ----------
    reason : str
        One of `REASONS`.
    detail : str
        What was found, for a person.
    """

    def __init__(self, reason: str, detail: str) -> None:
        if reason not in REASONS:
            raise ValueError(f"unknown reason {reason!r}; known are {', '.join(REASONS)}")
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


def refuse_broken_container(file: BinaryIO) -> None:
    """Compare what the container declares with the bytes that are there.

    libsndfile decodes what it finds of a cut WAV or Ogg file without a word (B16), so
    the declared sizes are read here. Formats not known here are left to the decoder.
    """
    size = os.fstat(file.fileno()).st_size
    if not size:
        raise UnusableClip("empty", "the file has no bytes")
    magic = file.read(4)
    if magic in (b"RIFF", b"RF64", b"RIFX", b"FORM"):
        _walk_chunks(file, size, magic)
    elif magic == b"OggS":
        _walk_pages(file, size)


def _walk_chunks(file: BinaryIO, size: int, magic: bytes) -> None:
    """Find the sound chunk of a WAV or AIFF file and check its declared size."""
    order = ">" if magic in (b"RIFX", b"FORM") else "<"
    position, long_size = 12, None
    while position + 8 <= size:
        file.seek(position)
        name, declared = struct.unpack(order + "4sI", file.read(8))
        if name == b"ds64" and magic == b"RF64":
            long_size = struct.unpack("<QQ", file.read(16).ljust(16, b"\0"))[1]
        if name in (b"data", b"SSND"):
            if magic == b"RF64" and declared == 0xFFFFFFFF and long_size is not None:
                declared = long_size
            _refuse_size(file, declared, size - position - 8)
            return
        position += 8 + declared + declared % 2


def _refuse_size(file: BinaryIO, declared: int, present: int) -> None:
    """Refuse a sound chunk of `declared` bytes where `present` bytes are left in the file."""
    if _STREAM_SIZE <= declared <= 0xFFFFFFFF and declared > present:
        raise UnusableClip("undeclared_length", f"a stream: size field {declared:#x}")
    if declared > present:
        raise UnusableClip(
            "truncated", f"{present} of {declared} declared bytes of sound are there"
        )
    if declared == 0 and present and not _chunk_follows(file, present):
        raise UnusableClip("undeclared_length", f"size field 0 before {present} bytes of sound")


def _chunk_follows(file: BinaryIO, present: int) -> bool:
    """Tell a further chunk (after a truly empty sound chunk) from sound."""
    header = file.read(8)
    if len(header) < 8:
        return False
    name, declared = struct.unpack("<4sI", header)
    return all(32 <= byte < 127 for byte in name) and declared <= present - 8


def _walk_pages(file: BinaryIO, size: int) -> None:
    """Follow the pages of an Ogg file; the last whole one must be marked as the end."""
    position, ended = 0, False
    while position < size:
        file.seek(position)
        head = file.read(27)
        if head[:4] != b"OggS"[: len(head)]:
            break  # bytes of another kind after the stream, such as tags
        lacing = file.read(head[26]) if len(head) == 27 else b""
        position += 27 + len(lacing) + sum(lacing)
        if len(head) < 27 or len(lacing) < head[26] or position > size:
            raise UnusableClip("truncated", "the file ends inside an Ogg page")
        ended = bool(head[5] & 4)
    if not ended:
        raise UnusableClip("truncated", "the last Ogg page is not marked as the end of the stream")


def is_untagged_mpeg(file: BinaryIO) -> bool:
    """Tell an MPEG stream whose first frame does not say how many follow."""
    file.seek(0)
    head = file.read(10)
    start = 0
    if head[:3] == b"ID3":  # its size: four bytes of seven bits
        start = 10 + sum(
            byte << shift for byte, shift in zip(head[6:], (21, 14, 7, 0), strict=True)
        )
    file.seek(start)
    frame = file.read(256)
    is_mpeg = len(frame) > 1 and frame[0] == 0xFF and frame[1] >= 0xE0
    return is_mpeg and not any(tag in frame for tag in (b"Xing", b"Info", b"VBRI"))
