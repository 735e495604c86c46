"""What differs inside of lines: words of a stretch of lines before and after an edit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from qsfa_codegen.review.files.sequences import opcodes

# Outside of ASCII each character is a word: Chinese has no spaces between words.
_WORD = re.compile(r"[A-Za-z0-9_]+|[^\sA-Za-z0-9_]")
_MOST_WORDS = 6000
_ALIKE = 0.4
_MOSTLY = 0.75
_BEGINNING = 60

Marks = tuple[tuple[int, int], ...]


class Compared(Struct, frozen=True):
    """Marks for each line before and after, and pairs of lines that stand for each other, in order."""

    old: tuple[Marks, ...]
    new: tuple[Marks, ...]
    pairs: tuple[tuple[int, int], ...]


class _Word(Struct, frozen=True):
    line: int
    start: int
    end: int


def compared(old: Sequence[str], new: Sequence[str]) -> Compared:
    """Compare two stretches word by word; where lines break does not matter.

    So a list that was filled anew shows what was put in, not every line that moved. Marks of a line
    that is mostly new would only be spots: it has none.
    """
    before, after = _words(old), _words(new)
    if len(before) + len(after) > _MOST_WORDS:
        return _line_by_line(old, new)
    left, right = _texts(old, before), _texts(new, after)
    gone: set[int] = set()
    come: set[int] = set()
    weights: dict[tuple[int, int], int] = {}
    for what, i, i_end, j, j_end in opcodes(left, right):
        if what == "equal":
            for word, other in zip(before[i:i_end], after[j:j_end], strict=True):
                at = (word.line, other.line)
                weights[at] = weights.get(at, 0) + 1
        else:
            gone.update(_slid(left, i, i_end) if what == "delete" else range(i, i_end))
            come.update(_slid(right, j, j_end) if what == "insert" else range(j, j_end))
    sizes = (Counter(word.line for word in before), Counter(word.line for word in after))
    pairs = _pairs({at: weight for at, weight in weights.items() if _alike(at, weight, *sizes)})
    return Compared(
        _marks(old, before, gone, {one for one, _ in pairs}),
        _marks(new, after, come, {other for _, other in pairs}),
        pairs,
    )


def _line_by_line(old: Sequence[str], new: Sequence[str]) -> Compared:
    """Of very many words those of lines that begin alike; a single line has no marks then."""
    marks: tuple[list[Marks], list[Marks]] = ([()] * len(old), [()] * len(new))
    pairs: list[tuple[int, int]] = []
    for what, i, i_end, j, _ in opcodes(
        [line[:_BEGINNING] for line in old], [line[:_BEGINNING] for line in new]
    ):
        for step in range(i_end - i if what == "equal" else 0):
            at, other = i + step, j + step
            pairs.append((at, other))
            if len(old) > 1 or len(new) > 1:
                one = compared([old[at]], [new[other]])
                marks[0][at], marks[1][other] = one.old[0], one.new[0]
    return Compared(tuple(marks[0]), tuple(marks[1]), tuple(pairs))


def _words(lines: Sequence[str]) -> list[_Word]:
    return [
        _Word(number, found.start(), found.end())
        for number, line in enumerate(lines)
        for found in _WORD.finditer(line)
    ]


def _texts(lines: Sequence[str], words: Sequence[_Word]) -> list[str]:
    return [lines[word.line][word.start : word.end] for word in words]


def _slid(words: Sequence[str], start: int, end: int) -> range:
    """Of the stretches that could as well be the one put in, the one that reads best.

    In ``f() && g()`` that is ``&& g()`` rather than ``() && g``.
    """
    first, last = start, end
    while first > 0 and words[first - 1] == words[last - 1]:
        first, last = first - 1, last - 1
    best, reads = range(start, end), _reads(words[start:end])
    while reads < _READS_WELL:
        if _reads(words[first:last]) > reads:
            best, reads = range(first, last), _reads(words[first:last])
        if last == len(words) or words[first] != words[last]:
            break
        first, last = first + 1, last + 1
    return best


_READS_WELL = 4


def _reads(words: Sequence[str]) -> int:
    """How well words can stand alone: brackets match, none comes first, and no operator last."""
    ends = words[-1][0].isalnum() or words[-1] in ')]}"_,;|'
    return 2 * _matched(words) + (words[0] not in "()[]{}") + ends


def _matched(words: Sequence[str]) -> bool:
    depth = 0
    for word in words:
        depth += (word in "([{") - (word in ")]}")
        if depth < 0:
            return False
    return depth == 0


def _marks(
    lines: Sequence[str], words: Sequence[_Word], other: set[int], paired: set[int]
) -> tuple[Marks, ...]:
    """The words that are ``other``, of lines of which enough is not."""
    found: list[list[tuple[int, int]]] = [[] for _ in lines]
    alike = [0] * len(lines)
    sizes = Counter(word.line for word in words)
    for index, word in enumerate(words):
        marks = found[word.line]
        if index not in other:
            alike[word.line] += 1
        elif marks and not lines[word.line][marks[-1][1] : word.start].strip():
            marks[-1] = (marks[-1][0], word.end)
        else:
            marks.append((word.start, word.end))
    return tuple(
        tuple(marks) if alike[number] >= (_ALIKE if number in paired else _MOSTLY) * sizes[number] else ()
        for number, marks in enumerate(found)
    )


def _alike(at: tuple[int, int], weight: int, old: Counter[int], new: Counter[int]) -> bool:
    """Whether two lines have enough words in common to stand beside each other."""
    one, other = old[at[0]], new[at[1]]
    return weight >= _ALIKE * max(one, other) or weight >= _MOSTLY * min(one, other)


def _pairs(weights: dict[tuple[int, int], int]) -> tuple[tuple[int, int], ...]:
    """Lines side by side: in order, and so that as many words as possible stand beside their like."""
    likely: dict[int, list[tuple[int, int]]] = {}  # by old line: new lines that are like it, and how much
    for (i, j), weight in sorted(weights.items()):
        likely.setdefault(i, []).append((j, weight))
    best: dict[int, tuple[int, tuple[int, int] | None]] = {}  # by new line: weight of a chain that ends there
    came_from: dict[tuple[int, int], tuple[int, int] | None] = {}
    for i, others in likely.items():
        grown = []
        for j, weight in others:
            ends = (best[k] for k in best if k < j)
            so_far, last = max(ends, key=lambda end: end[0], default=(0, None))
            came_from[i, j] = last
            grown.append((j, so_far + weight))
        for j, weight in grown:
            if j not in best or weight > best[j][0]:
                best[j] = (weight, (i, j))
    _, at = max(best.values(), key=lambda end: end[0], default=(0, None))
    chain: list[tuple[int, int]] = []
    while at is not None:
        chain.append(at)
        at = came_from[at]
    return tuple(reversed(chain))
