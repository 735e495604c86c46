"""What the files of a package ask, for a process that only answers: the files' own modules stay out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qsfa_codegen.render.aclnn_example import aclnn_call
from qsfa_codegen.render.cases import case_lines, without_cases
from qsfa_codegen.render.torch_example import torch_call
from qsfa_codegen.render.unit_tests import infer_calls, tiling_calls

if TYPE_CHECKING:
    from qsfa_codegen.render.answers import Answer
    from qsfa_codegen.spec.model import Operator

_BY_GROUP: dict[str, tuple[Answer[Any], ...]] = {
    "docs": (aclnn_call, torch_call),
    "examples": (aclnn_call,),
    "tests": (case_lines, without_cases),
    "ut": (infer_calls, tiling_calls),
}


def asked(operator: Operator) -> tuple[Answer[Any], ...]:
    """What files of the groups in ``operator.emit`` (none: all) ask, in the order in which they need it."""
    groups = [group for group in _BY_GROUP if not operator.emit or group in operator.emit]
    return tuple(dict.fromkeys(answer for group in groups for answer in _BY_GROUP[group]))
