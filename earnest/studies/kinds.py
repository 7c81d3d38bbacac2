"""The kinds of studies, and studies made from what is given: a mapping, or a file."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from earnest.studies import documents
from earnest.studies.clips import ClipStudy
from earnest.studies.crossval import PredictionStudy, TableStudy
from earnest.studies.mixtures import MixtureStudy
from earnest.studies.ownpool import OwnPoolStudy
from earnest.studies.study import WORKFLOW, Study, StudyError

KINDS: dict[str, type[Study]] = {
    "mixtures": MixtureStudy,
    "clips": ClipStudy,
    "tables": TableStudy,
    "predictions": PredictionStudy,
    "own": OwnPoolStudy,
}
SCHEMAS = WORKFLOW / "config" / "schemas"


def kind_of(given: Mapping[str, Any]) -> type[Study]:
    """Return the class of a study file; that of mixtures for a kind that the schema will refuse."""
    return next((cls for kind, cls in KINDS.items() if given.get("kind") == kind), MixtureStudy)


def study_of(given: Mapping[str, Any], *, in_job: bool = False) -> Study:
    """Check what a study file holds and make a study of it.

    Parameters
    ----------
    given : mapping
        The keys of a study file.
    in_job : bool
        Whether this process is a job of a run: it takes the digests of files from the run.

    Raises
    ------
    StudyError
        If the file does not fit its schema, or names what is not there; all problems are listed.
    """
    import yaml

    cls = kind_of(given)
    schema = yaml.safe_load((SCHEMAS / cls.SCHEMA).read_text(encoding="utf-8"))
    try:
        study = cls(documents.completed(given, schema), in_job=in_job)
    except documents.DocumentError as error:
        raise StudyError(f"The study file is not valid:\n{error}") from None
    problems = list(study.problems())
    if problems:
        raise StudyError("The study file is not valid:\n" + "\n".join(problems))
    return study


def read_study(path: str | os.PathLike[str]) -> Study:
    """Read a study file (YAML) and make a study of it; raises as `study_of` does."""
    import yaml

    return study_of(yaml.safe_load(Path(path).read_text(encoding="utf-8")))
