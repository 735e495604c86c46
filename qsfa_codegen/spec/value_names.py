"""What code calls accepted values of attributes: the constant of a mode, or the one that a spec writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from qsfa_codegen.expr.memo import once_an_operator
from qsfa_codegen.spec.model import AttrType, NamedValue, leaves
from qsfa_codegen.spec.names import upper

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Attr, Operator

# How other constants of generated code begin, those of the C++ library included.
_TAKEN = ("ATTR_", "DEFAULT_", "FORMAT_", "INPUT_", "INT", "INVALID_", "OUTPUT_", "UINT", "UNKNOWN_")


def value_constants(operator: Operator) -> Mapping[str, int]:
    """The constants of named modes with their values, in the order of the attributes."""
    return {name: value for name, value in _of_modes(operator).values() if name}


def constant_of(operator: Operator, attr: Attr, value: NamedValue) -> str:
    """The constant that stands for an accepted value; empty where that has no name in code."""
    if value.const is not None:
        return value.const
    return _of_modes(operator).get((attr.name, value.name or ""), ("", 0))[0]


@once_an_operator
def _of_modes(operator: Operator) -> dict[tuple[str, str], tuple[str, int]]:
    """By attribute and mode: the name of its constant, which is empty where something else has it."""
    taken = {const.name for const in operator.consts}
    found: dict[tuple[str, str], tuple[str, int]] = {}
    for attr, mode, value in _modes(operator):
        name = f"{upper(attr.name)}_{upper(mode)}"
        free = name not in taken and not name.startswith(_TAKEN) and (attr.name, mode) not in found
        taken.add(name)
        if free:
            found[attr.name, mode] = (name, value)
    return found


def _modes(operator: Operator) -> Iterator[tuple[Attr, str, int]]:
    for attr in operator.attrs:
        if attr.type is not AttrType.INT or attr.domain is None:
            continue
        named = {(v.name, v.value) for domain in leaves(attr.domain) for v in domain.values if v.name}
        for name, value in sorted(named, key=lambda pair: (pair[1], pair[0])):
            # A mode with several values has no constant.
            if isinstance(value, int) and sum(other == name for other, _ in named) == 1:
                yield attr, name or "", value
