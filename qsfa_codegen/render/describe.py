"""Pieces of an operator's contract in words, for one chip: what tables and pages are made of.

Nothing here knows of a layout: a page decides how names look (``ProseNames``) and how several lines in
one cell are joined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from qsfa_codegen.expr.memo import once_an_operator, once_each
from qsfa_codegen.expr.nodes import Expr, Literal
from qsfa_codegen.expr.prose import ProseNames, fragment, say
from qsfa_codegen.expr.specialize import specialize
from qsfa_codegen.spec.columns import registered_dtypes
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import (
    Attr,
    AttrType,
    AttrValue,
    Chip,
    Dim,
    DimItem,
    Domain,
    DtypeRef,
    NamedValue,
    Operator,
    Rest,
    RestItem,
    Shape,
    Table,
    Text,
)
from qsfa_codegen.spec.paths import condition, walk_choice
from qsfa_codegen.spec.readable import readable

T = TypeVar("T")

INT64_MAX = 2**63 - 1
_TABLE_WORDS = {"en": ("{}: {}", "otherwise"), "zh": ("{}：{}", "其他")}
_DOMAIN_WORDS = {"en": ("any finite number", "any"), "zh": ("任意有限值", "不限")}
_FOLLOW_WORDS = {"en": "same as {}", "zh": "与 {} 一致"}
_MULTIPLE_WORDS = {"en": "a multiple of {}", "zh": "{} 的整数倍"}
_LENGTH_WORDS = {"en": "{} elements", "zh": "长度 {}"}
_RUN_WORDS = {"en": "{} to {} axes", "zh": "{} 至 {} 个维度"}
_JOINS = {"en": ", ", "zh": "、"}
_CLAUSE_JOINS = {"en": ", ", "zh": "，"}
_RANGE_WORDS = {"en": "{} to {}", "zh": "[{}, {}]"}
_OR = {"en": " or ", "zh": " 或 "}


def in_language(text: Text | None, language: str) -> str:
    """The sentence in one language, empty where there is none."""
    if text is None:
        return ""
    return text.zh if language == "zh" else text.en


def spelt(value: AttrValue, type: AttrType | None = None) -> str:
    """A value as callers write it; the largest int64 as a power, a dtype as its code with its name."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(spelt(item) for item in value)}]"
    if type is AttrType.DTYPE and isinstance(value, str):
        return f"{DTYPES[value].code} ({value.upper()})"
    return "2^63−1" if value == INT64_MAX and isinstance(value, int) else str(value)


class ChipFacts:
    """An operator's expressions as one chip has them, each worked out once."""

    def __init__(self, operator: Operator, chip: Chip) -> None:
        self.operator = operator
        self.chip = chip
        self._readable = readable(operator, (chip,))
        self._here = once_each(self._find_here)
        self._cases: Callable[[Any], Any] = once_each(lambda table: tuple(self._find_cases(table)))

    def here(self, expr: Expr) -> Expr:
        """The expression with everything in it that has one value on this chip as that value."""
        return self._here(expr)

    def _find_here(self, expr: Expr) -> Expr:
        # Afterwards, since derived values that are written out may go by the chip, too.
        return specialize(self._readable.expr(expr), self.chip.id, self.chip.arch)

    def cases(self, table: Table[T]) -> tuple[tuple[Expr | None, bool, T], ...]:
        """Each value that a table can have on this chip: its condition, whether it is the rest, the value."""
        found: tuple[tuple[Expr | None, bool, T], ...] = self._cases(table)
        return found

    def _find_cases(self, table: Table[T]) -> Iterator[tuple[Expr | None, bool, T]]:
        choice: T | Table[T] = table
        for path, value in walk_choice(choice):
            test = condition(path, table.span)
            here = None if test is None else self.here(test)
            if not (isinstance(here, Literal) and here.value is False):
                yield test, len(path) == 1 and path[0].negated and len(path[0].labels) > 1, value


@once_an_operator
def chip_facts(operator: Operator, chip: Chip) -> ChipFacts:
    """The facts of a chip, shared by the pages of an operator."""
    return ChipFacts(operator, chip)


