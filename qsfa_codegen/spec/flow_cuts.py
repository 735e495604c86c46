"""Expressions that YAML cuts in pieces because they hold a comma inside ``{ }`` or ``[ ]``.

``{value: min(a, b)}`` is a mapping with the keys ``value`` and ``b)``. The pieces are put together
again, so that the one mistake is reported once, as what it is.
"""

from __future__ import annotations

from typing import TypeGuard

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.spec.tree import Node, Scalar

Pair = tuple[Node, Node]

MOST_PIECES = 32


def mend_pairs(pairs: list[Pair]) -> tuple[list[Pair], list[Scalar]]:
    """The pairs of a flow mapping with cut values joined, and the joined values."""
    mended: list[Pair] = []
    joined: list[Scalar] = []
    index = 0
    while index < len(pairs):
        key, value = pairs[index]
        index += 1
        if _has_text(value):
            pieces = [value]
            while index < len(pairs) and _is_plain(rest := pairs[index][0]) and _is_blank(pairs[index][1]):
                pieces.append(rest)
                index += 1
            if len(pieces) > 1:
                value = _join(pieces)
                joined.append(value)
        mended.append((key, value))
    return mended, joined


def mend_items(items: list[Node]) -> tuple[list[Node], list[Scalar]]:
    """The items of a flow sequence with cut calls joined, and the joined items."""
    mended: list[Node] = []
    joined: list[Scalar] = []
    index = 0
    while index < len(items):
        pieces = _pieces_of_call(items[index : index + MOST_PIECES])
        if len(pieces) > 1:
            joined.append(_join(pieces))
            mended.append(joined[-1])
        else:
            mended.append(items[index])
        index += max(1, len(pieces))
    return mended, joined


def _pieces_of_call(items: list[Node]) -> list[Scalar]:
    """The items up to the one that closes what the first one opens; none when there is no such item."""
    pieces: list[Scalar] = []
    depth = 0
    for item in items:
        if not _is_plain(item):
            return []
        pieces.append(item)
        depth += item.text.count("(") - item.text.count(")")
        if depth <= 0:
            return pieces
    return []


def _is_plain(node: Node) -> TypeGuard[Scalar]:
    return isinstance(node, Scalar) and not node.quoted


def _is_blank(node: Node) -> bool:
    return _is_plain(node) and not node.text


def _has_text(node: Node) -> TypeGuard[Scalar]:
    return _is_plain(node) and bool(node.text)


def _join(pieces: list[Scalar]) -> Scalar:
    text = ", ".join(piece.text for piece in pieces)
    start, end = pieces[0].span, pieces[-1].span
    return Scalar(Span(start.file, start.line, start.column, end.end_line, end.end_column), text, text, False)
