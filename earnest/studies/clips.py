"""A study on clips as they are: what of it differs from one on mixtures."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from earnest.studies import problems
from earnest.studies.sounds import SoundStudy


class ClipStudy(SoundStudy):
    """A study on clips as they are, split into those that train and those of the pool."""

    RULES: ClassVar[str] = "clips"
    BLOCK: ClassVar[str] = "split"
    FOREIGN_BLOCK: ClassVar[str] = "mixtures"
    ITEMS: ClassVar[str] = "items"
    PLAN: ClassVar[str] = "items"
    ITEM_STAGE: ClassVar[str] = "plan"

    @property
    def variants(self) -> Mapping[str, float | None]:
        """The clips themselves, which have no margin."""
        return {"clips": None}

    @property
    def shards(self) -> range:
        """Numbers of the shards: the parts of all data sets."""
        return range(len(self.config["datasets"]) * self.config["clips"]["parts"])

    def block_problems(self) -> Iterator[str]:
        """Yield what is wrong in the key `split`, and what clips cannot have."""
        yield from problems.find_split_problems(self)

    def plan_options(self) -> dict[str, Any]:
        """How the clips are split."""
        return self.config["split"] | {"root_seed": self.config["root_seed"]}

    def plan(self, wildcards: Any = None) -> str:
        """What the items of the study are, in order."""
        return self.result("plan/items.parquet")

    def shard_files(self, wildcards: Any) -> dict[str, str]:
        """The table of all items, and the sound of those of one shard."""
        return {"sounds": self.plan(), "audio": self.clip_audio()[int(wildcards.shard)]}

    def item_tables(self, wildcards: Any) -> list[str]:
        """The one table of all items."""
        return [self.plan()]

    def training_tables(self, wildcards: Any = None) -> list[str]:
        """The one table of all items."""
        return [self.plan()]

    def training_audio(self, wildcards: Any = None) -> list[str]:
        """The sound of all clips."""
        return self.clip_audio()

    def report_items(self, wildcards: Any = None) -> dict[str, list[str]]:
        """The table of all items, as the report reads it."""
        return {"mixtures": [], "audio": [], "item_table": [self.plan()]}
