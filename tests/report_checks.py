"""Open a report in headless Chromium without a network and check it; used by several test files."""

import json
import shutil
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# as narrow as phones in use are
PHONE = {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}
DESKTOP = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}
# 210 x 297 mm less the margins of the style sheet, at 96 px an inch
A4 = DESKTOP | {"width": 688, "height": 1001}


def browser_missing() -> str | None:
    """Say which program is missing, or nothing when a browser can be started."""
    for program in ("chromium", "chromedriver"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    return None


@contextmanager
def browser(profile: Path, *, javascript: bool = True):
    """Start headless Chromium with a fresh profile, cut off from the network."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    if not javascript:
        settings = {"profile.managed_default_content_settings.javascript": 2}
        options.add_experimental_option("prefs", settings)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        driver.execute_cdp_cmd("Network.enable", {})
        none = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        driver.execute_cdp_cmd("Network.emulateNetworkConditions", none)
        yield driver
    finally:
        driver.quit()


def show(driver, report: Path, screen: dict) -> None:
    """Load a report at a screen size."""
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    driver.get(Path(report).resolve().as_uri())


def requested(driver) -> list[str]:
    """What pages asked for since the last call: addresses, local files as paths, no data: ones.

    What the browser's own start page asks for is not counted.
    """
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    sent = [e["params"] for e in events if e["method"] == "Network.requestWillBeSent"]
    asked = [one["request"]["url"] for one in sent if not one["documentURL"].startswith("chrome:")]
    return [unquote(url).removeprefix("file://") for url in asked if not url.startswith("data:")]


def console(driver) -> list[str]:
    """Messages on the console since the last call."""
    return [f"{entry['level']}: {entry['message']}" for entry in driver.get_log("browser")]


def overflowing(driver) -> list[str]:
    """Elements that reach beyond the right edge of the screen and are not inside a scroll box."""
    return driver.execute_script(
        """
        const edge = document.documentElement.clientWidth + 1;
        return [...document.body.querySelectorAll("*")]
          .filter((e) => !e.closest(".scroll, svg, details:not([open])"))
          .filter((e) => e.getBoundingClientRect().right > edge)
          .map((e) => e.outerHTML.slice(0, 120));
        """
    )


def open_all(driver) -> None:
    """Open everything that can be opened."""
    driver.execute_script("for (const d of document.querySelectorAll('details')) d.open = true;")


def too_wide(driver, screen: dict) -> list[str]:
    """What makes a page scroll sideways on a screen; nothing when it does not."""
    width = driver.execute_script("return document.documentElement.scrollWidth")
    found = overflowing(driver)
    return found if width <= screen["width"] else [f"{width} px wide", *found]


def weakest_contrast(driver) -> tuple[float, str]:
    """The lowest contrast of visible text with what is behind it (WCAG 2), and where it is.

    Backgrounds must be opaque where they are not the page's; text in figures counts by its fill.
    """
    return tuple(
        driver.execute_script(
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
              if (!own || !e.checkVisibility() || e.closest("script, title, datalist")) continue;
              const style = getComputedStyle(e);
              const ink = e.closest("svg") ? style.fill : style.color;
              const pair = [light(ink), light(behind(e))].sort((a, b) => b - a);
              const ratio = (pair[0] + .05) / (pair[1] + .05);
              if (ratio < worst[0]) worst = [ratio, e.outerHTML.slice(0, 80)];
            }
            return worst;
            """
        )
    )


def smallest_figure_text(driver) -> float:
    """Height in px of the smallest text in the page's figures, as they are scaled now."""
    return driver.execute_script(
        """
        const sizes = [...document.querySelectorAll("svg text")]
          .filter((t) => t.checkVisibility())
          .map((t) => parseFloat(getComputedStyle(t).fontSize)
                      * t.ownerSVGElement.getScreenCTM().a);
        return Math.min(...sizes, 99);
        """
    )


def walk_by_keyboard(driver, most: int = 400) -> list[dict]:
    """Press Tab through a page from its top and describe what gets the focus, in order.

    Returns
    -------
    list of dict
        `place` in the document, `html`, `outline` (its width in px, 0 without one), `shown`
        (its first box is inside the window and nothing covers its middle); the last entry is
        the one before the focus leaves the page.
    """
    from selenium.webdriver.common.action_chains import ActionChains

    driver.execute_script("scrollTo(0, 0); document.activeElement.blur();")
    found: list[dict] = []
    for _ in range(most):
        ActionChains(driver).send_keys("\ue004").perform()
        one = driver.execute_script(
            """
            const e = document.activeElement;
            if (!e || e === document.body || e === document.documentElement) return null;
            const style = getComputedStyle(e), box = e.getClientRects()[0];
            const x = box.left + Math.min(box.width / 2, 100);
            // what is higher than the window is shown from its middle
            const y = box.height > innerHeight
              ? innerHeight / 2 : box.top + Math.min(box.height / 2, 20);
            const over = document.elementFromPoint(x, y);
            return {place: [...document.querySelectorAll("*")].indexOf(e),
                    html: e.outerHTML.slice(0, 90),
                    outline: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
                    shown: y >= 0 && y < innerHeight && Boolean(over)
                           && (e.contains(over) || over.contains(e))};
            """
        )
        if one is None:
            return found
        if not found or found[-1]["place"] != one["place"]:
            found.append(one)
    raise AssertionError(f"after {most} times Tab the focus is still on the page: {found[-1]}")


