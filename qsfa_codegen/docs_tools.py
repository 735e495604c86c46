"""Documentation that is made from what the program reads: the reference of the spec language."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]

_REF_PREFIX = "#/$defs/"
_JSON_TYPES = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "`true` or `false`",
    "null": "`null`",
}
_INTRODUCTION = """\
<!-- Made from qsfa_codegen/spec/schema/operator.schema.json, and compared with it by a test. -->

# Reference of the spec language

A spec is one YAML file. A key that is not listed here is an error. Text is YAML 1.2 with the core schema:
`1e-6` is a number; `off`, `yes`, `010` and `16:32` are texts. Tags, anchors, aliases and duplicate keys are
errors. Inside `{ }` and `[ ]`, an expression that holds a comma, brackets or braces stands in quotes.

<a id="tables"></a>Where a value depends on a case it is written as a table:
`{by: SELECTOR, of: {CASE: value, …, else: value}}`. The selector is an enum or bool attribute, `chip`,
`arch`, a dtype column, a bool let or a condition. A table covers every case or has `else`; tables nest.
"""


def spec_reference(schema: Schema) -> str:
    """The reference of the spec language as Markdown, from its JSON Schema."""
    return _Reference(schema).text()


class _Reference:
    """Sections in order, each with the forms that only it uses; then the forms that several use."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._definitions: dict[str, Schema] = schema["$defs"]
        self._sections: dict[str, Schema] = schema["properties"]
        self._users = self._users_of_forms()

    def text(self) -> str:
        parts = [_INTRODUCTION, *self._overview()]
        for name, section in self._sections.items():
            parts += [f"## {name}\n", *self._described(section), *self._own_forms(name)]
        parts.append("## Forms used in several sections\n")
        for form, users in self._users.items():
            if len(users) > 1 and not self._is_table(form):
                parts += self._form(form)
        return "\n".join(parts)

    # ----------------------------------------------------------------- which form belongs where

    def _users_of_forms(self) -> dict[str, list[str]]:
        users: dict[str, list[str]] = {}
        for name, section in self._sections.items():
            for form in self._reachable(section):
                users.setdefault(form, []).append(name)
        return users

    def _reachable(self, schema: Schema) -> list[str]:
        found: dict[str, None] = {}
        pending = list(_references(schema))
        while pending:
            form = pending.pop(0)
            if form not in found:
                found[form] = None
                pending.extend(_references(self._definitions[form]))
        return list(found)

    def _own_forms(self, section: str) -> Iterator[str]:
        for form, users in self._users.items():
            if users == [section] and not self._is_table(form):
                yield from self._form(form)

    def _is_table(self, form: str) -> bool:
        return set(self._definitions[form].get("properties", ())) == {"by", "of"}

    # ----------------------------------------------------------------- writing

    def _overview(self) -> list[str]:
        required = self._schema["required"]
        rows = ["| Section | | Meaning |", "|---|---|---|"]
        for name, section in self._sections.items():
            needed = "required" if name in required else ""
            rows.append(f"| [`{name}`](#{name}) | {needed} | {_cell(self._description(section))} |")
        return ["\n".join(rows) + "\n"]

    def _form(self, name: str) -> Iterator[str]:
        definition = self._definitions[name]
        yield f'<a id="form-{name}"></a>\n\n### {definition.get("title", name)}\n'
        yield from self._described(definition)

    def _described(self, schema: Schema) -> Iterator[str]:
        description = self._description(schema)
        if description:
            yield f"{description}\n"
        facts = self._facts(schema)
        if facts:
            yield f"{facts}\n"
        target = self._definitions[_name_of(schema)] if "$ref" in schema else schema
        if "properties" in target and "$ref" not in schema:
            yield self._keys(target)
        examples = schema.get("examples")
        if examples:
            yield f"Example: {', '.join(_code(example) for example in examples)}\n"

    def _facts(self, schema: Schema) -> str:
        if "properties" in schema:
            return self._open_keys(schema)
        kind = self._kind(schema)
        limits = [f"at most {schema['maxLength']} characters"] if "maxLength" in schema else []
        if "pattern" in schema:
            limits.append(f"of the form `{schema['pattern']}`")
        return "Written as: " + ", ".join([kind, *limits]) + "."

    def _open_keys(self, schema: Schema) -> str:
        rest = schema.get("additionalProperties")
        return f"Any other key: {self._kind(rest)}." if isinstance(rest, dict) else ""

    def _keys(self, schema: Schema) -> str:
        required = schema.get("required", [])
        rows = ["| Key | Value | Default | Meaning |", "|---|---|---|---|"]
        for key, value in schema["properties"].items():
            default = _code(value["default"]) if "default" in value else ""
            if key in required:
                default = "required"
            meaning = _cell(self._description(value))
            if "examples" in value:
                meaning += f" Example: {', '.join(_code(example) for example in value['examples'])}"
            rows.append(f"| `{key}` | {_cell(self._kind(value))} | {default} | {meaning} |")
        return "\n".join(rows) + "\n"

    def _description(self, schema: Schema) -> str:
        description = schema.get("description")
        if description is None and "$ref" in schema:
            return self._description(self._definitions[_name_of(schema)])
        return description or ""

    def _kind(self, schema: Schema) -> str:
        if "$ref" in schema:
            name = _name_of(schema)
            if self._is_table(name):
                return "a [table](#tables)"
            return f"[{self._definitions[name].get('title', name)}](#form-{name})"
        if "if" in schema:
            kinds = dict.fromkeys(self._kind(branch) for branch in _branches(schema))
            return " or ".join(sorted(kinds, key=lambda kind: kind.endswith("(#tables)")))
        if "enum" in schema:
            return ", ".join(_code(value) for value in schema["enum"])
        if "const" in schema:
            return _code(schema["const"])
        return self._kind_of_type(schema)

    def _kind_of_type(self, schema: Schema) -> str:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if kinds == ["array"]:
            return f"a list of: {self._kind(schema['items'])}"
        if kinds == ["object"]:
            values = schema.get("additionalProperties")
            return (
                f"a mapping from names to: {self._kind(values)}" if isinstance(values, dict) else "a mapping"
            )
        return " or ".join(_JSON_TYPES.get(kind, "list") for kind in kinds)


def _branches(schema: Schema) -> Iterator[Schema]:
    while "if" in schema:
        yield schema["then"]
        schema = schema["else"]
    yield schema


def _references(value: Any) -> Iterator[str]:
    """Names of the definitions that a schema mentions, in order; names of keys are not shown as forms."""
    if isinstance(value, dict):
        if "$ref" in value:
            yield _name_of(value)
        for key, inner in value.items():
            if key != "propertyNames":
                yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


def _name_of(reference: Schema) -> str:
    name: str = reference["$ref"]
    return name.removeprefix(_REF_PREFIX)


def _code(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"`{_cell(text)}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
