import warnings

import numpy as np
import pytest

from earnest import io
from earnest.studies.joblog import job_log


def test_prints_and_warnings_go_to_the_file(tmp_path, capsys):
    with job_log(tmp_path / "deep" / "job.log"):
        print("working")
        warnings.warn("look out", UserWarning, stacklevel=1)
    text = (tmp_path / "deep" / "job.log").read_text()
    assert "working" in text
    assert "look out" in text
    assert capsys.readouterr() == ("", "")


def test_an_error_is_one_line_on_the_screen_and_a_traceback_in_the_file(tmp_path, capsys):
    with pytest.raises(SystemExit) as caught, job_log(tmp_path / "job.log"):
        raise ValueError("clip 7 is silent")
    assert caught.value.code == 1
    screen = capsys.readouterr().err
    assert screen.startswith("earnest: ValueError: clip 7 is silent (details: ")
    assert screen.count("\n") == 1
    assert "Traceback" in (tmp_path / "job.log").read_text()


def test_a_damaged_file_is_set_aside_for_the_next_run(tmp_path, capsys):
    path = tmp_path / "a.npy"
    io.write_array(np.arange(9), path)
    content = bytearray(path.read_bytes())
    content[-50] ^= 1
    path.write_bytes(content)
    with pytest.raises(SystemExit), job_log(tmp_path / "log"):
        io.read_array(path)
    assert not path.exists()
    assert (tmp_path / "a.npy.damaged").read_bytes() == content
    told = capsys.readouterr().err
    assert "a.npy is damaged or was edited: its checksum is" in told
    assert "a.npy.damaged; the same command makes it anew" in told
