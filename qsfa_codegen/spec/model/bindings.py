"""How callers reach the operator: aclnn and torch."""

from __future__ import annotations

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.nodes import Expr
from qsfa_codegen.spec.model.attrs import AttrScalar, AttrValue
from qsfa_codegen.spec.model.choice import Text


class BoundParam(Struct, frozen=True):
    """One parameter of a binding, in the binding's order.

    ``source`` names the operator's parameter; None for a reserved one that the operator does not
    have. ``default`` as the binding registers it when ``has_default``. ``value_map`` turns the
    binding's strings into attribute values; ``convert`` names another form (``int_array``).
    """

    name: str
    source: str | None
    has_default: bool
    default: AttrValue | None
    reason: Text | None
    type: str | None
    value_map: tuple[tuple[str, AttrScalar], ...]
    convert: str | None
    span: Span


class AclnnBinding(Struct, frozen=True):
    """``style``: "auto" (CANN generates aclnn), "wrapper" (ours over aclnnInner…), "handwritten"."""

    style: str
    name: str  # aclnnFusedThing
    inner: str  # aclnnInnerFusedThing
    parameters: tuple[BoundParam, ...]  # empty: the operator's own
    derived: tuple[tuple[str, Expr], ...]
    span: Span


class TorchBinding(Struct, frozen=True):
    """The torch operator: schema order, pinned parameters and what it returns."""

    library: str
    namespace: str
    name: str
    positional: tuple[BoundParam, ...]
    keyword: tuple[BoundParam, ...]
    fixed: tuple[tuple[str, AttrValue | None], ...]
    returns: tuple[tuple[str, str], ...]  # output → name in the binding
    span: Span
