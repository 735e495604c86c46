"""Pages made from the program, and the catalogue of diagnostics behind one of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from qsfa_codegen.catalogue import Entry, entries
from qsfa_codegen.commands.new import new
from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.docs_pages import KERNEL_PAGE, kernel_page, pages, pictures
from qsfa_codegen.spec.load import analyse_text
from tests.cli_tools import ROOT

_SOURCES = [path for path in (ROOT / "qsfa_codegen").rglob("*.py") if path.name != "cli.py"]
_EXAMPLES = [entry for entry in entries().values() if entry.wrong]


def test_every_code_is_explained_and_every_explanation_is_of_a_code() -> None:
    used = {code for path in _SOURCES for code in re.findall(r"\bQ[SD]\d{3}\b", path.read_text())}
    assert used == entries().keys()


@pytest.mark.parametrize("entry", entries().values(), ids=lambda entry: entry.code)
def test_an_entry_says_something(entry: Entry) -> None:
    assert re.fullmatch(r"Q[SD]\d{3}", entry.code)
    assert 5 <= len(entry.title) <= 90
    assert not entry.title.endswith(".")
    assert entry.text.strip().endswith(".")
    assert bool(entry.wrong) is bool(entry.right)


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The spec that ``new`` writes."""
    return new("AddExample", tmp_path_factory.mktemp("spec")).read_text(encoding="utf-8")


def _codes(text: str) -> set[str]:
    sink = Sink()
    analyse_text(text.encode(), "spec.yaml", sink)
    return {diagnostic.code for diagnostic in sink}


def test_the_starter_has_no_findings(starter: str) -> None:
    assert _codes(starter) == set()


@pytest.mark.parametrize("entry", _EXAMPLES, ids=lambda entry: entry.code)
def test_an_example_is_reported_under_its_code(entry: Entry, starter: str) -> None:
    assert entry.right in starter
    assert entry.code in _codes(starter.replace(entry.right, entry.wrong, 1))


@pytest.mark.parametrize("name", pages())
def test_pages_are_up_to_date(name: str) -> None:
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == pages()[name], "run `make docs`"


def test_pictures_are_those_of_the_packages() -> None:
    """Of each package with a picture of its rows, and the README shows that of the first operator."""
    generated = {
        f"images/{path.parents[1].name}_rows.svg": path.read_text(encoding="utf-8")
        for path in (ROOT / "generated").glob("*/docs/packed_rows.en.svg")
    }
    assert generated == pictures(ROOT / "spec")
    for name, text in generated.items():
        assert (ROOT / "docs" / name).read_text(encoding="utf-8") == text, "run `make docs`"
    assert "](docs/images/kv_quant_sparse_flash_attention_rows.svg)" in (ROOT / "README.md").read_text()


def test_buffers_of_the_kernel_are_those_of_its_header() -> None:
    page = (ROOT / "docs" / KERNEL_PAGE).read_text(encoding="utf-8")
    assert kernel_page(page, ROOT / "spec") == page, "run `make docs`"
    arch = ROOT / "generated/kv_quant_sparse_flash_attention/op_kernel/arch22"
    (header,) = arch.glob("*_buffers.h")
    text = header.read_text(encoding="utf-8")
    listed = [line.split()[1:] for line in text.splitlines() if line.startswith("//   ")]
    filled = page.partition("<!-- buffers -->")[2].partition("<!-- end -->")[0]
    shown = [line.replace("|", " ").split() for line in filled.splitlines() if line.startswith("| ")]
    assert listed == shown
    assert len(shown) > len(("L1", "L0A", "L0B", "L0C", "UB"))


def test_links_between_documents_lead_somewhere() -> None:
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
            assert Path(path.parent, target).exists(), f"{path.name} links to {target}"
