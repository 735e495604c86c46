"""What names mean where an expression stands."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from qsfa_codegen.expr.nodes import Expr, RefKind, Type


class Symbol(Struct, frozen=True):
    """A name of the spec. ``exists_when`` None: everywhere; else the value is unbound elsewhere."""

    kind: RefKind
    name: str
    type: Type
    exists_when: Expr | None = None


class ExternSymbol(Struct, frozen=True):
    """A pure function that the spec declares."""

    name: str
    args: tuple[Type, ...]
    returns: Type


class Scope(Struct, frozen=True):
    """Everything an expression may name.

    ``params`` are the inputs, which only functions such as ``present(x)`` and ``dim(x, 0)`` take.
    ``records`` count as ``elements(record)`` / ``offset(record, field)``. ``groups`` says which
    groups of functions are open: "core" always, "contents" and "tiling" where they apply.
    """

    symbols: Mapping[str, Symbol] = field(default_factory=dict)
    params: frozenset[str] = frozenset()
    enums: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    dtypes: frozenset[str] = frozenset()
    chips: frozenset[str] = frozenset()
    archs: frozenset[str] = frozenset()
    records: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    externs: Mapping[str, ExternSymbol] = field(default_factory=dict)
    groups: frozenset[str] = frozenset({"core"})
