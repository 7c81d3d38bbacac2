"""Joining the embeddings of shards in the order of the plan, a block of rows at a time."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest import io

if TYPE_CHECKING:
    import pandas

ROWS = 4_096  # of the joined array in memory at a time


class MixedBackends(ValueError):
    """Embeddings made with different settings or versions were about to be mixed."""


def check_same_meta(
    descriptions: Sequence[Mapping[str, Any]], *, names: Sequence[str] | None = None
) -> dict[str, Any]:
    """Check that all embeddings were made by the same backend, settings and versions.

    Parameters
    ----------
    descriptions : sequence of mapping
        What `Backend.describe` gave for each shard.
    names : sequence of str, optional
        What to call them in the message; shards by default.

    Returns
    -------
    dict
        The description that they share.

    Raises
    ------
    MixedBackends
        If two differ; the message gives the key and both values.
    ValueError
        If there are none.
    """
    if not descriptions:
        raise ValueError("no embeddings to gather: the study has no shards")
    first = _flat(descriptions[0])
    for position, description in enumerate(descriptions):
        other = _flat(description)
        for key in sorted(first.keys() | other.keys()):
            if first.get(key) != other.get(key):
                called = names or [f"shard {i}" for i in range(len(descriptions))]
                raise MixedBackends(
                    f"embeddings of {called[0]} and {called[position]} were made differently:"
                    f" {key} is {first.get(key)!r} and {other.get(key)!r}; delete the embeddings"
                    " and run again"
                )
    return dict(descriptions[0])


def _flat(description: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in description.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = io.plain(value)
    return flat


def arrange(
    items: Sequence["pandas.DataFrame"],
    *,
    order: Sequence[str],
    rejected: Collection[str] = (),
) -> tuple["pandas.DataFrame", np.ndarray]:
    """Put the items of all shards in the order of the plan.

    Parameters
    ----------
    items : sequence of pandas.DataFrame
        Table `items` of each shard.
    order : sequence of str
        The names of the planned items.
    rejected : collection of str
        Those planned that have no sound.

    Returns
    -------
    items : pandas.DataFrame
        Table `items`, in the order of the plan.
    places : (N, 2) int64
        For each of them the position of its shard, and its row there.

    Raises
    ------
    ValueError
        If an item is planned and in no shard, in a shard and not planned, or there twice.
    """
    import pandas as pd

    rows = pd.concat(items, ignore_index=True)
    places = np.concatenate(
        [
            np.column_stack([np.full(len(one), i), np.arange(len(one))])
            for i, one in enumerate(items)
        ]
    ).astype(np.int64)
    _check_planned([*rows["item_id"], *rejected], order)
    rank = pd.Series(range(len(order)), index=list(order))
    positions = np.argsort(rank[rows["item_id"]].to_numpy(), kind="stable")
    return rows.iloc[positions].reset_index(drop=True), places[positions]


def joined_blocks(
    embeddings: Sequence[np.ndarray], items: "pandas.DataFrame", places: np.ndarray
) -> Iterator[np.ndarray]:
    """Yield the joined array, at most `ROWS` rows at a time.

    Parameters
    ----------
    embeddings : sequence of (n_i, d) float32
        Of each shard, possibly memory-mapped.
    items, places
        From `arrange`.

    Yields
    ------
    (k, d) float32

    Raises
    ------
    ValueError
        If a shard's vectors do not match its items, or if a vector is not finite; the item is
        named.
    """
    counts = np.bincount(places[:, 0], minlength=len(embeddings))
    for position, (array, count) in enumerate(zip(embeddings, counts, strict=True)):
        if len(array) != count:
            raise ValueError(f"shard {position}: {len(array)} vectors for {count} items")
    for first in range(0, len(places), ROWS):
        shards, rows = places[first : first + ROWS].T
        block = np.empty((len(rows), embeddings[0].shape[1]), dtype=np.float32)
        for shard in np.unique(shards):
            here = shards == shard
            block[here] = embeddings[shard][rows[here]]
        bad = ~np.isfinite(block).all(axis=1)
        if bad.any():
            name = items["item_id"].iloc[first + int(bad.argmax())]
            raise ValueError(f"the embedding of {name} is not finite")
        yield block


def gather(
    items: Sequence["pandas.DataFrame"],
    embeddings: Sequence[np.ndarray],
    *,
    order: Sequence[str],
    rejected: Collection[str] = (),
) -> tuple["pandas.DataFrame", np.ndarray]:
    """Join the shards' embeddings in memory: `arrange` and `joined_blocks` in one call.

    Returns
    -------
    items : pandas.DataFrame
        Table `items`, in the order of the plan.
    embeddings : (N, d) float32

    Raises
    ------
    ValueError
        As from these two.
    """
    rows, places = arrange(items, order=order, rejected=rejected)
    blocks = list(joined_blocks(embeddings, rows, places))
    return rows, np.concatenate(blocks) if blocks else np.empty((0, embeddings[0].shape[1]), "f4")


def _check_planned(found: Sequence[str], order: Sequence[str]) -> None:
    twice = sorted(name for name, times in Counter(found).items() if times > 1)
    absent = sorted(set(order) - set(found))
    unplanned = sorted(set(found) - set(order))
    for names, what in ((twice, "twice"), (absent, "in no shard"), (unplanned, "not planned")):
        if names:
            raise ValueError(f"{len(names)} items are {what}: {', '.join(names[:5])}")
