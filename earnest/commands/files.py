"""What a command writes: into a folder of its own, never over a file that is there."""

import os
from pathlib import Path
from typing import Any

from earnest import io
from earnest.protocols.ownpool.inputs import UnusableInput

ACCEPT = "labels that are meant although they are nearly another class"
NAMES = ("estimates.csv", "next_labels.csv", "evaluation.json", "report.html", "comparison.csv")


def new_folder(folder: str | os.PathLike[str]) -> Path:
    """Return a folder that holds none of the files that are written.

    Raises
    ------
    UnusableInput
        If one of them is there, which perhaps somebody has filled in, or it is no folder.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise UnusableInput(f"{folder} is a file; name a folder to write to")
    there = [name for name in NAMES if (folder / name).exists()]
    if there:
        raise UnusableInput(
            f"{folder} already holds {there[0]}, which is not overwritten; name another folder"
        )
    return folder


def write_evaluation(
    found: Any, folder: str | os.PathLike[str], pool: str | os.PathLike[str]
) -> None:
    """Write an evaluation as tables, JSON and a page."""
    from earnest.io.provenance import library_versions
    from earnest.reports.pages import ownpool

    folder = new_folder(folder)
    title = f"How good is the model on {Path(pool).name}?"
    versions = {"versions": library_versions("numpy", "scipy", "pandas", "scikit-learn")}
    page = ownpool.build_page(found, title, versions)
    io.write_csv("own_estimates", found.estimates, folder / "estimates.csv")
    io.write_csv("next_labels", found.next_labels, folder / "next_labels.csv")
    io.write_json(found.document(), folder / "evaluation.json")
    io.write_text(page, folder / "report.html")


def write_comparison(
    found: Any,
    folder: str | os.PathLike[str],
    first: str | os.PathLike[str],
    second: str | os.PathLike[str],
) -> None:
    """Write a comparison as a table and a page."""
    from earnest.reports.pages import comparison

    folder = new_folder(folder)
    page = comparison.build_page(found, str(first), str(second))
    io.write_csv("run_comparison", found.rows, folder / "comparison.csv")
    io.write_text(page, folder / "report.html")
