"""What all figures share: one frame with its axes, one way to draw a curve, one key, one palette.

A figure is SVG inside the page: its text stays text, the page's fonts and print styles apply.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

# of Okabe and Ito, with dashes for grey prints
BLUE, VERMILION, GREY, INK = "#0072B2", "#D55E00", "#595959", "#111111"
USUAL, RARE = BLUE, VERMILION  # backgrounds, wherever they are marked
TICK_GAP = 26.0  # least distance between two labels of the lower axis


@dataclass(frozen=True)
class Look:
    """How a curve is drawn; `earnest.records.Style` is one, too.

    Attributes
    ----------
    label : str
    colour : str
    dash : str
        As SVG says it; empty is a whole line.
    marker : str
        See `marker`; empty draws a line alone.
    """

    label: str
    colour: str
    dash: str = ""
    marker: str = ""


@dataclass(frozen=True)
class Frame:
    """The area of a figure with room for its axes, in pixels of its own."""

    width: float = 330.0
    height: float = 224.0
    left: float = 44.0
    right: float = 12.0
    top: float = 10.0
    bottom: float = 38.0

    @property
    def edge(self) -> float:
        """Where the area ends on the right."""
        return self.width - self.right

    @property
    def base(self) -> float:
        """Where the area ends below."""
        return self.height - self.bottom

    def across(self, values: tuple[float, float], inset: float = 0.0) -> Callable[[float], float]:
        """Map values to places from left to right, all to the middle where they are equal."""
        (low, high), start, end = values, self.left + inset, self.edge - inset
        if low == high:
            return lambda value: (start + end) / 2
        return lambda value: start + (end - start) * (value - low) / (high - low)

    def up(self, values: tuple[float, float]) -> Callable[[float], float]:
        """Map values to places from the base to the top."""
        low, high = values
        return lambda value: self.top + (self.base - self.top) * (high - value) / (high - low)

    def level(self, kind: str, y: float, note: str = "") -> str:
        """A line from left to right, with a note for the pointer."""
        return rule(kind, (self.left, self.edge), (y, y), note)

    def levels(self, values: tuple[float, float], most: int = 8) -> str:
        """The upright axis: a line at every round value with its label, zero darker."""
        up = self.up(values)
        return "".join(
            self.level("grid" if tick else "axis", up(tick))
            + text(self.left - 7, up(tick) + 4, f"{tick:.4g}", "end")
            for tick in ticks(*values, most=most)
        )

    def floor(self) -> str:
        """The line below the area."""
        return self.level("axis", self.base)

    def places(self, places: Iterable[tuple[float, str]]) -> str:
        """The lower axis: a short line at each place, and its label where there is room."""
        parts, last = [], -np.inf
        for x, label in places:
            parts.append(rule("axis", (x, x), (self.base, self.base + 4)))
            if x - last >= TICK_GAP:
                parts.append(text(x, self.base + 16, label))
                last = x
        return "".join(parts)

    def columns(self, places: Iterable[tuple[float, float]]) -> str:
        """The lower axis with a line through the area at every place, zero darker."""
        return "".join(
            rule("grid" if value else "axis", (x, x), (self.top, self.base))
            + text(x, self.base + 16, f"{value:.4g}")
            for x, value in places
        )

    def named(self, name: str) -> str:
        """The name of the lower axis."""
        return text((self.left + self.edge) / 2, self.height - 5, name)

    def drawn(self, parts: Iterable[str], description: str) -> str:
        """The finished picture, with what a screen reader says."""
        return (
            f'<svg class="panel" viewBox="0 0 {self.width:g} {self.height:g}" role="img"'
            f' aria-label="{escape(description)}">{"".join(parts)}</svg>'
        )


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers within a range: steps of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / most
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough - 1e-12)
    first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
    return [round(k * step, 10) for k in range(first, last + 1)]


def rule(kind: str, across: tuple[float, float], down: tuple[float, float], note: str = "") -> str:
    """A straight line of a CSS class."""
    x1, x2, y1, y2 = (f"{value:.1f}" for value in (*across, *down))
    ends = f'x1="{x1}" x2="{x2}" y1="{y1}" y2="{y2}"'
    if not note:
        return f'<line class="{kind}" {ends}/>'
    return f'<line class="{kind}" {ends}><title>{escape(note)}</title></line>'


def text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    """A short text, escaped."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def shortened(name: str, longest: int) -> str:
    """A name that fits, cut where it is too long."""
    return name if len(name) <= longest else name[: longest - 1] + "\u2026"


def stroke(look: Any) -> str:
    """Attributes of a line in the look of a curve."""
    dash = f' stroke-dasharray="{look.dash}"' if look.dash else ""
    return f'stroke="{look.colour}"{dash}'


def curve(look: Any, places: Sequence[tuple[float, float, str]], radius: float = 3.6) -> str:
    """A line through places, each marked with a note for the pointer."""
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in places)
    line = f'<polyline class="line" points="{points}" {stroke(look)}/>'
    return line + "".join(mark(look, x, y, note, radius) for x, y, note in places)


def mark(look: Any, x: float, y: float, note: str, radius: float = 3.6) -> str:
    """The marker of a look with a note for the pointer."""
    return (
        f'<g fill="{look.colour}" color="{look.colour}">{marker(look.marker, x, y, radius)}'
        f"<title>{escape(note)}</title></g>"
    )


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


def key(look: Any) -> dict[str, Any]:
    """An entry of a legend: the name of a look, and a short piece of its line with its marker."""
    drawn = f'<line class="line" x1="1" x2="35" y1="6" y2="6" {stroke(look)}/>'
    if look.marker:
        drawn += f'<g fill="{look.colour}" color="{look.colour}">{marker(look.marker, 18, 6)}</g>'
    return _entry(look.label, 36, drawn)


def block(name: str, colour: str) -> dict[str, Any]:
    """An entry of a legend for bars: a name and a small filled square."""
    return _entry(name, 12, f'<rect width="12" height="12" fill="{colour}"/>')


def _entry(name: str, width: int, drawn: str) -> dict[str, Any]:
    svg = f'<svg class="key" viewBox="0 0 {width} 12" width="{width}" height="12"'
    return {"name": name, "mark": safe(f'{svg} aria-hidden="true">{drawn}</svg>')}


def value_span(values: Sequence[float]) -> tuple[float, float]:
    """The range that a figure of these values shows, padded; 0 to 1 without any."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    pad = max(0.06 * (high - low), 0.01)
    return low - pad, high + pad


def safe(svg: str) -> Any:
    """Mark a finished element as such for the template, which escapes everything else."""
    from markupsafe import Markup

    return Markup(svg)


def escape(text: str) -> str:
    """Escape text for SVG content and attributes."""
    from markupsafe import escape as html_escape

    return str(html_escape(text))
