"""Splitting a data set's clips over jobs, and joining what they made."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas


def rows_of_part(listing: "pandas.DataFrame", *, part: int, parts: int) -> "pandas.DataFrame":
    """Return every `parts`-th row of a listing, so that each job gets a like mix of labels.

    Parameters
    ----------
    listing : pandas.DataFrame
        A `listing` table, in any order.
    part : int
        Which part, 0 to `parts` - 1.
    parts : int
        How many parts there are.

    Returns
    -------
    pandas.DataFrame
        Rows in order of `clip_id`; none if there are fewer clips than parts.
    """
    ordered = listing.sort_values("clip_id", kind="stable")
    return ordered.iloc[part::parts].reset_index(drop=True)


def join_parts(frames: Sequence["pandas.DataFrame"]) -> "pandas.DataFrame":
    """Join the clips tables of all parts of all data sets.

    Parameters
    ----------
    frames : sequence of pandas.DataFrame
        One `clips` table a part.

    Returns
    -------
    pandas.DataFrame
        A `clips` table whose `part` is the position of its frame, so that it points into a
        sequence of the prepared arrays in the same order.
    """
    import pandas as pd

    numbered = [frame.assign(part=position) for position, frame in enumerate(frames)]
    return pd.concat(numbered, ignore_index=True)
