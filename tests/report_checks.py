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
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
DESKTOP = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}


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
