"""Figures of the report on tables: gaps by correction, a panel per data set, scatter plots."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from earnest.reports import subconcept_words as words
from earnest.reports.figures import escape, safe, ticks

WIDTH, HEIGHT = 330.0, 210.0
LEFT, RIGHT, TOP, BOTTOM = 38.0, 8.0, 8.0, 40.0
LONGEST_NAME = 9


@dataclass(frozen=True)
class Bar:
    """One bar with its interval and a note for the pointer."""

    utility: str
    value: float
    low: float | None
    high: float | None
    note: str


@dataclass(frozen=True)
class Group:
    """One subconcept: name, side, share of the largest one's size, share hit."""

    name: str
    side: str
    size: int
    share: float
    hit: float


def _up(values: tuple[float, float]):
    low, high = values
    return lambda value: TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low)


def _frame(up, values: tuple[float, float]) -> str:
    parts = []
    for tick in ticks(*values, most=6):
        y = up(tick)
        parts.append(
            f'<line class="grid" x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text x="{LEFT - 6:g}" y="{y + 4:.1f}" text-anchor="end">{tick:.4g}</text>'
        )
    return "".join(parts)


def _svg(parts: Sequence[str], description: str) -> str:
    return (
        f'<svg class="panel" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img"'
        f' aria-label="{escape(description)}">{"".join(parts)}</svg>'
    )


def gap_panel(
    groups: Sequence[tuple[str, Sequence[Bar]]], values: tuple[float, float], description: str
) -> str:
    """Draw one group of bars per correction, one bar per weighting, whiskers for intervals.

    Parameters
    ----------
    groups : sequence of (str, sequence of Bar)
        Label of each correction and its bars.
    values : tuple of float
        Lowest and highest value shown; whiskers are cut there.
    description : str
        What a screen reader says.
    """
    up, low, high = _up(values), *values
    parts = [_frame(up, values)]
    step = (WIDTH - LEFT - RIGHT) / max(len(groups), 1)
    for place, (label, bars) in enumerate(groups):
        start = LEFT + step * place + 0.08 * step
        width = 0.84 * step / max(len(bars), 1)
        for number, bar in enumerate(bars):
            x = start + width * number
            top, bottom = sorted((up(bar.value), up(0.0)))
            colour = words.UTILITIES[bar.utility][1]
            parts.append(
                f'<rect x="{x:.1f}" y="{top:.1f}" width="{0.86 * width:.1f}"'
                f' height="{max(bottom - top, 0.5):.1f}" fill="{colour}">'
                f"<title>{escape(bar.note)}</title></rect>"
            )
            if bar.low is not None and bar.high is not None:
                middle = x + 0.43 * width
                ends = [up(min(max(end, low), high)) for end in (bar.low, bar.high)]
                parts.append(
                    f'<line class="axis" x1="{middle:.1f}" x2="{middle:.1f}"'
                    f' y1="{ends[0]:.1f}" y2="{ends[1]:.1f}"/>'
                )
        parts.append(_label(LEFT + step * (place + 0.5), label))
    zero = up(0.0)
    parts.append(
        f'<line class="axis" x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}" y1="{zero:.1f}" y2="{zero:.1f}"/>'
    )
    return _svg(parts, description)


def _label(x: float, text: str) -> str:
    """Write a label below the panel, on two lines where it has two words."""
    first, _, rest = text.partition(" ")
    lines = [first, rest] if rest else [first]
    return "".join(
        f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 15 + 13 * row:g}" text-anchor="middle">'
        f"{escape(line)}</text>"
        for row, line in enumerate(lines)
    )


