"""YAML text → a tree that knows where every piece stands.

The document is a subset of YAML 1.2 with the core schema, resolved here so that two parsers (libyaml
and pure Python) cannot disagree about a value. What could make reading unsafe or surprising is an
error with a place: tags, anchors, aliases, merge keys, directives, duplicate keys, several documents,
other encodings, control characters, and more bytes, depth or nodes than any spec needs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import yaml
from msgspec.structs import replace

from qsfa_codegen.diagnostics import Related, Sink, Span
from qsfa_codegen.spec import core_schema
from qsfa_codegen.spec.flow_cuts import Pair, mend_items, mend_pairs
from qsfa_codegen.spec.source_text import FORBIDDEN, clean_text, load_bytes
from qsfa_codegen.spec.tree import Entry, Mapping, Node, Scalar, Sequence, shorten, to_plain
from qsfa_codegen.spec.yaml_errors import syntax_error, unreadable

__all__ = ["Entry", "Mapping", "Node", "Scalar", "Sequence", "read", "read_text", "to_plain"]

MAX_DEPTH = 64
MAX_NODES = 50_000


def read(path: Path | str, sink: Sink) -> Node | None:
    """Read the spec file at ``path``; see ``read_text``."""
    location = Path(path)
    name = location.as_posix()
    data = load_bytes(location, name, sink)
    return None if data is None else read_text(data, name, sink)


def read_text(text: str | bytes, name: str, sink: Sink) -> Node | None:
    """The tree of a spec called ``name`` in spans.

    None when it cannot be read, or a part of it is lost, since what is missing then would be reported
    too. Where a mistake leaves the tree as it was meant (a duplicate key, a tag) it comes back all the
    same, so that later stages report theirs in the same run; the error is in ``sink`` in either case.
    Raises nothing.
    """
    cleaned = clean_text(text, name, sink)
    return None if cleaned is None else _compose(cleaned, name, sink)


# --------------------------------------------------------------------------- parsers


class _Parser(Protocol):
    def get_event(self) -> Any: ...


class _PythonParser(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser):
    def __init__(self, text: str) -> None:
        yaml.reader.Reader.__init__(self, text)
        yaml.scanner.Scanner.__init__(self)
        yaml.parser.Parser.__init__(self)


_C_PARSER = getattr(yaml.cyaml, "CParser", None) if yaml.__with_libyaml__ else None


def _compose(text: str, name: str, sink: Sink) -> Node | None:
    # libyaml takes tabs in places where the Python parser does not, so such a text gets the strict one.
    if _C_PARSER is None or "\t" in text:
        return _compose_in_python(text, name, sink)
    builder = _Builder(name, _C_PARSER(text), disputable=True)
    try:
        root = builder.document()
    except _TooMuchError:
        return _deliver(builder, None, sink)
    except (_DisputedError, yaml.YAMLError, ValueError):
        root = None
    # Where something is wrong the Python parser has the word, so that every machine says the same.
    return _compose_in_python(text, name, sink) if root is None or len(builder.found) else root


def _compose_in_python(text: str, name: str, sink: Sink) -> Node | None:
    parser = _PythonParser(text)
    builder = _Builder(name, parser, disputable=False)
    try:
        return _deliver(builder, builder.document(), sink)
    except _TooMuchError:
        pass
    except yaml.MarkedYAMLError as failure:
        builder.found.add(syntax_error(failure, name))
    except (yaml.YAMLError, ValueError, OverflowError):
        builder.found.add(unreadable(name, parser.get_mark()))
    return _deliver(builder, None, sink)


def _deliver(builder: _Builder, root: Node | None, sink: Sink) -> Node | None:
    for diagnostic in builder.found:
        sink.add(diagnostic)
    return root


# --------------------------------------------------------------------------- events to nodes


class _TooMuchError(Exception):
    """The document is beyond a limit; the diagnostic is recorded already."""


class _DisputedError(Exception):
    """The parsers do not agree on such a text."""


class _Builder:
    """Builds the tree of one document from parser events, recording what is wrong on the way."""

    def __init__(self, name: str, parser: _Parser, disputable: bool) -> None:
        self._name = name
        self._disputable = disputable
        self._next: Callable[[], Any] = parser.get_event
        self._nodes = 0
        self._complete = True
        self.found = Sink()

    def document(self) -> Node | None:
        """The one document of the stream; None when there is nothing usable."""
        self._next()
        start = self._next()
        if isinstance(start, yaml.StreamEndEvent):
            self._error("QS106", "the file is empty", Span(self._name, 1, 1, 1, 1))
            return None
        if start.version or start.tags:
            self._error("QS118", "a YAML directive is not allowed", self._span(start), "remove the '%' line")
        root = self._node(self._next(), 1)
        self._next()
        self._nothing_more(self._next())
        return root if self._is_spec(root) and self._complete else None

    def _nothing_more(self, event: Any) -> None:
        if not isinstance(event, yaml.StreamEndEvent):
            self._complete = False
            self._error(
                "QS107",
                "a second YAML document starts here",
                self._span(event),
                "a file holds one document: remove '---'",
            )

    def _is_spec(self, root: Node) -> bool:
        if isinstance(root, Scalar) and root.value is None:
            self._error("QS106", "the file is empty", root.span)
        elif not isinstance(root, Mapping):
            what = "a list" if isinstance(root, Sequence) else "a single value"
            self._error("QS108", f"the file must be a mapping of sections, not {what}", root.span)
        return isinstance(root, Mapping)

    def _error(
        self, code: str, message: str, span: Span, help: str | None = None, related: tuple[Related, ...] = ()
    ) -> None:
        self.found.error(code, message, span, help, related)

    # ----------------------------------------------------------------- nodes

    def _node(self, event: Any, depth: int) -> Node:
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
            self._error("QS109", f"nested more than {MAX_DEPTH} levels deep", self._span(event))
            raise _TooMuchError
        if self._nodes > MAX_NODES:
            self._error("QS110", f"more than {MAX_NODES} values in one file", self._span(event))
            raise _TooMuchError

    def _alias(self, event: Any) -> Scalar:
        self._complete = False
        self._error(
            "QS112",
            f"alias '*{shorten(event.anchor)}': anchors and aliases are not allowed",
            self._span(event),
            "write the value out, or put text that starts with '*' in quotes",
        )
        return Scalar(self._span(event), None, "", True)

    def _refuse_properties(self, event: Any) -> None:
        if event.anchor is not None:
            self._error(
                "QS112",
                f"anchor '&{shorten(event.anchor)}': anchors and aliases are not allowed",
                self._span(event),
                "remove the anchor, or put text that starts with '&' in quotes",
            )
        if event.tag is not None:
            self._error(
                "QS111",
                f"tag '{shorten(event.tag)}': YAML tags are not allowed",
                self._span(event),
                "remove the tag, or put text that starts with '!' in quotes",
            )

    def _scalar(self, event: Any) -> Scalar:
        span, text = self._span(event), event.value
        if event.style:
            if found := FORBIDDEN.search(text):
                code = ord(found.group())
                self._error("QS104", f"the escape for character U+{code:04X} is not allowed", span)
                text = FORBIDDEN.sub("", text)
            return Scalar(span, text, text, True)
        try:
            return Scalar(span, core_schema.resolve(text), text, False)
        except core_schema.OutOfRangeError as error:
            self._error(
                "QS117",
                f"number '{shorten(text)}' is out of range",
                span,
                f"{error.limit}; put it in quotes if it is a text",
            )
            return Scalar(span, 0, text, False)

    def _sequence(self, event: Any, depth: int) -> Sequence:
        items: list[Node] = []
        while not isinstance(inner := self._next(), yaml.SequenceEndEvent):
            items.append(self._node(inner, depth + 1))
        span = self._collection_span(event, inner, items)
        if event.flow_style:
            self._settle(items)
            items, cuts = mend_items(items)
            self._report_cuts(cuts)
        return Sequence(span, tuple(items))

    def _mapping(self, event: Any, depth: int) -> Mapping:
        pairs: list[Pair] = []
        while not isinstance(inner := self._next(), yaml.MappingEndEvent):
            key = self._node(inner, depth + 1)
            pairs.append((key, _after(key, self._node(self._next(), depth + 1))))
        span = self._collection_span(event, inner, [value for _, value in pairs])
        if event.flow_style:
            self._settle([node for pair in pairs for node in pair])
            pairs, cuts = mend_pairs(pairs)
            self._report_cuts(cuts)
        return Mapping(span, self._entries(pairs))

    def _settle(self, nodes: list[Node]) -> None:
        # libyaml lets an unquoted text in a flow collection hold a question mark, the Python parser does not.
        if self._disputable and any(_has_question_mark(node) for node in nodes):
            raise _DisputedError

    def _report_cuts(self, cuts: list[Scalar]) -> None:
        for cut in cuts:
            self._error(
                "QS116",
                "YAML ends this value at the comma",
                cut.span,
                f'put it in quotes: "{shorten(cut.text)}"',
            )

    def _entries(self, pairs: list[Pair]) -> tuple[Entry, ...]:
        entries: dict[str, Entry] = {}
        for key_node, value in pairs:
            key = self._key(key_node)
            if key is None:
                self._complete = False
                continue
            if first := entries.get(key):
                self._error(
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
            self._error("QS115", "a key must be a name, not a list or a mapping", node.span)
            return None
        if not node.quoted and node.text == "<<":
            self._error("QS113", "merge keys ('<<') are not allowed", node.span, "write the entries out")
            return None
        if node.value is None or isinstance(node.value, float):
            self._error(
                "QS115",
                f"a key must be a name, not '{node.text}'" if node.text else "the key is missing",
                node.span,
                "put it in quotes if it is meant as a name" if node.text else None,
            )
            return None
        return node.text

    # ----------------------------------------------------------------- places

    def _span(self, event: Any) -> Span:
        start, end = event.start_mark, event.end_mark
        return Span(self._name, start.line + 1, start.column + 1, end.line + 1, end.column + 1)

    def _collection_span(self, start: Any, end: Any, children: list[Node]) -> Span:
        # A block collection has no end of its own: the parser reports where the next thing begins.
        if start.flow_style or not children:
            line, column = end.end_mark.line + 1, end.end_mark.column + 1
        else:
            line, column = children[-1].span.end_line, children[-1].span.end_column
        mark = start.start_mark
        return Span(self._name, mark.line + 1, mark.column + 1, line, column)


def _after(key: Node, value: Node) -> Node:
    """An empty value stands right behind its key: parsers put it in different places."""
    if not isinstance(value, Scalar) or value.quoted or value.text:
        return value
    end = key.span
    return replace(value, span=Span(end.file, end.end_line, end.end_column, end.end_line, end.end_column))


def _has_question_mark(node: Node) -> bool:
    return isinstance(node, Scalar) and not node.quoted and "?" in node.text
