"""The section on rare contexts: its answers are those of the intervals, its figures in place."""

import html
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pandas as pd
import pytest

from earnest.io import schemas
from earnest.protocols.crossval import contrasts
from earnest.reports import charts
from earnest.reports import contrast_figures as drawings
from earnest.reports.pages import crossval
from earnest.reports.sections import contrasts as section
from tests.made_tables import made_inputs

FOREGROUNDS = ("dog+dog_bark", "sea_waves", "cow", "frog<b>")


def made_contrasts(offset=0.0, kinds=("context",) * 4):
    rows = []
    for correction in ("none", "smote"):
        for place, (name, kind) in enumerate(zip(FOREGROUNDS, kinds, strict=True)):
            contrast = offset + 0.1 * (place - 1)
            row = {"dataset": name, "kind": kind, "correction": correction}
            row |= {"usual": f"{name} + rain", "rare": [f"{name} + wind", f"{name} + car_horn"]}
            row |= {"usual_recall": 0.5, "rare_recall": 0.5 + contrast}
            row |= {"worst": f"{name} + car_horn", "worst_recall": 0.4 + contrast}
            row |= {"contrast": contrast, "plain": 0.8}
            row |= {f"shift_{way}": contrast / 4 for way in contrasts.WAYS}
            row["shift_predicted"] = 0.05 - contrast / 10
            rows.append(row)
    return pd.DataFrame(rows, columns=list(schemas.TABLES["sound_contrasts"]))


def made_section(found):
    statistics = contrasts.contrast_statistics(found, root_seed=0, resamples=200, level=0.95)
    return section.section(found, statistics), statistics


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [
        (-0.3, -0.1, "On average they do."),
        (0.1, 0.3, "On average they do not: they are found more often than usual ones."),
        (-0.1, 0.1, "Not on average: the difference is not told from zero."),
        (None, None, "That cannot be said: there is no interval."),
    ],
)
def test_the_answer_is_that_of_the_interval(low, high, answer):
    row = {"value": 0.0, "low": low, "high": high, "datasets": 4, "negative": 2}
    mine = [{"usual_recall": 0.9, "rare_recall": 0.8}, {"usual_recall": 0.7, "rare_recall": 0.6}]
    text = section._do_rare_fail(mine, row)
    assert text.startswith(f"Do rare contexts fail? {answer} Over 4 foregrounds, 80\u00a0%")
    assert "70\u00a0% of those over rare ones" in text


def test_weights_that_follow_the_failures_are_said_to_show_them():
    found, _ = made_section(made_contrasts(offset=-0.2))
    text = " ".join(found["sentences"])
    assert "true +1.000 [+1.00, +1.00], so it does" in text
    assert "predicted (Eq. 6) −1.000 [−1.00, −1.00], so it does the opposite" in text
    assert "from −0.30 for “dog+dog bark”" in text
    # recalls of 0.5, and 0.2 to 0.5
    expected = "SMOTE 50\u00a0% usual and 35\u00a0% rare, −0.150"
    assert f"With another correction of imbalance: {expected}" in text


def test_few_tasks_are_not_spoken_of():
    found, _ = made_section(made_contrasts(kinds=("context", "context", "subconcepts", "other")))
    assert found["sentences"] == [
        "Fewer than three context tasks have scores, so nothing is said over foregrounds."
    ]
    assert section.section(made_contrasts().iloc[:0], made_contrasts().iloc[:0]) is None


def test_the_page_has_the_section_its_guard_and_nothing_broken():
    found = made_contrasts()
    _, statistics = made_section(found)
    inputs = made_inputs()
    guard = {"recordings": 40, "components": 1, "largest_component": 100, "left_out": [30, 40]}
    datasets = [
        one | ({"guard": guard} if one["status"] == "used" else {}) for one in inputs.datasets
    ]
    page = crossval.build_report(
        replace(inputs, contrasts=found, statistics=statistics, datasets=datasets)
    )
    text = html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)))
    assert "Do rare contexts fail, and do the weights show it?" in text
    assert "frog<b>" in text
    assert "frog<b>" not in page
    assert "35 (35 %)" in text
    for word in ("None", "nan", "Undefined", "object at 0x"):
        assert word not in text, word
    part = page.split('id="contexts"')[1].split("</section>")[0]
    pictures = re.findall(r'<svg class="panel".*?</svg>', part, re.S)
    assert len(pictures) == 4
    for picture in pictures:
        ElementTree.fromstring(picture)
    # a study on tables has none of it
    assert 'id="contexts"' not in crossval.build_report(inputs)


def test_a_ladder_is_sorted_by_what_fails_most():
    rungs = [
        drawings.Rung("kind", 0.5, 0.6, 0.55, "k"),
        drawings.Rung("hard", 0.9, 0.4, 0.1, "h"),
    ]
    svg = ElementTree.fromstring(drawings.ladder_panel(rungs))
    names = [t.text for t in svg.iter("text") if t.get("text-anchor") == "end"]
    assert names == ["hard", "kind"]
    usual, rare = [float(c.get("cx")) for c in svg.iter("circle")][:2]
    frame = charts.Frame(left=drawings.LEFT)
    width = frame.edge - frame.left
    assert usual - rare == pytest.approx(0.5 * width, abs=0.11)


def test_a_scatter_has_its_origin_in_the_middle():
    svg = ElementTree.fromstring(
        drawings.shift_panel([("a", -0.2, 0.1), ("b", 0.2, -0.1)], 0.1, "s")
    )
    (x1, y1), (x2, y2) = [(float(c.get("cx")), float(c.get("cy"))) for c in svg.iter("circle")]
    zero = [line for line in svg.iter("line") if line.get("class") == "axis"]
    (across,) = [line for line in zero if line.get("x1") != line.get("x2")]
    (up,) = [line for line in zero if line.get("x1") == line.get("x2")]
    assert (x1 + x2) / 2 == pytest.approx(float(up.get("x1")), abs=0.11)
    assert (y1 + y2) / 2 == pytest.approx(float(across.get("y1")), abs=0.11)
