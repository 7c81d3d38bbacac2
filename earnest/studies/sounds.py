"""Studies on sounds: clips, items made of them, their embeddings."""

import os
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar

from earnest import embeddings
from earnest.studies import problems
from earnest.studies.crossval import SoundCrossval
from earnest.studies.grid import SubsetGrid
from earnest.studies.stages import Stage
from earnest.studies.study import one_of


class SoundStudy(SubsetGrid):
    """A study on sounds: clips, items made of them, embeddings, tasks, draws and estimates.

    An item is a mixture or a clip. The items lie in shards; of mixtures there are variants, of
    which the first, the main one, is the one that tasks, draws and estimates are of.
    """

    SCHEMA: ClassVar[str] = "config.schema.yaml"
    LIBRARIES: ClassVar[tuple[str, ...]] = (
        "numpy",
        "scipy",
        "pandas",
        "scikit-learn",
        "librosa",
        "soxr",
        "pyloudnorm",
        "kmedoids",
        "numba",
        "snakemake",
    )
    BLOCK: ClassVar[str]  # the key that this kind needs
    FOREIGN_BLOCK: ClassVar[str]  # the key that it must not have
    ITEMS: ClassVar[str]  # name of the table of one shard of items
    PLAN: ClassVar[str]  # name of the table of all items
    ITEM_STAGE: ClassVar[str]  # the stage that makes the items

    # What the kinds differ in.

    @property
    @abstractmethod
    def shards(self) -> range:
        """Numbers of the shards of items."""

    @abstractmethod
    def block_problems(self) -> Iterator[str]:
        """Yield what is wrong in the key that this kind needs."""

    @abstractmethod
    def plan_options(self) -> dict[str, Any]:
        """How the items are planned."""

    @abstractmethod
    def plan(self, wildcards: Any = None) -> str:
        """What the items of the study are, in order."""

    @abstractmethod
    def shard_files(self, wildcards: Any) -> dict[str, str]:
        """The items of one shard of a variant: a table, and their sound."""

    @abstractmethod
    def item_tables(self, wildcards: Any) -> list[str]:
        """The tables of the items of all shards of a variant."""

    @abstractmethod
    def training_tables(self, wildcards: Any = None) -> list[str]:
        """The tables of the items that a network is trained on: those of the main variant."""

    @abstractmethod
    def training_audio(self, wildcards: Any = None) -> list[str]:
        """The sound of these items."""

    @abstractmethod
    def report_items(self, wildcards: Any = None) -> dict[str, list[str]]:
        """The tables of all items and the sound of the main variant, as the report reads them."""

    def wanted_labels(self) -> list[str] | None:
        """The labels whose clips are decoded; None for all."""
        return None

    def paired_foregrounds(self) -> list[str]:
        """The foregrounds of the pairs; clips as they are have none."""
        return []

    # The study as a whole.

    def problems(self) -> Iterator[str]:
        """Yield what a schema cannot see."""
        yield from problems.find_sound_problems(self)

    def input_files(self) -> dict[str, list[str]]:
        """The files of each embedding (weights, the user's own vectors) and of the own folder."""
        files = {
            f"embeddings.{name}": embeddings.sources(embedding["backend"], embedding["options"])
            for name, embedding in self.config["embeddings"].items()
        }
        own = self.config["folder"]
        if own["path"] and own["labels"]:
            files["folder.labels"] = [os.path.join(own["path"], own["labels"])]
        return files

    def wildcards(self) -> dict[str, str]:
        """Wildcard -> regular expression of its values."""
        crossed = {"correction": one_of(self.crossval.corrections)} if self.crossval else {}
        return (
            super().wildcards()
            | crossed
            | {
                "dataset": one_of(self.config["datasets"]),
                "part": r"\d+",
                "shard": r"\d+",
                "variant": one_of(self.variants),
                "embedding": one_of(self.config["embeddings"]),
                "task": one_of(self.tasks),
                "sampler": one_of(self.config["draws"]["samplers"]),
                "estimator": one_of(self.config["estimates"]["estimators"]),
                "first": r"\d+",
                "last": r"\d+",
            }
        )

    def targets(self) -> list[str]:
        """The report, that of the cross-validation, and whether the run may be called clean."""
        crossed = [self.result("subconcepts/report.html")] if self.crossval else []
        return [*super().targets(), self.result("checks.json"), *crossed]

    @property
    def length(self) -> int:
        """Length of every clip, in samples."""
        return round(self.config["clips"]["sample_rate"] * self.config["clips"]["duration_s"])

    @property
    def crossval(self) -> SoundCrossval | None:
        """The cross-validation of all items, where the study asks for it."""
        return SoundCrossval(self.config, self) if self.config["subconcepts"] else None

    @cached_property
    def stages(self) -> Mapping[str, Stage]:
        """Every stage that has code of its own, by name."""
        return {
            "synthesis": Stage(("datasets.demo",), scripts=("synthesise_demo",)),
            "downloads": Stage(
                ("datasets.verification",), inputs=self._sources, scripts=("fetch_dataset",)
            ),
            "folder": Stage(("datasets.folder",), inputs=self._sources, scripts=("locate_folder",)),
            "listing": Stage(("datasets",), inputs=self._sources, scripts=("list_clips",)),
            "clips": Stage(
                ("datasets.preparing",),
                lambda **_: {"parts": self.config["clips"]["parts"]} | self.clip_options(),
                inputs=self._sources,
                scripts=("prepare_clips", "gather_clips"),
            ),
            "plan": Stage(
                ("mixing.plan",),
                lambda **_: self.plan_options(),
                before="clips",
                inputs=lambda **_: self.plan_inputs(),
                scripts=(f"plan_{self.RULES}",),
            ),
            "backbones": Stage(
                ("embeddings.backbones",),
                self._backbone_settings,
                before=self.ITEM_STAGE,
                scripts=("train_backbone",),
            ),
            "embeddings": Stage(
                ("embeddings.store",),
                lambda embedding, **_: self.config["embeddings"][embedding],
                # What a network gives depends on how it was trained.
                before=lambda embedding, **_: (
                    "backbones" if embedding in self.trained else self.ITEM_STAGE
                ),
                plugins=self._backend_modules,
                methods=self._backend,
                inputs=self._backend_files,
                scripts=("embed_items", "gather_embeddings"),
            ),
            "checks": Stage(
                ("embeddings.checking",), inputs=self._backend_files, scripts=("check_backend",)
            ),
            "pools": Stage(
                ("tasks.pools",), self._pool_settings, before="embeddings", scripts=("build_pool",)
            ),
            "variants": Stage(
                ("protocols.doses",),
                lambda **_: {"margins": dict(self.variants)} | self.variant_options(),
                before="pools",
                scripts=("score_variants",),
            ),
            "draws": Stage(
                ("protocols.subsets.drawing",),
                lambda **_: self.draw_options(),
                before="pools",
                methods=lambda **_: {"samplers": self.config["draws"]["samplers"]},
                scripts=("draw_subsets",),
            ),
            "estimates": Stage(
                ("protocols.subsets.estimating",),
                lambda **_: self.estimate_options(),
                before="draws",
                methods=lambda **_: {"estimators": self.config["estimates"]["estimators"]},
                scripts=("estimate_scores",),
            ),
            "summary": Stage(
                ("protocols.subsets.summary", "protocols.subsets.comparisons"),
                scripts=("summarise",),
            ),
            "joint": Stage(("protocols.subsets.joint",), scripts=("compare_weights",)),
            "report": Stage(
                (
                    "reports.pages.subsets",
                    "reports.reading",
                    "protocols.subsets.summary",
                ),
                scripts=("write_report",),
            ),
            "acceptance": Stage(("datasets.acceptance",), scripts=("check_clips",)),
        }

    def _backbone_settings(self, *, embedding: str, **_: str) -> dict[str, Any]:
        options = {"name": embedding, "variant": self.main, "root_seed": self.config["root_seed"]}
        return options | self.config["embeddings"][embedding]

    def _backend(self, *, embedding: str | None = None, **_: str) -> dict[str, list[str]]:
        return (
            {"embeddings": [self.config["embeddings"][embedding]["backend"]]} if embedding else {}
        )

    def _backend_modules(self, *, embedding: str, **_: str) -> tuple[str, ...]:
        return (embeddings.module_of(self.config["embeddings"][embedding]["backend"]),)

    def plan_inputs(self) -> list[str]:
        """Files of people that decide which items there are."""
        return []

    def _sources(self, *, dataset: str | None = None, **_: str) -> list[str]:
        """Where one data set, or all, lie that people may change: the own folder, the mirror.

        What was downloaded or synthesised is verified instead, by `problems`: before the first
        run it is not there.
        """
        datasets = self.config["datasets"] if dataset is None else [dataset]
        own, mirror = self.config["folder"]["path"], self.config["mirror"]
        paths = {
            name: own if name == "folder" else mirror and os.path.join(mirror, name)
            for name in datasets
        }
        return [path for path in paths.values() if path and os.path.isdir(path)]

    def _backend_files(self, *, embedding: str, **_: str) -> list[str]:
        """Weights and vectors that the study file names."""
        return self.input_files()[f"embeddings.{embedding}"]

    def choice(self, wildcards: Any) -> dict[str, str]:
        """What the settings of a job's stage depend on: its task, its embedding, its data set."""
        if hasattr(wildcards, "dataset"):
            return {"dataset": wildcards.dataset}
        if hasattr(wildcards, "task"):
            return self.task_choice(wildcards.task)
        return {"embedding": wildcards.embedding} if hasattr(wildcards, "embedding") else {}

    def stamps(self) -> dict[str, Any]:
        """The stamp of every stage; of each task, from the embeddings on."""
        first = dict.fromkeys(("clips", "plan", self.ITEM_STAGE))
        stamps: dict[str, Any] = {stage: self.stamp(stage) for stage in first}
        for stage in ("embeddings", "pools", "draws", "estimates"):
            stamps[stage] = self._task_stamps(stage)
        return stamps

    # Data sets and clips.

    def root(self, wildcards: Any) -> str:
        """The file that says where a data set lies: synthesised, own, in the mirror, downloaded."""
        if wildcards.dataset == "folder":
            return f"data/folders/{self.name}.json"
        if wildcards.dataset == "demo":
            return f"data/demo/clips-{self.config['demo']['clips_per_kind']}/root.json"
        return f"data/raw/{wildcards.dataset}.json"

    def listing_options(self, wildcards: Any) -> dict[str, Any]:
        """What the study says about labels and recordings of its own folder; nothing of others."""
        if wildcards.dataset != "folder":
            return {}
        return {key: self.config["folder"][key] for key in ("labels", "recordings")}

    def folder_contents(self, wildcards: Any = None) -> str:
        """What the own files hold: if that changes, all are listed anew."""
        return self.contents.of(self.config["folder"]["path"])

    def source_contents(self, wildcards: Any) -> list[str]:
        """What the files of a data set hold that lies in the mirror."""
        return self.contents.of_each(self._sources(dataset=wildcards.dataset))

    def has_mirror(self, wildcards: Any) -> bool:
        """Whether the mirror has this data set: when that changes, the data set is located anew."""
        mirror = self.config["mirror"]
        return bool(mirror) and os.path.isdir(os.path.join(mirror, wildcards.dataset))

    def clip_options(self, wildcards: Any = None) -> dict[str, Any]:
        """How clips are decoded and screened."""
        return {
            "quality": self.config["clips"]["resampler"],
            "sample_rate": self.config["clips"]["sample_rate"],
            "length": self.length,
            "root_seed": self.config["root_seed"],
            "labels": self.wanted_labels(),
        }

    def clip_parts(self, wildcards: Any = None) -> list[str]:
        """The tables of all parts of all data sets."""
        return [
            self.result(f"clips/{dataset}/part-{part}.parquet")
            for dataset in self.config["datasets"]
            for part in range(self.config["clips"]["parts"])
        ]

    def clip_stamps(self, wildcards: Any = None) -> list[str]:
        """The stamp of each of these tables, in their order."""
        return [
            self.stamp("clips", dataset=dataset)
            for dataset in self.config["datasets"]
            for _ in range(self.config["clips"]["parts"])
        ]

    def clip_audio(self, wildcards: Any = None) -> list[str]:
        """The decoded clips of these parts."""
        return [path.replace(".parquet", ".npy") for path in self.clip_parts()]

    # Embeddings.

    def trainings(self, wildcards: Any = None) -> list[str]:
        """How the networks were trained."""
        return [self.backbone(embedding, "training.json") for embedding in self.trained]

    def training_options(self, wildcards: Any) -> dict[str, Any]:
        """How the network of an embedding is trained."""
        return {
            **self.config["embeddings"][wildcards.embedding],
            "root_seed": self.config["root_seed"],
            "name": wildcards.embedding,
            "sample_rate": self.config["clips"]["sample_rate"],
            "length": self.length,
        }

    def training_threads(self, wildcards: Any) -> int:
        """A number that the study sets, because it decides how sums are rounded."""
        return self.config["embeddings"][wildcards.embedding]["options"].get("threads", 1)

    def unfinished(self, wildcards: Any) -> str:
        """Where an unfinished training lies; one with other settings lies elsewhere."""
        stamp = self.stamp("backbones", embedding=wildcards.embedding)
        return self.backbone(wildcards.embedding, f"unfinished-{stamp}")

    def embedding(self, wildcards: Any) -> dict[str, Any]:
        """The backend of one embedding and its options, with the network that the study trains."""
        name = wildcards.embedding
        given = self.config["embeddings"][name]
        if name not in self.trained:
            return given
        return given | {
            "options": given["options"] | {"checkpoint": self.backbone(name, "model.pt")}
        }

    def embedding_sources(self, wildcards: Any) -> list[str]:
        """The network behind a backend, where the study trains it.

        What people give, such as weights or vectors, is known by content in the stamp.
        """
        name = wildcards.embedding
        return [self.backbone(name, "model.pt")] if name in self.trained else []

    def embedding_input(self, wildcards: Any) -> dict[str, Any]:
        """What the embedding of one shard is made of: sounds, and its network."""
        return self.shard_files(wildcards) | {"sources": self.embedding_sources(wildcards)}

    def embedding_shards(self, extension: str) -> Callable[[Any], list[str]]:
        """Input function: the files of one extension of all shards of an embedded variant."""
        return lambda wildcards: [
            self.result(
                f"embeddings/{wildcards.embedding}/{wildcards.variant}/shard-{shard}.{extension}"
            )
            for shard in self.shards
        ]

    def embedding_checks(self, wildcards: Any = None) -> list[str]:
        """Whether each backend keeps its promises."""
        return [self.result(f"embeddings/{name}/check.json") for name in self.config["embeddings"]]

    def embedding_descriptions(self, wildcards: Any = None) -> list[str]:
        """How each embedding of the main variant was made."""
        return [self.joined(name, "meta.json") for name in self.config["embeddings"]]

    def all_embeddings(self, wildcards: Any = None) -> list[str]:
        """Every embedding of every variant."""
        return [
            self.joined(name, "embeddings.npy", variant=variant)
            for name in self.config["embeddings"]
            for variant in self.variants
        ]
