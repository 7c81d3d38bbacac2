"""What every kind of study has: a checked configuration, paths of results, stages and problems."""

import functools
import operator
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from earnest.studies import stages
from earnest.studies.contents import Contents

# The folder of the workflow: its rules, scripts and shipped tables lie beside the library.
WORKFLOW = Path(__file__).parents[2]
REGISTRY = "config/datasets.tsv"


class StudyError(ValueError):
    """A study file is not valid; the message lists every problem."""


@dataclass(frozen=True, eq=False)
class Staged(ABC):
    """What has stages: a study, or a part of one.

    Rules take what they need from here. A method with the parameter `wildcards` is an input
    function: any object does that has as attributes the wildcards of the rule. Paths are relative
    to the folder of the project, and nothing is computed before it is asked for.

    Attributes
    ----------
    config : mapping
        The study file, absent keys filled in by the schema.
    """

    config: Mapping[str, Any]

    @property
    @abstractmethod
    def contents(self) -> Contents:
        """What the files that the study reads hold."""

    @property
    @abstractmethod
    def stages(self) -> Mapping[str, stages.Stage]:
        """Every stage that has code of its own, by name."""

    def stamps(self) -> dict[str, Any]:
        """The stamps that the report names, by stage."""
        return {}

    def choice(self, wildcards: Any) -> dict[str, str]:
        """What the settings of a job's stage depend on."""
        return {}

    def code(self, stage: str, **choice: str) -> str:
        """Hash of the code behind a stage."""
        return stages.code_version(self.stages[stage], **choice)

    def stamp(self, stage: str, **choice: str) -> str:
        """What a shard of a stage carries."""
        return stages.stamp(self.stages, stage, self.contents, **choice)

    def code_of(self, stage: str) -> Callable[[Any], str]:
        """Input function: the code behind a stage of a job, hashed only where a job needs it."""
        return lambda wildcards: self.code(stage, **self.choice(wildcards))

    def stamp_of(self, stage: str) -> Callable[[Any], str]:
        """Input function: the stamp of a stage of a job."""
        return lambda wildcards: self.stamp(stage, **self.choice(wildcards))

    def provenance(self, wildcards: Any = None) -> dict[str, Any]:
        """What the report says about how it was made; plain values in a fixed order."""
        return {
            "config": self.config,
            "code": {stage: self.code(stage) for stage in self.stages},
            "stamps": self.stamps(),
        }


@dataclass(frozen=True, eq=False)
class Study(Staged):
    """One study, made by `kinds.study_of` from its checked configuration.

    Attributes
    ----------
    in_job : bool
        Whether this process is a job of a run, and not the run itself.
    """

    in_job: bool = False

    SCHEMA: ClassVar[str]  # its file in config/schemas
    RULES: ClassVar[str]  # its folder in rules
    LIBRARIES: ClassVar[tuple[str, ...]]  # whose versions its report names
    # Folders of results that one job makes as a whole: Snakemake does not know what is in them.
    WHOLE_FOLDERS: ClassVar[tuple[str, ...]] = ()

    @cached_property
    def contents(self) -> Contents:
        """What the files that the study reads hold, looked at once."""
        return Contents(self.name, in_job=self.in_job)

    @property
    def name(self) -> str:
        """What the study and its folder of results are called."""
        return self.config["study"]

    @property
    def kind(self) -> str:
        """Which kind of study it is, a key of `kinds.KINDS`."""
        return self.config["kind"]

    def result(self, path: str) -> str:
        """Path of a result of this study."""
        return f"results/{self.name}/{path}"

    def given(self, *keys: str) -> Callable[[Any], Any]:
        """Input function: what stands below a key of the study file, as it stands there.

        For parameters: a plain string is a pattern, whose braces are wildcards, and so is every
        path below `input`, whoever gives it.
        """
        return lambda wildcards: functools.reduce(operator.getitem, keys, self.config)

    def file(self, *keys: str) -> Callable[[Any], str]:
        """Input function: where the file lies that a key of the study file names."""
        given = self.given(*keys)
        return lambda wildcards: located(given(wildcards))

    def registry(self, wildcards: Any = None) -> str:
        """The table of data sets that can be downloaded."""
        return located(REGISTRY)

    def targets(self) -> list[str]:
        """What the whole study is for."""
        return [self.result("report.html")]

    def pages(self) -> list[str]:
        """Those of its targets that are pages and are there, and the index of studies."""
        paths = [path for path in self.targets() if path.endswith(".html")]
        return [path for path in [*paths, "results/index.html"] if os.path.isfile(path)]

    @abstractmethod
    def problems(self) -> Iterator[str]:
        """Yield what a schema cannot see: names that clash, files that are not there."""

    @abstractmethod
    def input_files(self) -> dict[str, list[str]]:
        """Files that the study file names, there or not, by the key that names them."""

    def wildcards(self) -> dict[str, str]:
        """Wildcard -> regular expression of its values."""
        return {"study": re.escape(self.name)}


def located(path: str) -> str:
    """Return where a file lies that a study names: as named, else beside the workflow.

    Only what lies below `config/` is looked for there: the tables that come with the workflow,
    when it is used from another folder.
    """
    beside = WORKFLOW / path
    is_shipped = Path(path).parts[:1] == ("config",) and not os.path.exists(path)
    return str(beside) if is_shipped and beside.is_file() else path


def one_of(names: Iterable[Any]) -> str:
    """Regular expression that matches these names and nothing else."""
    return "|".join(re.escape(str(name)) for name in names)


def grow_memory(wildcards: Any, attempt: int) -> int:
    """Memory in MB: 2 GB, doubled at every retry."""
    return 2000 * 2 ** (attempt - 1)
