"""What the words of source text are, for colouring, where the extra ``review`` is installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from pygments.lexer import Lexer

_LEXERS = {
    ".h": "cpp",
    ".hpp": "cpp",
    ".cpp": "cpp",
    ".cc": "cpp",
    ".py": "python",
    ".md": "markdown",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
    ".jsonl": "json",
    ".cmake": "cmake",
}
_KINDS = (  # the first whose kind of token it is counts
    ("Comment.Preproc", "p"),
    ("Comment.PreprocFile", "s"),
    ("Comment", "c"),
    ("Keyword.Type", "t"),
    ("Keyword.Constant", "n"),
    ("Keyword", "k"),
    ("Name.Function", "f"),
    ("Name.Class", "f"),
    ("Name.Tag", "k"),
    ("Name.Attribute", "k"),
    ("Name.Builtin", "t"),
    ("Literal.String", "s"),
    ("Literal.Number", "n"),
    ("Generic.Heading", "k"),
    ("Generic.Subheading", "k"),
)


class Word(Struct, frozen=True):
    """A stretch of a line and the class that colours it."""

    start: int
    end: int
    kind: str


Words = tuple[Word, ...]


def available() -> bool:
    """Whether there are colours."""
    return find_spec("pygments") is not None


def coloured(path: str, lines: Sequence[str], above: Sequence[str] = ()) -> list[Words]:
    """The words of consecutive lines that have a colour, in order; ``above`` are the lines before them."""
    place = PurePosixPath(path)
    name = "cmake" if place.name == "CMakeLists.txt" else _LEXERS.get(place.suffix)
    if name is None or not available():
        return [()] * len(lines)
    opened = _opened(name, above)
    whole = [*opened, *lines]
    if name == "markdown" and len(_fences(whole)) % 2:
        whole.append(_FENCE)  # without an end it is no block
    return list(_words(_lexer(name), whole))[len(opened) :][: len(lines)]


_FENCE = "```"


def _fences(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.startswith(_FENCE)]


def _opened(name: str, above: Sequence[str]) -> list[str]:
    """A line that begins what is still open after the lines above: a comment, a text, a block of code."""
    match name:
        case "cpp":
            for line in reversed(above):
                starts, ends = line.rfind("/*"), line.rfind("*/")
                if starts != ends:  # else there is neither
                    return ["/*"] if starts > ends else []
        case "python":
            if sum(line.count('"""') for line in above) % 2:
                return ['"""']
        case "markdown":
            fences = _fences(above)
            return fences[-1:] if len(fences) % 2 else []
    return []


@cache
def _lexer(name: str) -> Lexer:
    from pygments.lexers import get_lexer_by_name

    lexer: Lexer = get_lexer_by_name(name, stripnl=False, ensurenl=False)
    return lexer


def _words(lexer: Lexer, lines: Sequence[str]) -> Iterator[Words]:
    line: list[Word] = []
    at = 0
    # Some lexers know only lines that end.
    for token, text in lexer.get_tokens("".join(f"{_safe(line)}\n" for line in lines)):
        kind = _kind(token)
        for number, part in enumerate(text.split("\n")):
            if number:
                yield tuple(line)
                line, at = [], 0
            if kind and part.strip():
                line.append(Word(at, at + len(part), kind))
            at += len(part)


def _safe(line: str) -> str:
    """The line without what a lexer takes for the end of one; columns stay."""
    return line.replace("\r", " ")


@cache
def _kind(token: Any) -> str:
    name = ".".join(token)
    return next((kind for prefix, kind in _KINDS if f"{name}.".startswith(f"{prefix}.")), "")
