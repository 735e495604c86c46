"""The contract's checks as functions of generated host code: ``if (bad) { report; }`` in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, count, groupby
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace

from qsfa_codegen.expr.build import all_of, any_of, arch, chip, is_case, literal, strip
from qsfa_codegen.expr.cpp_text import AND
from qsfa_codegen.expr.memo import once_a_tree, once_an_operator, once_each
from qsfa_codegen.expr.nodes import Expr, Kind, Literal, ParamQuery, Query, RefKind, Select, refs, walk
from qsfa_codegen.expr.specialize import negate, specialize
from qsfa_codegen.expr.wording import join_list
from qsfa_codegen.render.cpp import input_index, variable
from qsfa_codegen.render.host_text import HostText, condition, proven_before
from qsfa_codegen.render.messages import Given, failure, format_text
from qsfa_codegen.render.needs import exprs_of
from qsfa_codegen.render.text import INDENT, broken, call_with_format, wrap_items
from qsfa_codegen.spec.model import CheckKind, InputKind
from qsfa_codegen.spec.names import pascal

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Check, Chip, Input, Operator

SCREEN = 8
"""Checks that one generated function may hold."""

_KINDS = {
    CheckKind.CHIP: ("Chip", ""),
    CheckKind.ATTR: ("Attributes", ""),
    CheckKind.PRESENCE: ("Presence", "Presence"),
    CheckKind.DTYPE: ("Dtypes", "Dtype"),
    CheckKind.RANK: ("Ranks", "Rank"),
    CheckKind.DIM: ("Dims", "Shape"),
    CheckKind.CONSTRAINT: ("Constraints", ""),
}
"""What a function of all checks of a kind is called, and how one about a parameter ends."""
_SIZES = "Sizes"
"""The end of a function about sizes that a parameter defines, not about those that it repeats."""
_RESERVED = ("Contents", "Lists", "OutputDtypes", "OutputPresence", "OutputShapes", "Pointers")
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
    """A function of checks; ``fallible`` when it needs the arithmetic object.

    One with ``parts`` calls these functions and has no checks of its own; ``within`` is the function
    that calls this one, empty when the host itself does.
    """

    name: str
    kind: CheckKind
    checks: tuple[CheckText, ...]
    fallible: bool = False
    parts: tuple[str, ...] = ()
    within: str = ""

    @property
    def result(self) -> str:
        """The statement that says whether the call passed."""
        if not self.parts:
            return "return true;"
        calls = [f"{part}()" for part in self.parts]
        return wrap_items("return ", [*(f"{call} && " for call in calls[:-1]), calls[-1]], ";", INDENT)


class Screen(Struct, frozen=True):
    """Checks for one function; ``parts`` and ``within`` as for a group."""

    name: str
    kind: CheckKind
    checks: tuple[Check, ...]
    parts: tuple[str, ...] = ()
    within: str = ""


Known = Callable[["Check"], Sequence[str]]
"""The sizes that a check asks for, as arguments of a function that tells whether all of them are known."""


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
    prefix: str = "Check",
    known: Known | None = None,
) -> list[Group]:
    """``checks`` (every check of the operator unless given), in order, as functions of about a screen.

    Where a host may not know sizes, ``known`` tells which a check asks for: with one open it is left.
    """
    wanted = operator.checks if checks is None else checks
    return [_group(operator, text, screen, report, known) for screen in screens(wanted, prefix)]


def called(groups: Iterable[Group]) -> list[str]:
    """The functions that a host calls itself, in order."""
    return [group.name for group in groups if not group.within]


def screens(checks: Sequence[Check], prefix: str = "Check") -> Iterator[Screen]:
    """The checks in order as functions of about a screen.

    A kind with more of them is a function that calls others, which are named after what they check.
    """
    taken = {f"{prefix}{name}" for name in (*(name for name, _ in _KINDS.values()), *_RESERVED)}
    for kind, same in groupby(checks, lambda check: check.kind):
        own, name = list(same), f"{prefix}{_KINDS[kind][0]}"
        if len(own) <= SCREEN:
            yield Screen(name, kind, tuple(own))
            continue
        parts = [(_free(f"{prefix}{about}", taken), part) for about, part in _parts(own)]
        yield from (Screen(function, kind, tuple(part), within=name) for function, part in parts)
        yield Screen(name, kind, (), tuple(function for function, _ in parts))


def _parts(checks: Sequence[Check]) -> list[tuple[str, list[Check]]]:
    """Consecutive checks of one kind by what they are about, with a name for that.

    What stands between checks about the same goes with them where a screen has room for all.
    """
    parts: list[tuple[str, list[Check]]] = []
    for about, same in groupby(checks, _about):
        run = list(same)
        first = next((n for n, (other, _) in enumerate(parts) if other == about), None)
        if first is not None:
            joined = [check for _, part in parts[first:] for check in part] + run
            if len(joined) <= SCREEN:
                parts[first:] = [(about, joined)]
                continue
        parts.append((about, run))
    return parts


def _about(check: Check) -> str:
    if check.kind is CheckKind.CONSTRAINT:
        return pascal(check.id)
    defines = check.kind is CheckKind.DIM and bool(check.establishes)
    return f"{pascal(check.parameter)}{_SIZES if defines else _KINDS[check.kind][1]}"


def _free(name: str, taken: set[str]) -> str:
    """``name``, with a number behind it when something else is called so."""
    numbered = (f"{name}{number}" for number in count(2))
    free = next(one for one in chain((name,), numbered) if one not in taken)
    taken.add(free)
    return free


def _group(operator: Operator, text: HostText, screen: Screen, report: Report, known: Known | None) -> Group:
    cases = [case for check in screen.checks for case in _chip_cases(operator)(check)]
    rendered = [_check(operator, text, case, report, known) for case in cases]
    fallible = any(fallible for _, fallible in rendered)
    written = tuple(check for check, _ in rendered)
    return Group(screen.name, screen.kind, written, fallible, screen.parts, screen.within)


class ChipCase(Struct, frozen=True):
    """A check as it is on chips where it demands the same.

    ``when`` is its condition without the question for the chip, whose products ``where`` names.
    """

    check: Check
    when: Expr | None
    where: str = ""


@once_an_operator
def _chip_cases(operator: Operator) -> Callable[[Check], tuple[ChipCase, ...]]:
    return once_each(lambda check: tuple(chip_cases(operator, check)))


def chip_cases(operator: Operator, check: Check) -> Iterator[ChipCase]:
    """The check for each set of chips on which it demands something of its own."""
    kinds = {kind for kind, _ in refs(check.require)}
    if not kinds & {RefKind.CHIP, RefKind.ARCH}:
        yield ChipCase(check, check.when)
        return
    by_chip = RefKind.CHIP in kinds
    found: dict[object, tuple[Expr, list[Chip]]] = {}
    for one in operator.chips:
        require = specialize(check.require, one.id, one.arch)
        found.setdefault(strip(require), (require, []))[1].append(one)
    for require, chips in found.values():
        if isinstance(require, Literal) and require.value is True:
            continue
        labels = list(dict.fromkeys(one.id if by_chip else one.arch for one in chips))
        selector = chip(check.span) if by_chip else arch(check.span)
        there = None if len(found) == 1 else is_case(selector, labels, False, check.span)
        when = all_of([part for part in (there, check.when) if part is not None], check.span)
        products = join_list(list(dict.fromkeys(one.product.en for one in chips)), ", ", " and ")
        yield ChipCase(replace(check, when=when, require=require), check.when, products)


def _check(
    operator: Operator, text: HostText, case: ChipCase, report: Report, known: Known | None
) -> tuple[CheckText, bool]:
    check = case.check
    tensors = list_input(operator, check)
    indent = 2 * INDENT if tensors is None else 3 * INDENT
    with text.names.one_of(tensors.name if tensors else None):
        cpp = text.cpp(violation(check), proven_before(check.kind))
        if known is not None and (sizes := known(check)):
            inner = cpp.text if cpp.precedence >= AND else f"({cpp.text})"
            cpp = replace(cpp, text=f"Known({', '.join(sizes)}) && {inner}", precedence=AND)
        test = broken("if (", condition(cpp), ") {", indent - INDENT)
        asked = replace(check, when=case.when) if case.where else check
        said = failure(operator, asked, text.names.message_names)
        if case.where:
            said = replace(said, allowed=f"{said.allowed} on {case.where}")
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
        case Kind.DIMS:
            return f"Listed({spelt}).c_str()"
        case _:
            return spelt
