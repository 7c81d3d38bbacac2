"""The listening page in headless Chromium: heard, sorted, and its rejections obeyed by the plan."""

import pytest

from earnest.mixing import plan
from tests import made_listening

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
def made(tmp_path_factory):
    return made_listening.make(tmp_path_factory.mktemp("somebody's study"))


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture
def page(driver, made):
    """The page as at a first visit."""
    show(driver, made.page, DESKTOP)
    driver.execute_script("localStorage.clear()")
    show(driver, made.page, DESKTOP)
    return driver


def choose(driver, name, value):
    from selenium.webdriver.support.ui import Select

    Select(driver.find_element("id", name)).select_by_value(value)


def titles(driver):
    heads = driver.find_elements("css selector", ".pair h3")
    return [head.text for head in heads if head.is_displayed()]


def box_of(driver, kind, name):
    boxes = driver.find_elements("css selector", f".choice[data-kind={kind}]")
    return next(box for box in boxes if box.get_attribute("data-name") == name)


def press(element):
    """Click the first button in an element, wherever on the page it is."""
    button = element.find_element("css selector", "button")
    element.parent.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()


def touch(driver):
    """Browsers play nothing before the first click on a page."""
    driver.find_element("tag name", "h1").click()


def download(driver, folder):
    """Press the button and return the file that the browser saved."""
    import time

    folder.mkdir(exist_ok=True)
    driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)}
    )
    press(driver.find_element("id", "saving"))
    deadline = time.monotonic() + 20
    while not (found := [path for path in folder.glob("rejected*.tsv") if path.stat().st_size]):
        assert time.monotonic() < deadline, "nothing was downloaded"
        time.sleep(0.05)
    return found[0]


def test_opens_from_disk_and_loads_sounds_only_when_they_are_played(page, made):
    page.get("about:blank")
    requested(page)
    console(page)
    show(page, made.page, DESKTOP)
    asked = requested(page)
    folder = made.page.parent / "listening"
    assert asked[0] == str(made.page.resolve())
    assert {path.rsplit(".", 1)[1] for path in asked[1:]} == {"png"}
    touch(page)
    states = page.execute_async_script(
        "const done = arguments[0], sound = document.querySelector('audio');"
        "sound.muted = true; sound.play();"
        "sound.addEventListener('ended', () => done([sound.duration, sound.error]))"
    )
    assert states == [pytest.approx(1.0), None]
    played = [path for path in requested(page) if path.endswith(".flac")]
    assert played
    assert set(played) == {str(folder.resolve() / "8-lu" / played[0].rsplit("/", 1)[1])}
    assert console(page) == []


def test_every_picture_is_there_and_said_in_words(page):
    found = page.execute_async_script(
        "const done = arguments[0], all = [...document.querySelectorAll('.sono img')];"
        "for (const one of all) one.loading = 'eager';"
        "Promise.all(all.map((one) => one.decode())).then(() => done("
        "all.map((one) => [one.naturalWidth, one.naturalHeight, one.alt])))"
    )
    assert len(found) == 12
    assert {size[1] for size in found} == {96}
    assert all("loudest near" in said and "background 8 LU below" in said for *_, said in found)


def test_what_a_listener_rejects_is_gone_from_the_next_plan(page, made, tmp_path):
    mixture = made.mixtures["mixture_id"].iloc[0]
    pair = f"{made_listening.HOSTILE}/wind"
    box = box_of(page, "mixture", mixture)
    press(box)
    field = box.find_element("css selector", "input")
    assert page.switch_to.active_element == field
    # what a paste can bring: a tab and lines, which must not become cells and rows
    page.execute_script(
        "arguments[0].value = '  the dog\\tis \\r\\nnot \"heard\"\\u2028\\u0007 '; "
        "arguments[0].dispatchEvent(new Event('input'))",
        field,
    )
    press(box_of(page, "pair", pair))
    box_of(page, "pair", pair).find_element("css selector", "input").send_keys("=1+1")
    file = download(page, tmp_path / "downloads")
    assert file.read_text(encoding="utf-8").splitlines() == [
        "kind\tname\treason",
        'mixture\tdog-rain-0123456789\tclipped, "badly"',
        "mixture\tcat-sea-0123456789\tof another study",
        f'mixture\t{mixture}\tthe dog is not "heard"',
        f"pair\t{pair}\t'=1+1",
    ]
    before = set(made.mixtures["mixture_id"])
    original = made.rejected.read_bytes()
    try:
        made.rejected.write_bytes(file.read_bytes())
        assert ("pair", pair) in plan.read_rejected(made.rejected)
        again = made.plan()
    finally:
        made.rejected.write_bytes(original)
    assert mixture not in set(again.mixtures["mixture_id"])
    # rejecting its only rare background leaves the second foreground without a contrast
    assert set(again.mixtures["foreground"]) == {"dog"}
    assert len(again.mixtures) == 20  # other clips stand in for the rejected ones
    assert len(set(again.mixtures["mixture_id"]) - before) >= 1
    assert ("pair", pair, "rejected on listening") in set(
        again.dropped.itertuples(index=False, name=None)
    )


