"""Rules as written, and the checks that everything the spec demands is lowered to."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.nodes import Expr
from qsfa_codegen.spec.model.choice import Text


class Constraint(Struct, frozen=True):
    """A cross-parameter rule as written; ``at_infer`` when shape inference checks it too."""

    id: str
    when: Expr | None
    require: Expr
    blame: str
    message: Text | None
    at_infer: bool
    chips: tuple[str, ...]
    doc: Text | None
    span: Span


class ContentRule(Struct, frozen=True):
    """A rule about tensor data: an expression over contents, or a named predicate with prose."""

    id: str
    when: Expr | None
    require: Expr | None
    predicate: str | None
    names: tuple[str, ...]
    at_tiling: bool
    doc: Text | None
    span: Span


class CheckKind(Enum):
    """Kinds of checks, in the fixed order of checking."""

    CHIP = "chip"
    ATTR = "attr"
    PRESENCE = "presence"
    DTYPE = "dtype"
    RANK = "rank"
    DIM = "dim"
    CONSTRAINT = "constraint"


class Fact(Struct, frozen=True):
    """Something a check establishes and others rely on.

    Kinds: "attr" (accepted), "input" (passed as demanded), "dtype", "rank" (of an input; its sizes may be
    read), "dim" (in its domain).
    """

    kind: str
    name: str


class Check(Struct, frozen=True):
    """One rule of the contract, lowered to an expression; every engine runs these in this order.

    A call violates it when ``when`` holds (None: always) and ``require`` does not. A violated check
    spoils ``establishes``; a check that reads a spoilt fact is skipped. ``describe`` renders as the
    sentence for people: what is allowed.
    """

    id: str
    kind: CheckKind
    parameter: str  # the blamed input, attribute or dim's input
    when: Expr | None
    require: Expr
    at_infer: bool
    establishes: tuple[Fact, ...]
    message: Text | None  # None: derive from ``require``
    span: Span
