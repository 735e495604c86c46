"""What the language can say about runs of dims and about the elements of a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from qsfa_codegen.expr.values import UNKNOWN, Unknown

Dims = tuple[int | Unknown, ...]


def same_dims(a: Dims, b: Dims) -> bool | Unknown:
    """Whether two runs are equal; UNKNOWN when only unknown dims could tell."""
    if len(a) != len(b):
        return False
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
    if any(x is not UNKNOWN and y is not UNKNOWN for x, y in pairs):
        return False
    return UNKNOWN if pairs or UNKNOWN in a else True


def starts_with(whole: Dims, run: Dims) -> bool | Unknown:
    """Whether ``whole`` begins with ``run``."""
    return same_dims(whole[: len(run)], run)


def ends_with(whole: Dims, run: Dims) -> bool | Unknown:
    """Whether ``whole`` ends with ``run``."""
    return same_dims(whole[max(0, len(whole) - len(run)) :], run)


def all_between(elements: Sequence[int], low: int, high: int) -> bool:
    """Whether every element is at least ``low`` and at most ``high``."""
    return all(low <= element <= high for element in elements)


def non_decreasing(elements: Sequence[int]) -> bool:
    """Whether no element is below the one before it."""
    return all(a <= b for a, b in pairwise(elements))


def padded_with(elements: Sequence[int], pad: int, width: int) -> bool:
    """Whether in every row of ``width`` elements nothing but ``pad`` follows the first ``pad``."""
    inside_rows = (i for i in range(1, len(elements)) if i % width)
    return all(elements[i] == pad or elements[i - 1] != pad for i in inside_rows)
