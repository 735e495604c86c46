"""Lines of generated Python: broken where the formatter of the project would break them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from qsfa_codegen.render.text import INDENT, LINE_LIMIT, one_line, python_string, wrap_words

_TOKENS = re.compile(
    r'[rf]?"(?:\\.|[^"\\])*"|[(\[{]|[)\]}]|, |(?<= )(?:and|or|if|else|[=!]=|[<>]=?|[-+]|//|[*%]) '
)
# Operators that a line is broken before, those that bind least first.
_LEVELS = (
    ("if", "else"),
    ("or",),
    ("and",),
    ("==", "!=", "<", "<=", ">", ">="),
    ("+", "-"),
    ("//", "*", "%"),
)
_WORDS = re.compile(r"\s*\S+\s*")


def statement(head: str, text: str, tail: str = "", indent: int = INDENT) -> str:
    """``head text tail`` at ``indent``, which the first line of the result does not carry.

    ``head`` ends with its space. A ``text`` that does not fit goes into parentheses, or into the ones that
    it ends with, broken before operators and behind commas.

    >>> print(statement("return ", "a and b"))
    return a and b
    """
    if indent + len(head) + len(text) + len(tail) <= LINE_LIMIT:
        return head + text + tail
    margin = " " * indent
    operands = _operands(text)
    group = _last_group(text) if operands is None or len(operands) == 2 else None
    if group is not None and indent + len(head) + len(group[0]) <= LINE_LIMIT:
        opened, items, closed = group
        inner = _inside(text, opened, items, indent + INDENT)
        return "\n".join([f"{head}{opened}", *inner, f"{margin}{closed}{tail}"])
    if operands is not None and len(operands) == 2 and _is_parenthesised(operands[0]):
        end = f"{margin}) {operands[1]}{tail}"
        if len(end) <= LINE_LIMIT:
            return "\n".join([f"{head}(", *_block(operands[0][1:-1], indent + INDENT), end])
    return "\n".join([f"{head}(", *_block(text, indent + INDENT), f"{margin}){tail}"])


def call(head: str, args: Sequence[str], tail: str = ")", indent: int = INDENT) -> str:
    """``head arg, arg tail``, where ``head`` ends with the opening bracket; an argument a line if need be."""
    joined = ", ".join(args)
    if indent + len(head) + len(joined) + len(tail) <= LINE_LIMIT:
        return head + joined + tail
    margin = " " * indent
    return "\n".join([head, *_items(list(args), indent + INDENT, is_tuple=tail[0] == "]"), f"{margin}{tail}"])


def tuple_text(head: str, items: Iterable[str], tail: str = "", indent: int = 0) -> str:
    """``head(item, item)tail``, a tuple; an item a line if need be."""
    listed = list(items)
    line = f"{head}({', '.join(listed)}{',' if len(listed) == 1 else ''}){tail}"
    if indent + len(line) <= LINE_LIMIT:
        return line
    margin = " " * indent
    return "\n".join([f"{head}(", *_items(listed, indent + INDENT, is_tuple=True), f"{margin}){tail}"])


def quoted(text: str) -> str:
    """A string literal; in single quotes where that spares escapes."""
    literal = python_string(text)
    if '"' not in text or "'" in text or "\\" in text:
        return literal
    return "'" + literal[1:-1].replace('\\"', '"') + "'"


def comment(text: str, indent: int = 0) -> list[str]:
    """``text`` as lines of a comment."""
    return [f"# {line}" for line in wrap_words(text, LINE_LIMIT - indent - 2)]


def docstring(text: str, indent: int = INDENT) -> str:
    """One sentence as a docstring, broken if need be; the first line is not indented."""
    line = one_line(text).replace("\\", "\\\\").replace('"""', "'''")
    line = f"{line}." if line and line[-1] not in ".!?:" else line
    if indent + len(line) + 6 <= LINE_LIMIT:
        return f'"""{line}"""'
    margin = " " * indent
    first, *rest = wrap_words(line, LINE_LIMIT - indent - 3)
    return "\n".join([f'"""{first}', *(f"{margin}{more}" for more in rest), f'{margin}"""'])


HOLE = "\0"
"""Stands in a message for a value that only the call knows."""


def text_call(head: str, message: str, fields: Sequence[str], indent: int, tail: str = ")") -> str:
    """``head(f"message")``; each ``HOLE`` of the message stands for the next of ``fields``."""
    parts = message.split(HOLE)
    pieces: list[str] = [_escaped(parts[0])]
    for field, part in zip(fields, parts[1:], strict=True):
        pieces += [f"{{{field}}}", _escaped(part)]
    whole = _string("".join(pieces))
    if indent + len(head) + len(whole) + len(tail) <= LINE_LIMIT:
        return f"{head}{whole}{tail}"
    inner = " " * (indent + INDENT)
    chunks = _chunks([p for p in pieces if p], LINE_LIMIT - indent - INDENT - 3)
    lines = [inner + _string(chunk) for chunk in chunks]
    return "\n".join([head, *lines, " " * indent + tail])


