"""The Penn Machine Learning Benchmarks: `NAME.tsv.gz` with a header and the column `target`."""

import os
from collections.abc import Sequence
from pathlib import Path

from earnest.datasets import tabular

# The last commit before sets of the paper were removed as duplicates; the repository keeps tables
# in Git LFS, whose content this address gives.
COMMIT = "c936c9e8ca0e5995816a42e1e8c829b8bcd9a8c9"
ADDRESS = (
    f"https://media.githubusercontent.com/media/EpistasisLab/pmlb/{COMMIT}"
    "/datasets/{name}/{name}.tsv.gz"
)
TARGET = "target"


def downloads(name: str) -> tuple[str, ...]:
    """Return which registered files hold a data set."""
    return (f"{name}.tsv.gz",)


def file_names(name: str) -> tuple[str, ...]:
    """Return the names that the files of a data set have in these."""
    return downloads(name)


def find(name: str, folders: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """Return the file of a data set, or none."""
    names = (f"{name}.tsv.gz", f"{name}.tsv", f"{name}/{name}.tsv.gz", f"{name}/{name}.tsv")
    file = tabular.first_file(folders, names)
    return [] if file is None else [file]


def read(name: str, folders: Sequence[str | os.PathLike[str]]) -> tabular.Table:
    """Read a data set.

    Parameters
    ----------
    name : str
        For example `wine_recognition`.
    folders : sequence of path-like

    Returns
    -------
    earnest.datasets.tabular.Table

    Raises
    ------
    earnest.datasets.tabular.MissingTable
        If no folder holds it.
    earnest.datasets.tabular.UnusableTable
        If the file is damaged or has no column `target`.
    """
    import pandas as pd

    found = find(name, folders)
    if not found:
        address = ADDRESS.format(name=name)
        raise tabular.MissingTable(tabular.missing(name, f"{name}.tsv.gz", address, folders))
    path = found[0]
    with tabular.named_damage(path):
        columns = pd.read_csv(path, sep="\t", nrows=0).columns
        marks = {column: list(tabular.MISSING_MARKS) for column in columns if column != TARGET}
        frame = pd.read_csv(
            path, sep="\t", dtype={TARGET: str}, keep_default_na=False, na_values=marks
        )
    if TARGET not in frame.columns:
        raise tabular.UnusableTable(f"{path}: no column {TARGET!r}")
    return tabular.to_table(frame.drop(columns=TARGET), frame[TARGET], path=path)
