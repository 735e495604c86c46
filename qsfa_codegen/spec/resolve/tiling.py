"""tiling and kernel: what the host tells the kernel, and the kernel's parameters."""

from __future__ import annotations

from collections.abc import Iterator

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.build import literal, product
from qsfa_codegen.expr.nodes import BOOL, FLOAT, INT, Expr, enum_type
from qsfa_codegen.spec.columns import size_of_dtype
from qsfa_codegen.spec.model import (
    Extern,
    Kernel,
    KernelPlan,
    KeyArg,
    PlanBuffer,
    PlanFlag,
    PlanParameter,
    PlanSpace,
    Tiling,
    TilingData,
    TilingField,
    TilingKey,
    TilingMember,
    TilingStruct,
    WorkspaceTerm,
)
from qsfa_codegen.spec.reader import Mapping, Node, Scalar
from qsfa_codegen.spec.resolve.access import (
    as_int,
    as_mapping,
    as_text,
    entries,
    flag_of,
    items,
    keys,
    need,
    text_of,
)
from qsfa_codegen.spec.resolve.context import Context, unreadable
from qsfa_codegen.spec.resolve.data import dtype_ref
from qsfa_codegen.spec.resolve.rules import resolve_lets
from qsfa_codegen.spec.resolve.scope import EXTERN_TYPES

SCHEDULE_MODES = {"normal": 0, "batch": 1}
_DEFAULT_ALIGN = 8


def resolve_tiling(ctx: Context, columns: tuple[str, ...]) -> Tiling | None:
    """The tiling section; the key's legal combinations are filled in later."""
    return ctx.section("tiling", lambda node: _tiling(ctx, columns, as_mapping(node)), None)


def _tiling(ctx: Context, columns: tuple[str, ...], mapping: Mapping) -> Tiling:
    lets = resolve_lets(ctx.tiling_lets)
    data, key, workspace, block_dim = (mapping.get(k) for k in ("data", "key", "workspace", "block_dim"))
    return Tiling(
        lets=lets,
        data=ctx.attempt(data, lambda node: _data(ctx, as_mapping(node)), None),
        key=ctx.attempt(key, lambda node: _key(ctx, as_mapping(node)), None),
        workspace=ctx.attempt(workspace, lambda node: _workspaces(ctx, columns, node), ()),
        block_dim=ctx.attempt(block_dim, lambda node: ctx.expr(node, INT, tiling=True), None),
        schedule_mode=SCHEDULE_MODES.get(text_of(mapping, "schedule_mode", "normal"), 0),
        externs=ctx.each(mapping.get("extern"), lambda n, s, v: _extern(n, s, as_mapping(v))),
        span=mapping.span,
    )


def _extern(name: str, span: Span, node: Mapping) -> Extern:
    return Extern(
        name,
        tuple(as_text(item) for item in items(node.get("args"))),
        EXTERN_TYPES.get(text_of(node, "returns", "int64"), INT),
        text_of(node, "cpp", ""),
        text_of(node, "python", ""),
        span,
    )


def _data(ctx: Context, node: Mapping) -> TilingData:
    align = node.get("align")
    return TilingData(
        _struct(ctx, node),
        as_int(align) if align is not None else _DEFAULT_ALIGN,
        text_of(node, "style", "plain"),
    )


def _struct(ctx: Context, node: Mapping) -> TilingStruct:
    members: list[TilingField | TilingMember] = []
    members.extend(ctx.each(node.get("fields"), lambda n, s, v: _field(ctx, n, s, as_mapping(v))))
    members.extend(ctx.each(node.get("members"), lambda n, s, v: _member(ctx, n, s, as_mapping(v))))
    library = text_of(node, "from", "") or None
    return TilingStruct(as_text(need(node, "struct")), tuple(members), need(node, "struct").span, library)


def _member(ctx: Context, name: str, span: Span, node: Mapping) -> TilingField | TilingMember:
    if node.get("struct") is not None:
        return TilingMember(name, _struct(ctx, node))
    return _field(ctx, name, span, node)


def _field(ctx: Context, name: str, span: Span, node: Mapping) -> TilingField:
    ctype = as_text(need(node, "type"))
    want = FLOAT if ctype.startswith(("float", "double")) else INT
    value = ctx.expr(need(node, "value"), want, tiling=True)
    return TilingField(name, ctype, value, flag_of(node, "unused"), span)


# --------------------------------------------------------------------------- key


def _key(ctx: Context, node: Mapping) -> TilingKey:
    plain = node.get("value")
    if plain is not None:
        return TilingKey((), (), False, ctx.expr(plain, INT, tiling=True), node.span)
    given = need(node, "args")
    args = ctx.each(given, lambda n, s, v: _key_arg(ctx, n, s, as_mapping(v)))
    if len(args) < len(keys(given)):
        raise unreadable("args", given.span)
    legal = _listed(ctx, node.get("legal"), args)
    return TilingKey(args, legal, bool(legal), None, node.span)


def _listed(ctx: Context, node: Node | None, args: tuple[KeyArg, ...]) -> tuple[tuple[int, ...], ...]:
    """An explicit list of combinations; empty when they are computed."""
    if node is None or isinstance(node, Scalar):
        return ()
    return ctx.all(node, lambda row: _combination(ctx, row, args))


def _combination(ctx: Context, node: Node, args: tuple[KeyArg, ...]) -> tuple[int, ...]:
    cells = items(node)
    if len(cells) != len(args):
        raise ctx.malformed(
            "QS347",
            node.span,
            f"the key has {len(args)} arguments, this combination has length {len(cells)}",
            f"give one for each of {', '.join(a.name for a in args)}",
        )
    return tuple(_code(ctx, cell, arg.enum) for cell, arg in zip(cells, args, strict=True))


