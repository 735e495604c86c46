"""Expressions of shape inference as C++: how leaves are spelt, when they are known, what is proven."""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec.structs import replace

from qsfa_codegen.expr.bounds import may_fail
from qsfa_codegen.expr.cpp import Cpp, emit
from qsfa_codegen.expr.cpp_text import EQUALITY
from qsfa_codegen.expr.interval import Interval
from qsfa_codegen.expr.limits import INT32_MAX
from qsfa_codegen.expr.nodes import (
    Call,
    Conditional,
    Expr,
    ParamQuery,
    Query,
    Ref,
    RefKind,
    Select,
    children,
    walk,
)
from qsfa_codegen.expr.rewrite import substitute
from qsfa_codegen.expr.specialize import params
from qsfa_codegen.render.cpp import enumerator, ge_dtype, variable
from qsfa_codegen.render.unknowns import TRUE, Condition, Some, Test, ThreeValued, closed, every, line, some
from qsfa_codegen.spec.columns import column_dtype, with_known_sizes
from qsfa_codegen.spec.model import Dim, Fact, Record, Rest
from qsfa_codegen.spec.names import pascal
from qsfa_codegen.spec.ranges import Checked, Ranges
from qsfa_codegen.spec.uses import output_uses

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Check, Operator

ARITH = "arith"
_RESERVED = frozenset({"call", "shape", "tensor", ARITH})


