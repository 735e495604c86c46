"""int64 arithmetic with Python's floor semantics: a result that does not fit is an error."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from qsfa_codegen.expr.limits import INT64_MAX, INT64_MIN


def checked(value: int) -> int:
    """``value`` itself; OverflowError when it does not fit in int64."""
    if INT64_MIN <= value <= INT64_MAX:
        return value
    raise OverflowError


def add(a: int, b: int) -> int:
    """``a + b``."""
    return checked(a + b)


def sub(a: int, b: int) -> int:
    """``a - b``."""
    return checked(a - b)


def mul(a: int, b: int) -> int:
    """``a * b``."""
    return checked(a * b)


def div(a: int, b: int) -> int:
    """``a // b``, rounded down; ZeroDivisionError when b is 0."""
    return checked(a // b)


def mod(a: int, b: int) -> int:
    """``a % b`` with the sign of b; ZeroDivisionError when b is 0."""
    return a % b


def neg(a: int) -> int:
    """``-a``."""
    return checked(-a)


def absolute(a: int) -> int:
    """``|a|``."""
    return checked(abs(a))


def ceil_div(a: int, b: int) -> int:
    """``a / b`` rounded up; ZeroDivisionError when b is 0."""
    return checked(-(-a // b))


def align_up(a: int, b: int) -> int:
    """``ceil(a / b) * b``; only the result has to fit. ZeroDivisionError when b is 0."""
    return checked(-(-a // b) * b)


def product(values: Iterable[int]) -> int:
    """The product from left to right, checked after each factor; 1 when there are none."""
    total = 1
    for value in values:
        total = checked(total * value)
    return total


def is_power_of_two(a: int) -> bool:
    """Whether ``a`` is 1, 2, 4, 8, …."""
    return a > 0 and a & (a - 1) == 0


ARITHMETIC: dict[str, Callable[[int, int], int]] = {"+": add, "-": sub, "*": mul, "//": div, "%": mod}
