"""What a failed check says: the parameter, what was given, what is allowed, and the check's id."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qsfa_codegen.expr.nodes import Expr, Kind, ParamQuery, Query, Ref, RefKind, walk
from qsfa_codegen.expr.prose import say
from qsfa_codegen.spec.model import CheckKind, Dim

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Check, Operator

_PRINTABLE = frozenset({Kind.INT, Kind.FLOAT, Kind.BOOL, Kind.ENUM, Kind.STRING, Kind.DTYPE})
_QUERY_LABELS = {
    Query.PRESENT: "{param}",
    Query.RANK: "rank of {param}",
    Query.DTYPE: "dtype of {param}",
    Query.NUMEL: "number of elements of {param}",
    Query.COUNT: "number of tensors of {param}",
    Query.DIM: "axis {axis} of {param}",
    Query.STRIDE: "stride {axis} of {param}",
}


@dataclass(frozen=True, slots=True)
class Given:
    """A fact about the call that the message shows: an attribute, a dim or a query about an input."""

    label: str
    expr: Ref | ParamQuery


@dataclass(frozen=True, slots=True)
class Failure:
    """The parts of a message; ``allowed`` is a clause for people."""

    id: str
    parameter: str
    givens: tuple[Given, ...]
    allowed: str


def failure(operator: Operator, check: Check) -> Failure:
    """What a violation of ``check`` says."""
    if check.message is not None:
        allowed = f"{check.parameter} {check.message.en}"
    else:
        allowed = say(check.require, "en", MessageNames(operator))
    return Failure(check.id, check.parameter, tuple(_givens(operator, check)), allowed)


def format_text(failure: Failure, specifier: Callable[[Given], str]) -> str:
    """The message as a printf format; its arguments are the givens, in order."""
    given = ", ".join(f"{_plain(g.label)} is {specifier(g)}" for g in failure.givens)
    shown = f"{given}; " if given else ""
    return f"{_plain(failure.parameter)}: {shown}{_plain(failure.allowed)} [{_plain(failure.id)}]"


def _plain(text: str) -> str:
    return text.replace("%", "%%")


def _givens(operator: Operator, check: Check) -> Iterator[Given]:
    """Each fact that the requirement reads, once; for a presence check nothing but the input's own."""
    seen: set[str] = set()
    for node in walk(_expanded(operator, check.require)):
        if not isinstance(node, Ref | ParamQuery) or node.type.kind not in _PRINTABLE:
            continue
        label = _label(operator, node)
        if label is None or label in seen:
            continue
        if check.kind is CheckKind.PRESENCE and label != check.parameter:
            continue
        seen.add(label)
        yield Given(label, node)


def _expanded(operator: Operator, expr: Expr) -> Expr:
    from qsfa_codegen.expr.specialize import substitute

    lets = {(RefKind.LET, let.name): let.value for let in operator.lets}
    while any(isinstance(node, Ref) and node.kind is RefKind.LET for node in walk(expr)):
        expr = substitute(expr, lets)
    return expr


def _label(operator: Operator, node: Ref | ParamQuery) -> str | None:
    if isinstance(node, ParamQuery):
        pattern = _QUERY_LABELS.get(node.query)
        return None if pattern is None else pattern.format(param=node.param, axis=node.axis)
    if node.kind is RefKind.DIM:
        return operator.find(Dim, node.name).doc_name
    return node.name if node.kind is RefKind.ATTR else None


class MessageNames:
    """How names stand in a message: plain, without quotes or markup."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator

    def ref(self, kind: RefKind, name: str) -> str:
        """A name of the spec."""
        return self._operator.find(Dim, name).doc_name if kind is RefKind.DIM else name

    def param(self, name: str) -> str:
        """An input."""
        return name

    def label(self, type: str, label: str) -> str:
        """A label of an enum."""
        return label

    def dtype(self, name: str) -> str:
        """A dtype."""
        return name
