"""A table of output shapes as C++ branches: ``if (case) { … }`` with the last case left over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from qsfa_codegen.expr.build import dim, is_case, ref, strip
from qsfa_codegen.expr.nodes import DIMS, RefKind
from qsfa_codegen.render.host_text import HostText, broken
from qsfa_codegen.render.text import INDENT
from qsfa_codegen.spec.model import RestItem, Shape, Table

if TYPE_CHECKING:
    from qsfa_codegen.expr.nodes import Expr
    from qsfa_codegen.spec.model import DimItem, ShapeItem

Choice = Shape | Table[Shape]
Leaf = Callable[[Shape, int], Sequence[str]]
"""Lines that answer with a shape; the number is where they stand."""


def shape_lines(choice: Choice, text: HostText, leaf: Leaf, indent: int = INDENT) -> list[str]:
    """The body of a function that answers with the shape of the case at hand; each case returns."""
    if not isinstance(choice, Table):
        return list(leaf(choice, indent))
    lines: list[str] = []
    branches = list(merged_cases(choice))
    for labels, value in branches[:-1]:
        test = text.cpp(is_case(choice.selector, labels, False, choice.span)).text
        head = " " * indent + broken("if (", test, ") {", indent)
        lines += [head, *shape_lines(value, text, leaf, indent + INDENT), " " * indent + "}"]
    return [*lines, *shape_lines(branches[-1][1], text, leaf, indent)]


def merged_cases(table: Table[Shape]) -> Iterator[tuple[list[str], Choice]]:
    """Cases with the same shape together; ``otherwise`` last, and then without labels."""
    groups: dict[object, tuple[list[str], Choice]] = {}
    for label, value in table.cases:
        groups.setdefault(shape_key(value), ([], value))[0].append(label)
    if table.otherwise is not None:
        groups.pop(shape_key(table.otherwise), None)
        groups[None] = ([], table.otherwise)
    yield from groups.values()


def shape_key(choice: Choice) -> object:
    """Equal for shapes that are the same in every case."""
    if isinstance(choice, Table):
        other = None if choice.otherwise is None else shape_key(choice.otherwise)
        cases = tuple((label, shape_key(value)) for label, value in choice.cases)
        return (strip(choice.selector), cases, other)
    return tuple(_item_key(item) for item in choice.items)


def _item_key(item: ShapeItem) -> object:
    if isinstance(item, RestItem):
        return (item.name, item.ones)
    return (item.dim, None if item.size is None else strip(item.size))


def shape_exprs(choice: Choice) -> Iterator[Expr]:
    """Every expression that the shape reads, its selectors included."""
    if isinstance(choice, Table):
        yield choice.selector
        for _, value in choice.cases:
            yield from shape_exprs(value)
        if choice.otherwise is not None:
            yield from shape_exprs(choice.otherwise)
        return
    for item in choice.items:
        if isinstance(item, RestItem):
            yield ref(RefKind.REST, item.name, DIMS, item.span)
        else:
            yield size_expr(item)


def size_expr(item: DimItem) -> Expr:
    """The size that an axis of an output has."""
    if item.dim is not None:
        return dim(item.dim, item.span)
    assert item.size is not None
    return item.size
