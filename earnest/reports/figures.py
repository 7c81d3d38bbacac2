"""Figures as inline SVG: text stays text, the page's fonts and print styles apply, no ids.

They are written by hand and not through a plotting library because each panel must
stay readable when the page is 390 px wide: panels are separate pictures that the page
reflows, and the small bars inside tables use percentages, so their text never shrinks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from earnest.reports import audio, words

WIDTH, HEIGHT = 330.0, 224.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 12.0, 10.0, 38.0
TICK_GAP = 26.0  # least distance between two labels of the size axis


@dataclass(frozen=True)
class Point:
    """One subset size of one estimator: mean and SD over seeds, and a note for the pointer."""

    size: int
    mean: float
    sd: float | None
    note: str


@dataclass(frozen=True)
class Curve:
    """One estimator in a panel."""

    estimator: str
    points: tuple[Point, ...]


def value_range(curves: Sequence[Curve], truth: float | None) -> tuple[float, float]:
    """Range of values that a figure must show: all means, their bands and the truth, padded."""
    values = [] if truth is None else [truth]
    for curve in curves:
        for point in curve.points:
            values += [point.mean - (point.sd or 0.0), point.mean + (point.sd or 0.0)]
    if not values:
        return 0.0, 1.0
    low, high = min(values), max(values)
    pad = max(0.06 * (high - low), 0.01)
    return low - pad, high + pad


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers within a range: steps of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / most
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough - 1e-12)
    first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
    return [round(k * step, 10) for k in range(first, last + 1)]


def curve_panel(
    curves: Sequence[Curve],
    truth: float | None,
    values: tuple[float, float],
    sizes: Sequence[int],
    description: str,
) -> str:
    """Draw estimates against the number of labelled items, with bands of one SD either side.

    Parameters
    ----------
    curves : sequence of Curve
        One per estimator.
    truth : float or None
        Drawn as a dotted line.
    values : tuple of float
        Lowest and highest value shown; the same for all panels of a figure.
    sizes : sequence of int
        All sizes of the study, the ticks of the horizontal axis.
    description : str
        What a screen reader says.

    Returns
    -------
    str
        An `svg` element.
    """
    across = _size_scale(sizes)
    low, high = values

    def up(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low)

    parts = [_axes(across, up, values, sizes)]
    parts += [_band(curve, across, up) for curve in curves]
    if truth is not None:
        parts.append(
            f'<line class="truth" x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}"'
            f' y1="{up(truth):.1f}" y2="{up(truth):.1f}">'
            f"<title>True value {truth:.3f}</title></line>"
        )
    # the dashed line with open markers goes last: it lets a curve below it be seen
    above = sorted(curves, key=lambda curve: curve.estimator == words.UNWEIGHTED)
    parts += [_line(curve, across, up) for curve in above]
    return (
        f'<svg class="panel" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img"'
        f' aria-label="{escape(description)}">{"".join(parts)}</svg>'
    )


def _size_scale(sizes: Sequence[int]):
    """Map a size to its place: logarithmic when the largest is 8 or more times the smallest."""
    logarithmic = max(sizes) >= 8 * min(sizes)
    measured = np.log if logarithmic else float
    low, high = float(measured(min(sizes))), float(measured(max(sizes)))
    start, end = LEFT + 14, WIDTH - RIGHT - 14

    def across(size: int) -> float:
        if high == low:
            return (start + end) / 2
        return start + (end - start) * (float(measured(size)) - low) / (high - low)

    return across


def _axes(across, up, values: tuple[float, float], sizes: Sequence[int]) -> str:
    parts = []
    for tick in ticks(*values, most=8):
        y = up(tick)
        parts.append(
            f'<line class="grid" x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        parts.append(f'<text x="{LEFT - 7:g}" y="{y + 4:.1f}" text-anchor="end">{tick:.4g}</text>')
    base = HEIGHT - BOTTOM
    parts.append(
        f'<line class="axis" x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}" y1="{base:g}" y2="{base:g}"/>'
    )
    last = -np.inf
    for size in sorted(sizes):
        x = across(size)
        parts.append(
            f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{base:g}" y2="{base + 4:g}"/>'
        )
        if x - last >= TICK_GAP:
            parts.append(f'<text x="{x:.1f}" y="{base + 16:g}" text-anchor="middle">{size}</text>')
            last = x
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(
        f'<text class="name" x="{middle:g}" y="{HEIGHT - 5:g}" text-anchor="middle">'
        "labelled items</text>"
    )
    return "".join(parts)


def _band(curve: Curve, across, up) -> str:
    wide = [p for p in curve.points if p.sd is not None]
    if len(wide) < 2:
        return ""
    upper = [f"{across(p.size):.1f},{up(p.mean + p.sd):.1f}" for p in wide]
    lower = [f"{across(p.size):.1f},{up(p.mean - p.sd):.1f}" for p in reversed(wide)]
    colour = words.style(curve.estimator).colour
    return f'<polygon class="band" points="{" ".join(upper + lower)}" fill="{colour}"/>'


def _line(curve: Curve, across, up) -> str:
    look = words.style(curve.estimator)
    places = [(across(p.size), up(p.mean), p.note) for p in curve.points]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in places)
    dash = f' stroke-dasharray="{look.dash}"' if look.dash else ""
    line = f'<polyline class="line" points="{points}" stroke="{look.colour}"{dash}/>'
    marks = [
        f'<g fill="{look.colour}" color="{look.colour}">{marker(look.marker, x, y)}'
        f"<title>{escape(note)}</title></g>"
        for x, y, note in places
    ]
    return line + "".join(marks)


def marker(kind: str, x: float, y: float, r: float = 3.6) -> str:
    """Draw a marker centred on a place: circle, ring, square, diamond, triangle or down.

    Ring and square are open, so that they do not hide a marker at the same place.
    """
    if kind in ("circle", "ring"):
        open_style = ' class="open"' if kind == "ring" else ""
        return f'<circle{open_style} cx="{x:.1f}" cy="{y:.1f}" r="{r:g}"/>'
    offsets = {
        "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
        "diamond": ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
        "triangle": ((0, -1.2), (1.1, 0.8), (-1.1, 0.8)),
        "down": ((0, 1.2), (1.1, -0.8), (-1.1, -0.8)),
    }[kind]
    points = " ".join(f"{x + r * dx:.1f},{y + r * dy:.1f}" for dx, dy in offsets)
    open_style = ' class="open"' if kind == "square" else ""
    return f'<polygon{open_style} points="{points}"/>'


def legend_mark(estimator: str) -> str:
    """A short piece of an estimator's line with its marker, for the legend."""
    look = words.style(estimator)
    dash = f' stroke-dasharray="{look.dash}"' if look.dash else ""
    return (
        '<svg class="key" viewBox="0 0 36 12" width="36" height="12" aria-hidden="true">'
        f'<line class="line" x1="1" x2="35" y1="6" y2="6" stroke="{look.colour}"{dash}/>'
        f'<g fill="{look.colour}" color="{look.colour}">{marker(look.marker, 18, 6)}</g></svg>'
    )


