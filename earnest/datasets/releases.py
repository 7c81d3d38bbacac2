"""What the modules of all sources share: reading a release's lists, and checking its files."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from earnest.io import cells, strict

if TYPE_CHECKING:
    import pandas

COLUMNS = ("clip_id", "dataset", "path", "label", "fold", "recording", "sha256")


def read_table(
    path: str | os.PathLike[str],
    columns: Sequence[str],
    *,
    holds: str,
    separator: str = ",",
    header: bool = True,
    distinct: str | None = None,
    by_hand: bool = False,
) -> "pandas.DataFrame":
    """Read a list that came with a release; every cell is text.

    Parameters
    ----------
    path : path-like
        UTF-8 text.
    columns : sequence of str
        Columns that must be there and hold no empty cell. Without a header they are the names
        of the first columns; further ones are dropped.
    holds : str
        What the folder must hold, for the message about a missing file.
    separator : str
        What parts the cells; with a tab, quotation marks are characters like others, but in
        tables that people write.
    header : bool
        Whether the first line names the columns.
    distinct : str, optional
        A column whose cells must differ.
    by_hand : bool
        Whether a user wrote the table: then every row must have as many cells as the header.

    Returns
    -------
    pandas.DataFrame
        These columns, in the order of the file.

    Raises
    ------
    FileNotFoundError
        If the file is not there.
    ValueError
        If it is no such table, lacks a column, has an empty cell or lists something twice; the
        message names the file and the line.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing: the folder must hold {holds}")
    table = strict.read_texts(
        path,
        separator=separator,
        quoted=by_hand or separator != "\t",
        header=None if header else columns,
        ragged=not by_hand,
    )
    absent = [name for name in columns if name not in table.columns]
    if absent:
        raise ValueError(f"{path} lacks the columns {', '.join(absent)}{_hint(absent[0], table)}")
    rows = _cells(table, columns)
    if distinct is not None:
        _refuse_repeats(path, rows[distinct])
    return rows


def _hint(name: str, table: cells.Table) -> str:
    return f"; {strict.near(name, table.columns)}" if len(table.columns) == 1 else ""


def _cells(table: cells.Table, columns: Sequence[str]) -> "pandas.DataFrame":
    import pandas as pd

    rows = pd.DataFrame({name: table.columns[name] for name in columns}, dtype=str)
    rows = rows.apply(lambda cells: cells.str.strip())
    for name in columns:
        empty = (rows[name] == "").to_numpy()
        if empty.any():
            line = table.lines[empty.argmax()]
            raise ValueError(f"{table.path}, line {line}: the cell of column {name} is empty")
    return rows


def _refuse_repeats(path: Path, names: "pandas.Series") -> None:
    twice = sorted(set(names[names.duplicated()]))
    if twice:
        raise ValueError(f"{path} lists {len(twice)} files more than once: {some(twice)}")


def to_listing(dataset: str, rows: "Iterable[Mapping[str, Any]]") -> "pandas.DataFrame":
    """Return the table `listing` of some clips, sorted by `clip_id`.

    Parameters
    ----------
    dataset : str
        Put before every clip and recording, with a slash.
    rows : iterable of mappings
        Each with `clip`, `path`, `label` and `recording`, and with `fold` if there is one.
    """
    import pandas as pd

    records = [
        {
            "clip_id": f"{dataset}/{row['clip']}",
            "dataset": dataset,
            "path": str(row["path"]),
            "label": row["label"],
            "fold": row.get("fold"),
            "recording": f"{dataset}/{row['recording']}",
            "sha256": None,  # hashed where the listing is verified
        }
        for row in rows
    ]
    frame = pd.DataFrame.from_records(records, columns=list(COLUMNS))
    frame = frame.astype({name: str for name in COLUMNS[:-1] if name != "fold"} | {"fold": "Int64"})
    return frame.sort_values("clip_id", ignore_index=True)


def whole_number(text: str, where: str) -> int:
    """Read a whole number of a list, or say where there is none."""
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{where}: {text!r} is not a whole number") from None


def count(listing: "pandas.DataFrame", released: int | None) -> dict[str, int | None]:
    """Count the clips of the release (None where it has no fixed number), listed and found."""
    found = sum(os.path.isfile(path) for path in listing["path"])
    return {"released": released, "listed": len(listing), "found": found}


def problems_of(
    listing: "pandas.DataFrame",
    *,
    crossing: Collection[str] = (),
    duration_s: float | None = None,
) -> list[str]:
    """Say what is wrong with the files of a listing, one sentence each.

    Parameters
    ----------
    listing : pandas.DataFrame
        Table `listing`.
    crossing : collection of str
        Recordings that are in several folds of the release itself.
    duration_s : float, optional
        How long each clip must be, within 10 ms.

    Returns
    -------
    list of str
        Listed files that are not there, recordings that cross folds, files that do not open or
        have another length. Only headers are read: screening decodes every sample anyway.
    """
    problems = []
    there = [os.path.isfile(path) for path in listing["path"]]
    missing = [path for path, found in zip(listing["path"], there, strict=True) if not found]
    if missing:
        problems.append(f"{len(missing)} listed files are not there: {some(sorted(missing))}")
    folds = listing.groupby("recording")["fold"].nunique()
    crossed = sorted(set(folds.index[folds > 1]) - set(crossing))
    if crossed:
        problems.append(f"recordings in more than one fold: {some(crossed)}")
    present = [path for path, found in zip(listing["path"], there, strict=True) if found]
    return problems + [text for path in present if (text := _unlike_release(path, duration_s))]


def incomplete(
    listing: "pandas.DataFrame", *, clips: int, labels: Collection[str], per_label: int | None
) -> list[str]:
    """Say what a listing lacks of the whole release: clips, labels, clips of a label."""
    problems = []
    if len(listing) != clips:
        problems.append(f"{len(listing)} clips are listed, the release has {clips}")
    sizes = listing["label"].value_counts()
    absent = sorted(set(labels) - set(sizes.index))
    if absent:
        problems.append(f"labels without a clip: {some(absent)}")
    short = sorted(f"{name} ({size})" for name, size in sizes.items() if size != per_label)
    if per_label is not None and short:
        problems.append(f"labels without {per_label} clips: {some(short)}")
    return problems


def refuse_unknown(labels: "pandas.Series", known: Collection[str], path: Path) -> None:
    """Stop at labels that a release does not have; a misspelt one would become a class."""
    unknown = sorted(set(labels) - set(known))
    if unknown:
        raise ValueError(
            f"{path}: unknown labels {some(unknown)}; the release has {', '.join(sorted(known))}"
        )


def _unlike_release(path: str, duration_s: float | None) -> str | None:
    import soundfile

    try:
        info = soundfile.info(path)
    except soundfile.LibsndfileError as error:
        return f"{path} does not open: {error}"
    if duration_s is not None and abs(info.duration - duration_s) > 0.01:
        return f"{path} lasts {info.duration:.3f} s, not {duration_s:g} s"
    return None


def some(names: Sequence[str], most: int = 20) -> str:
    """Return the first names of a long list, and how many more there are."""
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
