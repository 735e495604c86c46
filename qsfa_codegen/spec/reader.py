"""YAML text → a tree that knows where every piece stands.

The document is a subset of YAML 1.2 with the core schema, resolved here so that two parsers (libyaml
and pure Python) cannot disagree about a value. What could make reading unsafe or surprising is an
error with a place: tags, anchors, aliases, merge keys, directives, duplicate keys, several documents,
other encodings, control characters, and more bytes, depth or nodes than any spec needs.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast

import yaml

from qsfa_codegen.diagnostics import Related, Sink, Span

MAX_BYTES = 1 << 20
MAX_DEPTH = 64
MAX_NODES = 50_000

ScalarValue = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Scalar:
    """A leaf. ``text`` is what was written (without quotes), ``value`` what it means."""

    span: Span
    value: ScalarValue
    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Sequence:
    """An ordered list of nodes."""

    span: Span
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One ``key: value`` of a mapping; a bool or int key is its plain spelling."""

    key: str
    key_span: Span
    value: Node


@dataclass(frozen=True, slots=True)
class Mapping:
    """Entries in file order, no key twice."""

    span: Span
    entries: tuple[Entry, ...]
    _index: dict[str, Entry] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_index", {entry.key: entry for entry in self.entries})

    def get(self, key: str) -> Node | None:
        """The value at ``key``, None when it is not there."""
        entry = self._index.get(key)
        return None if entry is None else entry.value

    def entry(self, key: str) -> Entry | None:
        """The entry at ``key``, None when it is not there."""
        return self._index.get(key)

    def keys(self) -> tuple[str, ...]:
        """Keys in file order."""
        return tuple(entry.key for entry in self.entries)

    def __contains__(self, key: object) -> bool:
        return key in self._index

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)


Node = Scalar | Sequence | Mapping
Plain = ScalarValue | list["Plain"] | dict[str, "Plain"]


def to_plain(node: Node) -> Plain:
    """The node as plain Python data: str, int, float, bool, None, list, dict."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Sequence):
        return [to_plain(item) for item in node.items]
    return {entry.key: to_plain(entry.value) for entry in node.entries}


def shorten(text: str, limit: int = 60) -> str:
    """``text`` on one line, cut to ``limit`` characters, for use inside a message."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


# --------------------------------------------------------------------------- core schema

_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
# A leading zero makes a string: octal to some readers and decimal to others.
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_RADIX = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"([-+]?)\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_ZERO_LED = re.compile(r"[-+]?0[0-9]+")
_NUMBER_STARTS = frozenset("+-.0123456789")
_INT64_MAX = (1 << 63) - 1
_INT64_DIGITS = 24


class _OutOfRangeError(ValueError):
    """A number that neither int64 nor double can hold."""


def _resolve(text: str) -> ScalarValue:
    if text in _NULLS:
        return None
    if text in _BOOLS:
        return _BOOLS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    return _resolve_number(text)


def _resolve_number(text: str) -> ScalarValue:
    if _INT.fullmatch(text) or _RADIX.fullmatch(text):
        return _bounded(text)
    if _FLOAT.fullmatch(text) and not _ZERO_LED.fullmatch(text):
        number = float(text)
        if number in (float("inf"), float("-inf")):
            raise _OutOfRangeError
        return number
    if special := _SPECIAL.fullmatch(text):
        if special.group(1) is None:
            return float("nan")
        return float(special.group(1) + "inf")
    return text


def _bounded(text: str) -> int:
    if len(text) > _INT64_DIGITS:
        raise _OutOfRangeError
    number = int(text, 0)
    if not -_INT64_MAX - 1 <= number <= _INT64_MAX:
        raise _OutOfRangeError
    return number


# --------------------------------------------------------------------------- bytes to text

# What no spec needs and a reader of generated code could be misled by: C0 and C1 controls, Unicode
# line separators, direction overrides, byte-order marks, surrogates and non-characters.
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
_LINE_BREAK = re.compile(r"\r\n|\r|\n")


def split_lines(text: str) -> list[str]:
    """Lines as spans count them: broken at LF, CR LF and CR only."""
    return _LINE_BREAK.split(text)


def _place(name: str, text: str, offset: int, width: int = 1) -> Span:
    lines = split_lines(text[:offset])
    line, column = len(lines), len(lines[-1]) + 1
    return Span(name, line, column, line, column + width)


def _file_start(name: str) -> Span:
    return Span(name, 1, 1, 1, 1)


