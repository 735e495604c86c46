"""The nodes of a spec file, each with its place."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.spec.core_schema import ScalarValue


class Scalar(Struct, frozen=True):
    """A leaf. ``text`` is what was written (without quotes), ``value`` what it means."""

    span: Span
    value: ScalarValue
    text: str
    quoted: bool


class Sequence(Struct, frozen=True):
    """An ordered list of nodes."""

    span: Span
    items: tuple[Node, ...]


class Entry(Struct, frozen=True):
    """One ``key: value`` of a mapping; a bool or int key is its plain spelling."""

    key: str
    key_span: Span
    value: Node


class Mapping(Struct, frozen=True, dict=True):
    """Entries in file order, no key twice."""

    span: Span
    entries: tuple[Entry, ...]

    @cached_property
    def _index(self) -> dict[str, Entry]:
        return {entry.key: entry for entry in self.entries}

    def get(self, key: str) -> Node | None:
        """The value at ``key``, None when it is not there."""
        entry = self._index.get(key)
        return None if entry is None else entry.value

    def entry(self, key: str) -> Entry | None:
        """The entry at ``key``, None when it is not there."""
        return self._index.get(key)

    def keys(self) -> tuple[str, ...]:
        """Keys in file order."""
        return tuple(entry.key for entry in self.entries)

    def __contains__(self, key: object) -> bool:
        return key in self._index

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)


Node = Scalar | Sequence | Mapping
Plain = ScalarValue | list["Plain"] | dict[str, "Plain"]


def to_plain(node: Node) -> Plain:
    """The node as plain Python data: str, int, float, bool, None, list, dict."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Sequence):
        return [to_plain(item) for item in node.items]
    return {entry.key: to_plain(entry.value) for entry in node.entries}


def respelt(node: Node, meant: dict[int, dict[str, str]]) -> Node:
    """The node with other keys; ``meant`` has the new ones by the ``id`` of their mapping and the old key."""
    if isinstance(node, Scalar):
        return node
    if isinstance(node, Sequence):
        return Sequence(node.span, tuple(respelt(item, meant) for item in node.items))
    keys = meant.get(id(node), {})
    entries = (Entry(keys.get(e.key, e.key), e.key_span, respelt(e.value, meant)) for e in node)
    return Mapping(node.span, tuple(entries))


def shorten(text: str, limit: int = 60) -> str:
    """``text`` on one line, cut to ``limit`` characters, for use inside a message."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
