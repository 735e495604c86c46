"""Which names an operator's expressions use, and every expression with the place where it stands."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from qsfa_codegen.expr.build import is_case, present
from qsfa_codegen.expr.nodes import INT, Expr, Ref, RefKind, walk
from qsfa_codegen.spec.layout import structs
from qsfa_codegen.spec.model import (
    Attr,
    KernelPlan,
    Operator,
    RestItem,
    Shape,
    Table,
    Tiling,
    TilingField,
)
from qsfa_codegen.spec.paths import walk_choice


class Site(Struct, frozen=True):
    """An expression of the spec; ``guard`` is the condition under which it is evaluated."""

    expr: Expr
    guard: tuple[Expr, ...] = ()
    is_let: bool = False
    tiling: bool = False


def sites(operator: Operator) -> Iterator[Site]:
    """Every expression of an operator, in file order of the sections."""
    yield from _dim_sites(operator)
    yield from _shape_sites(operator)
    for let in operator.lets:
        yield Site(let.value, is_let=True)
    for rule in operator.constraints:
        when = () if rule.when is None else (rule.when,)
        yield from (Site(expr) for expr in when)
        yield Site(rule.require, when)
    if operator.tiling is not None:
        yield from _tiling_sites(operator.tiling)
    if operator.kernel is not None:
        for plan in operator.kernel.plans:
            yield from _plan_sites(plan)


def _dim_sites(operator: Operator) -> Iterator[Site]:
    for dim in operator.dims:
        for expr in (dim.derived, dim.minimum, dim.maximum, dim.multiple_of):
            if expr is not None:
                yield Site(expr)
    for record in operator.records:
        for field in record.fields:
            yield Site(field.count)
        if record.dequant is not None:
            yield Site(record.dequant.tile)


def _shape_sites(operator: Operator) -> Iterator[Site]:
    for param in operator.inputs:
        if param.shape is not None:
            passed = present(param.name, param.span)
            yield from (replace(site, guard=(passed, *site.guard)) for site in _sized(param.shape))
        if param.count is not None:
            yield Site(param.count)
        if param.storage is not None:
            yield from _sized(param.storage)
    for output in operator.outputs:
        yield from _sized(output.shape)


def _sized(choice: Shape | Table[Shape]) -> Iterator[Site]:
    for path, shape in walk_choice(choice):
        guard = tuple(_condition(case.selector, case.labels, case.negated) for case in path)
        for item in shape.items:
            if isinstance(item, RestItem):
                continue
            if item.dim is not None:
                yield Site(Ref(INT, item.span, RefKind.DIM, item.dim), guard)
            for expr in (*item.options, *(() if item.size is None else (item.size,))):
                yield Site(expr, guard)


def _condition(selector: Expr, labels: tuple[str, ...], negated: bool) -> Expr:
    return is_case(selector, labels, negated, selector.span)


def _tiling_sites(tiling: Tiling) -> Iterator[Site]:
    for let in tiling.lets:
        yield Site(let.value, is_let=True, tiling=True)
    if tiling.data is not None:
        for struct in structs(tiling.data.root):
            for member in struct.members:
                if isinstance(member, TilingField):
                    yield Site(member.value, tiling=True)
    if tiling.key is not None:
        for arg in tiling.key.args:
            yield Site(arg.value, tiling=True)
        if tiling.key.plain is not None:
            yield Site(tiling.key.plain, tiling=True)
    for _, terms in tiling.workspace:
        for term in terms:
            when = () if term.when is None else (term.when,)
            yield from (Site(expr, tiling=True) for expr in when)
            yield from (Site(expr, when, tiling=True) for expr in (term.per, term.copies, term.count))
    if tiling.block_dim is not None:
        yield Site(tiling.block_dim, tiling=True)


def _plan_sites(plan: KernelPlan) -> Iterator[Site]:
    for parameter in plan.parameters:
        yield Site(parameter.value, tiling=True)
    for space in plan.spaces:
        yield Site(space.total, tiling=True)
        for buffer in space.buffers:
            yield Site(buffer.copies, tiling=True)
            yield Site(buffer.bytes, tiling=True)
    for flag in plan.flags:
        if flag.credits is not None:
            yield Site(flag.credits, tiling=True)


def used_names(operator: Operator) -> set[tuple[RefKind, str]]:
    """Every (kind, name) that some expression, selector, shape or kernel role names."""
    found: set[tuple[RefKind, str]] = set()
    for expr in _all_expressions(operator):
        found.update((n.kind, n.name) for n in walk(expr) if isinstance(n, Ref))
    for name, value in ((c.name, c.value) for c in operator.consts):
        if any(_names_value(a, name, value) for a in operator.attrs):
            found.add((RefKind.CONST, name))
    roles = () if operator.kernel is None else operator.kernel.roles
    return found | {(RefKind.LET, target) for _, target in roles}


def _names_value(attr: Attr, name: str, value: int) -> bool:
    """Consts in `values:` and defaults are folded when read; an equal number counts as a use."""
    domains = [d for _, d in walk_choice(attr.domain)] if attr.domain is not None else []
    return attr.default == value or any(v.value == value for d in domains for v in d.values)


def _all_expressions(operator: Operator) -> Iterator[Expr]:
    yield from asked(operator)
    for _, expr in operator.aclnn.derived:
        yield expr


def asked(operator: Operator) -> Iterator[Expr]:
    """Every expression that is evaluated for a call of the operator itself."""
    for site in sites(operator):
        yield site.expr
        yield from site.guard
    for rule in operator.contents:
        yield from (e for e in (rule.when, rule.require) if e is not None)
    for check in operator.checks:
        yield check.require
        yield from (() if check.when is None else (check.when,))
    for dim in operator.dims:
        yield from (case.selector for definer in dim.definers for case in definer.path)
