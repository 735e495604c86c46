"""How generated Python spells what expressions name: arguments of a call, its sizes and its tensors."""

from __future__ import annotations

import keyword
from typing import TYPE_CHECKING

from qsfa_codegen.expr.nodes import Call, Expr, ParamQuery, Query, RefKind
from qsfa_codegen.expr.python import COMPARISON, NOT, PRIMARY, Python, emit
from qsfa_codegen.expr.rewrite import bottom_up
from qsfa_codegen.expr.specialize import simplify
from qsfa_codegen.render.needs import needs, size_leaves
from qsfa_codegen.render.text import python_string
from qsfa_codegen.render.torch_names import torch_type
from qsfa_codegen.render.torch_schema import Source, TorchParam
from qsfa_codegen.spec.columns import column_dtype, with_known_sizes
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.failure import MessageNames
from qsfa_codegen.spec.kernel_facts import record_part
from qsfa_codegen.spec.model import Attr, AttrType, InputKind, Rest
from qsfa_codegen.spec.names import snake, upper

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qsfa_codegen.spec.model import Operator

_NAMES = """
attend call check check_contents dataclass dims has_symbols make_outputs math read_dims register struct tensor
torch unless_open with_open_sizes
"""
_OWN_NAMES = frozenset(_NAMES.split())
DATA_FUNCTIONS = {"all_between": "_outside", "non_decreasing": "_falling", "padded_with": "_behind_padding"}
"""What tells the first element that breaks a function about data."""
_FLOATS = (AttrType.FLOAT, AttrType.LIST_FLOAT)


def torch_dtype(name: str) -> str:
    """``bfloat16`` → ``torch.bfloat16``; a dtype that torch lacks is that of the tensors with its bits."""
    if DTYPES[name].torch:
        return f"torch.{name}"
    assert torch_type(name) is not None
    return "torch.uint8"


def let_function(name: str) -> str:
    """The function of a derived value."""
    function = snake(name)
    taken = function in _OWN_NAMES or keyword.iskeyword(function)
    return f"{function}_value" if taken else function


def word_function(attr: Attr) -> str:
    """The function that turns the binding's words into values of an attribute."""
    return f"_{snake(attr.name)}_of"


def codes(enum: str) -> str:
    """The table of an enum's codes."""
    return f"{upper(enum)}_CODES"


class PythonMessageNames(MessageNames):
    """Names of the torch operator's arguments; a dtype that torch lacks is told with the one in its place."""

    shapes = True

    def dtype(self, name: str) -> str:
        """A dtype."""
        return name if DTYPES[name].torch or torch_type(name) is None else f"{name} ({torch_dtype(name)})"