def reachable(driver) -> int:
    """How many visible elements the keyboard must reach."""
    return driver.execute_script(
        """
        const kinds = ["a[href]", "button", "input", "select", "textarea", "summary",
                       "audio[controls]", "[tabindex='0']"];
        return [...document.querySelectorAll(kinds.join())]
          .filter((e) => e.checkVisibility() && !e.disabled).length;
        """
    )


def sort_all(driver) -> list[dict]:
    """Press every head of every sortable table twice.

    Returns
    -------
    list of dict
        Of each column its `name`, whether it is `numeric`, what its cells sort by `before`,
        after the first (`up`) and after the second press (`down`), and every `aria-sort` of
        the table after the `first` and after the `second`.
    """
    return driver.execute_script(
        """
        const found = [];
        for (const table of document.querySelectorAll("table.sortable")) {
          for (const button of table.querySelectorAll("thead button")) {
            const head = button.closest("th");
            const cells = () => [...table.tBodies[0].rows].map((row) => row.cells[head.cellIndex])
              .map((cell) => cell.dataset.v ?? cell.textContent.trim());
            const sorted = () => [...table.querySelectorAll("[aria-sort]")]
              .map((one) => one.getAttribute("aria-sort"));
            const one = {name: `${table.caption.textContent.slice(0, 40)}: ${button.textContent}`,
                         numeric: head.classList.contains("n"), before: cells()};
            button.click();
            [one.up, one.first] = [cells(), sorted()];
            button.click();
            [one.down, one.second] = [cells(), sorted()];
            found.push(one);
          }
        }
        return found;
        """
    )


def printed(driver) -> dict:
    """Print a page on A4 and describe what comes out.

    Returns
    -------
    dict
        `pages`; `needed`, the height of the page in sheets; `too_tall`, blocks that must stay
        together and are higher than a sheet; `too_wide`, as in `too_wide`.
    """
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", A4)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    found = driver.execute_script(
        """
        const sheet = arguments[0], tall = [];
        for (const e of document.body.querySelectorAll("*")) {
          const kept = getComputedStyle(e).breakInside === "avoid";
          if (kept && e.checkVisibility() && e.getBoundingClientRect().height > sheet)
            tall.push(e.outerHTML.slice(0, 120));
        }
        return {needed: document.documentElement.scrollHeight / sheet, too_tall: tall};
        """,
        A4["height"],
    )
    found["too_wide"] = too_wide(driver, A4)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    return found | {"pages": sheets(driver)}


def sheets(driver) -> int:
    """Print a page to PDF on A4 and count its sheets."""
    import base64
    import re

    options = {"preferCSSPageSize": True, "printBackground": True}
    options |= {"paperWidth": 8.27, "paperHeight": 11.69}
    pdf = base64.b64decode(driver.execute_cdp_cmd("Page.printToPDF", options)["data"])
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def folded(driver) -> list[list[bool]]:
    """Of each `details` element, whether it is open and whether what is in it can be seen."""
    return driver.execute_script(
        "return [...document.querySelectorAll('details')]"
        ".map((d) => [d.open, d.lastElementChild.checkVisibility()])"
    )


def sounds(driver) -> list[dict]:
    """Load every audio element; ready state and duration in seconds of each."""
    return driver.execute_async_script(
        """
        const done = arguments[arguments.length - 1];
        Promise.all([...document.querySelectorAll("audio")].map((sound) => new Promise((tell) => {
          const say = () => tell({ready: sound.readyState, duration: sound.duration,
                                  error: sound.error && sound.error.message});
          sound.addEventListener("canplay", say, {once: true});
          sound.addEventListener("error", say, {once: true});
          sound.preload = "auto";
          sound.load();
        }))).then(done);
        """
    )


def check_report(report: Path, profile: Path, *, texts: tuple[str, ...] = ()) -> None:
    """Check any report of the pipeline: offline, quiet, complete, playable, fit for a phone.

    Parameters
    ----------
    report : Path
        The HTML file.
    profile : Path
        A fresh folder for the browser.
    texts : tuple of str
        Texts that must be visible besides those that every report has.
    """
    with browser(profile) as driver:
        show(driver, report, DESKTOP)
        assert requested(driver) == [str(Path(report).resolve())]
        body = driver.find_element("tag name", "body").text
        for text in ("In short", "measured on the labelled part", "Where this comes from", *texts):
            assert text in body, f"{text!r} is not visible in {report}"
        shown = driver.execute_script(
            "return [...document.querySelectorAll('svg.panel')].filter((p) => p.checkVisibility())"
            ".map((p) => [p.getBoundingClientRect().width, p.getAttribute('aria-label')])"
        )
        assert shown
        assert all(width > 150 and label for width, label in shown)
        heard = sounds(driver)
        assert all(s["ready"] >= 3 and abs(s["duration"] - 5) < 0.01 for s in heard), heard
        assert overflowing(driver) == []
        show(driver, report, PHONE)
        width = driver.execute_script("return document.documentElement.scrollWidth")
        assert width <= PHONE["width"], f"{width} px wide on a phone: {overflowing(driver)}"
        assert overflowing(driver) == []
        assert console(driver) == []
