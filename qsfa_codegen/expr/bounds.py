"""Which int64 values an expression can have, and whether evaluating it can fail.

Sound, not exact: every value that evaluation gives lies inside the interval, and "cannot fail" is
said only where it is proven. Presence of a value (a table without the current case, an absent
input) is not looked at here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from qsfa_codegen.expr import interval as iv
from qsfa_codegen.expr.build import strip
from qsfa_codegen.expr.functions import FUNCTIONS
from qsfa_codegen.expr.interval import EMPTY, TOP, Interval
from qsfa_codegen.expr.limits import INT32_MAX, INT64_MAX
from qsfa_codegen.expr.nodes import (
    BOOL,
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
    children,
)
from qsfa_codegen.expr.relations import MIRROR, OPPOSITE

__all__ = [
    "Interval",
    "Ranges",
    "assume",
    "decide",
    "fits",
    "interval",
    "may_fail",
    "nonzero",
    "value_range",
]

Ranges = Callable[[Expr], Interval | None]


class Bound(Struct, frozen=True):
    """Values that an int64 or bool (0, 1) expression can have, and whether it cannot fail.

    ``fails`` says whether its outermost operation can, given operands that did not.
    """

    values: Interval
    safe: bool = True
    fails: bool = False


_TRUTH = Interval(0, 1)
_ZERO = Interval(0, 0)


def interval(expr: Expr, ranges: Ranges) -> Interval | None:
    """Values that ``expr`` can have; None when it may fail or is not int64.

    ``ranges`` answers for names, facts about inputs, subscripts and calls that only the operator
    knows: None where it knows no more than their type.
    """
    bound = Facts(ranges).bound(expr)
    return bound.values if bound.safe and expr.type == INT else None


def value_range(expr: Expr, ranges: Ranges, zero_on_failure: bool = False) -> Interval:
    """Values that ``expr`` can have where evaluating it does not fail.

    With ``zero_on_failure`` also those that generated code goes on with after a failure.
    """
    return Facts(ranges, zero_on_failure).bound(expr).values


def may_fail(expr: Expr, ranges: Ranges) -> bool:
    """Whether an overflow or a division by zero cannot be excluded."""
    return not Facts(ranges).bound(expr).safe


def fits(expr: Expr, ranges: Ranges, low: int, high: int) -> bool:
    """Whether ``expr`` is proven to have a value, and one from ``low`` to ``high``."""
    known = interval(expr, ranges)
    return known is not None and (known.empty or (low <= known.low and known.high <= high))


def nonzero(expr: Expr, ranges: Ranges) -> bool:
    """Whether ``expr`` is proven never to be 0."""
    return 0 not in value_range(expr, ranges)


def decide(expr: Expr, ranges: Ranges) -> bool | None:
    """The value of a bool expression where it is proven and cannot fail."""
    bound = Facts(ranges).bound(expr)
    return _decided(bound) if bound.safe else None


def assume(test: Expr, holds: bool, ranges: Ranges) -> Ranges:
    """``ranges``, refined by knowing that ``test`` is true (or, not ``holds``, false)."""
    return Facts(ranges).assume(test, holds).leaf


def _decided(bound: Bound) -> bool | None:
    return bool(bound.values.low) if bound.values.low == bound.values.high else None


class Facts(Struct, frozen=True):
    """What is known where an expression stands.

    ``known`` refines ``ranges`` by the tests that were passed. With ``zero_on_failure`` a failed
    operation goes on with 0, as generated code does, and the bounds hold for that too.
    """

    ranges: Ranges
    zero_on_failure: bool = False
    known: Mapping[object, Interval] = field(default_factory=dict)
    _bounds: dict[int, tuple[Expr, Bound]] = field(default_factory=dict)  # by identity; keeps trees alive

    def bound(self, expr: Expr) -> Bound:
        """The bound of ``expr``."""
        entry = self._bounds.get(id(expr))
        if entry is None:
            entry = self._bounds[id(expr)] = (expr, self._bound(expr))
        return entry[1]

    def _bound(self, expr: Expr) -> Bound:
        match expr:
            case Conditional(test=test, then=then, otherwise=otherwise):
                return self._conditional(test, then, otherwise)
            case Logic(op=op, operands=operands):
                return self._logic(op == "or", operands)
            case Select():
                branches = [self.bound(branch) for branch in children(expr)]
                values = iv.hull(branch.values for branch in branches[1:])
                return Bound(values, all(branch.safe for branch in branches))
        return self.step(expr, [self.bound(child) for child in children(expr)])

    def step(self, expr: Expr, bounds: Sequence[Bound]) -> Bound:
        """The bound of ``expr``, which evaluates all its children, from theirs."""
        exact = self._exact(expr, [bound.values for bound in bounds])
        values = exact.clipped
        fails = values != exact or self._fails_in_range(expr, bounds)
        safe, reached = True, True
        for bound in bounds:
            safe = safe and bound.safe
            reached = reached and not bound.values.empty
        if not reached:
            return Bound(EMPTY, safe, fails)
        if not fails:
            return Bound(values, safe)
        return Bound(values.join(_ZERO) if self.zero_on_failure else values, False, True)

    def _exact(self, expr: Expr, values: list[Interval]) -> Interval:
        """Results of the operation on exact integers; what the type allows where nothing is known."""
        result = _RESULTS.get(type(expr))
        known = None if result is None else result(self, expr, values)
        if known is None:
            return _TRUTH if expr.type == BOOL else TOP
        return known

    def _fails_in_range(self, expr: Expr, bounds: Sequence[Bound]) -> bool:
        """Whether the operation can fail although its exact result is an int64."""
        match expr:
            case Arith(op="//" | "%") | Call(function="ceil_div" | "align_up"):
                return 0 in bounds[1].values
            case ParamQuery(query=Query.NUMEL) | Call(function="prod"):
                # Factors that are not in the tree are multiplied.
                return self.ranges(expr) is None
        return False

    def leaf(self, expr: Expr) -> Interval | None:
        """What ``ranges``, the tests passed and the kind of leaf say together; None for nothing."""
        known = self.ranges(expr)
        least = _least(expr)
        if least is not None:
            known = least if known is None else known.meet(least)
        if self.known:
            refined = self.known.get(strip(expr))
            if refined is not None:
                known = refined if known is None else known.meet(refined)
        return known

    def _conditional(self, test: Expr, then: Expr, otherwise: Expr) -> Bound:
        condition = self.bound(test)
        decided = _decided(condition)
        branches = []
        if decided is not False:
            branches.append(self.assume(test, True).bound(then))
        if decided is not True:
            branches.append(self.assume(test, False).bound(otherwise))
        safe = condition.safe and all(branch.safe for branch in branches)
        return Bound(iv.hull(branch.values for branch in branches), safe)

    def _logic(self, decisive: bool, operands: Sequence[Expr]) -> Bound:
        """``and`` (``or``) stops at the first false (true) operand."""
        facts, safe, undecided = self, True, False
        for operand in operands:
            bound = facts.bound(operand)
            safe = safe and bound.safe
            value = _decided(bound)
            if value is decisive:
                return Bound(Interval(decisive, decisive), safe)
            undecided = undecided or value is None
            facts = facts.assume(operand, not decisive)
        return Bound(_TRUTH if undecided else Interval(not decisive, not decisive), safe)

    def assume(self, test: Expr, holds: bool) -> Facts:
        """These facts where ``test`` turned out to be ``holds``."""
        match test:
            case Not(operand=operand):
                return self.assume(operand, not holds)
            case Logic(op=op, operands=operands) if (op == "and") is holds:
                facts = self
                for operand in operands:
                    facts = facts.assume(operand, holds)
                return facts
            case Compare(op=op, left=left, right=right) if left.type == INT:
                op = op if holds else OPPOSITE[op]
                facts = self._narrow(left, _solutions(op, self.bound(right).values, self.bound(left).values))
                return facts._narrow(
                    right, _solutions(MIRROR[op], self.bound(left).values, self.bound(right).values)
                )
            case Contains(item=item, options=options, negated=negated) if item.type == INT:
                if holds is not negated:
                    return self._narrow(item, iv.hull(self.bound(option).values for option in options))
            case Ref() if test.type == BOOL:
                return self._narrow(test, Interval(holds, holds))
        return self

    def _narrow(self, expr: Expr, values: Interval) -> Facts:
        if not isinstance(expr, (Ref, ParamQuery, Subscript, Call)):
            return self
        before = self.bound(expr).values
        narrowed = values.meet(before)
        if narrowed == before:
            return self  # whose bounds are worked out already
        return Facts(self.ranges, self.zero_on_failure, {**self.known, strip(expr): narrowed})


_ARITH: dict[str, Callable[[Interval, Interval], Interval]] = {
    "+": iv.add,
    "-": iv.sub,
    "*": iv.mul,
    "//": iv.div,
    "%": iv.mod,
}
_CALLS: dict[str, Callable[..., Interval]] = {
    "ceil_div": iv.ceil_div,
    "align_up": iv.align_up,
    "abs": iv.absolute,
    "min": iv.least,
    "max": iv.largest,
}


def _of_literal(facts: Facts, expr: Literal, values: Sequence[Interval]) -> Interval | None:
    return Interval(int(expr.value), int(expr.value)) if expr.type in _WHOLE else None


def _of_leaf(facts: Facts, expr: Expr, values: Sequence[Interval]) -> Interval | None:
    return facts.leaf(expr) if expr.type in _WHOLE else None


def _of_compare(facts: Facts, expr: Compare, values: Sequence[Interval]) -> Interval | None:
    return _compared(expr.op, *values) if expr.left.type in _WHOLE else None


def _of_contains(facts: Facts, expr: Contains, values: Sequence[Interval]) -> Interval | None:
    return _contained(expr.negated, values[0], values[1:]) if expr.item.type == INT else None


def _of_call(facts: Facts, expr: Call, values: Sequence[Interval]) -> Interval | None:
    if expr.type != INT:
        return None
    known = _CALLS.get(expr.function)
    return known(*values) if known else facts.leaf(expr)


_WHOLE = (INT, BOOL)
_RESULTS: dict[type, Callable[[Facts, Any, Sequence[Interval]], Interval | None]] = {
    Literal: _of_literal,
    Ref: _of_leaf,
    ParamQuery: _of_leaf,
    Subscript: _of_leaf,
    Negate: lambda facts, expr, values: iv.neg(values[0]) if expr.type == INT else None,
    Arith: lambda facts, expr, values: _ARITH[expr.op](*values) if expr.type == INT else None,
    Not: lambda facts, expr, values: Interval(1 - values[0].high, 1 - values[0].low),
    Compare: _of_compare,
    Contains: _of_contains,
    Call: _of_call,
}


def _solutions(op: str, other: Interval, mine: Interval) -> Interval:
    """Values of ``mine`` that stand in relation ``op`` to some value of ``other``."""
    match op:
        case "==":
            return other.meet(mine)
        case "!=":
            return mine.without(other.low) if other.low == other.high else mine
        case "<" | "<=":
            return Interval(mine.low, min(mine.high, other.high - (op == "<")))
        case _:
            return Interval(max(mine.low, other.low + (op == ">")), mine.high)


def _compared(op: str, a: Interval, b: Interval) -> Interval:
    """Truth values of ``a op b``."""
    if op in ("!=", ">=", ">"):
        opposite = _compared(OPPOSITE[op], a, b)
        return Interval(1 - opposite.high, 1 - opposite.low)
    if op == "==":
        always, never = a.low == a.high == b.low == b.high, a.meet(b).empty
    elif op == "<":
        always, never = a.high < b.low, a.low >= b.high
    else:
        always, never = a.high <= b.low, a.low > b.high
    return Interval(int(always), int(not never))


def _contained(negated: bool, item: Interval, options: Sequence[Interval]) -> Interval:
    found = [_compared("==", item, option) for option in options]
    truth = Interval(max(f.low for f in found), max(f.high for f in found))
    return Interval(1 - truth.high, 1 - truth.low) if negated else truth


def _least(expr: Expr) -> Interval | None:
    """What the kind of leaf alone guarantees."""
    match expr:
        case ParamQuery(query=Query.RANK | Query.COUNT):
            return Interval(0, INT32_MAX)
        case Ref(kind=RefKind.PLATFORM):
            return Interval(0, INT64_MAX)
        case Call(function=function) if function in FUNCTIONS:
            least = FUNCTIONS[function].least
            return None if least is None else Interval(least, INT64_MAX)
    return None
