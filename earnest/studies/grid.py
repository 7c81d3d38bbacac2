"""The grid of a study on sounds: its tasks, the subsets drawn of their pools, the estimates."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from earnest import embeddings, samplers
from earnest.studies.study import Study


@dataclass(frozen=True)
class Draws:
    """The draws of one job: a task, a sampler and a block of seeds, the last one included."""

    task: str
    sampler: str
    first: int
    last: int


class SubsetGrid(Study):
    """The part of a study on sounds that begins with its embeddings."""

    @property
    @abstractmethod
    def variants(self) -> Mapping[str, float | None]:
        """Variants of the items -> how far the background lies below, in LU, if there is one."""

    @property
    def main(self) -> str:
        """The variant that tasks, draws and estimates are of."""
        return next(iter(self.variants))

    @cached_property
    def trained(self) -> list[str]:
        """The embeddings whose networks the study trains, and is not given trained ones of."""
        return [
            name
            for name, embedding in self.config["embeddings"].items()
            if embedding["backend"] in embeddings.TRAINED
            and "checkpoint" not in embedding["options"]
        ]

    def backbone(self, embedding: str, name: str) -> str:
        """A file of the network that the study trains for an embedding."""
        return self.result(f"embeddings/{embedding}/backbone/{name}")

    def joined(self, embedding: str, name: str, *, variant: str | None = None) -> str:
        """A file of a whole embedding; of the main variant, unless another is named."""
        return self.result(f"embeddings/{embedding}/{variant or self.main}/{name}")

    @property
    def tasks(self) -> dict[str, dict[str, Any]]:
        """The specification of each task, by its name."""
        return {task["name"]: task for task in self.config["tasks"]}

    def task_embedding(self, task: str) -> str:
        """The embedding that a task is learned on: the first, unless it says another."""
        return self.tasks[task]["embedding"] or next(iter(self.config["embeddings"]))

    def task_embeddings(self) -> dict[str, str]:
        """The embedding that each task is learned on."""
        return {task: self.task_embedding(task) for task in self.tasks}

    def task(self, wildcards: Any) -> dict[str, Any]:
        """The specification of one task, without its embedding and classifier."""
        specification = self.tasks[wildcards.task].items()
        return {
            key: value for key, value in specification if key not in ("embedding", "classifier")
        }

    def task_classifier(self, wildcards: Any) -> dict[str, Any]:
        """The classifier of a task and its options."""
        return self.tasks[wildcards.task]["classifier"] or self.config["classifier"]

    def task_network(self, wildcards: Any) -> list[str]:
        """The last layer of the network behind a task's embedding, where the study trained one."""
        embedding = self.task_embedding(wildcards.task)
        return [self.backbone(embedding, "head.json")] if embedding in self.trained else []

    def task_file(self, name: str) -> Callable[[Any], str]:
        """Input function: a file of the embedding that a task is learned on."""
        return lambda wildcards: self.joined(self.task_embedding(wildcards.task), name)

    def task_files(self, name: str) -> Callable[[Any], list[str]]:
        """Input function: a file of the embedding that a task is learned on, of every variant."""
        return lambda wildcards: [
            self.joined(self.task_embedding(wildcards.task), name, variant=variant)
            for variant in self.variants
        ]

    def pool_files(self, name: str) -> list[str]:
        """One file of every task's pool, in the order of the tasks."""
        return [self.result(f"pools/{task}/{name}") for task in self.tasks]

    def variant_options(self) -> dict[str, Any]:
        """How classifiers are scored on every variant."""
        keys = ("measures", "level", "resamples")
        return {key: self.config["estimates"][key] for key in keys}

    def doses(self, wildcards: Any = None) -> list[str]:
        """Scores at every margin, of all tasks; none where there is one variant."""
        if len(self.variants) < 2:
            return []
        return [self.result(f"dose_response/{task}.parquet") for task in self.tasks]

    def dose_stamps(self, wildcards: Any = None) -> list[str]:
        """The stamps of these scores, in their order."""
        return list(self._task_stamps("variants").values()) if len(self.variants) > 1 else []

    def draw_options(self) -> dict[str, Any]:
        """How subsets are drawn."""
        return {"sizes": self.config["draws"]["sizes"], "root_seed": self.config["root_seed"]}

    def estimate_options(self) -> dict[str, Any]:
        """How scores are estimated."""
        keys = ("measures", "utilities", "level", "resamples", "interval")
        return self.draw_options() | {key: self.config["estimates"][key] for key in keys}

    def seeds(self, wildcards: Any) -> list[int]:
        """The seeds of one job."""
        return list(range(int(wildcards.first), int(wildcards.last) + 1))

    def blocks(self, sampler: str) -> list[tuple[int, int]]:
        """First and last seed of each job; a deterministic sampler has one draw."""
        if sampler in samplers.DETERMINISTIC:
            return [(0, 0)]
        seeds, per_job = self.config["draws"]["seeds"], self.config["draws"]["seeds_per_job"]
        return [(first, min(first + per_job, seeds) - 1) for first in range(0, seeds, per_job)]

    def draws(self) -> list[Draws]:
        """The jobs that draw subsets."""
        return [
            Draws(task, sampler, first, last)
            for task in self.tasks
            for sampler in self.config["draws"]["samplers"]
            for first, last in self.blocks(sampler)
        ]

    def estimates(self) -> list[tuple[Draws, str]]:
        """The jobs that estimate scores: draws and an estimator."""
        estimators = self.config["estimates"]["estimators"]
        return [(draws, estimator) for draws in self.draws() for estimator in estimators]

    def all_draws(self, wildcards: Any = None) -> list[str]:
        """The shards of all draws."""
        return [
            self.result(f"draws/{one.task}/{one.sampler}/seeds-{one.first}-{one.last}.parquet")
            for one in self.draws()
        ]

    def all_estimates(self, wildcards: Any = None) -> list[str]:
        """The shards of all estimates."""
        return [
            self.result(
                f"estimates/{one.task}/{one.sampler}/{estimator}"
                f"/seeds-{one.first}-{one.last}.parquet"
            )
            for one, estimator in self.estimates()
        ]

    def estimate_stamps(self, wildcards: Any = None) -> list[str]:
        """The stamps of these shards, in their order."""
        stamps = self._task_stamps("estimates")
        return [stamps[draws.task] for draws, _ in self.estimates()]

    def task_choice(self, task: str) -> dict[str, str]:
        """What the settings of a task's stages depend on."""
        return {"task": task, "embedding": self.task_embedding(task)}

    def _pool_settings(self, *, task: str, **_: str) -> dict[str, Any]:
        return {
            "classifier": self.tasks[task]["classifier"] or self.config["classifier"],
            "variant": self.main,
            "root_seed": self.config["root_seed"],
        }

    def _task_stamps(self, stage: str) -> dict[str, str]:
        return {task: self.stamp(stage, **self.task_choice(task)) for task in self.tasks}

    def headline(self) -> dict[str, Any]:
        """The cell that the report puts first."""
        report = self.config["report"]
        return {"size": report["headline_size"], "sampler": report["headline_sampler"]}

    def headline_measures(self) -> dict[str, str]:
        """The measure that the metrics give of each task: that of its report."""
        return {
            name: "accuracy" if task["kind"] == "classes" else "balanced_accuracy"
            for name, task in self.tasks.items()
        }

    def comparison_options(self) -> dict[str, Any]:
        """How joint weights are compared with one weight alone."""
        return {"root_seed": self.config["root_seed"], "level": self.config["estimates"]["level"]}
