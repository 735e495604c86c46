"""Expressions in words, English and Chinese."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from msgspec import Struct

from qsfa_codegen.expr.build import is_case
from qsfa_codegen.expr.nodes import (
    BOOL,
    Arith,
    Call,
    Compare,
    Conditional,
    Contains,
    Expr,
    Kind,
    Literal,
    Logic,
    Negate,
    Not,
    ParamQuery,
    Query,
    Ref,
    RefKind,
    Select,
    Subscript,
    Type,
)
from qsfa_codegen.expr.relations import MIRROR
from qsfa_codegen.expr.rewrite import grouped_cases, negate
from qsfa_codegen.expr.specialize import simplify
from qsfa_codegen.expr.wording import ASCII, TYPOGRAPHIC, WORDS, ZH, Symbols, Words, join_list, number, spaced

__all__ = ["ProseNames", "fragment", "say"]


class ProseNames(Protocol):
    """How names look in a text, quotes or backticks included."""

    def ref(self, kind: RefKind, name: str) -> str:
        """A dim, attribute, let, const, column, record, rest or platform value."""

    def param(self, name: str) -> str:
        """An input."""

    def label(self, type: Type, label: str) -> str:
        """A label of an enum, a chip or an architecture."""

    def dtype(self, name: str) -> str:
        """A dtype."""

    def field(self, record: str, field: str) -> str:
        """A field of a record."""

    def string(self, value: str) -> str:
        """A string value, quotes included."""


def say(expr: Expr, lang: str, names: ProseNames, plain: bool = False) -> str:
    """``expr`` as a clause (bool) or a noun (any other type), without capital and full stop.

    ``lang`` is "en" or "zh"; ``plain`` keeps to ASCII signs and adds what values mean, for logs.
    """
    writer = _writer(lang, names, plain)
    return writer.finished(writer.claim(expr).text if expr.type == BOOL else writer.term(expr))


def fragment(expr: Expr, lang: str, names: ProseNames, plain: bool = False) -> str:
    """A bool ``expr`` as the condition before a clause: ``when `x` is 3``."""
    writer = _writer(lang, names, plain)
    claim = writer.claim(expr)
    text = writer.closed(claim) if claim.op == "if" else claim.text
    return writer.finished(WORDS[lang].when.format(text))


def _writer(lang: str, names: ProseNames, plain: bool) -> _Writer:
    return _Writer(WORDS[lang], ASCII if plain else TYPOGRAPHIC, names)


_WORDY, _SUM, _PRODUCT, _ATOM = range(4)


class _Claim(Struct, frozen=True):
    """A sentence; in parts when it is one predicate about a subject. ``op`` when it joins several."""

    subject: str
    predicate: str
    text: str
    op: str = ""


class _Writer(Struct, frozen=True):
    words: Words
    signs: Symbols
    names: ProseNames

    def finished(self, text: str) -> str:
        """``text`` with the spaces that its language wants."""
        return spaced(text) if self.words is ZH else text

    # ------------------------------------------------------------- nouns

    def term(self, expr: Expr, least: int = _WORDY) -> str:
        """A value, in parentheses when it binds less tightly than ``least``."""
        says_claim = expr.type == BOOL and not isinstance(expr, (Literal, Ref, Subscript))
        text, level = (self.claim(expr).text, _WORDY) if says_claim else _TERMS[type(expr)](self, expr)
        return text if level >= least else f"({text})"

    def _literal(self, expr: Literal) -> tuple[str, int]:
        value = expr.value
        if isinstance(value, bool):
            return ("true" if value else "false"), _ATOM
        if isinstance(value, (int, float)):
            text = number(value, self.signs)
            if expr.meaning and self.signs is ASCII:
                return f"{text} ({expr.meaning})", _ATOM
            return text, _ATOM if text.isalnum() else _SUM
        if expr.type.kind is Kind.DTYPE:
            return self.names.dtype(value), _ATOM
        if expr.type.kind is Kind.STRING:
            return self.names.string(value), _ATOM
        return self.names.label(expr.type, value), _ATOM

    def _ref(self, expr: Ref) -> tuple[str, int]:
        own = {RefKind.CHIP: self.words.chip, RefKind.ARCH: self.words.arch}.get(expr.kind)
        return (own, _WORDY) if own is not None else (self.names.ref(expr.kind, expr.name), _ATOM)

    def _query(self, expr: ParamQuery) -> tuple[str, int]:
        words, name, axis = self.words, self.names.param(expr.param), expr.axis or 0
        if expr.query is Query.DIMS:
            return self._shape(name, axis, expr.tail), _WORDY
        if axis < 0:
            phrase = words.dim_from_end if expr.query is Query.DIM else words.stride_from_end
            if expr.query is Query.DIM and axis == -1:
                phrase = words.last_dim
            return phrase.format(name, axis=-axis), _WORDY
        phrase = {
            Query.RANK: words.rank,
            Query.DIM: words.dim,
            Query.DTYPE: words.dtype,
            Query.NUMEL: words.numel,
            Query.COUNT: words.count,
            Query.STRIDE: words.stride,
        }[expr.query]
        return phrase.format(name, axis=axis), _WORDY

    def _shape(self, name: str, axis: int, tail: int) -> str:
        words = self.words
        if axis and tail:
            return words.shape_inner.format(name, axis=axis, tail=tail)
        phrase = words.shape_without_first if axis else words.shape_without_last if tail else words.shape
        return phrase.format(name, axis=axis, tail=tail)

    def _subscript(self, expr: Subscript) -> tuple[str, int]:
        return self.words.element.format(self.term(expr.base), index=expr.index), _WORDY

    def _negate(self, expr: Negate) -> tuple[str, int]:
        return f"{self.signs.minus}{self.term(expr.operand, _ATOM)}", _SUM

    def _arith(self, expr: Arith) -> tuple[str, int]:
        if expr.op == "//":
            return self.signs.floor.format(self._quotient(expr.left, expr.right)), _ATOM
        level = _SUM if expr.op in ("+", "-") else _PRODUCT
        sign = {"+": "+", "-": self.signs.minus, "*": self.signs.times, "%": "mod"}[expr.op]
        return f"{self.term(expr.left, level)} {sign} {self.term(expr.right, level + 1)}", level

    def _quotient(self, left: Expr, right: Expr) -> str:
        return f"{self.term(left, _PRODUCT)} / {self.term(right, _ATOM)}"

    def _conditional(self, expr: Conditional) -> tuple[str, int]:
        words = self.words
        parts: list[str] = []
        rest: Expr = expr
        while isinstance(rest, Conditional):
            value = self._branch(rest.then)
            parts.append(words.case_first.format(value=value, claim=self.claim(rest.test).text))
            rest = rest.otherwise
        parts.append(words.case_other.format(value=self._branch(rest)))
        return words.case_join.join(parts), _WORDY

    def _select(self, expr: Select) -> tuple[str, int]:
        words = self.words
        parts: list[str] = []
        for labels, value in grouped_cases(expr):
            claim, said = self._case(expr.selector, labels), self._branch(value)
            phrase = words.case_next if parts and claim.subject else words.case_first
            about = claim.predicate if parts and claim.subject else claim.text
            parts.append(phrase.format(claim=about, value=said))
        if expr.otherwise is not None:
            parts.append(words.case_other.format(value=self._branch(expr.otherwise)))
        return words.case_join.join(parts), _WORDY

    def _branch(self, value: Expr) -> str:
        """A value of several: in parentheses where it is a claim or tells cases itself."""
        ambiguous = value.type == BOOL or isinstance(value, Conditional | Select)
        return self.term(value, _SUM if ambiguous else _WORDY)

    def _case(self, selector: Expr, labels: Sequence[str]) -> _Claim:
        return self.claim(is_case(selector, labels, False, selector.span))

    def _call(self, expr: Call) -> tuple[str, int]:
        words, args = self.words, expr.args
        match expr.function:
            case "ceil_div":
                return self.signs.ceil.format(self._quotient(*args)), _ATOM
            case "align_up":
                step = self.term(args[1], _ATOM)
                return f"{self.signs.ceil.format(self._quotient(*args))} {self.signs.times} {step}", _PRODUCT
            case "abs":
                return f"|{self.term(args[0])}|", _ATOM
            case "elements":
                return words.record_size.format(self.term(args[0])), _WORDY
            case "offset":
                return self._offset(*args), _WORDY
            case "sizeof" if isinstance(args[0], ParamQuery):
                return words.bytes.format(self.names.param(args[0].param)), _WORDY
        phrase = {
            "len": words.length,
            "prod": words.product,
            "code": words.code,
            "sizeof": words.bytes,
        }.get(expr.function)
        if phrase is not None:
            return phrase.format(self.term(args[0])), _WORDY
        return f"{expr.function}({', '.join(self._among(arg) for arg in args)})", _ATOM

    def _among(self, arg: Expr) -> str:
        """A value in a list: in parentheses where it has commas of its own."""
        return self.term(arg, _SUM if isinstance(arg, Conditional | Select) else _WORDY)

    def _offset(self, record: Expr, field: Expr) -> str:
        assert isinstance(record, Ref)
        assert isinstance(field, Literal)
        name = self.names.field(record.name, str(field.value))
        return self.words.record_offset.format(self.term(record), field=name)

    # ------------------------------------------------------------- clauses

    def claim(self, expr: Expr) -> _Claim:
        """A bool expression as a sentence."""
        match expr:
            case Literal():
                text = self.term(expr)
                return _Claim("", "", text)
            case Compare():
                return self._compare(expr)
            case Contains():
                return self._contains(expr)
            case Logic():
                return self._logic(expr)
            case Not(operand=operand):
                return self._not(operand)
            case Conditional(test=test, then=then, otherwise=other):
                parts = {"test": test, "then": then, "other": other}
                said = {part: self.claim(value).text for part, value in parts.items()}
                return _Claim("", "", self.words.claim_if.format(**said), "if")
            case Select():
                return self._demands(expr)
            case Call():
                return self._bool_call(expr, True)
            case ParamQuery(param=param):
                return self._about(self.names.param(param), self.words.present)
        return self._about(self.term(expr), self.words.is_.format("true"))

    def _demands(self, table: Select) -> _Claim:
        """What each case demands; those that demand nothing are left out."""
        words, parts = self.words, []
        for labels, value in grouped_cases(table):
            if not _is_true(value):
                case, demand = self._case(table.selector, labels), self.claim(value)
                parts.append(words.claim_case.format(claim=case.text, value=demand.text))
        if table.otherwise is not None and not _is_true(table.otherwise):
            rest = self.claim(table.otherwise).text
            parts.append(words.claim_other.format(value=rest) if parts else self._elsewhere(table, rest))
        return _Claim("", "", words.claim_join.join(parts) or words.always, "if")

    def _elsewhere(self, table: Select, demand: str) -> str:
        """What is demanded in the cases that a table does not name, where the others demand nothing."""
        named = [label for label, _ in table.cases]
        case = self.claim(is_case(table.selector, named, True, table.selector.span))
        return self.words.claim_case.format(claim=case.text, value=demand)

    def _about(self, subject: str, predicate: str) -> _Claim:
        gap = "" if self.words is ZH else " "
        return _Claim(subject, predicate, f"{subject}{gap}{predicate}")

    def _not(self, operand: Expr) -> _Claim:
        opposite = negate(operand)
        if not isinstance(opposite, Not):
            return self.claim(opposite)
        match operand:
            case ParamQuery(param=param):
                return self._about(self.names.param(param), self.words.absent)
            case Call(function="is_power_of_two" | "is_finite"):
                return self._bool_call(operand, False)
            case Ref() | Subscript():
                return self._about(self.term(operand), self.words.is_.format("false"))
        inner = self.claim(operand)
        return _Claim("", "", self.words.not_so.format(self.closed(inner)))

    def _compare(self, expr: Compare) -> _Claim:
        words, op, left, right = self.words, expr.op, expr.left, expr.right
        if _is_fixed(left) and not _is_fixed(right):
            left, right, op = right, left, MIRROR[op]
        if op in ("==", "!=") and isinstance(right, Literal) and right.value == 0 and _is_remainder(left):
            assert isinstance(left, Arith)
            phrase = words.multiple if op == "==" else words.not_multiple
            return self._about(self.term(left.left), phrase.format(self.term(left.right)))
        if left.type == BOOL:
            return self._equivalence(op, left, right)
        fixed = _is_fixed(right)
        phrase = {
            "==": words.is_ if fixed else words.equals,
            "!=": words.is_not if fixed else words.differs,
            "<": words.less,
            "<=": words.at_most,
            ">": words.greater,
            ">=": words.at_least,
        }[op]
        return self._about(self.term(left), phrase.format(self.term(right)))

    def _equivalence(self, op: str, left: Expr, right: Expr) -> _Claim:
        if isinstance(right, Literal):
            return self.claim(left if bool(right.value) is (op == "==") else Not(BOOL, left.span, left))
        phrase = self.words.exactly_when if op == "==" else self.words.just_one
        both = (self.closed(self.claim(side)) for side in (left, right))
        return _Claim("", "", phrase.format(*both), "if")

    def _contains(self, expr: Contains) -> _Claim:
        words = self.words
        options = [self.term(option) for option in expr.options]
        if len(options) == 1:
            phrase, listed = (words.is_not if expr.negated else words.is_), options[0]
        elif len(options) == 2 and not expr.negated:
            phrase, listed = words.is_, words.either.format(*options)
        else:
            phrase = words.none_of if expr.negated else words.one_of
            listed = words.listed.join(options)
        return self._about(self.term(expr.item), phrase.format(listed))

    def _bool_call(self, expr: Call, holds: bool) -> _Claim:
        words, args = self.words, expr.args
        match expr.function:
            case "is_power_of_two":
                predicate = words.power_of_two if holds else words.not_power_of_two
            case "is_finite":
                predicate = words.finite if holds else words.not_finite
            case "all_between":
                limits = words.between.format(self.term(args[1]), self.term(args[2]))
                return self._about(words.every_element.format(self._param(expr)), limits)
            case "non_decreasing":
                return self._about(words.elements.format(self._param(expr)), words.non_decreasing)
            case "padded_with":
                pad = self.term(args[1])
                return self._about(words.every_row.format(self._param(expr)), words.padded.format(pad, pad))
            case "starts_with":
                predicate = words.begins_with.format(self.term(args[1]))
            case "ends_with":
                predicate = words.ends_with.format(self.term(args[1]))
            case _:
                return self._about(self._call(expr)[0], words.is_.format("true"))
        return self._about(self.term(args[0]), predicate)

    def _param(self, call: Call) -> str:
        name = call.args[0]
        assert isinstance(name, Literal)
        return self.names.param(str(name.value))

    def _logic(self, expr: Logic) -> _Claim:
        operands = _flat(expr)
        claims = self._ranges(operands) if expr.op == "and" else [self.claim(o) for o in operands]
        grouped = self._grouped(claims, expr.op)
        if len(grouped) == 1:
            return grouped[0]
        words = self.words
        texts = [self._inside(claim, expr.op) for claim in grouped]
        if expr.op == "and":
            return _Claim("", "", join_list(texts, words.more_and, words.and_), "and")
        if any(claim.op == "and" for claim in grouped):
            return _Claim("", "", words.or_after_and.join(texts), "or")
        return _Claim("", "", join_list(texts, words.more_or, words.or_), "or")

    def _ranges(self, operands: Sequence[Expr]) -> list[_Claim]:
        """Claims of a conjunction, a lower and an upper bound of one subject as one range."""
        claims: list[_Claim] = []
        position = 0
        while position < len(operands):
            pair = [_limits(operand) for operand in operands[position : position + 2]]
            both = self._range(*pair) if len(pair) == 2 else None
            claims.append(both or self.claim(operands[position]))
            position += 2 if both else 1
        return claims

    def _range(self, first: _Limit | None, second: _Limit | None) -> _Claim | None:
        if first is None or second is None or {first.op, second.op} != {">=", "<="}:
            return None
        subject = self.term(first.subject)
        if subject != self.term(second.subject):
            return None
        low, high = (first, second) if first.op == ">=" else (second, first)
        limits = (self.term(low.limit), self.term(high.limit))
        return self._about(subject, self.words.between.format(*limits))

    def _grouped(self, claims: Sequence[_Claim], op: str) -> list[_Claim]:
        """Neighbouring claims about one subject as one claim."""
        grouped: list[_Claim] = []
        run: list[_Claim] = []
        for claim in claims:
            if run and (not claim.subject or claim.subject != run[0].subject):
                grouped.append(self._merged(run, op))
                run = []
            run.append(claim)
        return [*grouped, self._merged(run, op)]

    def _merged(self, claims: Sequence[_Claim], op: str) -> _Claim:
        if len(claims) == 1:
            return claims[0]
        words = self.words
        join, last = (words.more_and, words.and_) if op == "and" else (words.more_or, words.or_)
        predicate = join_list([claim.predicate for claim in claims], join, last)
        whole = self._about(claims[0].subject, predicate)
        return _Claim("", "", whole.text, op)

    def _inside(self, claim: _Claim, outer: str) -> str:
        """A claim among others: closed in parentheses where it could be misread."""
        needs = claim.op == "if" or (outer == "and" and claim.op == "or")
        return self.closed(claim) if needs else claim.text

    def closed(self, claim: _Claim) -> str:
        """A claim in parentheses, unless it is a single statement."""
        return f"{self.words.open}{claim.text}{self.words.close}" if claim.op else claim.text


class _Limit(Struct, frozen=True):
    subject: Expr
    op: str
    limit: Expr


def _limits(expr: Expr) -> _Limit | None:
    """A comparison as a limit on what varies in it."""
    if not isinstance(expr, Compare):
        return None
    if _is_fixed(expr.left) and not _is_fixed(expr.right):
        return _Limit(expr.right, MIRROR[expr.op], expr.left)
    return _Limit(expr.left, expr.op, expr.right)


def _is_fixed(expr: Expr) -> bool:
    return isinstance(expr, Literal) or (isinstance(expr, Ref) and expr.kind is RefKind.CONST)


def _is_true(expr: Expr) -> bool:
    simple = simplify(expr)
    return isinstance(simple, Literal) and simple.value is True


def _is_remainder(expr: Expr) -> bool:
    return isinstance(expr, Arith) and expr.op == "%"


def _flat(expr: Logic) -> list[Expr]:
    """Operands, those of the same operator inside taken apart."""
    found: list[Expr] = []
    for operand in expr.operands:
        found.extend(_flat(operand) if isinstance(operand, Logic) and operand.op == expr.op else [operand])
    return found


_TERMS: dict[type[Any], Callable[[_Writer, Any], tuple[str, int]]] = {
    Literal: _Writer._literal,
    Ref: _Writer._ref,
    ParamQuery: _Writer._query,
    Subscript: _Writer._subscript,
    Negate: _Writer._negate,
    Arith: _Writer._arith,
    Conditional: _Writer._conditional,
    Select: _Writer._select,
    Call: _Writer._call,
}
