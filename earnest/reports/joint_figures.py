"""Figures on joint weights: error against size of the joint estimate and its rivals."""

from collections.abc import Mapping, Sequence

from earnest.reports import charts
from earnest.reports.charts import Look

FRAME = charts.Frame(right=16.0)
# drawn in this order, the joint estimate on top
LINES = {
    "neither": Look("no weights", charts.GREY, "6 4", "circle"),
    "importance": Look("importance weights alone", charts.BLUE, "9 3 2 3", "circle"),
    "utility": Look("utility weights alone", charts.VERMILION, "3 2", "circle"),
    "joint": Look("both, joined", charts.INK, "", "circle"),
}


def error_panel(
    lines: Mapping[str, Sequence[tuple[int, float]]],
    sizes: Sequence[int],
    highest: float,
    description: str,
) -> str:
    """Draw the error of each way of weighting against the number of labelled items.

    Parameters
    ----------
    lines : mapping of str to sequence of (int, float)
        By a key of `LINES`: size and RMSE, in order of size.
    sizes : sequence of int
        All sizes of the study, the ticks of the horizontal axis.
    highest : float
        Largest error shown; the same for all panels of a figure.
    description : str
        What a screen reader says.

    Returns
    -------
    str
        An `svg` element.
    """
    values = (0.0, 1.06 * (highest or 1.0))
    across, up = FRAME.across((min(sizes), max(sizes)), inset=14), FRAME.up(values)
    parts = [FRAME.levels(values, most=6), FRAME.named("labelled items")]
    parts.append(FRAME.places((across(size), str(size)) for size in sizes))
    for name, look in LINES.items():
        places = [
            (across(size), up(value), f"{look.label}, {size} items: RMSE {value:.3f}")
            for size, value in lines.get(name, ())
        ]
        parts += [charts.curve(look, places, 2.8)] if places else []
    return FRAME.drawn(parts, description)
