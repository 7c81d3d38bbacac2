"""A disk that fills up while something is written: a clear stop, nothing half-written is kept."""

import errno
import os
import signal
import subprocess
import sys
import wave

import numpy as np
import pandas as pd
import pytest
import soundfile

from earnest import io

RATE = 16_000

# In a process of its own, in which no file may grow beyond 300,000 bytes.
LIMITED = """
import resource, signal, sys
import numpy as np, pandas as pd
from earnest import io
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
noise = np.random.default_rng(0).integers(-30_000, 30_000, 1_000_000).astype(np.int16)
writers = {
    "a.wav": lambda path: io.write_audio(noise, path),
    # only the last bytes do not fit, which libsndfile does not notice
    "b.wav": lambda path: io.write_audio(noise[:150_100], path),
    "c.flac": lambda path: io.write_audio(noise, path),
    "d.flac": lambda path: io.write_audio(noise[:150_100], path),
    "e.npy": lambda path: io.write_array(noise, path),
    "f.json": lambda path: io.write_json(noise.tolist(), path),
    "g.parquet": lambda path: io.write_frame("dropped", pd.DataFrame(
        {"kind": "k", "name": [str(n) for n in noise], "reason": "r"}), path),
}
for name, write in writers.items():
    try:
        write(f"{sys.argv[1]}/{name}")
    except OSError as error:
        print(name, error.errno, f"/{name} was not written" in str(error))
    else:
        print(name, "went through")
"""
NAMES = ["a.wav", "b.wav", "c.flac", "d.flac", "e.npy", "f.json", "g.parquet"]


def test_no_writer_takes_a_full_disk_for_success(root, tmp_path):
    (tmp_path / "a.wav").write_bytes(b"of an earlier run")
    command = [sys.executable, "-c", LIMITED, str(tmp_path)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    found = [line.split() for line in done.stdout.splitlines()]
    assert [line[0] for line in found] == NAMES
    assert [line[2] for line in found] == ["True"] * len(NAMES)
    assert {int(line[1]) for line in found} <= {errno.EFBIG, errno.ENOSPC}
    assert [path.name for path in tmp_path.iterdir()] == ["a.wav"]
    assert (tmp_path / "a.wav").read_bytes() == b"of an earlier run"


@pytest.fixture
def small_disk(tmp_path):
    """A file system of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here: a full one was not tried")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_stops_rendering_and_preparing_with_its_name(small_disk, tmp_path):
    from earnest.datasets.preparing import prepare

    noise = np.random.default_rng(0).normal(size=80_000).astype(np.float32) * 0.1
    rows = []
    for number in range(6):
        path = tmp_path / f"{number}.wav"
        soundfile.write(path, noise, RATE, subtype="FLOAT")
        rows.append((f"made/{number}", "made", str(path), "noise", None, f"made/{number}", None))
    columns = ["clip_id", "dataset", "path", "label", "fold", "recording", "sha256"]
    listing = pd.DataFrame(rows, columns=columns).astype({"fold": "Int64"})
    with pytest.raises(OSError, match=r"No space left on device: .*part.npy was not written"):
        prepare(listing, part=0, array_path=small_disk / "part.npy", root_seed=0)
    with pytest.raises(OSError, match=r"No space left on device: .*shard.wav was not written"):
        io.write_audio(np.zeros(1_000_000, np.int16), small_disk / "shard.wav")
    assert list(small_disk.iterdir()) == []
    # There is room again, and the same calls go through.
    prepare(listing[:2], part=0, array_path=small_disk / "part.npy", root_seed=0)
    assert [path.name for path in small_disk.iterdir()] == ["part.npy"]


def test_the_wav_file_is_the_one_that_libsndfile_writes(tmp_path):
    samples = np.random.default_rng(0).integers(-(2**15), 2**15, 12_345).astype(np.int16)
    io.write_audio(samples, tmp_path / "a.wav", sample_rate=22_050)
    soundfile.write(tmp_path / "b.wav", samples, 22_050, subtype="PCM_16")
    assert (tmp_path / "a.wav").read_bytes() == (tmp_path / "b.wav").read_bytes()
    with wave.open(str(tmp_path / "a.wav")) as sound:
        assert sound.getnframes() == 12_345
    io.write_audio(samples[::2], tmp_path / "a.flac")
    found, rate = soundfile.read(tmp_path / "a.flac", dtype="int16")
    assert rate == RATE
    assert found.tobytes() == samples[::2].tobytes()


@pytest.mark.parametrize("suffix", [".wav", ".flac"])
def test_samples_in_blocks_make_the_same_file(tmp_path, suffix):
    samples = np.random.default_rng(0).integers(-(2**15), 2**15, 12_345).astype(np.int16)
    io.write_audio(samples, tmp_path / f"whole{suffix}")
    room = np.empty(5_000, np.int16)

    def blocks():
        for start in range(0, len(samples), len(room)):
            part = samples[start : start + len(room)]
            room[: len(part)] = part
            yield room[: len(part)]

    io.write_audio_blocks(blocks(), tmp_path / f"blocks{suffix}")
    whole, parts = ((tmp_path / f"{name}{suffix}").read_bytes() for name in ("whole", "blocks"))
    assert whole == parts
    with pytest.raises(TypeError, match="float64"):
        io.write_audio_blocks([samples, samples / 2], tmp_path / f"blocks{suffix}")
    assert (tmp_path / f"blocks{suffix}").read_bytes() == whole


def test_too_much_for_a_wav_file_and_unknown_formats_are_refused(tmp_path):
    much = np.lib.stride_tricks.as_strided(np.zeros(1, np.int16), (2**31,), (0,))
    with pytest.raises(ValueError, match="use more shards"):
        io.write_audio(much, tmp_path / "a.wav")
    with pytest.raises(ValueError, match=r"written as .wav or .flac"):
        io.write_audio(np.zeros(3, np.int16), tmp_path / "a.mp3")
    assert list(tmp_path.iterdir()) == []


def test_other_errors_keep_their_own_words(tmp_path):
    said = os.strerror(errno.EACCES)
    with pytest.raises(OSError, match=said) as caught, io.written_aside(tmp_path / "a.txt"):
        raise PermissionError(errno.EACCES, said, "elsewhere")
    assert caught.value.filename == "elsewhere"
    assert signal.SIGXFSZ  # the limit above needs a system that has it
