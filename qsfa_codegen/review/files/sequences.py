"""What two sequences have in common, in bounded time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile

Opcode = tuple[str, int, int, int, int]
"""``equal``, ``insert``, ``delete`` or ``replace``, and the half-open ranges of both that it is about."""

_MOST = 4_000_000


def opcodes(old: Sequence[str], new: Sequence[str]) -> Iterator[Opcode]:
    """How ``old`` becomes ``new``; where finding that out would take long, as one replacement."""
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    old_end, new_end = len(old) - last, len(new) - last
    if first:
        yield ("equal", 0, first, 0, first)
    yield from _between(old[first:old_end], new[first:new_end], first)
    if last:
        yield ("equal", old_end, len(old), new_end, len(new))


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _between(old: Sequence[str], new: Sequence[str], shift: int) -> Iterator[Opcode]:
    if not old and not new:
        return
    if _work(old, new) > _MOST:
        yield ("replace", shift, shift + len(old), shift, shift + len(new))
        return
    for what, i, i_end, j, j_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield (what, shift + i, shift + i_end, shift + j, shift + j_end)


def _work(old: Sequence[str], new: Sequence[str]) -> int:
    """Pairs of equal items, which is what the matcher looks at again and again."""
    there = Counter(new)
    return sum(count * there[item] for item, count in Counter(old).items())
