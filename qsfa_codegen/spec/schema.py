"""Checks a tree against the JSON Schema that editors use, and says what is wrong where.

The schema keeps to a small part of JSON Schema 2020-12 in which alternatives are told apart by
``if``/``then``/``else``. So one pass over the tree finds the one branch that was meant, and every
error is about that branch. A general validator would need plain data (no places), and importing one
takes longer than reading and checking a spec.
"""

from __future__ import annotations

import difflib
import functools
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from qsfa_codegen.diagnostics import Related, Sink, Span
from qsfa_codegen.spec.tree import Mapping, Node, Scalar, Sequence, shorten, to_plain

Kind = Literal["operator", "chips"]
Schema = dict[str, Any]

_FOLDER = Path(__file__).with_name("schema")
_REF_PREFIX = "#/$defs/"


def schema_text(kind: Kind = "operator") -> str:
    """The schema file as it is."""
    return (_FOLDER / f"{kind}.schema.json").read_text(encoding="utf-8")


@functools.cache
def _schema(kind: Kind) -> Schema:
    return cast(Schema, json.loads(schema_text(kind)))


def operator_schema() -> Schema:
    """The schema of operator specs; shared, so not to be changed."""
    return _schema("operator")


def validate(tree: Node, sink: Sink, kind: Kind = "operator") -> bool:
    """Record every misfit of ``tree``; True when there is none."""
    schema = _schema(kind)
    checker = _Checker(schema, sink)
    start = Span(tree.span.file, tree.span.line, tree.span.column, tree.span.line, tree.span.column)
    checker.check(tree, schema, _Place(None, "", start))
    return checker.errors == 0


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the walk is: how people name it, and what to underline when the thing itself is missing."""

    parent: _Place | None
    step: str
    span: Span

    def inside(self, key: str, span: Span) -> _Place:
        return _Place(self, f".{key}" if self.parent else key, span)

    def item(self, index: int, span: Span) -> _Place:
        return _Place(self, f"[{index}]", span)

    def __str__(self) -> str:
        return f"{self.parent}{self.step}" if self.parent else ""

    @property
    def container(self) -> str:
        return f"'{self}'" if self.parent else "the file"


_TYPE_NAMES = {
    "string": "a text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "a mapping",
}


def _type_of(node: Node) -> str:
    if isinstance(node, Mapping):
        return "object"
    if isinstance(node, Sequence):
        return "array"
    match node.value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case _:
            return "string"


def _is_of(node: Node, allowed: str | list[str]) -> bool:
    found = _type_of(node)
    if isinstance(allowed, str):
        allowed = [allowed]
    return found in allowed or (found == "integer" and "number" in allowed)


def _shown(node: Node) -> str:
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    if isinstance(node.value, str):
        return f"the text '{shorten(node.value)}'"
    return f"'{shorten(node.text)}'"


def _closest(word: str, known: Iterable[str]) -> str | None:
    options = list(known)
    folded = {option.lower(): option for option in options}
    if word.lower() in folded:
        return folded[word.lower()]
    near = difflib.get_close_matches(word, options, n=1, cutoff=0.6)
    return near[0] if near else None


def _suggestion(word: str, known: list[str]) -> str:
    near = _closest(word, known)
    allowed = f"allowed: {', '.join(known)}"
    return f"did you mean '{near}'? {allowed}" if near else allowed


class _Checker:
    def __init__(self, root: Schema, sink: Sink) -> None:
        self._definitions: dict[str, Schema] = root.get("$defs", {})
        self._sink = sink
        self.errors = 0
        self._keywords: dict[str, Callable[[Any, Any, Schema, _Place], None]] = {
            "enum": self._enum,
            "const": self._const,
            "pattern": self._pattern,
            "minLength": self._min_length,
            "maxLength": self._max_length,
            "minimum": self._minimum,
            "maximum": self._maximum,
            "items": self._items,
            "minItems": self._min_items,
            "maxItems": self._max_items,
            "uniqueItems": self._unique_items,
            "required": self._required,
            "properties": self._properties,
            "additionalProperties": self._additional,
            "propertyNames": self._property_names,
            "minProperties": self._min_properties,
            "maxProperties": self._max_properties,
        }

    def check(self, node: Node, schema: Schema, place: _Place, noun: str | None = None) -> None:
        """Check one node; ``noun`` says what is wanted where an alternative has no name of its own."""
        if "$ref" in schema:
            self.check(node, self._definition(schema), place, noun)
        noun = noun or schema.get("title")
        if "if" in schema:
            branch, chosen = self._branch(node, schema)
            self.check(node, branch, place, None if chosen else noun)
        allowed = schema.get("type")
        if allowed is not None and not _is_of(node, allowed):
            self._wrong_type(node, allowed, place, noun)
            return
        for keyword, value in schema.items():
            if keyword in self._keywords:
                self._keywords[keyword](node, value, schema, place)

    # ----------------------------------------------------------------- alternatives

    def _definition(self, schema: Schema) -> Schema:
        return self._definitions[schema["$ref"].removeprefix(_REF_PREFIX)]

    def _target(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            schema = self._definition(schema)
        return schema

    def _branch(self, node: Node, schema: Schema) -> tuple[Schema, bool]:
        """The alternative that was meant, and whether a condition chose it."""
        passed: list[Schema] = []
        while "if" in schema:
            if _matches(node, schema["if"]):
                return schema["then"], True
            passed.append(self._target(schema["then"]))
            schema = self._target(schema["else"])
        if isinstance(node, Mapping) and not _takes(schema, node):
            return self._nearest(node, [*passed, schema])
        return schema, False

    def _nearest(self, node: Mapping, options: list[Schema]) -> tuple[Schema, bool]:
        """No alternative fits: the one whose keys the mapping has most of, misspelt ones included."""
        scores = [_likeness(node, option.get("properties", {})) for option in options]
        best = max(scores)
        if best == 0:
            return options[-1], False
        return options[scores.index(best)], True

    # ----------------------------------------------------------------- values

    def _error(
        self, code: str, message: str, span: Span, help: str | None = None, related: tuple[Related, ...] = ()
    ) -> None:
        self.errors += 1
        self._sink.error(code, message, span, help, related)

    def _wrong_type(self, node: Node, allowed: str | list[str], place: _Place, noun: str | None) -> None:
        wanted = noun or _TYPE_NAMES[allowed if isinstance(allowed, str) else allowed[0]]
        if isinstance(node, Scalar) and node.value is None:
            self._error("QS152", f"'{place}' is empty; it must be {wanted}", place.span)
            return
        self._error(
            "QS152",
            f"{_subject(place)} must be {wanted}, not {_shown(node)}",
            node.span,
            _type_help(node, allowed),
        )

    def _enum(self, node: Node, allowed: list[Any], schema: Schema, place: _Place) -> None:
        value = to_plain(node)
        if any(type(value) is type(option) and value == option for option in allowed):
            return
        words = [str(option) for option in allowed]
        if not isinstance(node, Scalar):
            self._error("QS152", f"{_subject(place)} must be one word, not {_shown(node)}", node.span)
            return
        self._error(
            "QS153",
            f"{_subject(place)} cannot be '{shorten(node.text)}'",
            node.span,
            _suggestion(node.text, words),
        )

    def _const(self, node: Node, wanted: Any, schema: Schema, place: _Place) -> None:
        value = to_plain(node)
        if type(value) is not type(wanted) or value != wanted:
            self._error("QS153", f"{_subject(place)} must be {wanted}, not {_shown(node)}", node.span)

    def _pattern(self, node: Node, pattern: str, schema: Schema, place: _Place) -> None:
        if isinstance(node, Scalar) and isinstance(node.value, str) and not re.search(pattern, node.value):
            self._misspelt(node.value, node.span, schema)

    def _misspelt(self, text: str, span: Span, schema: Schema) -> None:
        self._error(
            "QS154",
            f"'{shorten(text)}' is not {schema.get('title', 'of the form that is wanted')}",
            span,
            schema.get("description"),
        )

    def _min_length(self, node: Node, least: int, schema: Schema, place: _Place) -> None:
        if isinstance(node, Scalar) and isinstance(node.value, str) and len(node.value) < least:
            self._error("QS155", f"{_subject(place)} must not be empty", node.span)

    def _max_length(self, node: Node, most: int, schema: Schema, place: _Place) -> None:
        if isinstance(node, Scalar) and isinstance(node.value, str) and len(node.value) > most:
            self._error(
                "QS155",
                f"{_subject(place)} has {len(node.value)} characters, {most} are allowed",
                node.span,
            )

    def _minimum(self, node: Node, least: int, schema: Schema, place: _Place) -> None:
        if isinstance(node, Scalar) and _is_of(node, "number") and cast(float, node.value) < least:
            self._error("QS156", f"{_subject(place)} must be at least {least}, not {node.text}", node.span)

    def _maximum(self, node: Node, most: int, schema: Schema, place: _Place) -> None:
        if isinstance(node, Scalar) and _is_of(node, "number") and cast(float, node.value) > most:
            self._error("QS156", f"{_subject(place)} must be at most {most}, not {node.text}", node.span)

    # ----------------------------------------------------------------- lists

    def _items(self, node: Node, schema_of_item: Schema, schema: Schema, place: _Place) -> None:
        if isinstance(node, Sequence):
            for index, item in enumerate(node.items):
                self.check(item, schema_of_item, place.item(index, item.span))

    def _min_items(self, node: Node, least: int, schema: Schema, place: _Place) -> None:
        if isinstance(node, Sequence) and len(node.items) < least:
            self._error("QS157", f"{_subject(place)} must not be an empty list", node.span)

    def _max_items(self, node: Node, most: int, schema: Schema, place: _Place) -> None:
        if isinstance(node, Sequence) and len(node.items) > most:
            self._error(
                "QS157",
                f"{_subject(place)} has {len(node.items)} items, {most} are allowed",
                node.items[most].span,
            )

    def _unique_items(self, node: Node, wanted: bool, schema: Schema, place: _Place) -> None:
        if not isinstance(node, Sequence):
            return
        first_use: dict[str, Node] = {}
        for item in node.items:
            identity = json.dumps(to_plain(item), sort_keys=True)
            if first := first_use.get(identity):
                text = item.text if isinstance(item, Scalar) else "the same item"
                self._error(
                    "QS157",
                    f"{_subject(place)} has '{shorten(text)}' twice",
                    item.span,
                    "remove one of the two",
                    (Related(first.span, "first here"),),
                )
            first_use.setdefault(identity, item)

    # ----------------------------------------------------------------- mappings

    def _required(self, node: Node, keys: list[str], schema: Schema, place: _Place) -> None:
        if not isinstance(node, Mapping):
            return
        misspelt = _misspelt_keys(node, schema)
        for key in keys:
            if key not in node and key not in misspelt:
                meaning = self._meaning(schema.get("properties", {}).get(key, {}))
                self._error(
                    "QS151",
                    f"{place.container} has no '{key}'",
                    place.span,
                    f"{key}: {meaning}" if meaning else None,
                )

    def _meaning(self, schema: Schema) -> str | None:
        meaning = schema.get("description")
        if meaning is None and "$ref" in schema:
            return self._meaning(self._definition(schema))
        return meaning

    def _properties(self, node: Node, properties: dict[str, Schema], schema: Schema, place: _Place) -> None:
        if isinstance(node, Mapping):
            for entry in node:
                if entry.key in properties:
                    inner = place.inside(entry.key, entry.key_span)
                    self.check(entry.value, properties[entry.key], inner)

    def _additional(self, node: Node, rule: bool | Schema, schema: Schema, place: _Place) -> None:
        if not isinstance(node, Mapping):
            return
        known = schema.get("properties", {})
        for entry in node:
            if entry.key in known:
                continue
            if isinstance(rule, dict):
                self.check(entry.value, rule, place.inside(entry.key, entry.key_span))
            else:
                self._error(
                    "QS150",
                    f"unknown key '{shorten(entry.key)}' in {place.container}",
                    entry.key_span,
                    _suggestion(entry.key, list(known)),
                )

    def _property_names(self, node: Node, rule: Schema, schema: Schema, place: _Place) -> None:
        if not isinstance(node, Mapping):
            return
        rule = self._target(rule)
        known = schema.get("properties", {})
        for entry in node:
            if entry.key in known:
                continue
            if len(entry.key) > rule.get("maxLength", len(entry.key)):
                most = rule["maxLength"]
                message = f"a key has {len(entry.key)} characters, {most} are allowed"
                self._error("QS155", message, entry.key_span)
            elif not re.search(rule.get("pattern", ""), entry.key):
                self._misspelt(entry.key, entry.key_span, rule)

    def _min_properties(self, node: Node, least: int, schema: Schema, place: _Place) -> None:
        if isinstance(node, Mapping) and len(node.entries) < least:
            keys = ", ".join(schema.get("properties", {}))
            self._error(
                "QS157",
                f"{place.container} must not be empty",
                node.span,
                f"it can have {keys}" if keys else None,
            )

    def _max_properties(self, node: Node, most: int, schema: Schema, place: _Place) -> None:
        if isinstance(node, Mapping) and len(node.entries) > most:
            self._error(
                "QS157",
                f"{place.container} has {len(node.entries)} keys, {most} is allowed",
                node.entries[most].key_span,
                "write each in braces of its own",
            )


def _subject(place: _Place) -> str:
    return f"'{place}'" if place.parent else "a file"


def _matches(node: Node, condition: Schema) -> bool:
    wanted = condition.get("type")
    if wanted is not None and not _is_of(node, wanted):
        return False
    if not isinstance(node, Mapping):
        return True
    names = condition.get("propertyNames")
    if names is not None and not set(node.keys()).issubset(names["enum"]):
        return False
    return all(key in node for key in condition.get("required", ()))


def _takes(schema: Schema, node: Mapping) -> bool:
    """Whether the last alternative is right for a mapping that chose none of the others."""
    if schema.get("type") != "object":
        return False
    return schema.get("additionalProperties") is not False or all(
        key in node for key in schema.get("required", ())
    )


def _misspelt_keys(node: Mapping, schema: Schema) -> set[str | None]:
    """Keys that an unknown key of the node was probably meant as: reported there, so not missing."""
    if schema.get("additionalProperties") is not False:
        return set()
    known = schema.get("properties", {})
    return {_closest(entry.key, known) for entry in node if entry.key not in known}


def _likeness(node: Mapping, properties: dict[str, Schema]) -> int:
    score = 0
    for entry in node:
        if entry.key in properties:
            score += 2
        elif _closest(entry.key, properties):
            score += 1
    return score


def _type_help(node: Node, allowed: str | list[str]) -> str | None:
    if not isinstance(node, Scalar):
        return None
    wanted = [allowed] if isinstance(allowed, str) else allowed
    if wanted == ["boolean"] and node.text.lower() in ("yes", "no", "on", "off", "true", "false"):
        return "write true or false, without quotes"
    if "string" in wanted and not isinstance(node.value, str):
        return f'put it in quotes if it is meant as a text: "{shorten(node.text)}"'
    if node.quoted and ("integer" in wanted or "number" in wanted):
        return "remove the quotes"
    return None
