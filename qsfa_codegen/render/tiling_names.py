"""How a tiling function spells the chip and the platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qsfa_codegen.expr.nodes import RefKind
from qsfa_codegen.render.cpp import variable
from qsfa_codegen.render.host_names import HostNames
from qsfa_codegen.render.tiling_contents import FUNCTIONS
from qsfa_codegen.render.tiling_uses import PLATFORM_MEMBERS

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Operator


class TilingNames(HostNames):
    """Leaves of a tiling function; what it knows of the chip stands in the compile info, ``platform_``."""

    def __init__(self, operator: Operator) -> None:
        super().__init__(operator)
        self._npu_archs = {chip.arch: chip.npu_arch for chip in operator.chips}

    def selector(self, kind: RefKind) -> str:
        """The chip or the architecture that the call runs on."""
        return f"platform_->{kind.value}"

    def platform(self, name: str) -> str:
        """A platform value."""
        return f"platform_->{PLATFORM_MEMBERS[name]}"

    def call(self, function: str, args: tuple[str, ...]) -> str | None:
        """A function; those about data get the view of their input."""
        if function not in FUNCTIONS:
            return super().call(function, args)
        name, *others = args
        return f"{FUNCTIONS[function]}({', '.join([f'inputs_.{variable(name)}', *others])})"

    def enum_label(self, enum: str, label: str) -> str:
        """A label of an enum, of the chips or of the architectures."""
        if enum == "arch":
            return f"NpuArch::{self._npu_archs[label]}"
        return super().enum_label("Chip" if enum == "chip" else enum, label)