class InferText:
    """Spells expressions for functions that take ``const Call &call``.

    Dims become local variables: ``new_locals`` gives those that a function has not declared yet.
    ``node`` spells the name of the call's node, ``context`` what CANN passes to shape inference.
    """

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        taken = {variable(i.name) for i in operator.inputs} | {variable(a.name) for a in operator.attrs}
        # What a call has besides its parameters must not be called like one of them.
        self.node = "call.name" if "name" not in taken else "call.nodeName"
        self.context = "call.context" if "context" not in taken else "call.inferContext"
        self.three_valued = ThreeValued(self._tight, self.leaf_known, self._length_known)
        self._lets = {(RefKind.LET, let.name): let.value for let in operator.lets}
        self._columns = {
            (RefKind.COLUMN, name): column_dtype(operator, name, operator.dtypes.span)
            for name in operator.dtypes.columns
        }
        self._uses = output_uses(operator)
        self._ranges = _InferRanges(operator, self._uses.dims)
        self._declared: dict[str, None] = {}
        self._pending: dict[str, None] = {}
        self._one_of: str | None = None
        self._checked = False

    # ------------------------------------------------------------------ functions

    @contextmanager
    def function(self) -> Iterator[None]:
        """The body of one generated function, which starts without local variables."""
        self._declared, self._pending = {}, {}
        self._checked = False
        yield

    def new_locals(self) -> list[str]:
        """Declarations of the dims that were spelt since the last time."""
        lines = [f"const int64_t {local(name)} = Dim{pascal(name)}(call);" for name in self._pending]
        self._declared.update(self._pending)
        self._pending = {}
        return lines

    @contextmanager
    def block(self) -> Iterator[None]:
        """A block inside a function: local variables that it declares end with it."""
        declared = dict(self._declared)
        yield
        self._declared = declared

    @contextmanager
    def one_of(self, tensors: str | None) -> Iterator[None]:
        """Let facts about the list input ``tensors`` be about the loop's ``tensor`` for a while."""
        self._one_of = tensors
        try:
            yield
        finally:
            self._one_of = None

    def can_fail(self) -> bool:
        """Whether arithmetic in the text since the last time can fail."""
        can, self._checked = self._checked, False
        return can

    # ------------------------------------------------------------------ expressions

    def prepared(self, expr: Expr) -> Expr:
        """``expr`` without derived values and tables."""
        while any(isinstance(node, Ref) and node.kind is RefKind.LET for node in walk(expr)):
            expr = substitute(expr, self._lets)
        return closed(substitute(with_known_sizes(self.operator, expr), self._columns))

    def observed(self, dim: Dim) -> Expr:
        """Where a dim is observed, as far as output shapes need it."""
        inputs = {param for name, param in self._uses.dims if name == dim.name}
        return self.prepared(_restricted(dim.value, inputs) if inputs else dim.value)

    def cpp(self, expr: Expr) -> str:
        """The C++ of a prepared expression whose parts are all known."""
        return self._emitted(expr).text

    def _emitted(self, expr: Expr) -> Cpp:
        result = emit(expr, self, self._ranges, ARITH)
        self._checked = self._checked or (result.checked and may_fail(expr, self._ranges))
        return result

    def guarded(self, expr: Expr) -> str:
        """The C++ of a prepared int64 expression that is -1 when it is not known."""
        known = self.known(expr)
        if known == TRUE or _passes_unknown_on(expr):
            return self.cpp(expr)
        return f"{line(known)} ? {self.cpp(expr)} : UNKNOWN_DIM"

    def is_split(self, expr: Expr) -> bool:
        """Whether the two sides of ``a if test else b`` need questions of their own about what is known."""
        if not isinstance(expr, Conditional) or self.known(expr.test) != TRUE:
            return False
        return self.known(expr) != TRUE

    def _tight(self, expr: Expr) -> str:
        result = self._emitted(expr)
        return result.text if result.precedence >= EQUALITY else f"({result.text})"

    def known(self, expr: Expr) -> Condition:
        """When a prepared expression has a value."""
        return self.three_valued.known(expr)

    def violated(self, check: Check) -> Condition:
        """When the check is known to be violated."""
        when = TRUE if check.when is None else self.three_valued.is_true(self.prepared(check.when))
        return every([when, self.three_valued.is_false(self.prepared(check.require))])

    # ------------------------------------------------------------------ CppNames

    def ref(self, kind: RefKind, name: str) -> str:
        """A name."""
        match kind:
            case RefKind.CONST:
                return name
            case RefKind.ATTR:
                return f"call.{variable(name)}"
            case RefKind.DIM:
                if name not in self._declared:
                    self._pending[name] = None
                return local(name)
            case RefKind.REST:
                return f"{pascal(name)}Axes(call)"
        raise ValueError(f"{kind.value} {name} has no value in shape inference")

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> str:
        """A fact about an input."""
        shape = self._shape(param)
        match query:
            case Query.PRESENT:
                return f"{shape} != nullptr"
            case Query.RANK:
                return f"Rank({shape})"
            case Query.DIM:
                return f"Axis({shape}, {axis})"
            case Query.DIMS:
                return f"AxesOf({shape}, {axis or 0}, {tail})"
            case Query.NUMEL:
                return f"Product(AxesOf({shape}, 0, 0), {ARITH})"
            case Query.COUNT:
                return f"call.{variable(param)}Count"
            case Query.DTYPE:
                return f"call.{variable(param)}Dtype"
        raise ValueError(f"shape inference does not know the {query.value} of {param}")

    def enum_label(self, enum: str, label: str) -> str:
        """A label of an enum."""
        return enumerator(enum, label)

    def dtype(self, name: str) -> str:
        """A dtype."""
        return ge_dtype(name)

    def call(self, function: str, args: tuple[str, ...]) -> str | None:
        """A function whose spelling the operator decides; None for the usual one."""
        match function, args:
            case "absent", (param,):
                return f"{self._shape(param)} == nullptr"
            case "len", (run,) if not run.startswith("call."):
                return f"{run}.count"
            case "prod", (run,):
                return f"Product({run}, {ARITH})"
            case "elements", (record,):
                return self._tight(self.prepared(self.operator.find(Record, record).elements))
            case "offset", (record, field):
                return self._tight(self.prepared(self.operator.find(Record, record).offset(field)))
            case "sizeof", (dtype,):
                return f"SizeOf({dtype})"
        return None

    def _shape(self, param: str) -> str:
        return "tensor" if param == self._one_of else f"call.{variable(param)}"

    # ------------------------------------------------------------------ what is known

    def leaf_known(self, node: Ref | ParamQuery) -> Condition:
        """When a name or a fact has a value."""
        if isinstance(node, Ref):
            if node.kind is RefKind.DIM:
                return Test(f"IsKnown({self.ref(node.kind, node.name)})")
            return Test(f"AreKnown({self.ref(node.kind, node.name)})") if node.kind is RefKind.REST else TRUE
        shape = self._shape(node.param)
        match node.query:
            case Query.RANK:
                return Test(f"IsRankKnown({shape})")
            case Query.DIM:
                return Test(f"IsKnown({self.query(node.query, node.param, node.axis)})")
            case Query.DIMS | Query.NUMEL:
                return Test(f"AreKnown(AxesOf({shape}, {node.axis or 0}, {node.tail}))")
        return TRUE

    def _length_known(self, run: Expr) -> Condition:
        return every(Test(f"IsRankKnown({shape})") for shape in self._rank_sources(run))

    def _rank_sources(self, run: Expr) -> list[str]:
        if isinstance(run, ParamQuery):
            return [self._shape(run.param)]
        if isinstance(run, Ref) and run.kind is RefKind.REST:
            return [self._shape(param) for param in self._rest_inputs(run.name)]
        return []

    def _rest_inputs(self, name: str) -> list[str]:
        rest = self.operator.find(Rest, name)
        behind = [param for other in rest.rests_after for param in self._rest_inputs(other)]
        return list(dict.fromkeys([rest.input, *behind]))

    def rank_unknown(self, expr: Expr) -> Condition:
        """When a prepared expression reads an input of unknown rank."""
        match expr:
            case Ref(kind=RefKind.DIM, name=name):
                return self.rank_unknown(self.observed(self.operator.find(Dim, name)))
            case Ref(kind=RefKind.REST, name=name):
                return some(_no_rank(self._shape(param)) for param in self._rest_inputs(name))
            case ParamQuery(query=Query.DIM | Query.DIMS | Query.NUMEL | Query.RANK, param=param):
                return _no_rank(self._shape(param))
        return self._rank_unknown_inside(expr)

    def in_order(self, unknown: Condition) -> Condition:
        """The same alternatives in the order of the inputs, so that equal conditions look equal."""
        order = {_no_rank(self._shape(i.name)): i.index for i in self.operator.inputs}
        if not isinstance(unknown, Some):
            return unknown
        return Some(tuple(sorted(unknown.parts, key=lambda part: order.get(part, len(order)))))

    def _rank_unknown_inside(self, expr: Expr) -> Condition:
        if not isinstance(expr, Conditional):
            return some(self.rank_unknown(child) for child in children(expr))
        then, other = self.rank_unknown(expr.then), self.rank_unknown(expr.otherwise)
        test = self.rank_unknown(expr.test)
        if then == other:
            return some([test, then])
        taken = every([self.three_valued.is_true(expr.test), then])
        return some([test, taken, every([self.three_valued.is_false(expr.test), other])])


