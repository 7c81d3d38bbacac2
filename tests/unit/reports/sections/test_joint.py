"""The section on joint weights: verdicts from the numbers, every number in its place."""

import html
import re
import xml.etree.ElementTree as ElementTree

import pytest

from earnest.reports import joint_figures as drawings
from earnest.reports.pages.subsets import build_report
from earnest.reports.sections import joint
from earnest.reports.view import records, task_view
from tests import made_report


def rows(difference, low, high, count=10, rival="utility"):
    row = {"rival": rival, "difference": difference, "low": low, "high": high}
    return [row | {"rival_bias": 0.1, "joint_bias": 0.01}] * count


def said(utility):
    others = rows(-0.2, -0.3, -0.1, rival="importance") + rows(-0.2, -0.3, -0.1, rival="neither")
    return joint.sentences(utility + others)[0]


@pytest.mark.parametrize(
    ("utility", "verdict"),
    [
        (rows(-0.1, -0.2, -0.05), "Joining helps. Over 10 combinations"),
        (rows(0.1, 0.05, 0.2), "Joining does not help: utility weights alone are better."),
        (rows(-0.1, -0.2, 0.1), "Whether joining helps cannot be told here."),
        (rows(-0.1, None, None), "Whether joining helps cannot be told here."),
        (
            rows(-0.1, -0.2, -0.05, 3) + rows(0.1, 0.05, 0.2, 2),
            "Joining helps in some places and harms in others.",
        ),
    ],
)
def test_the_verdict_is_that_of_the_intervals(utility, verdict):
    assert said(utility).startswith(verdict)


def test_combinations_are_counted():
    text = said(rows(-0.1, -0.2, -0.05, 3) + rows(0.1, 0.05, 0.2, 2) + rows(0.1, -0.05, 0.2, 5))
    assert (
        "than with utility weights alone in 3 of 10 (clear of zero in 3; clearly higher in 2)"
        in text
    )
    assert "than with importance weights alone in 10 of 10 (clear of zero in 10;" in text


def test_importance_weights_alone_are_said_to_aim_at_something_else():
    text = joint.sentences(rows(-0.1, -0.2, -0.05) + rows(-0.2, -0.3, -0.1, rival="importance"))[1]
    assert "estimate the plain score of the pool, which is not this target" in text
    assert "off by +0.100 on average, the joint weights by +0.010" in text


@pytest.fixture(scope="module")
def inputs():
    return made_report.made_inputs()


@pytest.fixture(scope="module")
def text(inputs):
    page = build_report(inputs)
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)))


def test_binary_tasks_have_the_section_and_others_do_not(inputs, text):
    assert text.count("Both corrections at once: does joining help?") == 2
    views = {
        name: task_view(name, *parts, records(inputs.summary), {})
        for name, parts in inputs.pools.items()
    }
    found = {name: joint.section(view, inputs.joint) for name, view in views.items()}
    assert found["foregrounds"] is None
    assert [one["name"] for one in found["subconcepts"]["targets"]] == [
        "true-weighted",
        "conditional-weighted",
    ]
    table = found["subconcepts"]["targets"][0]["rows"]
    assert len(table) == 5 * 5 * 2
    first = table[0]
    assert (first["sampler"], first["size"], first["subsets"]) == ("Random", 25, 20)
    assert first["cells"]["utility"]["text"] == "−0.010"
    counts = found["subconcepts"]["targets"][0]["counts"]
    assert [(row["rival"], row["count"]) for row in counts[:3]] == [
        ("utility weights alone", 25),
        ("importance weights alone", 25),
        ("no weights", 25),
    ]


def test_a_study_without_joint_weights_has_no_section(inputs):
    from dataclasses import replace

    for nothing in (None, inputs.joint.iloc[:0]):
        assert "does joining help" not in build_report(replace(inputs, joint=nothing))


def test_a_panel_draws_each_way_at_its_error():
    lines = {"utility": [(10, 0.2), (30, 0.1)], "joint": [(10, 0.1), (30, 0.05)]}
    svg = ElementTree.fromstring(drawings.error_panel(lines, [10, 20, 30], 0.2, "said"))
    marks = [(float(c.get("cx")), float(c.get("cy"))) for c in svg.iter("circle")]
    assert len(marks) == 4
    # halves of an error lie half as high above the axis
    base = next(float(line.get("y1")) for line in svg.iter("line") if line.get("class") == "axis")
    assert base - marks[0][1] == pytest.approx(2 * (base - marks[1][1]), abs=0.11)
    assert marks[1][1] == pytest.approx(marks[2][1], abs=0.01)
    assert "both, joined, 30 items: RMSE 0.050" in "".join(svg.itertext())
