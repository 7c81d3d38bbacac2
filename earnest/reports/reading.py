"""Reading the files that a page is made of."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest import io

if TYPE_CHECKING:
    import pandas


def read_frames(
    tables: Mapping[str, str], paths: Mapping[str, str | os.PathLike]
) -> dict[str, "pandas.DataFrame"]:
    """Read several tables, each under the name that the page has for it.

    Parameters
    ----------
    tables : mapping of str to str
        Per name the table, a key of `earnest.io.schemas.TABLES`.
    paths : mapping of str to path-like
        Per name the parquet file; other names may be there too.

    Raises
    ------
    KeyError
        If a name has no path.
    earnest.io.schemas.SchemaError
        If a file's columns are not those of its table.
    """
    return {name: io.read_frame(table, paths[name]) for name, table in tables.items()}


def read_pools(
    descriptions: Iterable[str | os.PathLike],
    pools: Iterable[str | os.PathLike],
    subconcepts: Iterable[str | os.PathLike],
) -> dict[str, tuple[dict, "pandas.DataFrame", "pandas.DataFrame"]]:
    """Read the description, pool and subconcepts of several tasks, by the tasks' names.

    Parameters
    ----------
    descriptions, pools, subconcepts : iterable of path-like
        task.json, pool.parquet and subconcepts.parquet of each task, in one order.

    Raises
    ------
    ValueError
        If there are not equally many of each.
    """
    return {
        (description := io.read_json(task))["name"]: (
            description,
            io.read_frame("pool", pool),
            io.read_frame("subconcepts", subconcept),
        )
        for task, pool, subconcept in zip(descriptions, pools, subconcepts, strict=True)
    }


def read_sounds(
    rows: Iterable[Mapping[str, Any]], shards: Sequence[str | os.PathLike], length: int
) -> list[tuple[Mapping[str, Any], np.ndarray]]:
    """Read the sound of some mixtures.

    Parameters
    ----------
    rows : iterable of mapping
        Rows of a `mixtures` table, all of one variant.
    shards : sequence of path-like
        The sound files of that variant, by number of the shard.
    length : int
        Samples of each mixture.

    Returns
    -------
    list of (mapping, ndarray (length,) float32)
        Every row with its sound, in [-1, 1).
    """
    return [
        (row, io.read_item(shards[row["shard"]], row["row"], length, row["checksum"]))
        for row in rows
    ]
