"""A study on mixtures of two clips: what of it differs from one on clips as they are."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from earnest import datasets
from earnest.datasets import folder
from earnest.mixing import pairs
from earnest.studies import problems
from earnest.studies.sounds import SoundStudy
from earnest.studies.stages import Stage
from earnest.studies.study import located

if TYPE_CHECKING:
    import pandas


class MixtureStudy(SoundStudy):
    """A study on mixtures: one plan, rendered at several margins and without a background."""

    RULES: ClassVar[str] = "mixtures"
    WHOLE_FOLDERS: ClassVar[tuple[str, ...]] = ("listening", "export")
    BLOCK: ClassVar[str] = "mixtures"
    FOREIGN_BLOCK: ClassVar[str] = "split"
    ITEMS: ClassVar[str] = "mixtures"
    PLAN: ClassVar[str] = "mixture_plan"
    ITEM_STAGE: ClassVar[str] = "mixtures"

    def targets(self) -> list[str]:
        """What every study on sounds is for, and the page to listen to the mixtures."""
        return [*super().targets(), self.result("listening.html")]

    @property
    def margins(self) -> Sequence[float]:
        """How far the background lies below the foreground, in LU; the first is the main one."""
        margins = self.config["mixtures"]["margin_lu"]
        return margins if isinstance(margins, list) else [margins]

    @cached_property
    def variants(self) -> Mapping[str, float | None]:
        """Variants of the mixtures -> their margin in LU; None without a background."""
        clean = {"clean": None} if self.config["mixtures"]["clean"] else {}
        return {f"{margin:g}-lu": margin for margin in self.margins} | clean

    @property
    def shards(self) -> range:
        """Numbers of the shards of mixtures."""
        return range(self.config["mixtures"]["shards"])

    @cached_property
    def pairs(self) -> "pandas.DataFrame":
        """Which background goes under which foreground, read once; `PairsError` if it is wrong."""
        known = None
        if not self.config["mixtures"]["allow_missing"]:
            known = datasets.known_labels(self.config["datasets"], self._own_labels())
        return pairs.read_pairs(self.tables()["mixtures.pairs"][0], known=known)

    def _own_labels(self) -> Collection[str] | None:
        """The labels of the user's own sounds, if the study has such and they can be listed."""
        options = self.config["folder"]
        if "folder" not in self.config["datasets"] or options["path"] is None:
            return None
        return folder.labels_in(options["path"], options["labels"])

    @cached_property
    def stages(self) -> Mapping[str, Stage]:
        """Every stage that has code of its own, by name."""
        return {
            **super().stages,
            "mixtures": Stage(
                ("mixing",),
                lambda **_: {"format": self.config["mixtures"]["format"]},
                before="plan",
                scripts=("render_mixtures", "gather_mixtures"),
            ),
            "listening": Stage(
                ("reports.pages.listening", "mixing.plan"),
                inputs=lambda **_: self.tables()["mixtures.rejected"],
                scripts=("write_listening_page",),
            ),
            "export": Stage(("mixing.exporting",), scripts=("export_mixtures",)),
        }

    def block_problems(self) -> Iterator[str]:
        """Yield what is wrong in the key `mixtures`."""
        yield from problems.find_mixture_problems(self)

    def tables(self) -> dict[str, list[str]]:
        """The tables of pairs and of rejected mixtures, by the key that names them."""
        names = ("pairs", "rejected")
        return {f"mixtures.{name}": [located(self.config["mixtures"][name])] for name in names}

    def input_files(self) -> dict[str, list[str]]:
        """The tables of pairs and of rejected mixtures, and what every study on sounds reads."""
        return self.tables() | super().input_files()

    def plan_inputs(self) -> list[str]:
        """The tables of pairs and of rejected mixtures."""
        return [path for (path,) in self.tables().values()]

    def wanted_labels(self) -> list[str] | None:
        """The labels that the pairs name, where clips of others are not decoded; else None."""
        if not self.config["clips"]["only_paired"]:
            return None
        return sorted(pairs.labels_of_pairs(self.pairs))

    def paired_foregrounds(self) -> list[str]:
        """The foregrounds of the pairs."""
        return sorted(set(self.pairs["foreground"]))

    def plan_options(self) -> dict[str, Any]:
        """How the mixtures are planned."""
        keys = ("primary_share", "train_share", "class_splits", "shards")
        return {
            "mixtures_per_foreground": self.config["mixtures"]["per_foreground"],
            **{key: self.config["mixtures"][key] for key in keys},
            "root_seed": self.config["root_seed"],
        }

    def plan(self, wildcards: Any = None) -> str:
        """What the mixtures of the study are, in order."""
        return self.result("plan/mixtures.parquet")

    def margin(self, wildcards: Any) -> float | None:
        """How far the background of a variant lies below, in LU; None without a background."""
        return self.variants[wildcards.variant]

    def mixture_shards(self, *variants: str) -> list[str]:
        """The tables of the mixtures of some variants, shard by shard."""
        return [
            self.result(f"mixtures/{variant}/shard-{shard}.parquet")
            for variant in variants
            for shard in self.shards
        ]

    def all_mixture_shards(self, wildcards: Any = None) -> list[str]:
        """The tables of the mixtures of all variants, shard by shard."""
        return self.mixture_shards(*self.variants)

    def mixture_audio(self, *variants: str) -> list[str]:
        """The sound files of the mixtures of some variants, shard by shard."""
        extension = self.config["mixtures"]["format"]
        return [
            self.result(f"mixtures/{variant}/shard-{shard}.{extension}")
            for variant in variants
            for shard in self.shards
        ]

    def all_mixture_audio(self, wildcards: Any = None) -> list[str]:
        """The sound files of the mixtures of all variants."""
        return self.mixture_audio(*self.variants)

    def audio_shards(self) -> list[tuple[str, int]]:
        """The variant and the shard of each of these files, in their order."""
        return [(variant, shard) for variant in self.variants for shard in self.shards]

    def shard_files(self, wildcards: Any) -> dict[str, str]:
        """The mixtures of one shard of a variant: a table, and their sound."""
        shard = int(wildcards.shard)
        return {
            "sounds": self.mixture_shards(wildcards.variant)[shard],
            "audio": self.mixture_audio(wildcards.variant)[shard],
        }

    def item_tables(self, wildcards: Any) -> list[str]:
        """The tables of the mixtures of all shards of a variant."""
        return self.mixture_shards(wildcards.variant)

    def training_tables(self, wildcards: Any = None) -> list[str]:
        """The tables of the mixtures that a network is trained on: those of the main variant."""
        return self.mixture_shards(self.main)

    def training_audio(self, wildcards: Any = None) -> list[str]:
        """The sound of these mixtures."""
        return self.mixture_audio(self.main)

    def report_items(self, wildcards: Any = None) -> dict[str, list[str]]:
        """The tables of all items and the sound of the main variant, as the report reads them."""
        return {
            "mixtures": [self.result("mixtures.parquet")],
            "audio": self.mixture_audio(self.main),
            "item_table": [],
        }
