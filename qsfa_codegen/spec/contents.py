"""Rules about tensor data that tiling checks: those whose data the host may have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.expr.functions import FUNCTIONS
from qsfa_codegen.expr.nodes import Call, Expr, Literal, walk
from qsfa_codegen.spec.columns import all_dtypes
from qsfa_codegen.spec.model import ContentRule, InputKind, ValueDepend

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Input, Operator

_DATA_FUNCTIONS = frozenset(name for name, function in FUNCTIONS.items() if function.group == "contents")
READABLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "bool")
"""Dtypes whose elements are int64 numbers."""


class TilingContent(Struct, frozen=True):
    """A rule that tiling checks where the data of all ``inputs`` is given."""

    rule: ContentRule
    require: Expr
    inputs: tuple[str, ...]


def tiling_contents(operator: Operator) -> tuple[TilingContent, ...]:
    """The rules with ``at: tiling``, in file order."""
    return tuple(
        TilingContent(rule, rule.require, data_inputs(rule.require))
        for rule in operator.contents
        if rule.at_tiling and rule.require is not None
    )


def content_exprs(operator: Operator) -> list[Expr]:
    """Everything that those rules evaluate."""
    contents = tiling_contents(operator)
    return [e for c in contents for e in (c.rule.when, c.require) if e is not None]


def data_inputs(expr: Expr) -> tuple[str, ...]:
    """Inputs whose data an expression reads, each once."""
    return tuple(dict.fromkeys(_read_in(expr)))


def _read_in(expr: Expr) -> Iterator[str]:
    for node in walk(expr):
        if isinstance(node, Call) and node.function in _DATA_FUNCTIONS:
            name = node.args[0]
            assert isinstance(name, Literal)
            yield str(name.value)


def host_reads_data(operator: Operator, param: Input) -> bool:
    """Whether tiling can be given the data of an input, as numbers of at most 64 bits."""
    return (
        param.kind is InputKind.TENSOR
        and param.value_depend is not ValueDepend.NONE
        and set(all_dtypes(operator, param.dtype)) <= set(READABLE)
    )


def content_text(operator: Operator, rule: ContentRule) -> str:
    """What a rule says, in English, without a full stop."""
    # Only a call that is rejected needs words.
    from qsfa_codegen.expr.prose import say
    from qsfa_codegen.spec.failure import MessageNames
    from qsfa_codegen.spec.readable import cited, known_as, readable

    if rule.doc is not None:
        return cited(rule.doc.en, known_as(operator)).replace("`", "").removesuffix(".")
    assert rule.require is not None
    known = readable(operator, operator.chips)
    return say(known.expr(rule.require), "en", MessageNames(operator), plain=True)
