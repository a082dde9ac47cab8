"""Chromium without a window, for what can only be seen in a browser."""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SWITCHES = (
    "--headless=new",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
)
LONGEST = 60  # seconds until a page must have drawn itself


def lacking() -> str | None:
    """What is missing to start a browser, in words; None where nothing is."""
    if find_spec("selenium") is None:
        return "selenium is not installed: pip install 'wideangle[test]'"
    if not any(map(shutil.which, BROWSERS)) or shutil.which("chromedriver") is None:
        return "there is no Chromium with its driver: apt-get install chromium chromium-driver"
    return None


@contextmanager
def chromium(width: int = 1400, height: int = 1000, *, dark: bool = False) -> Iterator[Any]:
    """A browser of its own with an empty profile; a width under 600 pixels is a phone's."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = next(filter(None, map(shutil.which, BROWSERS)))
    for switch in (*SWITCHES, f"--window-size={width},{height}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
    browser = webdriver.Chrome(options=options, service=service)
    try:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        yield browser
    finally:
        browser.quit()


def open_file(browser: Any, path: Path) -> float:
    """Open a page from disk; the milliseconds from the start of navigation until it says that it is drawn."""
    browser.get(path.resolve().as_uri())
    return drawn(browser)


def drawn(browser: Any) -> float:
    """Wait until the page says that it is drawn, and when that was."""
    deadline = time.monotonic() + LONGEST
    while time.monotonic() < deadline:
        moment = browser.execute_script("return document.documentElement.dataset.ready")
        if moment:
            return float(moment)
        time.sleep(0.02)
    raise TimeoutError(f"the page was not drawn after {LONGEST} s; its console says {browser.get_log('browser')}.")
