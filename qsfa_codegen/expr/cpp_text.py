"""Pieces of C++ text with their precedence, so that only needed parentheses are written."""

from __future__ import annotations

import re

from msgspec import Struct

from qsfa_codegen.expr.bounds import Bound
from qsfa_codegen.expr.floats import shortest
from qsfa_codegen.expr.limits import INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN

PRIMARY, UNARY, MULTIPLICATIVE, ADDITIVE, RELATIONAL, EQUALITY, AND, OR, TERNARY = range(9, 0, -1)

_PRECEDENCE = {
    **dict.fromkeys(("*", "/", "%"), MULTIPLICATIVE),
    **dict.fromkeys(("+", "-"), ADDITIVE),
    **dict.fromkeys(("<", "<=", ">", ">="), RELATIONAL),
    **dict.fromkeys(("==", "!="), EQUALITY),
    "&&": AND,
    "||": OR,
    "?": TERNARY,
}
_UNARY_OPERATORS = tuple("!-*&")
_NAMED_INTEGERS = {
    INT64_MAX: "INT64_MAX",
    INT64_MIN: "INT64_MIN",
    INT32_MAX: "INT32_MAX",
    INT32_MIN: "INT32_MIN",
}


class Piece(Struct, frozen=True):
    """C++ of one expression.

    ``checked``: it uses the arith object. ``narrow``: its C++ type is int, because it is made of
    int literals alone. ``bound`` holds for every value it can have, failed arithmetic included.
    """

    text: str
    precedence: int
    bound: Bound
    checked: bool = False
    narrow: bool = False

    def at_least(self, precedence: int) -> str:
        """The text, in parentheses when it binds less tightly than ``precedence``."""
        return self.text if self.precedence >= precedence else f"({self.text})"

    @property
    def wide(self) -> Piece:
        """The piece as int64_t."""
        if not self.narrow:
            return self
        return Piece(f"static_cast<int64_t>({self.text})", PRIMARY, self.bound, self.checked)


def precedence_of(text: str) -> int:
    """Precedence of C++ text that was written with spaces around its binary operators."""
    if " " not in text:
        return UNARY if text[:1] in _UNARY_OPERATORS else PRIMARY
    flat = text
    while (shorter := re.sub(r"\([^()]*\)|\[[^][]*\]|\{[^{}]*\}|\"(?:\\.|[^\"])*\"", "", flat)) != flat:
        flat = shorter
    found = [_PRECEDENCE[word] for word in flat.split() if word in _PRECEDENCE]
    if found:
        return min(found)
    return UNARY if flat[:1] in _UNARY_OPERATORS else PRIMARY


def integer(value: int) -> str:
    """An int64 literal; the limits by name, since INT64_MIN has no literal of its own."""
    return _NAMED_INTEGERS.get(value) or str(value)


def string(value: str) -> str:
    """A C++ string literal with the UTF-8 bytes of ``value``."""
    return '"' + "".join(_character(byte) for byte in value.encode("utf-8")) + '"'


def _character(byte: int) -> str:
    # Three octal digits end the escape, whatever follows; `?` could start a trigraph.
    plain = 0x20 <= byte < 0x7F and chr(byte) not in '"\\?'
    return chr(byte) if plain else f"\\{byte:03o}"


def float_text(value: float) -> str:
    """A literal of exactly this number, as short as that goes: ``0.5``, ``0.1f``."""
    short = shortest(value)
    return repr(value) if short == value else f"{short!r}f"
