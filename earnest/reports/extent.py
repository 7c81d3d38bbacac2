"""How much of a large study its page shows: a page must open quickly and stay below 10 MB."""

from collections.abc import Sequence
from dataclasses import dataclass

from earnest.reports.view import Row, TaskView

# Cells of one measure, over all tasks. One adds 4 kB to a page that shows all, and 0.9 kB to one
# that shows each curve of the main measure once.
MOST_WHOLE = 2_000
MOST_DRAWN = 10_000


@dataclass(frozen=True)
class Extent:
    """What a page shows.

    Attributes
    ----------
    cells : int
        Combinations of task, sampler, size and estimator.
    whole : bool
        Every row of the long tables, and the figures of all measures. Otherwise the rows of the
        headline size, and the main figure.
    drawn : bool
        Whether curves are drawn at all.
    """

    cells: int
    whole: bool
    drawn: bool


def extent_of(views: Sequence[TaskView]) -> Extent:
    """Settle what the page of these tasks shows."""
    cells = sum(
        row["measure"] == view.chosen.measure and row["utility"] == "none"
        for view in views
        for row in view.rows
    )
    return Extent(cells, cells <= MOST_WHOLE, cells <= MOST_DRAWN)


def of_one_size(rows: list[Row], size: int) -> list[Row]:
    """Return the rows of one size, or of the one nearest to it."""
    if not rows:
        return []
    nearest = min((row["size"] for row in rows), key=lambda one: (abs(one - size), one))
    return [row for row in rows if row["size"] == nearest]
