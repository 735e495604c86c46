"""How much stands behind a name: definitions that would be too long to work with when written out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from qsfa_codegen.diagnostics import Sink, Span
from qsfa_codegen.expr.nodes import Expr, Ref, RefKind, children, walk
from qsfa_codegen.spec.model import Operator
from qsfa_codegen.spec.resolve.order import RingError, in_order

MAX_HEIGHT = 100
MAX_SIZE = 2000

Name = tuple[RefKind, str]
Definitions = Mapping[Name, tuple[Span, tuple[Expr, ...]]]


def report_extents(operator: Operator, sink: Sink) -> None:
    """Every name that builds on itself by way of a record, or on more than can be worked with."""
    definitions = dict(_definitions(operator))
    heights: dict[Name, int] = {}
    sizes: dict[Name, int] = {}

    def needs(name: Name) -> Iterator[Name]:
        for expr in definitions[name][1]:
            yield from (name for name in _names(expr) if name in definitions and name not in heights)

    def measure(name: Name) -> None:
        span, exprs = definitions[name]
        heights[name] = max(_height(expr, heights) for expr in exprs)
        sizes[name] = sum(_size(expr, sizes) for expr in exprs)
        if heights[name] > MAX_HEIGHT or sizes[name] > MAX_SIZE:
            heights[name] = sizes[name] = 1
            sink.error(
                "QS307",
                f"'{name[1]}' builds on too many other values",
                span,
                f"written out it can have {MAX_SIZE} parts, {MAX_HEIGHT} of them one within another",
            )

    for name in definitions:
        try:
            for part in in_order(name, needs) if name not in heights else ():
                measure(part)
        except RingError as error:
            ring = " → ".join(part for _, part in (*error.ring, error.ring[0]))
            sink.error("QS301", f"'{error.ring[0][1]}' is defined by itself: {ring}", definitions[name][0])
            return


def _definitions(operator: Operator) -> Iterator[tuple[Name, tuple[Span, tuple[Expr, ...]]]]:
    for let in operator.lets:
        yield (RefKind.LET, let.name), (let.span, (let.value,))
    for let in operator.tiling.lets if operator.tiling is not None else ():
        yield (RefKind.TILING_LET, let.name), (let.span, (let.value,))
    for dim in operator.dims:
        derived = () if dim.derived is None else (dim.derived,)
        yield (RefKind.DIM, dim.name), (dim.span, (dim.value, *derived))
    for record in operator.records:
        yield (RefKind.RECORD, record.name), (record.span, (record.elements,))


def _names(expr: Expr) -> Iterator[Name]:
    return ((node.kind, node.name) for node in walk(expr) if isinstance(node, Ref))


def _size(expr: Expr, sizes: Mapping[Name, int]) -> int:
    return len(walk(expr)) + sum(sizes.get(name, 0) for name in _names(expr))


def _height(expr: Expr, heights: Mapping[Name, int]) -> int:
    behind = heights.get((expr.kind, expr.name), 0) if isinstance(expr, Ref) else 0
    return 1 + max((_height(child, heights) for child in children(expr)), default=behind)
