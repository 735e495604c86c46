"""A headless browser, where Chromium and its driver are installed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
MISSING = "Chromium and chromedriver are not installed (Debian: apt-get install chromium chromium-driver)"
WIDE, NARROW = (1280, 900), (390, 844)

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


def available() -> bool:
    """Whether there is a browser."""
    return BROWSER is not None and DRIVER is not None


@contextmanager
def browser() -> Iterator[webdriver.Chrome]:
    """A browser with nothing in its profile."""
    with TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = BROWSER or ""
        for flag in (*_FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        driver = webdriver.Chrome(options, Service(DRIVER))
        try:
            yield driver
        finally:
            driver.quit()


def size(driver: webdriver.Chrome, width: int, height: int, *, phone: bool = False) -> None:
    """Show pages at this size, in CSS pixels."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def prefer(driver: webdriver.Chrome, *, scheme: str = "light", media: str = "") -> None:
    """What the reader's system prefers, ``light`` or ``dark``; ``media`` is ``print`` for paper."""
    values = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
    features = [{"name": name, "value": value} for name, value in values.items()]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})


def picture(driver: webdriver.Chrome, path: Path) -> None:
    """Keep what is shown."""
    path.parent.mkdir(parents=True, exist_ok=True)
    assert driver.get_screenshot_as_file(str(path))
