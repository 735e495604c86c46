"""Typing of calls, by the table of functions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from qsfa_codegen.expr.constants import const_int
from qsfa_codegen.expr.functions import FUNCTIONS, Arg, Function
from qsfa_codegen.expr.nodes import (
    DTYPE,
    FLOAT,
    INT,
    STRING,
    Call,
    Expr,
    Kind,
    Literal,
    ParamQuery,
    Ref,
    RefKind,
    Type,
)
from qsfa_codegen.expr.scope import ExternSymbol
from qsfa_codegen.expr.suggest import did_you_mean

if TYPE_CHECKING:
    from qsfa_codegen.expr.typed import Typer

_KINDS = {
    Arg.ENUM: (Kind.ENUM,),
    Arg.DTYPE: (Kind.DTYPE,),
    Arg.SEQUENCE: (Kind.LIST, Kind.DIMS),
    Arg.INTEGERS: (Kind.LIST, Kind.DIMS),
}


def call(typer: Typer, node: ast.Call, hint: Type | None) -> Expr | None:
    """A call of a function of the language or of an ``extern``."""
    if not isinstance(node.func, ast.Name):
        typer.error("QS201", "only a named function can be called", node.func)
        return None
    name = node.func.id
    function, extern = FUNCTIONS.get(name), typer.scope.externs.get(name)
    if node.keywords:
        typer.error("QS205", f"`{name}` takes no named arguments", node.keywords[0].value)
        return None
    if function is not None and function.group != "internal":
        return _builtin(typer, node, function)
    if extern is not None:
        return _extern(typer, node, extern)
    _unknown(typer, node.func)
    return None


def _unknown(typer: Typer, node: ast.Name) -> None:
    scope = typer.scope
    open_functions = [f.name for f in FUNCTIONS.values() if f.group in scope.groups]
    help = did_you_mean(node.id, [*open_functions, *scope.externs])
    if node.id in scope.symbols or node.id in scope.params:
        help = f"`{node.id}` is not a function"
    typer.error("QS204", f"there is no function `{node.id}`", node, help)


def _builtin(typer: Typer, node: ast.Call, function: Function) -> Expr | None:
    if function.group not in typer.scope.groups:
        typer.error("QS214", f"`{function.name}` is known in `{function.group}` only", node.func)
        return None
    count, least = len(node.args), len(function.args)
    if count < least or (count > least and not function.variadic):
        wanted = f"at least {least}" if function.variadic else str(least)
        _wrong_count(typer, node, f"`{function.name}`", wanted, function.signature)
        return None
    kinds = function.args + function.args[-1:] * (count - least)
    args = typer.all(_argument(typer, node, function, index, kind) for index, kind in enumerate(kinds))
    return None if args is None else _built(typer, node, function, args)


def _wrong_count(typer: Typer, node: ast.Call, name: str, wanted: str, signature: str) -> None:
    plural = "" if wanted == "1" else "s"
    message = f"{name} takes {wanted} argument{plural}, {len(node.args)} given"
    typer.error("QS205", message, node, f"write `{signature}`")


def _argument(typer: Typer, node: ast.Call, function: Function, index: int, kind: Arg) -> Expr | None:
    arg = node.args[index]
    what = f"argument {index + 1} of `{function.name}`"
    if kind in (Arg.INT, Arg.FLOAT):
        return typer.expect(arg, INT if kind is Arg.INT else FLOAT, what)
    if kind is Arg.NUMBER:
        return typer.number(arg, what)
    if kind is Arg.AXIS:
        axis = typer.constant(arg, "an axis")
        return None if axis is None else Literal(INT, typer.span(arg), axis)
    if kind in _KINDS:
        return _of_kind(typer, arg, kind, what)
    return _named(typer, node, arg, kind)


def _of_kind(typer: Typer, arg: ast.expr, kind: Arg, what: str) -> Expr | None:
    expr = typer.infer(arg, DTYPE if kind is Arg.DTYPE else None)
    if expr is None:
        return None
    wrong_items = kind is Arg.INTEGERS and expr.type.kind is Kind.LIST and expr.type.item != INT
    if expr.type.kind in _KINDS[kind] and not wrong_items:
        return expr
    typer.error("QS203", f"{what} must be {kind.value}; this is {expr.type}", arg)
    return None


def _named(typer: Typer, node: ast.Call, arg: ast.expr, kind: Arg) -> Expr | None:
    """An argument that is a name rather than a value: an input, a record or a field of it."""
    scope = typer.scope
    known: tuple[str, ...] = tuple(scope.params if kind is Arg.PARAM else scope.records)
    if kind is Arg.FIELD:
        record = node.args[0]
        known = scope.records.get(record.id, ()) if isinstance(record, ast.Name) else ()
    text = arg.id if isinstance(arg, ast.Name) else None
    if kind is Arg.FIELD and isinstance(arg, ast.Constant) and isinstance(arg.value, str):
        text = arg.value
    if text is None:
        typer.error("QS206", f"the name of {kind.value} is needed here", arg)
        return None
    if text not in known:
        # A field of an unknown record: the record was already reported.
        if kind is not Arg.FIELD or known:
            typer.error("QS206", f"`{text}` is not {kind.value}", arg, did_you_mean(text, known))
        return None
    if kind is Arg.RECORD:
        return Ref(STRING, typer.span(arg), RefKind.RECORD, text)
    return Literal(STRING, typer.span(arg), text)


def _built(typer: Typer, node: ast.Call, function: Function, args: tuple[Expr, ...]) -> Expr | None:
    span = typer.span(node)
    if function.query is not None and function.result is not None:
        name, axis = args[0], args[1] if len(args) > 1 else None
        assert isinstance(name, Literal)
        at = int(axis.value) if isinstance(axis, Literal) else None
        return ParamQuery(function.result, span, function.query, str(name.value), at)
    result = function.result
    if result is None:
        unified = _one_type(typer, node, args)
        if unified is None:
            return None
        args, result = unified, unified[0].type
    if function.name in ("ceil_div", "align_up") and const_int(args[1]) == 0:
        typer.error("QS216", "division by zero", node.args[1])
        return None
    return typer.checked(Call(result, span, function.name, args), node)


def _one_type(typer: Typer, node: ast.Call, args: tuple[Expr, ...]) -> tuple[Expr, ...] | None:
    """Numbers as all int64 or all float."""
    pivot = next((arg for arg in args if arg.type == FLOAT), args[0])
    pairs = [typer.same(pivot, arg, at) for arg, at in zip(args, node.args, strict=True)]
    good = tuple(pair[1] for pair in pairs if pair is not None)
    return good if len(good) == len(args) else None


def _extern(typer: Typer, node: ast.Call, extern: ExternSymbol) -> Expr | None:
    if len(node.args) != len(extern.args):
        signature = f"{extern.name}({', '.join(str(arg) for arg in extern.args)})"
        _wrong_count(typer, node, f"`{extern.name}`", str(len(extern.args)), signature)
        return None
    args = typer.all(
        typer.expect(arg, want, f"argument {index} of `{extern.name}`")
        for index, (arg, want) in enumerate(zip(node.args, extern.args, strict=True), 1)
    )
    return None if args is None else Call(extern.returns, typer.span(node), extern.name, args)
