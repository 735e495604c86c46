"""Rules about what tensors hold, as a Python module: each is checked before anything is computed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.expr.build import all_of, literal, present
from qsfa_codegen.expr.nodes import Call, Expr, Literal, Logic, ParamQuery, Query, RefKind
from qsfa_codegen.expr.python import AND
from qsfa_codegen.expr.rewrite import bottom_up
from qsfa_codegen.expr.specialize import negate, simplify
from qsfa_codegen.render.needs import needs
from qsfa_codegen.render.python_names import DATA_FUNCTIONS, let_function
from qsfa_codegen.render.python_text import HOLE, statement, text_call
from qsfa_codegen.render.text import INDENT
from qsfa_codegen.spec import families
from qsfa_codegen.spec.contents import content_text, data_inputs
from qsfa_codegen.spec.model import Input
from qsfa_codegen.spec.parameters import always_passed

if TYPE_CHECKING:
    from qsfa_codegen.render.python_contract import PythonContract
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import ContentRule

_CALLED = re.compile(r"\w+(?=\()")
_EXPECTED = {"all_between": "{} to {}", "non_decreasing": "at least the one before", "padded_with": "{}"}


class TestText(Struct, frozen=True):
    """The head of an ``if``, and the statement that refuses the call."""

    test: str
    reject: str


class RuleText(Struct, frozen=True):
    """A rule: the head of the ``if`` that says where it applies (empty: always), and its tests."""

    id: str
    when: str
    tests: tuple[TestText, ...]


class _Contents:
    def __init__(self, contract: PythonContract) -> None:
        self._operator = contract.operator
        self._contract = contract
        self._names = contract.names
        self._rules = [rule for rule in self._operator.contents if self._is_told(rule)]

    def view(self) -> dict[str, object]:
        exprs = [e for rule in self._rules for e in (rule.when, rule.require) if e is not None]
        rules = [self._rule(rule) for rule in self._rules]
        text = "".join(test.test for rule in rules for test in rule.tests)
        reads_dims = self._names.reads_dims(*exprs)
        return {
            "rules": rules,
            "reads_dims": reads_dims,
            "predicates": any(rule.require is None for rule in self._rules),
            "finders": {name for name in DATA_FUNCTIONS.values() if f"{name}(" in text},
            "imports": [
                "Call",
                "CallError",
                *sorted([*(["read_dims"] if reads_dims else []), *self._functions(exprs)]),
            ],
        }

    def _functions(self, exprs: Sequence[Expr]) -> list[str]:
        """Functions of derived values that conditions call."""
        called = set(_CALLED.findall(" ".join(self._names.text(e) for e in exprs)))
        return [name for let in self._operator.lets if (name := let_function(let.name)) in called]

    def _is_told(self, rule: ContentRule) -> bool:
        """Whether everything that the rule reads is an argument, and its predicate is known."""
        if rule.require is None:
            family = families.reference_family(self._operator)
            return family is not None and (rule.predicate or "").startswith(f"{family.name}.")
        read = needs(self._operator, [e for e in (rule.when, rule.require) if e is not None])
        names = {*read.inputs, *read.names(RefKind.ATTR), *data_inputs(rule.require)}
        return names <= set(self._contract.by_source)

    def _rule(self, rule: ContentRule) -> RuleText:
        condition = self._condition(rule)
        parts = [] if rule.require is None else list(_parts(rule.require))
        if not all(map(_is_data, parts)):
            parts = parts[:0] if rule.require is None else [rule.require]
        nested = condition is not None and len(parts) > 1
        indent = 2 * INDENT if nested else INDENT
        joined = None if nested or condition is None else self._names.python(condition).at_least(AND)
        tests = [self._test(rule, part, joined, indent) for part in parts]
        if rule.require is None:
            tests = [self._predicate(rule, joined, indent)]
        when = statement("if ", self._names.text(condition), ":") if nested and condition else ""
        return RuleText(rule.id, when, tuple(tests))

    def _condition(self, rule: ContentRule) -> Expr | None:
        """When the rule applies: an optional input of which it reads data must be there too."""
        data = () if rule.require is None else data_inputs(rule.require)
        optional = [name for name in data if not always_passed(self._operator.find(Input, name))]
        asked = [present(name, rule.span) for name in optional]
        when = [] if rule.when is None else [simplify(bottom_up(rule.when, _passed(optional)))]
        kept = [part for part in (*when, *asked) if not (isinstance(part, Literal) and part.value is True)]
        return all_of(kept, rule.span)

    def _test(self, rule: ContentRule, part: Expr, when: str | None, indent: int) -> TestText:
        if not isinstance(part, Call) or not _is_data(part):
            test = self._names.python(negate(part))
            text = test.text if when is None else f"{when} and {test.at_least(AND)}"
            return TestText(statement("if ", text, ":", indent), self._refusal(rule, "", "", [], indent))
        name = part.args[0]
        assert isinstance(name, Literal)
        source = self._names.param(str(name.value))
        limits = [self._names.text(arg) for arg in part.args[1:]]
        found = f"found := {DATA_FUNCTIONS[part.function]}({', '.join((source, *limits))})"
        shown = [limit if limit.lstrip("-").isdigit() else HOLE for limit in limits]
        expected = f"{_EXPECTED[part.function].format(*shown)}; "
        fields = ["found", *(limit for limit, mark in zip(limits, shown, strict=True) if mark == HOLE)]
        given = f"{source.removeprefix('call.')}{HOLE}; "
        return TestText(_if(found, when, indent), self._refusal(rule, given, expected, fields, indent))

    def _predicate(self, rule: ContentRule, when: str | None, indent: int) -> TestText:
        function = (rule.predicate or "").partition(".")[2]
        test = _if(f"found := cpu.{function}(call)", when, indent)
        return TestText(test, self._refusal(rule, f"{HOLE}; ", "", ["found"], indent))

    def _refusal(
        self, rule: ContentRule, given: str, expected: str, fields: Sequence[str], indent: int
    ) -> str:
        said = self._contract.said.sentence(content_text(self._operator, rule))
        message = f"{given}expected: {expected}{_clause(said)} [{rule.id}]"
        return text_call("raise CallError(", message, fields, indent + INDENT)


def _if(found: str, when: str | None, indent: int) -> str:
    return statement("if ", found if when is None else f"{when} and ({found})", ":", indent)


def _clause(sentence: str) -> str:
    """A sentence inside another one; a name keeps its spelling."""
    first, _, rest = sentence.partition(" ")
    return f"{first.lower()} {rest}" if first.istitle() else sentence


def _is_data(part: Expr) -> bool:
    return isinstance(part, Call) and part.function in DATA_FUNCTIONS


def _parts(require: Expr) -> Iterator[Expr]:
    if isinstance(require, Logic) and require.op == "and":
        for operand in require.operands:
            yield from _parts(operand)
    else:
        yield require


def _passed(names: Sequence[str]) -> Callable[[Expr], Expr]:
    """Replaces the question whether one of these inputs is passed by yes."""

    def known(node: Expr) -> Expr:
        if isinstance(node, ParamQuery) and node.query is Query.PRESENT and node.param in names:
            return literal(True, node.span)
        return node

    return known


def render_contents(contract: PythonContract, templates: Templates) -> str:
    """The text of the module of rules about data."""
    return templates.render("python/contents.py.j2", **_Contents(contract).view()).rstrip("\n") + "\n"
