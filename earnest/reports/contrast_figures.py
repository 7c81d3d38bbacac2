"""Figures on rare contexts: a ladder of recalls, and what a weighting makes of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from earnest.reports.figures import escape, ticks

WIDTH = 330.0
LEFT, RIGHT, TOP, BOTTOM = 112.0, 12.0, 8.0, 34.0
STEP = 17.0  # height of one foreground
SQUARE = 230.0  # height of a scatter panel
MARGIN = 44.0
USUAL, RARE = "#0b5c94", "#D55E00"
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
    height = TOP + BOTTOM + STEP * len(rungs)
    parts = []
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = _across(tick)
        parts.append(
            f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP:g}" y2="{height - BOTTOM:g}"/>'
            f'<text x="{x:.1f}" y="{height - BOTTOM + 15:g}" text-anchor="middle">{tick:g}</text>'
        )
    for place, rung in enumerate(sorted(rungs, key=lambda one: (one.rare - one.usual, one.name))):
        y = TOP + STEP * (place + 0.5)
        usual, rare, worst = (_across(value) for value in (rung.usual, rung.rare, rung.worst))
        name = rung.name if len(rung.name) <= LONGEST_NAME else rung.name[: LONGEST_NAME - 1] + "…"
        parts.append(
            f"<g><title>{escape(rung.note)}</title>"
            f'<text x="{LEFT - 8:g}" y="{y + 4:.1f}" text-anchor="end">{escape(name)}</text>'
            f'<line class="axis" x1="{usual:.1f}" x2="{rare:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<line stroke="{RARE}" stroke-width="2" x1="{worst:.1f}" x2="{worst:.1f}"'
            f' y1="{y - 4:.1f}" y2="{y + 4:.1f}"/>'
            f'<circle fill="{USUAL}" cx="{usual:.1f}" cy="{y:.1f}" r="4"/>'
            f'<circle fill="{RARE}" cx="{rare:.1f}" cy="{y:.1f}" r="4"/></g>'
        )
    said = "; ".join(rung.note for rung in rungs)
    parts.append(
        f'<text x="{_across(0.5):.1f}" y="{height - 4:g}" text-anchor="middle">share found</text>'
    )
    return _svg(parts, height, said)


def _across(share: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * share


def _svg(parts: Sequence[str], height: float, description: str) -> str:
    return (
        f'<svg class="panel" viewBox="0 0 {WIDTH:g} {height:g}" role="img"'
        f' aria-label="{escape(description)}">{"".join(parts)}</svg>'
    )


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
    span = (-1.08 * wide, 1.08 * wide), (-1.08 * reach, 1.08 * reach)
    across, up = _scale(span[0], MARGIN, WIDTH - RIGHT), _scale(span[1], SQUARE - BOTTOM, TOP)
    parts = []
    for tick in ticks(*span[1], most=6):
        parts.append(
            f'<line class="{"axis" if tick == 0 else "grid"}" x1="{MARGIN:g}"'
            f' x2="{WIDTH - RIGHT:g}" y1="{up(tick):.1f}" y2="{up(tick):.1f}"/>'
            f'<text x="{MARGIN - 6:g}" y="{up(tick) + 4:.1f}" text-anchor="end">{tick:.4g}</text>'
        )
    for tick in ticks(*span[0], most=5):
        parts.append(
            f'<line class="{"axis" if tick == 0 else "grid"}" x1="{across(tick):.1f}"'
            f' x2="{across(tick):.1f}" y1="{TOP:g}" y2="{SQUARE - BOTTOM:g}"/>'
            f'<text x="{across(tick):.1f}" y="{SQUARE - BOTTOM + 15:g}" text-anchor="middle">'
            f"{tick:.4g}</text>"
        )
    parts.append(
        f'<text x="{(MARGIN + WIDTH - RIGHT) / 2:g}" y="{SQUARE - 4:g}" text-anchor="middle">'
        "rare less usual recall</text>"
    )
    parts += [
        f'<circle fill="{USUAL}" cx="{across(x):.1f}" cy="{up(y):.1f}" r="3.6">'
        f"<title>{escape(f'{name}: {x:+.3f}, score {y:+.3f}')}</title></circle>"
        for name, x, y in points
    ]
    return _svg(parts, SQUARE, description)


def _scale(values: tuple[float, float], first: float, last: float):
    low, high = values
    return lambda value: first + (last - first) * (value - low) / (high - low)
