"""let, constraints, contents, reference."""

from __future__ import annotations

from collections.abc import Mapping as Mapped

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.nodes import BOOL, Expr, ParamQuery, Ref, RefKind, walk
from qsfa_codegen.spec.model import Constraint, ContentRule, Decode, Dim, Let, Reference, Table, Tolerance
from qsfa_codegen.spec.reader import Mapping, Node
from qsfa_codegen.spec.resolve.access import (
    MalformedError,
    as_int,
    as_mapping,
    as_scalar,
    as_text,
    entries,
    keys,
    need,
    text_of,
    texts,
)
from qsfa_codegen.spec.resolve.context import Context, LetTable, unreadable

_LET_KEYS = frozenset({"value", "en", "zh", "doc"})


def attach_lets(ctx: Context) -> None:
    """Let derived values be typed when something names them."""
    ctx.lets.build = lambda name, span, node: _let(ctx, name, span, node, tiling=False)
    ctx.tiling_lets.build = lambda name, span, node: _let(ctx, name, span, node, tiling=True)


def _let(ctx: Context, name: str, span: Span, node: Node, *, tiling: bool) -> Let:
    documented = (
        isinstance(node, Mapping) and node.get("value") is not None and _LET_KEYS.issuperset(node.keys())
    )
    body = need(as_mapping(node), "value") if documented else node
    return Let(name, ctx.expr(body, tiling=tiling), ctx.doc(node) if documented else None, span)


def resolve_lets(table: LetTable) -> tuple[Let, ...]:
    """Derived values of one section, in file order."""
    found = (table.let(name) for name in table)
    return tuple(let for let in found if let is not None)


def resolve_constraints(ctx: Context, dims: tuple[Dim, ...]) -> tuple[Constraint, ...]:
    """Cross-parameter rules in file order."""
    definers = {d.name: d.definers[0].input for d in dims}

    def constraint(node: Node) -> Constraint:
        return _constraint(ctx, as_mapping(node), definers)

    return ctx.section("constraints", lambda node: ctx.all(node, constraint), ())


def _constraint(ctx: Context, node: Mapping, definers: Mapped[str, str]) -> Constraint:
    when = node.get("when")
    require = ctx.expr(need(node, "require"), BOOL)
    blame = node.get("blame")
    message = node.get("message")
    return Constraint(
        id=as_text(need(node, "id")),
        when=ctx.expr(when, BOOL) if when is not None else None,
        require=require,
        blame=as_text(blame) if blame is not None else _first_parameter(ctx, require, definers),
        message=ctx.text(message) if message is not None else None,
        at_infer=text_of(node, "at", "tiling") == "infer",
        chips=ctx.chips_named(node.get("chips")),
        doc=ctx.doc(node),
        span=need(node, "id").span,
    )


def _first_parameter(ctx: Context, require: Expr, definers: Mapped[str, str]) -> str:
    """Who is to blame when the spec does not say: the first attribute or input in the rule."""
    pending = [require]
    seen: set[str] = set()
    for expr in pending:
        for node in walk(expr):
            if isinstance(node, ParamQuery):
                return node.param
            if isinstance(node, Ref) and node.kind is RefKind.ATTR:
                return node.name
            if isinstance(node, Ref) and node.kind is RefKind.DIM:
                if node.name not in definers:
                    raise unreadable(node.name, node.span)
                return definers[node.name]
            if isinstance(node, Ref) and node.kind is RefKind.LET and node.name not in seen:
                seen.add(node.name)
                let = ctx.lets.let(node.name)
                pending.extend(() if let is None else (let.value,))
    raise ctx.malformed(
        "QS346", require.span, "the rule is about no input and no attribute", "name one in `blame`"
    )


def resolve_contents(ctx: Context) -> tuple[ContentRule, ...]:
    """Rules about tensor data in file order."""

    def content(node: Node) -> ContentRule:
        return _content(ctx, as_mapping(node))

    return ctx.section("contents", lambda node: ctx.all(node, content), ())


def _content(ctx: Context, node: Mapping) -> ContentRule:
    when, predicate = node.get("when"), node.get("predicate")
    require = need(node, "require") if predicate is None else None
    return ContentRule(
        id=as_text(need(node, "id")),
        when=ctx.contents_expr(when) if when is not None else None,
        require=ctx.contents_expr(require) if require is not None else None,
        predicate=as_text(predicate) if predicate is not None else None,
        names=texts(node.get("names")),
        at_tiling=text_of(node, "at", "run") == "tiling",
        doc=ctx.doc(node),
        span=need(node, "id").span,
    )


def resolve_reference(ctx: Context) -> Reference | None:
    """The reference implementation and its tolerances."""
    return ctx.section("reference", lambda node: _reference(ctx, as_mapping(node)), None)


def _reference(ctx: Context, mapping: Mapping) -> Reference:
    tolerance = mapping.get("tolerance")
    found: tuple[Tolerance, ...] = ()
    if tolerance is not None:
        choice = ctx.choice(tolerance, as_mapping)
        if isinstance(choice, Table):
            cases = [(label, value) for label, value in choice.cases if isinstance(value, Mapping)]
            found = tuple(_tolerance(label, value) for label, value in cases)
        else:
            found = (_tolerance("", choice),)
    decode = mapping.get("decode")
    return Reference(
        as_text(need(mapping, "python")),
        found,
        None if decode is None else _decode(ctx, as_mapping(decode)),
        mapping.span,
    )


def _decode(ctx: Context, mapping: Mapping) -> Decode:
    known = keys(ctx.root.get("dims"))
    sizes: list[tuple[str, int]] = []
    for name, span, value in entries(mapping.get("sizes")):
        if name not in known:
            raise MalformedError(span, f"the operator has no dim '{name}'")
        sizes.append((name, as_int(value)))
    return Decode(tuple(sizes), _tolerance("", as_mapping(need(mapping, "tolerance"))))


def _tolerance(dtype: str, node: Mapping) -> Tolerance:
    numbers = {key: _number(value) for key, _, value in entries(node)}
    return Tolerance(dtype, numbers.get("rtol", 0.0), numbers.get("atol", 0.0))


def _number(node: Node) -> float:
    value = as_scalar(node).value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MalformedError(node.span, "expected a number")
    return float(value)
