"""Figures of the report on tables: gaps by correction, a panel per data set, scatter plots."""

from collections.abc import Sequence
from dataclasses import dataclass

from earnest.reports import charts
from earnest.reports import subconcept_words as words
from earnest.reports.charts import escape, rule, text

FRAME = charts.Frame(height=210.0, left=38.0, right=8.0, top=8.0, bottom=40.0)
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
    up, low, high = FRAME.up(values), *values
    parts = [FRAME.levels(values, most=6)]
    step = (FRAME.edge - FRAME.left) / max(len(groups), 1)
    for place, (label, bars) in enumerate(groups):
        start = FRAME.left + step * place + 0.08 * step
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
                parts.append(rule("axis", (middle, middle), (ends[0], ends[1])))
        parts.append(_label(FRAME.left + step * (place + 0.5), label))
    parts.append(FRAME.level("axis", up(0.0)))
    return FRAME.drawn(parts, description)


def _label(x: float, name: str) -> str:
    """Write a label below the panel, on two lines where it has two words."""
    first, _, rest = name.partition(" ")
    lines = [first, rest] if rest else [first]
    return "".join(text(x, FRAME.base + 16 + 13 * row, line) for row, line in enumerate(lines))


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
    up, base = FRAME.up(values), FRAME.base
    parts = [FRAME.levels(values, most=6)]
    step = (FRAME.edge - FRAME.left) / max(len(groups), 1)
    for place, group in enumerate(groups):
        x = FRAME.left + step * place
        bars = ((0.1, group.share, "var(--count)"), (0.5, group.hit, "var(--score)"))
        note = f"{group.name} ({group.side}): {group.size} items, {group.hit:.3f} of them right"
        parts.append(f"<g><title>{escape(note)}</title>")
        parts += [
            f'<rect x="{x + shift * step:.1f}" y="{up(value):.1f}" width="{0.38 * step:.1f}"'
            f' height="{base - up(value):.1f}" fill="{colour}"/>'
            for shift, value, colour in bars
        ]
        parts.append("</g>")
        parts.append(text(x + step / 2, base + 16, charts.shortened(group.name, LONGEST_NAME)))
    parts += [_side(groups, side, step) for side in ("majority", "minority")]
    for utility, value in lines:
        look, y = looks(utility), f"{up(value):.1f}"
        parts.append(
            f'<line class="line" x1="{FRAME.left:g}" x2="{FRAME.edge:g}" y1="{y}" y2="{y}"'
            f" {charts.stroke(look)}><title>{escape(look.label)}: {value:.3f}</title></line>"
        )
    return FRAME.drawn(parts, description)


def _side(groups: Sequence[Group], side: str, step: float) -> str:
    places = [place for place, group in enumerate(groups) if group.side == side]
    if not places:
        return ""
    middle = FRAME.left + step * (places[0] + places[-1] + 1) / 2
    return text(middle, FRAME.height - 5, side)


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
    across, up = FRAME.across((0.0, 1.0)), FRAME.up(values)
    parts = [FRAME.levels(values, most=6), FRAME.named("score of the subconcept forest")]
    parts.append(FRAME.places((across(tick), f"{tick:g}") for tick in (0.0, 0.25, 0.5, 0.75, 1.0)))
    for name, x, y, left_out in points:
        look = charts.Look("", charts.BLUE, marker="ring" if left_out else "circle")
        note = f"{name}: score {x:.3f}, distance {y:.3g}{', left out' if left_out else ''}"
        parts.append(charts.mark(look, across(x), up(y), note))
    return FRAME.drawn(parts, description)


def looks(utility: str) -> charts.Look:
    """How a weighting is drawn."""
    return charts.Look(*words.UTILITIES[utility])
