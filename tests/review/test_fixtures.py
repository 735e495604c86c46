"""One folder a rule: two versions of a spec, and what is said of the edit, which a person has read."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.contract.run import run_cases
from qsfa_codegen.review.changes import Change
from qsfa_codegen.review.compare import compare
from qsfa_codegen.review.rules import RULES
from qsfa_codegen.spec.model import Operator
from tests.review.pairs import CHIPS, CURRENT, HERE, PREVIOUS, operator, report

FOLDERS = sorted(path for path in (HERE / "rules").iterdir() if path.is_dir())
ELSEWHERE = {"QD101", "QD399"}  # tested with the command, and with the net


JUDGED = [folder for folder in FOLDERS if folder.name.startswith("QD2")]


class Fixture:
    """A folder."""

    def __init__(self, folder: Path) -> None:
        self.texts = {name: (folder / name).read_text(encoding="utf-8") for name in (PREVIOUS, CURRENT)}
        chips = folder / "current.chips.yaml"
        self.before = operator(self.texts[PREVIOUS], PREVIOUS)
        self.after = operator(self.texts[CURRENT], CURRENT, chips if chips.exists() else CHIPS)

    def changes(self) -> tuple[Change, ...]:
        return compare(self.before, self.after, self.texts)

    def undone(self) -> tuple[Change, ...]:
        return compare(self.after, self.before, self.texts)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_edit_is_reviewed_as_its_folder_says(folder: Path) -> None:
    fixture = Fixture(folder)
    found = fixture.changes()
    assert folder.name[:5] in {change.code for change in found}
    assert report(fixture.after.snake, found) == (folder / "expected.txt").read_text(encoding="utf-8")
    _check_witnesses(fixture, found)


def _check_witnesses(fixture: Fixture, found: tuple[Change, ...]) -> None:
    """Each call is what is said of it, for both contracts, when they run it by themselves."""
    for change in found:
        if change.witness is None:
            continue
        call = change.witness.call
        (outcome,) = run_cases(Evaluator(fixture.after), [call])
        assert outcome.fulfilled, outcome.differences
        if _names(fixture.before) == _names(fixture.after):
            before = Evaluator(fixture.before).evaluate(call)
            assert before.ok is not change.witness.before.startswith("rejected")


def _names(operator: Operator) -> list[str]:
    return [*(i.name for i in operator.inputs), *(a.name for a in operator.attrs)]


@pytest.mark.parametrize("folder", JUDGED, ids=lambda folder: folder.name)
def test_undoing_an_edit_turns_narrower_and_wider_round(folder: Path) -> None:
    fixture = Fixture(folder)
    there, back = fixture.changes(), fixture.undone()
    for narrower, wider in ((there, back), (back, there)):
        assert _judged(narrower, "QD20") == _judged(wider, "QD21")


def _judged(found: tuple[Change, ...], start: str) -> set[tuple[str, str]]:
    return {(change.code[4], change.subject) for change in found if change.code.startswith(start)}


def test_nothing_is_said_of_a_spec_that_stays() -> None:
    for spec in {(folder / PREVIOUS).read_text(encoding="utf-8") for folder in FOLDERS}:
        assert compare(operator(spec), operator(spec)) == ()


def test_every_rule_has_a_folder() -> None:
    codes = [rule.code for rule in RULES]
    assert len(set(codes)) == len(codes)
    assert {folder.name[:5] for folder in FOLDERS} | ELSEWHERE == set(codes)


def test_rules_explain_themselves() -> None:
    for rule in RULES:
        assert rule.title[0].isupper()
        assert len(rule.reason) > len(rule.title) / 2
        assert rule.reason.endswith(".")
