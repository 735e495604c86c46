"""Expressions in terms that a caller knows, for pages and messages.

A reader meets the operator's parameters, dims and chips, and the derived values that the spec documents.
Everything else is a name of the spec alone. Sizes of packed rows, constants and other derived values are
written out; a dtype column and a run of axes are facts about the input that has them; an architecture is
its chips.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set

from qsfa_codegen.expr.build import chip, rank_of, strip
from qsfa_codegen.expr.memo import once_an_operator, once_each
from qsfa_codegen.expr.nodes import (
    BOOL,
    CHIP,
    DIMS,
    INT,
    Call,
    Compare,
    Contains,
    Expr,
    Literal,
    ParamQuery,
    Query,
    Ref,
    RefKind,
    Select,
    walk,
)
from qsfa_codegen.expr.rewrite import bottom_up
from qsfa_codegen.expr.specialize import simplify, substitute
from qsfa_codegen.spec.columns import column_dtype
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Attr, AttrType, Chip, Let, Operator, Record, Rest
from qsfa_codegen.spec.paths import at_chip

Name = tuple[RefKind, str]
_CODE = re.compile(r"`([^`]+)`")


class Readable:
    """Expressions of an operator as they are on all of some chips."""

    def __init__(self, operator: Operator, chips: Sequence[Chip]) -> None:
        self._operator = operator
        self._chips = chips
        self._consts: Mapping[Name, Expr] = {
            (RefKind.CONST, c.name): Literal(INT, c.span, c.value) for c in operator.consts
        }
        self._in_rows = {**self._consts, **self._only_values()}
        self._settled = self._with_plain_lets()
        self._readable = once_each(self._made_readable)

    def expr(self, expr: Expr) -> Expr:
        """``expr`` with nothing in it that only the spec names, as far as the chips agree in it."""
        return self._readable(expr)

    def _made_readable(self, expr: Expr) -> Expr:
        plain = substitute(self._unpacked(expr), self._settled)
        return bottom_up(bottom_up(plain, self._sized), self._told)

    # ----------------------------------------------------------------- facts about inputs and chips

    def _told(self, node: Expr) -> Expr:
        match node:
            case Ref(kind=RefKind.COLUMN, name=name):
                return column_dtype(self._operator, name, node.span)
            case Ref(kind=RefKind.REST, name=name):
                return self._axes(node, self._operator.find(Rest, name))
            case Call(function="len", args=(ParamQuery(query=Query.DIMS, param=param, axis=0, tail=0),)):
                return rank_of(param, node.span)
            case Select(selector=Ref(kind=RefKind.ARCH)):
                return self._by_chip(node)
            case Compare(op="==" | "!=" as op, left=Ref(kind=RefKind.ARCH), right=Literal(value=arch)):
                return self._on(node, {arch}, negated=op == "!=")
            case Contains(item=Ref(kind=RefKind.ARCH), options=options, negated=negated):
                archs = {option.value for option in options if isinstance(option, Literal)}
                return self._on(node, archs, negated=negated)
        return node

    def _axes(self, node: Expr, rest: Rest) -> Expr:
        if rest.rests_after:
            return node
        return ParamQuery(DIMS, node.span, Query.DIMS, rest.input, rest.fixed_before, rest.fixed_after)

    def _by_chip(self, table: Select) -> Expr:
        values = dict(table.cases)
        found = [value for c in self._chips if (value := values.get(c.arch, table.otherwise)) is not None]
        if len(found) == len(self._chips) and len({strip(value) for value in found}) == 1:
            return found[0]
        cases = tuple((c.id, values[c.arch]) for c in self._chips if c.arch in values)
        otherwise = table.otherwise if len(cases) < len(self._chips) else None
        return Select(table.type, table.span, chip(table.span), cases, otherwise)

    def _on(self, node: Expr, archs: Set[object], *, negated: bool) -> Expr:
        span = node.span
        options = tuple(Literal(CHIP, span, c.id) for c in self._chips if c.arch in archs)
        return Contains(BOOL, span, chip(span), options, negated) if options else node

    # ----------------------------------------------------------------- derived values

    def _with_plain_lets(self) -> Mapping[Name, Expr]:
        known = dict(self._consts)
        tiling = self._operator.tiling
        groups: tuple[tuple[RefKind, Sequence[Let]], ...] = (
            (RefKind.LET, self._operator.lets),
            (RefKind.TILING_LET, tiling.lets if tiling else ()),
        )
        for kind, lets in groups:
            for let in lets:
                if let.doc is None:
                    known[kind, let.name] = substitute(self._unpacked(let.value), known)
        return known

    # ----------------------------------------------------------------- packed rows

    def _unpacked(self, expr: Expr) -> Expr:
        if not any(isinstance(node, Call) and node.function == "elements" for node in walk(expr)):
            return expr
        return bottom_up(expr, self._row_size)

    def _row_size(self, node: Expr) -> Expr:
        if isinstance(node, Call) and node.function == "elements" and isinstance(node.args[0], Ref):
            record = self._operator.find(Record, node.args[0].name)
            return simplify(substitute(bottom_up(record.elements, self._sized), self._in_rows))
        return node

    def _sized(self, node: Expr) -> Expr:
        if isinstance(node, Call) and node.function == "sizeof" and isinstance(node.args[0], Ref):
            column = node.args[0].name
            names = {n for chip in self._chips for n in self._operator.dtypes.column(column, chip.id)}
            sizes = {DTYPES[name].size for name in names}
            if len(sizes) == 1:
                return Literal(INT, node.span, sizes.pop())
        return node

    def _only_values(self) -> Mapping[Name, Expr]:
        """Attributes that accept a single number, as that number."""
        found: dict[Name, Expr] = {}
        for attr in self._operator.attrs:
            values = {self._only_value(attr, chip) for chip in self._chips}
            if len(values) == 1 and None not in values:
                found[RefKind.ATTR, attr.name] = Literal(INT, attr.span, values.pop() or 0)
        return found

    def _only_value(self, attr: Attr, chip: Chip) -> int | None:
        domain = None if attr.domain is None else at_chip(attr.domain, chip)
        if attr.type is not AttrType.INT or domain is None or len(domain.values) != 1:
            return None
        value = domain.values[0].value
        return value if isinstance(value, int) else None


@once_an_operator
def readable(operator: Operator, chips: tuple[Chip, ...]) -> Readable:
    """Shared by all that is said of an operator."""
    return Readable(operator, chips)


# --------------------------------------------------------------------------- texts


def cited(text: str, shown: Mapping[str, str]) -> str:
    """A text of the spec with other names in its `marks`, for those that readers know by another one."""
    return _CODE.sub(lambda found: shown.get(found[1], found[0]), text)


def known_as(operator: Operator) -> dict[str, str]:
    """What ``cited`` shows: consts as their numbers, dims by the names that documents have for them."""
    numbers = {c.name: str(c.value) for c in operator.consts}
    return numbers | {d.name: f"`{d.doc_name}`" for d in operator.dims}
