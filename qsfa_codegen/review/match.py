"""Which thing of the old operator is which of the new one: by name, and by name that it had before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Generic, TypeVar

from msgspec import Struct

from qsfa_codegen.review.form import bare, words

N = TypeVar("N", bound=Struct)

_ALIKE = 0.6
_NAMES = ("name", "id", "arch", "chip", "type_name")


def name_of(thing: Struct) -> str:
    """What a thing is called in its list: its name, its id, or what stands for these."""
    return str(next(getattr(thing, key) for key in _NAMES if hasattr(thing, key)))


class Matching(Struct, Generic[N], frozen=True):
    """Things of two lists by name, each group in file order."""

    old: tuple[N, ...]
    new: tuple[N, ...]
    removed: tuple[N, ...]
    added: tuple[N, ...]
    both: tuple[tuple[N, N], ...]

    @property
    def moved(self) -> tuple[tuple[N, N], ...]:
        """The fewest that explain why what is in both lists has another order in them."""
        at = {name_of(thing): index for index, thing in enumerate(self.old)}
        kept = _longest_rising([at[name_of(new)] for _, new in self.both])
        return tuple(pair for pair in self.both if at[name_of(pair[1])] not in kept)

    @property
    def inserted(self) -> tuple[N, ...]:
        """Added things with something behind them that was there before."""
        common = {name_of(new) for _, new in self.both}
        last = max((i for i, thing in enumerate(self.new) if name_of(thing) in common), default=-1)
        names = {name_of(thing) for thing in self.added}
        return tuple(thing for thing in self.new[: last + 1] if name_of(thing) in names)

    @property
    def appended(self) -> tuple[N, ...]:
        """Added things behind everything that was there before."""
        inserted = {name_of(thing) for thing in self.inserted}
        return tuple(thing for thing in self.added if name_of(thing) not in inserted)


def matching(old: Sequence[N], new: Sequence[N]) -> Matching[N]:
    """Match two lists by name."""
    before = {name_of(thing): thing for thing in old}
    after = {name_of(thing) for thing in new}
    return Matching(
        tuple(old),
        tuple(new),
        tuple(thing for thing in old if name_of(thing) not in after),
        tuple(thing for thing in new if name_of(thing) not in before),
        tuple((before[name_of(thing)], thing) for thing in new if name_of(thing) in before),
    )


def _longest_rising(numbers: Sequence[int]) -> frozenset[int]:
    best: list[list[int]] = []
    for number in numbers:
        candidates = [run for run in best if run[-1] < number]
        before: list[int] = max(candidates, key=len, default=[])
        best.append([*before, number])
    longest: list[int] = max(best, key=len, default=[])
    return frozenset(longest)


def renames(old: Sequence[N], new: Sequence[N], *own: str) -> Mapping[str, str]:
    """Old name → new name where the evidence is clear.

    It is when the new thing says that it ``was`` the old one. Otherwise both must be equal but for
    ``own`` fields, name, place and words, no other pair may be as equal, and one thing more must speak
    for it: the same neighbours, the same words, or names that are much alike.
    """
    found = matching(old, new)
    said = {
        name_of(thing): name
        for thing in found.added
        for name in getattr(thing, "was", ())
        if name in {name_of(gone) for gone in found.removed}
    }
    by_word = {old_name: new_name for new_name, old_name in said.items()}
    removed = [thing for thing in found.removed if name_of(thing) not in by_word]
    added = [thing for thing in found.added if name_of(thing) not in said]
    fields = ("name", "id", "doc_name", "index", "was", *own)
    for gone in removed:
        picture = bare(gone, *fields)
        equals = [thing for thing in added if bare(thing, *fields) == picture]
        rivals = [thing for thing in removed if bare(thing, *fields) == picture]
        clear = [thing for thing in equals if _evident(gone, thing, found)]
        if len(equals) == len(rivals) == 1 and clear:
            by_word[name_of(gone)] = name_of(equals[0])
        elif len(clear) > 1 or len(rivals) > 1:
            same = [thing for thing in clear if _neighbours(gone, found.old) == _neighbours(thing, found.new)]
            if len(same) == 1 and name_of(same[0]) not in by_word.values():
                by_word[name_of(gone)] = name_of(same[0])
    return by_word


def _evident(gone: N, thing: N, found: Matching[N]) -> bool:
    before, after = _neighbours(gone, found.old), _neighbours(thing, found.new)
    return (
        before[0] == after[0]
        or before[1] == after[1]
        or (words(gone) == words(thing) and any(value for _, value in _pairs(words(gone))))
        or SequenceMatcher(None, name_of(gone).lower(), name_of(thing).lower()).ratio() >= _ALIKE
    )


def _pairs(found: object) -> Iterable[tuple[str, object]]:
    return found if isinstance(found, tuple) else ()


def _neighbours(thing: N, things: Sequence[N]) -> tuple[str, str]:
    names = ["", *(name_of(other) for other in things), ""]
    at = names.index(name_of(thing), 1)
    return names[at - 1], names[at + 1]
