"""From a located data set to its listing: subsets warn, downloads must be whole, files stay."""

import numpy as np
import pytest

from earnest.datasets import hashes, verification
from tests import made_releases
from tests.made_releases import noise, write_audio


@pytest.fixture
def speakers(tmp_path):
    return made_releases.write_vocalsound(tmp_path / "vocalsound", speakers=2, parts=False)


def test_files_are_recorded_and_compared_ever_after(speakers, tmp_path):
    options = {"origin": "mirror", "records": tmp_path / "checksums"}
    first = verification.list_verified("vocalsound", speakers, **options)
    record = tmp_path / "checksums" / "vocalsound-mirror.tsv"
    assert len(record.read_text().splitlines()) == 1 + 12
    assert verification.list_verified("vocalsound", speakers, **options).equals(first)
    write_audio(speakers / "audio_16k" / "f0000_0_cough.wav", np.zeros(100))
    with pytest.raises(hashes.ChangedFiles, match=r"audio_16k/f0000_0_cough\.wav: expected"):
        verification.list_verified("vocalsound", speakers, **options)


def test_a_download_must_be_whole_a_mirror_may_be_a_part(speakers, tmp_path):
    records = tmp_path / "checksums"
    with pytest.raises(verification.IncompleteData, match="12 clips are listed, the release has"):
        verification.list_verified("vocalsound", speakers, origin="download", records=records)
    assert not records.exists()


@pytest.mark.filterwarnings("ignore:desed. (1 of|.*lists 6 files)")
def test_clips_that_vanished_are_no_incomplete_download(tmp_path):
    root = made_releases.write_desed(tmp_path / "desed")
    with pytest.warns(UserWarning, match="desed: 1 listed files are not there"):
        listing = verification.list_verified(
            "desed", root, origin="download", records=tmp_path / "checksums"
        )
    assert len(listing) == 5


def test_an_own_folder_has_options_and_no_record(tmp_path):
    rng = np.random.default_rng(0)
    for name in ("cat/r1_a.wav", "cat/r1_b.wav", "dog/r2_a.wav"):
        write_audio(tmp_path / "own" / name, noise(0, rng, seconds=0.5, sample_rate=8_000))
    located = verification.locate_own(tmp_path / "own", "a digest")
    assert located["origin"] == "own"
    assert located["contents"] == "a digest"
    digests = []
    options = {"origin": "own", "records": tmp_path / "checksums", "labels": None}
    for _ in range(2):
        listing = verification.list_verified(
            "folder", located["root"], recordings=r"(r\d)_", **options
        )
        digests.append(listing["sha256"].tolist())
        write_audio(tmp_path / "own" / "cat" / "r1_a.wav", np.ones(5))  # it may be changed
    assert listing["recording"].tolist() == ["folder/r1", "folder/r1", "folder/r2"]
    assert digests[0][0] != digests[1][0]
    assert digests[0][1:] == digests[1][1:]
    assert not (tmp_path / "checksums").exists()
