"""Spec text on its way into generated files: no text can end the literal or the comment it stands in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

LINE_LIMIT = 110
INDENT = 4

_SIMPLE_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_SPECIAL = re.compile(r'["\\?]')
_CMAKE_ESCAPES = {**_SIMPLE_ESCAPES, "$": "\\$", "@": "\\@"}
_MARKDOWN_SPECIAL = re.compile(r"[\\`*\[\]$~]|(?<!\w)_|_(?!\w)")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_BLOCK_START = re.compile(r"^(?:#{1,6}(?=\s|$)|[-+](?=\s|$)|>|=+$|-+$)")
_TOKENS = re.compile(r'"(?:\\.|[^"])*"|[(\[{]|[)\]}]|(?<= )(?:&&|\|\||[?:]) |, ')
_OPERATORS = tuple(
    re.compile(rf'"(?:\\.|[^"])*"|[(\[{{]|[)\]}}]|(?<= )(?:{level}) ')
    for level in ("==|!=|<=?|>=?", "<<|>>", "[-+]", "[*/%]")
)
_OPENED = re.compile(r'[^"(]*\(')
_NOTHING_YET = re.compile(r"\s*(?:if|return)?[ (!]*")
_COMMAS = re.compile(r"(?<=, )")
_WORDS = re.compile(r"\S+\s*")
_NUMBERED_START = re.compile(r"^(\d+)([.)])(?=\s|$)")


# --------------------------------------------------------------------------- C++


@lru_cache(maxsize=1 << 10)
def cpp_string(text: str) -> str:
    """A C++ string literal, quotes included, whose bytes are ``text`` in UTF-8.

    Invisible and bidirectional characters become octal escapes (three digits, so that no following
    digit joins them); a second ``?`` in a row is escaped because of trigraphs.

    >>> print(cpp_string('say "hi"'))
    "say \\"hi\\""
    """
    return '"' + _cpp_escaped(text) + '"'


def cpp_format_string(text: str) -> str:
    """A C++ string literal that printf-style functions print as ``text``: each ``%`` is doubled."""
    return cpp_string(text.replace("%", "%%"))


def _cpp_escaped(text: str) -> str:
    if text.isprintable() and not _SPECIAL.search(text):
        return text
    pieces: list[str] = []
    for char in text:
        if char == "?" and pieces and pieces[-1] in ("?", "\\?"):
            pieces.append("\\?")
        else:
            pieces.append(_SIMPLE_ESCAPES.get(char) or _printable_or_octal(char))
    return "".join(pieces)


def _printable_or_octal(char: str) -> str:
    if char.isprintable():
        return char
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "replace"))


def cpp_comment(text: str) -> str:
    """``text`` as one line that stays inside a ``//`` or ``/* */`` comment.

    A trailing backslash (or its trigraph) would join the next line to the comment, so a full stop
    follows it.
    """
    line = one_line(text).replace("*/", "* /").replace("/*", "/ *")
    return line + "." if line.endswith(("\\", "??/")) else line


def commented(declaration: str, text: str, indent: int = 0) -> str:
    """A declaration ``indent`` columns in with ``text`` behind it, or above where that makes a long line."""
    if not text:
        return declaration
    line = f"{declaration} // {cpp_comment(text)}"
    fits = "\n" not in line and indent + len(line) <= LINE_LIMIT
    return line if fits else comment_above(text, indent) + declaration


def comment_above(text: str, indent: int = 0) -> str:
    """``text`` as comment lines before something that stands ``indent`` columns in; empty for no text."""
    lines = wrap_words(cpp_comment(text), LINE_LIMIT - indent - len("// ")) if text else []
    return "".join(f"// {line}\n{' ' * indent}" for line in lines)


# --------------------------------------------------------------------------- CMake, Python


def cmake_string(text: str) -> str:
    """A quoted CMake argument, quotes included; NUL, which CMake cannot hold, is left out."""
    return '"' + "".join(_CMAKE_ESCAPES.get(c, c) for c in text if c != "\0") + '"'


def cmake_comment(text: str) -> str:
    """``text`` as one line after ``# ``; the space keeps it from being a bracket comment."""
    return one_line(text)


