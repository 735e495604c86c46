"""Kinds of values that are written as labels: enums, dtypes, chips and architectures."""

from __future__ import annotations

from collections.abc import Collection

from qsfa_codegen.expr.nodes import Kind, Type
from qsfa_codegen.expr.scope import Scope


def labels_of(type: Type, scope: Scope) -> Collection[str] | None:
    """Labels of the type, None when its values are not labels."""
    if type.kind is Kind.ENUM and type.enum is not None:
        return scope.enums.get(type.enum, {}).keys()
    if type.kind is Kind.DTYPE:
        return scope.dtypes
    if type.kind is Kind.CHIP:
        return scope.chips
    if type.kind is Kind.ARCH:
        return scope.archs
    return None


def describe(type: Type) -> str:
    """What a label of the type is called in a message."""
    own = {Kind.DTYPE: "a dtype", Kind.CHIP: "a chip", Kind.ARCH: "an architecture"}
    return own.get(type.kind) or f"a label of {type}"


def is_label_somewhere(name: str, scope: Scope) -> bool:
    """Whether some type has this label."""
    return any(name in codes for codes in scope.enums.values()) or name in scope.chips | scope.archs
