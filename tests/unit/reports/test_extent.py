"""A page of a large study: what it leaves out, and that it says so."""

import re

import pytest

from earnest.reports import extent
from earnest.reports.pages import subsets
from earnest.reports.view import records, task_view
from tests import made_report

FIGURE = '<figure role="group" aria-label="[^"]*against subset size'


@pytest.fixture(scope="module")
def inputs():
    return made_report.made_inputs()


@pytest.fixture(scope="module")
def whole(inputs):
    return subsets.build_report(inputs)


def cells_of(inputs):
    keys = ["task", "sampler", "size", "estimator"]
    return len(inputs.summary[keys].drop_duplicates())


def rows_of(html, label):
    """Number of rows of every table whose region is called so."""
    regions = re.findall(rf'aria-label="{label}.*?</table>', html, re.S)
    return [len(re.findall("<tr", region.split("<tbody>")[1])) for region in regions]


def test_cells_are_counted_once_whatever_was_measured(inputs):
    rows = records(inputs.summary)
    views = [task_view(name, *parts, rows, {}) for name, parts in inputs.pools.items()]
    found = extent.extent_of(views)
    assert found == extent.Extent(cells_of(inputs), whole=True, drawn=True)


@pytest.mark.parametrize("drawn", [True, False], ids=["drawn", "without curves"])
def test_a_large_study_lists_the_headline_size_and_says_what_is_left_out(
    inputs, whole, monkeypatch, drawn
):
    cells = cells_of(inputs)
    monkeypatch.setattr(extent, "MOST_WHOLE", cells - 1)
    monkeypatch.setattr(extent, "MOST_DRAWN", cells if drawn else cells - 1)
    part = subsets.build_report(inputs)
    assert len(part) < 0.7 * len(whole)
    assert f"This study has {cells:,} combinations" in part
    assert "more than a page can hold" not in whole
    # every estimator at one size; of each of the other sizes at least the best
    estimators = inputs.summary["estimator"].nunique()
    samplers, sizes = len(made_report.SAMPLERS), len(made_report.SIZES)
    for all_rows, few in zip(
        *(rows_of(html, "Bias, SD and RMSE") for html in (whole, part)), strict=True
    ):
        assert all_rows == samplers * sizes * estimators
        least = samplers * (estimators + sizes - 1)
        assert least <= few < all_rows
        assert f"The other {all_rows - few:,} are in <code>comparisons.csv</code>" in part
    joint = [rows_of(html, "Errors of joint weights") for html in (whole, part)]
    # of three targets the first, at one size
    assert [few * sizes for few in joint[1]] == joint[0][::3] != []
    assert part.count("is in <code>joint.parquet</code> in the same folder") == len(joint[1])
    figures = [len(re.findall(FIGURE, html)) for html in (whole, part)]
    assert figures[1] == (len(inputs.pools) if drawn else 0) < figures[0]


def test_rows_of_the_nearest_size():
    rows = [{"size": size} for size in (10, 20, 40, 20)]
    assert extent.of_one_size(rows, 30) == [{"size": 20}, {"size": 20}]
    assert extent.of_one_size([], 30) == []
