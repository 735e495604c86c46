"""Differences that every list of parameters can have: one taken away, put in, renamed, moved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.review.changes import Found
from qsfa_codegen.review.match import Matching
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.registry import Look

Of = Callable[[Pair], Matching[Any]]


class Kind(Struct, frozen=True):
    """A list of parameters: what one of it is called, and how the pair matches them."""

    word: str
    of: Of


def place(thing: Any) -> Span:
    """Where a thing stands."""
    span: Span = thing.span
    return span


def removed(kind: Kind) -> Look:
    """Things of the base only."""

    def look(pair: Pair) -> Iterator[Found]:
        for thing in kind.of(pair).removed:
            name = pair.old_name(kind.word, thing.name)
            yield Found(
                f"{kind.word} {name}",
                f"{kind.word} {name} was removed",
                name,
                "",
                place(thing),
                pair.after.name_span,
            )

    return look


def renamed(kind: Kind) -> Look:
    """Things with another name, everything else being told by other rules."""

    def look(pair: Pair) -> Iterator[Found]:
        for old, new in kind.of(pair).both:
            was = pair.old_name(kind.word, new.name)
            if was != new.name:
                message = f"{kind.word} {was} is called {new.name}"
                yield Found(f"{kind.word} {new.name}", message, was, new.name, place(old), place(new))

    return look


def moved(kind: Kind) -> Look:
    """Things that changed their order."""

    def look(pair: Pair) -> Iterator[Found]:
        found = kind.of(pair)
        for old, new in found.moved:
            before = [t.name for t in found.old].index(new.name) + 1
            after = [t.name for t in found.new].index(new.name) + 1
            message = f"{kind.word} {new.name} moved from place {before} to place {after}"
            yield Found(f"{kind.word} {new.name}", message, str(before), str(after), place(old), place(new))

    return look


def behind(found: Matching[Any], thing: Any) -> list[str]:
    """Names that were there before and stand behind a new thing."""
    common = {new.name for _, new in found.both}
    at = next(i for i, other in enumerate(found.new) if other is thing)
    return [other.name for other in found.new[at:] if other.name in common]


def added(kind: Kind, wanted: Callable[[Any], bool], *, inserted: bool | None, why: str) -> Look:
    """New things that are ``wanted``; ``inserted`` picks those before others, or those behind all."""

    def look(pair: Pair) -> Iterator[Found]:
        found = kind.of(pair)
        things = found.added if inserted is None else found.inserted if inserted else found.appended
        for thing in things:
            if not wanted(thing):
                continue
            message = f"{kind.word} {thing.name} was added{why}"
            if inserted:
                message += f" {', '.join(behind(found, thing))}"
            witness = None if inserted is not None else pair.evidence.not_passed(thing.name)
            yield Found(
                f"{kind.word} {thing.name}",
                message,
                "",
                thing.name,
                pair.old.name_span,
                place(thing),
                witness,
            )

    return look
