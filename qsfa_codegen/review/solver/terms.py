"""Terms of the solver, whatever they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import z3

from qsfa_codegen.expr.limits import INT64_MAX, INT64_MIN
from qsfa_codegen.review.solver.symbols import Items, Term, UnsupportedError

YES = z3.BoolVal(True)


class Value(NamedTuple):
    """A value, and whether there is one."""

    term: Term
    ok: Term = YES


def both(*conditions: Term) -> Term:
    """Their conjunction, without what is true anyway."""
    kept = [condition for condition in conditions if not z3.is_true(condition)]
    return YES if not kept else kept[0] if len(kept) == 1 else z3.And(*kept)


def fits(term: Term) -> Term:
    """Whether an integer has 64 bits."""
    if z3.is_int_value(term):
        return z3.BoolVal(INT64_MIN <= term.as_long() <= INT64_MAX)
    return z3.And(term >= INT64_MIN, term <= INT64_MAX)


def product(items: Items) -> Value:
    """The product of as many items as there are, checked after each factor."""
    term, ok = z3.IntVal(1), YES
    for index, item in enumerate(items.items):
        inside = items.length > index
        term = z3.If(inside, term * item, term)
        ok = both(ok, fits(term))
    return Value(term, ok)


def compared(op: str, left: Term, right: Term) -> Term:
    """Whether a comparison holds."""
    if isinstance(left, Items):
        same = same_run(left, right, z3.IntVal(0), left.length == right.length)
        return same if op == "==" else z3.Not(same)
    if z3.is_fp(left) or z3.is_fp(right):
        left, right = _wide(left), _wide(right)
        equal = z3.fpEQ(left, right)
        table = {
            "==": equal,
            "!=": z3.Not(equal),
            "<": z3.fpLT(left, right),
            "<=": z3.fpLEQ(left, right),
            ">": z3.fpGT(left, right),
            ">=": z3.fpGEQ(left, right),
        }
        return table[op]
    left, right = (_as_int(term, other) for term, other in ((left, right), (right, left)))
    operations: dict[str, Callable[[Term, Term], Term]] = {
        "==": lambda a, b: a == b,
        "!=": lambda a, b: a != b,
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
    }
    return operations[op](left, right)


def same_run(whole: Items, run: Items, start: Term, condition: Term) -> Term:
    """``condition``, and that ``run`` is what stands in ``whole`` from ``start`` on."""
    equal = [
        z3.Implies(run.length > index, at(whole, start + index) == item)
        for index, item in enumerate(run.items)
    ]
    return z3.And(condition, *equal)


def either(test: Term, then: Term, other: Term) -> Term:
    """One of two terms, or of two runs."""
    if isinstance(then, Items) and isinstance(other, Items):
        pairs = zip(then.items, other.items, strict=False)
        items = tuple(z3.If(test, a, b) for a, b in pairs)
        return Items(z3.If(test, then.length, other.length), items)
    return z3.If(test, then, other)


def floor(a: Term, b: Term) -> Term:
    """``a / b`` rounded down; the solver's own division leaves a remainder that is never negative."""
    if z3.is_int_value(b):
        return a / b if b.as_long() > 0 else (-a) / (-b)
    return z3.If(b > 0, a / b, (-a) / (-b))


def at(items: Items, index: Term) -> Term:
    """The item at a place."""
    index = z3.simplify(index)
    if z3.is_int_value(index) and 0 <= index.as_long() < len(items.items):
        return items.items[index.as_long()]
    term = items.items[-1] if items.items else z3.IntVal(0)
    for number, item in enumerate(items.items[:-1]):
        term = z3.If(index == number, item, term)
    return term


def smaller(a: Term, b: Term) -> Term:
    """The smaller one."""
    return z3.If(a <= b, a, b)


def larger(a: Term, b: Term) -> Term:
    """The larger one."""
    return z3.If(a >= b, a, b)


def _wide(term: Term) -> Term:
    if z3.is_fp(term):
        return term
    if z3.is_int_value(term):
        return z3.FPVal(float(term.as_long()), z3.Float64())
    raise UnsupportedError("an integer compared with a float")


def _as_int(term: Term, other: Term) -> Term:
    return z3.If(term, 1, 0) if z3.is_bool(term) and z3.is_int(other) else term


def choice(test: Value, then: Value, other: Value) -> Value:
    """One of two values, of which the other is not evaluated."""
    term = either(test.term, then.term, other.term)
    ok = YES if z3.is_true(then.ok) and z3.is_true(other.ok) else z3.If(test.term, then.ok, other.ok)
    return Value(term, both(test.ok, ok))