def python_string(text: str) -> str:
    """A Python string literal in double quotes; what is not printable is escaped."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(_SIMPLE_ESCAPES.get(c) or _printable_or_python(c) for c in text) + '"'


def _printable_or_python(char: str) -> str:
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# --------------------------------------------------------------------------- Markdown


def markdown_cell(text: str) -> str:
    """As ``markdown_text``, for a table cell."""
    return table_cell(markdown_text(text))


def table_cell(markdown: str) -> str:
    """Markdown as a cell of a table, to be called once: a ``|``, in code too, does not end the cell.

    A table is cut into cells before anything else is read, and ``\\|`` is a bar there whatever stands
    before it, so the backslash belongs to the bar alone.
    """
    return markdown.replace("|", "\\|")


@lru_cache(maxsize=1 << 10)
def markdown_text(text: str) -> str:
    """``text`` as one line of Markdown prose: `code` in backticks stays code, all else is literal."""
    line = one_line(text)
    pieces: list[str] = []
    end = 0
    for span in _CODE_SPAN.finditer(line):
        pieces.append(_markdown_prose(line[end : span.start()]))
        pieces.append(span.group(0))
        end = span.end()
    pieces.append(_markdown_prose(line[end:]))
    return _NUMBERED_START.sub(_escape_second, _BLOCK_START.sub(_escape, "".join(pieces)))


def _markdown_prose(text: str) -> str:
    escaped = _MARKDOWN_SPECIAL.sub(_escape, text.replace("&", "&amp;"))
    return escaped.replace("<", "&lt;").replace(">", "&gt;")


# Functions, because patterns of replacements are parsed anew for every text.
def _escape(found: re.Match[str]) -> str:
    return f"\\{found[0]}"


def _escape_second(found: re.Match[str]) -> str:
    return f"{found[1]}\\{found[2]}"


@lru_cache(maxsize=1 << 10)
def markdown_code(text: str) -> str:
    """``text`` as inline code: the fence is longer than any run of backticks inside."""
    line = one_line(text)
    fence = "`" * (_longest_run(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") or not line else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def markdown_block(text: str, language: str = "") -> str:
    """``text`` as a fenced code block."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)


# --------------------------------------------------------------------------- lines


def one_line(text: str) -> str:
    """Printable characters of ``text`` on one line: each run of space, line ends and controls is a space.

    >>> one_line(" two\\n lines ")
    'two lines'
    """
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(text.split())


def wrap_words(text: str, width: int) -> list[str]:
    """``text`` on lines of at most ``width`` characters; a longer word stands alone."""
    lines: list[str] = []
    for word in one_line(text).split(" "):
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


def wrap_call(head: str, args: Sequence[str], tail: str, indent: int = 0) -> str:
    """``head arg, arg tail``, broken after commas at the line limit, following lines hang by one indent.

    ``indent`` is where the first line stands; it is not part of the result's first line.

    >>> print(wrap_call("Check(", ["a", "b"], ");"))
    Check(a, b);
    """
    return wrap_items(head, [f"{arg}, " for arg in args[:-1]] + list(args[-1:]), tail, indent)


def wrap_items(head: str, items: Iterable[str], tail: str, indent: int = 0) -> str:
    """As ``wrap_call`` for pieces that carry their own separators, such as ``a && `` or ``x, ``."""
    lines = [head]
    margin = indent
    pieces = list(items)
    for number, piece in enumerate(pieces):
        needed = len(piece.rstrip()) + (len(tail) if number == len(pieces) - 1 else 0)
        started = bool(lines[-1].strip())
        if started and margin + len(lines[-1]) + needed > LINE_LIMIT and len(lines[-1].strip()) > INDENT:
            lines[-1] = lines[-1].rstrip()
            lines.append(" " * INDENT)
        lines[-1] += piece
    lines[-1] += tail
    return ("\n" + " " * indent).join(lines)


def broken(head: str, text: str, tail: str, indent: int) -> str:
    """``head text tail``, broken at ``&&``, ``||``, ``?``, ``:``, and at commas where that is not enough.

    Outer operators are broken first, other binary ones only where a piece fits no line. A group in
    parentheses that does not fit a line is broken inside, where its lines hang by one more indent.
    """
    lines = _Lines(indent)
    lines.current = head
    lines.fill(text, tail, INDENT)
    return lines.text()


