"""Codes of findings: each that the emulator has is explained, and stands in the table of the page."""

from __future__ import annotations

import re

from qsfa_codegen.catalogue import entries
from qsfa_codegen.emulate.findings import CODES
from tests.cli_tools import ROOT

EMULATOR = ROOT / "qsfa_codegen/emulator"


def test_every_finding_of_the_page_has_a_code() -> None:
    page = (ROOT / "docs/emulator.md").read_text()
    table = page[page.index("## What is checked") : page.index("### Order")]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    assert {name for row in rows for name in re.findall(r"`([a-z-]+)`", row)} == CODES.keys()


def test_the_page_has_every_finding_of_the_sources() -> None:
    """Where a finding is made on the spot; others are given by name and get their code in the core."""
    text = "\n".join(path.read_text() for path in EMULATOR.rglob("*") if path.suffix in (".h", ".cpp"))
    named = set(re.findall(r'\bcode = "([a-z-]+)"', text))
    assert named
    assert named <= CODES.keys()


def test_codes_are_explained_and_each_is_of_one_finding() -> None:
    assert set(CODES.values()) <= entries().keys()
    assert len(set(CODES.values())) == len(CODES)
