"""Expressions of an operator on one chip as terms of a solver.

Integers are mathematical; what does not fit in 64 bits fails, as it does when the contract is run.
So every expression has two terms: its value, and whether it has one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import NamedTuple

import z3

from qsfa_codegen.contract.env import tsch_block_dim
from qsfa_codegen.expr.limits import INT64_MAX, INT64_MIN
from qsfa_codegen.expr.nodes import (
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
)
from qsfa_codegen.review.symbols import MAX_RANK, Items, Symbols, Tensor, Term, UnsupportedError
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import (
    Attr,
    AttrType,
    AttrValue,
    Chip,
    Domain,
    Operator,
    Presence,
    RestItem,
    ShapeItem,
    leaves,
)

YES = z3.BoolVal(True)
_SMALL_DIVISORS = 32


class Value(NamedTuple):
    """A value, and whether there is one."""

    term: Term
    ok: Term = YES


def both(*conditions: Term) -> Term:
    """Their conjunction, without what is true anyway."""
    kept = [condition for condition in conditions if not z3.is_true(condition)]
    return YES if not kept else kept[0] if len(kept) == 1 else z3.And(*kept)


def _fits(term: Term) -> Term:
    if z3.is_int_value(term):
        return z3.BoolVal(INT64_MIN <= term.as_long() <= INT64_MAX)
    return z3.And(term >= INT64_MIN, term <= INT64_MAX)


class Encoder:
    """Turns the expressions of one operator into terms."""

    def __init__(self, operator: Operator, chip: Chip, symbols: Symbols) -> None:
        self._operator = operator
        self._chip = chip
        self._symbols = symbols
        self._known: dict[int, tuple[Expr, Value]] = {}
        tiling = operator.tiling
        lets = (*operator.lets, *(tiling.lets if tiling is not None else ()))
        self._derived = {d.name: d.value for d in operator.dims} | {n.name: n.value for n in lets}
        self._attrs = {a.name: a for a in operator.attrs}
        self._inputs = {i.name: i for i in operator.inputs}

    def of(self, expr: Expr) -> Value:
        """The terms of an expression; UnsupportedError when there are none."""
        entry = self._known.get(id(expr))
        if entry is None:
            entry = self._known[id(expr)] = (expr, self._make(expr))
        return entry[1]

    def _make(self, expr: Expr) -> Value:  # noqa: C901 - one case for each kind of node
        match expr:
            case Literal():
                return Value(self._literal(expr))
            case Ref():
                return self._ref(expr)
            case ParamQuery():
                return self._query(expr.query, expr.param, expr.axis, expr.tail)
            case Subscript(base=base, index=index):
                found = self.of(base)
                return Value(found.term.items[index], both(found.ok, found.term.length > index))
            case Negate(operand=operand):
                return self._checked(-self._number(operand).term, self.of(operand).ok)
            case Not(operand=operand):
                return Value(z3.Not(self.of(operand).term), self.of(operand).ok)
            case Arith():
                return self._arith(expr)
            case Compare():
                return self._compare(expr)
            case Contains():
                return self._contains(expr)
            case Logic(op=op, operands=operands):
                return self._logic(op, [self.of(operand) for operand in operands])
            case Conditional(test=test, then=then, otherwise=otherwise):
                return self._choice(self.of(test), self.of(then), self.of(otherwise))
            case Select():
                return self._select(expr)
            case Call():
                return self._call(expr)

    # ------------------------------------------------------------------ leaves

    def _literal(self, expr: Literal) -> Term:
        match expr.type.kind:
            case Kind.INT:
                return z3.IntVal(int(expr.value))
            case Kind.BOOL:
                return z3.BoolVal(bool(expr.value))
            case Kind.FLOAT:
                return z3.FPVal(float(expr.value), z3.Float64())
        return z3.IntVal(self._symbols.words[str(expr.value)])

    def _ref(self, expr: Ref) -> Value:
        name = expr.name
        match expr.kind:
            case RefKind.CONST:
                return Value(z3.IntVal(next(c.value for c in self._operator.consts if c.name == name)))
            case RefKind.ATTR:
                return Value(self._attr(self._attrs[name]))
            case RefKind.DIM | RefKind.LET | RefKind.TILING_LET:
                return self.of(self._derived[name])
            case RefKind.CHIP:
                return Value(z3.IntVal(self._symbols.words[self._chip.id]))
            case RefKind.ARCH:
                return Value(z3.IntVal(self._symbols.words[self._chip.arch]))
            case RefKind.COLUMN:
                return self.column(name)
            case RefKind.REST:
                return self._rest(name)
            case RefKind.PLATFORM:
                return Value(z3.IntVal(self._platform(name)))
        raise UnsupportedError(f"{name} stands alone")

    def _attr(self, attr: Attr) -> Term:
        found = self._symbols.attr(attr)
        if attr.type is AttrType.FLOAT:
            return z3.fpFPToFP(z3.RNE(), found, z3.Float64())
        if attr.type is AttrType.LIST_FLOAT:
            wide = tuple(z3.fpFPToFP(z3.RNE(), item, z3.Float64()) for item in found.items)
            return Items(found.length, wide)
        return found

    def _platform(self, name: str) -> int:
        chip = self._chip
        return {
            "aic": chip.aic,
            "aiv": chip.aiv,
            "ub_size": chip.ub,
            "libapi_workspace": chip.libapi_workspace,
        }[name]

    def column(self, name: str) -> Value:
        """The dtype of a column: that of its attribute, or of its first input that is passed."""
        matrix = self._operator.dtypes
        chooser = dict(matrix.select).get(name)
        if chooser is not None:
            return Value(self._attr(self._attrs[chooser]))
        fallback = dict(matrix.unbound).get(name)
        found = Value(z3.IntVal(0), z3.BoolVal(False)) if fallback is None else self.column(fallback)
        carriers = [i for i in self._operator.inputs if i.dtype.column == name]
        carriers.sort(key=lambda i: i.presence is not Presence.REQUIRED)
        for param in reversed(carriers):
            passed = self.passed(param.name)
            found = self._choice(Value(passed), Value(self._symbols.tensor(param).dtype), found)
        return found

    def _rest(self, name: str) -> Value:
        rest = next(r for r in self._operator.rests if r.name == name)
        others = [self._rest(other) for other in rest.rests_after]
        tail = z3.Sum([z3.IntVal(rest.fixed_after), *(other.term.length for other in others)])
        dims = self._dims(rest.input, rest.fixed_before, tail)
        return Value(dims.term, both(dims.ok, *(other.ok for other in others)))

    # ------------------------------------------------------------------ inputs

    def _tensor(self, name: str) -> Tensor:
        return self._symbols.tensor(self._inputs[name])

    def passed(self, name: str) -> Term:
        """Whether an input counts as passed."""
        tensor = self._tensor(name)
        if not self._inputs[name].empty_is_absent:
            return tensor.present
        empty = [z3.And(tensor.rank > axis, size == 0) for axis, size in enumerate(tensor.sizes)]
        return z3.And(tensor.present, z3.Not(z3.Or(*empty)))

    def _query(self, query: Query, name: str, axis: int | None, tail: int) -> Value:
        tensor, passed = self._tensor(name), self.passed(name)
        match query:
            case Query.PRESENT:
                return Value(passed)
            case Query.DTYPE:
                return Value(tensor.dtype, passed)
            case Query.RANK:
                return Value(tensor.rank, passed)
            case Query.DIM:
                return self._axis(tensor, axis or 0, passed)
            case Query.DIMS:
                return self._dims(name, axis or 0, z3.IntVal(tail))
            case Query.NUMEL:
                found = self._product(Items(tensor.rank, tensor.sizes))
                return Value(found.term, both(passed, found.ok))
        raise UnsupportedError(f"{query.value} of {name}")

    def _axis(self, tensor: Tensor, axis: int, passed: Term) -> Value:
        if axis >= MAX_RANK or axis < -MAX_RANK:
            raise UnsupportedError(f"axis {axis}")
        if axis >= 0:
            return Value(tensor.sizes[axis], both(passed, tensor.rank > axis))
        term = tensor.sizes[0]
        for rank in range(-axis, MAX_RANK + 1):
            term = z3.If(tensor.rank == rank, tensor.sizes[rank + axis], term)
        return Value(term, both(passed, tensor.rank >= -axis))

    def _dims(self, name: str, start: int, tail: Term) -> Value:
        tensor = self._tensor(name)
        length = z3.simplify(tensor.rank - start - tail)
        items = Items(z3.If(length > 0, length, 0), tensor.sizes[start:])
        return Value(items, self.passed(name))

    # ------------------------------------------------------------------ arithmetic

    def _number(self, expr: Expr) -> Value:
        if expr.type.kind is not Kind.INT:
            raise UnsupportedError("arithmetic with other numbers than integers")
        return self.of(expr)

    def _checked(self, term: Term, *ok: Term) -> Value:
        term = z3.simplify(term)
        return Value(term, both(*ok, _fits(term)))

    def _arith(self, expr: Arith) -> Value:
        left, right = self._number(expr.left), self._number(expr.right)
        ok = both(left.ok, right.ok)
        match expr.op:
            case "+":
                return self._checked(left.term + right.term, ok)
            case "-":
                return self._checked(left.term - right.term, ok)
            case "*":
                return self._checked(left.term * right.term, ok)
            case "//":
                return self._divided(expr.right, right.term, ok, lambda b: _floor(left.term, b))
        return self._divided(expr.right, right.term, ok, lambda b: left.term - _floor(left.term, b) * b)

    def _divided(self, divisor: Expr, term: Term, ok: Term, value: Callable[[Term], Term]) -> Value:
        """A division: where the divisor is one of a few numbers, one term for each of them."""
        result = value(term)
        if not z3.is_int_value(term):
            for number in self._numbers(divisor):
                result = z3.If(term == number, value(z3.IntVal(number)), result)
        return self._checked(result, ok, term != 0)

    def _numbers(self, expr: Expr) -> Sequence[int]:
        """The values that an attribute may have, where they are few."""
        if not isinstance(expr, Ref) or expr.kind is not RefKind.ATTR:
            return ()
        domain = self._attrs[expr.name].domain
        domains = [] if domain is None else [d for d in leaves(domain) if isinstance(d, Domain)]
        found = {v.value for d in domains for v in d.values if isinstance(v.value, int) and v.value}
        return sorted(found) if len(found) <= _SMALL_DIVISORS else ()

    def _product(self, items: Items) -> Value:
        term, ok = z3.IntVal(1), YES
        for index, item in enumerate(items.items):
            inside = items.length > index
            term = z3.If(inside, term * item, term)
            ok = both(ok, _fits(term))
        return Value(term, ok)

    # ------------------------------------------------------------------ conditions

    def _compare(self, expr: Compare) -> Value:
        left, right = self.of(expr.left), self.of(expr.right)
        return Value(self._compared(expr.op, left.term, right.term), both(left.ok, right.ok))

    def _compared(self, op: str, left: Term, right: Term) -> Term:
        if isinstance(left, Items):
            same = self._same_run(left, right, z3.IntVal(0), left.length == right.length)
            return same if op == "==" else z3.Not(same)
        if z3.is_fp(left) or z3.is_fp(right):
            left, right = _wide(left), _wide(right)
            equal = z3.fpEQ(left, right)
            table = {
                "==": equal,
                "!=": z3.Not(equal),
                "<": z3.fpLT(left, right),
                "<=": z3.fpLEQ(left, right),
                ">": z3.fpGT(left, right),
                ">=": z3.fpGEQ(left, right),
            }
            return table[op]
        left, right = (_as_int(term, other) for term, other in ((left, right), (right, left)))
        operations: dict[str, Callable[[Term, Term], Term]] = {
            "==": lambda a, b: a == b,
            "!=": lambda a, b: a != b,
            "<": lambda a, b: a < b,
            "<=": lambda a, b: a <= b,
            ">": lambda a, b: a > b,
            ">=": lambda a, b: a >= b,
        }
        return operations[op](left, right)

    def _same_run(self, whole: Items, run: Items, start: Term, condition: Term) -> Term:
        """``condition``, and that ``run`` is what stands in ``whole`` from ``start`` on."""
        equal = [
            z3.Implies(run.length > index, _at(whole, start + index) == item)
            for index, item in enumerate(run.items)
        ]
        return z3.And(condition, *equal)

    def _contains(self, expr: Contains) -> Value:
        item = self.of(expr.item)
        options = [self.of(option) for option in expr.options]
        tests = [Value(self._compared("==", item.term, o.term), both(item.ok, o.ok)) for o in options]
        found = self._logic("or", tests)
        return Value(z3.Not(found.term), found.ok) if expr.negated else found

    def _logic(self, op: str, values: Sequence[Value]) -> Value:
        """From left to right: what stands behind the deciding operand is not evaluated."""
        *before, last = values
        term, ok = last
        for value in reversed(before):
            goes_on = value.term if op == "and" else z3.Not(value.term)
            ok = both(value.ok, YES if z3.is_true(ok) else z3.Implies(goes_on, ok))
            term = z3.And(value.term, term) if op == "and" else z3.Or(value.term, term)
        return Value(term, ok)

    def _choice(self, test: Value, then: Value, other: Value) -> Value:
        term = self._either(test.term, then.term, other.term)
        ok = YES if z3.is_true(then.ok) and z3.is_true(other.ok) else z3.If(test.term, then.ok, other.ok)
        return Value(term, both(test.ok, ok))

    def _either(self, test: Term, then: Term, other: Term) -> Term:
        if isinstance(then, Items) and isinstance(other, Items):
            pairs = zip(then.items, other.items, strict=False)
            items = tuple(z3.If(test, a, b) for a, b in pairs)
            return Items(z3.If(test, then.length, other.length), items)
        return z3.If(test, then, other)

    def _select(self, expr: Select) -> Value:
        selector = self.of(expr.selector)
        cases = [(self.is_case(expr.selector, label), value) for label, value in expr.cases]
        if expr.otherwise is not None:
            found = self.of(expr.otherwise)
        else:  # no case: there is no value
            found = Value(self.of(expr.cases[-1][1]).term, z3.BoolVal(False))
        for test, value in reversed(cases):
            found = self._choice(Value(test), self.of(value), found)
        return Value(found.term, both(selector.ok, found.ok))

    # ------------------------------------------------------------------ functions

    def _call(self, expr: Call) -> Value:  # noqa: C901 - one case for each function
        args = expr.args
        match expr.function:
            case "ceil_div" | "align_up":
                a, b = self._number(args[0]), self._number(args[1])
                times = expr.function == "align_up"
                return self._divided(
                    args[1],
                    b.term,
                    both(a.ok, b.ok),
                    lambda d: -_floor(-a.term, d) * d if times else -_floor(-a.term, d),
                )
            case "min" | "max":
                values = [self._number(arg) for arg in args]
                return Value(
                    reduce(_smaller if expr.function == "min" else _larger, [v.term for v in values]),
                    both(*(v.ok for v in values)),
                )
            case "abs":
                value = self._number(args[0])
                return self._checked(z3.If(value.term >= 0, value.term, -value.term), value.ok)
            case "is_power_of_two":
                value = self._number(args[0])
                return Value(z3.Or(*(value.term == 1 << bit for bit in range(63))), value.ok)
            case "is_finite":
                value = self.of(args[0])
                return Value(z3.Not(z3.Or(z3.fpIsNaN(value.term), z3.fpIsInf(value.term))), value.ok)
            case "len":
                return Value(self.of(args[0]).term.length, self.of(args[0]).ok)
            case "prod":
                value = self.of(args[0])
                found = self._product(value.term)
                return Value(found.term, both(value.ok, found.ok))
            case "starts_with" | "ends_with":
                return self._run(expr.function, self.of(args[0]), self.of(args[1]))
            case "code":
                return self._code(self.of(args[0]), args[0].type.enum or "")
            case "sizeof":
                value = self.of(args[0])
                return Value(self._of_dtype(value.term, lambda dtype: dtype.size), value.ok)
            case "elements" | "offset":
                return self._record(expr)
            case "tsch_block_dim":
                return self._block_dim([self._number(arg) for arg in args])
        raise UnsupportedError(f"{expr.function}()")

    def _block_dim(self, values: Sequence[Value]) -> Value:
        """Known where it goes by the device alone."""
        terms = [z3.simplify(value.term) for value in values]
        if not all(z3.is_int_value(term) for term in terms):
            raise UnsupportedError("the block dim of a call")
        slices, aic, aiv = (term.as_long() for term in terms)
        return Value(z3.IntVal(tsch_block_dim(slices, aic, aiv)), both(*(value.ok for value in values)))

    def _run(self, function: str, whole: Value, run: Value) -> Value:
        start = z3.IntVal(0) if function == "starts_with" else whole.term.length - run.term.length
        fits = run.term.length <= whole.term.length
        return Value(self._same_run(whole.term, run.term, start, fits), both(whole.ok, run.ok))

    def _code(self, value: Value, enum: str) -> Value:
        labels = next(e for e in self._operator.enums if e.name == enum).labels
        term = z3.IntVal(0)
        for label in labels:
            term = z3.If(value.term == self._symbols.words[label.name], label.code, term)
        known = z3.Or(*(value.term == self._symbols.words[label.name] for label in labels))
        return Value(term, both(value.ok, known))

    def _of_dtype(self, term: Term, fact: Callable[..., int]) -> Term:
        result = z3.IntVal(0)
        for name, dtype in DTYPES.items():
            result = z3.If(term == self._symbols.words[name], fact(dtype), result)
        return result

    def _record(self, expr: Call) -> Value:
        name = expr.args[0]
        assert isinstance(name, Ref)
        record = next(r for r in self._operator.records if r.name == name.name)
        if expr.function == "elements":
            return self.of(record.elements)
        field = expr.args[1]
        assert isinstance(field, Literal)
        return self.of(record.offset(str(field.value)))

    # ------------------------------------------------------------------ for whole contracts

    def equals(self, attr: Attr, value: AttrValue) -> Term:
        """Whether an attribute has a value."""
        found = self._symbols.attr(attr)
        if isinstance(found, Items):
            assert isinstance(value, tuple)
            pairs = zip(found.items, value, strict=False)
            return z3.And(found.length == len(value), *(item == self._plain(v) for item, v in pairs))
        if attr.type is AttrType.FLOAT:
            assert isinstance(value, int | float)
            return found == z3.FPVal(float(value), z3.Float32())
        return found == self._plain(value)

    def _plain(self, value: object) -> Term:
        if isinstance(value, bool):
            return z3.BoolVal(value)
        return z3.IntVal(value if isinstance(value, int) else self._symbols.words[str(value)])

    def is_case(self, selector: Expr, label: str) -> Term:
        """Whether a selector is at a label."""
        value = self.of(selector).term
        if selector.type.kind is Kind.BOOL:
            return value == z3.BoolVal(label == "true")
        return value == self._symbols.words[label]

    def size_ok(self, item: ShapeItem) -> Term:
        """Whether an axis of a shape, or a run of them, has a size."""
        if isinstance(item, RestItem):
            return self._rest(item.name).ok
        if item.dim is not None:
            return self.of(self._derived[item.dim]).ok
        return self.of(item.size if item.size is not None else item.options[0]).ok

    def stored(self, expr: Expr) -> Value:
        """The value as tiling stores it: labels and dtypes by their codes, bools as 0 and 1."""
        value = self.of(expr)
        match expr.type.kind:
            case Kind.ENUM:
                return self._code(value, expr.type.enum or "")
            case Kind.DTYPE:
                return Value(self._of_dtype(value.term, lambda dtype: dtype.code), value.ok)
            case Kind.BOOL:
                return Value(z3.If(value.term, 1, 0), value.ok)
        return value


def _floor(a: Term, b: Term) -> Term:
    """``a / b`` rounded down; the solver's own division leaves a remainder that is never negative."""
    if z3.is_int_value(b):
        return a / b if b.as_long() > 0 else (-a) / (-b)
    return z3.If(b > 0, a / b, (-a) / (-b))


def _at(items: Items, index: Term) -> Term:
    index = z3.simplify(index)
    if z3.is_int_value(index) and 0 <= index.as_long() < len(items.items):
        return items.items[index.as_long()]
    term = items.items[-1] if items.items else z3.IntVal(0)
    for number, item in enumerate(items.items[:-1]):
        term = z3.If(index == number, item, term)
    return term


def _smaller(a: Term, b: Term) -> Term:
    return z3.If(a <= b, a, b)


def _larger(a: Term, b: Term) -> Term:
    return z3.If(a >= b, a, b)


def _wide(term: Term) -> Term:
    if z3.is_fp(term):
        return term
    if z3.is_int_value(term):
        return z3.FPVal(float(term.as_long()), z3.Float64())
    raise UnsupportedError("an integer compared with a float")


def _as_int(term: Term, other: Term) -> Term:
    return z3.If(term, 1, 0) if z3.is_bool(term) and z3.is_int(other) else term
