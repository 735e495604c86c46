"""Every difference between two versions of an operator, the gravest first."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from qsfa_codegen.review.changes import Change, Impact, Relation
from qsfa_codegen.review.files.model import Files
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.rules import RULES
from qsfa_codegen.spec.model import Allowance, Operator

_GRAVITY = {impact: number for number, impact in enumerate(Impact)}


class Review(Struct, frozen=True):
    """What an edit did to one operator.

    ``base`` names what it is compared with, ``was`` the spec there; ``fresh``: there is no such
    operator. ``problem`` is why nothing could be compared.
    ``relation`` is what became of the contract as a whole, where anything changed.
    ``unused`` are entries of the spec's allow list that count for nothing. ``files`` is what the edit
    does to generated files, if that was asked for; ``texts`` are the specs and descriptions of chips
    by the name of their file in places.
    """

    name: str
    file: str
    base: str
    changes: tuple[Change, ...]
    fresh: bool = False
    problem: str = ""
    relation: Relation | None = None
    unused: tuple[Allowance, ...] = ()
    files: Files | None = None
    was: str = ""
    texts: Mapping[str, str] = {}

    @property
    def breaks(self) -> bool:
        """Whether there is a break that nobody has allowed."""
        return any(change.breaks for change in self.changes)


def compare(
    old: Operator, new: Operator, texts: Mapping[str, str] | None = None, *, prove: bool = False
) -> tuple[Change, ...]:
    """Every difference, the gravest first; ``texts`` are the specs by the name of their file in spans."""
    return found_in(Pair(old, new, texts or {}, prove))


def found_in(pair: Pair) -> tuple[Change, ...]:
    """Every difference of a pair."""
    found: list[Change] = []
    for rule in RULES:
        changes = tuple(rule.run(pair))
        found += changes
        pair.told.update(change.subject for change in changes)
        pair.codes.update(change.code for change in changes)
    return tuple(sorted(found, key=_place))


def relation(pair: Pair, changes: Sequence[Change]) -> Relation | None:
    """What became of the contract; None where nothing but words changed."""
    if all(change.impact is Impact.DOCS for change in changes):
        return None
    return pair.evidence.relation()


def _place(change: Change) -> tuple[int, int, int, str]:
    span = change.after
    line, column = (0, 0) if span is None else (span.line, span.column)
    return (_GRAVITY[change.impact], line, column, change.code)


ON_THE_COMMAND_LINE = "allowed on the command line"


def allowed(
    changes: Sequence[Change],
    codes: Collection[str],
    entries: Sequence[Allowance],
    known: Sequence[Allowance],
) -> tuple[tuple[Change, ...], tuple[Allowance, ...]]:
    """The changes, those marked that break on purpose, and the entries that count for nothing.

    ``known`` are the entries of the base: they were for an earlier edit.
    """
    before = {(entry.code, entry.subject, entry.reason) for entry in known}
    fresh = [entry for entry in entries if (entry.code, entry.subject, entry.reason) not in before]
    used: list[Allowance] = []

    def marked() -> Iterator[Change]:
        for change in changes:
            entry = next((entry for entry in fresh if _is_about(entry, change)), None)
            if entry is not None:
                used.append(entry)
            reason = ON_THE_COMMAND_LINE if entry is None and change.code in codes else None
            yield replace(change, allowed=reason if entry is None else entry.reason)

    return tuple(marked()), tuple(entry for entry in entries if not any(entry is other for other in used))


def _is_about(entry: Allowance, change: Change) -> bool:
    return entry.code == change.code and entry.subject in (None, change.subject)
