"""Inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterator

from qsfa_codegen.expr.build import ref
from qsfa_codegen.expr.nodes import INT, Expr, ParamQuery, Query, RefKind, walk
from qsfa_codegen.spec.by_chip import observes_chip
from qsfa_codegen.spec.columns import all_dtypes
from qsfa_codegen.spec.model import (
    DimItem,
    Input,
    InputKind,
    Operator,
    Presence,
    Registered,
    RestItem,
    Shape,
    ValueDepend,
    leaves,
)
from qsfa_codegen.spec.paths import Path, walk_choice
from qsfa_codegen.spec.rules.registry import Report, rule
from qsfa_codegen.spec.rules.usage import asked

MAX_RANK = 8
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_HOST_DTYPES = {**dict.fromkeys(_INTEGERS, "integer"), "bool": "flag", "float32": "float"}


@rule(
    "QS420",
    "An aliased input is not marked as mutated",
    "An output that is an input's memory changes that input; callers and torch must know.",
)
def alias_mutates(operator: Operator, report: Report) -> None:
    """`alias: x` needs `mutated: true` at x."""
    inputs = {i.name: i for i in operator.inputs}
    for output in operator.outputs:
        if output.alias is not None and not inputs[output.alias].mutated:
            report(
                f"'{output.name}' writes the memory of '{output.alias}', which is not mutated",
                output.span,
                f"add `mutated: true` to input {output.alias}",
            )


@rule(
    "QS421",
    "An output has an input's name but not its memory",
    "In CANN an output called like an input is that input, updated in place.",
)
def same_name(operator: Operator, report: Report) -> None:
    """Same name and no alias is a mistake unless both are written on purpose with another dtype."""
    inputs = {i.name: i for i in operator.inputs}
    for output in operator.outputs:
        if output.name in inputs and output.alias is None:
            report(
                f"output '{output.name}' has the name of an input and would be taken for it",
                output.span,
                f"add `alias: {output.name}`, or rename it",
            )


@rule(
    "QS422",
    "An input is registered stricter than its presence",
    "A REQUIRED input is always passed; when some case allows a caller to leave it out, the definition must "
    "register it as OPTIONAL.",
)
def registered_kind(operator: Operator, report: Report) -> None:
    """REQUIRED needs presence required everywhere; DYNAMIC needs a list."""
    for param in operator.inputs:
        optional = any(p is not Presence.REQUIRED for p in leaves(param.presence))
        if param.registered is Registered.REQUIRED and optional:
            report(
                f"'{param.name}' is registered as required but may be left out",
                param.span,
                "register it as optional",
            )
        dynamic = param.registered is Registered.DYNAMIC
        if dynamic != (param.kind is InputKind.TENSOR_LIST):
            report(
                f"'{param.name}' is registered as {param.registered.value} and is a {param.kind.value}",
                param.span,
                "dynamic inputs and only they are lists of tensors: give `list: {count: …}`",
            )


@rule(
    "QS423",
    "A shape has more axes than a tensor can have",
    "Tensors have at most 8 dims.",
)
def rank_limit(operator: Operator, report: Report) -> None:
    """Fixed axes and least lengths of runs add up to at most 8."""
    for name, shape in _shapes(operator):
        least = sum(item.min_rank if isinstance(item, RestItem) else 1 for item in shape.items)
        if least > MAX_RANK:
            report(f"'{name}' has {least} axes, at most {MAX_RANK} are possible", shape.span)


def _shapes(operator: Operator) -> Iterator[tuple[str, Shape]]:
    for param in operator.inputs:
        if param.shape is not None:
            yield from ((param.name, shape) for _, shape in walk_choice(param.shape))
    for output in operator.outputs:
        yield from ((output.name, shape) for _, shape in walk_choice(output.shape))


@rule(
    "QS424",
    "An output's size is a choice",
    "Shape inference must compute one size for each axis; only an input can leave a choice.",
)
def output_choice(operator: Operator, report: Report) -> None:
    """No `any` in output shapes."""
    for output in operator.outputs:
        for _, shape in walk_choice(output.shape):
            for item in shape.items:
                if isinstance(item, DimItem) and item.options:
                    report(f"'{output.name}' has an axis of several sizes", item.span, "write one expression")


@rule(
    "QS425",
    "An input cannot be value-depend",
    "Shape inference and tiling read the data of a value-depend input on the host. aclnn passes it as an "
    "array of floats, of flags or of integers, and integers always as int64.",
)
def value_depend(operator: Operator, report: Report) -> None:
    """A value-depend input is a tensor of float32, of bool, or of integers with int64 among them."""
    for param in operator.inputs:
        if param.value_depend is not ValueDepend.NONE:
            problem = _unreadable(operator, param)
            if problem is not None:
                report(f"'{param.name}' {problem}", param.span, "correct the dtype, or remove `value_depend`")


def _unreadable(operator: Operator, param: Input) -> str | None:
    if param.kind is not InputKind.TENSOR:
        return f"is a {param.kind.value}, which the host cannot read"
    names = all_dtypes(operator, param.dtype)
    foreign = next((name for name in names if name not in _HOST_DTYPES), None)
    if foreign is not None:
        return f"has dtype {foreign}, which the host cannot read"
    kinds = {_HOST_DTYPES[name] for name in names}
    if len(kinds) > 1:
        return f"has dtypes of several kinds: {', '.join(names)}"
    if kinds == {"integer"} and "int64" not in names and operator.aclnn.style != "handwritten":
        return f"has no dtype int64, as which aclnn passes it, but {', '.join(names)}"
    return None


@rule(
    "QS426",
    "A reserved input has a shape or is used",
    "A reserved input is registered for compatibility; nothing may read it, so nothing can depend on it.",
)
def reserved_unread(operator: Operator, report: Report) -> None:
    """`presence: ignored` excludes a shape."""
    for param in operator.inputs:
        if param.presence is Presence.IGNORED and param.shape is not None:
            report(
                f"'{param.name}' is reserved and never checked, but has a shape",
                param.span,
                "remove the shape, or give it another presence",
            )


@rule(
    "QS427",
    "A packed row is not the last axis",
    "`last_dim` says that the last axis counts the bytes of a record.",
)
def record_axis(operator: Operator, report: Report) -> None:
    """An input with `last_dim` has a shape whose last item is a dim."""
    for param in operator.inputs:
        if param.record is None:
            continue
        shapes = [] if param.shape is None else [shape for _, shape in walk_choice(param.shape)]
        if not shapes or any(not s.items or isinstance(s.items[-1], RestItem) for s in shapes):
            report(f"'{param.name}' has no last axis for the record '{param.record}'", param.span)


@rule(
    "QS428",
    "The shape of an output depends on the chip",
    "Shape inference runs where the chip is not known: one shape must hold for all of them.",
)
def output_on_any_chip(operator: Operator, report: Report) -> None:
    """Output shapes do not go by chip or arch, also not through derived values and dims."""
    for output in operator.outputs:
        shapes = [(path, shape) for path, shape in walk_choice(output.shape) if shape.like is None]
        asking = [shape for path, shape in shapes if observes_chip(operator, _shape_reads(path, shape))]
        if asking:
            report(
                f"the shape of '{output.name}' goes by the chip",
                asking[0].span,
                "let an attribute or the shape of an input tell it",
            )


def _shape_reads(path: Path, shape: Shape) -> Iterator[Expr]:
    yield from (case.selector for case in path)
    for item in shape.items:
        if isinstance(item, DimItem) and item.size is not None:
            yield item.size
        elif isinstance(item, DimItem) and item.dim is not None:
            yield ref(RefKind.DIM, item.dim, INT, item.span)


@rule(
    "QS429",
    "A fact is asked that only a binding knows",
    "Strides are known where a caller's tensor arrives, not in shape inference and tiling.",
)
def binding_facts(operator: Operator, report: Report) -> None:
    """`stride` stands in `derived` of a binding alone."""
    for expr in asked(operator):
        for node in walk(expr):
            if isinstance(node, ParamQuery) and node.query is Query.STRIDE:
                report("only a binding knows a stride", node.span, "move it to `derived` of a binding")


RULES = (
    alias_mutates,
    same_name,
    registered_kind,
    rank_limit,
    output_choice,
    value_depend,
    reserved_unread,
    record_axis,
    output_on_any_chip,
    binding_facts,
)
