"""Where in the tables of a spec something stands: the selector cases on the way to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.build import all_of, is_case, same
from qsfa_codegen.expr.nodes import Expr, Kind
from qsfa_codegen.spec.model import Attr, Case, Chip, DimItem, Domain, RestItem, Shape, Table

T = TypeVar("T")
U = TypeVar("U")


Path = tuple[Case, ...]


def excludes(one: Case, other: Case) -> bool:
    """True when both cases cannot hold in one call."""
    if not same(one.selector, other.selector):
        return False
    mine, theirs = set(one.labels), set(other.labels)
    if one.negated and other.negated:
        return False
    if one.negated:
        return theirs <= mine
    if other.negated:
        return mine <= theirs
    return not mine & theirs


def compatible(left: Path, right: Path) -> bool:
    """Whether one call can be on both paths."""
    return not any(excludes(a, b) for a in left for b in right)


def covers(path: Path, wanted: Path) -> bool:
    """Whether every call on ``path`` is also on ``wanted``."""
    return all(any(same(case.selector, w.selector) and _implies(case, w) for case in path) for w in wanted)


def _implies(case: Case, wanted: Case) -> bool:
    if case.negated == wanted.negated:
        inner, outer = (wanted, case) if case.negated else (case, wanted)
        return set(inner.labels) <= set(outer.labels)
    return wanted.negated and not set(case.labels) & set(wanted.labels)


def condition(path: Path, span: Span) -> Expr | None:
    """The path as a condition; None for the empty path."""
    return all_of([is_case(c.selector, c.labels, c.negated, span) for c in path], span)


def walk_choice(choice: T | Table[T], path: Path = ()) -> Iterator[tuple[Path, T]]:
    """Every value of a choice with the path to it, in file order."""
    if not isinstance(choice, Table):
        yield path, choice
        return
    for label, value in choice.cases:
        step = Case(choice.selector, (label,))
        if compatible(path, (step,)):
            yield from walk_choice(value, _extend(path, step))
    if choice.otherwise is not None:
        labels = tuple(label for label, _ in choice.cases)
        yield from walk_choice(choice.otherwise, _extend(path, Case(choice.selector, labels, True)))


def _extend(path: Path, step: Case) -> Path:
    if any(same(case.selector, step.selector) and case == step for case in path):
        return path
    return (*path, step)


def joined(paths: Sequence[Path]) -> Path:
    """All cases of several compatible paths, each once."""
    result: Path = ()
    for path in paths:
        for case in path:
            if not any(same(c.selector, case.selector) and c.labels == case.labels for c in result):
                result = (*result, case)
    return result


def at_chip(choice: T | Table[T], chip: Chip) -> T | None:
    """The entry of a choice on one chip; None when there is none, or when it goes by something else."""
    while isinstance(choice, Table):
        kind = choice.selector.type.kind
        if kind not in (Kind.CHIP, Kind.ARCH):
            return None
        inner = dict(choice.cases).get(chip.id if kind is Kind.CHIP else chip.arch, choice.otherwise)
        if inner is None:
            return None
        choice = inner
    return choice


def accepted_labels(attr: Attr) -> frozenset[str] | None:
    """Labels that an enum attribute accepts on every chip; None for other attributes."""
    if attr.enum is None or not isinstance(attr.domain, Domain):
        return None
    return frozenset(str(v.value) for v in attr.domain.values)


def axes(shape: Shape) -> Iterator[tuple[int, DimItem | RestItem]]:
    """Items with their axis; behind a rest item axes count from the end."""
    behind = False
    for position, item in enumerate(shape.items):
        yield (position - len(shape.items) if behind else position), item
        behind = behind or isinstance(item, RestItem)


def merged(paths: Sequence[Path], accepted: Mapping[str, frozenset[str] | None]) -> Path | None:
    """One path that means any of several, when they differ only in the labels of one selector.

    A selector whose every accepted label is named is left out. None: no single path says it.
    """
    if len(paths) == 1 or any(not p for p in paths):
        return _trimmed(next((p for p in paths if not p), paths[0]), accepted)
    if any(len(p) != 1 or p[0].negated or not same(p[0].selector, paths[0][0].selector) for p in paths):
        return None
    labels = tuple(dict.fromkeys(label for p in paths for label in p[0].labels))
    return _trimmed((Case(paths[0][0].selector, labels),), accepted)


def _trimmed(path: Path, accepted: Mapping[str, frozenset[str] | None]) -> Path:
    return tuple(case for case in path if not _is_total(case, accepted))


def _is_total(case: Case, accepted: Mapping[str, frozenset[str] | None]) -> bool:
    name = getattr(case.selector, "name", None)
    labels = accepted.get(name) if isinstance(name, str) else None
    return labels is not None and not case.negated and labels <= set(case.labels)