class Describer:
    """An operator as one chip has it, in one language.

    Lines of one cell are joined with ``line_end``; ``escape`` makes a value of the spec safe for the page.
    """

    def __init__(
        self,
        operator: Operator,
        chip: Chip,
        language: str,
        names: ProseNames,
        line_end: str = "\n",
        escape: Callable[[str], str] = str,
    ) -> None:
        self.operator = operator
        self.chip = chip
        self.language = language
        self.names = names
        self.line_end = line_end
        self._escape = escape
        self._facts = chip_facts(operator, chip)

    # ----------------------------------------------------------------- expressions

    def here(self, expr: Expr) -> Expr:
        """The expression with everything in it that has one value on this chip as that value."""
        return self._facts.here(expr)

    def say(self, expr: Expr | None) -> str:
        """An expression as a clause or a noun."""
        return "" if expr is None else say(self.here(expr), self.language, self.names)

    def when(self, expr: Expr | None) -> str:
        """A condition as the beginning of a sentence; empty where it always holds."""
        if expr is None or self.is_literal(expr, True):
            return ""
        return fragment(self.here(expr), self.language, self.names)

    def is_literal(self, expr: Expr | None, value: bool) -> bool:
        """Whether a condition is settled on this chip."""
        if expr is None:
            return value
        found = self.here(expr)
        return isinstance(found, Literal) and found.value is value

    def text(self, text: Text | None) -> str:
        """A sentence of the spec in this language."""
        return in_language(text, self.language)

    # ----------------------------------------------------------------- tables of the spec

    def choice(self, choice: T | Table[T], shown: Callable[[T], str]) -> str:
        """A value, or a line for each case in which this chip can be."""
        if not isinstance(choice, Table):
            return shown(choice)
        line, other = _TABLE_WORDS[self.language]
        lines = []
        for test, rest, value in self._facts.cases(choice):
            said = other if rest else "" if self.is_literal(test, True) else self.say(test)
            lines.append(line.format(said, shown(value)) if said else shown(value))
        return self.line_end.join(lines)

    # ----------------------------------------------------------------- parameters

    def dtypes(self, dtype: DtypeRef) -> tuple[str, ...]:
        """Names of the dtypes that a parameter can have, in the order of the dtype table."""
        names = set(registered_dtypes(self.operator, dtype, self.chip.id))
        return tuple(name for name in DTYPES if name in names)

    def dtype(self, dtype: DtypeRef) -> str:
        """The dtypes in words; a following parameter says whom it follows."""
        if dtype.follow is not None:
            return _FOLLOW_WORDS[self.language].format(self.names.param(dtype.follow))
        return _JOINS[self.language].join(self.names.dtype(name) for name in self.dtypes(dtype))

    def shape(self, shape: Shape) -> str:
        """``[B, S, N, D]``."""
        return f"[{', '.join(self._axis(item) for item in shape.items)}]"

    def _axis(self, item: DimItem | RestItem) -> str:
        if isinstance(item, RestItem):
            return f"1… ({item.name})" if item.ones else f"{item.name}…"
        if item.dim is not None:
            return self.operator.find(Dim, item.dim).doc_name
        if item.options:
            return _OR[self.language].join(_bare(self.say(option)) for option in item.options)
        return _bare(self.say(item.size))

    def accepted(self, attr: Attr) -> str:
        """The values of an attribute that this chip accepts."""
        lengths = _LENGTH_WORDS[self.language].format(_OR[self.language].join(map(str, attr.lengths)))
        if attr.domain is None:
            return lengths if attr.lengths else _DOMAIN_WORDS[self.language][1]
        values = self.choice(attr.domain, lambda domain: self.domain(domain, attr.type))
        return f"{values}{self.line_end}{lengths}" if attr.lengths else values

    def domain(self, domain: Domain, type: AttrType) -> str:
        """A set of values of an attribute of that type."""
        if domain.values:
            return _JOINS[self.language].join(self._named(v, type) for v in domain.values)
        low, above, high = (
            "" if bound is None else spelt(bound) for bound in (domain.minimum, domain.above, domain.maximum)
        )
        parts = [f"> {above}"] if above else []
        parts += self._between(low, high)
        if domain.finite:
            parts.append(_DOMAIN_WORDS[self.language][0])
        return _CLAUSE_JOINS[self.language].join(parts)

    def _between(self, low: str, high: str) -> list[str]:
        """A range whose ends belong to it; either may be open."""
        if low and high:
            return [_RANGE_WORDS[self.language].format(low, high)]
        return [f"{sign} {end}" for sign, end in (("≥", low), ("≤", high)) if end]

    def _named(self, value: NamedValue, type: AttrType) -> str:
        shown = self._escape(spelt(value.value, type))
        return f"{shown} ({self._escape(value.name)})" if value.name else shown

    def run(self, rest: Rest) -> str:
        """How many axes a run may have."""
        return _RUN_WORDS[self.language].format(rest.min_rank, rest.max_rank)

    def size(self, dim: Dim) -> str:
        """What a dim may be."""
        if dim.derived is not None:
            return self.say(dim.derived)
        if dim.values is not None:
            return self.choice(dim.values, lambda sizes: _JOINS[self.language].join(map(str, sizes)))
        parts = self._between(self.say(dim.minimum), self.say(dim.maximum))
        if dim.multiple_of is not None:
            parts.append(_MULTIPLE_WORDS[self.language].format(self.say(dim.multiple_of)))
        return _CLAUSE_JOINS[self.language].join(parts)


def _bare(text: str) -> str:
    """Names without their code marks, for use inside a larger piece of code."""
    return text.replace("`", "")