class PythonNames:
    """Leaves in functions of ``call`` and ``dims``; ``params`` are the parameters of the torch operator."""

    def __init__(self, operator: Operator, params: Sequence[TorchParam]) -> None:
        self._operator = operator
        self._params: Mapping[str | None, TorchParam] = {p.bound.source: p for p in params}
        self._inputs = {i.name: i for i in operator.inputs}
        self._lets = {let.name: let for let in operator.lets}
        self.one_of: str | None = None
        """The list input of which facts are about the loop's ``tensor``."""

    def python(self, expr: Expr) -> Python:
        """``expr`` with the sizes of records and dtypes worked out."""
        return emit(self._expanded(expr), self)

    def text(self, expr: Expr) -> str:
        """The text of ``expr``."""
        return self.python(expr).text

    def _expanded(self, expr: Expr) -> Expr:
        def part(node: Expr) -> Expr:
            if isinstance(node, Call) and node.function in ("elements", "offset"):
                return simplify(with_known_sizes(self._operator, record_part(self._operator, node)))
            return node

        return with_known_sizes(self._operator, bottom_up(expr, part))

    # ------------------------------------------------------------------ leaves

    def param(self, source: str) -> str:
        """The argument that stands for an input or an attribute, as it came."""
        return f"call.{self._params[source].name}"

    def ref(self, kind: RefKind, name: str) -> str:
        """A name."""
        match kind:
            case RefKind.CONST:
                return name
            case RefKind.DIM:
                return f"dims.{snake(name)}"
            case RefKind.ATTR:
                return self._attr(self._operator.find(Attr, name))
            case RefKind.LET:
                return f"{let_function(name)}({', '.join(self.let_args(name))})"
            case RefKind.COLUMN:
                dtype = column_dtype(self._operator, name, self._operator.dtypes.span)
                return self.python(dtype).at_least(PRIMARY)
            case RefKind.REST:
                return self._rest(self._operator.find(Rest, name))
        raise ValueError(f"{kind.value} {name} has no value here")

    def let_args(self, name: str) -> list[str]:
        """What the function of a derived value takes."""
        return ["call", "dims"] if self.reads_dims(self._lets[name].value) else ["call"]

    def reads_dims(self, *exprs: Expr) -> bool:
        """Whether some expression reads a size, in the end."""
        return bool(needs(self._operator, exprs).names(RefKind.DIM))

    def reads_sizes(self, *exprs: Expr) -> bool:
        """Whether some expression asks for the size of a tensor, in the end."""
        sizes = (node for expr in exprs for node in size_leaves(self._operator, expr))
        return any(not (isinstance(node, ParamQuery) and self._is_array(node.param)) for node in sizes)

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> str:
        """A fact about an input."""
        tensor = "tensor" if param == self.one_of else self._tensor(param)
        if query is Query.COUNT:
            return f"len({self.param(param)})"
        if self._is_array(param):
            return {Query.RANK: "1", Query.DTYPE: "torch.int64"}.get(query, f"len({self.param(param)})")
        match query:
            case Query.RANK:
                return f"{tensor}.dim()"
            case Query.DTYPE:
                return f"{tensor}.dtype"
            case Query.DIM:
                return f"{tensor}.shape[{axis}]"
            case Query.NUMEL:
                return f"{tensor}.numel()"
        return f"_run({tensor}, {axis or 0}, {tail})"

    def present(self, param: str, *, passed: bool) -> tuple[str, int]:
        """Whether an input is passed or absent."""
        given, argument = self._inputs[param], self.param(param)
        if given.empty_is_absent:
            return (
                (f"_has_elements({argument})", PRIMARY) if passed else (f"not _has_elements({argument})", NOT)
            )
        if given.kind is InputKind.TENSOR_LIST:
            return (f"bool({argument})", PRIMARY) if passed else (f"not {argument}", NOT)
        return f"{argument} is {'not ' if passed else ''}None", COMPARISON

    def label(self, enum: str, label: str) -> str:
        """A label of an enum; attributes come as texts."""
        return python_string(label)

    def dtype(self, name: str) -> str:
        """A dtype."""
        return torch_dtype(name)

    def call(self, function: str, args: tuple[str, ...]) -> str | None:
        """A function whose spelling the operator decides."""
        match function, args:
            case "sizeof", (dtype,):
                return f"{dtype}.itemsize"
            case "code", (enum, label):
                return f"{codes(enum)}[{label}]"
            case name, (param, *rest) if name in DATA_FUNCTIONS:
                return f"(not {DATA_FUNCTIONS[name]}({', '.join((self.param(param), *rest))}))"
        return None

    # ------------------------------------------------------------------ arguments

    def _tensor(self, param: str) -> str:
        first = "[0]" if self._inputs[param].kind is InputKind.TENSOR_LIST else ""
        return f"{self.param(param)}{first}"

    def _is_array(self, param: str) -> bool:
        """Whether torch gives the numbers of the input, not a tensor."""
        given = self._params.get(param)
        return given is not None and given.source is Source.INPUT and given.kind == "int[]"

    def _attr(self, attr: Attr) -> str:
        given = self._params[attr.name]
        argument = f"call.{given.name}"
        if given.bound.value_map:
            return f"{word_function(attr)}({argument})"
        if given.optional and attr.default is not None:
            argument = f"_or({argument}, {default_name(attr)})"
        if attr.type is AttrType.DTYPE:
            return f"DTYPES.get({argument})"
        return f"_float32({argument})" if attr.type in _FLOATS else argument

    def _rest(self, rest: Rest) -> str:
        behind = [str(rest.fixed_after)] if rest.fixed_after or not rest.rests_after else []
        behind += [f"len({self._rest(self._operator.find(Rest, other))})" for other in rest.rests_after]
        return f"_run({self._tensor(rest.input)}, {rest.fixed_before}, {' + '.join(behind)})"


def default_name(attr: Attr) -> str:
    """The constant that an argument of None stands for."""
    return f"DEFAULT_{upper(attr.name)}"
