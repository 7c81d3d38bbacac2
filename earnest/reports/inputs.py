"""What the pages of studies are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.reports import audio
from earnest.reports import subconcept_words as words
from earnest.reports.extent import Extent
from earnest.reports.view import Row, TaskView

if TYPE_CHECKING:
    import pandas

# The fields that hold a whole table each, by the table's name in `earnest.io.schemas`.
TABLES = {name: name for name in ("summary", "comparisons", "joint", "clips", "dropped")}
# Which table of `earnest.io.schemas` each field holds: of every study, and of sounds.
CROSSVAL_TABLES = {
    "scores": "fold_scores",
    "recalls": "fold_recalls",
    "correlations": "table_correlations",
    "gaps": "table_gaps",
    "differences": "table_gap_differences",
    "quality": "weight_quality",
    "recognition": "recognition_correlations",
    "distances": "table_distances",
    "weights": "table_weights",
}
SOUND_TABLES = CROSSVAL_TABLES | {"contrasts": "sound_contrasts", "statistics": "sound_statistics"}


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


@dataclass(frozen=True)
class TableReportInputs:
    """All that the page shows; frames as described in `earnest.io.schemas`.

    Attributes
    ----------
    study, title : str
    collection : str
        Whose printed numbers stand beside ours.
    level : float
        Of the intervals.
    datasets : sequence of dict
        The description of each data set, used or not run, in the order of the study.
    scores : pandas.DataFrame
        Table `fold_scores`.
    recalls : pandas.DataFrame
        Table `fold_recalls`.
    correlations, gaps, differences : pandas.DataFrame
        Tables `table_correlations`, `table_gaps`, `table_gap_differences`.
    quality, recognition : pandas.DataFrame
        Tables `weight_quality` and `recognition_correlations`.
    distances, weights : pandas.DataFrame
        Tables `table_distances` and `table_weights`.
    remark : str or None
        What to know about the printed numbers.
    provenance : mapping
        Any of config, versions, code (stamps), each a mapping or a plain value.
    contrasts, statistics : pandas.DataFrame, optional
        Tables `sound_contrasts` and `sound_statistics`, of cross-validated sounds.
    """

    study: str
    title: str
    collection: str
    level: float
    datasets: Sequence[Mapping[str, Any]]
    scores: "pandas.DataFrame"
    recalls: "pandas.DataFrame"
    correlations: "pandas.DataFrame"
    gaps: "pandas.DataFrame"
    differences: "pandas.DataFrame"
    quality: "pandas.DataFrame"
    recognition: "pandas.DataFrame"
    distances: "pandas.DataFrame"
    weights: "pandas.DataFrame"
    remark: str | None
    provenance: Mapping[str, Any]
    contrasts: "pandas.DataFrame | None" = None
    statistics: "pandas.DataFrame | None" = None

    @property
    def corrections(self) -> dict[str, str]:
        """Corrections of imbalance that have scores, with what they are called."""
        return {name: words.correction(name) for name in self.scores["correction"]}