def local(dim: str) -> str:
    """The local variable that holds a dim."""
    name = variable(dim)
    return f"{name}Dim" if name in _RESERVED else name


def _passes_unknown_on(expr: Expr) -> bool:
    """Whether the text of ``expr`` is -1 of itself where the size is not known."""
    return isinstance(expr, Ref) or (isinstance(expr, ParamQuery) and expr.query is Query.DIM)


def _no_rank(shape: str) -> Condition:
    return Test(f"!IsRankKnown({shape})")


def _restricted(value: Expr, inputs: set[str]) -> Expr:
    """The cases of an observation that look at one of ``inputs``."""
    if not isinstance(value, Select):
        return value
    cases = tuple(
        (label, _restricted(case, inputs)) for label, case in value.cases if _looks_at(case, inputs)
    )
    other = value.otherwise
    rest = None if other is None or not _looks_at(other, inputs) else _restricted(other, inputs)
    if cases:
        return replace(value, cases=cases, otherwise=rest)
    return value if rest is None else rest


def _looks_at(value: Expr, inputs: set[str]) -> bool:
    if not isinstance(value, Select):
        return bool(params(value) & inputs)
    branches = [case for _, case in value.cases] + ([] if value.otherwise is None else [value.otherwise])
    return any(_looks_at(branch, inputs) for branch in branches)


class _InferRanges:
    """What the checks of shape inference prove; other names can have any value."""

    def __init__(self, operator: Operator, read: Set[tuple[str, str]]) -> None:
        self._all = Ranges(operator, Checked.DIMS)
        proven: set[Fact] = set()
        unproven: set[Fact] = set()
        for check in operator.checks:
            for fact in check.establishes:
                if check.at_infer:
                    proven.add(fact)
                elif fact.kind != "dim" or (fact.name, check.parameter) in read:
                    unproven.add(fact)
        self._proven = proven - unproven

    def __call__(self, expr: Expr) -> Interval | None:
        checkable = isinstance(expr, Ref) and expr.kind in (RefKind.ATTR, RefKind.DIM)
        if isinstance(expr, Ref) and checkable and Fact(expr.kind.value, expr.name) not in self._proven:
            return None
        if isinstance(expr, Call) and expr.function == "len":
            return Interval(0, INT32_MAX)
        return self._all(expr)
