"""A study on a pool of the user's own."""

import os
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from earnest import embeddings
from earnest.studies.stages import Stage
from earnest.studies.study import Study

FILES = ("pool", "labels", "embeddings", "subconcepts", "drawn")
EVALUATION = ("estimators", "level", "resamples", "budget", "target", "uniform_share")


class OwnPoolStudy(Study):
    """One pool with the labels that are there, and perhaps its sounds."""

    SCHEMA: ClassVar[str] = "own.schema.yaml"
    RULES: ClassVar[str] = "ownpool"
    LIBRARIES: ClassVar[tuple[str, ...]] = (
        "numpy",
        "scipy",
        "pandas",
        "scikit-learn",
        "numba",
        "snakemake",
    )

    @property
    def audio(self) -> dict[str, Any] | None:
        """The sounds of the pool and the backend that embeds them, if it is given any."""
        return self.config["audio"]

    @property
    def stages(self) -> Mapping[str, Stage]:
        """The evaluation, its report and, of a pool with sounds, their embedding."""
        stages = {
            "evaluation": Stage(
                ("protocols.ownpool.evaluating", "protocols.ownpool.inputs"),
                methods=lambda **_: {"estimators": self.config["estimators"] or ()},
                inputs=self._inputs,
            ),
            "report": Stage(("reports.pages.ownpool",)),
        }
        if self.audio:
            backend = embeddings.module_of(self.audio["backend"])
            stages["embeddings"] = Stage(
                ("protocols.ownpool.embedding", backend),
                methods=lambda **_: {"embeddings": [self.audio["backend"]]},
                inputs=self._inputs,
            )
        return stages

    def problems(self) -> Iterator[str]:
        """Yield files that are not there, and two ways to have embeddings."""
        for key, paths in self.input_files().items():
            for path in paths:
                if not os.path.isfile(path):
                    yield f"{key}: there is no file {path}"
        if self.audio is None:
            return
        if self.config["embeddings"] is not None:
            yield "`audio` and `embeddings` both give embeddings; leave one of them out"
        if not os.path.isdir(self.audio["path"]):
            yield f"audio.path: there is no folder {self.audio['path']}"
        yield from embeddings.find_problems(self.audio["backend"], self.audio["options"])

    def input_files(self) -> dict[str, list[str]]:
        """The tables and vectors of the pool that are given."""
        return {key: [self.config[key]] for key in FILES if self.config[key] is not None}

    def pool_files(self, wildcards: Any = None) -> dict[str, str]:
        """The files that the evaluation reads, by what they hold."""
        given = {key: self.config[key] for key in FILES if self.config[key] is not None}
        return given | ({"embeddings": self.result("embeddings.npy")} if self.audio else {})

    def reading_options(self) -> dict[str, Any]:
        """How the files are to be understood."""
        return {key: self.config[key] for key in ("sampler", "positive", "accept_new_classes")}

    def evaluation_options(self) -> dict[str, Any]:
        """How the pool is evaluated."""
        return {key: self.config[key] for key in EVALUATION} | {"seed": self.config["root_seed"]}

    def _inputs(self, **_: str) -> list[str]:
        """Tables and vectors that are given, sounds, and what their backend reads."""
        paths = [path for files in self.input_files().values() for path in files]
        if self.audio is None:
            return paths
        sources = embeddings.sources(self.audio["backend"], self.audio["options"])
        return [*paths, self.audio["path"], *sources]
