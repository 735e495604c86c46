"""Checks of sizes: the domain of each dim, then every place where it stands again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.build import (
    TRUE,
    all_of,
    any_of,
    arith,
    call,
    compare,
    dim,
    literal,
    present,
    ref,
    size_of,
    strip,
)
from qsfa_codegen.expr.nodes import BOOL, DIMS, INT, Contains, Expr, ParamQuery, Query, Ref, RefKind
from qsfa_codegen.spec.by_chip import depends_on_chip
from qsfa_codegen.spec.lower.pieces import choice_expr, one_of, when_passed
from qsfa_codegen.spec.model import (
    Case,
    Check,
    CheckKind,
    Definer,
    Dim,
    DimItem,
    Fact,
    Input,
    InputKind,
    Operator,
    Presence,
    RestItem,
    Shape,
)
from qsfa_codegen.spec.parameters import never_checked
from qsfa_codegen.spec.paths import Path, accepted_labels, axes, condition, covers, merged, walk_choice
from qsfa_codegen.spec.uses import Uses


class DimChecks:
    """Domains of dims, then every place where a dim stands again."""

    def __init__(self, operator: Operator, uses: Uses) -> None:
        self._operator = operator
        self._uses = uses
        self._accepted = _labels_of(operator)
        self._definers = {d.name: d.definers for d in operator.dims}

    def checks(self) -> Iterator[Check]:
        """Every check of a size."""
        for d in self._operator.dims:
            for name, definers in _by_input(d.definers):
                yield from self._domain(d, name, definers)
        for param in self._operator.inputs:
            if not never_checked(param) and param.shape is not None:
                yield from self._occurrences(param)

    def _domain(self, d: Dim, name: str, definers: Sequence[Definer]) -> Iterator[Check]:
        when = self._any([x.path for x in definers], d.span)
        size = dim(d.name, d.span)
        parts = _domain_parts(d, size)
        if parts:
            yield self._dim_check(f"{d.name}_value", d, name, when, all_of(parts, d.span))
        if d.derived is not None:
            yield self._dim_check(f"{name}_shape", d, name, when, compare("==", size, d.derived, d.span))

    def _dim_check(self, id: str, d: Dim, name: str, when: Expr | None, require: Expr | None) -> Check:
        assert require is not None
        at_infer = (d.name, name) in self._uses.dims and not depends_on_chip(require)
        return Check(id, CheckKind.DIM, name, when, require, at_infer, (Fact("dim", d.name),), None, d.span)

    def _any(self, paths: Sequence[Path], span: Span) -> Expr | None:
        """The condition that one of several paths holds; None when that is always so."""
        path = merged(paths, self._accepted)
        if path is not None:
            return condition(path, span)
        parts = [condition(p, span) for p in paths]
        return any_of([p for p in parts if p is not None], span)

    def _occurrences(self, param: Input) -> Iterator[Check]:
        """One check for each axis that repeats a size, the cases that demand the same together.

        A list's own defining axes count too: every tensor of it must have the sizes of the first.
        """
        grouped: dict[object, tuple[Expr, list[Path], Span]] = {}
        assert param.shape is not None
        for count in self._count_demand(param):
            grouped[strip(count)] = (count, [()], param.span)
        for path, shape in walk_choice(param.shape):
            for require in self._demands(param, path, shape):
                grouped.setdefault(strip(require), (require, [], require.span))[1].append(path)
        for require, paths, span in grouped.values():
            case = self._any(paths, span)
            when = all_of([*when_passed(param), *((case,) if case is not None else ())], span)
            yield Check(
                f"{param.name}_shape", CheckKind.DIM, param.name, when, require, False, (), None, span
            )

    def _demands(self, param: Input, path: Path, shape: Shape) -> Iterator[Expr]:
        if shape.like is not None:
            mine, theirs = (
                ParamQuery(DIMS, shape.span, Query.DIMS, name, 0) for name in (param.name, shape.like)
            )
            yield compare("==", mine, theirs, shape.span)
            return
        for axis, item in axes(shape):
            require = self._demand(param, axis, item, path, shape)
            if require is not None:
                yield require

    def _demand(
        self, param: Input, axis: int, item: DimItem | RestItem, path: Path, shape: Shape
    ) -> Expr | None:
        if isinstance(item, RestItem):
            return self._rest_demand(param, axis, item, shape)
        size = size_of(param.name, axis, item.span)
        if item.dim is not None:
            if self._defines(item.dim, param, axis, path) and param.kind is not InputKind.TENSOR_LIST:
                return None
            return compare("==", size, dim(item.dim, item.span), item.span)
        if item.size is not None:
            return compare("==", size, item.size, item.span)
        return Contains(BOOL, item.span, size, item.options)

    def _count_demand(self, param: Input) -> Iterator[Expr]:
        """How many tensors a list has, unless that is what defines the number."""
        count = param.count
        if count is None or (isinstance(count, Ref) and self._defines(count.name, param, None, ())):
            return
        actual = ParamQuery(INT, param.span, Query.COUNT, param.name)
        yield compare("==", actual, count, param.span)

    def _defines(self, name: str, param: Input, axis: int | None, path: Path) -> bool:
        return any(
            d.input == param.name and d.axis == axis and covers((*path, *_path_when_passed(param)), d.path)
            for d in self._definers.get(name, ())
        )

    def _rest_demand(self, param: Input, axis: int, item: RestItem, shape: Shape) -> Expr | None:
        rests = [i for i in shape.items if isinstance(i, RestItem)]
        if any(r.name == item.name and r.input == param.name for r in self._operator.rests):
            return None
        run = ref(RefKind.REST, item.name, DIMS, item.span)
        behind = len(shape.items) - 1 - shape.items.index(item)
        if len(rests) == 1:
            dims = ParamQuery(DIMS, item.span, Query.DIMS, param.name, axis, behind)
            return compare("==", dims, run, item.span)
        whole = ParamQuery(DIMS, item.span, Query.DIMS, param.name, 0, 0)
        name = "ends_with" if behind == 0 else "starts_with"
        return call(name, (whole, run), BOOL, item.span)


def _labels_of(operator: Operator) -> dict[str, frozenset[str] | None]:
    """Every label that a selector can have in a legal call, by the selector's name."""
    accepted = {a.name: accepted_labels(a) for a in operator.attrs}
    chips = frozenset(c.id for c in operator.chips)
    return {**accepted, "chip": chips, "arch": frozenset(operator.archs)}


