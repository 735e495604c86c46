"""What the names of a spec stand for, as terms: parameters, columns, runs of axes, facts of the chip."""

from __future__ import annotations

import z3

from qsfa_codegen.expr.nodes import Expr, Kind, Literal, Query, Ref, RefKind
from qsfa_codegen.review.solver.symbols import MAX_RANK, Items, Symbols, Tensor, Term, UnsupportedError
from qsfa_codegen.review.solver.terms import Value, both, choice, product
from qsfa_codegen.spec.model import Attr, AttrType, Chip, Operator, Presence


class Leaves:
    """The names of one operator on one chip."""

    def __init__(self, operator: Operator, chip: Chip, symbols: Symbols) -> None:
        self._operator = operator
        self._chip = chip
        self._symbols = symbols
        tiling = operator.tiling
        lets = (*operator.lets, *(tiling.lets if tiling is not None else ()))
        self._derived = {d.name: d.value for d in operator.dims} | {n.name: n.value for n in lets}
        self._attrs = {a.name: a for a in operator.attrs}
        self._inputs = {i.name: i for i in operator.inputs}

    def of(self, expr: Expr) -> Value:
        """The terms of an expression; UnsupportedError when there are none."""
        raise NotImplementedError

    # ------------------------------------------------------------------ leaves

    def literal(self, expr: Literal) -> Term:
        """A constant."""
        match expr.type.kind:
            case Kind.INT:
                return z3.IntVal(int(expr.value))
            case Kind.BOOL:
                return z3.BoolVal(bool(expr.value))
            case Kind.FLOAT:
                return z3.FPVal(float(expr.value), z3.Float64())
        return z3.IntVal(self._symbols.words[str(expr.value)])

    def ref(self, expr: Ref) -> Value:
        """A name."""
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
            found = choice(Value(passed), Value(self._symbols.tensor(param).dtype), found)
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

    def query(self, query: Query, name: str, axis: int | None, tail: int) -> Value:
        """A fact about an input."""
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
                found = product(Items(tensor.rank, tensor.sizes))
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
