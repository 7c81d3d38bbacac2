"""A download that is killed while it comes in and while it is unpacked is whole in the end."""

import io
import random
import shutil
import subprocess
import sys
import time
import zipfile

import pytest

from earnest.datasets import registry
from tests.faults import kills
from tests.file_server import serving

FETCH = """
import sys
from earnest.datasets import fetching
print(fetching.locate("birds", mirror=None, destination=sys.argv[1], registry=sys.argv[2]))
"""


def release():
    """Return an archive of 300 files that do not pack."""
    buffer, draw = io.BytesIO(), random.Random(0)
    with zipfile.ZipFile(buffer, "w") as file:
        for number in range(300):
            file.writestr(f"birds-1/audio/{number:03d}.wav", draw.randbytes(100_000))
    return buffer.getvalue()


def is_arriving(raw):
    return any(path.stat().st_size for path in raw.glob("downloads/birds.zip.part"))


def is_unpacking(raw):
    return any(path.is_file() for path in raw.glob(".birds.*/**/*.wav"))


@pytest.fixture
def fetch(root, tmp_path, monkeypatch):
    """What starts a process that fetches the data set into tmp_path/raw."""
    with serving(monkeypatch) as server:
        server.answers["birds.zip"] = [release()]
        row = {"dataset": "birds", "file": "birds.zip", "address": server.address("birds.zip")}
        lines = [registry.COLUMNS, [row.get(name, "") for name in registry.COLUMNS]]
        table = tmp_path / "datasets.tsv"
        table.write_text("".join("\t".join(line) + "\n" for line in lines))
        command = [sys.executable, "-c", FETCH, str(tmp_path / "raw"), str(table)]

        def start():
            return subprocess.Popen(command, cwd=root, start_new_session=True)

        yield start


def kill_at_work(fetch, raw, is_at_work, pause):
    """Kill a process a moment after it began with something; again where it was faster."""
    for _ in range(20):
        run = fetch()
        while run.poll() is None and not is_at_work(raw):
            time.sleep(0.0005)
        time.sleep(pause)
        kills.kill(run, raw / "nobody works here")
        if not (raw / "birds").exists():
            return
        shutil.rmtree(raw)
    pytest.fail("it always ended before it could be killed")


@pytest.mark.parametrize("seed", [0, 1])
def test_a_killed_download_is_whole_in_the_end(fetch, tmp_path, seed):
    raw, draw = tmp_path / "raw", random.Random(seed)
    for is_at_work in (is_arriving, is_unpacking, is_unpacking):
        kill_at_work(fetch, raw, is_at_work, draw.uniform(0, 0.01))
        assert list(raw.glob("downloads/birds.zip*"))  # which the next one goes on from
    assert fetch().wait() == 0
    with zipfile.ZipFile(io.BytesIO(release())) as file:
        wanted = {name.removeprefix("birds-1/"): file.read(name) for name in file.namelist()}
    found = {
        str(path.relative_to(raw / "birds")): path.read_bytes()
        for path in (raw / "birds").rglob("*.wav")
    }
    assert found == wanted
    # what the killed ones left is gone
    assert sorted(path.name for path in raw.iterdir()) == ["birds", "downloads"]
