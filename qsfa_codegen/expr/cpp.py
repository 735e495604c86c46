"""Expressions as C++: plain arithmetic where bounds prove that it cannot fail, checked elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from qsfa_codegen.expr.arith import ARITH_STRUCT, arith_struct
from qsfa_codegen.expr.bounds import Bound, Facts, Ranges
from qsfa_codegen.expr.branches import Case, as_conditionals, as_logic, cases
from qsfa_codegen.expr.cpp_text import (
    ADDITIVE,
    AND,
    EQUALITY,
    MULTIPLICATIVE,
    OR,
    PRIMARY,
    RELATIONAL,
    TERNARY,
    UNARY,
    Piece,
    float_text,
    integer,
    precedence_of,
    string,
)
from qsfa_codegen.expr.interval import TOP, Interval, hull
from qsfa_codegen.expr.limits import INT32_MAX, INT32_MIN, INT64_MAX
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
)
from qsfa_codegen.expr.relations import MIRROR, OPPOSITE

__all__ = ["ARITH_STRUCT", "Case", "Cpp", "CppNames", "arith_struct", "cases", "emit"]


class CppNames(Protocol):
    """How the place that the C++ stands in spells what an expression names.

    Texts of int64 values have type int64_t. Binary operators in a text stand between spaces.
    """

    def ref(self, kind: RefKind, name: str) -> str:
        """The value of a name."""

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> str:
        """A fact about an input."""

    def enum_label(self, enum: str, label: str) -> str:
        """A label of an enum; ``enum`` is "chip" or "arch" for those."""

    def dtype(self, name: str) -> str:
        """A dtype."""

    def call(self, function: str, args: tuple[str, ...]) -> str | None:
        """A call other than of arithmetic; None for the usual spelling.

        Records, fields and the input of a contents function arrive as their names, other arguments
        as C++. Besides the functions of the language there are ``absent(input)``,
        ``same_dims(a, b)`` and ``subscript(list, index)``.
        """


class Cpp(Struct, frozen=True):
    """C++ text, its precedence, and whether the arith object must be tested after it ran."""

    text: str
    precedence: int
    checked: bool


def emit(
    expr: Expr,
    names: CppNames,
    ranges: Ranges | Facts | None = None,
    arith: str = "arith",
    unchecked: bool = False,
) -> Cpp:
    """``expr`` as C++.

    Arithmetic that ``ranges`` do not prove safe goes through the object called ``arith``, an Arith;
    it gives 0 where it fails, so the range of a name whose value was computed by it and not yet
    tested must hold 0 too (see ``bounds.value_range``). ``unchecked`` writes plain arithmetic
    everywhere: the caller answers for overflow and for the signs of operands.
    """
    facts = ranges if isinstance(ranges, Facts) else Facts(ranges or _no_ranges, zero_on_failure=True)
    piece = _Emitter(names, arith, unchecked).piece(expr, facts)
    return Cpp(piece.text, piece.precedence, piece.checked)


def _no_ranges(expr: Expr) -> None:
    return None


class _Emitter(Struct, frozen=True):
    names: CppNames
    arith: str
    unchecked: bool

    def piece(self, expr: Expr, facts: Facts) -> Piece:
        return _METHODS[type(expr)](self, expr, facts)

    def _leaf(self, expr: Expr, text: str, facts: Facts, parts: Sequence[Piece] = ()) -> Piece:
        """Text that the names gave; it may itself use the arith object."""
        bound = facts.step(expr, [part.bound for part in parts]) if parts else facts.bound(expr)
        checked = (
            any(part.checked for part in parts)
            or f"{self.arith}." in text
            or f"({self.arith}" in text
            or (not self.unchecked and bound.fails)
        )
        return Piece(text, precedence_of(text), bound, checked)

    def literal(self, expr: Literal, facts: Facts) -> Piece:
        bound, value = facts.bound(expr), expr.value
        match expr.type.kind:
            case Kind.INT if expr.constant:
                return Piece(expr.constant, PRIMARY, bound)
            case Kind.INT:
                narrow = INT32_MIN <= int(value) <= INT32_MAX
                text = integer(int(value))
                return Piece(text, UNARY if text[0] == "-" else PRIMARY, bound, narrow=narrow)
            case Kind.FLOAT:
                text = float_text(float(value))
                return Piece(text, UNARY if text[0] == "-" else PRIMARY, bound)
            case Kind.BOOL:
                return Piece("true" if value else "false", PRIMARY, bound)
            case Kind.STRING:
                return Piece(string(str(value)), PRIMARY, bound)
            case Kind.DTYPE:
                return Piece(self.names.dtype(str(value)), PRIMARY, bound)
            case _:
                enum = expr.type.enum or expr.type.kind.value
                return Piece(self.names.enum_label(enum, str(value)), PRIMARY, bound)

    def ref(self, expr: Ref, facts: Facts) -> Piece:
        return self._leaf(expr, self.names.ref(expr.kind, expr.name), facts)

    def query(self, expr: ParamQuery, facts: Facts) -> Piece:
        text = self.names.query(expr.query, expr.param, expr.axis, expr.tail)
        return self._leaf(expr, text, facts)

    def subscript(self, expr: Subscript, facts: Facts) -> Piece:
        base = self.piece(expr.base, facts)
        index = str(expr.index)
        text = self.names.call("subscript", (base.text, index)) or f"{base.at_least(PRIMARY)}[{index}]"
        return self._leaf(expr, text, facts)

    def negate(self, expr: Negate, facts: Facts) -> Piece:
        operand = self.piece(expr.operand, facts)
        bound = facts.step(expr, (operand.bound,))
        if not self.unchecked and bound.fails:
            return _through_arith(self.arith, "Neg", [operand], bound)
        if operand.narrow and INT32_MIN in operand.bound.values:
            operand = operand.wide
        inner = operand.at_least(UNARY)
        text = f"-({inner})" if inner.startswith("-") else f"-{inner}"
        return Piece(text, UNARY, bound, operand.checked, operand.narrow)

    def not_(self, expr: Not, facts: Facts) -> Piece:
        inner = expr.operand
        match inner:
            case Not(operand=operand):
                return self.piece(operand, facts)
            case ParamQuery(query=Query.PRESENT, param=param):
                absent = self.names.call("absent", (param,))
                if absent is not None:
                    return self._leaf(expr, absent, facts, [self.piece(inner, facts)])
            case Contains(negated=negated):
                return self.piece(replace(inner, negated=not negated), facts)
            case Compare(op=op, left=left) if left.type not in (FLOAT, DIMS) or op in ("==", "!="):
                return self.piece(replace(inner, op=OPPOSITE[op]), facts)
        piece = self.piece(inner, facts)
        bound = facts.step(expr, (piece.bound,))
        return Piece(f"!{piece.at_least(UNARY)}", UNARY, bound, piece.checked)

    def arithmetic(self, expr: Arith, facts: Facts) -> Piece:
        left, right = self.piece(expr.left, facts), self.piece(expr.right, facts)
        bound = facts.step(expr, (left.bound, right.bound))
        if not self._plain(expr, left, right, bound):
            return _through_arith(self.arith, _ARITH_NAMES[expr.op], [left, right], bound)
        return self._operator(expr, left, right, bound)

    def _plain(self, expr: Arith, left: Piece, right: Piece, bound: Bound) -> bool:
        """Whether the C++ operator gives the same as the expression's."""
        if self.unchecked or expr.type == FLOAT:
            return True
        if bound.fails:
            return False
        return expr.op not in ("//", "%") or _natural(left, right) or right.bound.values == _ONE

    def _operator(self, expr: Arith, left: Piece, right: Piece, bound: Bound) -> Piece:
        narrow = left.narrow and right.narrow
        if narrow and bound.values != bound.values.meet(_INT32):
            left, narrow = left.wide, False
        level = ADDITIVE if expr.op in ("+", "-") else MULTIPLICATIVE
        op = "/" if expr.op == "//" else expr.op
        text = f"{left.at_least(level)} {op} {right.at_least(level + 1)}"
        return Piece(text, level, bound, left.checked or right.checked, narrow)

    def compare(self, expr: Compare, facts: Facts) -> Piece:
        left, right, op = expr.left, expr.right, expr.op
        if isinstance(left, Literal) and not isinstance(right, Literal):
            left, right, op = right, left, MIRROR[op]
            expr = replace(expr, op=op, left=left, right=right)
        if isinstance(right, Literal) and right.type == BOOL:
            as_it_is = bool(right.value) is (op == "==")
            return self.piece(left if as_it_is else Not(BOOL, expr.span, left), facts)
        first, second = self._compared_left(left, right, op, facts), self.piece(right, facts)
        bounds, checked = (first.bound, second.bound), first.checked or second.checked
        if left.type == DIMS:
            args = (first.text, second.text)
            text = self.names.call("same_dims", args) or f"SameDims({', '.join(args)})"
            same = Piece(text, precedence_of(text), facts.step(expr, bounds), checked)
            return same if op == "==" else replace(same, text=f"!{same.at_least(UNARY)}", precedence=UNARY)
        level = EQUALITY if op in ("==", "!=") else RELATIONAL
        # Compilers warn of `!a == b`.
        text = first.at_least(PRIMARY if first.text.startswith("!") else ADDITIVE)
        text = f"{text} {op} {second.at_least(ADDITIVE)}"
        return Piece(text, level, facts.step(expr, bounds), checked)

    def _compared_left(self, left: Expr, right: Expr, op: str, facts: Facts) -> Piece:
        """The left side; a remainder that is only compared with 0 needs no care for signs."""
        against_zero = op in ("==", "!=") and isinstance(right, Literal) and right.value == 0
        if against_zero and isinstance(left, Arith) and left.op == "%":
            a, b = self.piece(left.left, facts), self.piece(left.right, facts)
            if 0 not in b.bound.values and -1 not in b.bound.values:
                return self._operator(left, a, b, facts.step(left, (a.bound, b.bound)))
        return self.piece(left, facts)

    def contains(self, expr: Contains, facts: Facts) -> Piece:
        op, join, level = ("!=", " && ", AND) if expr.negated else ("==", " || ", OR)
        tests = [Compare(BOOL, expr.span, op, expr.item, option) for option in expr.options]
        pieces = [self.piece(test, facts) for test in tests]
        if len(pieces) == 1:
            return pieces[0]
        text = join.join(piece.at_least(EQUALITY) for piece in pieces)
        return Piece(text, level, facts.bound(expr), any(piece.checked for piece in pieces))

    def logic(self, expr: Logic, facts: Facts) -> Piece:
        join, level, least = (" && ", AND, AND) if expr.op == "and" else (" || ", OR, OR)
        bound, texts, checked = facts.bound(expr), [], False
        for operand in expr.operands:
            piece = self.piece(operand, facts)
            checked = checked or piece.checked
            # `a && b || c` is right but compilers warn of it.
            mixed = level == OR and piece.precedence == AND
            texts.append(piece.at_least(EQUALITY if mixed else least))
            facts = facts.assume(operand, expr.op == "and")
        return Piece(join.join(texts), level, bound, checked)

    def conditional(self, expr: Conditional, facts: Facts) -> Piece:
        logic = as_logic(expr)
        if logic is not None:
            return self.piece(logic, facts)
        test = self.piece(expr.test, facts)
        then = self.piece(expr.then, facts.assume(expr.test, True))
        other = self.piece(expr.otherwise, facts.assume(expr.test, False))
        text = f"{test.at_least(OR)} ? {then.at_least(OR)} : {other.text}"
        values = hull((then.bound.values, other.bound.values))
        checked = test.checked or then.checked or other.checked
        return Piece(text, TERNARY, Bound(values), checked, then.narrow and other.narrow)

    def select(self, expr: Select, facts: Facts) -> Piece:
        return self.piece(as_conditionals(expr), facts)

    def call(self, expr: Call, facts: Facts) -> Piece:
        maker = _CALLS.get(expr.function)
        if maker is None:
            return self._named_call(expr, facts)
        return maker(self, expr, [self.piece(arg, facts) for arg in expr.args], facts)

    def _named_call(self, expr: Call, facts: Facts) -> Piece:
        """A function that the place of the C++ knows; names of records and inputs go as they are."""
        args, parts = [], []
        for arg in expr.args:
            if isinstance(arg, Ref) and arg.kind is RefKind.RECORD:
                args.append(arg.name)
                parts.append(Piece("", PRIMARY, Bound(TOP)))
            else:
                parts.append(self.piece(arg, facts))
                is_name = isinstance(arg, Literal) and arg.type.kind is Kind.STRING
                args.append(str(arg.value) if is_name and isinstance(arg, Literal) else parts[-1].text)
        text = self.names.call(expr.function, tuple(args)) or _usual_call(expr.function, args)
        return self._leaf(expr, text, facts, parts)

    def extreme(self, expr: Call, args: Sequence[Piece], facts: Facts) -> Piece:
        """``min`` and ``max``."""
        texts = tuple(arg.text for arg in args)
        joined = ", ".join(texts)
        joined = joined if len(args) == 2 else f"{{{joined}}}"
        ctype = "double" if expr.type == FLOAT else "int64_t"
        text = self.names.call(expr.function, texts) or f"std::{expr.function}<{ctype}>({joined})"
        return self._leaf(expr, text, facts, args)

    def absolute(self, expr: Call, args: Sequence[Piece], facts: Facts) -> Piece:
        bound = facts.step(expr, [args[0].bound])
        if not self.unchecked and bound.fails:
            return _through_arith(self.arith, "Abs", args, bound)
        return self._leaf(expr, f"std::abs({args[0].wide.text})", facts, args)

    def round_up(self, expr: Call, args: Sequence[Piece], facts: Facts) -> Piece:
        """``ceil_div`` and ``align_up``."""
        a, b = args
        bound, checked = facts.step(expr, (a.bound, b.bound)), a.checked or b.checked
        if not self._plainly_rounds_up(a, b, bound):
            return _through_arith(self.arith, _ARITH_NAMES[expr.function], args, bound)
        own = self.names.call(expr.function, (a.text, b.text))
        if own is not None:
            return Piece(own, precedence_of(own), bound, checked)
        divisor = expr.args[1]
        step = b.at_least(PRIMARY)
        less = integer(int(divisor.value) - 1) if isinstance(divisor, Literal) else f"{step} - 1"
        quotient = f"({a.wide.at_least(ADDITIVE)} + {less}) / {step}"
        text = quotient if expr.function == "ceil_div" else f"{quotient} * {step}"
        return Piece(text, MULTIPLICATIVE, bound, checked)

    def _plainly_rounds_up(self, a: Piece, b: Piece, bound: Bound) -> bool:
        if self.unchecked:
            return True
        if b.precedence != PRIMARY or bound.fails:
            return False
        return _natural(a, b) and a.bound.values.high + b.bound.values.high - 1 <= INT64_MAX

    def power_of_two(self, expr: Call, args: Sequence[Piece], facts: Facts) -> Piece:
        x, bound = args[0], facts.step(expr, [args[0].bound])
        if x.precedence != PRIMARY:
            return _through_arith(self.arith, "IsPowerOfTwo", args, bound)
        text = f"{x.text} > 0 && ({x.text} & ({x.text} - 1)) == 0"
        return Piece(text, AND, bound, x.checked)

    def finite(self, expr: Call, args: Sequence[Piece], facts: Facts) -> Piece:
        text = self.names.call("is_finite", (args[0].text,)) or f"std::isfinite({args[0].text})"
        return self._leaf(expr, text, facts, args)


