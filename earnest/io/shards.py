"""The shards of a large study, read a part at a time."""

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from earnest.io.files import read_arrow, read_shards

if TYPE_CHECKING:
    import pandas


def read_parts(
    table: str, paths: Sequence[str | os.PathLike[str]], *, stamps: Sequence[str], by: str
) -> Iterator["pandas.DataFrame"]:
    """Read shards as `earnest.io.read_shards` does, those of one value of a column at a time.

    Parameters
    ----------
    table : str
        A key of `earnest.io.schemas.TABLES`.
    paths : sequence of path-like
        The shards that the grid names.
    stamps : sequence of str
        The stamp that each must carry.
    by : str
        A column of text, with one value in each shard.

    Yields
    ------
    pandas.DataFrame
        All rows of one value; values in sorted order, shards of a value in the order given. Only
        one part needs to be in memory at a time.

    Raises
    ------
    ValueError
        If a shard has several values, or there are not as many stamps as shards.
    earnest.io.StampError
        If a shard of the part carries another stamp.
    """
    parts: dict[str, list[tuple[Any, ...]]] = {}
    for shard in zip(paths, stamps, strict=True):
        values = read_arrow(table, shard[0])[by].unique().to_pylist()
        if len(values) > 1:
            raise ValueError(f"{shard[0]} has several values of {by}: {', '.join(values[:5])}")
        for value in values:
            parts.setdefault(value, []).append(shard)
    for _, shards in sorted(parts.items()):
        files, wanted = zip(*shards, strict=True)
        yield read_shards(table, files, stamp=wanted)
