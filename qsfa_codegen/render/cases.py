"""Call cases that the spec implies, as a test file of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from qsfa_codegen.expr.memo import once_an_operator
from qsfa_codegen.render.answers import Answer
from qsfa_codegen.render.artefact import Artefact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qsfa_codegen.contract.calls import Call, Result
    from qsfa_codegen.contract.derive import Derivation, Deriver
    from qsfa_codegen.contract.evaluate import Evaluator
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Operator


def _path(operator: Operator) -> str:
    return f"tests/{operator.snake}_cases.jsonl"


def _render(operator: Operator, templates: Templates) -> str:
    return case_lines(operator)


@Answer
def case_lines(operator: Operator) -> str:
    """The calls as lines of the file."""
    # Only a package that has this file needs the evaluator.
    from qsfa_codegen.contract.calls import call_json, dump

    return "".join(f"{dump(call_json(call))}\n" for call in derived(operator).derivation.calls)


class Derived(NamedTuple):
    """The calls that an operator's spec implies, and what evaluates them."""

    evaluator: Evaluator
    derivation: Derivation


@once_an_operator
def derived(operator: Operator) -> Derived:
    """Derived once for all files of a package."""
    deriver = _deriver(operator)
    return Derived(deriver.evaluator, deriver.run())


@once_an_operator
def _deriver(operator: Operator) -> Deriver:
    from qsfa_codegen.contract.derive import Deriver
    from qsfa_codegen.contract.evaluate import Evaluator

    return Deriver(Evaluator(operator))


def legal_calls(operator: Operator) -> Iterator[tuple[Call, Result]]:
    """Legal calls and their results in the order of ``derived``, which goes no further than is asked."""
    yield from _deriver(operator).first_legal()
    found = derived(operator).derivation
    yield from ((call, found.results[call.id]) for call in found.calls if call.id in found.results)


@Answer
def without_cases(operator: Operator) -> dict[tuple[str, ...], list[str]]:
    """Chips for which no legal call was found, by the ids of the checks that stood in the way.

    Empty for a package without a file of cases.
    """
    if operator.emit and not any(artefact.group in operator.emit for artefact in ARTEFACTS):
        return {}
    found = derived(operator).derivation
    served = {call.chip for call in found.calls}
    chips: dict[tuple[str, ...], list[str]] = {}
    for chip in operator.chips:
        if chip.id not in served:
            blocks = dict.fromkeys(u.blocked_by for u in found.unreached if u.chip == chip.id)
            chips.setdefault(tuple(blocks), []).append(chip.id)
    return chips


ARTEFACTS = (Artefact("tests", _path, _render),)
