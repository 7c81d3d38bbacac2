"""The report on made tables in headless Chromium: offline, quiet, sortable, readable on a phone."""

import pytest

from earnest.reports.pages.crossval import build_report
from tests.made_tables import made_inputs

pytest.register_assert_rewrite("tests.report_checks")
from tests.report_checks import (  # noqa: E402  (its assertions are rewritten first)
    DESKTOP,
    PHONE,
    browser,
    browser_missing,
    console,
    overflowing,
    requested,
    show,
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(browser_missing() is not None, reason=str(browser_missing())),
]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("a report's folder") / "report.html"
    path.write_text(build_report(made_inputs()), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def driver(report, tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as driver:
        show(driver, report, DESKTOP)
        yield driver


def test_opens_offline_without_complaint(driver, report):
    assert requested(driver) == [str(report.resolve())]
    body = driver.find_element("tag name", "body").text
    for text in (
        "Made & tested",
        "Does the full score follow the largest or the smallest subconcept?",
        "data set gone is missing: put it <here>",
        "not run: 1 member",
    ):
        assert text in body
    assert console(driver) == []


def test_every_table_with_sortable_heads_sorts_by_its_numbers(driver):
    region = "[aria-label='Gaps']"
    table = driver.find_element("css selector", f"{region} table")
    head = next(h for h in table.find_elements("css selector", "thead button") if "gap" in h.text)
    head.send_keys("\ue007")  # Enter: the heads work from the keyboard
    values = driver.execute_script(
        "return [...arguments[0].tBodies[0].rows].map((r) => Number(r.cells[3].dataset.v))", table
    )
    assert len(values) == 2 * 3 * 5
    assert values == sorted(values)


def test_on_a_phone_only_tables_scroll_sideways_even_when_all_is_open(driver, report):
    show(driver, report, PHONE)
    driver.execute_script("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    width = driver.execute_script("return document.documentElement.scrollWidth")
    assert width <= PHONE["width"], overflowing(driver)
    assert overflowing(driver) == []
    widths = driver.execute_script(
        "return [...document.querySelectorAll('svg.panel')]"
        ".map((p) => p.getBoundingClientRect().width)"
    )
    assert len(widths) == 3 + 6 + 30
    assert min(widths) > 150
