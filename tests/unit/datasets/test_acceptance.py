import pandas as pd
import pytest

from earnest.datasets.acceptance import UnexpectedRejections, check_rejections

CLIPS = pd.DataFrame(
    {
        "path": ["a.wav", "b.wav", "c.wav", "d.wav", "e.wav"],
        "status": ["used", "rejected", "rejected", "rejected", "skipped"],
        "reason": [None, "silent", "truncated", "silent", "no pair"],
    }
)


def test_expected_rejections_are_counted():
    assert check_rejections(CLIPS, ["silent", "truncated"]) == {
        "listed": 5,
        "skipped": 1,
        "used": 1,
        "rejected": {"silent": 2, "truncated": 1},
    }


def test_unexpected_rejections_are_named_with_file_and_reason():
    with pytest.raises(UnexpectedRejections, match=r"1 clips .*\n  c\.wav: truncated\n"):
        check_rejections(CLIPS, ["silent"])
