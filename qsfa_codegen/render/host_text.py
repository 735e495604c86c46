"""Expressions of generated host code as C++, with what is proven at the place where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.expr import bounds
from qsfa_codegen.expr.bounds import Facts
from qsfa_codegen.expr.branches import always_read
from qsfa_codegen.expr.cpp import Cpp, cases, emit
from qsfa_codegen.expr.cpp_text import EQUALITY, OR
from qsfa_codegen.expr.memo import once_an_operator
from qsfa_codegen.expr.nodes import Kind, Ref, RefKind, walk
from qsfa_codegen.render.cpp import let_function
from qsfa_codegen.render.host_names import ARITH, HostNames, local
from qsfa_codegen.render.needs import exprs_of, needs
from qsfa_codegen.render.text import INDENT, LINE_LIMIT, cpp_comment
from qsfa_codegen.render.text import broken as broken
from qsfa_codegen.render.text import call_with_format as call_with_format
from qsfa_codegen.spec.model import CheckKind
from qsfa_codegen.spec.ranges import Checked, Ranges

if TYPE_CHECKING:
    from qsfa_codegen.expr.nodes import Expr
    from qsfa_codegen.spec.model import Let, Operator

_PROVEN_BEFORE = {CheckKind.ATTR: Checked.NOTHING, CheckKind.CONSTRAINT: Checked.DIMS}
_LET_TYPES = {Kind.INT: "int64_t", Kind.FLOAT: "double", Kind.BOOL: "bool", Kind.DTYPE: "ge::DataType"}
_NUMBERS = (Kind.INT, Kind.FLOAT)
_LETS = (RefKind.LET, RefKind.TILING_LET)


def proven_before(kind: CheckKind) -> Checked:
    """What has been checked when checks of ``kind`` run."""
    return _PROVEN_BEFORE.get(kind, Checked.ATTRS)


class LetText(Struct, frozen=True):
    """A derived value as a function: the lines of its body, and whether it can fail."""

    let: Let
    function: str
    body: tuple[str, ...]
    fallible: bool

    @property
    def type(self) -> str:
        """The C++ type of its value."""
        return _LET_TYPES.get(self.let.value.type.kind) or str(self.let.value.type.enum)

    @property
    def comment(self) -> str:
        """What it is, for a comment; empty where its name has to do."""
        return cpp_comment(self.let.doc.en) if self.let.doc else ""


@once_an_operator
def host_facts(operator: Operator, checked: Checked) -> Facts:
    """What is proven where ``checked`` has been established; the hosts share what follows from it."""
    return Facts(Ranges(operator, checked), zero_on_failure=True)


class HostText:
    """Spells expressions, and knows which derived values can fail."""

    def __init__(self, operator: Operator, names: HostNames) -> None:
        self.names = names
        self._operator = operator
        self._facts = {checked: host_facts(operator, checked) for checked in Checked}
        self._lets = {let.name: let for let in operator.lets}
        if operator.tiling is not None:
            self._lets.update({let.name: let for let in operator.tiling.lets})
        self._fallible: set[str] = set()
        self._operator = operator
        names.fallible = self._fallible
        names.nested = self._nested

    @property
    def ranges(self) -> bounds.Ranges:
        """What is proven once every check has passed."""
        return self._facts[Checked.DIMS].ranges

    def cpp(self, expr: Expr, checked: Checked = Checked.DIMS) -> Cpp:
        """``expr`` where ``checked`` has been established."""
        return emit(expr, self.names, self._facts[checked], ARITH)

    def lets(self, used: Iterable[str]) -> list[LetText]:
        """The derived values in ``used``, in spec order.

        To be called before anything is spelt that names them: it finds out which of them can fail.
        """
        done: dict[str, LetText] = {}
        wanted = set(used)
        for name in self._lets:
            self._visit(name, wanted, done)
        return [done[name] for name in self._lets if name in done]

    def _visit(self, name: str, wanted: set[str], done: dict[str, LetText]) -> None:
        if name in done or name not in wanted:
            return
        for node in walk(self._lets[name].value):
            if isinstance(node, Ref) and node.kind in _LETS:
                self._visit(node.name, wanted, done)
        done[name] = self._function(self._lets[name], _first_uses(self._operator).get(name, Checked.DIMS))
        if done[name].fallible:
            self._fallible.add(name)

    def shared(self, values: Iterable[Expr], checked: Checked = Checked.DIMS) -> tuple[str, ...]:
        """Numbers among the derived values that a function of ``values`` would compute more than once.

        Only those that are computed whatever the call is: a local must not make another call fail.
        """
        values = tuple(values)
        always = {name for value in values for name in always_read(value)}
        texts = " ".join(self.cpp(value, checked).text for value in values)
        numbers = (name for name in self._lets if name in always and self._type(name) in _NUMBERS)
        return tuple(name for name in numbers if len(self._computed(name).findall(texts)) > 1)

    def locals(self, shared: Iterable[str]) -> list[str]:
        """Statements that compute derived values once, for the text spelt within ``names.bound``."""
        return [
            f"const {_LET_TYPES[self._type(name)]} {local(name)} = {self.names.ref(RefKind.LET, name)};"
            for name in shared
        ]

    def _type(self, let: str) -> Kind:
        return self._lets[let].value.type.kind

    def _computed(self, let: str) -> re.Pattern[str]:
        return re.compile(rf"\b{re.escape(self.names.ref(RefKind.LET, let))}")

    def _function(self, let: Let, checked: Checked) -> LetText:
        name = let_function(self._operator, let.name)
        shared = self.shared([let.value], checked)
        fallible = self.cpp(let.value, checked).checked
        lines = self.locals(shared)
        with self.names.bound(shared):
            lines += self._returns(let.value, checked)
        return LetText(let, name, tuple(lines), fallible)

    def _returns(self, value: Expr, checked: Checked) -> list[str]:
        whole = self.cpp(value, checked)
        branches = cases(value)
        if len(branches) < 3 and INDENT + len(f"return {whole.text};") <= LINE_LIMIT:
            return [f"return {whole.text};"]
        lines: list[str] = []
        for number, branch in enumerate(branches):
            result = broken("return ", self.cpp(branch.value, checked).text, ";", INDENT)
            if branch.condition is None or number == len(branches) - 1:
                lines.append(result)
            else:
                test = broken("if (", self.cpp(branch.condition, checked).text, ") {", INDENT)
                lines += [test, " " * INDENT + result, "}"]
        return lines

    def _nested(self, expr: Expr) -> str:
        return self.cpp(expr).text


@once_an_operator
def _first_uses(operator: Operator) -> dict[str, Checked]:
    """For each derived value that a check reads, what is established at its earliest use."""
    found: dict[str, Checked] = {}
    for check in operator.checks:
        for name in needs(operator, exprs_of(check)).names(RefKind.LET):
            found[name] = min(found.get(name, Checked.DIMS), proven_before(check.kind))
    return found


def condition(cpp: Cpp) -> str:
    """The text of a bool expression that is also true when evaluating it failed."""
    if not cpp.checked:
        return cpp.text
    text = cpp.text if cpp.precedence == OR or cpp.precedence >= EQUALITY else f"({cpp.text})"
    return f"{text} || {ARITH}.failed"
