"""From Python's syntax tree to a typed expression; every mistake is reported where it stands."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct

from qsfa_codegen.diagnostics import Sink, Span
from qsfa_codegen.expr import calls, names
from qsfa_codegen.expr.constants import const_int, folded
from qsfa_codegen.expr.limits import in_int64
from qsfa_codegen.expr.nodes import (
    BOOL,
    FLOAT,
    INT,
    STRING,
    Arith,
    Compare,
    Conditional,
    Contains,
    Expr,
    Kind,
    Literal,
    Logic,
    Negate,
    Not,
    Subscript,
    Type,
)
from qsfa_codegen.expr.scope import Scope
from qsfa_codegen.expr.source import Source

_ARITH: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_UNSUPPORTED: dict[type[ast.AST], tuple[str, str | None]] = {
    ast.Div: ("`/`", "write `//` to round down or `ceil_div(a, b)` to round up"),
    ast.Pow: ("`**`", "write the product"),
    ast.BitAnd: ("`&`", "write `and`"),
    ast.BitOr: ("`|`", "write `or`"),
    ast.BitXor: ("`^`", None),
    ast.LShift: ("`<<`", "multiply by the power of two"),
    ast.RShift: ("`>>`", "divide by the power of two with `//`"),
    ast.MatMult: ("`@`", None),
    ast.Invert: ("`~`", "write `not`"),
    ast.UAdd: ("a leading `+`", "leave it out"),
    ast.Is: ("`is`", "write `==`"),
    ast.IsNot: ("`is not`", "write `!=`"),
    ast.Attribute: ("`.`", "a name has no attributes"),
    ast.List: ("a list", "write a tuple: `(a, b)`"),
    ast.Set: ("a set", "write a tuple: `(a, b)`"),
    ast.Dict: ("a dict", "use the table form `{by: …, of: …}`"),
    ast.Tuple: ("a tuple", "a tuple stands only after `in`; in flow style put the expression in quotes"),
    ast.NamedExpr: ("`:=`", "name the value under `let`"),
    ast.Starred: ("`*` before an argument", None),
    ast.JoinedStr: ("an f-string", None),
    ast.Slice: ("a slice", "a subscript is one constant"),
    ast.Lambda: ("`lambda`", None),
}


class Typer(Struct):
    """Types one expression; methods return None after they reported something."""

    scope: Scope
    sink: Sink
    source: Source

    def span(self, node: ast.expr, last: ast.expr | None = None) -> Span:
        """Where ``node`` stands, up to the end of ``last`` when that is given."""
        end = (last or node).end_col_offset
        start = node.col_offset
        return self.source.at(self.source.offset(start), self.source.offset(start if end is None else end))

    def error(self, code: str, message: str, node: ast.expr, help: str | None = None) -> None:
        """Report a mistake at ``node``."""
        self.sink.error(code, message, self.span(node), help=help)

    def unsupported(self, construct: ast.AST, node: ast.expr) -> None:
        """Report that the language does not have ``construct``."""
        what, help = _UNSUPPORTED.get(type(construct), ("this construct", None))
        self.error("QS201", f"{what} is not part of the language", node, help)

    def value(self, node: ast.expr, want: Type | None) -> Expr | None:
        """The whole expression or a branch of it, made to fit the type that is wanted."""
        if isinstance(node, ast.IfExp):
            return self._conditional(node, want, self.value)
        expr = self.infer(node, want)
        return expr if expr is None or want is None else self._fit(expr, want, node)

    def infer(self, node: ast.expr, hint: Type | None = None) -> Expr | None:
        """Type ``node``; ``hint`` only says what a label would be a label of."""
        method = _METHODS.get(type(node))
        if method is None:
            self.unsupported(node, node)
            return None
        return method(self, node, hint)

    def expect(self, node: ast.expr, want: Type, what: str) -> Expr | None:
        """An operand that must have the type ``want``; only an int literal turns into a float."""
        expr = self.infer(node, want)
        if expr is None:
            return None
        expr = as_float(expr) if want == FLOAT else expr
        if expr.type == want:
            return expr
        self.error("QS203", f"{what} must be {want}; this is {expr.type}", node, _hint(expr.type, want))
        return None

    def number(self, node: ast.expr, what: str) -> Expr | None:
        """An int64 or float operand."""
        expr = self.infer(node)
        if expr is None or expr.type in (INT, FLOAT):
            return expr
        self.error("QS203", f"{what} must be a number; this is {expr.type}", node, _hint(expr.type, INT))
        return None

    def same(self, left: Expr, right: Expr, node: ast.expr) -> tuple[Expr, Expr] | None:
        """Both operands with one type, int literals beside floats as floats; ``node`` is the right one."""
        if left.type == right.type:
            return left, right
        if left.type == FLOAT or right.type == FLOAT:
            left, right = as_float(left), as_float(right)
        if left.type == right.type:
            return left, right
        pair = {left.type.kind, right.type.kind}
        if Kind.STRING in pair:
            other = right.type if left.type == STRING else left.type
            self.error("QS208", f"a string cannot be compared with {other}", node, _hint(other, STRING))
        else:
            help = _hint(left.type, right.type) or _hint(right.type, left.type)
            self.error("QS203", f"{left.type} and {right.type} do not go together", node, help)
        return None

    def constant(self, node: ast.expr, what: str) -> int | None:
        """An integer that the expression itself fixes."""
        expr = self.infer(node)
        if expr is None:
            return None
        number = const_int(expr)
        if number is None:
            self.error("QS211", f"{what} must be a constant integer", node)
        return number

    def checked(self, expr: Expr, node: ast.expr) -> Expr | None:
        """``expr``, unless it is a constant that cannot be computed."""
        try:
            folded(expr)
        except OverflowError:
            self.error("QS209", "the constant does not fit in int64", node)
        except ZeroDivisionError:
            self.error("QS216", "division by zero", node)
        else:
            return expr
        return None

    def _fit(self, expr: Expr, want: Type, node: ast.expr) -> Expr | None:
        if want == FLOAT:
            expr = as_float(expr)
        if expr.type == want:
            return expr
        if want == INT and expr.type == BOOL:
            one, zero = Literal(INT, expr.span, 1), Literal(INT, expr.span, 0)
            return Conditional(INT, expr.span, expr, one, zero)
        self.error("QS215", f"{want} is needed here; this is {expr.type}", node, _hint(expr.type, want))
        return None

    def _constant(self, node: ast.Constant, hint: Type | None) -> Expr | None:
        value = node.value
        if isinstance(value, bool):
            return Literal(BOOL, self.span(node), value)
        if isinstance(value, int):
            return self._integer(value, node)
        if isinstance(value, float):
            if value in (float("inf"), float("-inf")):
                self.error("QS209", "the constant does not fit in a float", node)
                return None
            return Literal(FLOAT, self.span(node), value)
        if isinstance(value, str):
            return names.string(self, node, value, hint)
        self.error("QS201", f"{type(value).__name__} constants are not part of the language", node)
        return None

    def _integer(self, value: int, node: ast.expr) -> Expr | None:
        if in_int64(value):
            return Literal(INT, self.span(node), value)
        self.error("QS209", "the constant does not fit in int64", node)
        return None

    def _unary(self, node: ast.UnaryOp, hint: Type | None) -> Expr | None:
        if isinstance(node.op, ast.Not):
            operand = self.expect(node.operand, BOOL, "the operand of `not`")
            return None if operand is None else Not(BOOL, self.span(node), operand)
        if not isinstance(node.op, ast.USub):
            self.unsupported(node.op, node)
            return None
        inner = node.operand
        if isinstance(inner, ast.Constant) and type(inner.value) is int:
            return self._integer(-inner.value, node)
        operand = self.number(inner, "the operand of `-`")
        if operand is None:
            return None
        if isinstance(operand, Literal) and operand.type == FLOAT:
            return Literal(FLOAT, self.span(node), -float(operand.value))
        return self.checked(Negate(operand.type, self.span(node), operand), node)

    def _arith(self, node: ast.BinOp, hint: Type | None) -> Expr | None:
        op = _ARITH.get(type(node.op))
        if op is None:
            self.unsupported(node.op, node)
            return None
        left = self.number(node.left, f"the left side of `{op}`")
        right = self.number(node.right, f"the right side of `{op}`")
        if left is None or right is None:
            return None
        both = self.same(left, right, node.right)
        if both is None:
            return None
        left, right = both
        if op in ("//", "%"):
            if left.type == FLOAT:
                self.error("QS203", f"`{op}` takes int64 only", node)
                return None
            if const_int(right) == 0:
                self.error("QS216", "division by zero", node.right)
                return None
        return self.checked(Arith(left.type, self.span(node), op, left, right), node)

    def _logic(self, node: ast.BoolOp, hint: Type | None) -> Expr | None:
        op = "and" if isinstance(node.op, ast.And) else "or"
        operands = self.all(self.expect(value, BOOL, f"an operand of `{op}`") for value in node.values)
        return None if operands is None else Logic(BOOL, self.span(node), op, operands)

    def all(self, exprs: Iterable[Expr | None]) -> tuple[Expr, ...] | None:
        """Every expression, each of them typed even when one before it failed."""
        found = list(exprs)
        good = tuple(expr for expr in found if expr is not None)
        return good if len(good) == len(found) else None

    def _conditional(
        self,
        node: ast.IfExp,
        hint: Type | None,
        branch: Callable[[ast.expr, Type | None], Expr | None] | None = None,
    ) -> Expr | None:
        branch = branch or self.infer
        then = branch(node.body, hint)
        test = self.expect(node.test, BOOL, "the condition")
        other = branch(node.orelse, hint)
        if then is None or test is None or other is None:
            return None
        both = self.same(then, other, node.orelse)
        if both is None:
            return None
        return Conditional(both[0].type, self.span(node), test, *both)

    def _compare(self, node: ast.Compare, hint: Type | None) -> Expr | None:
        for op in node.ops:
            if isinstance(op, (ast.Is, ast.IsNot)):
                self.unsupported(op, node)
                return None
        if any(isinstance(op, (ast.In, ast.NotIn)) for op in node.ops):
            return self._contains(node)
        nodes = [node.left, *node.comparators]
        operands = self._operands(nodes)
        if operands is None:
            return None
        parts = self.all(
            self._pair(_COMPARE[type(op)], operands[i : i + 2], nodes[i : i + 2])
            for i, op in enumerate(node.ops)
        )
        if parts is None or len(parts) == 1:
            return parts[0] if parts else None
        return Logic(BOOL, self.span(node), "and", parts)

    def _operands(self, nodes: list[ast.expr]) -> tuple[Expr, ...] | None:
        """Type the operands of a chain; a label takes its type from the operand beside it."""
        labels = [i for i, node in enumerate(nodes) if names.may_be_label(self, node)]
        if len(labels) == len(nodes):
            return self._labels_alone(nodes)
        found: list[Expr | None] = [None] * len(nodes)
        for i, node in enumerate(nodes):
            if i not in labels:
                found[i] = self.infer(node)
        if any(found):
            for i in labels:
                beside = next(
                    (expr for expr in (*found[max(0, i - 1) : i], *found[i + 1 : i + 2]) if expr), None
                )
                found[i] = self.infer(nodes[i], beside.type if beside else None)
        return self.all(found)

    def _labels_alone(self, nodes: list[ast.expr]) -> tuple[Expr, ...] | None:
        """Operands of which none says what the others are labels of: blame those that are none anywhere."""
        strangers = [node for node in nodes if not names.is_label(self, node)]
        if self.all(self.infer(node) for node in strangers) is None:
            return None
        return self.all(self.infer(node) for node in nodes)

    def _pair(self, op: str, operands: tuple[Expr, ...], nodes: list[ast.expr]) -> Expr | None:
        both = self.same(operands[0], operands[1], nodes[1])
        if both is None:
            return None
        kind = both[0].type.kind
        if kind in (Kind.LIST, Kind.DIMS):
            help = "compare its elements or its `len`"
            self.error("QS203", f"a {kind.value} cannot be compared", nodes[0], help)
            return None
        if op not in ("==", "!=") and kind not in (Kind.INT, Kind.FLOAT):
            self.error("QS203", f"`{op}` orders numbers; these are {both[0].type}", nodes[0])
            return None
        return Compare(BOOL, self.span(nodes[0], nodes[1]), op, *both)

    def _contains(self, node: ast.Compare) -> Expr | None:
        if len(node.ops) > 1:
            self.error("QS201", "`in` cannot be part of a chain of comparisons", node, "join them with `and`")
            return None
        item = self.infer(node.left)
        tuple_node = node.comparators[0]
        if not isinstance(tuple_node, ast.Tuple) or not tuple_node.elts:
            help = "write `(a, b)`, or `(a,)` for one"
            self.error("QS210", "`in` needs a tuple of values", tuple_node, help)
            return None
        if item is None:
            return None
        options = self.all(self._option(item, option) for option in tuple_node.elts)
        if options is None:
            return None
        if any(option.type == FLOAT for option in options):
            item, options = as_float(item), tuple(as_float(option) for option in options)
        return Contains(BOOL, self.span(node), item, options, isinstance(node.ops[0], ast.NotIn))

    def _option(self, item: Expr, node: ast.expr) -> Expr | None:
        option = self.infer(node, item.type)
        both = None if option is None else self.same(item, option, node)
        return None if both is None else both[1]

    def _subscript(self, node: ast.Subscript, hint: Type | None) -> Expr | None:
        if isinstance(node.slice, (ast.Slice, ast.Tuple)):
            self.unsupported(node.slice, node)
            return None
        base = self.infer(node.value)
        index = self.constant(node.slice, "a subscript")
        if base is None or index is None:
            return None
        if base.type.kind is not Kind.LIST or base.type.item is None:
            self.error("QS203", f"only a list attribute has elements; this is {base.type}", node.value)
            return None
        if index < 0:
            self.error("QS211", "a subscript counts from 0", node.slice)
            return None
        return Subscript(base.type.item, self.span(node), base, index)


def as_float(expr: Expr) -> Expr:
    """An int literal as a float literal; any other expression as it is."""
    if isinstance(expr, Literal) and expr.type == INT:
        return Literal(FLOAT, expr.span, float(expr.value))
    return expr


def _hint(given: Type, want: Type) -> str | None:
    """How to get from ``given`` to ``want``, where there is a way."""
    ways = {
        (Kind.BOOL, Kind.INT): "write `1 if … else 0`",
        (Kind.INT, Kind.BOOL): "compare it: `… != 0`",
        (Kind.ENUM, Kind.INT): "`code(…)` gives the integer of an enum value",
        (Kind.DTYPE, Kind.INT): "`sizeof(…)` gives the bytes of a dtype",
        (Kind.LIST, Kind.INT): "take an element, `len(…)` or `prod(…)`",
        (Kind.DIMS, Kind.INT): "take `prod(…)` or `len(…)`",
        (Kind.INT, Kind.FLOAT): "only an int literal turns into a float",
        (Kind.BOOL, Kind.STRING): "write `true` or `false` without quotes",
        (Kind.INT, Kind.STRING): "write the number without quotes",
    }
    return ways.get((given.kind, want.kind))


_METHODS: dict[type[ast.expr], Callable[[Typer, Any, Type | None], Expr | None]] = {
    ast.Constant: Typer._constant,
    ast.Name: names.name,
    ast.UnaryOp: Typer._unary,
    ast.BinOp: Typer._arith,
    ast.BoolOp: Typer._logic,
    ast.Compare: Typer._compare,
    ast.IfExp: Typer._conditional,
    ast.Call: calls.call,
    ast.Subscript: Typer._subscript,
}
