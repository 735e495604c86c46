"""The page in a browser: what is shown, what clicks, keys and the filter do, on a desk, a phone and paper."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from qsfa_codegen.review.compare import Review
from qsfa_codegen.review.report.page import page
from tests.cli_tools import ROOT
from tests.review import browser
from tests.review.pairs import edited, review, specs

pytestmark = pytest.mark.skipif(not browser.available(), reason=browser.MISSING)
PICTURES = ROOT / ".cache" / "review"


@pytest.fixture(scope="module")
def driver() -> Iterator[WebDriver]:
    with browser.browser() as started:
        yield started


@pytest.fixture(scope="module")
def shown() -> Review:
    """An attribute in front of another, fewer sizes of a dim, another text; one text is hostile."""
    before, after = specs("QD122")
    after = edited(
        after,
        ("D: {max: 1024, multiple_of: 16", "D: {max: 512, multiple_of: 32"),
        ("{en: Factor., zh", "{en: 'Factor <img src=x onerror=\"window.hacked=1\">.', zh"),
    )
    return review(before, after)


@pytest.fixture(scope="module")
def address(shown: Review, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "review.html"
    path.write_text(page([shown]), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def opened(driver: WebDriver, address: str) -> WebDriver:
    browser.size(driver, *browser.WIDE)
    browser.prefer(driver)
    driver.get("about:blank")
    driver.get(address)
    driver.execute_script(
        "try { localStorage.clear() } catch {}; delete document.documentElement.dataset.theme"
    )
    return driver


def visible(driver: WebDriver, selector: str) -> list[WebElement]:
    return [found for found in driver.find_elements(By.CSS_SELECTOR, selector) if found.is_displayed()]


def press(driver: WebDriver, keys: str) -> None:
    ActionChains(driver).send_keys(keys).perform()


def chosen(driver: WebDriver) -> str:
    (found,) = driver.find_elements(By.CSS_SELECTOR, ".item.at")
    return found.get_attribute("id") or ""


def background(driver: WebDriver) -> str:
    return str(driver.execute_script("return getComputedStyle(document.body).backgroundColor"))


def test_everything_is_summed_up(opened: WebDriver, shown: Review) -> None:
    (verdict,) = visible(opened, ".verdict")
    breaks = sum(change.breaks for change in shown.changes)
    assert verdict.text.endswith(f"{breaks} changes break something")
    chips = [chip.text for chip in visible(opened, "button.chip")]
    assert chips[0].startswith("breaking for callers")
    assert len(visible(opened, ".item.change")) == len(shown.changes)
    assert shown.files is not None
    assert len(visible(opened, ".item.file")) == len(shown.files.shown) + 1  # and the spec
    browser.picture(opened, PICTURES / "light.png")


def test_nothing_is_loaded_and_nothing_foreign_runs(opened: WebDriver) -> None:
    assert opened.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert opened.execute_script("return window.hacked") is None
    log = opened.get_log("browser")  # type: ignore[no-untyped-call]
    assert log == []
    assert "<img src=x" in opened.find_element(By.TAG_NAME, "main").text
    # What got in all the same would not run.
    opened.execute_script(
        "document.body.insertAdjacentHTML('beforeend', '<img src=x: onerror=\"window.hacked=1\">')"
    )
    opened.execute_async_script("setTimeout(arguments[0], 100)")
    assert opened.execute_script("return window.hacked") is None


def test_breaks_are_open_and_a_click_closes_them(opened: WebDriver) -> None:
    first = visible(opened, ".item.change")[0]
    assert first.get_attribute("open") is not None
    assert first.find_element(By.CSS_SELECTOR, ".diff").is_displayed()
    assert "max: 512" in first.text
    assert first.find_element(By.CSS_SELECTOR, "ins").text == "512"
    assert "rejected" in first.find_element(By.CSS_SELECTOR, ".call").text
    first.find_element(By.TAG_NAME, "summary").click()
    assert not first.find_element(By.CSS_SELECTOR, ".diff").is_displayed()
    (words,) = visible(opened, ".item.change[data-kind=docs]")
    assert words.get_attribute("open") is None


def test_the_filter_shows_what_has_the_text(opened: WebDriver) -> None:
    total = len(visible(opened, ".item"))
    box = opened.find_element(By.ID, "filter")
    box.send_keys("_meta")
    files = visible(opened, ".item")
    assert 0 < len(files) < total
    assert opened.find_element(By.ID, "shown").text == f"{len(files)} of {total}"
    for file in files:
        assert file.get_attribute("open") is not None
        hunks = [hunk for hunk in file.find_elements(By.TAG_NAME, "tbody") if hunk.is_displayed()]
        assert hunks
        assert all("_meta" in hunk.text for hunk in hunks)
    box.send_keys(" and something that nothing has")
    assert visible(opened, ".item") == []
    assert visible(opened, "#nothing")
    opened.find_element(By.ID, "clear").click()
    assert len(visible(opened, ".item")) == total
    assert not visible(opened, "#nothing")
    (words,) = visible(opened, ".item.change[data-kind=docs]")
    assert words.get_attribute("open") is None  # as it was before


def test_classes_and_artefacts_narrow_it(opened: WebDriver, shown: Review) -> None:
    opened.find_element(By.CSS_SELECTOR, "button[data-kind=callers]").click()
    kinds = {item.get_attribute("data-kind") for item in visible(opened, ".item")}
    assert kinds == {"callers"}
    opened.find_element(By.CSS_SELECTOR, "button[data-kind=docs]").click()
    kinds = {item.get_attribute("data-kind") for item in visible(opened, ".item")}
    assert kinds == {"callers", "docs"}
    press(opened, Keys.ESCAPE)
    opened.find_element(By.ID, "artefact").send_keys("torch")
    assert {item.get_attribute("data-artefact") for item in visible(opened, ".item")} == {"torch"}
    press(opened, Keys.ESCAPE)
    assert len(visible(opened, ".item.change")) == len(shown.changes)


def test_keys_move_and_toggle(opened: WebDriver) -> None:
    order = [item.get_attribute("id") for item in visible(opened, ".item")]
    press(opened, "j")
    assert chosen(opened) == order[0]
    press(opened, "jj")
    assert chosen(opened) == order[2]
    press(opened, "k")
    assert chosen(opened) == order[1]
    here = opened.find_element(By.CSS_SELECTOR, ".item.at")
    assert opened.switch_to.active_element == here.find_element(By.TAG_NAME, "summary")
    before = here.get_attribute("open")
    press(opened, "o")
    assert here.get_attribute("open") != before
    press(opened, Keys.ENTER)
    assert here.get_attribute("open") == before
    for _ in order:
        press(opened, "j")
    assert chosen(opened) == order[-1]


def test_keys_of_everything(opened: WebDriver) -> None:
    press(opened, "e")
    assert all(item.get_attribute("open") for item in visible(opened, ".item"))
    press(opened, "n")
    (head,) = opened.find_elements(By.CSS_SELECTOR, "tr.head.at")
    press(opened, "n")
    assert opened.find_elements(By.CSS_SELECTOR, "tr.head.at") != [head]
    press(opened, "p")
    assert opened.find_elements(By.CSS_SELECTOR, "tr.head.at") == [head]
    press(opened, "e")
    assert not any(item.get_attribute("open") for item in visible(opened, ".item"))
    press(opened, "?")
    assert visible(opened, "#keys")
    press(opened, Keys.ESCAPE)
    assert not visible(opened, "#keys")
    press(opened, "/")
    assert opened.switch_to.active_element == opened.find_element(By.ID, "filter")
    press(opened, "jot")  # is a text here
    assert opened.find_element(By.ID, "filter").get_attribute("value") == "jot"
    press(opened, Keys.ESCAPE)
    assert opened.find_element(By.ID, "filter").get_attribute("value") == ""


def test_light_and_dark(opened: WebDriver) -> None:
    light = background(opened)
    browser.prefer(opened, scheme="dark")
    dark = background(opened)
    assert dark != light
    browser.picture(opened, PICTURES / "dark.png")
    press(opened, "t")
    assert background(opened) == light
    opened.find_element(By.ID, "theme").click()
    assert background(opened) == dark


def test_words_can_be_read_in_both(opened: WebDriver) -> None:
    """Contrast of every colour of text on what is behind it, by the formula of WCAG 2: 4.5 at least."""
    for scheme in ("light", "dark"):
        browser.prefer(opened, scheme=scheme)
        for name in ("text", "soft", "link", "add", "rem", "keyword", "string", "literal", "type", "comment"):
            for back in ("card", "back", "add-back", "rem-back", "head"):
                assert contrast(opened, name, back) >= 4.5, (scheme, name, back)


def contrast(driver: WebDriver, front: str, back: str) -> float:
    script = """
      const probe = document.createElement("span");
      document.body.append(probe);
      const colours = [...arguments].map((name) => {
        probe.style.color = `var(--${name})`;
        return getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map(Number);
      });
      probe.remove();
      return colours;
    """
    one, other = (luminance(colour) for colour in driver.execute_script(script, front, back))
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def luminance(colour: list[float]) -> float:
    parts = [part / 255 for part in colour]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def columns(driver: WebDriver) -> tuple[bool, bool]:
    """Whether a line that is the same shows its old side, and its new one."""
    row = next(row for row in driver.find_elements(By.CSS_SELECTOR, ".file tr.same") if row.is_displayed())
    old, new = row.find_elements(By.CSS_SELECTOR, ".old, .new")
    return old.is_displayed(), new.is_displayed()


def test_a_phone_shows_one_column(opened: WebDriver) -> None:
    assert columns(opened) == (True, True)
    browser.size(opened, *browser.NARROW, phone=True)
    assert columns(opened) == (False, True)
    press(opened, "e")
    wide = "return [document.documentElement.scrollWidth, innerWidth]"
    assert opened.execute_script(wide) == [browser.NARROW[0], browser.NARROW[0]]
    row = next(row for row in opened.find_elements(By.CSS_SELECTOR, "tr.changed") if row.is_displayed())
    old, new = row.find_elements(By.CSS_SELECTOR, ".old, .new")
    assert new.rect["y"] > old.rect["y"]
    assert new.rect["x"] == old.rect["x"]
    browser.picture(opened, PICTURES / "phone.png")


def test_paper_has_every_change_and_no_tools(opened: WebDriver) -> None:
    assert visible(opened, ".tools")
    browser.prefer(opened, scheme="dark", media="print")
    assert not visible(opened, ".tools")
    assert columns(opened) == (False, True)
    assert background(opened) == "rgb(255, 255, 255)"
    opened.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert all(item.get_attribute("open") for item in visible(opened, ".item.change"))
    opened.execute_script("dispatchEvent(new Event('afterprint'))")
    (words,) = visible(opened, ".item.change[data-kind=docs]")
    assert words.get_attribute("open") is None


def test_an_address_opens_what_it_names(driver: WebDriver, address: str) -> None:
    driver.get("about:blank")
    driver.get(f"{address}#scale_rows-QD500")
    (words,) = visible(driver, ".item.change[data-kind=docs]")
    assert words.get_attribute("open") is not None
    assert chosen(driver) == "scale_rows-QD500"


def test_every_control_has_a_name(opened: WebDriver) -> None:
    for control in visible(opened, "button, input, select, summary, a"):
        assert control.accessible_name.strip()


def test_a_case_can_be_copied(opened: WebDriver) -> None:
    call = visible(opened, ".call")[0]
    call.find_element(By.CSS_SELECTOR, ".json summary").click()
    button = call.find_element(By.CSS_SELECTOR, ".copy")
    button.click()
    opened.execute_async_script("setTimeout(arguments[0], 100)")
    assert button.text in ("Copied", "Selected")
