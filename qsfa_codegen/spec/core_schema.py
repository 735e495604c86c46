"""What an unquoted YAML scalar means: the core schema of YAML 1.2, without its traps."""

from __future__ import annotations

import math
import re

ScalarValue = str | int | float | bool | None

_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
# A leading zero makes a string: it means octal to some readers and decimal to others.
_DECIMAL = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_RADIX = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITY = re.compile(r"([-+]?)\.(?:inf|Inf|INF)")
_NAN = re.compile(r"\.(?:nan|NaN|NAN)")
_ZERO_LED = re.compile(r"[-+]?0[0-9]+")
_NUMBER_STARTS = frozenset("+-.0123456789")
_INT64_MIN, _INT64_MAX = -(1 << 63), (1 << 63) - 1
_MOST_INT64_CHARACTERS = 24  # sign, 0o and 21 octal digits


class OutOfRangeError(ValueError):
    """A number that its type cannot hold; ``limit`` says what the type can."""

    def __init__(self, limit: str) -> None:
        self.limit = limit
        super().__init__(limit)


_INT64_LIMIT = "integers have 64 bits"
_DOUBLE_LIMIT = "the largest finite float is about 1.8e308, and infinity is written .inf"


def resolve(text: str) -> ScalarValue:
    """The value of a plain scalar. Raises OutOfRangeError.

    >>> [resolve(text) for text in ("1e-6", "off", "010", "16:32", "~", "0x10", "true")]
    [1e-06, 'off', '010', '16:32', None, 16, True]
    """
    if text in _NULLS:
        return None
    if text in _BOOLS:
        return _BOOLS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    return _number(text)


def _number(text: str) -> ScalarValue:
    if _DECIMAL.fullmatch(text) or _RADIX.fullmatch(text):
        return _int64(text)
    if _FLOAT.fullmatch(text) and not _ZERO_LED.fullmatch(text):
        return _double(text)
    if infinity := _INFINITY.fullmatch(text):
        return -math.inf if infinity.group(1) == "-" else math.inf
    return math.nan if _NAN.fullmatch(text) else text


def _int64(text: str) -> int:
    if len(text) > _MOST_INT64_CHARACTERS:
        raise OutOfRangeError(_INT64_LIMIT)
    number = int(text, 0)
    if not _INT64_MIN <= number <= _INT64_MAX:
        raise OutOfRangeError(_INT64_LIMIT)
    return number


def _double(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise OutOfRangeError(_DOUBLE_LIMIT)
    return number
