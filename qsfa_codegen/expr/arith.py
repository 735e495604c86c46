"""The C++ object through which generated code does arithmetic that can fail."""

from __future__ import annotations

import re
from collections.abc import Iterable

_OVERFLOW = "// int64 arithmetic. Overflow sets `failed` and gives 0.\n"
_DIVISION = "// int64 arithmetic that rounds down. Overflow and division by zero set `failed` and give 0.\n"
_HEAD = """\
struct Arith {
    bool failed = false;
"""
_TAIL = "};\n"

# In the order of the text; each member names those that it calls.
_MEMBERS: dict[str, tuple[tuple[str, ...], str]] = {
    "Keep": (
        (),
        """\
    int64_t Keep(bool bad, int64_t value)
    {
        failed = failed || bad;
        return bad ? 0 : value;
    }
""",
    ),
    "Add": (
        ("Keep",),
        """\
    int64_t Add(int64_t a, int64_t b)
    {
        int64_t sum = 0;
        const bool bad = __builtin_add_overflow(a, b, &sum);
        return Keep(bad, sum);
    }
""",
    ),
    "Sub": (
        ("Keep",),
        """\
    int64_t Sub(int64_t a, int64_t b)
    {
        int64_t difference = 0;
        const bool bad = __builtin_sub_overflow(a, b, &difference);
        return Keep(bad, difference);
    }
""",
    ),
    "Mul": (
        ("Keep",),
        """\
    int64_t Mul(int64_t a, int64_t b)
    {
        int64_t product = 0;
        const bool bad = __builtin_mul_overflow(a, b, &product);
        return Keep(bad, product);
    }
""",
    ),
    "Neg": (
        ("Sub",),
        """\
    int64_t Neg(int64_t a)
    {
        return Sub(0, a);
    }
""",
    ),
    "Abs": (
        ("Neg",),
        """\
    int64_t Abs(int64_t a)
    {
        return a < 0 ? Neg(a) : a;
    }
""",
    ),
    "Div": (
        ("Keep",),
        """\
    int64_t Div(int64_t a, int64_t b)
    {
        if (b == 0 || (a == INT64_MIN && b == -1)) {
            return Keep(true, 0);
        }
        const bool inexactBelowZero = a % b != 0 && (a < 0) != (b < 0);
        return a / b - (inexactBelowZero ? 1 : 0);
    }
""",
    ),
    "Mod": (
        ("Keep",),
        """\
    int64_t Mod(int64_t a, int64_t b)
    {
        if (b == 0 || b == -1) {
            return Keep(b == 0, 0);
        }
        const int64_t rest = a % b;
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
""",
    ),
    "CeilDiv": (
        ("Div", "Mod"),
        """\
    int64_t CeilDiv(int64_t a, int64_t b)
    {
        const int64_t floor = Div(a, b);
        return Mod(a, b) == 0 ? floor : floor + 1;
    }
""",
    ),
    "AlignUp": (
        ("Add", "Keep", "Mod"),
        """\
    int64_t AlignUp(int64_t a, int64_t b)
    {
        const int64_t rest = Mod(a, b);
        return rest == 0 ? Keep(b == 0, a) : Add(a, b - rest);
    }
""",
    ),
    "IsPowerOfTwo": (
        (),
        """\
    static bool IsPowerOfTwo(int64_t a)
    {
        return a > 0 && (a & (a - 1)) == 0;
    }
""",
    ),
}


def arith_struct(texts: Iterable[str]) -> str:
    """``struct Arith`` with the members that the C++ ``texts`` call; "" when they call none."""
    called = set(re.findall(r"\.([A-Z]\w*)\(", "\n".join(texts))) & _MEMBERS.keys()
    return _struct(called) if called else ""


def _struct(members: Iterable[str]) -> str:
    needed: set[str] = set()
    pending = list(members)
    while pending:
        name = pending.pop()
        needed.add(name)
        pending.extend(_MEMBERS[name][0])
    bodies = (text for name, (_, text) in _MEMBERS.items() if name in needed)
    comment = _DIVISION if needed & {"Div", "Mod"} else _OVERFLOW
    return comment + _HEAD + "".join(f"\n{body}" for body in bodies) + _TAIL


ARITH_STRUCT = _struct(_MEMBERS)
