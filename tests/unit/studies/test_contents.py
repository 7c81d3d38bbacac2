"""What files hold: looked at once, and taken by the jobs of a run as the run found it."""

import pytest

from earnest import io
from earnest.studies.contents import Contents


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_each_file_is_looked_at_once(tmp_path):
    (tmp_path / "a.csv").write_text("1")
    contents = Contents("s")
    before = contents.of("a.csv")
    (tmp_path / "a.csv").write_text("2")
    assert contents.of("a.csv") == before
    assert Contents("s").of("a.csv") != before


def test_a_job_takes_the_digests_of_its_run(tmp_path):
    (tmp_path / "a.csv").write_text("1")
    (tmp_path / "b").mkdir()
    run = Contents("s")
    first = run.of_each(["a.csv", "b", "gone.csv"])
    assert first[2] == "missing"
    (tmp_path / "a.csv").write_text("2")
    assert Contents("s", in_job=True).of_each(["a.csv", "b", "gone.csv"]) == first
    # what the run did not ask for is looked at, and the record of the run stays
    (tmp_path / "c.csv").write_text("3")
    assert len(Contents("s", in_job=True).of("c.csv")) == 64
    assert set(io.read_json("data/fingerprints/s.json")) == {"a.csv", "b", "gone.csv"}
