"""The section on levels of the background: order, words, numbers and drawing."""

import dataclasses
import re

import pandas as pd
import pytest

from earnest.io import schemas
from earnest.reports.pages.subsets import build_report
from earnest.reports.sections import doses
from earnest.reports.view import records, task_view
from tests import made_report


@pytest.fixture(scope="module")
def inputs():
    return made_report.made_inputs()


@pytest.fixture(scope="module")
def views(inputs):
    rows = records(inputs.summary)
    return [task_view(name, *parts, rows, {}) for name, parts in inputs.pools.items()]


@pytest.fixture(scope="module")
def found(inputs, views):
    return doses.described(inputs.dose_response, views)


def test_the_loudest_background_comes_first_and_none_last(found, views):
    assert [section["title"] for section in found["sections"]] == [view.title for view in views]
    names = [row["name"] for row in found["sections"][0]["rows"]]
    assert names == ["background 2.5 LU above", "background 8 LU below", "no background"]
    assert found["main"] == "background 8 LU below"


def test_numbers_are_those_of_the_table(found):
    row = found["sections"][0]["rows"][0]
    assert (row["all"], row["primary"], row["rare"]) == ("0.780", "0.840", "0.600")
    assert row["gap"] == "+0.240"
    assert row["rare_range"] == "0.570 to 0.600"
    assert row["gap_range"] == "+0.210 to +0.240"


def test_the_statement_goes_from_none_to_the_loudest(found):
    text = found["sections"][0]["statement"]
    assert text.startswith("From no background to background 2.5 LU above, the accuracy over rare")
    assert "from 0.800 to 0.600" in text
    assert text.endswith("from 0.000 to +0.240.")


def test_places_follow_the_margins_with_silence_a_step_further():
    # -2.5 and 8 LU lie 10.5 apart, so none lies 10.5 further: thirds of the width.
    rows = [{"margin_lu": -2.5}, {"margin_lu": 8.0}, {"margin_lu": None}]
    first, second, third = doses._places(rows)
    assert second - first == pytest.approx(third - second)
    rows = [{"margin_lu": 0.0}, {"margin_lu": 2.0}, {"margin_lu": 8.0}]
    first, second, third = doses._places(rows)
    assert (second - first) / (third - first) == pytest.approx(0.25)


def test_a_higher_score_is_drawn_higher(found):
    lines = re.findall(r'<polyline class="line" points="([^"]+)"', found["sections"][0]["figure"])
    usual, rare = ([float(p.split(",")[1]) for p in line.split()] for line in lines)
    assert usual[0] < usual[1] < usual[2]
    assert rare[0] > rare[1] > rare[2]
    assert usual[2] == rare[2]


def test_a_measure_without_a_value_gives_no_section(inputs, views):
    frame = inputs.dose_response
    assert doses.described(frame[frame["measure"] == "f1"], views) is None
    assert doses.described(frame[:0], views) is None
    assert doses.described(None, views) is None


def test_missing_intervals_and_values_are_said(inputs, views):
    frame = inputs.dose_response.copy()
    rare = (frame["part"] == "rare") & (frame["variant"] == "clean")
    frame.loc[rare, ["value", "low", "high"]] = None
    frame.loc[rare, "reason"] = "nothing there"
    frame.loc[frame["part"] == "gap", ["low", "high"]] = None
    schemas.to_arrow("dose_response", frame)
    section = doses.described(frame, views)["sections"][0]
    assert section["rows"][2]["rare"] == "\u2013"
    assert section["rows"][2]["gap_range"] == "no interval"
    assert section["statement"] is None
    assert section["reasons"] == ["nothing there"]


def test_the_page_shows_the_section_only_with_several_variants(inputs):
    assert 'id="doses"' in build_report(inputs)
    page = build_report(dataclasses.replace(inputs, dose_response=None))
    assert 'id="doses"' not in page
    assert "#doses" not in page


def test_examples_are_played_at_the_rate_of_the_study(inputs):
    row, samples = inputs.examples[0]
    one = dataclasses.replace(inputs, examples=[(row, samples[:16_000])], sample_rate=8_000)
    page = build_report(one)
    assert ">2 s</text>" in page  # 16,000 samples at 8 kHz
    assert pd.notna(row["mixture_id"])
