"""A report of made frames in headless Chromium: offline, quiet, sortable, readable on a phone."""

import pytest

from earnest.reports.page import build_report
from tests import made_report

pytest.register_assert_rewrite("tests.report_checks")
from tests.report_checks import (  # noqa: E402  (its assertions are rewritten first)
    DESKTOP,
    PHONE,
    browser,
    browser_missing,
    check_report,
    console,
    overflowing,
    show,
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(browser_missing() is not None, reason=str(browser_missing())),
]


# 210 mm less the margins, at 96 px an inch
A4 = DESKTOP | {"width": 688}


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
    assert len(links) == 8
    for link in links:
        target = link.get_attribute("href").split("#")[1]
        assert driver.find_element("id", target).is_displayed()


def test_text_has_enough_contrast(driver):
    # WCAG 2 AA: 4.5 to 1 for text; backgrounds are opaque where they are not the page's
    weakest = driver.execute_script(
        """
        const light = (text) => {
          const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map((v) => v / 255)
            .map((v) => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
          return .2126 * r + .7152 * g + .0722 * b;
        };
        const behind = (e) => {
          for (; e; e = e.parentElement) {
            const colour = getComputedStyle(e).backgroundColor;
            if (!colour.endsWith(", 0)")) return colour;
          }
          return "rgb(255, 255, 255)";
        };
        let worst = [99, ""];
        for (const e of document.querySelectorAll("body *")) {
          const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
          if (!own || !e.checkVisibility() || e.closest("svg, script")) continue;
          const pair = [light(getComputedStyle(e).color), light(behind(e))].sort((a, b) => b - a);
          const ratio = (pair[0] + .05) / (pair[1] + .05);
          if (ratio < worst[0]) worst = [ratio, e.outerHTML.slice(0, 80)];
        }
        return worst;
        """
    )
    assert weakest[0] >= 4.5, weakest


def test_all_details_open_and_still_nothing_overflows(report, driver):
    for screen in (DESKTOP, PHONE):
        show(driver, report, screen)
        driver.execute_script("document.querySelectorAll('details').forEach((d) => d.open = true)")
        assert overflowing(driver) == []
        assert (
            driver.execute_script("return document.documentElement.scrollWidth") <= screen["width"]
        )
    assert console(driver) == []


def test_reads_without_javascript(report, tmp_path):
    with browser(tmp_path, javascript=False) as driver:
        show(driver, report, DESKTOP)
        body = driver.find_element("tag name", "body").text
        assert "measured on the labelled part" in body
        assert driver.find_elements("css selector", "thead button") == []
        assert len(driver.find_elements("css selector", "svg.panel")) > 15


def test_prints_every_row_on_the_width_of_a_page(report, tmp_path):
    with browser(tmp_path) as driver:
        show(driver, report, A4)
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        width = driver.execute_script("return document.documentElement.scrollWidth")
        assert width <= A4["width"], overflowing(driver)
        heights = driver.execute_script(
            "return [...document.querySelectorAll('.scroll')]"
            ".map((box) => box.scrollHeight - box.clientHeight)"
        )
        assert max(heights) <= 1
        assert not driver.find_element("tag name", "nav").is_displayed()
