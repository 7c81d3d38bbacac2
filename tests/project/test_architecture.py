"""The map of the house is that of the imports."""

import re

import yaml

from tests import draw_architecture

MOST_ROOMS, MOST_ARROWS = 25, 80


def test_the_picture_is_that_of_the_imports():
    found = draw_architecture.PICTURE.read_text(encoding="utf-8")
    assert found == draw_architecture.draw(), "run `python -m tests.draw_architecture`"


def test_rooms_and_arrows_are_few_and_none_leads_upward():
    level = {room: n for n, row in enumerate(draw_architecture.layers()) for room in row}
    arrows = draw_architecture.arrows()
    assert len(level) <= MOST_ROOMS
    assert 20 < len(arrows) <= MOST_ARROWS
    assert [(room, target) for room, target in arrows if level[room] >= level[target]] == []


def test_every_room_has_its_sentence(root):
    text = (root / "docs/architecture.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| `(\w+)` \| .+\. \|$", text, re.M)
    rooms = [room for row in draw_architecture.layers() for room in row]
    assert sorted(told) == sorted(rooms)


def test_the_citation_has_what_the_format_asks_for(root):
    import earnest

    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == earnest.__version__
    assert citation["authors"] == [{"name": "The earnest developers"}]
    for entry in (citation, *citation["references"]):
        assert {"title", "authors", "type"} <= set(entry)
    assert len(citation["references"]) == 3
