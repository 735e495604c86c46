"""How the generated tiling function spells what expressions name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from qsfa_codegen.expr.nodes import Expr, Query, RefKind
from qsfa_codegen.render.cpp import enumerator, ge_dtype, variable
from qsfa_codegen.render.needs import carrier
from qsfa_codegen.render.ranges import Ranges
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Input, Record, Rest, Shape
from qsfa_codegen.spec.names import pascal

if TYPE_CHECKING:
    from collections.abc import Callable, Set

    from qsfa_codegen.spec.model import Operator

ARITH = "arith"
PLATFORM_MEMBERS = {
    "aic": "aic",
    "aiv": "aiv",
    "libapi_workspace": "libapiWorkspace",
    "ub_size": "ubSize",
}
"""Members of the compile info by the platform value that they hold."""

_FACTS = {
    Query.PRESENT: "Passed()",
    Query.RANK: "Rank()",
    Query.DTYPE: "dtype",
    Query.COUNT: "count",
}


class TilingNames:
    """Spelling of leaves: attributes, inputs, dims, derived values, the platform.

    ``fallible`` are derived values whose function takes the arithmetic object because it can fail.
    ``nested`` gives the text of an expression that stands for a name (the size of a record).
    """

    def __init__(
        self, operator: Operator, ranges: Ranges, fallible: Set[str], nested: Callable[[Expr], str]
    ) -> None:
        self._operator = operator
        self._ranges = ranges
        self._fallible = fallible
        self._nested = nested
        self._npu_archs = {chip.arch: chip.npu_arch for chip in operator.chips}
        self._columns: dict[str, str] = {}
        self._one_of: str | None = None

    @contextmanager
    def one_of(self, tensors: str | None) -> Iterator[None]:
        """Let facts about the list input ``tensors`` be about the loop's ``tensor`` for a while."""
        self._one_of = tensors
        try:
            yield
        finally:
            self._one_of = None

    def ref(self, kind: RefKind, name: str) -> str:
        """A name."""
        match kind:
            case RefKind.CONST:
                return name
            case RefKind.DIM:
                return f"dims_.{variable(name)}"
            case RefKind.ATTR:
                return f"attrs_.{variable(name)}"
            case RefKind.LET | RefKind.TILING_LET:
                return f"{pascal(name)}({ARITH if name in self._fallible else ''})"
            case RefKind.PLATFORM:
                return self.platform(name)
            case RefKind.CHIP | RefKind.ARCH:
                return f"platform_->{kind.value}"
            case RefKind.COLUMN:
                return self._column(name)
            case RefKind.REST:
                return self._rest(name)
        raise ValueError(f"{kind.value} {name} has no value in tiling")

    def platform(self, name: str) -> str:
        """A platform value."""
        return f"platform_->{PLATFORM_MEMBERS[name]}"

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> str:
        """A fact about an input."""
        tensor = "tensor" if param == self._one_of else f"inputs_.{variable(param)}"
        match query:
            case Query.DIM if axis is not None:
                return f"{tensor}.Dim({axis})" if axis >= 0 else f"{tensor}.DimFromEnd({-axis})"
            case Query.NUMEL:
                single = self._operator.find(Input, param).shape
                is_vector = isinstance(single, Shape) and single.rank == 1
                return f"{tensor}.Dim(0)" if is_vector else f"{tensor}.Elements({ARITH})"
            case Query.DIMS:
                return f"{tensor}.Run({axis or 0}, {tail})"
        return f"{tensor}.{_FACTS[query]}"

    def enum_label(self, enum: str, label: str) -> str:
        """A label of an enum, of the chips or of the architectures."""
        if enum == "arch":
            return f"NpuArch::{self._npu_archs[label]}"
        return enumerator("Chip" if enum == "chip" else enum, label)

    def dtype(self, name: str) -> str:
        """A dtype."""
        return ge_dtype(name)

    def call(self, function: str, args: tuple[str, ...]) -> str | None:
        """A function whose spelling the operator decides; None for the usual one."""
        match function:
            case "elements":
                return self._nested(self._operator.find(Record, args[0]).elements)
            case "offset":
                record = self._operator.find(Record, args[0])
                names = [field.name for field in record.fields]
                return self._nested(record.offsets[names.index(args[1])])
            case "sizeof":
                return self._sizeof(args[0])
            case "tsch_block_dim":
                return f"TschBlockDim({', '.join(args)})"
        return None

    def _column(self, name: str) -> str:
        found = carrier(self._operator, name)
        if found is None:
            chooser = dict(self._operator.dtypes.select)[name]
            text = f"attrs_.{variable(chooser)}"
        else:
            text = f"inputs_.{variable(found.name)}.dtype"
        self._columns[text] = name
        return text

    def _sizeof(self, dtype: str) -> str:
        column = self._columns.get(dtype)
        if column is None:
            spelt = {ge_dtype(known.name): known.bits // 8 for known in DTYPES.values()}
            return str(spelt[dtype])
        sizes = self._ranges.sizes(column)
        return str(min(sizes)) if len(sizes) == 1 else f"ge::GetSizeByDataType({dtype})"

    def _rest(self, name: str) -> str:
        rest = self._operator.find(Rest, name)
        behind = [str(rest.fixed_after)] if rest.fixed_after or not rest.rests_after else []
        behind += [f"{self._rest(other)}.size()" for other in rest.rests_after]
        return f"inputs_.{variable(rest.input)}.Run({rest.fixed_before}, {' + '.join(behind)})"
