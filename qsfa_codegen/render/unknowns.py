"""Conditions in C++ where a size may be unknown: true, false or not yet decided.

C++ has no third truth value, so a condition is written as the text that is true exactly when the
expression is known and true. An unknown size has a value too (-1), hence each comparison stands
behind the tests that what it reads is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct
from msgspec.structs import replace

from qsfa_codegen.expr.build import is_case, strip
from qsfa_codegen.expr.nodes import (
    BOOL,
    DIMS,
    Call,
    Compare,
    Conditional,
    Contains,
    Expr,
    Literal,
    Logic,
    Not,
    ParamQuery,
    Ref,
    Select,
    children,
)
from qsfa_codegen.expr.rewrite import bottom_up, negate
from qsfa_codegen.render.text import INDENT, LINE_LIMIT, wrap_items


class Test(Struct, frozen=True):
    """One C++ condition that needs no parentheses beside ``&&`` and ``||``."""

    text: str


class Every(Struct, frozen=True):
    """All of its parts; none at all is true."""

    parts: tuple[Condition, ...]


class Some(Struct, frozen=True):
    """Any of its parts; none at all is false."""

    parts: tuple[Condition, ...]


Condition = Test | Every | Some
TRUE: Condition = Every(())
FALSE: Condition = Some(())


def every(parts: Iterable[Condition]) -> Condition:
    """The conjunction, each part once."""
    flat: dict[Condition, None] = {}
    for part in parts:
        flat.update(dict.fromkeys(part.parts if isinstance(part, Every) else (part,)))
    if FALSE in flat:
        return FALSE
    return next(iter(flat)) if len(flat) == 1 else Every(tuple(flat))


def some(parts: Iterable[Condition]) -> Condition:
    """The disjunction, each part once; what all parts demand stands in front of it."""
    flat: dict[Condition, None] = {}
    for part in parts:
        flat.update(dict.fromkeys(part.parts if isinstance(part, Some) else (part,)))
    if TRUE in flat:
        return TRUE
    kept = [part for part in flat if not any(_is_narrower(part, other) for other in flat)]
    if len(kept) < 2:
        return kept[0] if kept else FALSE
    demands = [_demands(part) for part in kept]
    common = [demand for demand in demands[0] if all(demand in other for other in demands)]
    if not common:
        return Some(tuple(kept))
    rests = [every(demand for demand in own if demand not in common) for own in demands]
    return every([*common, some(rests)])


def _is_narrower(condition: Condition, other: Condition) -> bool:
    """Whether ``condition`` demands all that ``other`` does, and more."""
    return set(_demands(condition)) > set(_demands(other))


def _demands(condition: Condition) -> tuple[Condition, ...]:
    return condition.parts if isinstance(condition, Every) else (condition,)


def line(condition: Condition) -> str:
    """The condition as it stands on one line."""
    if isinstance(condition, Test):
        return condition.text
    if not condition.parts:
        return "true" if isinstance(condition, Every) else "false"
    operator = " && " if isinstance(condition, Every) else " || "
    return operator.join(_operand(part) for part in condition.parts)


def _operand(condition: Condition) -> str:
    return condition.text if isinstance(condition, Test) else f"({line(condition)})"


def broken_condition(head: str, condition: Condition, tail: str, indent: int) -> str:
    """``head condition tail``, broken behind the outermost operators first where it is too long."""
    text = f"{head}{line(condition)}{tail}"
    if isinstance(condition, Test) or indent + len(text) <= LINE_LIMIT:
        return text
    operator = " && " if isinstance(condition, Every) else " || "
    operands = [_operand(part) for part in condition.parts]
    flat = wrap_items(head, [f"{o}{operator}" for o in operands[:-1]] + operands[-1:], tail, indent)
    if all(len(text) <= LINE_LIMIT for text in flat.split("\n")):
        return flat
    lines = [
        broken_condition("(", part, ")", indent + INDENT) if not isinstance(part, Test) else part.text
        for part in condition.parts
    ]
    return head + f"{operator.rstrip()}\n{' ' * (indent + INDENT)}".join(lines) + tail


class ThreeValued(Struct, frozen=True):
    """Writes conditions; ``emit`` gives the C++ of an expression that stands beside ``&&``.

    ``leaf_known`` says when a name or a fact about an input has a value; ``length_known`` the same
    for the number of axes that a run has.
    """

    emit: Callable[[Expr], str]
    leaf_known: Callable[[Ref | ParamQuery], Condition]
    length_known: Callable[[Expr], Condition]

    def is_true(self, expr: Expr) -> Condition:
        """When ``expr`` is known and true."""
        return self._decided(expr, wanted=True)

    def is_false(self, expr: Expr) -> Condition:
        """When ``expr`` is known and false."""
        return self._decided(expr, wanted=False)

    def _decided(self, expr: Expr, *, wanted: bool) -> Condition:
        match expr:
            case Literal(value=value):
                return TRUE if bool(value) is wanted else FALSE
            case Not(operand=operand):
                return self._decided(operand, wanted=not wanted)
            case Logic(op=op, operands=operands):
                join = every if (op == "and") is wanted else some
                return join([self._decided(operand, wanted=wanted) for operand in operands])
            case Contains(item=item, options=options, negated=negated):
                return self._among(item, options, found=wanted is not negated)
            case Conditional(test=test, then=then, otherwise=otherwise):
                return some(
                    [
                        every([self.is_true(test), self._decided(then, wanted=wanted)]),
                        every([self.is_false(test), self._decided(otherwise, wanted=wanted)]),
                    ]
                )
        return every([self.known(expr), Test(self.emit(expr if wanted else negate(expr)))])

    def _among(self, item: Expr, options: tuple[Expr, ...], *, found: bool) -> Condition:
        tests = [Compare(BOOL, item.span, "==" if found else "!=", item, option) for option in options]
        join = some if found else every
        known = self.known(item)
        rest = [
            every([self.known(option), Test(self.emit(t))]) for option, t in zip(options, tests, strict=True)
        ]
        return every([known, join(rest)])

    def known(self, expr: Expr) -> Condition:
        """When ``expr`` has a value."""
        match expr:
            case Ref() | ParamQuery():
                return self.leaf_known(expr)
            case Call(function="len", args=(run,)):
                return self.length_known(run)
            case Conditional(test=test, then=then, otherwise=otherwise):
                when_then, when_else = self.known(then), self.known(otherwise)
                if when_then == when_else:
                    return every([self.known(test), when_then])
                return some([every([self.is_true(test), when_then]), every([self.is_false(test), when_else])])
            case Logic() | Contains() | Not() if expr.type == BOOL:
                return some([self.is_true(expr), self.is_false(expr)]) if self._varies(expr) else TRUE
        return every(self.known(child) for child in children(expr))

    def _varies(self, expr: Expr) -> bool:
        return any(self.known(child) != TRUE for child in children(expr))


# --------------------------------------------------------------------------- tables


def closed(expr: Expr) -> Expr:
    """Tables as ``a if test else b``, where the selector is known to have one of the cases.

    Cases of the same value share a test, the most frequent value needs none; a table of
    comparisons that differ on the right only is one comparison with a table.
    """
    return bottom_up(expr, lambda node: _closed_table(node) if isinstance(node, Select) else node)


def _closed_table(table: Select) -> Expr:
    branches, last = _branches(table)
    values = [value for _, value in branches] + [last]
    compares = [value for value in values if isinstance(value, Compare) and value.left.type != DIMS]
    alike = len({(c.op, strip(c.left)) for c in compares}) == 1 and len(compares) == len(values)
    if not branches or not alike:
        return _chain(table, branches, last)
    rights = [(labels, c.right) for (labels, _), c in zip(branches, compares, strict=False)]
    return replace(compares[-1], right=_chain(table, rights, compares[-1].right))


def _branches(table: Select) -> tuple[list[tuple[list[str], Expr]], Expr]:
    """Cases of one value together, and the value that needs no test."""
    groups: dict[object, tuple[list[str], Expr]] = {}
    for label, value in table.cases:
        groups.setdefault(strip(value), ([], value))[0].append(label)
    if table.otherwise is not None:
        groups.pop(strip(table.otherwise), None)
        return list(groups.values()), table.otherwise
    most = max(len(labels) for labels, _ in groups.values())
    key = [key for key, (labels, _) in groups.items() if len(labels) == most][-1]
    _, last = groups.pop(key)
    return list(groups.values()), last


def _chain(table: Select, branches: list[tuple[list[str], Expr]], last: Expr) -> Expr:
    result = last
    for labels, value in reversed(branches):
        test = is_case(table.selector, labels, False, table.span)
        result = Conditional(value.type, table.span, test, value, result)
    return result
