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

SEVERAL = "several streams in one file, of which only the first would be decoded"
# Containers whose declared length is compared with what is there, here or by the decoder.
CHECKED = frozenset(
    ("AIFF", "AU", "AVR", "CAF", "FLAC", "HTK", "MP3", "MPEG", "NIST", "OGG", "RF64", "SDS")
) | {"SVX", "VOC", "W64", "WAV", "WAVEX"}
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
    the declared sizes are read here. Formats that the decoder checks itself are left to it, the
    others are refused by `refuse_unchecked`.
    """
    size = os.fstat(file.fileno()).st_size
    if not size:
        raise UnusableClip("empty", "the file has no bytes")
    magic = file.read(4)
    if magic in (b"RIFF", b"RF64", b"RIFX", b"FORM"):
        _walk_chunks(file, size, magic)
    elif magic == b"OggS":
        _walk_pages(file, size)
    elif magic == b"fLaC":
        _refuse_second_flac(file)
    elif magic == b"riff":
        _walk_guids(file, size)
    elif magic in (b".snd", b"dns."):
        start, declared = struct.unpack(
            (">" if magic == b".snd" else "<") + "II", file.read(8).ljust(8, b"\0")
        )
        _refuse_cut(declared, size - start)
    elif magic == b"Crea":
        _walk_blocks(file, size)
    elif magic == b"NIST":
        _refuse_cut(*_nist_sizes(file, size))
    elif magic == b"2BIT":
        file.seek(12)
        stereo, bits = struct.unpack(">HH", file.read(4).ljust(4, b"\0"))
        file.seek(26)
        frames = struct.unpack(">I", file.read(4).ljust(4, b"\0"))[0]
        _refuse_cut(frames * (2 if stereo else 1) * bits // 8, size - 128)


def _walk_chunks(file: BinaryIO, size: int, magic: bytes) -> None:
    """Find the sound chunk of a WAV or AIFF file and check its declared size."""
    order = ">" if magic in (b"RIFX", b"FORM") else "<"
    position, long_size = 12, None
    while position + 8 <= size:
        file.seek(position)
        name, declared = struct.unpack(order + "4sI", file.read(8))
        if name == b"ds64" and magic == b"RF64":
            long_size = struct.unpack("<QQ", file.read(16).ljust(16, b"\0"))[1]
        if name in (b"data", b"SSND", b"BODY"):
            if magic == b"RF64" and declared == 0xFFFFFFFF and long_size is not None:
                declared = long_size
            _refuse_size(file, declared, size - position - 8)
            file.seek(4)
            whole = struct.unpack(order + "I", file.read(4))[0]
            for end in (position + 8 + declared, 8 + whole):
                _refuse_second(file, end, magic)
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


def _refuse_cut(declared: int, present: int) -> None:
    """Refuse sound of `declared` bytes, the last of its file, of which fewer are there."""
    if declared == 0xFFFFFFFF:
        raise UnusableClip("undeclared_length", f"a stream: size field {declared:#x}")
    if declared > present:
        raise UnusableClip(
            "truncated", f"{max(present, 0)} of {declared} declared bytes of sound are there"
        )


def _refuse_second(file: BinaryIO, end: int, magic: bytes) -> None:
    """Refuse a file after which another of the same container follows; only one is decoded."""
    file.seek(end + end % 2)
    if file.read(4) == magic:
        raise UnusableClip("unreadable", SEVERAL)


def _refuse_second_flac(file: BinaryIO) -> None:
    """Look for a second stream's marker, with the head of its STREAMINFO of 34 bytes."""
    file.seek(4)
    tail = b""
    while block := file.read(1 << 20):
        if b"fLaC\0\0\0\x22" in tail + block or b"fLaC\x80\0\0\x22" in tail + block:
            raise UnusableClip("unreadable", SEVERAL)
        tail = block[-7:]


def _walk_guids(file: BinaryIO, size: int) -> None:
    """Find the sound chunk of a W64 file; sizes hold their own 24 bytes of head."""
    position = 40
    while position + 24 <= size:
        file.seek(position)
        head = file.read(24)
        declared = struct.unpack("<Q", head[16:])[0]
        if head[:4] == b"data":
            _refuse_cut(declared - 24, size - position - 24)
            return
        position += max(24, declared + -declared % 8)


def _walk_blocks(file: BinaryIO, size: int) -> None:
    """Follow the blocks of a VOC file up to its end mark."""
    file.seek(20)
    position = struct.unpack("<H", file.read(2).ljust(2, b"\0"))[0]
    while position < size:
        file.seek(position)
        head = file.read(4)
        if head[0] == 0:
            return
        declared = int.from_bytes(head[1:], "little")
        _refuse_cut(declared, size - position - 4)
        position += 4 + declared


def _nist_sizes(file: BinaryIO, size: int) -> tuple[int, int]:
    """Return the bytes of sound that a NIST file declares, and those behind its head."""
    file.seek(0)
    words = [line.split() for line in file.read(1024).split(b"\n")]
    values = {word[0]: word[2] for word in words if len(word) == 3}
    try:
        length = int(words[1][0])
        names = (b"sample_count", b"channel_count", b"sample_n_bytes")
        count, channels, width = (int(values[name]) for name in names)
    except (KeyError, ValueError, IndexError) as error:
        raise UnusableClip(
            "undeclared_length", "the head of the NIST file does not say how long its sound is"
        ) from error
    return count * channels * width, size - length


def refuse_unchecked(container: str) -> None:
    """Refuse a container, as libsndfile calls it, of which nobody can say whether it is whole."""
    if container not in CHECKED:
        raise UnusableClip(
            "undeclared_length",
            f"{container} files are not known to be whole; convert it to WAV or FLAC",
        )


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
        if ended and head[5] & 2:
            raise UnusableClip("unreadable", SEVERAL)
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
