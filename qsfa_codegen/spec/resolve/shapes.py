"""Shapes of inputs and outputs; ``like`` is expanded here so that nothing later meets it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from qsfa_codegen.expr.build import size_of
from qsfa_codegen.expr.nodes import INT, Ref, RefKind
from qsfa_codegen.spec.model import DimItem, RestItem, Shape, ShapeItem, Table, leaves
from qsfa_codegen.spec.reader import Mapping, Node
from qsfa_codegen.spec.resolve.access import (
    MalformedError,
    as_int,
    as_text,
    flag_of,
    items,
    need,
)
from qsfa_codegen.spec.resolve.context import Context, unreadable

MAX_RANK = 8
MAX_LIKE = 8
MAX_NESTED = 32
MAX_COPIES = 2000

ShapeChoice = Shape | Table[Shape]


class ShapeReader:
    """Reads shapes on demand, so that ``like`` can name a parameter that stands further down."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._nodes: dict[tuple[str, str], Node] = {}
        self._done: dict[tuple[str, str], ShapeChoice | None] = {}
        self._open: list[tuple[str, str]] = []
        self._copies = 0
        for section in ("inputs", "outputs"):
            body = ctx.root.get(section)
            if isinstance(body, Mapping):
                for entry in body.entries:
                    if isinstance(entry.value, Mapping) and entry.value.get("shape") is not None:
                        self._nodes[section, entry.key] = need(entry.value, "shape")

    def shape(self, section: str, name: str) -> ShapeChoice | None:
        """The shape of a parameter; None when nothing is said about it."""
        key = (section, name)
        if key not in self._nodes:
            return None
        if key not in self._done:
            self._done[key] = None  # stays when there is an error, which is told once
            self._done[key] = self._read_first(key)
        found = self._done[key]
        if found is None:
            raise unreadable(name, self._nodes[key].span)
        return found

    def _read_first(self, key: tuple[str, str]) -> ShapeChoice:
        node = self._nodes[key]
        if len(self._open) > MAX_LIKE:
            raise self._too_much(node)
        self._open.append(key)
        try:
            found = self._read(node)
        finally:
            self._open.pop()
        if _depth(found) > MAX_NESTED:
            raise self._too_much(node)
        return found

    def _too_much(self, node: Node) -> MalformedError:
        return self._ctx.malformed(
            "QS307", node.span, "this shape is like too many others", "write it out, or with fewer cases"
        )

    def _read(self, node: Node) -> ShapeChoice:
        if isinstance(node, Mapping) and node.get("like") is not None:
            return self._like(node)
        if isinstance(node, Mapping) and node.get("by") is not None:
            return self._table(node)
        return Shape(tuple(self._item(item) for item in items(node)), node.span)

    def _table(self, node: Mapping) -> ShapeChoice:
        ctx = self._ctx
        selector = ctx.selector(node, ctx.scope)
        cases = []
        otherwise: ShapeChoice | None = None
        for label, _, value in ctx.labelled(selector, need(node, "of"), ctx.scope):
            inner = self._read(value)
            if label == "else":
                otherwise = inner
            else:
                cases.append((label, inner))
        return Table(selector, tuple(cases), otherwise, node.span)

    def _item(self, node: Node) -> ShapeItem:
        if not isinstance(node, Mapping):
            return self._dim_item(node)
        if node.get("rest") is not None:
            return self._rest(node)
        options = node.get("any")
        if options is None:
            return DimItem(node.span, size=self._ctx.expr(node, INT))
        return DimItem(node.span, options=tuple(self._ctx.expr(item, INT) for item in items(options)))

    def _dim_item(self, node: Node) -> DimItem:
        expr = self._ctx.expr(node, INT)
        if isinstance(expr, Ref) and expr.kind is RefKind.DIM:
            return DimItem(node.span, dim=expr.name)
        return DimItem(node.span, size=expr)

    def _rest(self, node: Mapping) -> RestItem:
        low, high = node.get("min_rank"), node.get("max_rank")
        return RestItem(
            node.span,
            as_text(need(node, "rest")),
            as_int(low) if low is not None else 0,
            as_int(high) if high is not None else MAX_RANK,
            flag_of(node, "ones"),
        )

    def _like(self, node: Mapping) -> ShapeChoice:
        target = need(node, "like")
        name = as_text(target)
        last = node.get("last")
        item = self._item(last) if last is not None else None
        section = self._section(name, target)
        choice = self.shape(section, name)
        if choice is None:
            raise self._ctx.malformed("QS325", target.span, f"'{name}' has no shape to be like")
        shapes = tuple(leaves(choice))
        self._copies += len(shapes)
        if self._copies > MAX_COPIES:
            raise self._too_much(node)
        if item is not None and not all(shape.items for shape in shapes):
            raise self._ctx.malformed(
                "QS325", target.span, f"'{name}' has no last axis that could be another"
            )
        return _mapped(choice, lambda shape: _adapted(shape, name, section, item, node))

    def _section(self, name: str, target: Node) -> str:
        for section in ("outputs", "inputs"):
            key = (section, name)
            if key in self._nodes and key not in self._open:
                return section
        if ("inputs", name) in self._open or ("outputs", name) in self._open:
            raise self._ctx.malformed("QS301", target.span, f"the shape of '{name}' is like itself")
        raise self._ctx.malformed(
            "QS325",
            target.span,
            f"there is no parameter '{name}' with a shape",
            f"inputs are {', '.join(sorted(self._ctx.scope.params))}",
        )


def _depth(choice: ShapeChoice) -> int:
    if not isinstance(choice, Table):
        return 0
    inner = (_depth(value) for _, value in choice.cases)
    return 1 + max(*inner, 0 if choice.otherwise is None else _depth(choice.otherwise), 0)


def _mapped(choice: ShapeChoice, change: Callable[[Shape], Shape]) -> ShapeChoice:
    if not isinstance(choice, Table):
        return change(choice)
    otherwise = None if choice.otherwise is None else _mapped(choice.otherwise, change)
    cases = tuple((label, _mapped(value, change)) for label, value in choice.cases)
    return replace(choice, cases=cases, otherwise=otherwise)


def _adapted(shape: Shape, name: str, section: str, last: ShapeItem | None, node: Node) -> Shape:
    copied: list[ShapeItem] = []
    for axis, item in enumerate(shape.items):
        if isinstance(item, DimItem) and item.options and section == "inputs":
            copied.append(DimItem(node.span, size=size_of(name, axis, node.span)))
        else:
            copied.append(replace(item, span=node.span))
    if last is not None:
        copied[-1] = last
        return Shape(tuple(copied), node.span)
    source = name if section == "inputs" else shape.like
    return Shape(tuple(copied), node.span, source if has_run(shape) else None)


def has_run(shape: Shape) -> bool:
    """Whether a shape leaves its rank open."""
    return any(isinstance(item, RestItem) for item in shape.items)
