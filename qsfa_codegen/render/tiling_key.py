"""The template arguments of the tiling key: which there are, and which combinations are compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.text import INDENT, wrap_call
from qsfa_codegen.spec.model import EnumDef
from qsfa_codegen.spec.names import upper

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import KeyArg, Operator, TilingKey

BOOL = "bool"
Combination = tuple[tuple[int, ...], ...]
"""For each argument the codes that are compiled."""


def has_template_key(operator: Operator) -> bool:
    """Whether kernels take the key as template arguments; a plain integer key has none."""
    key = tiling_key(operator)
    return key is not None and bool(key.args)


def tiling_key(operator: Operator) -> TilingKey | None:
    """The operator's tiling key; None when it has no tiling or no key."""
    return operator.tiling.key if operator.tiling else None


def key_file(operator: Operator) -> str:
    """Name of the header that declares the arguments, in op_kernel."""
    return f"{operator.snake}_template_tiling_key.h"


def code_macro(operator: Operator, enum: str, label: str) -> str:
    """The macro that holds an enum label's code; the key's tools read what a preprocessor leaves."""
    return f"{upper(operator.name)}_{upper(enum)}_{upper(label)}"


def code_macros(operator: Operator, key: TilingKey) -> list[tuple[str, int]]:
    """Name and code of each label of the enums that the key uses, in spec order."""
    used = {arg.enum for arg in key.args}
    return [
        (code_macro(operator, enum.name, label.name), label.code)
        for enum in operator.enums
        if enum.name in used
        for label in enum.labels
    ]


def combinations(key: TilingKey) -> list[Combination]:
    """The legal combinations; those that differ in one flag are one.

    Enum arguments stay apart: each of their values is another code path and reads better alone.
    """
    merged: list[Combination] = [tuple((code,) for code in codes) for codes in key.legal]
    for place, arg in enumerate(key.args):
        if arg.enum is None:
            merged = _merge(merged, place)
    return merged


def _merge(found: Sequence[Combination], place: int) -> list[Combination]:
    groups: dict[Combination, set[int]] = {}
    for combination in found:
        rest = (*combination[:place], (), *combination[place + 1 :])
        groups.setdefault(rest, set()).update(combination[place])
    return [(*rest[:place], tuple(sorted(codes)), *rest[place + 1 :]) for rest, codes in groups.items()]


def _render(operator: Operator, templates: Templates) -> str:
    key = tiling_key(operator)
    assert key is not None
    return templates.render(
        "op_kernel/op_template_tiling_key.h.j2",
        guard=f"{upper(operator.name)}_TEMPLATE_TILING_KEY_H",
        macros=code_macros(operator, key),
        operator=operator.name,
        declarations=[_declaration(operator, arg, _end(key, arg, ");")) for arg in key.args],
        combinations=[
            [
                _selection(operator, arg, codes, _end(key, arg, ")"))
                for arg, codes in zip(key.args, combination, strict=True)
            ]
            for combination in combinations(key)
        ],
    )


def _end(key: TilingKey, arg: KeyArg, closing: str) -> str:
    """What follows an argument of the macro: a comma, or after the last one ``closing``."""
    return ")" + (closing if arg is key.args[-1] else ",")


def _declaration(operator: Operator, arg: KeyArg, end: str) -> str:
    codes = _codes(operator, arg, arg.declared)
    if arg.kind == BOOL:
        return wrap_call("ASCENDC_TPL_BOOL_DECL(", [arg.name, *codes], end, INDENT)
    listed = [arg.name, str(arg.bits), "ASCENDC_TPL_UI_LIST", *codes]
    return wrap_call("ASCENDC_TPL_UINT_DECL(", listed, end, INDENT)


def _selection(operator: Operator, arg: KeyArg, codes: Sequence[int], end: str) -> str:
    spelt = _codes(operator, arg, codes)
    if arg.kind == BOOL:
        return wrap_call("ASCENDC_TPL_BOOL_SEL(", [arg.name, *spelt], end, 2 * INDENT)
    return wrap_call("ASCENDC_TPL_UINT_SEL(", [arg.name, "ASCENDC_TPL_UI_LIST", *spelt], end, 2 * INDENT)


def _codes(operator: Operator, arg: KeyArg, codes: Sequence[int]) -> list[str]:
    if arg.enum is None:
        return [str(code) for code in codes]
    labels = {label.code: label.name for label in operator.find(EnumDef, arg.enum).labels}
    return [code_macro(operator, arg.enum, labels[code]) for code in codes]


ARTEFACTS = (
    Artefact(
        group="op_kernel",
        path=lambda operator: f"op_kernel/{key_file(operator)}",
        render=_render,
        applies=has_template_key,
    ),
)
