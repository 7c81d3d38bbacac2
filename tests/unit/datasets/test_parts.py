"""Clips are dealt to jobs in turn, and joined so that each row says where its sound lies."""

import pandas as pd

from earnest.datasets import parts

LISTING = pd.DataFrame({"clip_id": ["e", "b", "a", "d", "c"], "label": list("vwxyz")})


def test_every_clip_is_in_one_part_by_turns():
    dealt = [list(parts.rows_of_part(LISTING, part=i, parts=2)["clip_id"]) for i in range(2)]
    assert dealt == [["a", "c", "e"], ["b", "d"]]


def test_a_row_stays_whole_and_numbers_begin_at_zero():
    rows = parts.rows_of_part(LISTING, part=1, parts=2)
    assert list(rows["label"]) == ["w", "y"]
    assert list(rows.index) == [0, 1]


def test_more_parts_than_clips_leave_some_empty():
    assert parts.rows_of_part(LISTING, part=6, parts=7).empty
    assert list(parts.rows_of_part(LISTING, part=6, parts=7).columns) == ["clip_id", "label"]


def test_joined_rows_say_which_frame_they_are_of():
    frames = [LISTING.iloc[:2].assign(part=0), LISTING.iloc[:0], LISTING.iloc[2:].assign(part=0)]
    joined = parts.join_parts(frames)
    assert list(joined["part"]) == [0, 0, 2, 2, 2]
    assert list(joined["clip_id"]) == ["e", "b", "a", "d", "c"]
    assert list(joined.index) == [0, 1, 2, 3, 4]
