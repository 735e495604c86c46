"""The contract's checks as functions of generated host code: ``if (bad) { report; }`` in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from itertools import groupby
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from qsfa_codegen.expr.build import all_of, any_of, is_case, literal, strip
from qsfa_codegen.expr.memo import once_a_tree
from qsfa_codegen.expr.nodes import Expr, Kind, Literal, ParamQuery, Query, Select, walk
from qsfa_codegen.expr.specialize import negate
from qsfa_codegen.render.cpp import input_index, variable
from qsfa_codegen.render.host_text import HostText, condition, exprs_of, proven_before
from qsfa_codegen.render.messages import Given, failure, format_text
from qsfa_codegen.render.text import INDENT, broken, call_with_format
from qsfa_codegen.spec.model import CheckKind, InputKind
from qsfa_codegen.spec.names import pascal

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Check, Input, Operator

SCREEN = 8
"""Checks that one generated function may hold."""

_GROUP_NAMES = {
    CheckKind.CHIP: "CheckChip",
    CheckKind.ATTR: "CheckAttributes",
    CheckKind.PRESENCE: "CheckPresence",
    CheckKind.DTYPE: "CheckDtypes",
    CheckKind.RANK: "CheckRanks",
    CheckKind.DIM: "CheckDims",
    CheckKind.CONSTRAINT: "CheckConstraints",
}
# A caller's text is cut, so that the id behind it stays within what a log takes.
_TEXT = "%.64s"
_SPECIFIERS = {Kind.INT: "%ld", Kind.FLOAT: "%g", Kind.ENUM: _TEXT, Kind.STRING: _TEXT}


class Tensors(Struct, frozen=True):
    """A list input: its view's member, and the constant that holds its place."""

    member: str
    index: str


class CheckText(Struct, frozen=True):
    """One check: ``test`` is the head of its ``if``, ``reject`` the statements inside.

    ``tensors`` is the list input that the check looks at, one tensor after the other.
    """

    id: str
    test: str
    reject: str
    tensors: Tensors | None


class Group(Struct, frozen=True):
    """Checks of one function; ``fallible`` when it needs the arithmetic object."""

    name: str
    kind: CheckKind
    checks: tuple[CheckText, ...]
    fallible: bool


class Report(Protocol):
    """How a host reports a violation."""

    def __call__(self, check: Check, message: str, args: Sequence[str], indent: int) -> str:
        """Statements that do so: from the message as a printf format, its arguments and where they stand."""


def rejection(check: Check, message: str, args: Sequence[str], indent: int) -> str:
    """``return Reject(…);`` for a host that has such a function."""
    return call_with_format("return Reject(", message, args, indent)


def groups(
    operator: Operator,
    text: HostText,
    report: Report = rejection,
    checks: Sequence[Check] | None = None,
) -> list[Group]:
    """``checks`` (every check of the operator unless given), in order, as functions of about a screen."""
    wanted = operator.checks if checks is None else checks
    return [_group(operator, text, name, part, report) for name, part in screens(wanted)]


def screens(checks: Sequence[Check]) -> Iterator[tuple[str, list[Check]]]:
    """The checks in order, cut into functions of about a screen, with a name for each function."""
    for kind, same in groupby(checks, lambda check: check.kind):
        taken: set[str] = set()
        for part in _parts(list(same)):
            name = _name(kind, part[0], taken)
            taken.add(name)
            yield name, part


def _parts(checks: Sequence[Check]) -> Iterator[list[Check]]:
    """Consecutive checks for one function each; those of one parameter stay together."""
    current: list[Check] = []
    for _, same in groupby(checks, lambda check: check.parameter):
        run = list(same)
        if current and len(current) + len(run) > SCREEN:
            yield current
            current = []
        current = current + run
    yield current


def _name(kind: CheckKind, first: Check, taken: Set[str]) -> str:
    name = _GROUP_NAMES[kind]
    if not taken:
        return name
    name = f"{name}From{pascal(first.parameter)}"
    number = sum(other.startswith(name) for other in taken)
    return f"{name}{number + 1}" if number else name


