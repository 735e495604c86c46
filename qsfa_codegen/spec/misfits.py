"""What a JSON Schema validator finds, said for people and with the place it is about."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from qsfa_codegen.diagnostics import Related, Sink, Span
from qsfa_codegen.spec.tree import Mapping as MapNode
from qsfa_codegen.spec.tree import Node, Plain, Scalar, Sequence, respelt, shorten, to_plain

if TYPE_CHECKING:
    from jsonschema import ValidationError

Schema = Mapping[str, Any]

_KIND_NAMES = {
    "string": "a text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "a mapping",
}


def report_misfits(
    errors: Iterable[ValidationError], tree: Node, definitions: Mapping[str, Schema], sink: Sink
) -> Node:
    """Record each error about the tree, at the key, the item or the value that it is about.

    ``definitions`` are the ``$defs`` of the schema. Returns the tree with misspelt keys as they were
    meant, so that later stages do not miss what is there.
    """
    found = [(error, _place(tree, error.absolute_path)) for error in errors]
    misplaced = {id(at.node) for error, at in found if error.validator == "type"}
    words = _Words(definitions, sink)
    for error, at in found:
        if error.validator == "type" or id(at.node) not in misplaced:
            words.say(error, at)
    return respelt(tree, words.meant) if words.meant else tree


@functools.lru_cache
def closest_key(key: str, known: tuple[str, ...]) -> str | None:
    """The known key that ``key`` was probably meant as; None when none is near."""
    import difflib  # only for an error: the import takes long

    folded = {option.lower(): option for option in known}
    if key.lower() in folded:
        return folded[key.lower()]
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    return near[0] if near else None


class _Place(Struct, frozen=True):
    """A node, how people name it, and what to underline when a part of it is missing."""

    node: Node
    name: str
    span: Span

    @property
    def subject(self) -> str:
        return f"'{self.name}'" if self.name else "a file"

    @property
    def container(self) -> str:
        return f"'{self.name}'" if self.name else "the file"


def _place(tree: Node, path: Iterable[str | int]) -> _Place:
    start = tree.span
    at = _Place(tree, "", Span(start.file, start.line, start.column, start.line, start.column))
    for step in path:
        at = _inside(at, step)
    return at


def _inside(at: _Place, step: str | int) -> _Place:
    if isinstance(at.node, Sequence):
        item = at.node.items[cast(int, step)]
        return _Place(item, f"{at.name}[{step}]", item.span)
    entry = cast(MapNode, at.node).entry(cast(str, step))
    assert entry is not None
    return _Place(entry.value, f"{at.name}.{entry.key}" if at.name else entry.key, entry.key_span)


class _Words:
    """A sentence or two for each keyword of JSON Schema that the schemas use."""

    def __init__(self, definitions: Mapping[str, Schema], sink: Sink) -> None:
        self._definitions = definitions
        self._sink = sink
        self.meant: dict[int, dict[str, str]] = {}
        self._keywords: dict[str, Callable[[_Place, Any, Schema], None]] = {
            "type": self._kind,
            "enum": self._word,
            "const": self._constant,
            "pattern": self._pattern,
            "minLength": self._empty_text,
            "maxLength": self._long_text,
            "minimum": self._small,
            "maximum": self._large,
            "minItems": self._empty_list,
            "maxItems": self._long_list,
            "uniqueItems": self._twice,
            "required": self._missing_keys,
            "additionalProperties": self._unknown_keys,
            "minProperties": self._empty_mapping,
            "maxProperties": self._large_mapping,
        }

    def say(self, error: ValidationError, at: _Place) -> None:
        """Record what ``error`` says about the node at ``at``."""
        schema, value = cast(Schema, error.schema), cast(Any, error.validator_value)
        if "propertyNames" in list(error.absolute_schema_path)[-2:-1]:
            self._misspelt_key(at, cast(str, error.instance), value, schema)
        else:
            self._keywords[cast(str, error.validator)](at, value, schema)

    # ----------------------------------------------------------------- values

    def _kind(self, at: _Place, allowed: str | list[str], schema: Schema) -> None:
        kinds = [allowed] if isinstance(allowed, str) else allowed
        wanted = schema.get("title") or _KIND_NAMES[kinds[0]]
        if isinstance(at.node, Scalar) and at.node.value is None:
            self._sink.error("QS152", f"'{at.name}' is empty; it must be {wanted}", at.span)
            return
        self._sink.error(
            "QS152",
            f"{at.subject} must be {wanted}, not {_shown(at.node)}",
            at.node.span,
            _kind_help(at.node, kinds),
        )

    def _word(self, at: _Place, allowed: list[Any], schema: Schema) -> None:
        if not isinstance(at.node, Scalar):
            message = f"{at.subject} must be one word, not {_shown(at.node)}"
            self._sink.error("QS152", message, at.node.span)
            return
        message = f"{at.subject} cannot be '{shorten(at.node.text)}'"
        known = tuple(map(str, allowed))
        self._sink.error("QS153", message, at.node.span, _suggestion(at.node.text, known))

    def _constant(self, at: _Place, wanted: Any, schema: Schema) -> None:
        message = f"{at.subject} must be {wanted}, not {_shown(at.node)}"
        self._sink.error("QS153", message, at.node.span)

    def _pattern(self, at: _Place, pattern: str, schema: Schema) -> None:
        self._misspelt(cast(Scalar, at.node).text, at.node.span, schema)

    def _misspelt(self, text: str, span: Span, schema: Schema) -> None:
        message = f"'{shorten(text)}' is not {schema['title']}"
        self._sink.error("QS154", message, span, schema.get("description"))

    def _empty_text(self, at: _Place, least: int, schema: Schema) -> None:
        self._sink.error("QS155", f"{at.subject} must not be empty", at.node.span)

    def _long_text(self, at: _Place, most: int, schema: Schema) -> None:
        length = len(cast(Scalar, at.node).text)
        message = f"{at.subject} has {length} characters, {most} are allowed"
        self._sink.error("QS155", message, at.node.span)

    def _small(self, at: _Place, least: int, schema: Schema) -> None:
        message = f"{at.subject} must be at least {least}, not {cast(Scalar, at.node).text}"
        self._sink.error("QS156", message, at.node.span)

    def _large(self, at: _Place, most: int, schema: Schema) -> None:
        message = f"{at.subject} must be at most {most}, not {cast(Scalar, at.node).text}"
        self._sink.error("QS156", message, at.node.span)

    # ----------------------------------------------------------------- lists

    def _empty_list(self, at: _Place, least: int, schema: Schema) -> None:
        self._sink.error("QS157", f"{at.subject} must not be an empty list", at.node.span)

    def _long_list(self, at: _Place, most: int, schema: Schema) -> None:
        items = cast(Sequence, at.node).items
        message = f"{at.subject} has {len(items)} items, {most} are allowed"
        self._sink.error("QS157", message, items[most].span)

    def _twice(self, at: _Place, wanted: bool, schema: Schema) -> None:
        items = cast(Sequence, at.node).items
        for first, again in repeated_items(to_plain(item) for item in items):
            node = items[again]
            text = node.text if isinstance(node, Scalar) else "the same item"
            self._sink.error(
                "QS157",
                f"{at.subject} has '{shorten(text)}' twice",
                node.span,
                "remove one of the two",
                (Related(items[first].span, "first here"),),
            )

    # ----------------------------------------------------------------- mappings

    def _missing_keys(self, at: _Place, required: list[str], schema: Schema) -> None:
        mapping = cast(MapNode, at.node)
        known = schema.get("properties", {})
        meant = set()
        if schema.get("additionalProperties") is False:
            # A misspelt key is reported as unknown, so what it was meant as is not missing as well.
            meant = {closest_key(entry.key, tuple(known)) for entry in mapping if entry.key not in known}
        for key in required:
            if key not in mapping and key not in meant:
                meaning = self._meaning(known.get(key, {}))
                help = f"{key}: {meaning}" if meaning else None
                self._sink.error("QS151", f"{at.container} has no '{key}'", at.span, help)

    def _meaning(self, schema: Schema) -> str | None:
        meaning: str | None = schema.get("description")
        if meaning is None and "$ref" in schema:
            return self._meaning(self._definitions[schema["$ref"].rpartition("/")[2]])
        return meaning

    def _unknown_keys(self, at: _Place, rule: bool, schema: Schema) -> None:
        known = tuple(schema.get("properties", ()))
        mapping = cast(MapNode, at.node)
        meant: dict[str, str] = {}
        for entry in mapping:
            if entry.key in known:
                continue
            near = closest_key(entry.key, known)
            if near is not None and near not in mapping and near not in meant.values():
                meant[entry.key] = near
            message = f"unknown key '{shorten(entry.key)}' in {at.container}"
            self._sink.error("QS150", message, entry.key_span, _suggestion(entry.key, known))
        self.meant[id(mapping)] = meant

    def _misspelt_key(self, at: _Place, key: str, limit: int | str, schema: Schema) -> None:
        entry = cast(MapNode, at.node).entry(key)
        assert entry is not None
        if isinstance(limit, int):
            message = f"a key has {len(key)} characters, {limit} are allowed"
            self._sink.error("QS155", message, entry.key_span)
        else:
            self._misspelt(key, entry.key_span, schema)

    def _empty_mapping(self, at: _Place, least: int, schema: Schema) -> None:
        keys = ", ".join(schema.get("properties", {}))
        help = f"it can have {keys}" if keys else None
        self._sink.error("QS157", f"{at.container} must not be empty", at.node.span, help)

    def _large_mapping(self, at: _Place, most: int, schema: Schema) -> None:
        entries = cast(MapNode, at.node).entries
        message = f"{at.container} has {len(entries)} keys, {most} {'is' if most == 1 else 'are'} allowed"
        help = "write each in braces of its own" if most == 1 else None
        self._sink.error("QS157", message, entries[most].key_span, help)


def repeated_items(values: Iterable[Plain]) -> Iterator[tuple[int, int]]:
    """Index of the first and of each later item of those that stand more than once; in linear time."""
    first_use: dict[tuple[bool, object], int] = {}
    for index, value in enumerate(values):
        first = first_use.setdefault(_identity(value), index)
        if first != index:
            yield first, index


def _identity(value: Plain) -> tuple[bool, object]:
    """As JSON has it, 1.0 is 1 and true is not."""
    if isinstance(value, list | dict):
        return False, json.dumps(value, sort_keys=True)
    return isinstance(value, bool), value


def _shown(node: Node) -> str:
    if isinstance(node, MapNode):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    if isinstance(node.value, str):
        return f"the text '{shorten(node.value)}'"
    return f"'{shorten(node.text)}'"


def _suggestion(word: str, known: tuple[str, ...]) -> str:
    near = closest_key(word, known)
    allowed = f"allowed: {', '.join(known)}"
    return f"did you mean '{near}'? {allowed}" if near else allowed


def _kind_help(node: Node, wanted: list[str]) -> str | None:
    if not isinstance(node, Scalar):
        return None
    if wanted == ["boolean"] and node.text.lower() in ("yes", "no", "on", "off", "true", "false"):
        return "write true or false, without quotes"
    if "string" in wanted and not isinstance(node.value, str):
        return f'put it in quotes if it is meant as a text: "{shorten(node.text)}"'
    if node.quoted and ("integer" in wanted or "number" in wanted):
        return "remove the quotes"
    return None
