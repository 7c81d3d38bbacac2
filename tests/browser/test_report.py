"""A report of made frames in headless Chromium: offline, quiet, sortable, readable on a phone."""

import pytest

from earnest.reports.pages.subsets import build_report
from tests import made_report

pytest.register_assert_rewrite("tests.report_checks")
from tests.report_checks import (  # noqa: E402  (its assertions are rewritten first)
    A4,
    DESKTOP,
    browser,
    browser_missing,
    check_report,
    show,
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(browser_missing() is not None, reason=str(browser_missing())),
]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("a report's folder") / "report.html"
    path.write_text(build_report(made_report.made_inputs()), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def driver(report, tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as driver:
        show(driver, report, DESKTOP)
        yield driver


def test_opens_offline_without_complaint(report, tmp_path):
    check_report(
        report,
        tmp_path,
        texts=(
            "A made study of eight sounds",
            "no weighting can correct that",
            "Usual against unusual backgrounds",
            made_report.HOSTILE,
        ),
    )


def column(driver, table, place):
    return driver.execute_script(
        "return [...arguments[0].tBodies[0].rows].map((r) => r.cells[arguments[1]].dataset.v"
        " ?? r.cells[arguments[1]].textContent.trim())",
        table,
        place,
    )


def test_a_column_head_sorts_up_and_down_with_missing_values_last(driver):
    region = "[aria-label='Bias, SD and RMSE, Naming eight sounds']"
    table = driver.find_element("css selector", f"{region} table")
    heads = table.find_elements("css selector", "thead button")
    place = [head.text.split("\u00a0")[0] for head in heads].index("SD")
    before = column(driver, table, place)
    assert before.count("") == 25  # the deterministic sampler has no SD
    known = sorted(float(value) for value in before if value)
    for expected, said in ((known, "ascending"), (known[::-1], "descending")):
        heads[place].send_keys("\ue007")  # Enter: the heads work from the keyboard
        after = column(driver, table, place)
        assert [float(value) for value in after[: len(known)]] == expected
        assert set(after[len(known) :]) == {""}
        cell = heads[place].find_element("xpath", "..")
        assert cell.get_attribute("aria-sort") == said
    names = [head.text.split("\u00a0")[0] for head in heads]
    heads[names.index("Estimator")].click()
    words = column(driver, table, names.index("Estimator"))
    assert words == sorted(words, key=str.lower)
    assert table.find_elements("css selector", "[aria-sort]") == [
        heads[names.index("Estimator")].find_element("xpath", "..")
    ]


def test_hostile_names_are_shown_as_text_and_nothing_of_them_runs(driver):
    assert made_report.HOSTILE in driver.find_element("tag name", "body").text
    assert driver.find_elements("tag name", "img") == []


def test_every_part_can_be_reached_by_its_link(driver):
    links = driver.find_elements("css selector", "nav a")
    targets = [link.get_attribute("href").split("#")[1] for link in links]
    sections = driver.find_elements("css selector", "main > section")
    assert targets == [section.get_attribute("id") for section in sections]
    assert len(targets) >= 8
    assert all(section.is_displayed() for section in sections)


def test_reads_without_javascript(report, tmp_path):
    with browser(tmp_path, javascript=False) as driver:
        show(driver, report, DESKTOP)
        body = driver.find_element("tag name", "body").text
        assert "measured on the labelled part" in body
        assert driver.find_elements("css selector", "thead button") == []
        assert len(driver.find_elements("css selector", "svg.panel")) > 15


def test_prints_every_row(report, tmp_path):
    with browser(tmp_path) as driver:
        show(driver, report, A4)
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        heights = driver.execute_script(
            "return [...document.querySelectorAll('.scroll')]"
            ".map((box) => box.scrollHeight - box.clientHeight)"
        )
        assert max(heights) <= 1
        assert not driver.find_element("tag name", "nav").is_displayed()
