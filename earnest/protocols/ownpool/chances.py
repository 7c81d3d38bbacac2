"""How the labelled items were chosen: the chances that a pool table or an earlier draw records."""

import os
from pathlib import PurePath

import numpy as np

from earnest.io import names
from earnest.io.cells import Table, UnusableInput, listed
from earnest.io.spreadsheets import safe_text
from earnest.io.strict import read_texts
from earnest.samplers import DETERMINISTIC
from earnest.samplers.designs import Design


def rows_of(table: Table, pool: Table, *, is_ours: bool = False) -> np.ndarray:
    """Return the pool row of each row of a table, by name or as `io.write_csv` wrote it.

    Parameters
    ----------
    table, pool : Table
    is_ours : bool
        Whether `io.write_csv` wrote the table.

    Raises
    ------
    UnusableInput
        If names are not in the pool, two are the same item, or one may be either of two items.
    """
    places = {name: row for row, name in enumerate(pool.names.tolist())}
    marked = {safe_text(name): row for name, row in places.items()}
    either = {name for name, row in marked.items() if places.get(name, row) != row}
    unclear = [] if is_ours else sorted(either & set(table.names.tolist()))
    if unclear:
        raise UnusableInput(
            f"{table.path}: {unclear[0]!r} may be that item or the one without its first"
            " apostrophe; rename one of the two in the pool"
        )
    known = marked if is_ours else marked | places
    rows = [known.get(name, -1) for name in table.names.tolist()]
    rows = np.array(rows, dtype=np.int64)
    unknown = table.names[rows < 0]
    if len(unknown):
        raise UnusableInput(
            f"{table.path}: {len(unknown)} items are not in {pool.path}: {listed(unknown)}; add"
            f" them to the pool or remove their rows{_meant(unknown[0], pool)}"
        )
    if len(np.unique(rows)) < len(rows):
        raise UnusableInput(f"{table.path}: an item is there twice, once with an apostrophe")
    return rows


def _meant(name: str, pool: Table) -> str:
    """Return a hint at the item that was perhaps meant."""
    stem = PurePath(name.replace("\\", "/")).name
    for row, item in enumerate(pool.names.tolist()):
        why = None
        if names.skeleton(item) == names.skeleton(name):
            why = "case, spaces or letters that look alike"
        elif name.isdigit() and item.isdigit() and int(name) == int(item):
            why = "zeros in front, which spreadsheets drop"
        elif item != name and names.skeleton(PurePath(item).name) == names.skeleton(stem):
            why = "the folder"
        if why:
            found, given = names.shown(item, name), names.shown(name, item)
            return f" (row {row + 1} of the pool is {found}: only {why} tell it from {given})"
    return ""


def known_chances(
    pool: Table, labelled: np.ndarray, sampler: str | None, drawn: str | os.PathLike[str] | None
) -> tuple[Design | None, list[str]]:
    """Return the chances with which the labelled items were drawn, if known, and what to note.

    Parameters
    ----------
    pool : Table
    labelled : ndarray (n,) of int
        Rows of the pool, ascending.
    sampler : str or None
    drawn : path-like or None
        The items of a later draw; those labelled before it were sure to be known.

    Raises
    ------
    UnusableInput
        If chances are missing, contradict the sampler, or cannot be those of this draw.
    """
    column = "inclusion_probability"
    if drawn is not None:
        if column in pool.columns:
            raise UnusableInput(f"{pool.path}: column {column!r} and {drawn} both give chances")
        return _of_draw(pool, labelled, sampler, drawn)
    if column not in pool.columns:
        return None, []
    if sampler in DETERMINISTIC:
        raise UnusableInput(
            f"{pool.path}: sampler {sampler!r} gives items no chances, so {column!r} contradicts"
            " it; remove one of the two"
        )
    given = pool.numbers(column, "it is the chance with which the item was drawn", empty=True)
    wrong = labelled[~(given[labelled] > 0)]
    if len(wrong):
        raise UnusableInput(
            f"{pool.place(wrong[0], column)}: a labelled item needs its chance, above 0"
            f" ({len(wrong)} such rows); fill it in, or leave the column out"
        )
    return _design(given[labelled], len(pool), pool)


def _of_draw(
    pool: Table, labelled: np.ndarray, sampler: str | None, drawn: str | os.PathLike
) -> tuple[Design | None, list[str]]:
    """Take the draw's chances for its items, and 1 for items that had been labelled before.

    Further items drawn at random make a random sample with those of a random sample.
    """
    table = read_texts(drawn, ("rank", "inclusion_probability"), key="item_id")
    rows = rows_of(table, pool, is_ours=True)
    chances = table.numbers("inclusion_probability", "keep the file as it was written")
    order = np.argsort(_ranks(table), kind="stable")
    rows, chances = rows[order], chances[order]
    done = np.isin(rows, labelled)
    count = int(done.sum())
    if count == 0:
        raise UnusableInput(f"{table.path}: none of its items has a label yet")
    if not done[:count].all():
        missing = table.names[order][~done][: len(rows)]
        raise UnusableInput(
            f"{table.path}: labelled were other items than the first {count} by rank; what is"
            f" missing was perhaps hard to label. Label {listed(missing)} too"
        )
    notes = []
    if count < len(rows):
        notes.append(f"the first {count} of {len(rows)} drawn items are labelled")
    if sampler == "random" and np.ptp(chances) < 1e-12:
        return None, [*notes, "drawn items and those labelled before make one random sample"]
    inclusion = np.ones(len(pool))
    # ranks are a random order, so each drawn item had the same chance to be among the first
    inclusion[rows] = chances * (count / len(rows))
    design, more = _design(inclusion[labelled], len(pool), table)
    return design, notes + more


def _ranks(table: Table) -> np.ndarray:
    try:
        return table.columns["rank"].astype(np.int64)
    except ValueError as error:
        message = f"{table.path}, column 'rank': {error}; keep the file as it was written"
        raise UnusableInput(message) from error


def _design(chances: np.ndarray, size: int, table: Table) -> tuple[Design | None, list[str]]:
    """Return the design, with a note where the chances do not add up to the pool."""
    if len(chances) == size:
        return None, ["every item is labelled, so it does not matter how they were chosen"]
    if (chances >= 1).all():
        raise UnusableInput(
            f"{table.path}: every labelled item has chance 1, so the other"
            f" {size - len(chances)} had none and nothing can be said about them"
        )
    stand_for = float((1 / chances).sum())
    # by Horvitz-Thompson the labelled items stand for the pool, up to the luck of the draw
    notes = []
    if not 0.5 < stand_for / size < 2:
        notes.append(
            f"by their chances the labelled items stand for {stand_for:,.0f} items, but the pool"
            f" has {size:,}: are these the chances to be among the labelled at all?"
        )
    return Design(None, chances), notes