def dataset_panel(
    groups: Sequence[Group], lines: Sequence[tuple[str, float]], description: str
) -> str:
    """Draw the size and the score of each subconcept, and the scores of the whole as lines.

    Parameters
    ----------
    groups : sequence of Group
        Majority subconcepts first, each side largest first.
    lines : sequence of (str, float)
        Weighting and score of the full test set.
    description : str
        What a screen reader says.
    """
    values = (0.0, 1.0)
    up = _up(values)
    base = up(0.0)
    parts = [_frame(up, values)]
    step = (WIDTH - LEFT - RIGHT) / max(len(groups), 1)
    for place, group in enumerate(groups):
        x = LEFT + step * place
        bars = ((0.1, group.share, "var(--count)"), (0.5, group.hit, "var(--score)"))
        note = f"{group.name} ({group.side}): {group.size} items, {group.hit:.3f} of them right"
        parts.append(f"<g><title>{escape(note)}</title>")
        parts += [
            f'<rect x="{x + shift * step:.1f}" y="{up(value):.1f}" width="{0.38 * step:.1f}"'
            f' height="{base - up(value):.1f}" fill="{colour}"/>'
            for shift, value, colour in bars
        ]
        parts.append("</g>")
        name = group.name if len(group.name) <= LONGEST_NAME else group.name[:8] + "…"
        parts.append(
            f'<text x="{x + step / 2:.1f}" y="{base + 15:g}" text-anchor="middle">'
            f"{escape(name)}</text>"
        )
    parts += [_side(groups, side, step) for side in ("majority", "minority")]
    for utility, value in lines:
        label, colour, dash = words.UTILITIES[utility]
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        parts.append(
            f'<line x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}" y1="{up(value):.1f}" y2="{up(value):.1f}"'
            f' stroke="{colour}" stroke-width="1.8"{dashes}>'
            f"<title>{escape(label)}: {value:.3f}</title></line>"
        )
    return _svg(parts, description)


def _side(groups: Sequence[Group], side: str, step: float) -> str:
    places = [place for place, group in enumerate(groups) if group.side == side]
    if not places:
        return ""
    middle = LEFT + step * (places[0] + places[-1] + 1) / 2
    return f'<text x="{middle:.1f}" y="{HEIGHT - 8:g}" text-anchor="middle">{side}</text>'


def scatter_panel(points: Sequence[tuple[str, float, float, bool]], description: str) -> str:
    """Draw one mark per data set: quality of the subconcept forest across, distance up.

    Parameters
    ----------
    points : sequence of (str, float, float, bool)
        Name, place across (0 to 1), place up (0 or more), and whether it is left out.
    description : str
        What a screen reader says.
    """
    highest = max((y for _, _, y, _ in points), default=1.0) or 1.0
    values = (0.0, 1.06 * highest)
    up = _up(values)
    across = lambda x: LEFT + (WIDTH - LEFT - RIGHT) * x  # noqa: E731
    parts = [_frame(up, values)]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(
            f'<text x="{across(tick):.1f}" y="{HEIGHT - BOTTOM + 15:g}" text-anchor="middle">'
            f"{tick:g}</text>"
        )
    base = up(0.0)
    parts.append(
        f'<line class="axis" x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}" y1="{base:g}" y2="{base:g}"/>'
        f'<text x="{(LEFT + WIDTH) / 2:g}" y="{HEIGHT - 8:g}" text-anchor="middle">'
        "score of the subconcept forest</text>"
    )
    for name, x, y, left_out in points:
        look = ' class="open" color="#0b5c94"' if left_out else ' fill="#0b5c94"'
        note = f"{name}: score {x:.3f}, distance {y:.3g}{', left out' if left_out else ''}"
        parts.append(
            f'<circle{look} cx="{across(x):.1f}" cy="{up(y):.1f}" r="3.6">'
            f"<title>{escape(note)}</title></circle>"
        )
    return _svg(parts, description)


def key(utility: str) -> dict[str, Any]:
    """Name of a weighting and a short piece of its line, for the legend."""
    label, colour, dash = words.UTILITIES[utility]
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    mark = (
        '<svg class="key" viewBox="0 0 36 12" width="36" height="12" aria-hidden="true">'
        f'<line x1="1" x2="35" y1="6" y2="6" stroke="{colour}" stroke-width="2.4"{dashes}/></svg>'
    )
    return {"name": label, "mark": safe(mark)}


def block(name: str, colour: str) -> dict[str, Any]:
    """A name and a small filled square, for the legend."""
    mark = (
        '<svg class="key" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">'
        f'<rect width="12" height="12" fill="{colour}"/></svg>'
    )
    return {"name": name, "mark": safe(mark)}
