"""What a name or a quoted label in an expression stands for."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from qsfa_codegen.expr.functions import FUNCTIONS, PLATFORM_VALUES
from qsfa_codegen.expr.labels import describe, is_label_somewhere, labels_of
from qsfa_codegen.expr.limits import NAMED_LIMITS
from qsfa_codegen.expr.nodes import (
    ARCH,
    BOOL,
    CHIP,
    DTYPE,
    INT,
    STRING,
    Expr,
    Literal,
    Ref,
    RefKind,
    Type,
)
from qsfa_codegen.expr.scope import Scope
from qsfa_codegen.expr.suggest import did_you_mean

if TYPE_CHECKING:
    from qsfa_codegen.expr.typed import Typer

_BOOLS = {"true": True, "false": False}
_SELECTORS = {"chip": (CHIP, RefKind.CHIP), "arch": (ARCH, RefKind.ARCH)}


def may_be_label(typer: Typer, node: ast.expr) -> bool:
    """Whether only the other operand can say what ``node`` is."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if not isinstance(node, ast.Name):
        return False
    return not _has_meaning(node.id, typer.scope) or is_label_somewhere(node.id, typer.scope)


def is_label(typer: Typer, node: ast.expr) -> bool:
    """Whether a bare name is a label of some type."""
    return isinstance(node, ast.Name) and is_label_somewhere(node.id, typer.scope)


def _has_meaning(name: str, scope: Scope) -> bool:
    return (
        name in scope.symbols
        or name in _BOOLS
        or name in NAMED_LIMITS
        or name in scope.dtypes
        or name in _SELECTORS
        or name in PLATFORM_VALUES
    )


def string(typer: Typer, node: ast.expr, value: str, hint: Type | None) -> Expr | None:
    """A quoted label of the type of ``hint``, or else a string."""
    if hint is None or labels_of(hint, typer.scope) is None:
        return Literal(STRING, typer.span(node), value)
    return _label(typer, node, value, hint)


def _label(typer: Typer, node: ast.expr, value: str, type: Type) -> Expr | None:
    known = labels_of(type, typer.scope) or ()
    if value in known:
        return Literal(type, typer.span(node), value)
    help = did_you_mean(value, known) or f"there are {', '.join(sorted(known))}"
    typer.error("QS207", f"`{value}` is not {describe(type)}", node, help)
    return None


def name(typer: Typer, node: ast.Name, hint: Type | None) -> Expr | None:
    """The value of a bare name."""
    span, scope = typer.span(node), typer.scope
    symbol = scope.symbols.get(node.id)
    known = labels_of(hint, scope) if hint else None
    if known is not None and node.id in known and (symbol is None or symbol.type != hint):
        return Literal(hint or STRING, span, node.id)
    if symbol is not None:
        return Ref(symbol.type, span, symbol.kind, symbol.name)
    if node.id in _BOOLS:
        return Literal(BOOL, span, _BOOLS[node.id])
    if node.id in NAMED_LIMITS:
        return Literal(INT, span, NAMED_LIMITS[node.id])
    if node.id in _SELECTORS:
        type, kind = _SELECTORS[node.id]
        return Ref(type, span, kind, node.id)
    if node.id in PLATFORM_VALUES:
        return _platform(typer, node)
    if node.id in scope.dtypes:
        return Literal(DTYPE, span, node.id)
    _unknown(typer, node, hint)
    return None


def _platform(typer: Typer, node: ast.Name) -> Expr | None:
    if "tiling" in typer.scope.groups:
        return Ref(INT, typer.span(node), RefKind.PLATFORM, node.id)
    typer.error("QS214", f"`{node.id}` is known in `tiling` only", node)
    return None


def _unknown(typer: Typer, node: ast.Name, hint: Type | None) -> None:
    scope, text = typer.scope, node.id
    help: str | None
    if text in scope.params:
        help = f"an expression reads facts about it: `dim({text}, 0)`, `dtype({text})`, `present({text})`"
        typer.error("QS206", f"`{text}` is an input, not a value", node, help)
    elif text in scope.records:
        typer.error("QS206", f"`{text}` is a record, not a value", node, f"its size is `elements({text})`")
    elif text in FUNCTIONS or text in scope.externs:
        typer.error("QS206", f"`{text}` is a function, not a value", node, "call it: `" + text + "(…)`")
    elif hint is not None and labels_of(hint, scope) is not None:
        _label(typer, node, text, hint)
    else:
        homes = [enum for enum, codes in sorted(scope.enums.items()) if text in codes]
        known = [*scope.symbols, *_BOOLS, *NAMED_LIMITS, *scope.dtypes, *_SELECTORS]
        known += PLATFORM_VALUES if "tiling" in scope.groups else []
        help = did_you_mean(text, known)
        if homes:
            help = f"it is a label of enum {homes[0]}: compare it with a value of that enum"
        typer.error("QS202", f"there is no `{text}` here", node, help)
