"""Which parameters a rule depends on, through dims, derived values and dtype columns."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from qsfa_codegen.expr.nodes import Expr, Kind, Literal, ParamQuery, Query, Ref, RefKind, walk
from qsfa_codegen.spec.model import Check, DimItem, Operator, RestItem, leaves

_SIZE_QUERIES = frozenset((Query.DIM, Query.DIMS, Query.RANK, Query.NUMEL))


class Reads(NamedTuple):
    """Names that an expression depends on, and the int64 numbers that stand in it."""

    attrs: frozenset[str] = frozenset()
    inputs: frozenset[str] = frozenset()
    dims: frozenset[str] = frozenset()
    rests: frozenset[str] = frozenset()
    platform: frozenset[str] = frozenset()
    numbers: frozenset[int] = frozenset()

    def __or__(self, other: Reads) -> Reads:
        return Reads(
            self.attrs | other.attrs,
            self.inputs | other.inputs,
            self.dims | other.dims,
            self.rests | other.rests,
            self.platform | other.platform,
            self.numbers | other.numbers,
        )


_NOTHING = Reads()


class ReadIndex:
    """Dependencies of an operator's expressions, found once for each name."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator
        self._names: dict[tuple[RefKind, str], Reads] = {}

    def of_check(self, check: Check) -> Reads:
        """What ``check`` depends on."""
        return self.of((check.require,) if check.when is None else (check.when, check.require))

    def of(self, exprs: Iterable[Expr | None]) -> Reads:
        """What any of ``exprs`` depends on."""
        found = _NOTHING
        for expr in exprs:
            if expr is None:
                continue
            for node in walk(expr):
                match node:
                    case Ref():
                        found |= self._name(node.kind, node.name)
                    case ParamQuery():
                        found |= Reads(inputs=frozenset((node.param,)))
                        if node.query in _SIZE_QUERIES:
                            found |= self._shapes.get(node.param, _NOTHING)
                    case Literal(type=type, value=int(value)) if type.kind is Kind.INT:
                        found |= Reads(numbers=frozenset((value,)))
        return found

    def _name(self, kind: RefKind, name: str) -> Reads:
        key = (kind, name)
        if key not in self._names:
            self._names[key] = _NOTHING  # a cycle ends here
            self._names[key] = self._read(kind, name)
        return self._names[key]

    def _read(self, kind: RefKind, name: str) -> Reads:
        match kind:
            case RefKind.ATTR:
                return Reads(attrs=frozenset((name,)))
            case RefKind.PLATFORM:
                return Reads(platform=frozenset((name,)))
            case RefKind.CONST:
                return Reads(numbers=frozenset((self._consts[name],)))
            case RefKind.DIM:
                return self._dim(name)
            case RefKind.LET | RefKind.TILING_LET | RefKind.RECORD:
                return self.of(self._exprs[name])
            case RefKind.REST:
                return Reads(rests=frozenset((name,))) | self._rest(name)
            case RefKind.COLUMN:
                return self._column(name)
            case _:
                return _NOTHING

    def _dim(self, name: str) -> Reads:
        """The dim itself, not the other dims of the input where it stands."""
        observed, demanded = self._exprs[name]
        where = self.of((observed,))
        own = Reads(attrs=where.attrs, inputs=where.inputs, dims=frozenset((name,)))
        return own | self.of((demanded,))

    def _rest(self, name: str) -> Reads:
        rest = next(r for r in self._operator.rests if r.name == name)
        found = Reads(inputs=frozenset((rest.input,)))
        for other in rest.rests_after:
            found |= self._name(RefKind.REST, other)
        return found

    def _column(self, name: str) -> Reads:
        chooser = dict(self._operator.dtypes.select).get(name)
        return Reads(
            attrs=frozenset(() if chooser is None else (chooser,)),
            inputs=frozenset(i.name for i in self._operator.inputs if i.dtype.column == name),
        )

    @cached_property
    def _shapes(self) -> dict[str, Reads]:
        """Names of the dims and rests that each input's shape has."""
        found: dict[str, Reads] = {}
        for param in self._operator.inputs:
            items = [item for shape in leaves(param.shape) for item in shape.items] if param.shape else []
            dims = (item.dim for item in items if isinstance(item, DimItem) and item.dim is not None)
            rests = (item.name for item in items if isinstance(item, RestItem))
            found[param.name] = Reads(dims=frozenset(dims), rests=frozenset(rests))
        return found

    @cached_property
    def _consts(self) -> dict[str, int]:
        return {c.name: c.value for c in self._operator.consts}

    @cached_property
    def _exprs(self) -> dict[str, tuple[Expr | None, ...]]:
        operator = self._operator
        tiling = () if operator.tiling is None else operator.tiling.lets
        return {
            **{r.name: (r.elements, *r.offsets) for r in operator.records},
            **{let.name: (let.value,) for let in (*operator.lets, *tiling)},
            **{d.name: (d.value, d.derived) for d in operator.dims},
        }
