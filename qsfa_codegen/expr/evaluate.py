"""Evaluation in Python: int64 with floor division, three-valued where something is unknown.

Each tree is turned into closures once; evaluating it again costs only the calls.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from typing import Any

from msgspec.structs import replace

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr import int64, tensors
from qsfa_codegen.expr.limits import INT64_MAX, INT64_MIN
from qsfa_codegen.expr.memo import once_a_tree
from qsfa_codegen.expr.nodes import (
    BOOL,
    DIMS,
    FLOAT,
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
    Query,
    Ref,
    RefKind,
    Select,
    Subscript,
)
from qsfa_codegen.expr.values import DIVISION, OVERFLOW, UNBOUND, UNKNOWN, Env, EvalError, Value

__all__ = ["UNKNOWN", "Env", "EvalError", "Value", "compiled", "evaluate"]

Evaluator = Callable[[Env], Value]
# Inside, values have the types that the parser checked; Any spares a cast in every closure.
_Inner = Callable[[Env], Any]


def evaluate(expr: Expr, env: Env) -> Value:
    """The value of ``expr`` on ``env``; EvalError where it has none."""
    return compiled(expr)(env)


@once_a_tree
def compiled(expr: Expr) -> Evaluator:
    """``expr`` as a function of the environment, made once for each tree."""
    return _compile(expr)


def _compile(expr: Expr) -> _Inner:
    return _COMPILERS[type(expr)](expr)


def _literal(expr: Literal) -> _Inner:
    value = expr.value
    return lambda env: value


def _ref(expr: Ref) -> _Inner:
    kind, name, span = expr.kind, expr.name, expr.span
    if kind is RefKind.COLUMN:  # not among an environment's values: its name may be another thing's too
        return _asked(kind, name, span)

    def run(env: Env) -> Any:
        value = env.values.get(name)
        if value is not None:
            return value
        try:
            return env.ref(kind, name)
        except EvalError as error:
            raise _placed(error, span) from None

    return run


def _asked(kind: RefKind, name: str, span: Span) -> _Inner:
    def run(env: Env) -> Any:
        try:
            return env.ref(kind, name)
        except EvalError as error:
            raise _placed(error, span) from None

    return run


def _query(expr: ParamQuery) -> _Inner:
    query, param, axis, tail, span = expr.query, expr.param, expr.axis, expr.tail, expr.span

    def run(env: Env) -> Any:
        try:
            return env.query(query, param, axis, tail)
        except EvalError as error:
            raise _placed(error, span) from None

    return run


def _placed(error: EvalError, span: Span) -> EvalError:
    if error.span is None:
        error.span = span
    return error


def _subscript(expr: Subscript) -> _Inner:
    base, index, span = _compile(expr.base), expr.index, expr.span

    def run(env: Env) -> Any:
        items = base(env)
        if items is UNKNOWN:
            return UNKNOWN
        if index < len(items):
            return items[index]
        raise EvalError(UNBOUND, span, f"there is no element {index}")

    return run


def _negate(expr: Negate) -> _Inner:
    return _strict(int64.neg if expr.type == INT else operator.neg, (expr.operand,), expr.span)


def _not(expr: Not) -> _Inner:
    operand = _compile(expr.operand)

    def run(env: Env) -> Any:
        value = operand(env)
        return UNKNOWN if value is UNKNOWN else not value

    return run


# Without the check of the result, which int64 needs and float does not.
_RING: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def _arith(expr: Arith) -> _Inner:
    if expr.type == FLOAT:
        return _strict(_RING[expr.op], (expr.left, expr.right), expr.span)
    if expr.op in ("//", "%"):
        return _division(int64.ARITHMETIC[expr.op], (expr.left, expr.right), expr.span)
    return _binary(_RING[expr.op], _compile(expr.left), _compile(expr.right), expr.span)


def _binary(function: Callable[[Any, Any], Any], left: _Inner, right: _Inner, span: Span) -> _Inner:
    """``+ - *`` on int64: the common case, with the check of the result in line."""

    def run(env: Env) -> Any:
        a, b = left(env), right(env)
        if a is UNKNOWN or b is UNKNOWN:
            return UNKNOWN
        result = function(a, b)
        if INT64_MIN <= result <= INT64_MAX:
            return result
        raise EvalError(OVERFLOW, span)

    return run


def _division(function: Callable[[int, int], int], args: Sequence[Expr], span: Span) -> _Inner:
    """A function that fails when its second argument is 0, whatever the first one is."""
    left, right = _compile(args[0]), _compile(args[1])

    def run(env: Env) -> Any:
        a, b = left(env), right(env)
        if b == 0:
            raise EvalError(DIVISION, span)
        if a is UNKNOWN or b is UNKNOWN:
            return UNKNOWN
        try:
            return function(a, b)
        except OverflowError:
            raise EvalError(OVERFLOW, span) from None

    return run


def _strict(function: Callable[..., Any], args: Sequence[Expr], span: Span) -> _Inner:
    """A function that is unknown when an argument is."""
    runs = [_compile(arg) for arg in args]

    def run(env: Env) -> Any:
        values = [run_arg(env) for run_arg in runs]
        if UNKNOWN in values:
            return UNKNOWN
        try:
            return function(*values)
        except OverflowError:
            raise EvalError(OVERFLOW, span) from None

    return run


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _compare(expr: Compare) -> _Inner:
    if expr.left.type == DIMS:
        return _dims_compared(tensors.same_dims, expr.op == "!=", expr.left, expr.right)
    function, left = _COMPARISONS[expr.op], _compile(expr.left)
    if isinstance(expr.right, Literal):
        return _compared_with(function, left, expr.right.value)
    right = _compile(expr.right)

    def run(env: Env) -> Any:
        a, b = left(env), right(env)
        if a is UNKNOWN or b is UNKNOWN:
            return UNKNOWN
        return function(a, b)

    return run


def _compared_with(function: Callable[[Any, Any], bool], left: _Inner, constant: object) -> _Inner:
    """A comparison with a constant, as most are: a call less."""

    def run(env: Env) -> Any:
        value = left(env)
        return UNKNOWN if value is UNKNOWN else function(value, constant)

    return run


def _dims_compared(
    function: Callable[[tensors.Dims, tensors.Dims], Any], negated: bool, left: Expr, right: Expr
) -> _Inner:
    first, second = _compile(left), _compile(right)

    def run(env: Env) -> Any:
        a, b = first(env), second(env)
        if a is UNKNOWN or b is UNKNOWN:
            return UNKNOWN
        result = function(a, b)
        return result if result is UNKNOWN else result is not negated

    return run


def _contains(expr: Contains) -> _Inner:
    if all(isinstance(option, Literal) for option in expr.options):
        return _among_constants(expr)
    tests = tuple(Compare(BOOL, expr.span, "==", expr.item, option) for option in expr.options)
    found = Logic(BOOL, expr.span, "or", tests)
    return _compile(Not(BOOL, expr.span, found) if expr.negated else found)


def _among_constants(expr: Contains) -> _Inner:
    item, found = _compile(expr.item), not expr.negated
    constants = frozenset(option.value for option in expr.options if isinstance(option, Literal))

    def run(env: Env) -> Any:
        value = item(env)
        if value is UNKNOWN:
            return UNKNOWN
        return found if value in constants else not found

    return run


def _logic(expr: Logic) -> _Inner:
    runs, decisive = [_compile(operand) for operand in expr.operands], expr.op == "or"

    def run(env: Env) -> Any:
        rest = iter(runs)
        for operand in rest:
            value = operand(env)
            if value is UNKNOWN:
                return decisive if _decided(rest, decisive, env) else UNKNOWN
            if value is decisive:
                return decisive
        return not decisive

    return run


def _decided(rest: Iterator[_Inner], decisive: bool, env: Env) -> bool:
    """Whether an operand after an unknown one decides the result.

    The unknown operand may have kept it from being evaluated, so an error there is not one yet.
    """
    try:
        return any(operand(env) is decisive for operand in rest)
    except EvalError:
        return False


def _conditional(expr: Conditional) -> _Inner:
    test, then, other = _compile(expr.test), _compile(expr.then), _compile(expr.otherwise)

    def run(env: Env) -> Any:
        value = test(env)
        if value is UNKNOWN:
            return UNKNOWN
        return then(env) if value else other(env)

    return run


def _select(expr: Select) -> _Inner:
    selector, span = _compile(expr.selector), expr.span
    cases: dict[object, _Inner] = {label: _compile(value) for label, value in expr.cases}
    other = None if expr.otherwise is None else _compile(expr.otherwise)
    # The labels of a bool selector are words; its values are not.
    labels: dict[object, object] = {True: "true", False: "false"}

    def run(env: Env) -> Any:
        value = selector(env)
        if value is UNKNOWN:
            return UNKNOWN
        branch = cases.get(labels[value] if value is True or value is False else value, other)
        if branch is None:
            raise EvalError(UNBOUND, span, f"there is no case for {value}")
        return branch(env)

    return run


def _call(expr: Call) -> _Inner:
    maker = _CALLS.get(expr.function)
    return _outside(expr) if maker is None else maker(expr)


def _outside(expr: Call) -> _Inner:
    """A function that the environment knows."""
    name, span, is_int = expr.function, expr.span, expr.type == INT
    runs = [_argument(arg) for arg in expr.args]
    leading: tuple[Value, ...] = (expr.args[0].type.enum or "",) if name == "code" else ()

    def run(env: Env) -> Any:
        values = tuple([run_arg(env) for run_arg in runs])
        if UNKNOWN in values:
            return UNKNOWN
        try:
            result = env.call(name, leading + values)
        except EvalError as error:
            raise _placed(error, span) from None
        if is_int and isinstance(result, int) and not INT64_MIN <= result <= INT64_MAX:
            raise EvalError(OVERFLOW, span)
        return result

    return run


def _argument(arg: Expr) -> _Inner:
    """An argument; a record stands for its own name."""
    if isinstance(arg, Ref) and arg.kind is RefKind.RECORD:
        name = arg.name
        return lambda env: name
    return _compile(arg)


def _product(values: tuple[Any, ...] | list[Any]) -> Value:
    return UNKNOWN if UNKNOWN in values else int64.product(values)


def _about_contents(function: Callable[..., bool]) -> Callable[[Call], _Inner]:
    """A function of the elements of an input and of int64 arguments."""

    def make(expr: Call) -> _Inner:
        param, span = _param(expr), expr.span
        runs = [_compile(arg) for arg in expr.args[1:]]

        def run(env: Env) -> Any:
            values = [run_arg(env) for run_arg in runs]
            return UNKNOWN if UNKNOWN in values else function(_contents(env, param, span), *values)

        return run

    return make


def _padded_with(expr: Call) -> _Inner:
    width = ParamQuery(INT, expr.span, Query.DIM, _param(expr), -1)
    return _about_contents(tensors.padded_with)(replace(expr, args=(*expr.args, width)))


def _param(expr: Call) -> str:
    name = expr.args[0]
    assert isinstance(name, Literal)
    return str(name.value)


def _contents(env: Env, param: str, span: Span) -> Sequence[int]:
    try:
        return env.contents(param)
    except EvalError as error:
        raise _placed(error, span) from None


def _plain(function: Callable[..., Any]) -> Callable[[Call], _Inner]:
    return lambda expr: _strict(function, expr.args, expr.span)


_CALLS: dict[str, Callable[[Call], _Inner]] = {
    "ceil_div": lambda expr: _division(int64.ceil_div, expr.args, expr.span),
    "align_up": lambda expr: _division(int64.align_up, expr.args, expr.span),
    "min": _plain(min),
    "max": _plain(max),
    "abs": lambda expr: _strict(int64.absolute if expr.type == INT else abs, expr.args, expr.span),
    "is_power_of_two": _plain(int64.is_power_of_two),
    "is_finite": _plain(isfinite),
    "len": _plain(len),
    "prod": _plain(_product),
    "starts_with": lambda expr: _dims_compared(tensors.starts_with, False, *expr.args),
    "ends_with": lambda expr: _dims_compared(tensors.ends_with, False, *expr.args),
    "all_between": _about_contents(tensors.all_between),
    "non_decreasing": _about_contents(tensors.non_decreasing),
    "padded_with": _padded_with,
}

_COMPILERS: dict[type[Any], Callable[[Any], _Inner]] = {
    Literal: _literal,
    Ref: _ref,
    ParamQuery: _query,
    Subscript: _subscript,
    Negate: _negate,
    Not: _not,
    Arith: _arith,
    Compare: _compare,
    Contains: _contains,
    Logic: _logic,
    Conditional: _conditional,
    Select: _select,
    Call: _call,
}