def _through_arith(arith: str, method: str, args: Sequence[Piece], bound: Bound) -> Piece:
    text = f"{arith}.{method}({', '.join(arg.text for arg in args)})"
    return Piece(text, PRIMARY, bound, checked=True)


def _natural(left: Piece, right: Piece) -> bool:
    """Whether C++'s division rounds as the language does: nothing is negative."""
    return left.bound.values.low >= 0 and right.bound.values.low > 0


def _usual_call(function: str, args: Sequence[str]) -> str:
    if function == "len":
        return f"static_cast<int64_t>({args[0]}.size())"
    if function == "code":
        return f"static_cast<int64_t>({args[0]})"
    return f"{function}({', '.join(args)})"


_ONE = Interval(1, 1)
_INT32 = Interval(INT32_MIN, INT32_MAX)
_ARITH_NAMES = {
    "+": "Add",
    "-": "Sub",
    "*": "Mul",
    "//": "Div",
    "%": "Mod",
    "ceil_div": "CeilDiv",
    "align_up": "AlignUp",
}
_CALLS: dict[str, Callable[[_Emitter, Call, Sequence[Piece], Facts], Piece]] = {
    "min": _Emitter.extreme,
    "max": _Emitter.extreme,
    "abs": _Emitter.absolute,
    "ceil_div": _Emitter.round_up,
    "align_up": _Emitter.round_up,
    "is_power_of_two": _Emitter.power_of_two,
    "is_finite": _Emitter.finite,
}
_METHODS: dict[type[Any], Callable[[_Emitter, Any, Facts], Piece]] = {
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
