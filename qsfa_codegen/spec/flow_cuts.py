"""Expressions that YAML cuts in two because they hold a comma inside ``{ }`` or ``[ ]``.

``{value: min(a, b)}`` is a mapping with the keys ``value`` and ``b)``. The pieces are put together
again, so that the one mistake is reported once, as what it is.
"""

from __future__ import annotations

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.spec.tree import Node, Scalar

Pair = tuple[Node, Node]


def mend_pairs(pairs: list[Pair]) -> tuple[list[Pair], list[Scalar]]:
    """The pairs of a flow mapping with cut values joined, and the joined values."""
    mended: list[Pair] = []
    joined: dict[int, Scalar] = {}
    for key, value in pairs:
        if mended and _is_blank(value):
            first_key, cut = mended[-1]
            whole = _join(cut, key)
            if whole is not None:
                mended[-1] = (first_key, whole)
                joined[len(mended) - 1] = whole
                continue
        mended.append((key, value))
    return mended, list(joined.values())


def mend_items(items: list[Node]) -> tuple[list[Node], list[Scalar]]:
    """The items of a flow sequence with cut calls joined, and the joined items."""
    mended: list[Node] = []
    joined: dict[int, Scalar] = {}
    for index, item in enumerate(items):
        if mended and _is_open(mended[-1]) and _closes(items[index:]):
            whole = _join(mended[-1], item)
            if whole is not None:
                mended[-1] = whole
                joined[len(mended) - 1] = whole
                continue
        mended.append(item)
    return mended, list(joined.values())


def _is_blank(node: Node) -> bool:
    return isinstance(node, Scalar) and not node.quoted and not node.text


def _is_open(node: Node) -> bool:
    return isinstance(node, Scalar) and not node.quoted and node.text.count("(") > node.text.count(")")


def _closes(items: list[Node]) -> bool:
    """True when the items, up to the first that is not plain, hold a closing parenthesis too many."""
    for item in items:
        if not isinstance(item, Scalar) or item.quoted:
            return False
        if item.text.count(")") > item.text.count("("):
            return True
    return False


def _join(first: Node, second: Node) -> Scalar | None:
    if not isinstance(first, Scalar) or not isinstance(second, Scalar) or first.quoted or second.quoted:
        return None
    text = f"{first.text}, {second.text}"
    start, end = first.span, second.span
    return Scalar(Span(start.file, start.line, start.column, end.end_line, end.end_column), text, text, False)
