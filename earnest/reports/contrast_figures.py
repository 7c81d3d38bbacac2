"""Figures on rare contexts: a ladder of recalls, and what a weighting makes of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from earnest.reports import charts
from earnest.reports.charts import escape, rule, text, ticks

LEFT, STEP = 112.0, 17.0  # room for the names of foregrounds, height of each
SQUARE = charts.Frame(height=230.0, top=8.0, bottom=34.0)
LONGEST_NAME = 17


@dataclass(frozen=True)
class Rung:
    """One foreground: recall over its usual background, mean and lowest over rare ones."""

    name: str
    usual: float
    rare: float
    worst: float
    note: str


def ladder_panel(rungs: Sequence[Rung]) -> str:
    """Draw one line per foreground from its usual to its rare recall, lowest difference first.

    Parameters
    ----------
    rungs : sequence of Rung
    """
    frame = charts.Frame(left=LEFT, top=8.0, bottom=34.0, height=42.0 + STEP * len(rungs))
    across = frame.across((0.0, 1.0))
    parts = [frame.columns((across(tick), tick) for tick in (0.0, 0.25, 0.5, 0.75, 1.0))]
    for place, rung in enumerate(sorted(rungs, key=lambda one: (one.rare - one.usual, one.name))):
        y = frame.top + STEP * (place + 0.5)
        usual, rare, worst = (across(value) for value in (rung.usual, rung.rare, rung.worst))
        parts.append(
            f"<g><title>{escape(rung.note)}</title>"
            + text(LEFT - 8, y + 4, charts.shortened(rung.name, LONGEST_NAME), "end")
            + rule("axis", (usual, rare), (y, y))
            + f'<line stroke="{charts.RARE}" stroke-width="2" x1="{worst:.1f}" x2="{worst:.1f}"'
            f' y1="{y - 4:.1f}" y2="{y + 4:.1f}"/>'
            f'<circle fill="{charts.USUAL}" cx="{usual:.1f}" cy="{y:.1f}" r="4"/>'
            f'<circle fill="{charts.RARE}" cx="{rare:.1f}" cy="{y:.1f}" r="4"/></g>'
        )
    parts.append(frame.named("share found"))
    return frame.drawn(parts, "; ".join(rung.note for rung in rungs))


def shift_panel(points: Sequence[tuple[str, float, float]], reach: float, description: str) -> str:
    """Draw one mark per foreground: rare less usual recall across, change of the score up.

    Parameters
    ----------
    points : sequence of (str, float, float)
        Name, place across (-1 to 1), place up.
    reach : float
        Largest change shown, either way; the same for all panels of a figure.
    description : str
        What a screen reader says.
    """
    wide = max((abs(x) for _, x, _ in points), default=1.0) or 1.0
    span, values = (-1.08 * wide, 1.08 * wide), (-1.08 * reach, 1.08 * reach)
    across, up = SQUARE.across(span), SQUARE.up(values)
    parts = [SQUARE.levels(values, most=6), SQUARE.named("rare less usual recall")]
    parts.append(SQUARE.columns((across(tick), tick) for tick in ticks(*span, most=5)))
    look = charts.Look("", charts.BLUE, marker="circle")
    parts += [
        charts.mark(look, across(x), up(y), f"{name}: {x:+.3f}, score {y:+.3f}")
        for name, x, y in points
    ]
    return SQUARE.drawn(parts, description)