def _group(operator: Operator, text: HostText, name: str, checks: Sequence[Check], report: Report) -> Group:
    rendered = [_check(operator, text, check, report) for check in checks]
    fallible = any(fallible for _, fallible in rendered)
    return Group(name, checks[0].kind, tuple(check for check, _ in rendered), fallible)


def _check(operator: Operator, text: HostText, check: Check, report: Report) -> tuple[CheckText, bool]:
    tensors = list_input(operator, check)
    indent = 2 * INDENT if tensors is None else 3 * INDENT
    with text.names.one_of(tensors.name if tensors else None):
        cpp = text.cpp(violation(check), proven_before(check.kind))
        test = broken("if (", condition(cpp), ") {", indent - INDENT)
        said = failure(operator, check, text.names.message_names)
        args = [argument(given, text.cpp(given.expr).text, text.names.dtype_text) for given in said.givens]
        reject = report(check, format_text(said, specifier, text.names.longest_message), args, indent)
    listed = Tensors(variable(tensors.name), input_index(tensors)) if tensors else None
    return CheckText(check.id, test, reject, listed), cpp.checked


@once_a_tree
def violation(check: Check) -> Expr:
    """When a call breaks the check."""
    bad = _broken(check.require)
    violated = all_of([bad] if check.when is None else [check.when, bad], check.span)
    assert violated is not None
    return violated


@once_a_tree
def _broken(require: Expr) -> Expr:
    """The opposite of a requirement; a table becomes "this case and not that" for each of its cases."""
    if not isinstance(require, Select):
        return negate(require)
    groups: dict[object, tuple[list[str], Expr]] = {}
    for label, value in require.cases:
        bad = _broken(value)
        groups.setdefault(strip(bad), ([], bad))[0].append(label)
    ways = [_in_case(require, labels, False, bad) for labels, bad in groups.values()]
    if require.otherwise is not None:
        named = [label for label, _ in require.cases]
        ways.append(_in_case(require, named, True, _broken(require.otherwise)))
    never = literal(False, require.span)
    return any_of([way for way in ways if way is not None], require.span) or never


def _in_case(table: Select, labels: Sequence[str], others: bool, bad: Expr) -> Expr | None:
    if isinstance(bad, Literal) and bad.value is False:
        return None
    return all_of([is_case(table.selector, labels, others, table.span), bad], table.span)


def list_input(operator: Operator, check: Check) -> Input | None:
    """The list input each of whose tensors the check is about."""
    if check.kind not in (CheckKind.DTYPE, CheckKind.RANK, CheckKind.DIM):
        return None
    lists = (i for i in operator.inputs if i.kind is InputKind.TENSOR_LIST)
    found = next((i for i in lists if i.name == check.parameter), None)
    return found if found is not None and _reads_tensors(check, found.name) else None


def _reads_tensors(check: Check, param: str) -> bool:
    """Whether a check reads more of a list than how long it is."""
    queries = (n for expr in exprs_of(check) for n in walk(expr) if isinstance(n, ParamQuery))
    return any(q.param == param and q.query not in (Query.COUNT, Query.PRESENT) for q in queries)


def specifier(given: Given) -> str:
    """How printf formats a fact of a message."""
    return _SPECIFIERS.get(given.expr.type.kind, "%s")


def argument(given: Given, spelt: str, dtype_text: Callable[[str], str]) -> str:
    """A fact, ``spelt`` in C++, as the argument of printf that ``specifier`` formats."""
    match given.expr.type.kind:
        case Kind.BOOL if isinstance(given.expr, ParamQuery):
            return f'{spelt} ? "passed" : "absent"'
        case Kind.BOOL:
            return f'{spelt} ? "true" : "false"'
        case Kind.DTYPE:
            return dtype_text(spelt)
        case Kind.ENUM:
            return f"{spelt}Text"
        case Kind.STRING:
            return f"{spelt}.data()"
        case _:
            return spelt
