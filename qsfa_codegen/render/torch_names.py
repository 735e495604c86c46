"""How the torch side of an operator spells dtypes, inputs and sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qsfa_codegen.expr.cpp import Cpp, emit
from qsfa_codegen.expr.nodes import Expr, Query, RefKind
from qsfa_codegen.expr.rewrite import written_out
from qsfa_codegen.render.cpp import variable
from qsfa_codegen.render.host_names import ARITH, HostNames
from qsfa_codegen.render.host_text import HostText
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.failure import MessageNames
from qsfa_codegen.spec.model import Rest
from qsfa_codegen.spec.ranges import Checked

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Operator

_BITS = {8: "Byte"}
"""Where torch lacks a dtype, tensors carry its bits in an unsigned one of the same size."""


def torch_type(name: str) -> str | None:
    """The at::ScalarType that carries a dtype: ``bfloat16`` → ``BFloat16``; None where nothing does."""
    dtype = DTYPES[name]
    return dtype.torch or _BITS.get(dtype.bits)


def has_torch_type(name: str) -> bool:
    """Whether torch tensors can carry a dtype."""
    return torch_type(name) is not None


def carried_dtype(names: Sequence[str]) -> str | None:
    """Of the dtypes that a parameter can have, the one whose bits tensors of another dtype carry, if any.

    None also where the parameter can have the other dtype itself: then nothing tells the two apart.
    """
    lacking = [name for name in names if not DTYPES[name].torch and has_torch_type(name)]
    own = {DTYPES[name].torch for name in names}
    return lacking[0] if len(lacking) == 1 and torch_type(lacking[0]) not in own else None


class TorchMessageNames(MessageNames):
    """Names of the torch operator's arguments; a dtype that torch lacks is told with the one in its place."""

    shapes = True

    def dtype(self, name: str) -> str:
        """A dtype."""
        carrier = torch_type(name)
        if DTYPES[name].torch or carrier is None:
            return name
        return f"{name} (torch.{next(d.name for d in DTYPES.values() if d.torch == carrier)})"


class TorchNames(HostNames):
    """Leaves of the torch side."""

    longest_message = None

    def __init__(self, operator: Operator, said: MessageNames | None = None) -> None:
        super().__init__(operator)
        self.message_names = said

    def dtype(self, name: str) -> str:
        """A dtype."""
        return f"at::k{torch_type(name)}"

    def dtype_text(self, dtype: str) -> str:
        """The name of a dtype that only the call knows."""
        return f"DtypeName({dtype})"

    def size_of(self, dtype: str) -> str:
        """Bytes of an element of a dtype that only the call knows."""
        return f"static_cast<int64_t>(c10::elementSize({dtype}))"


class SymbolicNames(TorchNames):
    """Leaves where sizes may be symbols of a trace: dims in ``symbols_``, sizes as c10::SymInt."""

    def ref(self, kind: RefKind, name: str) -> str:
        """A name."""
        if kind is RefKind.DIM:
            return f"symbols_.{variable(name)}"
        return super().ref(kind, name)

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> str:
        """A fact about an input."""
        tensor = f"inputs_.{variable(param)}"
        match query:
            case Query.DIM:
                return f"{tensor}.SymDim({axis})"
            case Query.NUMEL:
                return f"{tensor}.SymElements()"
            case Query.DIMS:
                return f"{tensor}.SymRun({axis or 0}, {tail})"
        return super().query(query, param, axis, tail)

    def call(self, function: str, args: tuple[str, ...]) -> str | None:
        """A function whose spelling symbols decide."""
        if function in ("min", "max"):
            text = f"c10::SymInt({args[0]})"
            return text + "".join(f".{function}({arg})" for arg in args[1:])
        if function == "prod":
            return f"SymProduct({args[0]})"
        return super().call(function, args)

    def _rest(self, name: str) -> str:
        rest = self._operator.find(Rest, name)
        behind = [str(rest.fixed_after)] if rest.fixed_after or not rest.rests_after else []
        behind += [f"static_cast<int64_t>({self._rest(other)}.size())" for other in rest.rests_after]
        return f"inputs_.{variable(rest.input)}.SymRun({rest.fixed_before}, {' + '.join(behind)})"


class SymbolicText(HostText):
    """Spells sizes of outputs: arithmetic of symbols is plain, and derived values are written out."""

    def __init__(self, operator: Operator, names: SymbolicNames) -> None:
        super().__init__(operator, names)
        self._values = {(RefKind.LET, let.name): let.value for let in operator.lets}

    def cpp(self, expr: Expr, checked: Checked = Checked.DIMS) -> Cpp:
        """``expr`` on sizes that may be symbols."""
        return emit(written_out(expr, self._values), self.names, self.ranges, ARITH, unchecked=True)
