"""What shape inference reads: the attributes, inputs and dims that outputs depend on."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from qsfa_codegen.expr.nodes import Expr, ParamQuery, Ref, RefKind, Select, children
from qsfa_codegen.expr.specialize import params
from qsfa_codegen.spec.columns import column_dtype
from qsfa_codegen.spec.model import Case, Dim, DimItem, Operator, RestItem
from qsfa_codegen.spec.paths import Path, compatible, walk_choice


class Uses(Struct):
    """Names that outputs depend on; ``dims`` pairs a dim with an input that defines it.

    ``carriers`` are inputs that give an output its dtype.
    """

    attrs: set[str] = field(default_factory=set)
    inputs: set[str] = field(default_factory=set)
    dims: set[tuple[str, str]] = field(default_factory=set)
    carriers: set[str] = field(default_factory=set)


def output_uses(operator: Operator) -> Uses:
    """What shape inference of the operator reads, case by case."""
    collector = _Collector(operator)
    chooser = dict(operator.dtypes.select)
    for output in operator.outputs:
        if output.dtype.column in chooser:
            collector.uses.attrs.add(chooser[output.dtype.column])
        elif output.dtype.column is not None:
            dtype = column_dtype(operator, output.dtype.column, output.span)
            collector.uses.carriers.update(params(dtype))
        elif output.dtype.follow is not None:
            collector.uses.carriers.add(output.dtype.follow)
        for path, shape in walk_choice(output.shape):
            for case in path:
                collector.expr(case.selector, ())
            if shape.like is not None:
                collector.uses.inputs.add(shape.like)
                continue
            for item in shape.items:
                collector.item(item, path)
    return collector.uses


class _Collector:
    def __init__(self, operator: Operator) -> None:
        self.uses = Uses()
        self._operator = operator
        self._dims = {d.name: d for d in operator.dims}
        self._lets = {n.name: n for n in operator.lets}
        self._rests = {r.name: r for r in operator.rests}
        self._records = {r.name: r for r in operator.records}

    def item(self, item: DimItem | RestItem, path: Path) -> None:
        if isinstance(item, RestItem):
            self._rest(item.name)
        elif item.dim is not None:
            self._dim(self._dims[item.dim], path)
        elif item.size is not None:
            self.expr(item.size, path)

    def expr(self, expr: Expr, path: Path) -> None:
        if isinstance(expr, Select):
            self._select(expr, path)
            return
        if isinstance(expr, ParamQuery):
            self.uses.inputs.add(expr.param)
        elif isinstance(expr, Ref):
            self._ref(expr, path)
        for child in children(expr):
            self.expr(child, path)

    def _select(self, expr: Select, path: Path) -> None:
        self.expr(expr.selector, path)
        for label, value in expr.cases:
            step = (Case(expr.selector, (label,)),)
            if compatible(path, step):
                self.expr(value, (*path, *step))
        if expr.otherwise is not None:
            self.expr(expr.otherwise, path)

    def _ref(self, expr: Ref, path: Path) -> None:
        match expr.kind:
            case RefKind.ATTR:
                self.uses.attrs.add(expr.name)
            case RefKind.DIM:
                self._dim(self._dims[expr.name], path)
            case RefKind.LET:
                self.expr(self._lets[expr.name].value, path)
            case RefKind.REST:
                self._rest(expr.name)
            case RefKind.RECORD:
                self.expr(self._records[expr.name].elements, path)
            case RefKind.COLUMN:
                self._column(expr)
            case _:
                return

    def _dim(self, dim: Dim, path: Path) -> None:
        for definer in dim.definers:
            if not compatible(path, definer.path) or (dim.name, definer.input) in self.uses.dims:
                continue
            self.uses.dims.add((dim.name, definer.input))
            self.uses.inputs.add(definer.input)
            for case in definer.path:
                self.expr(case.selector, ())
            for expr in dim_exprs(dim):
                self.expr(expr, path)

    def _column(self, column: Ref) -> None:
        told = column_dtype(self._operator, column.name, column.span)
        if told != column:
            self.expr(told, ())

    def _rest(self, name: str) -> None:
        rest = self._rests[name]
        self.uses.inputs.add(rest.input)
        for other in rest.rests_after:
            self._rest(other)


def dim_exprs(dim: Dim) -> Iterator[Expr]:
    """What is demanded of a dim depends on these; a check of it can be no more certain than they are."""
    yield from (e for e in (dim.derived, dim.minimum, dim.maximum, dim.multiple_of) if e is not None)
    for path, _ in walk_choice(dim.values) if dim.values is not None else ():
        yield from (case.selector for case in path)
