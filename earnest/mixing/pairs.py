"""The tables that people write: pairs of sounds, and what listeners rejected."""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from earnest.datasets.labels import labels_of
from earnest.io import cells, strict
from earnest.io.names import nearest

if TYPE_CHECKING:
    import pandas

CLASS_SPLITS = {"train": "train", "val": "validation", "validation": "validation", "test": "test"}
REJECTED_KINDS = ("mixture", "pair")

_PAIR_COLUMNS = ["split", "foreground", "background", "primary"]
_REJECTED_COLUMNS = ["kind", "name", "reason"]


class PairsError(cells.UnusableInput):
    """A table of pairs or of rejected mixtures that cannot be used; the message names the line."""


def pairs_of_splits(pairs: "pandas.DataFrame", class_splits: Collection[str]) -> "pandas.DataFrame":
    """Keep the pairs whose foreground is in some of SpurAudio's splits over classes.

    Raises
    ------
    PairsError
        If a split is unknown, or no foreground is left.
    """
    known = sorted(set(CLASS_SPLITS.values()))
    unknown = sorted(set(class_splits) - set(known))
    if unknown:
        raise PairsError(f"unknown class split {unknown[0]!r}; there are {', '.join(known)}")
    kept = pairs[pairs["split"].isin(class_splits)].reset_index(drop=True)
    if kept.empty:
        raise PairsError(f"no foreground is in class split {', '.join(sorted(class_splits))}")
    return kept


def labels_of_pairs(pairs: "pandas.DataFrame") -> set[str]:
    """Return every label that the foregrounds and backgrounds of a table of pairs unite."""
    names = {*pairs["foreground"], *pairs["background"]}
    return {label for name in names for label in labels_of(name)}


def read_pairs(
    path: str | os.PathLike[str], *, known: Collection[str] | None = None
) -> "pandas.DataFrame":
    """Read which background goes under which foreground.

    Parameters
    ----------
    path : path-like
        Tab-separated, columns split (train, val or test), foreground, background, primary
        (1 or 0). A name with "+" is the union of labels of several data sets.
    known : collection of str, optional
        Every label that any source of the study could have; others are refused.

    Returns
    -------
    pandas.DataFrame
        Columns split (train, validation, test), foreground, background, is_primary; in
        the order of the file.

    Raises
    ------
    PairsError
        Unknown class, duplicate, class paired with itself, a foreground in two splits or
        not exactly one primary background: with the line number.
    """
    import pandas as pd

    seen: dict[tuple[str, str], int] = {}
    first_line: dict[str, tuple[int, str]] = {}
    rows = []
    table = list(_read_table(path, _PAIR_COLUMNS))
    named = (label for _, row in table for n in _PAIR_COLUMNS[1:3] for label in labels_of(row[n]))
    cells.refuse_alike(os.fspath(path), named)
    for line, row in table:
        _refuse_bad_pair(row, known, _at(path, line))
        pair = row["foreground"], row["background"]
        split = CLASS_SPLITS[row["split"]]
        if pair in seen:
            raise PairsError(
                f"{_at(path, line)}: {' / '.join(pair)} is already on line {seen[pair]}"
            )
        seen[pair] = line
        start, first_split = first_line.setdefault(pair[0], (line, split))
        if split != first_split:
            raise PairsError(
                f"{_at(path, line)}: {pair[0]} is in split {split}, "
                f"but in {first_split} on line {start}"
            )
        rows.append((split, *pair, row["primary"] == "1"))
    _refuse_primaries(rows, first_line, path)
    return pd.DataFrame(rows, columns=["split", "foreground", "background", "is_primary"])


def _read_table(
    path: str | os.PathLike[str], columns: list[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line number and row of a tab-separated table with exactly these columns."""
    try:
        table = strict.read_texts(path, separator="\t", quoted=False)
    except cells.UnusableInput as error:
        raise PairsError(str(error)) from error
    header = list(table.columns)
    if header != columns:
        raise PairsError(f"{_at(path, 1)}: the columns must be {columns}, found {header}")
    for line, *row in zip(table.lines.tolist(), *table.columns.values(), strict=True):
        yield line, dict(zip(columns, row, strict=True))


def _at(path: str | os.PathLike[str], line: int) -> str:
    return f"{os.fspath(path)}, line {line}"


def _refuse_bad_pair(row: Mapping[str, str], known: Collection[str] | None, where: str) -> None:
    if row["split"] not in CLASS_SPLITS:
        raise PairsError(f"{where}: split {row['split']!r} is not one of {', '.join(CLASS_SPLITS)}")
    if row["primary"] not in ("0", "1"):
        raise PairsError(f"{where}: primary must be 1 or 0, found {row['primary']!r}")
    for name in (row["foreground"], row["background"]):
        for label in labels_of(name):
            if not label or label != label.strip():
                raise PairsError(f"{where}: {name!r} holds an empty label or stray spaces")
            if known is not None and label not in known:
                raise PairsError(f"{where}: unknown class {label!r}{_nearest(label, known)}")
    shared = set(labels_of(row["foreground"])) & set(labels_of(row["background"]))
    if shared:
        raise PairsError(f"{where}: {', '.join(sorted(shared))} is paired with itself")


def _nearest(label: str, known: Collection[str]) -> str:
    import difflib

    close = nearest(label, known) or next(
        iter(difflib.get_close_matches(label, sorted(known), n=1)), None
    )
    return f"; did you mean {close!r}?" if close else ""


def _refuse_primaries(
    rows: Iterable[tuple[str, str, str, bool]],
    first_line: Mapping[str, tuple[int, str]],
    path: str | os.PathLike[str],
) -> None:
    primaries = Counter(foreground for _, foreground, _, is_primary in rows if is_primary)
    for foreground, (line, _) in first_line.items():
        if primaries[foreground] != 1:
            raise PairsError(
                f"{_at(path, line)}: {foreground} has {primaries[foreground]} primary backgrounds, "
                "exactly one must have primary 1"
            )


def read_rejected(path: str | os.PathLike[str]) -> frozenset[tuple[str, str]]:
    """Read which mixtures and pairs listeners rejected, as (kind, name); see `read_rejections`."""
    return frozenset((row["kind"], row["name"]) for row in read_rejections(path))


def read_rejections(path: str | os.PathLike[str]) -> list[dict[str, str]]:
    """Read what listeners rejected, and why.

    Parameters
    ----------
    path : path-like
        Tab-separated, columns kind (mixture or pair), name, reason. The name of a pair is
        "foreground/background", that of a mixture its mixture_id.

    Returns
    -------
    list of dict
        One per row of the file, in its order, with the keys kind, name and reason.

    Raises
    ------
    PairsError
        Unknown kind, no name, no reason, or a pair without "/": with the line number.
    """
    rejections = []
    for line, row in _read_table(path, _REJECTED_COLUMNS):
        kind, name = row["kind"], row["name"]
        if kind not in REJECTED_KINDS:
            raise PairsError(f"{_at(path, line)}: kind must be mixture or pair, found {kind!r}")
        if not name or not row["reason"].strip():
            raise PairsError(f"{_at(path, line)}: a name and a reason are needed")
        if kind == "pair" and name.count("/") != 1:
            raise PairsError(
                f"{_at(path, line)}: a pair is named foreground/background, not {name!r}"
            )
        rejections.append(row)
    return rejections
