"""One negative fixture a code. The text that is expected stands in the fixture, in comments at its end."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from qsfa_codegen.diagnostics import Diagnostic, Sink
from qsfa_codegen.spec.load import analyse_text
from qsfa_codegen.spec.rules import RULES

FIXTURES = sorted((Path(__file__).parent / "fixtures").glob("QS*.yaml"))
RESOLVER = Path(__file__).parents[3] / "qsfa_codegen" / "spec" / "resolve"
EXPECT = "# expect: "
HELP = "#   help: "


def expected_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith((EXPECT, HELP))]


def shown(diagnostic: Diagnostic) -> list[str]:
    assert diagnostic.span is not None
    place = f"{diagnostic.span.line}:{diagnostic.span.column}"
    lines = [f"{EXPECT}{place} {diagnostic.severity.value} {diagnostic.code} {diagnostic.message}"]
    return lines if diagnostic.help is None else [*lines, HELP + diagnostic.help]


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: p.stem)
def test_fixture_is_reported_as_it_says(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    expected = expected_lines(text)
    sink = Sink()
    analyse_text(text.encode(), path.name, sink)
    assert [line for diagnostic in sink for line in shown(diagnostic)] == expected
    assert any(f" {path.stem[:5]} " in line for line in expected)


def test_every_rule_has_a_fixture() -> None:
    covered = {path.stem[:5] for path in FIXTURES}
    assert {rule.code for rule in RULES} <= covered


def test_every_code_of_the_resolver_has_a_fixture() -> None:
    covered = {path.stem[:5] for path in FIXTURES}
    sources = [path.read_text(encoding="utf-8") for path in RESOLVER.rglob("*.py")]
    reported = {code for source in sources for code in re.findall(r'"(QS\d{3})"', source)}
    assert len(reported) > 30
    assert reported <= covered


def test_codes_are_unique_and_rules_explain_themselves() -> None:
    codes = [rule.code for rule in RULES]
    assert len(set(codes)) == len(codes)
    for rule in RULES:
        assert rule.title
        assert len(rule.reason) > len(rule.title) / 2
