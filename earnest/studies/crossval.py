"""Studies by cross-validation: of tables, of predictions made elsewhere, of the items of sounds."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

from earnest.datasets import table_downloads, tabular
from earnest.studies import stages
from earnest.studies.contents import Contents
from earnest.studies.problems import find_repeats
from earnest.studies.stages import Stage
from earnest.studies.study import REGISTRY, Staged, Study, located, one_of

if TYPE_CHECKING:
    from earnest.studies.sounds import SoundStudy

DOWNLOADS = "data/raw"
# What `assess_tables` makes of all data sets, and the report reads.
ASSESSED = {
    "datasets": "datasets.json",
    "scores": "scores.parquet",
    "recalls": "recalls.parquet",
    "correlations": "correlations.parquet",
    "gaps": "gaps.parquet",
    "differences": "gap_differences.parquet",
    "quality": "weight_quality.parquet",
    "recognition": "recognition_correlations.parquet",
    "distances": "distances.parquet",
    "weights": "weights.parquet",
}
# Modules of stages that tables and sounds share.
SCORING = ("protocols.crossval.scoring",)
ASSESSMENT = ("protocols.crossval.correlations", "protocols.crossval.weight_quality")
REPORT = ("reports.pages.crossval", "reports.reading", "protocols.crossval.published")


class Crossval:
    """Grid and files of a cross-validation: its data sets, each under every correction."""

    FOLDER: ClassVar[str] = ""  # below the results of the study, with a slash at its end
    SPLITS: ClassVar[str] = "splits"  # the stage that makes the tables of a split
    SCORES: ClassVar[str] = "scores"  # the stage that makes the tables of scores
    datasets: Sequence[str]
    corrections: Sequence[str]
    result: Callable[[str], str]
    stamp: Callable[..., str]
    choice: Callable[[Any], dict[str, str]]

    @property
    def names(self) -> str:
        """Regular expression of the names of the data sets."""
        return one_of(self.datasets)

    def split_files(self, name: str) -> list[str]:
        """One file of every data set's split, in the order of the study."""
        return [self.result(f"{self.FOLDER}splits/{one}/{name}") for one in self.datasets]

    def score_files(self, name: str) -> list[str]:
        """One file of every data set and correction, in the order of the study."""
        return [
            self.result(f"{self.FOLDER}scores/{one}/{correction}/{name}")
            for one in self.datasets
            for correction in self.corrections
        ]

    def split_stamps(self, wildcards: Any = None) -> list[str]:
        """The stamp of each data set's split, in the order of `split_files`."""
        return [self._stamp_of_dataset(self.SPLITS, name) for name in self.datasets]

    def score_stamps(self, wildcards: Any = None) -> list[str]:
        """The stamp of each data set's scores, in the order of `score_files`."""
        return [
            self._stamp_of_dataset(self.SCORES, name)
            for name in self.datasets
            for _ in self.corrections
        ]

    def _stamp_of_dataset(self, stage: str, name: str) -> str:
        return self.stamp(stage, **self.choice(SimpleNamespace(dataset=name)))

    def assessed(self, wildcards: Any = None) -> dict[str, str]:
        """The tables of all data sets together, by name."""
        return {key: self.result(f"{self.FOLDER}{name}") for key, name in ASSESSED.items()}


class _Tabular(Crossval, Study):
    """What studies of tables and of predictions share."""

    LIBRARIES: ClassVar[tuple[str, ...]] = (
        "numpy",
        "scipy",
        "pandas",
        "scikit-learn",
        "imbalanced-learn",
        "snakemake",
    )
    RULES: ClassVar[str] = "crossval"
    collection: str

    def wildcards(self) -> dict[str, str]:
        """Wildcard -> regular expression of its values."""
        grid = {"dataset": self.names, "correction": one_of(self.corrections)}
        return super().wildcards() | grid

    def assessment_options(self) -> dict[str, Any]:
        """How scores are assessed over the data sets."""
        keys = ("root_seed", "resamples", "level")
        return {"collection": self.collection} | {key: self.config[key] for key in keys}

    def stamps(self) -> dict[str, Any]:
        """The stamps that the report names, by stage."""
        return {stage: self.stamp(stage) for stage in (self.SPLITS, self.SCORES)}