def bar(
    share: float | None, lines: Sequence[tuple[str, float]] = (), *, kind: str = "score"
) -> str:
    """A bar inside a table cell with reference lines.

    Parameters
    ----------
    share : float or None
        Length of the bar as a share of the cell, 0 to 1; None draws no bar.
    lines : sequence of (str, float)
        Kind of each reference line (a CSS class) and its place, 0 to 1.
    kind : str
        CSS class of the bar.
    """
    parts = []
    if share is not None:
        parts.append(
            f'<rect class="{kind}" x="0" y="22%" width="{100 * share:.2f}%" height="56%"/>'
        )
    for name, place in lines:
        x = f"{100 * place:.2f}%"
        parts.append(f'<line class="ref {name}" x1="{x}" x2="{x}" y1="0" y2="100%"/>')
    return f'<svg class="bar" aria-hidden="true">{"".join(parts)}</svg>'


def strip(
    marks: Sequence[tuple[str, str, float]],
    line: float | None,
    values: tuple[float, float],
    span: tuple[float, float] | None = None,
) -> str:
    """Marks on a number line inside a table cell.

    Parameters
    ----------
    marks : sequence of (str, str, float)
        Marker kind, colour and value of each mark.
    line : float or None
        A value drawn as the dotted line of the truth.
    values : tuple of float
        The values at the left and the right edge.
    span : tuple of float, optional
        Two values joined by a thin line.
    """

    def place(value: float) -> str:
        low, high = values
        return f"{100 * min(max((value - low) / (high - low), 0.0), 1.0):.2f}%"

    parts = []
    if line is not None:
        parts.append(
            f'<line class="truth" x1="{place(line)}" x2="{place(line)}" y1="0" y2="100%"/>'
        )
    if span is not None:
        parts.append(
            f'<line class="span" x1="{place(span[0])}" x2="{place(span[1])}" y1="50%" y2="50%"/>'
        )
    for kind, colour, value in marks:
        inner = marker(kind, 0, 0, 5.6 if kind in ("ring", "square") else 4.2)
        parts.append(
            f'<svg class="mark" x="{place(value)}" y="50%" overflow="visible">'
            f'<g fill="{colour}" color="{colour}">{inner}</g></svg>'
        )
    return f'<svg class="strip" aria-hidden="true">{"".join(parts)}</svg>'


def strip_axis(values: tuple[float, float], most: int = 4) -> str:
    """Tick labels for the head of a column of strips."""
    low, high = values
    parts = [
        f'<text x="{100 * (tick - low) / (high - low):.2f}%" y="11" text-anchor="middle">'
        f"{tick:.4g}</text>"
        for tick in ticks(low, high, most)
    ]
    return f'<svg class="ticks" aria-hidden="true">{"".join(parts)}</svg>'


def spectrogram(picture: str, seconds: float, description: str) -> str:
    """Frame a spectrogram with a time axis in seconds and a frequency axis in kHz.

    Parameters
    ----------
    picture : str
        Data URI of the picture.
    seconds : float
        Length of the sound.
    description : str
        What a screen reader says.
    """
    left, top, width, height = 34.0, 6.0, 290.0, 128.0
    parts = [
        f'<image href="{picture}" x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}"'
        ' preserveAspectRatio="none"/>'
    ]
    for hertz in (250, 1000, 2000, 4000, 8000):
        y = top + height * audio.position(hertz)
        label = f"{hertz / 1000:g}"
        parts.append(
            f'<line class="axis" x1="{left - 4:g}" x2="{left:g}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        parts.append(f'<text x="{left - 7:g}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    for second in range(int(seconds) + 1):
        x, base = left + width * second / seconds, top + height
        parts.append(
            f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{base:g}" y2="{base + 4:g}"/>'
        )
        unit = " s" if second == int(seconds) else ""
        parts.append(
            f'<text x="{x:.1f}" y="{base + 16:g}" text-anchor="middle">{second}{unit}</text>'
        )
    return (
        f'<svg class="panel" viewBox="0 0 336 154" role="img" aria-label="{escape(description)}">'
        f"{''.join(parts)}</svg>"
    )


def safe(svg: str):
    """Mark a finished element as such for the template, which escapes everything else."""
    from markupsafe import Markup

    return Markup(svg)


def escape(text: str) -> str:
    """Escape text for SVG content and attributes."""
    from markupsafe import escape as html_escape

    return str(html_escape(text))
