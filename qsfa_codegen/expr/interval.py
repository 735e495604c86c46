"""Intervals of int64 and what arithmetic does to them.

An operation gives the interval of its exact results, which may reach beyond int64: the caller clips
it and knows by that whether the operation can overflow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from qsfa_codegen.expr.limits import INT64_MAX, INT64_MIN


class Interval(Struct, frozen=True):
    """Every integer from ``low`` to ``high``; none when ``low`` is above ``high``."""

    low: int
    high: int

    def __contains__(self, value: int) -> bool:
        return self.low <= value <= self.high

    @property
    def empty(self) -> bool:
        """Whether it holds nothing: the expression is never reached."""
        return self.low > self.high

    @property
    def clipped(self) -> Interval:
        """The part of it that fits in int64; itself where that is all of it."""
        return self if self.low >= INT64_MIN and self.high <= INT64_MAX else self.meet(TOP)

    def join(self, other: Interval) -> Interval:
        """The least interval that holds both."""
        if self.empty or other.empty:
            return other if self.empty else self
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def meet(self, other: Interval) -> Interval:
        """What both hold."""
        return Interval(max(self.low, other.low), min(self.high, other.high))

    def without(self, value: int) -> Interval:
        """The interval when ``value`` is known not to occur: shorter only where it is an end."""
        return Interval(self.low + (self.low == value), self.high - (self.high == value))


TOP = Interval(INT64_MIN, INT64_MAX)
EMPTY = Interval(1, 0)


def hull(intervals: Iterable[Interval]) -> Interval:
    """The least interval that holds all of them."""
    result = EMPTY
    for interval in intervals:
        result = result.join(interval)
    return result


def add(a: Interval, b: Interval) -> Interval:
    """Sums."""
    return Interval(a.low + b.low, a.high + b.high)


def sub(a: Interval, b: Interval) -> Interval:
    """Differences."""
    return Interval(a.low - b.high, a.high - b.low)


def mul(a: Interval, b: Interval) -> Interval:
    """Products."""
    return _corners(lambda x, y: x * y, a, b)


def div(a: Interval, b: Interval) -> Interval:
    """Quotients rounded down, for divisors other than 0."""
    return hull(_corners(lambda x, y: x // y, a, part) for part in _signs(b))


def ceil_div(a: Interval, b: Interval) -> Interval:
    """Quotients rounded up, for divisors other than 0."""
    return hull(_corners(lambda x, y: -(-x // y), a, part) for part in _signs(b))


def mod(a: Interval, b: Interval) -> Interval:
    """Remainders with the sign of the divisor, for divisors other than 0."""
    positive, negative = _signs(b)
    return _mod_positive(a, positive).join(neg(_mod_positive(neg(a), neg(negative))))


def align_up(a: Interval, b: Interval) -> Interval:
    """``ceil(a / b) * b``, for steps other than 0."""
    positive, negative = _signs(b)
    # A negative step rounds down, which is rounding up on the other side of 0.
    return _align_positive(a, positive).join(neg(_align_positive(neg(a), neg(negative))))


def neg(a: Interval) -> Interval:
    """Negatives."""
    return Interval(-a.high, -a.low)


def absolute(a: Interval) -> Interval:
    """Absolute values."""
    low = 0 if 0 in a else min(abs(a.low), abs(a.high))
    return Interval(low, max(abs(a.low), abs(a.high)))


def least(*args: Interval) -> Interval:
    """Minima."""
    return Interval(min(a.low for a in args), min(a.high for a in args))


def largest(*args: Interval) -> Interval:
    """Maxima."""
    return Interval(max(a.low for a in args), max(a.high for a in args))


def _corners(function: Callable[[int, int], int], a: Interval, b: Interval) -> Interval:
    """The results of a function that is monotone in each argument."""
    if a.empty or b.empty:
        return EMPTY
    results = [function(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return Interval(min(results), max(results))


def _signs(b: Interval) -> tuple[Interval, Interval]:
    """The positive and the negative part."""
    return Interval(max(b.low, 1), b.high), Interval(b.low, min(b.high, -1))


def _mod_positive(a: Interval, b: Interval) -> Interval:
    if a.empty or b.empty:
        return EMPTY
    if b.low == b.high and a.low // b.low == a.high // b.low:
        return Interval(a.low % b.low, a.high % b.low)
    if a.low >= 0:
        return a if a.high < b.low else Interval(0, min(a.high, b.high - 1))
    return Interval(0, b.high - 1)


def _align_positive(a: Interval, b: Interval) -> Interval:
    if a.empty or b.empty:
        return EMPTY
    if b.low == b.high:
        return Interval(-(-a.low // b.low) * b.low, -(-a.high // b.low) * b.low)
    low = max(a.low, b.low) if a.low > 0 else a.low
    return Interval(low, a.high + b.high - 1 if a.high > 0 else 0)