class TableStudy(_Tabular):
    """A collection of tables, each a data set."""

    SCHEMA: ClassVar[str] = "tables.schema.yaml"

    @property
    def collection(self) -> str:
        """The collection that the data sets are of."""
        return self.config["collection"]

    @property
    def datasets(self) -> Sequence[str]:
        """Names of the data sets."""
        return self.config["datasets"]

    @property
    def corrections(self) -> Sequence[str]:
        """Corrections of imbalance."""
        return self.config["corrections"]

    @property
    def folders(self) -> list[str]:
        """Where the collection may lie, in the order in which it is looked for."""
        roots = [root for root in (self.config["mirror"], DOWNLOADS) if root]
        return [os.path.join(root, self.collection) for root in roots]

    @cached_property
    def stages(self) -> Mapping[str, Stage]:
        """Every stage that has code of its own, by name."""
        return {
            "downloads": Stage(("datasets.table_downloads",), scripts=("fetch_table",)),
            "splits": Stage(
                ("protocols.crossval.splitting", f"datasets.{self.collection}"),
                lambda **_: {"collection": self.collection} | self.split_options(),
                inputs=self._mirrored,
                scripts=("split_table",),
            ),
            "scores": Stage(
                SCORING,
                lambda **_: self.score_options(),
                before="splits",
                scripts=("score_correction",),
            ),
            "assessment": Stage(ASSESSMENT, scripts=("assess_tables",)),
            "report": Stage(REPORT, scripts=("write_tables_report",)),
        }

    def problems(self) -> Iterator[str]:
        """Yield nothing: the schema sees all."""
        yield from ()

    def input_files(self) -> dict[str, list[str]]:
        """The files of each data set that are there."""
        return {
            f"datasets.{name}": tabular.files(self.collection, name, self.folders)
            for name in self.datasets
        }

    def choice(self, wildcards: Any) -> dict[str, str]:
        """What the settings of a job's stage depend on: its data set."""
        return {"dataset": wildcards.dataset} if hasattr(wildcards, "dataset") else {}

    def _mirrored(self, *, dataset: str | None = None, **_: str) -> list[str]:
        """The files of one data set, or of all, in the mirror; those downloaded are verified."""
        if self.config["mirror"] is None:
            return []
        names = self.datasets if dataset is None else [dataset]
        files = (tabular.files(self.collection, name, self.folders[:1]) for name in names)
        return [str(path) for found in files for path in found]

    def table_folders(self, wildcards: Any = None) -> list[str]:
        """These folders, for a rule."""
        return self.folders

    def table_files(self, wildcards: Any) -> list[str]:
        """The downloaded files of a data set, else what came of its download.

        None if the mirror has it, whose contents are part of the stamp, or nobody knows where.
        """
        name = wildcards.dataset
        if self._mirrored(dataset=name):
            return []
        files = tabular.files(self.collection, name, self.folders)
        if files or not table_downloads.is_registered(self.collection, name, located(REGISTRY)):
            return files
        return [f"{DOWNLOADS}/tables/{self.collection}/{name}.json"]

    def score_options(self) -> dict[str, Any]:
        """What a forest is made with."""
        return {"root_seed": self.config["root_seed"], "n_estimators": self.config["trees"]}

    def split_options(self) -> dict[str, Any]:
        """How a data set is halved and its subconcepts are learned."""
        return self.score_options() | {"repeats": self.config["repeats"]}

    @property
    def features(self) -> str:
        """Pattern of the features that a forest is learned on."""
        return "results/{study}/splits/{dataset}/features.npy"


class PredictionStudy(_Tabular):
    """Predictions of models trained elsewhere: scored like a collection with one correction."""

    SCHEMA: ClassVar[str] = "predictions.schema.yaml"
    SPLITS: ClassVar[str] = "predictions"
    SCORES: ClassVar[str] = "predictions"
    collection = "predictions"
    corrections = ("given",)

    @property
    def models(self) -> dict[str, dict[str, str]]:
        """The files of each model, by its name."""
        return {model["name"]: model for model in self.config["models"]}

    @property
    def datasets(self) -> Sequence[str]:
        """Names of the models."""
        return list(self.models)

    @cached_property
    def stages(self) -> Mapping[str, Stage]:
        """Every stage that has code of its own, by name."""
        return {
            "predictions": Stage(
                ("protocols.crossval.predictions",),
                inputs=self._model_inputs,
                scripts=("score_predictions",),
            ),
            "assessment": Stage(ASSESSMENT, scripts=("assess_tables",)),
            "report": Stage(REPORT, scripts=("write_tables_report",)),
        }

    def problems(self) -> Iterator[str]:
        """Yield two models of one name."""
        yield from find_repeats("models", [model["name"] for model in self.config["models"]])

    def input_files(self) -> dict[str, list[str]]:
        """The two files of each model, there or not."""
        return {
            f"models.{name}": [located(model[key]) for key in ("predictions", "subconcepts")]
            for name, model in self.models.items()
        }

    def choice(self, wildcards: Any) -> dict[str, str]:
        """What the settings of a job's stage depend on: its model."""
        return {"dataset": wildcards.dataset} if hasattr(wildcards, "dataset") else {}

    def _model_inputs(self, *, dataset: str | None = None, **_: str) -> list[str]:
        names = self.datasets if dataset is None else [dataset]
        return [path for name in names for path in self.input_files()[f"models.{name}"]]

    def model(self, wildcards: Any) -> dict[str, str]:
        """The name and the files of one model; a missing file is a row with that reason."""
        predictions, subconcepts = self.input_files()[f"models.{wildcards.dataset}"]
        return {
            "name": wildcards.dataset,
            "predictions": predictions,
            "subconcepts": subconcepts,
        }


