"""Draw the rooms of the library and who imports whom: `python -m tests.draw_architecture`."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs/architecture.svg"
WIDTH, STEP, BOX, HEIGHT = 900, 84, 120, 34


def modules() -> dict[str, Path]:
    """Return the file of each module of the library by its dotted name."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted((ROOT / "earnest").rglob("*.py"))
    }


def arrows() -> set[tuple[str, str]]:
    """Return who imports whom among the rooms, imports inside functions and for types included."""
    files = modules()
    pairs = {
        (_room(name), _room(target))
        for name, path in files.items()
        for target in _imported(path, files)
    }
    return {(room, target) for room, target in pairs if room != target and target}


def _room(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def _imported(path: Path, files: dict[str, Path]) -> list[str]:
    targets = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            targets += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            targets += [name if name in files else node.module for name in names]
    return [target for target in targets if target in files]


def layers() -> list[list[str]]:
    """Return the layers of the contract in pyproject.toml, the highest first."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = re.search(r"^layers = \[\n(.*?)^\]", text, re.M | re.S)
    assert block is not None
    return [re.findall(r"earnest\.(\w+)", line) for line in block[1].splitlines()]


def draw() -> str:
    """Return the picture: a row of boxes a layer, an arrow from who imports to what it imports."""
    rows = layers()
    place = {
        room: (WIDTH * (column + 1) / (len(row) + 1), 30 + STEP * level)
        for level, row in enumerate(rows)
        for column, room in enumerate(row)
    }
    lines = [_arrow(place[room], place[target]) for room, target in sorted(arrows())]
    boxes = [_box(room, *place[room]) for row in rows for room in row]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {STEP * len(rows)}"'
        ' font-family="sans-serif" font-size="14" text-anchor="middle">\n'
        "<title>Rooms of earnest; an arrow leads from who imports to what it imports</title>\n"
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7"'
        ' markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#888"/></marker></defs>\n'
        '<rect width="100%" height="100%" fill="#fff"/>'
    )
    return "\n".join([head, *lines, *boxes, "</svg>", ""])


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    return (
        f'<line x1="{start[0]:g}" y1="{start[1] + HEIGHT / 2:g}" x2="{end[0]:g}"'
        f' y2="{end[1] - HEIGHT / 2:g}" stroke="#999" marker-end="url(#tip)"/>'
    )


def _box(room: str, x: float, y: float) -> str:
    return (
        f'<rect x="{x - BOX / 2:g}" y="{y - HEIGHT / 2:g}" width="{BOX}" height="{HEIGHT}" rx="6"'
        f' fill="#eef3f8" stroke="#456"/><text x="{x:g}" y="{y + 5:g}">{room}</text>'
    )


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
