"""Call cases that the spec implies, as a test file of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qsfa_codegen.render.artefact import Artefact

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Operator


def _path(operator: Operator) -> str:
    return f"tests/{operator.snake}_cases.jsonl"


def _render(operator: Operator, templates: Templates) -> str:
    # Only a package that has this file needs the evaluator.
    from qsfa_codegen.contract.calls import call_json, dump
    from qsfa_codegen.contract.derive import derive

    return "".join(f"{dump(call_json(call))}\n" for call in derive(operator).calls)


ARTEFACTS = (Artefact("tests", _path, _render),)
