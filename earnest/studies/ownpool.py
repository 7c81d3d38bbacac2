"""A study on a pool of the user's own."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from earnest import embeddings
from earnest.studies.problems import find_absent, find_absent_folder
from earnest.studies.stages import Stage
from earnest.studies.study import Study, located

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
                scripts=("evaluate_own_pool",),
            ),
            "report": Stage(("reports.pages.ownpool",)),
        }
        if self.audio:
            backend = embeddings.module_of(self.audio["backend"])
            stages["embeddings"] = Stage(
                ("protocols.ownpool.embedding", backend),
                methods=lambda **_: {"embeddings": [self.audio["backend"]]},
                inputs=self._sounds,
                scripts=("embed_own_sounds",),
            )
        return stages

    def problems(self) -> Iterator[str]:
        """Yield files that are not there, and two ways to have embeddings."""
        yield from find_absent(self.input_files())
        if self.audio is None:
            return
        if self.config["embeddings"] is not None:
            yield "`audio` and `embeddings` both give embeddings; leave one of them out"
        yield from find_absent_folder("audio.path", self.audio["path"])
        yield from embeddings.find_problems(self.audio["backend"], self.audio["options"])

    def input_files(self) -> dict[str, list[str]]:
        """The tables and vectors of the pool that are given."""
        return {key: [located(self.config[key])] for key in FILES if self.config[key] is not None}

    def pool_files(self, wildcards: Any = None) -> dict[str, str]:
        """The files that the evaluation reads, by what they hold."""
        given = {key: path for key, (path,) in self.input_files().items()}
        return given | ({"embeddings": self.embedded_sounds()[0]} if self.audio else {})

    def embedded_sounds(self, wildcards: Any = None) -> list[str]:
        """The embeddings of the sounds of the pool, where it is given any."""
        return [self.result("embeddings.npy")] if self.audio else []

    def reading_options(self) -> dict[str, Any]:
        """How the files are to be understood."""
        return {key: self.config[key] for key in ("sampler", "positive", "accept_new_classes")}

    def evaluation_options(self) -> dict[str, Any]:
        """How the pool is evaluated."""
        return {key: self.config[key] for key in EVALUATION} | {"seed": self.config["root_seed"]}

    def _inputs(self, **_: str) -> list[str]:
        """Tables and vectors that are given, sounds, and what their backend reads."""
        paths = [path for files in self.input_files().values() for path in files]
        return [*paths, *self._sounds()] if self.audio else paths

    def _sounds(self, **_: str) -> list[str]:
        """What the embedding reads: the names of the items, their sounds, and weights."""
        sources = embeddings.sources(self.audio["backend"], self.audio["options"])
        return [self.config["pool"], self.audio["path"], *sources]