@dataclass(frozen=True, eq=False)
class SoundCrossval(Crossval, Staged):
    """Cross-validation of all items of a study on sounds by recordings, as tables are.

    Its data sets are tasks: one over merged foregrounds, and a context task of each foreground,
    which is called like it.

    Attributes
    ----------
    config : mapping
        That of the study.
    study : SoundStudy
        A study with the key `subconcepts`.
    """

    study: "SoundStudy"

    FOLDER: ClassVar[str] = "subconcepts/"

    @property
    def contents(self) -> Contents:
        """That of the study."""
        return self.study.contents

    MERGED: ClassVar[str] = "foregrounds"

    def result(self, path: str) -> str:
        """Path of a result of the study."""
        return self.study.result(path)

    @property
    def options(self) -> Mapping[str, Any]:
        """What the study says about its cross-validation."""
        return self.config["subconcepts"]

    @property
    def libraries(self) -> tuple[str, ...]:
        """Whose versions the report names."""
        return (*self.study.LIBRARIES, "imbalanced-learn")

    @property
    def corrections(self) -> Sequence[str]:
        """Corrections of imbalance."""
        return self.options["corrections"]

    @cached_property
    def datasets(self) -> Sequence[str]:
        """Names of the tasks."""
        foregrounds = self.options["foregrounds"]
        if foregrounds is None:
            foregrounds = self.study.paired_foregrounds()
        return [self.MERGED, *foregrounds]

    @property
    def embedding(self) -> str:
        """The embedding that is cross-validated: the first, unless the study says another."""
        return self.options["embedding"] or next(iter(self.config["embeddings"]))

    @property
    def features(self) -> str:
        """The embedding of all items."""
        return self.study.joined(self.embedding, "embeddings.npy")

    @property
    def item_table(self) -> str:
        """The items of that embedding."""
        return self.study.joined(self.embedding, "items.parquet")

    @property
    def stages(self) -> Mapping[str, Stage]:
        """The stages of the cross-validation, by name."""
        return {
            "splits": Stage(
                ("protocols.crossval.items",),
                lambda **_: (
                    {"variant": self.study.main, "pool_task": self.pool_task} | self.split_options()
                ),
                before="embeddings",
                scripts=("split_sounds",),
            ),
            "scores": Stage(
                SCORING,
                lambda **_: self.score_options(),
                before="splits",
                scripts=("score_correction",),
            ),
            "assessment": Stage(ASSESSMENT, scripts=("assess_tables",)),
            "contrasts": Stage(("protocols.crossval.contrasts",), scripts=("contrast_contexts",)),
            "report": Stage(
                ("reports.pages.crossval", "reports.reading"),
                scripts=("write_subconcepts_report",),
            ),
        }

    def stamp(self, stage: str, **choice: str) -> str:
        """What a shard of a stage carries; the embedding is one of the study's stages."""
        known = {**self.study.stages, **self.stages}
        return stages.stamp(known, stage, self.contents, **choice)

    def choice(self, wildcards: Any) -> dict[str, str]:
        """What the settings of a job's stage depend on."""
        return {"embedding": self.embedding}

    def stamps(self) -> dict[str, Any]:
        """The stamps that the report names, by stage."""
        return {stage: self.stamp(stage, **self.choice(None)) for stage in ("splits", "scores")}

    @property
    def pool_task(self) -> str:
        """The study's first task over merged foregrounds, whose items the merged task keeps."""
        merged = (task["name"] for task in self.config["tasks"] if task["kind"] == "subconcepts")
        return next(merged, self.MERGED)

    def task(self, wildcards: Any) -> dict[str, Any]:
        """One task: what it is called, its kind and its foreground, and whose items it keeps."""
        merged = wildcards.dataset == self.MERGED
        return {
            "name": wildcards.dataset,
            "kind": "subconcepts" if merged else "context",
            "foreground": None if merged else wildcards.dataset,
            "pool_task": self.pool_task if merged else None,
        }

    def score_options(self) -> dict[str, Any]:
        """What a forest is made with."""
        return {"root_seed": self.config["root_seed"], "n_estimators": self.options["trees"]}

    def split_options(self) -> dict[str, Any]:
        """How the items are halved and their subconcepts are learned."""
        return self.score_options() | {"repeats": self.options["repeats"]}

    def contrast_options(self) -> dict[str, Any]:
        """How rare contexts are set against usual ones."""
        return {
            "root_seed": self.config["root_seed"],
            "resamples": self.options["resamples"],
            "level": self.config["estimates"]["level"],
        }

    def assessment_options(self) -> dict[str, Any]:
        """How scores are assessed over the tasks."""
        return self.contrast_options() | {"collection": "sounds"}

    def contrasted(self, wildcards: Any) -> dict[str, str]:
        """What the report reads, by name: the tables of all tasks, and rare contexts in them."""
        return self.assessed() | {
            "contrasts": self.result("subconcepts/contrasts.parquet"),
            "statistics": self.result("subconcepts/contrast_statistics.parquet"),
        }
