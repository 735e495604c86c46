"""Whether data fits a JSON Schema: a bare yes or no, in a small part of the time that the library takes.

Nearly every spec that is read fits, and then nothing needs to be said. Where the answer is no, the
library is imported, has the word, and says what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from qsfa_codegen.spec.misfits import repeated_items

Schema = Mapping[str, Any]
Test = Callable[[Any], bool]

# Keywords that say nothing about what fits, and those that another keyword's test looks at.
_SILENT = frozenset(("$schema", "$defs", "title", "description", "default", "examples", "then", "else"))

_KINDS: dict[str, Test] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: type(value) is int,
    "number": lambda value: type(value) in (int, float),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def pattern(text: str) -> re.Pattern[str]:
    """A ``pattern`` of JSON Schema, where ``$`` is the very end of the text."""
    # Python's `$` lets a line break follow, which would end up in identifiers and file names.
    return re.compile(text.replace("$", r"\Z"))


class QuickFit:
    """Tests for the parts of one schema, made when they are first needed.

    "Yes" is certain; a keyword that is not known here makes it "no".
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._definitions = {f"#/$defs/{name}": part for name, part in schema.get("$defs", {}).items()}
        self._tests: dict[int, tuple[Test, ...]] = {}

    def fits(self, value: Any) -> bool:
        """Whether ``value``, plain data, certainly fits the schema."""
        return self._fits(self._schema, value)

    def _fits(self, schema: Schema, value: Any) -> bool:
        tests = self._tests.get(id(schema))
        if tests is None:
            tests = self._tests[id(schema)] = tuple(
                _MAKERS[keyword](self, limit, schema) if keyword in _MAKERS else _never
                for keyword, limit in schema.items()
                if keyword not in _SILENT
            )
        # Not all(…): making a generator for each of thousands of values takes longer than the tests.
        for test in tests:  # noqa: SIM110
            if not test(value):
                return False
        return True

    def _reference(self, reference: str, schema: Schema) -> Test:
        definition = self._definitions[reference]
        return lambda value: self._fits(definition, value)

    def _choice(self, condition: Schema, schema: Schema) -> Test:
        then, otherwise = schema["then"], schema["else"]
        return lambda value: self._fits(then if self._fits(condition, value) else otherwise, value)

    def _properties(self, properties: Mapping[str, Schema], schema: Schema) -> Test:
        return _on(
            dict,
            lambda mapping: all(
                self._fits(properties[key], value) for key, value in mapping.items() if key in properties
            ),
        )

    def _additional(self, rule: bool | Schema, schema: Schema) -> Test:
        known = schema.get("properties", {}).keys()
        if isinstance(rule, bool):
            return _on(dict, lambda mapping: rule or mapping.keys() <= known)
        return _on(
            dict,
            lambda mapping: all(
                self._fits(rule, value) for key, value in mapping.items() if key not in known
            ),
        )

    def _names(self, rule: Schema, schema: Schema) -> Test:
        return _on(dict, lambda mapping: all(self._fits(rule, key) for key in mapping))

    def _items(self, rule: Schema, schema: Schema) -> Test:
        return _on(list, lambda items: all(self._fits(rule, item) for item in items))


def _never(value: Any) -> bool:
    return False


def _on(kind: type | tuple[type, ...], test: Test) -> Test:
    """A test that only values of a kind can fail."""
    return lambda value: not isinstance(value, kind) or test(value)


def _type(kinds: str | list[str]) -> Test:
    if isinstance(kinds, str):
        return _KINDS[kinds]
    tests = [_KINDS[kind] for kind in kinds]
    return lambda value: any(test(value) for test in tests)


def _one_of(options: list[Any]) -> Test:
    # As JSON has it, true is not 1.
    return lambda value: any(type(value) is type(option) and value == option for option in options)


def _pattern(text: str) -> Test:
    search = pattern(text).search
    return _on(str, lambda value: search(value) is not None)


def _number(test: Test) -> Test:
    return lambda value: type(value) not in (int, float) or test(value)


_LIMITS: dict[str, Callable[[Any], Test]] = {
    "type": _type,
    "enum": _one_of,
    "const": lambda wanted: _one_of([wanted]),
    "pattern": _pattern,
    "minLength": lambda least: _on(str, lambda text: len(text) >= least),
    "maxLength": lambda most: _on(str, lambda text: len(text) <= most),
    "minimum": lambda least: _number(lambda number: number >= least),
    "maximum": lambda most: _number(lambda number: number <= most),
    "minItems": lambda least: _on(list, lambda items: len(items) >= least),
    "maxItems": lambda most: _on(list, lambda items: len(items) <= most),
    "uniqueItems": lambda wanted: _on(list, lambda items: next(repeated_items(items), None) is None),
    "minProperties": lambda least: _on(dict, lambda mapping: len(mapping) >= least),
    "maxProperties": lambda most: _on(dict, lambda mapping: len(mapping) <= most),
    "required": lambda keys: _on(dict, lambda mapping: all(key in mapping for key in keys)),
}


def _limit(make: Callable[[Any], Test]) -> Callable[[QuickFit, Any, Schema], Test]:
    return lambda owner, limit, schema: make(limit)


_MAKERS: dict[str, Callable[[QuickFit, Any, Schema], Test]] = {
    "$ref": QuickFit._reference,
    "if": QuickFit._choice,
    "properties": QuickFit._properties,
    "additionalProperties": QuickFit._additional,
    "propertyNames": QuickFit._names,
    "items": QuickFit._items,
    **{keyword: _limit(make) for keyword, make in _LIMITS.items()},
}