def load_bytes(path: Path, name: str, sink: Sink) -> bytes | None:
    """The bytes of a file, one more than ``MAX_BYTES`` at most; None and an error where it cannot be read."""
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            sink.error("QS100", f"'{name}' is a folder, not a spec file", _file_start(name))
            return None
        if not stat.S_ISREG(mode):
            sink.error("QS100", f"'{name}' is not a regular file", _file_start(name))
            return None
        with open(path, "rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as failure:
        reason = (failure.strerror or "unknown reason").lower()
        sink.error("QS100", f"cannot read '{name}': {reason}", _file_start(name))
    except ValueError:
        sink.error("QS100", f"cannot read {name!r}: not a file name", _file_start(name))
    return None


def _decode(data: bytes, name: str, sink: Sink) -> str | None:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        sink.error("QS102", "the file is UTF-16", _file_start(name), "save it as UTF-8")
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as failure:
        before = data[: failure.start].decode("utf-8")
        sink.error(
            "QS102",
            f"byte 0x{data[failure.start]:02x} is not UTF-8",
            _place(name, before, len(before)),
            "save the file as UTF-8",
        )
        return None


def _text_is_clean(text: str, name: str, sink: Sink) -> bool:
    if text.startswith("\ufeff"):
        sink.error(
            "QS103",
            "the file starts with a byte-order mark",
            _file_start(name),
            "save it as UTF-8 without a byte-order mark",
        )
        return False
    if found := _FORBIDDEN.search(text):
        sink.error(
            "QS104",
            f"character U+{ord(found.group()):04X} is not allowed",
            _place(name, text, found.start()),
            "remove it: control, line-separator and direction characters do not show what they do",
        )
        return False
    return True


# --------------------------------------------------------------------------- events to nodes


class _Parser(Protocol):
    def get_event(self) -> Any: ...


class _PythonParser(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser):
    def __init__(self, text: str) -> None:
        yaml.reader.Reader.__init__(self, text)
        yaml.scanner.Scanner.__init__(self)
        yaml.parser.Parser.__init__(self)


_C_PARSER = getattr(yaml.cyaml, "CParser", None) if yaml.__with_libyaml__ else None


class _UnreadableError(Exception):
    """The rest of the document cannot be read; the diagnostic is recorded already."""


class _Builder:
    """Builds the tree of one document from parser events, recording what is wrong on the way."""

    def __init__(self, name: str, parser: _Parser) -> None:
        self._name = name
        self._next: Callable[[], Any] = parser.get_event
        self._nodes = 0
        self._complete = True
        self.found = Sink()

    def document(self) -> Node | None:
        """The one document of the stream; None when there is nothing usable."""
        self._next()
        start = self._next()
        if isinstance(start, yaml.StreamEndEvent):
            self._empty(start)
            return None
        if start.version or start.tags:
            self.found.error(
                "QS118", "a YAML directive is not allowed", self._span(start), "remove the '%' line"
            )
        root = self._node(self._next(), 1, in_flow=False)
        self._next()
        self._single(self._next())
        if isinstance(root, Scalar) and root.value is None:
            self.found.error("QS106", "the file holds no spec", root.span)
            return None
        if not isinstance(root, Mapping):
            what = "a list" if isinstance(root, Sequence) else "a single value"
            self.found.error("QS108", f"a spec is a mapping of sections, not {what}", root.span)
            return None
        return root if self._complete else None

    def _empty(self, event: Any) -> None:
        self.found.error("QS106", "the file holds no spec", self._span(event))

    def _single(self, event: Any) -> None:
        if not isinstance(event, yaml.StreamEndEvent):
            self.found.error(
                "QS107",
                "a second YAML document starts here",
                self._span(event),
                "one file holds one spec: remove '---'",
            )

    def _node(self, event: Any, depth: int, in_flow: bool) -> Node:
        self._count(event, depth)
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        self._refuse_properties(event)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(event, depth)
        return self._mapping(event, depth)

    def _count(self, event: Any, depth: int) -> None:
        self._nodes += 1
        if depth > MAX_DEPTH:
            self.found.error("QS109", f"nested more than {MAX_DEPTH} levels deep", self._span(event))
            raise _UnreadableError
        if self._nodes > MAX_NODES:
            self.found.error("QS110", f"more than {MAX_NODES} values in one file", self._span(event))
            raise _UnreadableError

    def _alias(self, event: Any) -> Scalar:
        self._complete = False
        self.found.error(
            "QS112",
            f"alias '*{shorten(event.anchor)}': anchors and aliases are not allowed",
            self._span(event),
            "write the value out, or put text that starts with '*' in quotes",
        )
        return Scalar(self._span(event), None, "", True)

    def _refuse_properties(self, event: Any) -> None:
        if event.anchor is not None:
            self.found.error(
                "QS112",
                f"anchor '&{shorten(event.anchor)}': anchors and aliases are not allowed",
                self._span(event),
                "remove the anchor, or put text that starts with '&' in quotes",
            )
        if event.tag is not None:
            self.found.error(
                "QS111",
                f"tag '{shorten(event.tag)}': YAML tags are not allowed",
                self._span(event),
                "remove the tag, or put text that starts with '!' in quotes",
            )

    def _scalar(self, event: Any) -> Scalar:
        span, text = self._span(event), event.value
        if event.style:
            if found := _FORBIDDEN.search(text):
                code = ord(found.group())
                self.found.error("QS104", f"the escape for character U+{code:04X} is not allowed", span)
                text = _FORBIDDEN.sub("", text)
            return Scalar(span, text, text, True)
        try:
            return Scalar(span, _resolve(text), text, False)
        except _OutOfRangeError:
            self.found.error(
                "QS117",
                f"number '{shorten(text)}' is out of range",
                span,
                "integers have 64 bits; put it in quotes if it is a text",
            )
            return Scalar(span, 0, text, False)

    def _sequence(self, event: Any, depth: int) -> Sequence:
        items: list[Node] = []
        while not isinstance(inner := self._next(), yaml.SequenceEndEvent):
            items.append(self._node(inner, depth + 1, event.flow_style))
        if event.flow_style:
            items = self._mend_items(items)
        return Sequence(self._collection_span(event, inner, items), tuple(items))

    def _mapping(self, event: Any, depth: int) -> Mapping:
        pairs: list[tuple[Node, Node]] = []
        while not isinstance(inner := self._next(), yaml.MappingEndEvent):
            key = self._node(inner, depth + 1, event.flow_style)
            pairs.append((key, self._node(self._next(), depth + 1, event.flow_style)))
        if event.flow_style:
            pairs = self._mend_pairs(pairs)
        span = self._collection_span(event, inner, [value for _, value in pairs])
        return Mapping(span, self._entries(pairs))

    def _entries(self, pairs: list[tuple[Node, Node]]) -> tuple[Entry, ...]:
        entries: dict[str, Entry] = {}
        for key_node, value in pairs:
            key = self._key(key_node)
            if key is None:
                continue
            if first := entries.get(key):
                self.found.error(
                    "QS114",
                    f"key '{shorten(key)}' stands here a second time",
                    key_node.span,
                    "keep one of the two",
                    (Related(first.key_span, "first here"),),
                )
                continue
            entries[key] = Entry(key, key_node.span, value)
        return tuple(entries.values())

    def _key(self, node: Node) -> str | None:
        if not isinstance(node, Scalar):
            self.found.error("QS115", "a key must be a name, not a list or a mapping", node.span)
            return None
        if not node.quoted and node.text == "<<":
            self.found.error("QS113", "merge keys ('<<') are not allowed", node.span, "write the entries out")
            return None
        if node.value is None or isinstance(node.value, float):
            self.found.error(
                "QS115",
                f"a key must be a name, not '{node.text}'" if node.text else "the key is missing",
                node.span,
                "put it in quotes if it is meant as a name" if node.text else None,
            )
            return None
        return node.text

    def _mend_pairs(self, pairs: list[tuple[Node, Node]]) -> list[tuple[Node, Node]]:
        """``{value: min(a, b)}`` reads as the keys ``value`` and ``b)``: report it, and rejoin."""
        mended: list[tuple[Node, Node]] = []
        for key, value in pairs:
            if mended and _is_blank(value) and _is_plain(key) and _is_plain(mended[-1][1]):
                first_key, cut = mended[-1]
                mended[-1] = (first_key, _joined(cast(Scalar, cut), cast(Scalar, key)))
            else:
                mended.append((key, value))
        for old_key, old_value in pairs:
            for key, value in mended:
                if key is old_key and value is not old_value:
                    self._report_cut(cast(Scalar, value))
        return mended

    def _mend_items(self, items: list[Node]) -> list[Node]:
        """``[max(a, b)]`` reads as ``max(a`` and ``b)``: report it, and rejoin."""
        mended: list[Node] = []
        for index, item in enumerate(items):
            last = mended[-1] if mended else None
            if last is not None and _is_open(last) and _is_plain(item) and _closes(items[index:]):
                mended[-1] = _joined(cast(Scalar, last), cast(Scalar, item))
                if not _is_open(mended[-1]):
                    self._report_cut(cast(Scalar, mended[-1]))
            else:
                mended.append(item)
        return mended

    def _report_cut(self, joined: Scalar) -> None:
        self.found.error(
            "QS116",
            "YAML ends this value at the comma",
            joined.span,
            f'put it in quotes: "{shorten(joined.text)}"',
        )

    def _span(self, event: Any) -> Span:
        start, end = event.start_mark, event.end_mark
        return Span(self._name, start.line + 1, start.column + 1, end.line + 1, end.column + 1)

    def _collection_span(self, start: Any, end: Any, children: list[Node]) -> Span:
        if start.flow_style or not children:
            last_line, last_column = end.end_mark.line + 1, end.end_mark.column + 1
        else:
            last_line, last_column = children[-1].span.end_line, children[-1].span.end_column
        mark = start.start_mark
        return Span(self._name, mark.line + 1, mark.column + 1, last_line, last_column)


def _is_plain(node: Node) -> bool:
    return isinstance(node, Scalar) and not node.quoted


def _is_blank(node: Node) -> bool:
    return isinstance(node, Scalar) and not node.quoted and not node.text


def _is_open(node: Node) -> bool:
    return isinstance(node, Scalar) and not node.quoted and node.text.count("(") > node.text.count(")")


def _closes(items: list[Node]) -> bool:
    """True when the items, up to the first that is not plain, hold a closing parenthesis too many."""
    for item in items:
        if not isinstance(item, Scalar) or item.quoted:
            return False
        if item.text.count(")") > item.text.count("("):
            return True
    return False


def _joined(first: Scalar, second: Scalar) -> Scalar:
    text = f"{first.text}, {second.text}"
    start, end = first.span, second.span
    span = Span(start.file, start.line, start.column, end.end_line, end.end_column)
    return Scalar(span, text, text, False)


# --------------------------------------------------------------------------- syntax errors

_QUOTE_HINT = "put a value that holds , : [ ] { } # or a quote in quotes"


def _syntax_error(failure: yaml.MarkedYAMLError, name: str, sink: Sink) -> None:
    mark = failure.problem_mark or failure.context_mark
    span = _mark_span(name, mark) if mark else _file_start(name)
    problem = failure.problem or "unreadable"
    if r"'\t'" in problem:
        sink.error("QS119", "a tab stands where YAML wants spaces", span, "replace the tab by spaces")
        return
    related: tuple[Related, ...] = ()
    if failure.context and failure.context_mark:
        related = (Related(_mark_span(name, failure.context_mark), failure.context),)
    sink.error("QS105", f"not valid YAML: {shorten(problem, 120)}", span, _QUOTE_HINT, related)


def _mark_span(name: str, mark: Any) -> Span:
    return Span(name, mark.line + 1, mark.column + 1, mark.line + 1, mark.column + 2)


# --------------------------------------------------------------------------- entry points


def read(path: Path | str, sink: Sink) -> Node | None:
    """Read the spec file at ``path``; see ``read_text``."""
    location = Path(path)
    name = location.as_posix()
    data = load_bytes(location, name, sink)
    return None if data is None else read_text(data, name, sink)


def read_text(text: str | bytes, name: str, sink: Sink) -> Node | None:
    """The tree of a spec called ``name`` in spans.

    None when it cannot be read. Where reading could go on after a mistake (a duplicate key, a tag)
    the tree comes back all the same, so that later stages report theirs in the same run; the error
    is in ``sink`` in either case. Raises nothing.
    """
    if isinstance(text, str):
        too_large = len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES
        decoded: str | None = text
    else:
        too_large = len(text) > MAX_BYTES
        decoded = None if too_large else _decode(text, name, sink)
    if too_large:
        sink.error("QS101", f"the file is larger than {MAX_BYTES} bytes", _file_start(name))
        return None
    if decoded is None or not _text_is_clean(decoded, name, sink):
        return None
    return _compose(decoded, name, sink)


def _compose(text: str, name: str, sink: Sink) -> Node | None:
    # libyaml takes tabs in places where the Python parser does not, so such a text gets the strict one.
    if _C_PARSER is not None and "\t" not in text:
        builder = _Builder(name, _C_PARSER(text))
        try:
            return _deliver(builder, builder.document(), sink)
        except _UnreadableError:
            return _deliver(builder, None, sink)
        except (yaml.YAMLError, ValueError):
            pass  # the Python parser says it better, and then both parsers say the same
    return _compose_in_python(text, name, sink)


def _compose_in_python(text: str, name: str, sink: Sink) -> Node | None:
    parser = _PythonParser(text)
    builder = _Builder(name, parser)
    try:
        return _deliver(builder, builder.document(), sink)
    except _UnreadableError:
        pass
    except yaml.MarkedYAMLError as failure:
        _syntax_error(failure, name, builder.found)
    except (yaml.YAMLError, ValueError, OverflowError):
        span = _mark_span(name, parser.get_mark())
        builder.found.error("QS105", "not valid YAML: unreadable escape or character", span, _QUOTE_HINT)
    return _deliver(builder, None, sink)


def _deliver(builder: _Builder, root: Node | None, sink: Sink) -> Node | None:
    for diagnostic in builder.found:
        sink.add(diagnostic)
    return root
