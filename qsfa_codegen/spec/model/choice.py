"""Small things that stand everywhere: sentences in both languages, and choices by case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.nodes import Expr

T = TypeVar("T")


class Text(Struct, frozen=True):
    """A sentence in both languages."""

    en: str
    zh: str


class Table(Struct, Generic[T], frozen=True):
    """``{by: selector, of: {label: value}}``; labels as in ``expr.nodes.Select``."""

    selector: Expr
    cases: tuple[tuple[str, T | Table[T]], ...]
    otherwise: T | Table[T] | None
    span: Span


def leaves(choice: T | Table[T]) -> Iterator[T]:
    """Every value a choice can take, in file order."""
    if not isinstance(choice, Table):
        yield choice
        return
    for _, value in choice.cases:
        yield from leaves(value)
    if choice.otherwise is not None:
        yield from leaves(choice.otherwise)


class Case(Struct, frozen=True):
    """A table selector has (or, negated, has none of) these labels."""

    selector: Expr
    labels: tuple[str, ...]
    negated: bool = False
