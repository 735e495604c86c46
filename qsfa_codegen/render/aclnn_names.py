"""How the aclnn wrapper spells the chip and facts about outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qsfa_codegen.expr.nodes import Query, RefKind
from qsfa_codegen.render.cpp import variable
from qsfa_codegen.render.host_names import HostNames
from qsfa_codegen.spec.aclnn import inner_signature
from qsfa_codegen.spec.output_checks import allocated
from qsfa_codegen.spec.readable import cited, known_as

if TYPE_CHECKING:
    from qsfa_codegen.spec.failure import MessageNames
    from qsfa_codegen.spec.model import Operator


def parameter_names(operator: Operator) -> dict[str, str]:
    """What the caller of the operator's own aclnn function knows the parameters of the spec as."""
    return {param.source: param.name for param in inner_signature(operator)}


def text_for_callers(operator: Operator, text: str) -> str:
    """A text of the spec with what it cites in backticks as a caller knows it: ``row_mask`` → ``rowMask``."""
    called = {source: f"`{name}`" for source, name in parameter_names(operator).items()}
    return cited(text, known_as(operator) | called)


class AclnnNames(HostNames):
    """Leaves of the wrapper; outputs are views like inputs, in ``outputs_``."""

    def __init__(self, operator: Operator, said: MessageNames) -> None:
        super().__init__(operator)
        self.message_names = said
        self._npu_archs = {chip.arch: chip.npu_arch for chip in operator.chips}
        self._socs = {chip.id: chip.soc.upper() for chip in operator.chips}
        self._outputs = {output.name for output in allocated(operator)}

    def dtype_text(self, dtype: str) -> str:
        """The name of a dtype that only the call knows, as an argument of printf."""
        return f"op::ToString({dtype}).GetString()"

    def selector(self, kind: RefKind) -> str:
        """The chip or the architecture that the call runs on."""
        return "soc_" if kind is RefKind.CHIP else "arch_"

    def enum_label(self, enum: str, label: str) -> str:
        """A label of an enum, of the chips or of the architectures."""
        match enum:
            case "arch":
                return f"NpuArch::{self._npu_archs[label]}"
            case "chip":
                return f"op::SocVersion::{self._socs[label]}"
        return super().enum_label(enum, label)

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> str:
        """A fact about an input or an output."""
        if param not in self._outputs:
            return super().query(query, param, axis, tail)
        fact = {Query.PRESENT: "Passed()", Query.DTYPE: "dtype"}[query]
        return f"outputs_.{variable(param)}.{fact}"
