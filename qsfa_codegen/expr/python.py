"""Expressions as Python: its numbers have no limits, its ``//`` and ``%`` round as the language does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from qsfa_codegen.expr.branches import as_conditionals, as_logic
from qsfa_codegen.expr.nodes import (
    BOOL,
    DIMS,
    FLOAT,
    Arith,
    Call,
    Compare,
    Conditional,
    Contains,
    Expr,
    Kind,
    Literal,
    Logic,
    Negate,
    Not,
    ParamQuery,
    Query,
    Ref,
    RefKind,
    Select,
    Subscript,
    walk,
)
from qsfa_codegen.expr.relations import MIRROR, OPPOSITE

TERNARY, OR, AND, NOT, COMPARISON, ADDITIVE, MULTIPLICATIVE, UNARY, PRIMARY = range(9)


class PythonNames(Protocol):
    """How the place that the Python stands in spells what an expression names.

    Texts are primaries: they need no parentheses in any place.
    """

    def ref(self, kind: RefKind, name: str) -> str:
        """The value of a name."""

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> str:
        """A fact about an input."""

    def label(self, enum: str, label: str) -> str:
        """A label of an enum; ``enum`` is "chip" or "arch" for those."""

    def dtype(self, name: str) -> str:
        """A dtype."""

    def present(self, param: str, *, passed: bool) -> tuple[str, int]:
        """Whether an input is passed (or, else, is absent), and how tightly the text binds."""

    def call(self, function: str, args: tuple[str, ...]) -> str | None:
        """A call of a function whose spelling the place decides; None for the usual one.

        Records, fields and the input of a function of contents arrive as their names, other arguments
        as Python; ``code`` gets its enum first.
        """


class Python(Struct, frozen=True):
    """Python text and how tightly it binds."""

    text: str
    precedence: int

    def at_least(self, precedence: int) -> str:
        """The text, in parentheses when it binds less tightly than ``precedence``."""
        return self.text if self.precedence >= precedence else f"({self.text})"


def emit(expr: Expr, names: PythonNames) -> Python:
    """``expr`` as Python; arithmetic that fails in the language raises or gives a larger number there."""
    return _Emitter(names).python(expr)


def _one_by_one(expr: Contains) -> Logic:
    """The same as comparisons, of which those after the one that decides are not worked out."""
    op, word = ("!=", "and") if expr.negated else ("==", "or")
    compared = tuple(Compare(BOOL, expr.span, op, expr.item, option) for option in expr.options)
    return Logic(BOOL, expr.span, word, compared)


class _Emitter(Struct, frozen=True):
    names: PythonNames

    def python(self, expr: Expr) -> Python:
        return _METHODS[type(expr)](self, expr)

    def literal(self, expr: Literal) -> Python:
        match expr.type.kind:
            case Kind.INT | Kind.FLOAT | Kind.BOOL | Kind.STRING:
                text = _quoted(expr.value) if isinstance(expr.value, str) else repr(expr.value)
                return Python(text, UNARY if text[0] == "-" else PRIMARY)
            case Kind.DTYPE:
                return Python(self.names.dtype(str(expr.value)), PRIMARY)
            case _:
                enum = expr.type.enum or expr.type.kind.value
                return Python(self.names.label(enum, str(expr.value)), PRIMARY)

    def ref(self, expr: Ref) -> Python:
        return Python(self.names.ref(expr.kind, expr.name), PRIMARY)

    def query(self, expr: ParamQuery) -> Python:
        if expr.query is Query.PRESENT:
            return Python(*self.names.present(expr.param, passed=True))
        return Python(self.names.query(expr.query, expr.param, expr.axis, expr.tail), PRIMARY)

    def subscript(self, expr: Subscript) -> Python:
        return Python(f"{self.python(expr.base).at_least(PRIMARY)}[{expr.index}]", PRIMARY)

    def negate(self, expr: Negate) -> Python:
        inner = self.python(expr.operand).at_least(UNARY)
        return Python(f"-({inner})" if inner.startswith("-") else f"-{inner}", UNARY)

    def not_(self, expr: Not) -> Python:
        inner = expr.operand
        match inner:
            case Not(operand=operand):
                return self.python(operand)
            case ParamQuery(query=Query.PRESENT, param=param):
                return Python(*self.names.present(param, passed=False))
            case Contains(negated=negated):
                return self.python(replace(inner, negated=not negated))
            case Compare(op=op, left=left) if left.type not in (FLOAT, DIMS) or op in ("==", "!="):
                return self.python(replace(inner, op=OPPOSITE[op]))
        return Python(f"not {self.python(inner).at_least(NOT)}", NOT)

    def arithmetic(self, expr: Arith) -> Python:
        level = ADDITIVE if expr.op in ("+", "-") else MULTIPLICATIVE
        left, right = self.python(expr.left), self.python(expr.right)
        return Python(f"{left.at_least(level)} {expr.op} {right.at_least(level + 1)}", level)

    def compare(self, expr: Compare) -> Python:
        left, right, op = expr.left, expr.right, expr.op
        if isinstance(left, Literal) and not isinstance(right, Literal):
            left, right, op = right, left, MIRROR[op]
        if isinstance(right, Literal) and right.type == BOOL:
            as_it_is = bool(right.value) is (op == "==")
            return self.python(left if as_it_is else Not(BOOL, expr.span, left))
        first, second = self.python(left).at_least(ADDITIVE), self.python(right).at_least(ADDITIVE)
        return Python(f"{first} {op} {second}", COMPARISON)

    def contains(self, expr: Contains) -> Python:
        if len(expr.options) == 1:
            op = "!=" if expr.negated else "=="
            return self.compare(Compare(BOOL, expr.span, op, expr.item, expr.options[0]))
        if any(isinstance(node, Arith | Call) for option in expr.options[1:] for node in walk(option)):
            return self.logic(_one_by_one(expr))  # a tuple would work out what the language does not
        options = ", ".join(self.python(option).text for option in expr.options)
        test = "not in" if expr.negated else "in"
        return Python(f"{self.python(expr.item).at_least(ADDITIVE)} {test} ({options})", COMPARISON)

    def logic(self, expr: Logic) -> Python:
        level = AND if expr.op == "and" else OR
        operands = [self.python(operand) for operand in expr.operands]
        # Ruff asks for parentheses around an `and` inside an `or`.
        texts = [
            f"({o.text})" if level == OR and o.precedence == AND else o.at_least(level) for o in operands
        ]
        return Python(f" {expr.op} ".join(texts), level)

    def conditional(self, expr: Conditional) -> Python:
        logic = as_logic(expr)
        if logic is not None:
            return self.python(logic)
        test, then, other = map(self.python, (expr.test, expr.then, expr.otherwise))
        return Python(f"{then.at_least(OR)} if {test.at_least(OR)} else {other.at_least(TERNARY)}", TERNARY)

    def select(self, expr: Select) -> Python:
        return self.python(as_conditionals(expr))

    def call(self, expr: Call) -> Python:
        maker = _CALLS.get(expr.function)
        if maker is not None:
            return maker([self.python(arg) for arg in expr.args])
        args = tuple(self._argument(arg) for arg in expr.args)
        if expr.function == "code":
            args = (expr.args[0].type.enum or "", *args)
        own = self.names.call(expr.function, args)
        return Python(own if own is not None else f"{expr.function}({', '.join(args)})", PRIMARY)

    def _argument(self, arg: Expr) -> str:
        """An argument; records and inputs go by their names."""
        if isinstance(arg, Ref) and arg.kind is RefKind.RECORD:
            return arg.name
        if isinstance(arg, Literal) and arg.type.kind is Kind.STRING:
            return str(arg.value)
        return self.python(arg).text


def _quoted(text: str) -> str:
    escapes = {'"': '\\"', "\\": "\\\\"}
    return '"' + "".join(escapes.get(c) or (c if c.isprintable() else ascii(c)[1:-1]) for c in text) + '"'


def _ceil_div(args: Sequence[Python]) -> Python:
    a, b = args
    return Python(f"-(-{a.at_least(UNARY)} // {b.at_least(UNARY)})", UNARY)


def _align_up(args: Sequence[Python]) -> Python:
    return Python(f"{_ceil_div(args).text} * {args[1].at_least(UNARY)}", MULTIPLICATIVE)


def _plain(function: str) -> Callable[[Sequence[Python]], Python]:
    return lambda args: Python(f"{function}({', '.join(arg.text for arg in args)})", PRIMARY)


_CALLS: dict[str, Callable[[Sequence[Python]], Python]] = {
    "ceil_div": _ceil_div,
    "align_up": _align_up,
    "min": _plain("min"),
    "max": _plain("max"),
    "abs": _plain("abs"),
    "len": _plain("len"),
    "prod": _plain("math.prod"),
    "is_finite": _plain("math.isfinite"),
    "is_power_of_two": _plain("_is_power_of_two"),
    "starts_with": _plain("_starts_with"),
    "ends_with": _plain("_ends_with"),
}
_METHODS: dict[type[Any], Callable[[_Emitter, Any], Python]] = {
    Literal: _Emitter.literal,
    Ref: _Emitter.ref,
    ParamQuery: _Emitter.query,
    Subscript: _Emitter.subscript,
    Negate: _Emitter.negate,
    Not: _Emitter.not_,
    Arith: _Emitter.arithmetic,
    Compare: _Emitter.compare,
    Contains: _Emitter.contains,
    Logic: _Emitter.logic,
    Conditional: _Emitter.conditional,
    Select: _Emitter.select,
    Call: _Emitter.call,
}
