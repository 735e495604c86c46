"""From text to Python's syntax tree, with diagnostics for what Python cannot read."""

from __future__ import annotations

import ast
import re
import warnings

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.expr.source import Source

MAX_LENGTH = 4096
MAX_DEPTH = 100

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_FLOW_HELP = (
    "inside {…} and […] YAML ends a value at a comma or a closing bracket: "
    "put the expression in quotes or on lines of its own"
)
_ASCII_HELP = "names, numbers and operators are written in ASCII; only texts in quotes are not"
_SPLIT_HELP = "name parts of it under `let`"
_FOREIGN = {
    "&&": "write `and`",
    "||": "write `or`",
    "!": "write `not`",
    "?": "write `a if test else b`",
    "->": "write `a if test else b`",
    "≤": "write `<=`",
    "≥": "write `>=`",
    "≠": "write `!=`",
    "×": "write `*`",
    "÷": "write `//`",
    "；": "only ASCII punctuation is read",
    "，": "write an ASCII comma",
    "（": "write an ASCII parenthesis",
    "）": "write an ASCII parenthesis",
}
_SUSPECT = re.compile("[#\\\\\0]|[^\0-\x7f]|" + "|".join(map(re.escape, _FOREIGN)))


def read(source: Source, sink: Sink) -> ast.expr | None:
    """The syntax tree of ``source``; None after at least one diagnostic."""
    length = len(source.text)
    if not source.text.strip():
        sink.error("QS200", "an expression is missing", source.span)
        return None
    if length > MAX_LENGTH:
        message = f"the expression has {length} characters; at most {MAX_LENGTH} are read"
        sink.error("QS213", message, source.span, help=_SPLIT_HELP)
        return None
    code = _blank_strings(_one_line(source.text))
    rejected = [check(code, source, sink) for check in (_reject_characters, _reject_brackets)]
    if any(rejected):
        return None
    tree = _python_tree(code, source, sink)
    if tree is not None and _too_deep(tree, length):
        _report_depth(source, sink)
        return None
    return tree


def _one_line(text: str) -> str:
    return text.replace("\n", " ").replace("\r", " ")


def _blank_strings(text: str) -> str:
    """``text`` with the contents of string literals replaced by spaces, same length."""
    if "'" not in text and '"' not in text:
        return text
    out: list[str] = []
    quote = ""
    for char in text:
        if quote:
            out.append(char if char in (quote, "\\") else " ")
            quote = "" if char == quote else quote
        else:
            out.append(char)
            quote = char if char in "\"'" else ""
    return "".join(out)


def _reject_brackets(code: str, source: Source, sink: Sink) -> bool:
    """Report a bracket without a partner, or too many of them inside each other."""
    stack: list[int] = []
    for index, char in enumerate(code):
        if char in _CLOSING:
            stack.append(index)
            if len(stack) > MAX_DEPTH:
                _report_depth(source, sink)
                return True
        elif char in _CLOSING.values() and (not stack or _CLOSING[code[stack.pop()]] != char):
            message = f"`{char}` closes nothing"
            sink.error("QS212", message, source.at(index, index + 1), help=_FLOW_HELP)
            return True
    if stack:
        index = stack[-1]
        sink.error("QS212", f"`{code[index]}` is never closed", source.at(index, index + 1), help=_FLOW_HELP)
    return bool(stack)


def _reject_characters(code: str, source: Source, sink: Sink) -> bool:
    """Report spellings of other languages, and what Python would silently drop."""
    found = False
    if not _SUSPECT.search(code):
        return False
    for index, char in enumerate(code):
        if char in "#\\\0":
            shown = f"`{char}`" if char.isprintable() else "this character"
            sink.error("QS200", f"{shown} has no meaning here", source.at(index, index + 1))
            return True
        pair = code[index : index + 2]
        spelt = pair if pair in _FOREIGN else char
        if spelt in _FOREIGN and pair != "!=":
            sink.error(
                "QS200",
                f"`{spelt}` is not an operator of the language",
                source.at(index, index + len(spelt)),
                help=_FOREIGN[spelt],
            )
            found = True
        elif not char.isascii():
            shown = f"`{char}`" if char.isprintable() else "this character"
            place = source.at(index, index + 1)
            sink.error("QS200", f"{shown} is not an ASCII character", place, help=_ASCII_HELP)
            return True
    return found


def _python_tree(code: str, source: Source, sink: Sink) -> ast.expr | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(_one_line(source.text).strip(), mode="eval").body
    except SyntaxError as error:
        _report_syntax(error.offset or 0, code, source, sink)
    except (RecursionError, MemoryError):
        _report_depth(source, sink)
    except ValueError:
        sink.error("QS200", "the expression holds a character that cannot be read", source.span)
    return None


def _report_syntax(column: int, code: str, source: Source, sink: Sink) -> None:
    """Report a syntax error at ``column`` (from 1; 0 at the end of the text)."""
    end = len(code.rstrip())
    offset = source.indent + column - 1 if column else end
    if offset >= end:
        sink.error("QS200", "the expression ends too early", source.at(end, end + 1), help=_FLOW_HELP)
        return
    assigns = code[offset] == "=" and code[offset - 1 : offset + 1] not in ("<=", ">=", "==", "!=")
    sink.error(
        "QS200",
        f"cannot read the expression from `{code[offset:].split()[0]}` on",
        source.at(offset, offset + 1),
        help="write `==` to compare" if assigns else None,
    )


def _too_deep(tree: ast.expr, length: int) -> bool:
    if length <= MAX_DEPTH:
        return False
    level: list[ast.AST] = [tree]
    for _ in range(MAX_DEPTH):
        inner = (child for node in level for child in ast.iter_child_nodes(node))
        level = [child for child in inner if isinstance(child, ast.expr)]
        if not level:
            return False
    return True


def _report_depth(source: Source, sink: Sink) -> None:
    message = f"the expression is nested more than {MAX_DEPTH} deep"
    sink.error("QS213", message, source.span, help=_SPLIT_HELP)
