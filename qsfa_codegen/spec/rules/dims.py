"""Dims, consts, derived values and enums."""

from __future__ import annotations

from collections.abc import Mapping

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.evaluate import UNKNOWN
from qsfa_codegen.expr.nodes import Expr, Kind, Ref, RefKind, walk
from qsfa_codegen.spec.model import Dim, Operator, leaves
from qsfa_codegen.spec.rules.registry import WARNING, Report, rule
from qsfa_codegen.spec.rules.usage import used_names
from qsfa_codegen.spec.world import ANYWHERE, World, world_of


@rule(
    "QS441",
    "A dim can have no size",
    "Bounds or listed sizes that exclude each other reject every call, and so does a size that is derived to "
    "be negative. A bound that depends on the dim itself says nothing.",
)
def empty_dims(operator: Operator, report: Report) -> None:
    """min ≤ max on every chip, listed sizes are distinct and inside, multiple_of is positive."""
    lets = {let.name: let.value for let in operator.lets}
    for dim in operator.dims:
        if any(_names(expr, dim.name, lets) for expr in (dim.minimum, dim.maximum, dim.multiple_of)):
            report(f"'{dim.name}' is bounded by itself", dim.span, "bound it by something else")
            continue
        for chip in operator.chips:
            world = world_of(operator, chip)
            world.move_to(ANYWHERE)
            problem = _problem(dim, world)
            if problem is not None:
                report(f"'{dim.name}' {problem}", dim.span)
                break


def _names(expr: Expr | None, name: str, lets: Mapping[str, Expr]) -> bool:
    """Whether an expression names a dim, itself or through derived values."""
    pending = [] if expr is None else [expr]
    seen: set[str] = set()
    for current in pending:
        for node in walk(current):
            if isinstance(node, Ref) and node.kind is RefKind.DIM and node.name == name:
                return True
            if isinstance(node, Ref) and node.kind is RefKind.LET and node.name not in seen:
                seen.add(node.name)
                pending.append(lets[node.name])
    return False


def _problem(dim: Dim, world: World) -> str | None:
    low, high, step = (world.known(e, UNKNOWN) for e in (dim.minimum, dim.maximum, dim.multiple_of))
    if isinstance(low, int) and isinstance(high, int) and low > high:
        return f"must be at least {low} and at most {high}"
    if isinstance(step, int) and step < 1:
        return f"must be a multiple of {step}"
    if (
        isinstance(step, int)
        and isinstance(low, int)
        and isinstance(high, int)
        and -(-low // step) * step > high
    ):
        return f"has no multiple of {step} from {low} to {high}"
    size = world.known(dim.derived, UNKNOWN)
    if isinstance(size, int) and size < 0:
        return f"has the size {size}"
    if isinstance(low, int) and low < 0:
        return f"has the least size {low}"
    return _listed_problem(dim)


def _listed_problem(dim: Dim) -> str | None:
    if dim.values is None:
        return None
    for sizes in leaves(dim.values):
        if len(set(sizes)) != len(sizes):
            return "lists a size twice"
        if min(sizes) < 0:
            return f"lists the size {min(sizes)}"
    return None


@rule(
    "QS442",
    "A name is never used",
    "Something that nothing uses is a leftover, or the place that should use it says something else.",
    WARNING,
)
def unused(operator: Operator, report: Report) -> None:
    """Consts, dims, derived values, enums and records are used."""
    names = used_names(operator)
    declared: list[tuple[str, RefKind, str, Span]] = [
        *(("const", RefKind.CONST, c.name, c.span) for c in operator.consts),
        *(("derived value", RefKind.LET, n.name, n.span) for n in operator.lets),
    ]
    if operator.tiling is not None:
        declared += [("derived value", RefKind.TILING_LET, n.name, n.span) for n in operator.tiling.lets]
    for kind, ref_kind, name, span in declared:
        if (ref_kind, name) not in names:
            report(f"{kind} '{name}' is never used", span, "remove it, or use it where its value stands")
    _report_unused_records(operator, names, report)
    _report_unused_enums(operator, report)


def _report_unused_records(operator: Operator, names: set[tuple[RefKind, str]], report: Report) -> None:
    carried = {i.record for i in operator.inputs}
    for record in operator.records:
        if record.name not in carried and (RefKind.RECORD, record.name) not in names:
            report(f"record '{record.name}' is never used", record.span, "name it in an input's `last_dim`")


def _report_unused_enums(operator: Operator, report: Report) -> None:
    key = operator.tiling.key if operator.tiling is not None else None
    used = {a.enum for a in operator.attrs} | {a.enum for a in (key.args if key is not None else ())}
    for enum in operator.enums:
        if enum.name not in used:
            report(f"enum '{enum.name}' is never used", enum.span, "remove it, or name it at an attribute")


@rule(
    "QS443",
    "A derived value has an unusable type",
    "Derived values are integers, numbers, truth values, enum labels or dtypes.",
)
def let_types(operator: Operator, report: Report) -> None:
    """No derived value is a list or a run of dims."""
    for let in operator.lets:
        if let.value.type.kind in (Kind.LIST, Kind.DIMS):
            report(
                f"'{let.name}' is {let.value.type}", let.span, "take an element, its length or its product"
            )


RULES = (empty_dims, unused, let_types)
