import warnings

import pytest

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
