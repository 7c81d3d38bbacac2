"""Figures as inline SVG: text stays text, the page's fonts and print styles apply, no ids.

They are written by hand and not through a plotting library because each panel must
stay readable when the page is 390 px wide: panels are separate pictures that the page
reflows, and the small bars inside tables use percentages, so their text never shrinks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from earnest.reports import audio, charts, words
from earnest.reports.charts import escape, marker, ticks

FRAME = charts.Frame()


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
    across, up = _size_scale(sizes), FRAME.up(values)
    parts = [FRAME.levels(values), FRAME.floor(), FRAME.named("labelled items")]
    parts.append(FRAME.places((across(size), str(size)) for size in sorted(sizes)))
    parts += [_band(curve, across, up) for curve in curves]
    if truth is not None:
        parts.append(FRAME.level("truth", up(truth), f"True value {truth:.3f}"))
    # the dashed line with open markers goes last: it lets a curve below it be seen
    for curve in sorted(curves, key=lambda curve: curve.estimator == words.UNWEIGHTED):
        places = [(across(p.size), up(p.mean), p.note) for p in curve.points]
        parts.append(charts.curve(words.style(curve.estimator), places))
    return FRAME.drawn(parts, description)


def _size_scale(sizes: Sequence[int]) -> Callable[[int], float]:
    """Map a size to its place: logarithmic when the largest is 8 or more times the smallest."""
    measured = np.log if max(sizes) >= 8 * min(sizes) else float
    across = FRAME.across((float(measured(min(sizes))), float(measured(max(sizes)))), inset=14)
    return lambda size: across(float(measured(size)))


def _band(curve: Curve, across: Callable, up: Callable) -> str:
    wide = [p for p in curve.points if p.sd is not None]
    if len(wide) < 2:
        return ""
    upper = [f"{across(p.size):.1f},{up(p.mean + p.sd):.1f}" for p in wide]
    lower = [f"{across(p.size):.1f},{up(p.mean - p.sd):.1f}" for p in reversed(wide)]
    colour = words.style(curve.estimator).colour
    return f'<polygon class="band" points="{" ".join(upper + lower)}" fill="{colour}"/>'


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
