"""How generated host code spells what expressions name, whatever kind of host it is.

Every host keeps a call in the same members: ``attrs_``, ``inputs_`` (views with ``Passed()``,
``Rank()``, ``Dim(axis)``, …), ``dims_``, and derived values as member functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import contextmanager
from typing import TYPE_CHECKING

from qsfa_codegen.expr.nodes import Expr, Query, RefKind
from qsfa_codegen.render.cpp import enumerator, ge_dtype, let_function, variable
from qsfa_codegen.render.messages import LONGEST
from qsfa_codegen.spec.columns import column_dtype, column_sizes, with_known_sizes
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Input, Record, Rest, Shape

if TYPE_CHECKING:
    from qsfa_codegen.spec.failure import MessageNames
    from qsfa_codegen.spec.model import Operator

ARITH = "arith"
BYTES = "bytes"
"""The local variable in which sizes are added up."""
_FACTS = {
    Query.PRESENT: "Passed()",
    Query.RANK: "Rank()",
    Query.DTYPE: "dtype",
    Query.COUNT: "count",
}
_FUNCTIONS = {
    "same_dims": "SameDims",
    "starts_with": "StartsWith",
    "ends_with": "EndsWith",
    "tsch_block_dim": "TschBlockDim",
}


def local(let: str) -> str:
    """The local variable that holds a derived value."""
    name = variable(let)
    return f"{name}Value" if name == BYTES else name


class HostNames:
    """Spelling of leaves. A host adds what it knows of the chip by ``selector`` and ``platform``.

    ``fallible`` are derived values whose function takes the arithmetic object because it can fail;
    ``nested`` gives the text of an expression that stands for a name (the size of a record). Both
    belong to the ``HostText`` that the names are given to.
    """

    longest_message: int | None = LONGEST
    """Characters that the host can say at once; None where there is no limit."""
    message_names: MessageNames | None = None
    """What messages call the parameters; None for the names of the spec."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator
        self._columns: dict[str, str] = {}
        self._one_of: str | None = None
        self._bound: Set[str] = frozenset()
        self.fallible: Set[str] = frozenset()
        self.nested: Callable[[Expr], str] | None = None

    @contextmanager
    def one_of(self, tensors: str | None) -> Iterator[None]:
        """Let facts about the list input ``tensors`` be about the loop's ``tensor`` for a while."""
        self._one_of = tensors
        try:
            yield
        finally:
            self._one_of = None

    @contextmanager
    def bound(self, lets: Iterable[str]) -> Iterator[None]:
        """Let the derived values ``lets`` be local variables for a while."""
        self._bound = frozenset(lets)
        try:
            yield
        finally:
            self._bound = frozenset()

    # ------------------------------------------------------------------ what a host decides

    def selector(self, kind: RefKind) -> str:
        """The chip or the architecture that the call runs on."""
        raise ValueError(f"this host does not know the {kind.value}")

    def platform(self, name: str) -> str:
        """A platform value."""
        raise ValueError(f"this host does not know {name}")

    def dtype(self, name: str) -> str:
        """A dtype."""
        return ge_dtype(name)

    def dtype_text(self, dtype: str) -> str:
        """The name of a dtype that only the call knows, as an argument of printf."""
        return f"DtypeName({dtype}).GetString()"

    def size_of(self, dtype: str) -> str:
        """Bytes of an element of a dtype that only the call knows."""
        return f"SizeOf({dtype})"

    # ------------------------------------------------------------------ leaves

    def ref(self, kind: RefKind, name: str) -> str:
        """A name."""
        match kind:
            case RefKind.CONST:
                return name
            case RefKind.DIM:
                return f"dims_.{variable(name)}"
            case RefKind.ATTR:
                return f"attrs_.{variable(name)}"
            case RefKind.LET | RefKind.TILING_LET if name in self._bound:
                return local(name)
            case RefKind.LET | RefKind.TILING_LET:
                return f"{let_function(self._operator, name)}({ARITH if name in self.fallible else ''})"
            case RefKind.PLATFORM:
                return self.platform(name)
            case RefKind.CHIP | RefKind.ARCH:
                return self.selector(kind)
            case RefKind.COLUMN:
                return self._column(name)
            case RefKind.REST:
                return self._rest(name)
        raise ValueError(f"{kind.value} {name} has no value of its own")

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> str:
        """A fact about an input."""
        tensor = "tensor" if param == self._one_of else f"inputs_.{variable(param)}"
        match query:
            case Query.DIM if axis is not None:
                return f"{tensor}.Dim({axis})" if axis >= 0 else f"{tensor}.DimFromEnd({-axis})"
            case Query.NUMEL:
                return f"{tensor}.Dim(0)" if self._is_vector(param) else f"{tensor}.Elements({ARITH})"
            case Query.DIMS:
                return f"{tensor}.Run({axis or 0}, {tail})"
        return f"{tensor}.{_FACTS[query]}"

    def enum_label(self, enum: str, label: str) -> str:
        """A label of an enum."""
        return enumerator(enum, label)

    def call(self, function: str, args: tuple[str, ...]) -> str | None:
        """A function whose spelling the operator decides; None for the usual one."""
        match function:
            case "elements":
                return self._expanded(self._operator.find(Record, args[0]).elements)
            case "offset":
                return self._expanded(self._operator.find(Record, args[0]).offset(args[1]))
            case "sizeof":
                return self._sizeof(args[0])
            case "prod":
                return f"Product({args[0]}, {ARITH})"
        return f"{_FUNCTIONS[function]}({', '.join(args)})" if function in _FUNCTIONS else None

    def _expanded(self, expr: Expr) -> str:
        assert self.nested is not None
        return self.nested(with_known_sizes(self._operator, expr))

    def _is_vector(self, param: str) -> bool:
        shape = self._operator.find(Input, param).shape
        return isinstance(shape, Shape) and shape.rank == 1

    def _column(self, name: str) -> str:
        text = self._expanded(column_dtype(self._operator, name, self._operator.dtypes.span))
        self._columns[text] = name
        return text

    def _sizeof(self, dtype: str) -> str:
        column = self._columns.get(dtype)
        if column is None:
            spelt = {self.dtype(known.name): known.size for known in DTYPES.values()}
            return str(spelt[dtype])
        sizes = column_sizes(self._operator, column)
        return str(*sizes) if len(sizes) == 1 else self.size_of(dtype)

    def _rest(self, name: str) -> str:
        rest = self._operator.find(Rest, name)
        behind = [str(rest.fixed_after)] if rest.fixed_after or not rest.rests_after else []
        behind += [f"{self._rest(other)}.size()" for other in rest.rests_after]
        return f"inputs_.{variable(rest.input)}.Run({rest.fixed_before}, {' + '.join(behind)})"


def dtype_sizes(operator: Operator) -> list[tuple[int, list[str]]]:
    """Dtypes of the operator's columns by the bytes of an element."""
    names = dict.fromkeys(name for _, rows in operator.dtypes.rows for row in rows for name in row.dtypes)
    found: dict[int, list[str]] = {}
    for name in names:
        found.setdefault(DTYPES[name].size, []).append(ge_dtype(name))
    return sorted(found.items())
