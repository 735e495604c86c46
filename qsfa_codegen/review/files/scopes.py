"""The part of a file that a line belongs to: a function, struct or constant, a section of a page, a key.

C++ is read by tree-sitter where the extra ``review`` is installed. Without it a part is what the
nearest line above says that starts in the first column: text before ``(`` is a function, after
``struct``, ``class``, ``enum`` or ``namespace`` the name of one, and before ``=`` a constant. That
is right for generated files, which indent whatever is inside of something else but namespaces.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import PurePosixPath

from qsfa_codegen.review.files.model import Hunk, Row, Side
from qsfa_codegen.review.files.python_scopes import python_scopes

CPP = frozenset({".h", ".hpp", ".cpp", ".cc"})
_MOST_SCOPES = 3

ScopeOf = Callable[[int], str]
"""What a line belongs to, by its number; empty where it is nothing with a name."""


def is_cpp(path: str) -> bool:
    """Whether the file at ``path`` is C++."""
    return PurePosixPath(path).suffix in CPP


def scopes_in(path: str, lines: Sequence[str]) -> ScopeOf:
    """What each line of the file at ``path`` belongs to."""
    suffix = PurePosixPath(path).suffix
    if suffix in CPP:
        return cpp_scopes(lines)
    if suffix == ".py":
        return python_scopes(lines)
    if suffix == ".md":
        return _nearest_above(lines, _headings(lines))
    if suffix in (".yaml", ".yml"):
        return _nearest_above(lines, list(_keys(lines)))
    if suffix == ".jsonl":
        return lambda number: _call_id(lines[number - 1])
    return lambda _: ""


def scopes_of(rows: Sequence[Row], before: ScopeOf, after: ScopeOf) -> tuple[str, ...]:
    """What the changed rows belong to, each once; of many the first ones."""
    sides = (side for row in rows if row.changed for side in _shown(row, before, after))
    found = list(dict.fromkeys(name for name in sides if name))
    more = len(found) - _MOST_SCOPES
    return (*found[:_MOST_SCOPES], *([f"{more} more"] if more > 0 else []))


def with_scopes(hunk: Hunk, before: ScopeOf, after: ScopeOf) -> Hunk:
    """The hunk, told what it belongs to."""
    return Hunk(hunk.rows, scopes_of(hunk.rows, before, after))


def _shown(row: Row, before: ScopeOf, after: ScopeOf) -> Iterator[str]:
    def written(side: Side | None) -> bool:
        return side is not None and bool(side.text.strip())

    if row.new is not None and written(row.new):
        yield after(row.new.number)
    elif row.old is not None and written(row.old):
        yield before(row.old.number)


# --------------------------------------------------------------------------- C++


def parses() -> bool:
    """Whether C++ is read by its grammar."""
    return find_spec("tree_sitter") is not None and find_spec("tree_sitter_cpp") is not None


def cpp_scopes(lines: Sequence[str]) -> ScopeOf:
    """What each line of C++ belongs to."""
    if parses():
        from qsfa_codegen.review.files.grammar import grammar_scopes

        return grammar_scopes(lines)
    return guessed_scopes(lines)


_NAMED = re.compile(r"(?:template\s*<.*>\s*)?(struct|class|enum|namespace)(?: class)? (\w+)")
_CONSTANT = re.compile(r"(?:static |inline )*const(?:expr)? [^=(]*?(\w+)(?:\[\w*\])*\s*=")
_MACRO = re.compile(r"#define (\w+)\s")
_FUNCTION = re.compile(r"(?:[^=;]*?[\s*&])?((?:\w+::)*~?\w+)\(")
_MACRO_USE = re.compile(r"[A-Z][A-Z0-9_]+(?:\([^()]*\))?(?!\w)")
_ATTRIBUTE = re.compile(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)\s*|\[\[\w+\]\]\s*")
_NO_START = re.compile(r"[\s{}#/)]|template|using |extern |static_assert|$")


def guessed_scopes(lines: Sequence[str]) -> ScopeOf:
    """As ``cpp_scopes``, by how lines look."""
    return _nearest_above(lines, list(_guesses(lines)))


def _guesses(lines: Sequence[str]) -> Iterator[str | None]:
    """For each line the part that begins there, empty where one has ended, None where neither happens."""
    ended = False
    for line in lines:
        begins = _guess(line)
        yield begins if begins is not None or not ended else ""
        ended = line.startswith("}") or (begins is not None and _is_whole(line))


def _is_whole(line: str) -> bool:
    return line.endswith(";") or (line.startswith("#") and not line.endswith("\\"))


def _guess(line: str) -> str | None:
    if macro := _MACRO.match(line):
        return f"macro {macro[1]}"
    if named := _NAMED.match(line):
        return f"{named[1]} {named[2]}"
    if constant := _CONSTANT.match(line):
        return f"constant {constant[1]}"
    line = _ATTRIBUTE.sub("", line)
    if not _NO_START.match(line) and (function := _FUNCTION.match(line)):
        used = _MACRO_USE.match(line)
        return used[0] if used else f"{function[1]}()"
    return None


# --------------------------------------------------------------------------- pages and calls


def _nearest_above(lines: Sequence[str], starts: Sequence[str | None]) -> ScopeOf:
    names: list[str] = []
    for start in starts:
        names.append(start if start is not None else names[-1] if names else "")
    return lambda number: names[number - 1] if 0 < number <= len(names) else ""


def _headings(lines: Sequence[str]) -> list[str | None]:
    fenced = False
    found: list[str | None] = []
    for line in lines:
        fenced = fenced != line.startswith("```")
        heading = re.fullmatch(r"#{1,6}\s+(.*?)\s*#*", line) if not fenced else None
        found.append(heading[1] if heading else None)
    return found


_KEY = re.compile(r"( *)([^\s#:{}\[\],&*!|>'\"%@`-][^\s:]*):(?:\s|$)")


def _keys(lines: Sequence[str]) -> Iterator[str | None]:
    """A key in the first column, with one right below it."""
    top, indent = "", 0
    for line in lines:
        found = _KEY.match(line)
        if found and not found[1]:
            top, indent = found[2], 0
            yield top
        elif found and top and indent in (0, len(found[1])):
            indent = len(found[1])
            yield f"{top} › {found[2]}"
        else:
            yield None


def _call_id(line: str) -> str:
    try:
        call = json.loads(line)
    except ValueError:
        return ""
    return f"case {call['id']}" if isinstance(call, dict) and "id" in call else ""
