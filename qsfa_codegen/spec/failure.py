"""What a violated check tells people: the parameter, what was given, what is allowed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from msgspec import Struct

from qsfa_codegen.expr.memo import once_an_operator, once_each
from qsfa_codegen.expr.nodes import (
    BOOL,
    Call,
    Compare,
    Expr,
    Kind,
    Literal,
    Not,
    ParamQuery,
    Query,
    Ref,
    RefKind,
    Type,
    walk,
)
from qsfa_codegen.expr.prose import fragment, say
from qsfa_codegen.expr.rewrite import substitute
from qsfa_codegen.spec.model import Check, CheckKind, Const, Dim, Operator, Rest
from qsfa_codegen.spec.readable import cited, known_as, readable

_IDENTIFIER = re.compile(r"\b[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+\b")
_PRINTABLE = frozenset({Kind.INT, Kind.FLOAT, Kind.BOOL, Kind.ENUM, Kind.STRING, Kind.DTYPE})
_QUERY_LABELS = {
    Query.PRESENT: "{param}",
    Query.RANK: "rank of {param}",
    Query.DTYPE: "dtype of {param}",
    Query.NUMEL: "number of elements of {param}",
    Query.COUNT: "number of tensors of {param}",
    Query.DIM: "dim {axis} of {param}",
    Query.STRIDE: "stride {axis} of {param}",
    Query.DIMS: "shape of {param}",
}


Fact = Ref | ParamQuery | Call


class Given(Struct, frozen=True):
    """A fact about the call that a message shows: an attribute or its length, a dim, or what an input is."""

    label: str
    expr: Fact


class Failure(Struct, frozen=True):
    """The parts of a message.

    ``givens`` are facts of the call to print; ``stated`` is what the failure alone tells of it.
    ``allowed`` is a clause for people.
    """

    id: str
    parameter: str
    givens: tuple[Given, ...]
    stated: str
    allowed: str


def failure(operator: Operator, check: Check, names: MessageNames | None = None) -> Failure:
    """What a violation of ``check`` says, in English; with ``names`` in the words of a binding."""
    return _failures(operator)(check) if names is None else _failure(operator, names, check)


@once_an_operator
def _failures(operator: Operator) -> Callable[[Check], Failure]:
    return once_each(partial(_failure, operator, MessageNames(operator)))


def _failure(operator: Operator, names: MessageNames, check: Check) -> Failure:
    stated = _stated(check.require, names)
    givens = () if stated else tuple(_givens(operator, names, check))
    return Failure(check.id, names.param(check.parameter), givens, stated, _allowed(operator, names, check))


def _allowed(operator: Operator, names: MessageNames, check: Check) -> str:
    if check.message is not None:
        text = cited(check.message.en, known_as(operator)).replace("`", "")
        return f"{names.param(check.parameter)} {names.sentence(text)}"
    known = readable(operator, operator.chips)
    clause = say(known.expr(check.require), "en", names, plain=True)
    if check.kind is not CheckKind.CONSTRAINT or check.when is None:
        return clause
    return f"{clause} {fragment(known.expr(check.when), 'en', names, plain=True)}"


def _stated(require: Expr, names: MessageNames) -> str:
    """What a call must have done when it fails to do ``require``, where only one thing is possible."""
    match require:
        case ParamQuery(query=Query.PRESENT, param=param):
            return f"{names.param(param)} is absent"
        case Not(operand=ParamQuery(query=Query.PRESENT, param=param)):
            return f"{names.param(param)} is passed"
        case Compare(
            op="==", left=Ref(kind=RefKind.ATTR, name=attr), right=Literal(type=kind, value=value)
        ) if kind == BOOL:
            return f"{names.param(attr)} is {'false' if value else 'true'}"
    return ""


def _givens(operator: Operator, names: MessageNames, check: Check) -> Iterator[Given]:
    """Each fact that the requirement reads, once."""
    seen: set[str] = set()
    for node in (*_of_parameter(check), *walk(_expanding(operator)(check.require))):
        if names.shapes and isinstance(node, Ref | ParamQuery) and node.type.kind is Kind.DIMS:
            node = _whole_shape(operator, node)
        elif not isinstance(node, Fact) or node.type.kind not in _PRINTABLE:
            continue
        label = _label(names, node)
        if label is None or label in seen:
            continue
        seen.add(label)
        yield Given(label, node)


def _of_parameter(check: Check) -> Iterator[Expr]:
    """What the condition reads of the blamed parameter, where that is an attribute."""
    condition = () if check.when is None else walk(check.when)
    blamed = (RefKind.ATTR, check.parameter)
    return (node for node in condition if isinstance(node, Ref) and (node.kind, node.name) == blamed)


def _whole_shape(operator: Operator, node: Ref | ParamQuery) -> ParamQuery:
    """The shape that a run of dims is of."""
    param = node.param if isinstance(node, ParamQuery) else operator.find(Rest, node.name).input
    return ParamQuery(node.type, node.span, Query.DIMS, param, 0)


@once_an_operator
def _expanding(operator: Operator) -> Callable[[Expr], Expr]:
    return once_each(partial(_expanded, operator))


def _expanded(operator: Operator, expr: Expr) -> Expr:
    expr = readable(operator, operator.chips).expr(expr)
    lets = {(RefKind.LET, let.name): let.value for let in operator.lets}
    while any(isinstance(node, Ref) and node.kind is RefKind.LET for node in walk(expr)):
        expr = substitute(expr, lets)
    return expr


def _label(names: MessageNames, node: Fact) -> str | None:
    match node:
        case ParamQuery(query=query, param=param, axis=axis):
            pattern = _QUERY_LABELS.get(query)
            return None if pattern is None else pattern.format(param=names.param(param), axis=axis)
        case Ref(kind=RefKind.DIM | RefKind.ATTR as kind, name=name):
            return names.ref(kind, name)
        case Call(function="len", args=(Ref(kind=RefKind.ATTR, name=name),)):
            return f"length of {names.param(name)}"
    return None


class MessageNames:
    """How names stand in a message: plain, without quotes or markup; a constant is its number.

    ``called`` has the names that a binding gives to inputs, attributes and outputs, by those of the spec.
    """

    shapes = False
    """Whether messages can print whole shapes."""

    def __init__(self, operator: Operator, called: Mapping[str, str] | None = None) -> None:
        self._operator = operator
        self._called = called or {}

    def ref(self, kind: RefKind, name: str) -> str:
        """A name of the spec."""
        match kind:
            case RefKind.DIM:
                return self._operator.find(Dim, name).doc_name
            case RefKind.CONST:
                return str(self._operator.find(Const, name).value)
            case RefKind.ATTR:
                return self.param(name)
        return name

    def param(self, name: str) -> str:
        """An input, an attribute or an output."""
        return self._called.get(name, name)

    def sentence(self, text: str) -> str:
        """A sentence of the spec. Names of one word stay as they are: the sentence may mean the word."""
        return _IDENTIFIER.sub(lambda found: self.param(found[0]), text) if self._called else text

    def label(self, type: Type, label: str) -> str:
        """A label of an enum, a chip or an architecture."""
        return label

    def dtype(self, name: str) -> str:
        """A dtype."""
        return name

    def field(self, record: str, field: str) -> str:
        """A field of a record."""
        return f"{field} of {record}"

    def string(self, value: str) -> str:
        """A string value."""
        return f'"{value}"'
