"""Values of expressions, what evaluation asks of its surroundings, and how it fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, Protocol

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.nodes import Query, RefKind

OVERFLOW: Final = "overflow"
DIVISION: Final = "division by zero"
UNBOUND: Final = "unbound"


class Unknown(Enum):
    """The value of what shape inference cannot know yet."""

    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown.UNKNOWN

Value = int | float | bool | str | tuple["Value", ...] | Unknown


class EvalError(Exception):
    """An expression has no value. ``reason`` is "overflow", "division by zero" or "unbound"."""

    def __init__(self, reason: str, span: Span | None = None, detail: str = "") -> None:
        self.reason = reason
        self.span = span
        self.detail = detail
        super().__init__(f"{reason}: {detail}" if detail else reason)


class Env(Protocol):
    """The call that an expression is evaluated on.

    Enum values, dtypes, chips and architectures are their labels (str); list attributes and the
    dims of a ``rest`` are tuples. A method raises ``EvalError("unbound")`` for what the call does
    not have; the evaluator adds the span.
    """

    @property
    def values(self) -> Mapping[str, Value]:
        """Names whose value is known without asking ``ref``: any that are no columns, or none at all."""

    def ref(self, kind: RefKind, name: str) -> Value:
        """The value of a name."""

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> Value:
        """A fact about an input; UNKNOWN for a dim or rank that is not known yet.

        DIMS gives a tuple, in which single dims may be UNKNOWN.
        """

    def contents(self, param: str) -> Sequence[int]:
        """Every element of an input, in row-major order."""

    def call(self, function: str, args: tuple[Value, ...]) -> Value:
        """What only the operator or the chip knows; no argument is UNKNOWN.

        ``elements(record)``, ``offset(record, field)``, ``sizeof(dtype)``, ``code(enum, label)``,
        ``tsch_block_dim(slices, aic, aiv)`` and the externs of the spec.
        """