def _path_when_passed(param: Input) -> Path:
    """Cases that hold whenever the input is passed."""
    paths = [path for path, presence in walk_choice(param.presence) if presence is not Presence.ABSENT]
    return (*(paths[0] if len(paths) == 1 else ()), Case(present(param.name, param.span), (TRUE,)))


def _by_input(definers: Sequence[Definer]) -> Iterator[tuple[str, list[Definer]]]:
    grouped: dict[str, list[Definer]] = {}
    for definer in definers:
        grouped.setdefault(definer.input, []).append(definer)
    yield from grouped.items()


def _domain_parts(d: Dim, size: Expr) -> list[Expr]:
    parts: list[Expr] = []
    if d.minimum is not None:
        parts.append(compare(">=", size, d.minimum, d.span))
    if d.maximum is not None:
        parts.append(compare("<=", size, d.maximum, d.span))
    if d.multiple_of is not None:
        rest = arith("%", size, d.multiple_of, d.span)
        parts.append(compare("==", rest, literal(0, d.span), d.span))
    if d.values is not None:
        parts.append(choice_expr(d.values, lambda values: _sizes(size, values, d.span), BOOL))
    return parts


def _sizes(size: Expr, values: tuple[int, ...], span: Span) -> Expr:
    return one_of(size, [literal(v, span) for v in values], span)
