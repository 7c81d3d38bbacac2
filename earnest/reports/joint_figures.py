"""Figures on joint weights: error against size of the joint estimate and its rivals."""

from collections.abc import Mapping, Sequence
from typing import Any

from earnest.reports.figures import escape, safe, ticks

WIDTH, HEIGHT = 330.0, 224.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 16.0, 10.0, 38.0
TICK_GAP = 26.0  # least distance between two labels of the size axis
# label, colour (of Okabe and Ito), dash; drawn in this order, the joint estimate on top
LINES = {
    "neither": ("no weights", "#595959", "6 4"),
    "importance": ("importance weights alone", "#0072B2", "9 3 2 3"),
    "utility": ("utility weights alone", "#D55E00", "3 2"),
    "joint": ("both, joined", "#111111", ""),
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
    span = 1.06 * (highest or 1.0)

    def up(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / span

    def across(size: int) -> float:
        wide = max(sizes) - min(sizes)
        share = (size - min(sizes)) / wide if wide else 0.5
        return LEFT + 14 + (WIDTH - RIGHT - LEFT - 28) * share

    parts = [_axes(across, up, span, sizes)]
    for name in LINES:
        if name in lines:
            parts.append(
                _line(name, [(across(n), up(value), n, value) for n, value in lines[name]])
            )
    return (
        f'<svg class="panel" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img"'
        f' aria-label="{escape(description)}">{"".join(parts)}</svg>'
    )


def _axes(across, up, span: float, sizes: Sequence[int]) -> str:
    parts = []
    for tick in ticks(0.0, span, most=6):
        parts.append(
            f'<line class="{"grid" if tick else "axis"}" x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}"'
            f' y1="{up(tick):.1f}" y2="{up(tick):.1f}"/>'
            f'<text x="{LEFT - 7:g}" y="{up(tick) + 4:.1f}" text-anchor="end">{tick:.4g}</text>'
        )
    last = -TICK_GAP
    for size in sizes:
        if across(size) - last >= TICK_GAP:
            last = across(size)
            parts.append(
                f'<text x="{last:.1f}" y="{HEIGHT - BOTTOM + 16:g}" text-anchor="middle">'
                f"{size}</text>"
            )
    parts.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2:g}" y="{HEIGHT - 5:g}" text-anchor="middle">'
        "labelled items</text>"
    )
    return "".join(parts)


def _line(name: str, places: Sequence[tuple[float, float, int, float]]) -> str:
    label, colour, dash = LINES[name]
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y, _, _ in places)
    marks = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.8" fill="{colour}">'
        f"<title>{escape(f'{label}, {size} items: RMSE {value:.3f}')}</title></circle>"
        for x, y, size, value in places
    )
    return f'<polyline class="line" points="{points}" stroke="{colour}"{dashes}/>{marks}'


def key(name: str) -> dict[str, Any]:
    """Name of a way of weighting and a short piece of its line, for the legend."""
    label, colour, dash = LINES[name]
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    mark = (
        '<svg class="key" viewBox="0 0 36 12" width="36" height="12" aria-hidden="true">'
        f'<line x1="1" x2="35" y1="6" y2="6" stroke="{colour}" stroke-width="2.4"{dashes}/></svg>'
    )
    return {"name": label, "mark": safe(mark)}
