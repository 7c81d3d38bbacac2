"""The pool behind a folder of results: read again as the study of kind `own` read it."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from earnest import io
from earnest.protocols.ownpool.inputs import Inputs, UnusableInput, read

FILES = ("pool", "labels", "embeddings", "subconcepts", "drawn")


def is_evaluation(folder: str | os.PathLike) -> bool:
    """Whether a folder holds the results of an own pool."""
    return (Path(folder) / "evaluation.json").is_file()


def read_evaluated(folder: str | os.PathLike) -> Inputs:
    """Read the tables that a study of kind `own` was made from.

    Parameters
    ----------
    folder : path-like
        `results/STUDY` of a project; the study's paths are taken from the project's root.

    Raises
    ------
    UnusableInput
        If the folder was not written by the workflow, a table is gone, or the tables are not
        those that were evaluated.
    """
    folder = Path(folder)
    if not (folder / "provenance.json").is_file():
        raise UnusableInput(
            f"{folder} does not say which tables it was made from; compare the two pool tables:"
            " earnest compare FIRST.csv SECOND.csv --labels LABELS.csv"
        )
    study = io.read_json(folder / "provenance.json")["config"]
    root = folder.resolve().parent.parent
    files = {name: root / study[name] for name in FILES if study.get(name) is not None}
    if study.get("audio") is not None:
        files["embeddings"] = folder / "embeddings.npy"
    gone = [f"{path} ({name})" for name, path in files.items() if not path.is_file()]
    if gone:
        raise UnusableInput(f"{folder} was made from files that are gone: {', '.join(gone)}")
    inputs = read(
        **files,
        sampler=study["sampler"],
        positive=study["positive"],
        accept_new_classes=study.get("accept_new_classes", ()),
    )
    _refuse_changed(inputs, io.read_json(folder / "evaluation.json"), folder)
    return inputs


def _refuse_changed(inputs: Inputs, evaluation: dict[str, Any], folder: Path) -> None:
    right = inputs.pool.predictions[inputs.labelled] == inputs.labels
    now = {
        "items": len(inputs.pool),
        "labelled": len(inputs.labelled),
        "plain accuracy": float(np.mean(right)),
    }
    for name, value in now.items():
        then = evaluation[name.replace(" ", "_")]
        if abs(value - then) > 1e-9:
            raise UnusableInput(
                f"the tables of {folder} have changed since: {name} {value:.6g} instead of"
                f" {then:.6g}; run the study again"
            )
