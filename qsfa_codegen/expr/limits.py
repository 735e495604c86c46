"""Limits of int64 and the limits that expressions may name."""

from __future__ import annotations

INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1
INT32_MIN = -(2**31)
INT32_MAX = 2**31 - 1
UINT32_MAX = 2**32 - 1

NAMED_LIMITS: dict[str, int] = {
    "INT64_MAX": INT64_MAX,
    "INT64_MIN": INT64_MIN,
    "INT32_MAX": INT32_MAX,
    "INT32_MIN": INT32_MIN,
    "UINT32_MAX": UINT32_MAX,
}


def in_int64(value: int) -> bool:
    """Whether ``value`` fits in 64 signed bits."""
    return INT64_MIN <= value <= INT64_MAX
