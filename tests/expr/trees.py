"""Random typed trees over the names of ``world``, and random calls for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from qsfa_codegen.expr.evaluate import UNKNOWN, Value
from qsfa_codegen.expr.nodes import (
    ARCH,
    BOOL,
    CHIP,
    DIMS,
    DTYPE,
    FLOAT,
    INT,
    Arith,
    Call,
    Compare,
    Conditional,
    Contains,
    Expr,
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
    list_type,
)
from tests.expr.world import CODES, MODE, SIZES, SPAN, World

T = TypeVar("T")

INTEGERS = (0, 1, -1, 2, 3, -3, 7, 16, 100, 2**31 - 1, -(2**31), 2**32, 2**62, 2**63 - 1, -(2**63))
DIMS_NAMES = ("A", "B", "C")
CHIPS = (("A2", "arch22"), ("A3", "arch22"), ("A5", "arch35"))


@dataclass(frozen=True)
class Trees:
    """Makes trees. ``small`` keeps literals small; ``by_chip`` lets them depend on the chip."""

    random: Random
    small: bool = False
    by_chip: bool = False
    tables: bool = True

    def integer(self, depth: int) -> Expr:
        if depth == 0 or self.random.random() < 0.15:
            leaves: list[Callable[[], Expr]] = [self._int_literal, self._dim, self._dim, self._axis]
            return self._pick(*leaves)()
        inner = depth - 1
        makers: list[Callable[[int], Expr]] = [
            self._arith,
            self._arith,
            self._arith,
            self._negate,
            self._extreme,
            self._rounding,
            self._int_conditional,
            self._int_fact,
            *([self._int_table, self._int_table] if self.tables else []),
        ]
        return self._pick(*makers)(inner)

    def truth(self, depth: int) -> Expr:
        if depth == 0 or self.random.random() < 0.1:
            return self._pick(self._flag, self._presence)()
        inner = depth - 1
        makers: list[Callable[[int], Expr]] = [
            self._compare,
            self._compare,
            self._float_compare,
            self._label_compare,
            self._contains,
            self._label_contains,
            self._logic,
            self._logic,
            lambda d: Not(BOOL, SPAN, self.truth(d)),
            lambda d: Conditional(BOOL, SPAN, self.truth(d), self.truth(d), self.truth(d)),
            lambda d: Call(BOOL, SPAN, "is_power_of_two", (self.integer(d),)),
            *([self._bool_table] if self.tables else []),
            *([self._chip_test, self._chip_test] if self.by_chip else []),
        ]
        return self._pick(*makers)(inner)

    def _pick(self, *options: T) -> T:
        return self.random.choice(options)

    def _int_literal(self) -> Expr:
        values = INTEGERS[:9] if self.small else INTEGERS
        return Literal(INT, SPAN, self._pick(*values))

    def _dim(self) -> Expr:
        return Ref(INT, SPAN, RefKind.DIM, self._pick(*DIMS_NAMES))

    def _axis(self) -> Expr:
        return ParamQuery(INT, SPAN, Query.DIM, "x", self._pick(0, -1))

    def _flag(self) -> Expr:
        kind, name = self._pick((RefKind.ATTR, "flag"), (RefKind.LET, "wide"))
        return Ref(BOOL, SPAN, kind, name)

    def _presence(self) -> Expr:
        return ParamQuery(BOOL, SPAN, Query.PRESENT, self._pick("x", "y"))

    def _scale(self) -> Expr:
        return Ref(FLOAT, SPAN, RefKind.ATTR, "scale")

    def _mode(self) -> Expr:
        return Ref(MODE, SPAN, RefKind.ATTR, self._pick("mode", "other_mode"))

    def _dtype(self) -> Expr:
        column: Expr = Ref(DTYPE, SPAN, RefKind.COLUMN, "t")
        return self._pick(column, ParamQuery(DTYPE, SPAN, Query.DTYPE, "x"))

    def _arith(self, depth: int) -> Expr:
        op = self._pick("+", "-", "*", "//", "%")
        return Arith(INT, SPAN, op, self.integer(depth), self.integer(depth))

    def _negate(self, depth: int) -> Expr:
        operand = self.integer(depth)
        return operand if isinstance(operand, Literal) else Negate(INT, SPAN, operand)

    def _extreme(self, depth: int) -> Expr:
        if self.random.random() < 0.3:
            return Call(INT, SPAN, "abs", (self.integer(depth),))
        args = tuple(self.integer(depth) for _ in range(self._pick(2, 2, 3)))
        return Call(INT, SPAN, self._pick("min", "max"), args)

    def _rounding(self, depth: int) -> Expr:
        step = self.integer(0) if self.random.random() < 0.7 else self.integer(depth)
        return Call(INT, SPAN, self._pick("ceil_div", "align_up"), (self.integer(depth), step))

    def _int_conditional(self, depth: int) -> Expr:
        return Conditional(INT, SPAN, self.truth(depth), self.integer(depth), self.integer(depth))

    def _int_fact(self, depth: int) -> Expr:
        sizes = Ref(list_type(INT), SPAN, RefKind.ATTR, "sizes")
        rows = Ref(DIMS, SPAN, RefKind.REST, "ROWS")
        facts: list[Expr] = [
            Call(INT, SPAN, "code", (self._mode(),)),
            Call(INT, SPAN, "sizeof", (self._dtype(),)),
            Call(INT, SPAN, "len", (self._pick(sizes, rows),)),
            Call(INT, SPAN, "prod", (self._pick(sizes, rows),)),
            Subscript(INT, SPAN, sizes, self._pick(0, 1)),
            ParamQuery(INT, SPAN, Query.RANK, "x"),
        ]
        return self._pick(*facts)

    def _table(self, type: Type, make: Callable[[int], Expr], depth: int) -> Expr:
        selector, labels = self._pick(
            (self._mode(), tuple(CODES)),
            (self._dtype(), ("int8", "float16")),
            (self.truth(depth), ("true", "false")),
        )
        kept = self.random.sample(labels, self.random.randint(1, len(labels)))
        cases = tuple((label, make(depth)) for label in kept)
        complete = len(kept) == len(labels) and selector.type != DTYPE
        other = None if complete and self.random.random() < 0.5 else make(depth)
        return Select(type, SPAN, selector, cases, other)

    def _int_table(self, depth: int) -> Expr:
        return self._table(INT, self.integer, depth)

    def _bool_table(self, depth: int) -> Expr:
        return self._table(BOOL, self.truth, depth)

    def _compare(self, depth: int) -> Expr:
        op = self._pick("==", "!=", "<", "<=", ">", ">=")
        return Compare(BOOL, SPAN, op, self.integer(depth), self.integer(depth))

    def _float_compare(self, depth: int) -> Expr:
        value = Literal(FLOAT, SPAN, self._pick(0.0, 1.0, -2.5, 1e-6))
        left = Arith(FLOAT, SPAN, self._pick("+", "-", "*"), self._scale(), value)
        other = Negate(FLOAT, SPAN, self._scale())
        op = self._pick("==", "!=", "<", "<=", ">", ">=")
        return Compare(BOOL, SPAN, op, left, self._pick(value, other, self._scale()))

    def _label_compare(self, depth: int) -> Expr:
        left, labels = self._pick((self._mode(), tuple(CODES)), (self._dtype(), tuple(SIZES)))
        right: Expr = Literal(left.type, SPAN, self._pick(*labels))
        if left.type == MODE and self.random.random() < 0.3:
            right = self._mode()
        return Compare(BOOL, SPAN, self._pick("==", "!="), left, right)

    def _contains(self, depth: int) -> Expr:
        options = tuple(self.integer(self._pick(0, 0, depth)) for _ in range(self._pick(1, 2, 3)))
        return Contains(BOOL, SPAN, self.integer(depth), options, self._pick(True, False))

    def _label_contains(self, depth: int) -> Expr:
        labels = self.random.sample(tuple(CODES), self._pick(1, 2))
        options = tuple(Literal(MODE, SPAN, label) for label in labels)
        return Contains(BOOL, SPAN, self._mode(), options, self._pick(True, False))

    def _logic(self, depth: int) -> Expr:
        operands = tuple(self.truth(depth) for _ in range(self._pick(2, 2, 3)))
        return Logic(BOOL, SPAN, self._pick("and", "or"), operands)

    def _chip_test(self, depth: int) -> Expr:
        if self.random.random() < 0.5:
            selector: Expr = Ref(CHIP, SPAN, RefKind.CHIP, "chip")
            value: Expr = Literal(CHIP, SPAN, self._pick("A2", "A3", "A5"))
        else:
            selector = Ref(ARCH, SPAN, RefKind.ARCH, "arch")
            value = Literal(ARCH, SPAN, self._pick("arch22", "arch35"))
        if self.random.random() < 0.5:
            return Contains(BOOL, SPAN, selector, (value,), self._pick(True, False))
        return Compare(BOOL, SPAN, self._pick("==", "!="), selector, value)


def call(random: Random, integers: Callable[[], int], unknowns: float = 0.0, chip: int = 0) -> World:
    """A call with every name bound; each int64 fact is UNKNOWN with the given probability."""

    def fact() -> Value:
        return UNKNOWN if random.random() < unknowns else integers()

    names: dict[str, Value] = {name: fact() for name in DIMS_NAMES}
    names.update(
        mode=random.choice(tuple(CODES)),
        other_mode=random.choice(tuple(CODES)),
        t=random.choice(("int8", "float16", "float32")),
        flag=random.random() < 0.5,
        wide=random.random() < 0.5,
        scale=random.choice((0.0, 0.5, -2.5, 1e300)),
        sizes=tuple(integers() for _ in range(random.randint(2, 3))),
        ROWS=tuple(fact() for _ in range(random.randint(0, 3))),
        chip=CHIPS[chip][0],
        arch=CHIPS[chip][1],
    )
    facts: dict[tuple[Query, str, int | None], Value] = {
        (Query.PRESENT, "x", None): random.random() < 0.5,
        (Query.PRESENT, "y", None): random.random() < 0.5,
        (Query.RANK, "x", None): random.randint(0, 8),
        (Query.DIM, "x", 0): fact(),
        (Query.DIM, "x", -1): fact(),
        (Query.DTYPE, "x", None): random.choice(("int8", "float16", "bool")),
    }
    return World(names, facts)
