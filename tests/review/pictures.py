"""Makes the pictures of docs/review.md: ``python -m tests.review.pictures docs/images``."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from selenium.webdriver.chrome.webdriver import WebDriver

from qsfa_codegen.review.report.page import page
from tests.review import browser
from tests.review.pairs import edited, review
from tests.review.qsfa_edits import EDITS, SPEC

_SHOWN = ("tighten_block_size", "insert_an_attribute_in_the_middle")
_FILE = "op_host-kv_quant_sparse_flash_attention_tiling.cpp"


def main(folder: Path) -> None:
    """Write the pictures into ``folder``."""
    after = edited(SPEC, *(edit for name in _SHOWN for edit in EDITS[name]))
    name = "spec/kv_quant_sparse_flash_attention.yaml"
    found = review(SPEC, after, name=name, was=f"HEAD:{name}")
    with TemporaryDirectory() as made, browser.browser() as driver:
        path = Path(made) / "review.html"
        path.write_text(page([found]), encoding="utf-8")
        driver.get(path.as_uri())
        browser.prefer(driver)
        browser.size(driver, 1200, 1240)
        browser.picture(driver, folder / "review.png")
        browser.prefer(driver, scheme="dark")
        browser.size(driver, 1200, 900)
        _open(driver, f"{path.as_uri()}#{_FILE}")
        browser.picture(driver, folder / "review-files.png")
        browser.prefer(driver)
        browser.size(driver, *browser.NARROW, phone=True)
        _open(driver, f"{path.as_uri()}#{_FILE}")
        browser.picture(driver, folder / "review-phone.png")


def _open(driver: WebDriver, address: str) -> None:
    driver.get("about:blank")
    driver.get(address)
    driver.execute_script(
        "document.querySelector('.at').classList.remove('at'); document.activeElement.blur()"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
