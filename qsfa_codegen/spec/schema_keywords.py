"""The JSON Schema validator, with a few keywords that find more, or find it sooner.

What is valid stays what JSON Schema says, but for ``1.0``, which is no integer here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from jsonschema import Draft202012Validator, ValidationError, validators
from jsonschema.protocols import Validator

from qsfa_codegen.spec.misfits import closest_key, repeated_items
from qsfa_codegen.spec.quick_fit import pattern

Schema = Mapping[str, Any]
Errors = Iterator[ValidationError]


def validator_class(definitions: Mapping[str, Schema]) -> type[Validator]:
    """The validator class for a schema with these ``$defs``."""
    keywords = _Keywords(definitions)
    kinds = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
    own = {
        "$ref": keywords.ref,
        "if": keywords.choice,
        "uniqueItems": _no_item_twice,
        "pattern": _pattern,
    }
    extend: Callable[..., type[Validator]] = validators.extend
    return extend(Draft202012Validator, own, type_checker=kinds)


class _Keywords:
    def __init__(self, definitions: Mapping[str, Schema]) -> None:
        self._definitions = {f"#/$defs/{name}": schema for name, schema in definitions.items()}
        self._prepared: dict[int, Validator] = {}

    def _errors(self, validator: Validator, schema: Schema, instance: Any) -> Errors:
        # Preparing a validator is what costs most, and few parts of a schema serve all of a spec.
        prepared = self._prepared.get(id(schema))
        if prepared is None:
            prepared = self._prepared[id(schema)] = validator.evolve(schema=schema)
        return prepared.iter_errors(instance)

    def ref(self, validator: Validator, reference: str, instance: Any, schema: Schema) -> Errors:
        """``$ref`` to one of the definitions."""
        return self._errors(validator, self._definitions[reference], instance)

    def choice(self, validator: Validator, condition: Schema, instance: Any, schema: Schema) -> Errors:
        """``if``, ``then``, ``else``: errors about the alternative that was meant.

        A mapping that fits no alternative is held against the one that it has most keys of, misspelt
        ones included; anything else that fits none is said to be none of the alternatives.
        """
        *conditional, (_, last) = self._alternatives(schema)
        for required, branch in conditional:
            if next(self._errors(validator, required, instance), None) is None:
                return self._errors(validator, branch, instance)
        if isinstance(instance, dict) and not _takes(last, instance):
            branches = [*(branch for _, branch in conditional), last]
            likeness = [_likeness(instance, self._target(branch)) for branch in branches]
            if best := max(likeness):
                return self._errors(validator, branches[likeness.index(best)], instance)
        return _named(self._errors(validator, last, instance), schema.get("title"))

    def _alternatives(self, schema: Schema) -> Iterator[tuple[Schema, Schema]]:
        """Each condition with what it leads to; the last one always holds."""
        while "if" in schema:
            yield schema["if"], schema["then"]
            schema = self._target(schema["else"])
        yield {}, schema

    def _target(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            schema = self._definitions[schema["$ref"]]
        return schema


def _named(errors: Errors, title: str | None) -> Errors:
    """A value of the wrong type is none of the alternatives, so the error has their common title."""
    for error in errors:
        if title is not None and error.validator == "type" and not error.path:
            error.schema = {**cast(Schema, error.schema), "title": title}
        yield error


def _takes(schema: Schema, mapping: dict[str, Any]) -> bool:
    """Whether the last alternative is right for a mapping that chose none of the others."""
    if schema.get("type") != "object":
        return False
    return schema.get("additionalProperties") is not False or all(
        key in mapping for key in schema.get("required", ())
    )


def _likeness(mapping: dict[str, Any], schema: Schema) -> int:
    known = tuple(schema.get("properties", ()))
    return sum(2 if key in known else closest_key(key, known) is not None for key in mapping)


def _no_item_twice(validator: Validator, wanted: bool, instance: Any, schema: Schema) -> Errors:
    """``uniqueItems`` in linear time: a list of thousands would take the general way minutes."""
    if isinstance(instance, list) and next(repeated_items(instance), None) is not None:
        yield ValidationError("an item stands more than once")


def _pattern(validator: Validator, text: str, instance: Any, schema: Schema) -> Errors:
    if isinstance(instance, str) and not pattern(text).search(instance):
        yield ValidationError("of another form")
