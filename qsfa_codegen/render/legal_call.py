"""A legal call of an operator, which the examples of its package make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.render.cases import legal_calls

if TYPE_CHECKING:
    from qsfa_codegen.contract.calls import Call, TensorArg
    from qsfa_codegen.spec.model import AttrValue, Operator


class LegalCall(Struct, frozen=True):
    """A call, the value of each attribute in it, and its outputs by name."""

    call: Call
    attrs: Mapping[str, AttrValue]
    outputs: Mapping[str, TensorArg]


def legal_call(operator: Operator, fits: Callable[[LegalCall], bool] = lambda _: True) -> LegalCall | None:
    """The first legal call that was derived and ``fits``; None where none was found."""
    defaults = {a.name: a.default for a in operator.attrs if a.default is not None}
    for call, result in legal_calls(operator):
        if call.attr_count is None and not call.outputs:
            found = LegalCall(call, {**defaults, **call.attrs}, result.outputs)
            if fits(found):
                return found
    return None
