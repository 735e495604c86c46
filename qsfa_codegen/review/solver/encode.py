"""Expressions of an operator on one chip as terms of a solver.

Integers are mathematical; what does not fit in 64 bits fails, as it does when the contract is run.
So every expression has two terms: its value, and whether it has one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import z3

from qsfa_codegen.contract.env import tsch_block_dim
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
    Ref,
    RefKind,
    Select,
    Subscript,
)
from qsfa_codegen.review.solver.leaves import Leaves
from qsfa_codegen.review.solver.symbols import Items, Symbols, Term, UnsupportedError
from qsfa_codegen.review.solver.terms import (
    YES,
    Value,
    both,
    choice,
    compared,
    fits,
    floor,
    larger,
    product,
    same_run,
    smaller,
)
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import (
    Attr,
    AttrType,
    AttrValue,
    Chip,
    Domain,
    Operator,
    RestItem,
    ShapeItem,
    leaves,
)

_SMALL_DIVISORS = 32


class Encoder(Leaves):
    """Turns the expressions of one operator into terms."""

    def __init__(self, operator: Operator, chip: Chip, symbols: Symbols) -> None:
        super().__init__(operator, chip, symbols)
        self._known: dict[int, tuple[Expr, Value]] = {}

    def of(self, expr: Expr) -> Value:
        """The terms of an expression; UnsupportedError when there are none."""
        entry = self._known.get(id(expr))
        if entry is None:
            entry = self._known[id(expr)] = (expr, self._make(expr))
        return entry[1]

    def _make(self, expr: Expr) -> Value:  # noqa: C901 - one case for each kind of node
        match expr:
            case Literal():
                return Value(self.literal(expr))
            case Ref():
                return self.ref(expr)
            case ParamQuery():
                return self.query(expr.query, expr.param, expr.axis, expr.tail)
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
                return choice(self.of(test), self.of(then), self.of(otherwise))
            case Select():
                return self._select(expr)
            case Call():
                return self._call(expr)

    # ------------------------------------------------------------------ arithmetic

    def _number(self, expr: Expr) -> Value:
        if expr.type.kind is not Kind.INT:
            raise UnsupportedError("arithmetic with other numbers than integers")
        return self.of(expr)

    def _checked(self, term: Term, *ok: Term) -> Value:
        term = z3.simplify(term)
        return Value(term, both(*ok, fits(term)))

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
                return self._divided(expr.right, right.term, ok, lambda b: floor(left.term, b))
        return self._divided(expr.right, right.term, ok, lambda b: left.term - floor(left.term, b) * b)

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

    # ------------------------------------------------------------------ conditions

    def _compare(self, expr: Compare) -> Value:
        left, right = self.of(expr.left), self.of(expr.right)
        return Value(compared(expr.op, left.term, right.term), both(left.ok, right.ok))

    def _contains(self, expr: Contains) -> Value:
        item = self.of(expr.item)
        options = [self.of(option) for option in expr.options]
        tests = [Value(compared("==", item.term, o.term), both(item.ok, o.ok)) for o in options]
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

    def _select(self, expr: Select) -> Value:
        selector = self.of(expr.selector)
        cases = [(self.is_case(expr.selector, label), value) for label, value in expr.cases]
        if expr.otherwise is not None:
            found = self.of(expr.otherwise)
        else:  # no case: there is no value
            found = Value(self.of(expr.cases[-1][1]).term, z3.BoolVal(False))
        for test, value in reversed(cases):
            found = choice(Value(test), self.of(value), found)
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
                    lambda d: -floor(-a.term, d) * d if times else -floor(-a.term, d),
                )
            case "min" | "max":
                values = [self._number(arg) for arg in args]
                return Value(
                    reduce(smaller if expr.function == "min" else larger, [v.term for v in values]),
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
                found = product(value.term)
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
        return Value(same_run(whole.term, run.term, start, fits), both(whole.ok, run.ok))

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
