"""Typed reading of tree nodes. The schema has been checked before, so a misfit only ends the object."""

from __future__ import annotations

from enum import Enum
from typing import TypeVar

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.spec.reader import Mapping, Node, Scalar, Sequence
from qsfa_codegen.spec.tree import shorten


class MalformedError(Exception):
    """An object cannot be made of its node and is dropped.

    ``told``: an error with a place says so already.
    """

    def __init__(self, span: Span, message: str, told: bool = False) -> None:
        self.span = span
        self.message = message
        self.told = told
        super().__init__(message)


def as_mapping(node: Node) -> Mapping:
    """The node as a mapping."""
    if not isinstance(node, Mapping):
        raise MalformedError(node.span, "expected a mapping")
    return node


def as_sequence(node: Node) -> Sequence:
    """The node as a list."""
    if not isinstance(node, Sequence):
        raise MalformedError(node.span, "expected a list")
    return node


def as_scalar(node: Node) -> Scalar:
    """The node as a single value."""
    if not isinstance(node, Scalar):
        raise MalformedError(node.span, "expected a single value")
    return node


def as_text(node: Node) -> str:
    """The node's text as written."""
    scalar = as_scalar(node)
    if scalar.value is None:
        raise MalformedError(node.span, "expected a text")
    return scalar.text


def as_int(node: Node) -> int:
    """The node as an integer."""
    scalar = as_scalar(node)
    if isinstance(scalar.value, bool) or not isinstance(scalar.value, int):
        raise MalformedError(node.span, f"'{shorten(scalar.text)}' is not an integer")
    return scalar.value


def as_bool(node: Node) -> bool:
    """The node as true or false."""
    value = as_scalar(node).value
    if not isinstance(value, bool):
        raise MalformedError(node.span, "expected true or false")
    return value


E = TypeVar("E", bound=Enum)


def as_member(node: Node, kind: type[E]) -> E:
    """The node as the member of an enumeration whose value it spells."""
    text = as_text(node)
    for member in kind:
        if text in (member.value, member.value.lower()):
            return member
    raise MalformedError(node.span, f"'{text}' is not one of {', '.join(m.value for m in kind)}")


def member_of(node: Mapping, key: str, default: E) -> E:
    """The member that an optional key spells."""
    value = node.get(key)
    return default if value is None else as_member(value, type(default))


def entries(node: Node | None) -> tuple[tuple[str, Span, Node], ...]:
    """Key, key span and value of a mapping in file order; none for an absent node."""
    if node is None:
        return ()
    return tuple((e.key, e.key_span, e.value) for e in as_mapping(node).entries)


def keys(node: Node | None) -> tuple[str, ...]:
    """Keys of a mapping in file order; none for anything else."""
    return node.keys() if isinstance(node, Mapping) else ()


def only_entry(node: Node) -> tuple[str, Span, Node]:
    """The first entry of a mapping that has one."""
    found = entries(node)
    if not found:
        raise MalformedError(node.span, "expected a name")
    return found[0]


def items(node: Node | None) -> tuple[Node, ...]:
    """Items of a list; none for an absent node."""
    return () if node is None else as_sequence(node).items


def texts(node: Node | None) -> tuple[str, ...]:
    """A text, a list of texts, or nothing."""
    if node is None:
        return ()
    if isinstance(node, Scalar):
        return (node.text,)
    return tuple(as_text(item) for item in items(node))


def need(node: Mapping, key: str) -> Node:
    """The value of a key that must be there."""
    value = node.get(key)
    if value is None:
        raise MalformedError(node.span, f"'{key}' is missing")
    return value


def text_of(node: Mapping, key: str, default: str) -> str:
    """The text of an optional key."""
    value = node.get(key)
    return default if value is None else as_text(value)


def flag_of(node: Mapping, key: str, default: bool = False) -> bool:
    """The truth of an optional key."""
    value = node.get(key)
    return default if value is None else as_bool(value)