class _Lines:
    """Lines of one statement; all but the first carry their indentation from where the first stands."""

    def __init__(self, indent: int) -> None:
        self._indent = indent
        self._done: list[str] = []
        self.current = ""

    def text(self) -> str:
        return ("\n" + " " * self._indent).join([*self._done, self.current])

    def fill(self, text: str, tail: str, margin: int) -> None:
        """Append ``text tail``; ``margin`` is how far new lines hang."""
        self._pieces(list(_outermost(text)), tail, margin)

    def _pieces(self, pieces: Sequence[str], tail: str, margin: int) -> None:
        fresh = False
        for number, piece in enumerate(pieces):
            end = tail if number == len(pieces) - 1 else ""
            if fresh or not self._fits(piece + end):
                self._start(margin)
            fresh = not self._fits(piece + end)
            if fresh:
                self._long(piece, end, margin if len(pieces) == 1 else margin + INDENT)
            else:
                self.current += piece + end

    def _fits(self, text: str) -> bool:
        return self._indent + len(self.current) + len(text.rstrip()) <= LINE_LIMIT

    def _start(self, margin: int) -> None:
        if not _NOTHING_YET.fullmatch(self.current):
            self._done.append(self.current.rstrip())
            self.current = " " * margin

    def _long(self, piece: str, end: str, margin: int) -> None:
        """A piece that no line holds: at its operators, inside its first parentheses, or at its commas."""
        operands = _operands(piece)
        if len(operands) > 1:
            self._pieces(operands, end, margin)
            return
        opened = _OPENED.match(piece)
        closed = _closing(piece, opened.end()) if opened is not None else None
        if opened is not None and closed is not None:
            self.current += opened[0]
            self.fill(piece[opened.end() : closed], piece[closed:] + end, self._hanging())
            return
        for part in _COMMAS.split(piece + end):
            if not self._fits(part):
                self._start(margin)
            self.current += part

    def _hanging(self) -> int:
        """How far lines hang that start inside the parentheses open on the current line."""
        depth = self.current.count("(") - self.current.count(")")
        start = len(self.current) - len(self.current.lstrip())
        grouped = re.fullmatch(r"\s*return [(!]+", self.current)
        return start + INDENT * depth + (len("return ") if grouped else 0)


def _outermost(text: str) -> Iterator[str]:
    """Operands or arguments with what stands between them: ``a && ``, ``(b || c) && ``, ``d``, ``? e``."""
    depth, start = 0, 0
    for token in _TOKENS.finditer(text):
        depth += (token[0] in "([{") - (token[0] in ")]}")
        if depth == 0 and token[0].endswith(" "):
            cut = token.end() if token[0][0] in "&|," else token.start()
            yield text[start:cut]
            start = cut
    yield text[start:]


def _operands(text: str) -> list[str]:
    """Operands of the outermost binary operators that bind least, each but the last with its operator."""
    for level in _OPERATORS:
        depth, cuts = 0, [0]
        for token in level.finditer(text):
            depth += (token[0] in "([{") - (token[0] in ")]}")
            if depth == 0 and token[0].endswith(" ") and token.end() < len(text):
                cuts.append(token.end())
        if len(cuts) > 1:
            return [text[start:end] for start, end in zip(cuts, [*cuts[1:], len(text)], strict=True)]
    return [text]


def _closing(text: str, start: int) -> int | None:
    """Where the parenthesis before ``start`` is closed."""
    depth = 0
    for token in _TOKENS.finditer(text, start):
        depth += (token[0] in "([{") - (token[0] in ")]}")
        if depth < 0:
            return token.start()
    return None


def call_with_format(head: str, message: str, args: Sequence[str], indent: int) -> str:
    """A call of a printf-like function; a long message becomes several literals on lines of their own."""
    literal = cpp_string(message)
    if indent + len(head) + len(literal) + 2 <= LINE_LIMIT:
        return wrap_call(head, [literal, *args], ");", indent)
    inner = " " * (indent + INDENT)
    room = LINE_LIMIT - indent - INDENT - len('""') - len("," if args else ");")
    lines = [f"{inner}{cpp_string(chunk)}" for chunk in _chunks(message, room)]
    text = head.rstrip() + "\n" + "\n".join(lines)
    if not args:
        return text + ");"
    return text + ",\n" + " " * indent + wrap_call(" " * INDENT, list(args), ");", indent)


def _chunks(message: str, width: int) -> list[str]:
    chunks: list[str] = []
    for word in _WORDS.findall(message):
        if chunks and len(chunks[-1]) + len(word) <= width:
            chunks[-1] += word
        else:
            chunks.append(word)
    return chunks