def test_rejections_can_be_taken_back_and_survive_a_reload(page, made, tmp_path):
    first, second = made.mixtures["mixture_id"].iloc[:2]
    for name in (first, second):
        press(box_of(page, "mixture", name))
    press(box_of(page, "mixture", first))
    rows = page.find_elements("css selector", "#table tbody tr")
    assert len(rows) == 3
    press(rows[1])  # a row that the table had
    assert page.find_element("id", "bar").text.startswith("2 changes.")
    show(page, made.page, DESKTOP)
    assert page.find_element("id", "bar").text.startswith("2 changes.")
    lines = download(page, tmp_path / "downloads").read_text(encoding="utf-8").splitlines()
    assert lines[1:] == [
        'mixture\tdog-rain-0123456789\tclipped, "badly"',
        f"mixture\t{second}\trejected on listening",
    ]
    assert not page.find_element("id", "bar").is_displayed()


def test_pairs_are_sorted_and_filtered(page):
    owl = made_listening.HOSTILE
    by_label = ["dog over rain", "dog over wind", f"{owl} over rain", f"{owl} over wind"]
    assert titles(page) == by_label
    choose(page, "sort", "fg")  # the made loudness falls with the place in the plan
    assert titles(page) == by_label[::-1]
    page.find_element("id", "order").send_keys("\ue007")
    assert titles(page) == by_label
    choose(page, "sort", "count")
    assert titles(page)[0].endswith("over rain")
    choose(page, "show", "rare")
    assert {title.rsplit(" ", 1)[1] for title in titles(page)} == {"wind"}
    page.find_element("id", "find").send_keys("OWL")
    assert titles(page) == [f"{owl} over wind"]
    assert page.find_element("id", "count").text == "1 of 4 pairs"
    choose(page, "show", "rejected")
    assert titles(page) == []


def test_a_variant_changes_sounds_pictures_and_gains(page, made):
    choose(page, "variant", "0-lu")
    figures = page.find_elements("css selector", "figure")
    shown = {figure.get_attribute("data-id"): figure for figure in figures}
    gone = made.mixtures["mixture_id"].iloc[0]
    assert not shown[gone].find_element("css selector", "audio").is_displayed()
    assert "the background is silent" in shown[gone].text
    other = next(figure for name, figure in shown.items() if name != gone)
    for tag, ending in (("audio", "flac"), ("img", "png")):
        address = other.find_element("css selector", tag).get_attribute("src")
        assert address.endswith(f"/0-lu/{other.get_attribute('data-id')}.{ending}")
    choose(page, "variant", "clean")
    assert "no background" in other.text
    assert shown[gone].find_element("css selector", "audio").is_displayed()


def test_only_one_sound_plays_at_a_time(page):
    touch(page)
    playing = page.execute_async_script(
        "const done = arguments[0], [a, b] = document.querySelectorAll('audio');"
        "a.muted = b.muted = a.loop = b.loop = true;"
        "a.play().then(() => b.play()).then(() => setTimeout("
        "() => done([a.paused, b.paused]), 50))"
    )
    assert playing == [True, False]


def test_labels_of_any_kind_stay_text(page):
    assert made_listening.HOSTILE in page.find_element("tag name", "body").text
    sources = [one.get_attribute("src") for one in page.find_elements("tag name", "img")]
    assert all("/listening/" in source for source in sources)


def test_fits_a_phone(page, made):
    show(page, made.page, PHONE)
    page.execute_script("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert overflowing(page) == []
    assert page.execute_script("return document.documentElement.scrollWidth") <= PHONE["width"]


def test_plays_without_javascript(made, tmp_path):
    with browser(tmp_path, javascript=False) as driver:
        show(driver, made.page, DESKTOP)
        assert not driver.find_element("id", "tools").is_displayed()
        assert "Without JavaScript" in driver.find_element("tag name", "body").text
        assert len(driver.find_elements("css selector", "audio[src]")) == 12
