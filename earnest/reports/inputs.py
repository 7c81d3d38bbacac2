"""What the page of a study that draws subsets is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.reports import audio
from earnest.reports.extent import Extent
from earnest.reports.view import Row, TaskView

if TYPE_CHECKING:
    import pandas

# The fields that hold a whole table each, by the table's name in `earnest.io.schemas`.
TABLES = {name: name for name in ("summary", "comparisons", "joint", "clips", "dropped")}


@dataclass(frozen=True)
class ReportInputs:
    """All that the page shows; frames as described in `earnest.io.schemas`.

    Attributes
    ----------
    study : str
        Name of the study, a slug.
    title : str
        What the study is, for people.
    pools : mapping of str to (dict, DataFrame, DataFrame)
        Per task its description, pool table and subconcepts table, in the order of the page.
    summary : pandas.DataFrame
        Table "summary" with at least one row per task.
    comparisons : pandas.DataFrame
        Table "comparisons" of the same estimates.
    clips, dropped, mixtures : pandas.DataFrame
        Tables of those names; empty for a pool that was not made from sound.
    items : pandas.DataFrame, optional
        Table "items" of a study on clips, which has no mixtures.
    examples : sequence of (mapping, numpy.ndarray)
        Rows of the mixtures table with their samples, float32, to listen to.
    provenance : mapping
        Any of config, versions, code (stamps), seeds, each a mapping or a plain value.
    headline : mapping
        Wishes for the numbers that come first: any of measure, sampler, size, estimator.
    level : float
        Confidence level of the intervals.
    joint : pandas.DataFrame, optional
        Table "joint": importance and utility weights together against one of them alone.
    sample_rate : int
        Hz of the examples.
    dose_response : pandas.DataFrame, optional
        Table "dose_response" of a study whose mixtures have several variants.
    trainings : mapping of str to mapping
        training.json of every network that the study trained, by the name of its embedding.
    embeddings : mapping of str to str
        The name of the embedding of each task.
    """

    study: str
    title: str
    pools: Mapping[str, tuple[Mapping[str, Any], "pandas.DataFrame", "pandas.DataFrame"]]
    summary: "pandas.DataFrame"
    comparisons: "pandas.DataFrame"
    clips: "pandas.DataFrame"
    dropped: "pandas.DataFrame"
    mixtures: "pandas.DataFrame"
    examples: Sequence[tuple[Mapping[str, Any], np.ndarray]]
    provenance: Mapping[str, Any]
    headline: Mapping[str, Any] = field(default_factory=dict)
    level: float = 0.95
    items: "pandas.DataFrame | None" = None
    sample_rate: int = audio.SAMPLE_RATE
    dose_response: "pandas.DataFrame | None" = None
    joint: "pandas.DataFrame | None" = None
    trainings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    embeddings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class StudyPage:
    """What every section of the page looks at.

    Attributes
    ----------
    inputs : ReportInputs
    views : tuple of TaskView
        In the order of the page, each with a title that no other has.
    comparisons : list of dict
        Rows of the table "comparisons", missing numbers None.
    shown : Extent
    """

    inputs: ReportInputs
    views: tuple[TaskView, ...]
    comparisons: list[Row]
    shown: Extent

    @property
    def level(self) -> str:
        """Confidence level of the intervals, as a percentage."""
        return f"{100 * self.inputs.level:.3g}\u00a0%"
