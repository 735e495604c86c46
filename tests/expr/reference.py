"""A second evaluator, written the obvious way: exact integers, results checked afterwards."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from qsfa_codegen.expr.evaluate import UNKNOWN, Value
from qsfa_codegen.expr.nodes import (
    INT,
    Arith,
    Call,
    Compare,
    Conditional,
    Contains,
    Expr,
    Literal,
    Logic,
    Negate,
    Not,
    ParamQuery,
    Ref,
    Select,
    Subscript,
)
from tests.expr.world import CODES, SIZES, World


class FailError(Exception):
    """Evaluation failed, for this reason."""


def reference(expr: Expr, call: World) -> Value:
    """Value of ``expr`` on ``call``; FailError("overflow" or "division by zero")."""
    match expr:
        case Literal() | Ref() | ParamQuery() | Subscript():
            return _leaf(expr, call)
        case Negate(operand=operand):
            return _numbers(expr, [operand], call)
        case Arith(left=left, right=right):
            return _numbers(expr, [left, right], call)
        case Call(args=args):
            return _call(expr, list(args), call)
        case Conditional(test=test, then=then, otherwise=otherwise):
            chosen = reference(test, call)
            return UNKNOWN if chosen is UNKNOWN else reference(then if chosen is True else otherwise, call)
        case Select():
            return _table(expr, call)
    return _truth(expr, call)


def _leaf(expr: Expr, call: World) -> Value:
    match expr:
        case Literal(value=value):
            return value
        case Ref(name=name):
            return call.names[name]
        case ParamQuery(query=query, param=param, axis=axis):
            return call.facts[query, param, axis]
        case Subscript(base=base, index=index):
            items = reference(base, call)
            assert isinstance(items, tuple)
            return items[index]
    raise AssertionError(expr)


def _table(expr: Select, call: World) -> Value:
    value = reference(expr.selector, call)
    if value is UNKNOWN:
        return UNKNOWN
    label = str(value).lower() if isinstance(value, bool) else value
    branch = dict(expr.cases).get(str(label), expr.otherwise)
    assert branch is not None
    return reference(branch, call)


def _truth(expr: Expr, call: World) -> Value:
    match expr:
        case Not(operand=operand):
            value = reference(operand, call)
            return UNKNOWN if value is UNKNOWN else value is False
        case Compare(op=op, left=left, right=right):
            return _compare(op, reference(left, call), reference(right, call))
        case Contains(item=item, options=options, negated=negated):
            found = _any([Compare(expr.type, expr.span, "==", item, option) for option in options], call)
            return found if found is UNKNOWN or not negated else found is False
        case Logic(op="or", operands=operands):
            return _any(list(operands), call)
        case Logic(operands=operands):
            # De Morgan
            found = _any([Not(expr.type, expr.span, operand) for operand in operands], call)
            return found if found is UNKNOWN else found is False
    raise AssertionError(expr)


def _any(operands: list[Expr], call: World) -> Value:
    """Kleene's or, from left to right; what follows an unknown may have been skipped, so it cannot fail."""
    if not operands:
        return False
    first, rest = reference(operands[0], call), operands[1:]
    if first is True:
        return True
    if first is False:
        return _any(rest, call)
    try:
        return True if _any(rest, call) is True else UNKNOWN
    except FailError:
        return UNKNOWN


def _compare(op: str, a: Value, b: Value) -> Value:
    if a is UNKNOWN or b is UNKNOWN:
        return UNKNOWN
    if isinstance(a, str):
        return (a == b) if op == "==" else (a != b)
    assert isinstance(a, (int, float))
    assert isinstance(b, (int, float))
    signs = {"==": (0,), "!=": (-1, 1), "<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1)}
    return (a > b) - (a < b) in signs[op]


def _numbers(expr: Expr, operands: list[Expr], call: World) -> Value:
    values = [reference(operand, call) for operand in operands]
    divides = (isinstance(expr, Arith) and expr.op in ("//", "%")) or (
        isinstance(expr, Call) and expr.function in ("ceil_div", "align_up")
    )
    if divides and values[1] is not UNKNOWN and values[1] == 0:
        raise FailError("division by zero")
    if UNKNOWN in values:
        return UNKNOWN
    numbers = [value for value in values if isinstance(value, (int, float))]
    result = _exact(expr, *numbers)
    if expr.type == INT and not -(2**63) <= result < 2**63:
        raise FailError("overflow")
    return result


def _exact(expr: Expr, a: int | float, b: int | float = 0, *more: int | float) -> int | float:
    match expr:
        case Negate():
            return 0 - a if expr.type == INT else -a
        case Arith(op="+"):
            return a + b
        case Arith(op="-"):
            return a - b
        case Arith(op="*"):
            return a * b
        case Arith(op="//"):
            return floor(Fraction(a) / Fraction(b))
        case Arith(op="%"):
            return int(a - Fraction(b) * floor(Fraction(a) / Fraction(b)))
        case Call(function="ceil_div"):
            return ceil(Fraction(a) / Fraction(b))
        case Call(function="align_up"):
            return int(ceil(Fraction(a) / Fraction(b)) * Fraction(b))
        case Call(function="abs"):
            return a if a >= 0 else -a
        case Call(function="min"):
            return sorted((a, b, *more))[0]
        case Call(function="max"):
            return sorted((a, b, *more))[-1]
    raise AssertionError(expr)


def _call(expr: Call, args: list[Expr], call: World) -> Value:
    match expr.function:
        case "code":
            return CODES[str(reference(args[0], call))]
        case "sizeof":
            return SIZES[str(reference(args[0], call))]
        case "is_power_of_two":
            value = reference(args[0], call)
            return UNKNOWN if value is UNKNOWN else value in [2**bit for bit in range(63)]
        case "len":
            items = reference(args[0], call)
            assert isinstance(items, tuple)
            return len(items)
        case "prod":
            return _product(reference(args[0], call))
    return _numbers(expr, args, call)


def _product(items: Value) -> Value:
    assert isinstance(items, tuple)
    if UNKNOWN in items:
        return UNKNOWN
    result = 1
    for item in items:
        assert isinstance(item, int)
        result *= item
        if not -(2**63) <= result < 2**63:
            raise FailError("overflow")
    return result
