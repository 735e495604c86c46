"""dtypes and records: what elements are, and how a packed row is made of them."""

from __future__ import annotations

import itertools
import math

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.build import arith, product, total
from qsfa_codegen.expr.nodes import INT, Expr
from qsfa_codegen.spec.columns import size_of_dtype
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Dequant, DtypeMatrix, DtypeRef, DtypeRow, Record, RecordField
from qsfa_codegen.spec.reader import Mapping, Node
from qsfa_codegen.spec.resolve.access import (
    as_int,
    as_mapping,
    as_text,
    entries,
    items,
    keys,
    need,
    text_of,
    texts,
)
from qsfa_codegen.spec.resolve.context import Context, unreadable

ROW_LIMIT = 1000


def resolve_dtypes(ctx: Context) -> DtypeMatrix:
    """Columns and the rows of each chip; without a section there is one row of no columns."""
    span = ctx.root.span
    alone = DtypeMatrix((), tuple((c, (DtypeRow((), span),)) for c in ctx.chip_ids), (), (), span)
    return ctx.section("dtypes", lambda node: _matrix(ctx, as_mapping(node)), alone)


def _matrix(ctx: Context, node: Mapping) -> DtypeMatrix:
    columns = texts(need(node, "columns"))
    given = _row_source(ctx, node)
    rows = tuple((chip, _rows(ctx, columns, body)) for chip, body in ctx.per_chip(given))
    _report_missing_rows(ctx, dict(rows), node.span)
    return DtypeMatrix(columns, rows, _pairs(node.get("select")), _pairs(node.get("unbound")), node.span)


def _report_missing_rows(ctx: Context, rows: dict[str, tuple[DtypeRow, ...]], span: Span) -> None:
    """A chip without rows has nothing registered, so every call on it would be rejected."""
    for chip in ctx.chips if ctx.lost.isdisjoint(("chips", "dtypes")) else ():
        if not rows.get(chip.id):
            help = f"add rows for {chip.id} or {chip.arch}"
            ctx.sink.error("QS319", f"{chip.id} has no dtype row", span, help)


def _row_source(ctx: Context, node: Mapping) -> Node | None:
    rows, combinations = node.get("rows"), node.get("product")
    if rows is not None and combinations is not None:
        raise ctx.malformed(
            "QS318",
            combinations.span,
            "`product` and `rows` both say which rows there are",
            "keep one of them",
        )
    return rows if combinations is None else combinations


def _pairs(node: Node | None) -> tuple[tuple[str, str], ...]:
    return tuple((key, as_text(value)) for key, _, value in entries(node))


def _rows(ctx: Context, columns: tuple[str, ...], node: Node) -> tuple[DtypeRow, ...]:
    if isinstance(node, Mapping):
        return _product_rows(ctx, columns, node)
    rows = []
    for item in items(node):
        cells = items(item)
        names = ctx.all(item, lambda cell: _dtype_name(ctx, cell))
        if len(cells) != len(columns):
            ctx.sink.error(
                "QS320",
                f"the row has {len(cells)} dtypes, there are {len(columns)} columns",
                item.span,
                help=f"give one dtype for each of {', '.join(columns)}",
            )
        rows.append(DtypeRow(names, item.span))
    return tuple(rows)


def _product_rows(ctx: Context, columns: tuple[str, ...], node: Mapping) -> tuple[DtypeRow, ...]:
    pools = []
    for column in columns:
        pool = node.get(column)
        if pool is None:
            raise ctx.malformed("QS320", node.span, f"the product has no dtypes for column '{column}'")
        pools.append([_dtype_name(ctx, cell) for cell in items(pool)])
    count = math.prod(map(len, pools))
    if count > ROW_LIMIT:
        raise ctx.malformed(
            "QS317",
            node.span,
            f"the product has {count} rows, {ROW_LIMIT} are allowed",
            "each row is a compiled kernel variant: list those that are needed under `rows`",
        )
    return tuple(DtypeRow(names, node.span) for names in itertools.product(*pools))


def _dtype_name(ctx: Context, node: Node) -> str:
    name = as_text(node)
    if name not in DTYPES:
        raise ctx.malformed(
            "QS321", node.span, f"there is no dtype '{name}'", f"dtypes are {', '.join(DTYPES)}"
        )
    return name


def dtype_ref(ctx: Context, node: Node, columns: tuple[str, ...]) -> DtypeRef:
    """``column``, ``dtype`` or ``{follow: input}``."""
    if isinstance(node, Mapping):
        target = need(node, "follow")
        name = as_text(target)
        if name not in ctx.scope.params:
            raise ctx.malformed("QS322", target.span, f"there is no input '{name}' to follow")
        return DtypeRef(follow=name)
    name = as_text(node)
    if name in columns:
        return DtypeRef(column=name)
    if name in DTYPES:
        return DtypeRef(fixed=name)
    if "dtypes" in ctx.lost:
        raise unreadable(name, node.span)
    known = ", ".join((*columns, *DTYPES))
    raise ctx.malformed("QS321", node.span, f"there is no dtype or column '{name}'", f"use one of {known}")


def resolve_records(ctx: Context, columns: tuple[str, ...]) -> tuple[Record, ...]:
    """Packed rows with derived offsets and size."""

    def record(name: str, span: Span, node: Node) -> Record:
        return _record(ctx, columns, name, span, as_mapping(node))

    return ctx.section("records", lambda node: ctx.each(node, record), ())


def _record(ctx: Context, columns: tuple[str, ...], name: str, span: Span, node: Mapping) -> Record:
    def read(key: str, key_span: Span, body: Node) -> RecordField:
        mapping = as_mapping(body)
        align = mapping.get("align")
        return RecordField(
            key,
            dtype_ref(ctx, need(mapping, "dtype"), columns),
            ctx.expr(need(mapping, "count"), INT),
            as_int(align) if align is not None else 1,
            ctx.doc(body),
            key_span,
        )

    fields = ctx.each(need(node, "fields"), read)
    sizes = [product([f.count, size_of_dtype(f.dtype, f.span)], f.span) for f in fields]
    offsets = tuple(total(sizes[:index], span) for index in range(len(fields)))
    size = total(sizes, span)
    unit_node = node.get("unit")
    unit = dtype_ref(ctx, unit_node, columns) if unit_node is not None else DtypeRef(fixed="uint8")
    return Record(
        name,
        unit,
        fields,
        _in_units(size, unit, span),
        offsets,
        size,
        _dequant(ctx, keys(node.get("fields")), node.get("dequant")),
        ctx.doc(node),
        span,
    )


def _in_units(size: Expr, unit: DtypeRef, span: Span) -> Expr:
    return arith("//", size, size_of_dtype(unit, span), span)


def _dequant(ctx: Context, names: tuple[str, ...], node: Node | None) -> Dequant | None:
    if not isinstance(node, Mapping):
        return None
    for key in ("field", "by"):
        target = need(node, key)
        if as_text(target) not in names:
            raise ctx.malformed(
                "QS323",
                target.span,
                f"the record has no field '{as_text(target)}'",
                f"it has {', '.join(names)}",
            )
    return Dequant(text_of(node, "field", ""), text_of(node, "by", ""), ctx.expr(need(node, "tile"), INT))