def _key_arg(ctx: Context, name: str, span: Span, node: Mapping) -> KeyArg:
    kind = text_of(node, "kind", "uint")
    enum = node.get("enum")
    enum_name = as_text(enum) if enum is not None else None
    if enum_name is not None and enum_name not in ctx.scope.enums:
        raise ctx.malformed("QS330", span, f"there is no enum '{enum_name}'")
    bits = node.get("bits")
    want = BOOL if kind == "bool" else enum_type(enum_name) if enum_name else INT
    return KeyArg(
        name,
        kind,
        1 if kind == "bool" else as_int(bits) if bits is not None else 8,
        enum_name,
        tuple(_code(ctx, item, enum_name) for item in items(node.get("declared"))),
        ctx.expr(need(node, "value"), want, tiling=True),
        span,
    )


def _code(ctx: Context, node: Node, enum: str | None) -> int:
    if enum is not None:
        labels = ctx.scope.enums[enum]
        name = as_text(node)
        if name not in labels:
            raise ctx.malformed(
                "QS345", node.span, f"enum {enum} has no '{name}'", f"it has {', '.join(labels)}"
            )
        return labels[name]
    value = node.value if isinstance(node, Scalar) else None
    return int(value) if isinstance(value, bool) else as_int(node)


# --------------------------------------------------------------------------- workspace


def _workspaces(
    ctx: Context, columns: tuple[str, ...], node: Node
) -> tuple[tuple[str, tuple[WorkspaceTerm, ...]], ...]:
    found: dict[str, tuple[WorkspaceTerm, ...]] = {}
    arch_of = {chip.id: chip.arch for chip in ctx.chips}
    for chip, body in ctx.per_chip(node):
        arch = arch_of[chip]
        if arch not in found:
            found[arch] = ctx.each(body, lambda n, s, v: _term(ctx, columns, n, s, as_mapping(v)))
    return tuple(found.items())


def _term(ctx: Context, columns: tuple[str, ...], name: str, span: Span, node: Mapping) -> WorkspaceTerm:
    def part(key: str) -> Expr:
        value = node.get(key)
        return literal(1, span) if value is None else ctx.expr(value, INT, tiling=True)

    per, copies, count = part("per"), part("copies"), part("count")
    dtype = dtype_ref(ctx, need(node, "dtype"), columns)
    when = node.get("when")
    return WorkspaceTerm(
        name=name,
        per=per,
        copies=copies,
        count=count,
        dtype=dtype,
        when=ctx.expr(when, BOOL, tiling=True) if when is not None else None,
        unused=flag_of(node, "unused"),
        doc=ctx.doc(node),
        bytes=product([copies, count, per, size_of_dtype(dtype, span)], span),
        span=span,
    )


# --------------------------------------------------------------------------- kernel


def resolve_kernel(ctx: Context) -> Kernel | None:
    """The kernel section."""
    return ctx.section("kernel", lambda node: _kernel(ctx, as_mapping(node)), None)


def _kernel(ctx: Context, mapping: Mapping) -> Kernel:
    roles = tuple((role, as_text(value)) for role, _, value in entries(mapping.get("roles")))
    return Kernel(
        as_text(need(mapping, "family")),
        roles,
        ctx.each(mapping.get("plan"), lambda n, s, v: _plan(ctx, n, s, as_mapping(v))),
        text_of(mapping, "task_type", "mix_aic_1_2"),
        mapping.span,
    )


_PLAN_SECTIONS = ("buffers", "flags")


def _plan(ctx: Context, arch: str, span: Span, node: Mapping) -> KernelPlan:
    if arch not in ctx.archs:
        raise ctx.malformed(
            "QS306", span, f"'{arch}' is no architecture of this operator", f"use {', '.join(ctx.archs)}"
        )
    return KernelPlan(
        arch,
        tuple(_parameters(ctx, "", node, _PLAN_SECTIONS)),
        ctx.each(node.get("buffers"), lambda n, s, v: _space(ctx, n, s, as_mapping(v))),
        ctx.each(node.get("flags"), lambda n, _, v: PlanFlag(n, _credits(ctx, v), ctx.doc(v))),
        span,
    )


def _parameters(
    ctx: Context, group: str, node: Mapping, apart: tuple[str, ...] = ()
) -> Iterator[PlanParameter]:
    """Parameters with those of groups, whose names are joined by points."""
    for key, _, value in entries(node):
        if key in apart:
            continue
        name, documented = f"{group}{key}", isinstance(value, Mapping) and "value" in value
        if isinstance(value, Mapping) and not documented and "by" not in value and "cases" not in value:
            yield from _parameters(ctx, f"{name}.", value)
        else:
            number = need(as_mapping(value), "value") if documented else value
            yield PlanParameter(name, ctx.expr(number, tiling=True), ctx.doc(value) if documented else None)


def _credits(ctx: Context, node: Node) -> Expr | None:
    initial = as_mapping(node).get("initial")
    return ctx.expr(initial, INT, tiling=True) if initial is not None else None


def _space(ctx: Context, name: str, span: Span, node: Mapping) -> PlanSpace:
    total = ctx.expr(need(node, "total"), INT, tiling=True)
    buffers = []
    for key, key_span, value in entries(node):
        if key != "total":
            body = as_mapping(value)
            copies = ctx.expr(need(body, "copies"), INT, tiling=True)
            size = ctx.expr(need(body, "bytes"), INT, tiling=True)
            buffers.append(PlanBuffer(key, copies, size, ctx.doc(body), key_span))
    return PlanSpace(name, total, tuple(buffers), span)
