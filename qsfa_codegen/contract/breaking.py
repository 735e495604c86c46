"""Changes to a legal call that should break one given rule and no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice, product
from typing import NamedTuple

from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, InputArg, TensorArg
from qsfa_codegen.contract.domains import sizes_elsewhere
from qsfa_codegen.contract.plan import Plan
from qsfa_codegen.contract.search import Legal, Search
from qsfa_codegen.expr.nodes import ParamQuery, Query, RefKind, walk
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Check, CheckKind

_TRIALS = 64


class Edit(NamedTuple):
    """A changed call, and in a word or two what was changed (empty: the rule's name says it).

    ``telling``: it shows something of its own, such as a value that another chip accepts.
    """

    label: str
    call: Call
    telling: bool = False


def may_tell(check: Check) -> bool:
    """Whether some edit that breaks ``check`` can be telling."""
    return check.kind is CheckKind.ATTR or (
        check.kind in (CheckKind.DTYPE, CheckKind.DIM) and bool(check.establishes)
    )


class Breaker:
    """Proposes edits for a rule, the simplest first."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._pairs_tried: set[tuple[int, str]] = set()
        self._by_kind: dict[CheckKind, Callable[[Check, Legal], Iterator[Edit]]] = {
            CheckKind.ATTR: self._attr,
            CheckKind.PRESENCE: self._presence,
            CheckKind.DTYPE: self._dtype,
            CheckKind.RANK: self._rank,
            CheckKind.DIM: self._dim,
            CheckKind.CONSTRAINT: self._constraint,
        }

    def edits(self, check: Check, legal: Legal) -> Iterator[Edit]:
        """Changed calls that may break ``check``; none when nothing fits or too many were tried."""
        return islice(self._by_kind[check.kind](check, legal), _TRIALS)

    # ------------------------------------------------------------------ one kind each

    def _attr(self, check: Check, legal: Legal) -> Iterator[Edit]:
        domain = self._search.builder.attr_domain(check.parameter, legal.plan)
        for value in domain.outside():
            attrs = {**legal.call.attrs, check.parameter: value}
            yield Edit(spelt(value), replace(legal.call, attrs=attrs), telling=True)

    def _presence(self, check: Check, legal: Legal) -> Iterator[Edit]:
        name, inputs = check.parameter, legal.call.inputs
        if name in inputs:
            without = {n: arg for n, arg in inputs.items() if n != name}
            yield Edit("missing", legal.call.with_inputs(without))
            return
        passing = self._search.build(legal.plan.with_passed(name, True))
        if passing is not None:
            yield Edit("unexpected", legal.call.with_inputs(passing.inputs))

    def _dtype(self, check: Check, legal: Legal) -> Iterator[Edit]:
        if check.establishes:
            for dtype in DTYPES:
                yield from self._with_tensor(legal, check, partial(_retyped, dtype=dtype), dtype)
            yield from self._rows_elsewhere(check, legal)
            return
        rows = self._search.operator.dtypes.rows_of(legal.plan.chip.id)
        pools = [dict.fromkeys(column) for column in zip(*(row.dtypes for row in rows), strict=True)]
        for row in product(*pools):
            yield from self._with_plan(legal.plan._replace(row=row), "_".join(row))

    def _rows_elsewhere(self, check: Check, legal: Legal) -> Iterator[Edit]:
        """Dtypes that other chips accept, in every input of the column."""
        matrix, row = self._search.operator.dtypes, legal.plan.row
        column = self._search.builder.inputs[check.parameter].dtype.column
        if column is None:
            return
        index = matrix.columns.index(column)
        here = set(matrix.column(column, legal.plan.chip.id))
        for dtype in dict.fromkeys(dtype for chip, _ in matrix.rows for dtype in matrix.column(column, chip)):
            if dtype not in here:
                changed = legal.plan._replace(row=(*row[:index], dtype, *row[index + 1 :]))
                yield from self._with_plan(changed, dtype, telling=True)

    def _rank(self, check: Check, legal: Legal) -> Iterator[Edit]:
        yield from self._with_tensor(legal, check, lambda t: TensorArg(t.dtype, (*t.shape, 1)), "high")
        yield from self._with_tensor(legal, check, lambda t: TensorArg(t.dtype, t.shape[:-1]), "low")
        yield from self._with_tensor(legal, check, lambda t: TensorArg(t.dtype, ()), "scalar")

    def _dim(self, check: Check, legal: Legal) -> Iterator[Edit]:
        if check.establishes:
            name = check.establishes[0].name
            for size in self._sizes_outside(name, legal):
                label = spelt(size) if check.id == f"{name}_value" else f"{name}_{spelt(size)}"
                yield from self._with_plan(legal.plan.with_dim(name, size), label, telling=True)
            return
        for node in walk(check.require):
            if isinstance(node, ParamQuery) and node.param == check.parameter:
                yield from self._occurrence(check, legal, node)
                return

    def _sizes_outside(self, name: str, legal: Legal) -> Iterator[int]:
        for dim in self._search.builder.free_dims:
            if dim.name == name:
                yield from self._search.builder.domain(name, legal.plan).outside(sizes_elsewhere(dim))
                return
        demanded = self._search.builder.env(legal.plan).ref(RefKind.DIM, name)
        if isinstance(demanded, int):
            yield from (size for size in dict.fromkeys((demanded + 1, demanded - 1, 0)) if size >= 0)

    def _occurrence(self, check: Check, legal: Legal, node: ParamQuery) -> Iterator[Edit]:
        """The size of one axis, or the number of tensors, differs from what the other input has."""
        if node.query is Query.COUNT:
            arg = legal.call.inputs.get(node.param)
            if isinstance(arg, tuple):
                for other in ((*arg, arg[-1]), arg[:-1]):
                    yield Edit(f"{len(other)}_tensors", _with_input(legal.call, node.param, other))
            return
        axes = (node.axis or 0,) if node.query is Query.DIM else (-1, 0)
        changes = tuple(product(axes, (1, -1)))
        for axis, step in changes:
            change = partial(_resized, axis=axis, step=step)
            yield from self._with_tensor(legal, check, change, _axis_label(axis))
        # Alone it may contradict an input that must be like it: let the rest of the call follow.
        for axis, step in changes:
            plan = legal.plan._replace(resized={node.param: (axis, step)})
            yield from self._with_plan(plan, _axis_label(axis))

    def _constraint(self, check: Check, legal: Legal) -> Iterator[Edit]:
        attempt = (id(check), legal.plan.chip.arch)
        pairs_tried = attempt in self._pairs_tried
        self._pairs_tried.add(attempt)
        reads = self._search.reads[id(check)]
        moves = list(self._search.moves(legal.plan, reads))
        for plan in moves:
            if self._search.would_fail(check, plan):
                yield from self._with_plan(plan, "")
        if pairs_tried:
            return
        pairs = (plan for first in moves for plan in self._search.moves(first, reads))
        for plan in islice(pairs, _TRIALS):
            if self._search.would_fail(check, plan):
                yield from self._with_plan(plan, "")

    # ------------------------------------------------------------------ ways to change a call

    def _with_plan(self, plan: Plan, label: str, *, telling: bool = False) -> Iterator[Edit]:
        call = self._search.build(plan)
        if call is not None:
            yield Edit(label, call, telling)

    def _with_tensor(
        self, legal: Legal, check: Check, change: Callable[[TensorArg], TensorArg], label: str
    ) -> Iterator[Edit]:
        """The blamed input with its tensor changed; of a list, the last one."""
        arg = legal.call.inputs.get(check.parameter)
        if not arg:
            return
        last = arg if isinstance(arg, TensorArg) else arg[-1]
        changed = change(last)
        if changed != last:
            new: InputArg = changed if isinstance(arg, TensorArg) else (*arg[:-1], changed)
            yield Edit(label, _with_input(legal.call, check.parameter, new))


def spelt(value: object) -> str:
    """A value as part of a case's name."""
    if isinstance(value, tuple):
        return "_".join(spelt(item) for item in value) or "empty"
    text = str(value).lower().replace("-", "minus_").replace(".", "_").replace("+", "")
    return text or "empty"


def _with_input(call: Call, name: str, arg: InputArg) -> Call:
    return call.with_inputs({**call.inputs, name: arg})


def _axis_label(axis: int) -> str:
    return f"axis_{axis}" if axis >= 0 else ""


def _retyped(tensor: TensorArg, dtype: str) -> TensorArg:
    return TensorArg(dtype, tensor.shape)


def _resized(tensor: TensorArg, axis: int, step: int) -> TensorArg:
    shape = list(tensor.shape)
    if -len(shape) <= axis < len(shape):
        shape[axis] = max(shape[axis] + step, 0)
    return TensorArg(tensor.dtype, tuple(shape))
