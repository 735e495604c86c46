"""Codes QS100 to QS199: each that is reported is explained, and each that is explained is reported."""

from __future__ import annotations

import re
from pathlib import Path

from qsfa_codegen.catalogue import entries

PACKAGE = Path(__file__).parents[2] / "qsfa_codegen"


def test_codes_and_explanations_agree() -> None:
    reported = {
        code
        for path in PACKAGE.glob("spec/*.py")
        for code in re.findall(r'"(QS1\d\d)"', path.read_text(encoding="utf-8"))
    }
    explained = {code for code in entries() if code.startswith("QS1")}
    assert reported == explained


def test_explanations_say_something() -> None:
    for code, entry in entries().items():
        if code.startswith("QS1"):
            assert entry.title
            assert not entry.title.endswith(".")
            assert entry.text.endswith(".")
