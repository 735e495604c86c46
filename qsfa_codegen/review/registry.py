"""What a rule of the review is: it looks for one kind of difference and reports it under one code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.review.changes import Change, Found, Impact

if TYPE_CHECKING:
    from qsfa_codegen.review.pair import Pair

Look = Callable[["Pair"], Iterator[Found]]


class Rule(Struct, frozen=True):
    """A kind of difference with its stable code and class, a line about it, and why it has that class."""

    code: str
    impact: Impact
    title: str
    reason: str
    look: Look

    def run(self, pair: Pair) -> Iterator[Change]:
        """Every difference of this kind."""
        for found in self.look(pair):
            yield Change(
                self.code,
                self.impact,
                self.title,
                found.subject,
                found.message,
                found.old,
                found.new,
                found.before,
                found.after,
                found.witness,
                found.basis,
            )


def rule(code: str, impact: Impact, title: str, reason: str) -> Callable[[Look], Rule]:
    """Make a function a rule."""

    def make(look: Look) -> Rule:
        return Rule(code, impact, title, reason, look)

    return make
