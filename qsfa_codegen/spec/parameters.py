"""Inputs and attributes as expressions and checks see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qsfa_codegen.expr.build import ref
from qsfa_codegen.expr.nodes import Ref, RefKind, enum_type
from qsfa_codegen.spec.attr_types import ATTR_TYPES
from qsfa_codegen.spec.model import Attr, Input, Presence

if TYPE_CHECKING:
    from qsfa_codegen.diagnostics import Span


def attr_ref(attr: Attr, span: Span) -> Ref:
    """The attribute as an expression."""
    type = enum_type(attr.enum) if attr.enum is not None else ATTR_TYPES[attr.type]
    return ref(RefKind.ATTR, attr.name, type, span)


def always_passed(param: Input) -> bool:
    """Whether every legal call passes the input."""
    return param.presence is Presence.REQUIRED


def never_checked(param: Input) -> bool:
    """Whether the input is reserved."""
    return param.presence is Presence.IGNORED
