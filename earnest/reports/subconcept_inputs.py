"""What the report on tables is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

# Which table of `earnest.io.schemas` each field holds: of every study, and of sounds.
TABLES = {
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
SOUND_TABLES = TABLES | {"contrasts": "sound_contrasts", "statistics": "sound_statistics"}


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
