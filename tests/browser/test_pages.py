"""Every kind of page, measured: on a phone, in print, by keyboard, in contrast, in bytes."""

import re

import pytest

from earnest import io
from earnest.protocols.ownpool import evaluate, read
from earnest.reports.pages import crossval, index, ownpool, subsets
from tests import made_listening, made_own, made_report, made_tables

pytest.register_assert_rewrite("tests.report_checks")
from tests.report_checks import (  # noqa: E402  (its assertions are rewritten first)
    DESKTOP,
    PHONE,
    browser,
    browser_missing,
    console,
    folded,
    open_all,
    printed,
    reachable,
    requested,
    sheets,
    show,
    smallest_figure_text,
    sort_all,
    too_wide,
    walk_by_keyboard,
    weakest_contrast,
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(browser_missing() is not None, reason=str(browser_missing())),
]


def make_report(folder):
    io.write_text(subsets.build_report(made_report.made_inputs()), folder / "report.html")
    return folder / "report.html"


def make_subconcepts(folder):
    io.write_text(crossval.build_report(made_tables.made_inputs()), folder / "report.html")
    return folder / "report.html"


def make_listening(folder):
    return made_listening.make(folder).page


def make_index(folder):
    for name, title in (("demo", made_report.HOSTILE), ("a-study-with-a-long-name", "Long " * 30)):
        io.write_text("", folder / name / "report.html")
        row = {"truth": 0.8, "unweighted": 0.7, "difference": 0.7}
        tasks = {"foregrounds": {"random": {"accuracy": row}}}
        io.write_json(
            {"samplers": ["random"], "size": 100, "tasks": tasks}, folder / name / "metrics.json"
        )
        config = {"title": title, "kind": "mixtures", "tasks": []}
        io.write_json({"config": config}, folder / name / "provenance.json")
    (folder / "begun").mkdir()
    return index.write_index(folder)


def make_own(folder):
    frame, truth, _ = made_own.made_pool()
    paths = made_own.write(folder, frame, made_own.some_labels(truth, 60))
    found = evaluate(read(*paths, sampler="random"), budget=30)
    html = ownpool.build_page(found, f"My clips {made_report.HOSTILE}", {"config": {"seed": 0}})
    io.write_text(html, folder / "report.html")
    return folder / "report.html"


MAKERS = {
    "report": make_report,
    "subconcepts": make_subconcepts,
    "listening": make_listening,
    "index": make_index,
    "own": make_own,
}


@pytest.fixture(scope="module", params=MAKERS)
def path(request, tmp_path_factory):
    return MAKERS[request.param](tmp_path_factory.mktemp("somebody's pages"))


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


def test_opens_from_disk_without_a_complaint_and_asks_nobody(driver, path):
    show(driver, path, DESKTOP)
    requested(driver)
    console(driver)
    show(driver, path, DESKTOP)
    asked = [one for one in requested(driver) if one != str(path.resolve())]
    assert all(one.startswith(str(path.parent / "listening")) for one in asked)
    assert console(driver) == []
    assert path.stat().st_size < 10_000_000


@pytest.mark.parametrize("screen", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_nothing_but_tables_scrolls_sideways_even_when_all_is_open(driver, path, screen):
    show(driver, path, screen)
    assert too_wide(driver, screen) == []
    open_all(driver)
    assert too_wide(driver, screen) == []


def test_figures_can_be_read_on_a_phone(driver, path):
    show(driver, path, PHONE)
    open_all(driver)
    assert smallest_figure_text(driver) >= 9


def test_text_stands_out_from_what_is_behind_it(driver, path):
    # WCAG 2 AA: 4.5 to 1
    for dark in ("light", "dark"):  # a browser set to dark must not turn half of a page dark
        feature = {"name": "prefers-color-scheme", "value": dark}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        show(driver, path, DESKTOP)
        open_all(driver)
        ratio, where = weakest_contrast(driver)
        assert ratio >= 4.5, where
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_the_keyboard_reaches_everything_in_the_order_of_the_page_and_one_sees_where(driver, path):
    show(driver, path, DESKTOP)
    walked = walk_by_keyboard(driver)
    places = [one["place"] for one in walked]
    assert places == sorted(set(places))
    assert len(walked) >= reachable(driver) > 0
    assert [one["html"] for one in walked if one["outline"] < 2] == []
    assert [one["html"] for one in walked if not one["shown"]] == []


def number(cell):
    """The first number that a cell shows, or nothing."""
    found = re.search(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?", cell.replace("\u2212", "-").replace(",", ""))
    return float(found[0]) if found else None


def test_every_column_of_every_table_sorts_up_and_down(driver, path):
    show(driver, path, DESKTOP)
    open_all(driver)
    columns = sort_all(driver)
    tables = driver.find_elements("css selector", "table.sortable")
    assert len(columns) >= 3 * len(tables)
    for one in columns:
        assert [one["first"], one["second"]] == [["ascending"], ["descending"]], one["name"]
        assert sorted(one["up"]) == sorted(one["down"]) == sorted(one["before"]), one["name"]
        if one["numeric"]:
            up, down = (list(map(number, one[way])) for way in ("up", "down"))
            known = sorted(value for value in up if value is not None)
            missing = [None] * (len(up) - len(known))
            assert up == known + missing, one["name"]
            assert down == known[::-1] + missing, one["name"]


def test_prints_on_a4_without_torn_figures_or_wasted_sheets(driver, path):
    show(driver, path, DESKTOP)
    sheets = printed(driver)
    assert sheets["too_wide"] == []
    assert sheets["too_tall"] == []
    assert sheets["pages"] <= 1.5 * sheets["needed"] + 1


def test_what_is_folded_is_printed(driver, path):
    show(driver, path, DESKTOP)
    before = folded(driver)
    closed = [one for one in before if not one[0]]
    assert all(shown is opened for opened, shown in before)
    # by the style sheet alone
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert folded(driver) == [[opened, True] for opened, _ in before]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    # by the script, for browsers whose style sheets cannot
    driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert folded(driver) == [[True, True]] * len(before)
    driver.execute_script("dispatchEvent(new Event('afterprint'))")
    assert folded(driver) == before
    # what comes out is as much as with everything opened by hand, and more than without it
    count = sheets(driver)
    assert folded(driver) == before
    open_all(driver)
    assert sheets(driver) == count
    if len(closed) > 3:
        driver.execute_script("for (const d of document.querySelectorAll('details')) d.remove();")
        assert sheets(driver) < count
