"""Expressions of a tiling function as C++, with what is proven at the place where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qsfa_codegen.expr.cpp import Cpp, emit
from qsfa_codegen.expr.cpp_text import EQUALITY, OR
from qsfa_codegen.expr.nodes import Ref, RefKind, walk
from qsfa_codegen.render.needs import needs
from qsfa_codegen.render.ranges import Checked, Ranges
from qsfa_codegen.render.text import INDENT, LINE_LIMIT, cpp_string, wrap_call, wrap_items
from qsfa_codegen.render.tiling_names import ARITH, TilingNames
from qsfa_codegen.spec.model import CheckKind

if TYPE_CHECKING:
    from qsfa_codegen.expr.nodes import Expr
    from qsfa_codegen.spec.model import Check, Let, Operator

_PROVEN_BEFORE = {CheckKind.ATTR: Checked.NOTHING, CheckKind.CONSTRAINT: Checked.DIMS}
_BREAKS = re.compile(r"(?<=&& )|(?<=\|\| )|(?<=\S )(?=[?:] )")
_WORDS = re.compile(r"\S+\s*")


def proven_before(kind: CheckKind) -> Checked:
    """What has been checked when checks of ``kind`` run."""
    return _PROVEN_BEFORE.get(kind, Checked.ATTRS)


@dataclass(frozen=True, slots=True)
class LetText:
    """A derived value as a member function."""

    let: Let
    cpp: Cpp


class TilingText:
    """Spells expressions, and knows which derived values can fail."""

    def __init__(self, operator: Operator) -> None:
        assert operator.tiling is not None
        self._operator = operator
        self._ranges = {checked: Ranges(operator, checked) for checked in Checked}
        self._written: list[str] = []
        self._fallible: set[str] = set()
        self._names = TilingNames(operator, self._ranges[Checked.DIMS], self._fallible, self._nested)
        self._weakest = _first_uses(operator)

    @property
    def ranges(self) -> Ranges:
        """What is proven once every check has passed."""
        return self._ranges[Checked.DIMS]

    @property
    def names(self) -> TilingNames:
        """How leaves are spelt."""
        return self._names

    @property
    def written(self) -> Sequence[str]:
        """Every text that was made."""
        return self._written

    def cpp(self, expr: Expr, checked: Checked = Checked.DIMS) -> Cpp:
        """``expr`` where ``checked`` has been established."""
        result = emit(expr, self._names, self._ranges[checked], ARITH)
        self._written.append(result.text)
        return result

    def lets(self, used: Iterable[str]) -> list[LetText]:
        """The derived values in ``used`` that have a C++ form, those that others need first."""
        wanted = set(used)
        tiling = self._operator.tiling
        assert tiling is not None
        known = {let.name: let for let in (*self._operator.lets, *tiling.lets)}
        ordered: dict[str, LetText] = {}
        for name in known:
            self._visit(name, known, wanted, ordered)
        return [ordered[name] for name in known if name in ordered]

    def _visit(self, name: str, known: dict[str, Let], wanted: set[str], ordered: dict[str, LetText]) -> None:
        if name in ordered or name not in wanted:
            return
        for other in known:
            if other != name and other in _lets_in(known[name].value):
                self._visit(other, known, wanted, ordered)
        cpp = self.cpp(known[name].value, self._weakest.get(name, Checked.DIMS))
        if cpp.checked:
            self._fallible.add(name)
        ordered[name] = LetText(known[name], cpp)

    def _nested(self, expr: Expr) -> str:
        return emit(expr, self._names, self.ranges, ARITH).text


def _lets_in(expr: Expr) -> set[str]:
    kinds = (RefKind.LET, RefKind.TILING_LET)
    return {node.name for node in walk(expr) if isinstance(node, Ref) and node.kind in kinds}


def _first_uses(operator: Operator) -> dict[str, Checked]:
    """For each derived value that a check reads, what is established at its earliest use."""
    found: dict[str, Checked] = {}
    for check in operator.checks:
        for name in needs(operator, exprs_of(check)).names(RefKind.LET):
            found[name] = min(found.get(name, Checked.DIMS), proven_before(check.kind))
    return found


def exprs_of(check: Check) -> tuple[Expr, ...]:
    """The expressions of a check."""
    return (check.require,) if check.when is None else (check.when, check.require)


# --------------------------------------------------------------------------- line breaks


def broken(head: str, text: str, tail: str, indent: int) -> str:
    """``head text tail``, broken after ``&&`` and ``||`` and before ``?`` and ``:`` where it is too long."""
    return wrap_items(head, [piece for piece in _BREAKS.split(text) if piece], tail, indent)


def condition(cpp: Cpp) -> str:
    """The text of a bool expression that is also true when evaluating it failed."""
    if not cpp.checked:
        return cpp.text
    text = cpp.text if cpp.precedence == OR or cpp.precedence >= EQUALITY else f"({cpp.text})"
    return f"{text} || {ARITH}.failed"


def call_with_format(head: str, message: str, args: Sequence[str], indent: int) -> str:
    """A call of a printf-like function; a long message becomes several literals on lines of their own."""
    literal = cpp_string(message)
    if indent + len(head) + len(literal) + 2 <= LINE_LIMIT:
        return wrap_call(head, [literal, *args], ");", indent)
    inner = " " * (indent + INDENT)
    lines = [f"{inner}{cpp_string(chunk)}" for chunk in _chunks(message, LINE_LIMIT - indent - INDENT - 3)]
    text = head + "\n" + "\n".join(lines)
    if not args:
        return text + ");"
    return text + ",\n" + inner + wrap_call("", list(args), ");", indent + INDENT)


def _chunks(message: str, width: int) -> list[str]:
    chunks: list[str] = []
    for word in _WORDS.findall(message):
        if chunks and len(chunks[-1]) + len(word) <= width:
            chunks[-1] += word
        else:
            chunks.append(word)
    return chunks
