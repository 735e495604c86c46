"""Parameters of the interfaces for callers, aclnn and torch: which there are, in which order, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.review.changes import Found, Impact
from qsfa_codegen.review.form import bare
from qsfa_codegen.review.match import Matching, matching
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.registry import Look, rule
from qsfa_codegen.review.rules.attrs import shown
from qsfa_codegen.spec.model import BoundParam


class _Argument(Struct, frozen=True):
    """A parameter of a binding under the name of what it stands for."""

    name: str
    bound: BoundParam
    keyword: bool
    span: Span


class _Interface(Struct, frozen=True):
    """One interface of both operators."""

    word: str
    positional: Matching[_Argument]
    every: Matching[_Argument]


def _interfaces(pair: Pair) -> Iterator[_Interface]:
    old, new = pair.before.aclnn, pair.after.aclnn
    if old.parameters and new.parameters:
        found = matching(_arguments(old.parameters), _arguments(new.parameters))
        yield _Interface("aclnn", found, found)
    before, after = pair.before.torch, pair.after.torch
    if before is not None and after is not None:
        lists = [(_arguments(t.positional), _arguments(t.keyword, keyword=True)) for t in (before, after)]
        yield _Interface(
            "torch",
            matching(lists[0][0], lists[1][0]),
            matching((*lists[0][0], *lists[0][1]), (*lists[1][0], *lists[1][1])),
        )


def _arguments(params: tuple[BoundParam, ...], *, keyword: bool = False) -> tuple[_Argument, ...]:
    return tuple(_Argument(p.source or f"reserved {p.name}", p, keyword, p.span) for p in params)


def _found(word: str, argument: _Argument, said: str, old: str, new: str, before: Span, after: Span) -> Found:
    name = argument.bound.name
    return Found(f"{word} parameter {name}", f"{word} parameter {name} {said}", old, new, before, after)


@rule(
    "QD404",
    Impact.CALLERS,
    "A parameter of an interface was removed",
    "Callers that pass it no longer compile, or raise an error in Python.",
)
def removed(pair: Pair) -> Iterator[Found]:
    """Parameters of the base only."""
    for interface in _interfaces(pair):
        for old in interface.every.removed:
            span = pair.after.name_span
            yield _found(interface.word, old, "was removed", old.bound.name, "", old.span, span)


def _added(wanted: Callable[[_Interface, _Argument], bool], said: str) -> Look:
    def look(pair: Pair) -> Iterator[Found]:
        for interface in _interfaces(pair):
            for new in interface.every.added:
                if wanted(interface, new):
                    span = pair.old.name_span
                    yield _found(interface.word, new, said, "", new.bound.name, span, new.span)

    return look


def _is_inserted(interface: _Interface, argument: _Argument) -> bool:
    return any(argument is thing for thing in interface.positional.inserted)


demanded = rule(
    "QD405",
    Impact.CALLERS,
    "A parameter without a default was added to an interface",
    "No caller passes it: each call fails.",
)(_added(lambda _, a: not a.bound.has_default, "was added and has no default"))
inserted = rule(
    "QD406",
    Impact.CALLERS,
    "A positional parameter was added to an interface before others",
    "What callers pass by position arrives at another parameter.",
)(_added(lambda i, a: a.bound.has_default and _is_inserted(i, a), "was added before others"))
appended = rule(
    "QD407",
    Impact.WIDENING,
    "A parameter with a default was added to an interface",
    "Calls without it stay as they are.",
)(_added(lambda i, a: a.bound.has_default and not _is_inserted(i, a), "was added and has a default"))


@rule(
    "QD408",
    Impact.CALLERS,
    "A parameter of an interface was renamed",
    "Keyword arguments name it; where it is positional alone, sources that name it still have to follow.",
)
def renamed(pair: Pair) -> Iterator[Found]:
    """Parameters that stand for the same thing under another name."""
    for interface in _interfaces(pair):
        for old, new in interface.every.both:
            left, right = old.bound.name, new.bound.name
            if left != right:
                said = f"was called {left}"
                yield _found(interface.word, new, said, left, right, old.span, new.span)


@rule(
    "QD409",
    Impact.CALLERS,
    "A parameter of an interface moved",
    "Positional arguments arrive at another parameter, or must be passed by keyword now.",
)
def moved(pair: Pair) -> Iterator[Found]:
    """Positional parameters in another order, and those that changed sides."""
    for interface in _interfaces(pair):
        for old, new in interface.positional.moved:
            yield _found(interface.word, new, "moved", "", "", old.span, new.span)
        for old, new in interface.every.both:
            if old.keyword != new.keyword:
                left, right = ("keyword" if a.keyword else "positional" for a in (old, new))
                yield _found(interface.word, new, f"is {right}", left, right, old.span, new.span)


@rule(
    "QD410",
    Impact.CALLERS,
    "A parameter of an interface has another type",
    "What callers pass is another type, or means something else.",
)
def retyped(pair: Pair) -> Iterator[Found]:
    """Types, conversions and maps of values."""
    for interface in _interfaces(pair):
        for old, new in interface.every.both:
            for name in ("type", "convert", "value_map"):
                left, right = getattr(old.bound, name), getattr(new.bound, name)
                if left != right:
                    said = f"has another {name.replace('_', ' ')}"
                    texts = [_plain(value) for value in (left, right)]
                    yield _found(interface.word, new, said, texts[0], texts[1], old.span, new.span)


def _plain(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(f"{left}: {right}" for left, right in value)
    return value or "the operator's own"


@rule(
    "QD411",
    Impact.CALLERS,
    "The default of a parameter of an interface changed",
    "Calls that leave it out mean something else than before, or fail when there is no default any more.",
)
def default(pair: Pair) -> Iterator[Found]:
    """Defaults that the interface registers; a default that came is told by the next rule."""
    for old, new, left, right in _defaults(pair):
        if old[1].bound.has_default:
            said = f"has the default {right} instead of {left}"
            yield _found(old[0].word, new, said, left, right, old[1].span, new.span)


@rule(
    "QD412",
    Impact.WIDENING,
    "A parameter of an interface got a default",
    "It may be left out; calls that pass it stay as they are.",
)
def default_given(pair: Pair) -> Iterator[Found]:
    """Defaults that came."""
    for old, new, left, right in _defaults(pair):
        if not old[1].bound.has_default:
            yield _found(old[0].word, new, f"has the default {right}", left, right, old[1].span, new.span)


def _defaults(pair: Pair) -> Iterator[tuple[tuple[_Interface, _Argument], _Argument, str, str]]:
    for interface in _interfaces(pair):
        for old, new in interface.every.both:
            pictures = [(a.bound.has_default, bare(a.bound.default)) for a in (old, new)]
            if pictures[0] != pictures[1]:
                yield (interface, old), new, _default(old.bound), _default(new.bound)


@rule(
    "QD415",
    Impact.COMPATIBLE,
    "Keyword parameters have another order",
    "They are passed by name.",
)
def keywords(pair: Pair) -> Iterator[Found]:
    """The order of keyword parameters."""
    for interface in _interfaces(pair):
        names = [[a.name for a in side if a.keyword] for side in (interface.every.old, interface.every.new)]
        common = [[name for name in side if name in names[0] and name in names[1]] for side in names]
        if common[0] != common[1]:
            spans = pair.old.name_span, pair.after.name_span
            yield Found(
                interface.word,
                f"keyword parameters of {interface.word} have another order",
                ", ".join(common[0]),
                ", ".join(common[1]),
                spans[0],
                spans[1],
            )


@rule(
    "QD416",
    Impact.CALLERS,
    "A parameter that an interface fixed has another default",
    "Callers did not choose it; now they can, and those who do not get another value than was passed before.",
)
def no_longer_fixed(pair: Pair) -> Iterator[Found]:
    """Pinned parameters that became parameters."""
    old, new = pair.before.torch, pair.after.torch
    if old is None or new is None:
        return
    fixed = dict(old.fixed)
    registered = {a.name: a.default for a in pair.before.attrs}
    for param in (*new.positional, *new.keyword):
        if param.source not in fixed:
            continue
        given = fixed[param.source]
        passed = registered.get(param.source) if given is None else given
        if not param.has_default or bare(param.default) != bare(passed):
            left, right = "null" if passed is None else shown(passed), _default(param)
            argument = _Argument(param.source, param, False, param.span)
            yield _found("torch", argument, f"was fixed to {left}", left, right, old.span, param.span)


def _default(param: BoundParam) -> str:
    if not param.has_default:
        return "no default"
    return "null" if param.default is None else shown(param.default)


RULES = (
    removed,
    demanded,
    inserted,
    appended,
    renamed,
    moved,
    retyped,
    default,
    default_given,
    no_longer_fixed,
    keywords,
)
