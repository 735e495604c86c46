"""Conditions that no legal sizes can meet: proven from the ranges and the multiples of the dims.

Sound, not exact: what is called impossible is; much that is impossible too is not seen.
"""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

from qsfa_codegen.expr.bounds import Ranges as Leaves
from qsfa_codegen.expr.bounds import assume, value_range
from qsfa_codegen.expr.interval import Interval
from qsfa_codegen.expr.memo import once_an_operator
from qsfa_codegen.expr.nodes import (
    BOOL,
    INT,
    Arith,
    Compare,
    Contains,
    Expr,
    Literal,
    Logic,
    Negate,
    Ref,
    RefKind,
)
from qsfa_codegen.expr.relations import MIRROR
from qsfa_codegen.spec.model import Operator
from qsfa_codegen.spec.ranges import Ranges


class _Class(NamedTuple):
    """Whole numbers that leave ``rest`` when divided by ``modulus``; modulus 0: ``rest`` alone."""

    modulus: int
    rest: int

    def within(self, values: Interval) -> Interval:
        """The least interval with every member that lies in ``values``."""
        if not self.modulus:
            return values.meet(Interval(self.rest, self.rest))
        low = values.low + (self.rest - values.low) % self.modulus
        return Interval(low, values.high - (values.high - self.rest) % self.modulus)

    def meets(self, other: _Class) -> bool:
        """Whether some number may be in both."""
        common = gcd(self.modulus, other.modulus)
        difference = self.rest - other.rest
        return difference % common == 0 if common else difference == 0


_ANY = _Class(1, 0)


class Impossible:
    """Judges conditions of one operator over calls whose attributes and dims are legal."""

    def __init__(self, operator: Operator) -> None:
        self._ranges = Ranges(operator)
        self._consts = {const.name: const.value for const in operator.consts}
        self._dims = {dim.name: dim for dim in operator.dims}
        self._lets = {let.name: let.value for let in operator.lets}
        self._classes: dict[tuple[RefKind, str], _Class] = {}

    def never(self, condition: Expr, when: Expr | None = None) -> bool:
        """Whether ``condition`` is false, or cannot be evaluated, wherever ``when`` holds."""
        leaves: Leaves = self._ranges
        if when is not None:
            if self._never(when, leaves):
                return False
            leaves = assume(when, True, leaves)
        return self._never(condition, leaves)

    def _never(self, condition: Expr, leaves: Leaves) -> bool:
        match condition:
            case Logic(op="and", operands=operands):
                return any(self._never(operand, leaves) for operand in operands)
            case Logic(operands=operands):
                return all(self._never(operand, leaves) for operand in operands)
            case Compare(op=op, left=left, right=right) if left.type == INT:
                return self._never_compares(op, left, right, leaves)
            case Contains(item=item, options=options, negated=False) if item.type == INT:
                return all(self._never_compares("==", item, option, leaves) for option in options)
        return condition.type == BOOL and value_range(condition, leaves) == Interval(0, 0)

    def _never_compares(self, op: str, left: Expr, right: Expr, leaves: Leaves) -> bool:
        if op in (">", ">="):
            return self._never_compares(MIRROR[op], right, left, leaves)
        mine, other = self.class_of(left), self.class_of(right)
        a = mine.within(value_range(left, leaves))
        b = other.within(value_range(right, leaves))
        if a.empty or b.empty:
            return False  # nothing legal comes here, which other rules report
        match op:
            case "==":
                return a.meet(b).empty or not mine.meets(other)
            case "!=":
                return a.low == a.high == b.low == b.high
            case "<":
                return a.low >= b.high
        return a.low > b.high

    def class_of(self, expr: Expr) -> _Class:
        """What division leaves of every value that an expression of whole numbers can have."""
        match expr:
            case Literal(value=int() as value):
                return _Class(0, int(value))
            case Ref(kind=kind, name=name):
                if (kind, name) not in self._classes:
                    self._classes[kind, name] = self._class_of_name(kind, name)
                return self._classes[kind, name]
            case Negate(operand=operand):
                modulus, rest = self.class_of(operand)
                return _normal(modulus, -rest)
            case Arith(op=op, left=left, right=right):
                return _combined(op, self.class_of(left), self.class_of(right))
        return _ANY

    def _class_of_name(self, kind: RefKind, name: str) -> _Class:
        match kind:
            case RefKind.CONST:
                return _Class(0, self._consts[name])
            case RefKind.LET:
                return self.class_of(self._lets[name])
            case RefKind.DIM:
                dim = self._dims[name]
                if dim.derived is not None:
                    return self.class_of(dim.derived)
                step = _ANY if dim.multiple_of is None else self.class_of(dim.multiple_of)
                return _normal(gcd(step.modulus, step.rest), 0)
        return _ANY


def _normal(modulus: int, rest: int) -> _Class:
    return _Class(modulus, rest % modulus if modulus else rest)


def _combined(op: str, a: _Class, b: _Class) -> _Class:
    match op:
        case "+":
            return _normal(gcd(a.modulus, b.modulus), a.rest + b.rest)
        case "-":
            return _normal(gcd(a.modulus, b.modulus), a.rest - b.rest)
        case "*":
            cross = gcd(a.modulus * b.modulus, a.modulus * b.rest, b.modulus * a.rest)
            return _normal(cross, a.rest * b.rest)
        case "%":
            # What is taken away is a multiple of the divisor, whichever way division rounds.
            return _normal(gcd(a.modulus, b.modulus, b.rest), a.rest)
    return _ANY


@once_an_operator
def impossible(operator: Operator) -> Impossible:
    """The judge of an operator, with what earlier questions found out."""
    return Impossible(operator)
