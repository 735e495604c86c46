"""Reading what a kernel family needs out of a spec. What cannot be told ends in a FamilyError."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from qsfa_codegen.spec.model import DimItem, Shape, Table

T = TypeVar("T")


class FamilyError(Exception):
    """A fact cannot be told from the spec; the message is what the spec lacks."""


def needed(value: T | None, lacking: str) -> T:
    """``value``, which is there; ``lacking`` says what is not where it is None."""
    if value is None:
        raise FamilyError(lacking)
    return value


def by_case(choice: T | Table[T] | None, what: str = "a choice") -> Mapping[str, T]:
    """The entries of a choice that goes by one selector."""
    if not isinstance(choice, Table):
        raise FamilyError(f"{what} does not go by an attribute")
    return {label: value for label, value in choice.cases if not isinstance(value, Table)}


def dim_name(shape: Shape | None, axis: int) -> str:
    """The name of the size of an axis."""
    item = None if shape is None else shape.items[axis]
    return needed(item.dim if isinstance(item, DimItem) else None, "a size of a layout has no name")
