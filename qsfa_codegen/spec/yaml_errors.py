"""What a YAML parser complains about, said for people who write specs."""

from __future__ import annotations

from typing import Any, NamedTuple

from qsfa_codegen.diagnostics import Diagnostic, Related, Span

_QUOTE = "put a value that holds , : [ ] { } # or quotes in quotes"
_ESCAPE = "write \\\\ for a backslash, or use single quotes"


class _Wording(NamedTuple):
    problem: str
    message: str
    help: str | None
    code: str = "QS105"
    at_start: bool = False  # the place is where the thing begins, not where the parser gave up


# The first entry whose ``problem`` occurs in what the parser says.
_WORDINGS = (
    _Wording(r"'\t'", "a tab stands where YAML wants spaces", "replace the tab by spaces", "QS119"),
    _Wording("mapping values are not allowed", "a second ':' in one value", "put the value in quotes"),
    _Wording("could not find expected ':'", "a line without ':'", "write 'key: value'", at_start=True),
    _Wording(
        "expected <block end>",
        "this does not belong to the lines above",
        "indent it by as many spaces as its neighbours, or put the whole value in quotes",
    ),
    _Wording("expected ',' or '}'", "the braces do not go on like this", _QUOTE),
    _Wording("expected ',' or ']'", "the brackets do not go on like this", _QUOTE),
    _Wording("unexpected end of stream", "these quotes are never closed", None, at_start=True),
    _Wording("unexpected document separator", "these quotes are never closed", None, at_start=True),
    _Wording("unknown escape character", "an escape that YAML does not have", _ESCAPE),
    _Wording("expected escape sequence", "an escape that YAML does not have", _ESCAPE),
    _Wording("that cannot start any token", "a value cannot start with this character", _QUOTE),
    _Wording("expected the node content", "a value is missing here", _QUOTE),
    _Wording("sequence entries are not allowed", "a list item cannot stand here", "start it on a new line"),
    _Wording("undefined tag handle", "YAML tags are not allowed", "remove the tag", "QS111"),
    _Wording("YAML document", "a YAML directive is not allowed", "remove the '%' line", "QS118"),
    _Wording("directive", "a YAML directive is not allowed", "remove the '%' line", "QS118"),
)

_CONTEXTS = {
    "while parsing a flow mapping": "opened here",
    "while parsing a flow sequence": "opened here",
    "while scanning a double-quoted scalar": "in the text that starts here",
    "while parsing a block mapping": "in the section that starts here",
    "while parsing a block collection": "in the list that starts here",
}


def mark_span(name: str, mark: Any) -> Span:
    """The character at a parser mark."""
    return Span(name, mark.line + 1, mark.column + 1, mark.line + 1, mark.column + 2)


def syntax_error(failure: Any, name: str) -> Diagnostic:
    """The diagnostic for a marked error of the YAML parser."""
    problem = failure.problem or ""
    wording = next(
        (w for w in _WORDINGS if w.problem in problem),
        _Wording("", f"not valid YAML: {problem}", _QUOTE),
    )
    mark = failure.problem_mark or failure.context_mark
    if wording.at_start and failure.context_mark:
        mark = failure.context_mark
    related: tuple[Related, ...] = ()
    context = _CONTEXTS.get(failure.context)
    if context and failure.context_mark:
        related = (Related(mark_span(name, failure.context_mark), context),)
    return Diagnostic(wording.code, wording.message, mark_span(name, mark), wording.help, related=related)


def unreadable(name: str, mark: Any) -> Diagnostic:
    """The diagnostic for a text that makes the parser itself fail."""
    return Diagnostic("QS105", "an escape that YAML does not have", mark_span(name, mark), _ESCAPE)
