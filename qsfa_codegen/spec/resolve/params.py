"""inputs and outputs."""

from __future__ import annotations

from msgspec.structs import replace

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.nodes import INT, Expr
from qsfa_codegen.spec.model import (
    Contiguous,
    DimItem,
    DtypeRef,
    Input,
    InputKind,
    Output,
    Presence,
    Registered,
    Shape,
    Table,
    ValueDepend,
    leaves,
)
from qsfa_codegen.spec.reader import Mapping, Node
from qsfa_codegen.spec.resolve.access import (
    MalformedError,
    as_mapping,
    as_member,
    as_text,
    flag_of,
    items,
    keys,
    member_of,
    need,
    text_of,
    texts,
)
from qsfa_codegen.spec.resolve.context import Context, unreadable
from qsfa_codegen.spec.resolve.data import dtype_ref
from qsfa_codegen.spec.resolve.shapes import ShapeReader, has_run

_DEFAULT_FORMAT = "ND"


def resolve_inputs(ctx: Context, shapes: ShapeReader, columns: tuple[str, ...]) -> tuple[Input, ...]:
    """Inputs in order."""
    order = {key: index for index, key in enumerate(keys(ctx.root.get("inputs")))}

    def build(name: str, span: Span, node: Node) -> Input:
        return _input(ctx, shapes, columns, name, order[name], span, as_mapping(node))

    return ctx.section("inputs", lambda node: ctx.each(node, build), ())


def resolve_outputs(
    ctx: Context, shapes: ShapeReader, columns: tuple[str, ...], inputs: tuple[Input, ...]
) -> tuple[Output, ...]:
    """Outputs in order; one that aliases an input has its dtype and shape."""
    order = {key: index for index, key in enumerate(keys(ctx.root.get("outputs")))}

    def build(name: str, span: Span, node: Node) -> Output:
        return _output(ctx, shapes, columns, inputs, name, order[name], span, as_mapping(node))

    return ctx.section("outputs", lambda node: ctx.each(node, build), ())


def _input(
    ctx: Context,
    shapes: ShapeReader,
    columns: tuple[str, ...],
    name: str,
    index: int,
    span: Span,
    node: Mapping,
) -> Input:
    kind = _kind(node)
    presence = _presence(ctx, node)
    storage = node.get("storage")
    count = _count(ctx, node)
    last = node.get("last_dim")
    if last is not None and as_text(last) not in ctx.scope.records:
        raise ctx.malformed("QS326", last.span, f"there is no record '{as_text(last)}'")
    return Input(
        name=name,
        index=index,
        kind=kind,
        registered=_registered(node, kind, presence),
        presence=presence,
        empty_is_absent=flag_of(node, "empty_is_absent"),
        dtype=dtype_ref(ctx, need(node, "dtype"), columns),
        shape=shapes.shape("inputs", name),
        storage=_plain_shape(ctx, storage) if storage is not None else None,
        format=text_of(node, "format", _DEFAULT_FORMAT),
        unknown_format=text_of(node, "unknown_format", "") or None,
        contiguous=member_of(node, "contiguous", Contiguous.AUTO),
        value_depend=member_of(node, "value_depend", ValueDepend.NONE),
        mutated=flag_of(node, "mutated"),
        record=as_text(last) if last is not None else None,
        count=count,
        was=texts(node.get("was")),
        doc=ctx.doc(node),
        span=span,
    )


def _plain_shape(ctx: Context, node: Node) -> Shape:
    return Shape(tuple(DimItem(item.span, size=ctx.expr(item, INT)) for item in items(node)), node.span)


def _kind(node: Mapping) -> InputKind:
    if node.get("list") is not None:
        return InputKind.TENSOR_LIST
    if flag_of(node, "scalar_list"):
        return InputKind.SCALAR_LIST
    return InputKind.SCALAR if flag_of(node, "scalar") else InputKind.TENSOR


def _presence(ctx: Context, node: Mapping) -> Presence | Table[Presence]:
    value = node.get("presence")
    if value is None:
        return Presence.REQUIRED
    return ctx.choice(value, lambda leaf: as_member(leaf, Presence))


def _registered(node: Mapping, kind: InputKind, presence: Presence | Table[Presence]) -> Registered:
    given = node.get("registered")
    if given is not None:
        return as_member(given, Registered)
    if kind is InputKind.TENSOR_LIST:
        return Registered.DYNAMIC
    always = all(value is Presence.REQUIRED for value in leaves(presence))
    return Registered.REQUIRED if always else Registered.OPTIONAL


def _count(ctx: Context, node: Mapping) -> Expr | None:
    body = node.get("list")
    return ctx.expr(need(as_mapping(body), "count"), INT) if body is not None else None


def _shape_of_alias(source: Input) -> Shape | Table[Shape] | None:
    if isinstance(source.shape, Shape) and has_run(source.shape):
        return replace(source.shape, like=source.name)
    return source.shape


def _output(
    ctx: Context,
    shapes: ShapeReader,
    columns: tuple[str, ...],
    inputs: tuple[Input, ...],
    name: str,
    index: int,
    span: Span,
    node: Mapping,
) -> Output:
    alias = node.get("alias")
    dtype: DtypeRef
    shape: Shape | Table[Shape] | None
    if alias is not None:
        source = next((i for i in inputs if i.name == as_text(alias)), None)
        if source is None and as_text(alias) in ctx.scope.params:
            raise unreadable(as_text(alias), alias.span)
        if source is None or source.shape is None:
            raise ctx.malformed("QS327", alias.span, f"there is no input '{as_text(alias)}' with a shape")
        dtype, shape = source.dtype, _shape_of_alias(source)
    else:
        dtype, shape = dtype_ref(ctx, need(node, "dtype"), columns), shapes.shape("outputs", name)
    if shape is None:
        raise MalformedError(span, "'shape' is missing")
    return Output(
        name=name,
        index=index,
        registered=member_of(node, "registered", Registered.REQUIRED),
        dtype=dtype,
        shape=shape,
        alias=as_text(alias) if alias is not None else None,
        format=text_of(node, "format", _DEFAULT_FORMAT),
        unknown_format=text_of(node, "unknown_format", "") or None,
        contiguous=member_of(node, "contiguous", Contiguous.NONE),
        was=texts(node.get("was")),
        doc=ctx.doc(node),
        span=span,
    )
