"""The report of cross-validated corrections: one HTML file that needs nothing but itself."""

from earnest.reports.findings import number
from earnest.reports.inputs import TableReportInputs
from earnest.reports.rendering import render
from earnest.reports.sections import (
    answers,
    contrasts,
    correlations,
    datasets,
    gaps,
    left_out,
    optimism,
    provenance,
    recognition,
)
from earnest.reports.sections.section import Section, parts

__all__ = ["TableReportInputs", "build_report"]

SECTIONS = (
    Section("answers", answers.shows, (("short", "In short"),)),
    Section("contrasts", contrasts.shows, (("contexts", "Rare contexts"),)),
    Section("correlations", correlations.shows, (("correlations", "Correlations"),)),
    Section("gaps", gaps.shows, (("gaps", "Gaps"),)),
    Section("optimism", optimism.shows, (("optimism", "Optimism"),)),
    Section("recognition", recognition.shows, (("recognition", "Weights and recognition"),)),
    Section("datasets", datasets.shows, (("sets", "Every data set"),)),
    Section("left_out", left_out.shows, (("left-out", "Tasks, left out"),)),
)


def build_report(inputs: TableReportInputs) -> str:
    """Build the page of one study on tables.

    Parameters
    ----------
    inputs : TableReportInputs

    Returns
    -------
    str
        A complete HTML document, the same for the same inputs. It loads nothing and works
        without JavaScript.
    """
    return render(
        "crossval.html",
        inputs=inputs,
        used=[one for one in inputs.datasets if one["status"] == "used"],
        corrections=inputs.corrections.items(),
        guarded=any(one.get("guard") for one in inputs.datasets),
        parts=parts(SECTIONS, inputs),
        settings=provenance.settings(inputs.provenance),
        number=number,
    )