def _escaped(text: str) -> str:
    return python_string(text)[1:-1].replace("{", "{{").replace("}", "}}")


def _string(chunk: str) -> str:
    if re.search(r"(?<!\{)(?:\{\{)*\{(?!\{)", chunk):
        return f'f"{chunk}"'
    return '"' + chunk.replace("{{", "{").replace("}}", "}") + '"'


def _chunks(pieces: Sequence[str], width: int) -> list[str]:
    """The pieces cut between words; a field stays whole."""
    words: list[str] = []
    for piece in pieces:
        is_field = piece.startswith("{") and not piece.startswith("{{")
        found = [piece] if is_field else _WORDS.findall(piece) or [piece]
        glued = words and not words[-1].endswith(" ")
        if glued:
            words[-1] += found[0]
        words += found[1:] if glued else found
    chunks: list[str] = []
    for word in words:
        if chunks and len(chunks[-1]) + len(word) <= width:
            chunks[-1] += word
        else:
            chunks.append(word)
    return chunks


def _block(text: str, indent: int) -> list[str]:
    """Lines that stand inside parentheses; all carry their indentation."""
    margin = " " * indent
    if indent + len(text) <= LINE_LIMIT:
        return [margin + text]
    parts = _operands(text)
    if parts is None:
        group = _last_group(text)
        if group is None:
            return [margin + text]
        opened, items, closed = group
        return [margin + opened, *_inside(text, opened, items, indent + INDENT), margin + closed]
    return [line for part in parts for line in _operand(part, indent)]


def _operand(part: str, indent: int) -> Iterator[str]:
    """``and operand`` on lines of its own."""
    margin = " " * indent
    if indent + len(part) <= LINE_LIMIT:
        yield margin + part
        return
    word, _, rest = part.partition(" ")
    operator = f"{word} " if word in {w for level in _LEVELS for w in level} else ""
    lines = _block(rest if operator else part, indent)
    yield margin + operator + lines[0].lstrip()
    yield from lines[1:]


def _inside(text: str, opened: str, items: Sequence[str], indent: int) -> list[str]:
    """What stands in the last brackets of ``text``: items, or an expression in parentheses of its own."""
    if opened == "(" or opened.endswith((" and (", " or (", " not (")):
        return _block(text[len(opened) : -1], indent)
    return _items(items, indent, is_tuple=opened.endswith((" in (", "[")))


def _items(items: Sequence[str], indent: int, *, is_tuple: bool) -> list[str]:
    margin = " " * indent
    joined = ", ".join(items)
    if not is_tuple and indent + len(joined) <= LINE_LIMIT:
        return [margin + joined]
    if len(items) == 1 and not is_tuple:
        return _block(items[0], indent)
    return [f"{margin}{item}," for item in items]


def _tokens(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Tokens with how many brackets are open around them."""
    depth = 0
    for token in _TOKENS.finditer(text):
        if token[0] in ")]}":
            depth -= 1
        yield depth, token
        if token[0] in "([{":
            depth += 1


def _operands(text: str) -> list[str] | None:
    """Operands of the outermost operators that bind least, each but the first behind its operator."""
    outer = [token for depth, token in _tokens(text) if depth == 0]
    for level in _LEVELS:
        cuts = [token.start() for token in outer if token[0].rstrip() in level and token.start()]
        if cuts:
            return [text[a:b].rstrip() for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    return None


def _is_parenthesised(text: str) -> bool:
    """Whether all of the text stands in one pair of parentheses."""
    closing = next((token for depth, token in _tokens(text) if depth == 0 and token[0] == ")"), None)
    return text.startswith("(") and closing is not None and closing.end() == len(text)


def _last_group(text: str) -> tuple[str, list[str], str] | None:
    """What stands before the last bracket, the items in it, and the bracket that closes it."""
    if text[-1] not in ")]}":
        return None
    start = max(token.start() for depth, token in _tokens(text) if depth == 0 and token[0] in "([{")
    inside = text[start + 1 : -1]
    cuts = [token.end() for depth, token in _tokens(inside) if depth == 0 and token[0] == ", "]
    items = [inside[a:b].removesuffix(", ") for a, b in zip([0, *cuts], [*cuts, len(inside)], strict=True)]
    return text[: start + 1], items, text[-1]
