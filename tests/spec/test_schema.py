"""The form of specs: what is right passes, each mistake gives one error that names it."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsfa_codegen.diagnostics import Diagnostic, Sink, Span
from qsfa_codegen.spec.reader import Entry, Mapping, Node, Scalar, Sequence, read_text, to_plain
from qsfa_codegen.spec.schema import operator_schema, schema_text, validate

ROOT = Path(__file__).parents[2]
FORM = Path(__file__).parent / "form"
SPECS = sorted([*(ROOT / "spec").glob("*.yaml"), *(ROOT / "tests" / "specs").glob("*.yaml")])
Kind = Literal["operator", "chips"]

MINIMAL = """\
spec: 1
operator: {name: Scale, category: math, brief: {en: Scales., zh: 缩放。}}
chips: [A2, A3]
inputs:
  x: {dtype: float16, shape: [N]}
outputs:
  y: {dtype: float16, shape: {like: x}}
"""


def kind_of(path: Path) -> Kind:
    return "chips" if path.name == "chips.yaml" else "operator"


def tree_of(text: str) -> Node:
    sink = Sink()
    node = read_text(text, "s.yaml", sink)
    assert node is not None
    assert not len(sink)
    return node


def problems(text: str, kind: Kind = "operator") -> list[Diagnostic]:
    sink = Sink()
    passed = validate(tree_of(text), sink, kind)
    assert passed is not bool(len(sink))
    return list(sink)


def lines_of(name: str) -> list[str]:
    lines = (FORM / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@dataclass(frozen=True)
class WrongSection:
    section: str
    code: str
    column: int
    message: str
    help: str


def wrong_sections() -> Iterator[WrongSection]:
    for block in (FORM / "wrong_sections.txt").read_text(encoding="utf-8").strip().split("\n\n")[1:]:
        section, place, message, *help = (line.strip() for line in block.splitlines())
        code, column = place.split()
        yield WrongSection(section, code, int(column), message, help[0].removeprefix("= ") if help else "")


def with_section(section: str) -> str:
    """The minimal spec with one section more, which begins on line 8."""
    return MINIMAL + section


def only(text: str) -> tuple[str, int, int, str, str | None]:
    (problem,) = problems(text)
    assert problem.span is not None
    return problem.code, problem.span.line, problem.span.column, problem.message, problem.help


class TestRight:
    @pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
    def test_specs_of_the_repository(self, path: Path) -> None:
        sink = Sink()
        assert validate(tree_of(path.read_text(encoding="utf-8")), sink, kind_of(path)), list(sink)

    def test_there_are_specs(self) -> None:
        assert len(SPECS) >= 10

    def test_minimal(self) -> None:
        assert problems(MINIMAL) == []

    @pytest.mark.parametrize("section", lines_of("right_sections.yaml"))
    def test_section(self, section: str) -> None:
        assert problems(with_section(section)) == []

    @pytest.mark.parametrize("member", lines_of("right_inputs.yaml"))
    def test_input(self, member: str) -> None:
        text = MINIMAL.replace("{dtype: float16, shape: [N]}", "{dtype: {follow: k}, " + member + "}")
        assert text != MINIMAL
        assert problems(text) == []

    def test_output_in_place(self) -> None:
        assert problems(MINIMAL.replace("{dtype: float16, shape: {like: x}}", "{alias: x}")) == []


class TestWrong:
    @pytest.mark.parametrize("case", list(wrong_sections()), ids=lambda case: case.section)
    def test_section(self, case: WrongSection) -> None:
        found = only(with_section(case.section))
        assert found[:3] == (case.code, 8, case.column)
        assert case.message in found[3]
        if case.help:
            assert found[4] is not None
            assert case.help in found[4]

    @pytest.mark.parametrize(
        ("section", "column", "message"),
        [
            ("attrs: {%s: {type: int}}" % ("a" * 101), 9, "a key has 101 characters, 100 are allowed"),
            ("consts: {C: {value: 1, en: %s}}" % ("x" * 4001), 28, "has 4001 characters, 4000 are allowed"),
            ("let: {x: %s1}" % ("1 + " * 250), 10, "'let.x' has 1001 characters, 1000 are allowed"),
        ],
    )
    def test_too_long(self, section: str, column: int, message: str) -> None:
        found = only(with_section(section))
        assert found[:3] == ("QS155", 8, column)
        assert message in found[3]

    @pytest.mark.parametrize(
        ("old", "new", "code", "place", "message"),
        [
            ("spec: 1", "spec: 2", "QS153", (1, 7), "'spec' must be 1, not '2'"),
            ("spec: 1", 'spec: "1"', "QS153", (1, 7), "'spec' must be 1, not the text '1'"),
            ("spec: 1\n", "", "QS151", (1, 1), "the file has no 'spec'"),
            ("name: Scale, ", "", "QS151", (2, 1), "'operator' has no 'name'"),
            ("name: Scale", "name: ../../x", "QS154", (2, 18), "'../../x' is not a name"),
            ("name: Scale", "name: 'x\"; y'", "QS154", (2, 18), "'x\"; y' is not a name"),
            ("name: Scale", 'name: "Scale\\n"', "QS154", (2, 18), "is not a name"),
            ("name: Scale", "name: true", "QS152", (2, 18), "must be a name, not 'true'"),
            ("category: math", "category: ../x", "QS154", (2, 35), "'../x' is not a folder name"),
            ("category: math", "category: Math", "QS154", (2, 35), "'Math' is not a folder name"),
            (
                "brief: {en: Scales., zh: 缩放。}",
                "brief: Scales.",
                "QS152",
                (2, 48),
                "must be a text in en and zh",
            ),
            ("en: Scales.,", "em: Scales.,", "QS150", (2, 49), "unknown key 'em' in 'operator.brief'"),
            ("[A2, A3]", "[]", "QS157", (3, 8), "'chips' must not be an empty list"),
            ("[A2, A3]", "[A2, A2]", "QS157", (3, 13), "'chips' has 'A2' twice"),
            ("[A2, A3]", "A2", "QS152", (3, 8), "'chips' must be a list of chips, not the text 'A2'"),
            ("shape: [N]", "shape: N", "QS152", (5, 30), "'inputs.x.shape' must be a shape: a list of dims"),
            ("shape: [N]", "shape: [1.5]", "QS152", (5, 31), "'inputs.x.shape[0]' must be a dim"),
            ("shape: [N]", "shape: {lik: y}", "QS150", (5, 31), "unknown key 'lik' in 'inputs.x.shape'"),
            ("shape: [N]", "shape: [{rst: N}]", "QS150", (5, 32), "unknown key 'rst' in 'inputs.x.shape[0]'"),
            ("shape: [N]", "shape: [{any: []}]", "QS157", (5, 37), "must not be an empty list"),
            ("shape: [N]", f"shape: [{', '.join('N' * 9)}]", "QS157", (5, 55), "has 9 items, 8 are allowed"),
            ("shape: [N]", "shape: [{rest: R, max_rank: 9}]", "QS156", (5, 51), "must be at most 8, not 9"),
            ("shape: [N]", "presence: maybe", "QS153", (5, 33), "cannot be 'maybe'"),
            ("shape: [N]", "presence: [required]", "QS152", (5, 33), "must be one word, not a list"),
            ("shape: [N]", "format: NZ", "QS153", (5, 31), "cannot be 'NZ'"),
            ("dtype: float16, shape: [N]", "dtype: {folow: y}", "QS150", (5, 15), "unknown key 'folow'"),
            ("dtype: float16, shape: [N]", "shape: [N]", "QS151", (5, 3), "'inputs.x' has no 'dtype'"),
            (
                "dtype: float16, shape: {like: x}",
                "alias: x, shape: [N]",
                "QS150",
                (7, 17),
                "unknown key 'shape'",
            ),
            (
                "dtype: float16, shape: {like: x}",
                "dtype: float16",
                "QS151",
                (7, 3),
                "'outputs.y' has no 'shape'",
            ),
        ],
    )
    def test_minimal(self, old: str, new: str, code: str, place: tuple[int, int], message: str) -> None:
        assert old in MINIMAL
        found = only(MINIMAL.replace(old, new))
        assert found[:3] == (code, *place)
        assert message in found[3]

    def test_all_in_one_run(self) -> None:
        text = "spec: 2\nopertor: {name: 1x}\nchips: A2\ninputs: {x: {dtyp: q}}\noutputs: {}\nemit: [all]\n"
        assert [(p.code, p.span.line if p.span else 0) for p in problems(text)] == [
            ("QS153", 1),
            ("QS150", 2),
            ("QS152", 3),
            ("QS150", 4),
            ("QS153", 6),
        ]

    def test_twice_names_both_places(self) -> None:
        (problem,) = problems(MINIMAL.replace("[A2, A3]", "[A2, A2]"))
        assert [related.span for related in problem.related] == [Span("s.yaml", 3, 9, 3, 11)]

    @pytest.mark.parametrize("text", ["[1]", "5", "x", "{}"])
    def test_not_a_spec_at_all(self, text: str) -> None:
        node = tree_of(f"a: {text}")
        assert isinstance(node, Mapping)
        inner = node.get("a")
        assert inner is not None
        sink = Sink()
        assert not validate(inner, sink)
        assert {d.code for d in sink} <= {"QS151", "QS152"}


# --------------------------------------------------------------------------- the schema itself

SUPPORTED = {
    *("$schema", "$defs", "$ref", "title", "description", "default", "examples", "type", "enum", "const"),
    *("if", "then", "else", "pattern", "minLength", "maxLength", "minimum", "maximum"),
    *("items", "minItems", "maxItems", "uniqueItems"),
    *("properties", "required", "additionalProperties", "propertyNames", "minProperties", "maxProperties"),
}
KINDS: tuple[Kind, ...] = ("operator", "chips")


def schema_of(kind: Kind) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(schema_text(kind))
    return loaded


def subschemas(schema: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(schema, dict):
        return
    yield schema
    for key in ("$defs", "properties"):
        for inner in schema.get(key, {}).values():
            yield from subschemas(inner)
    for key in ("if", "then", "else", "items", "additionalProperties", "propertyNames"):
        yield from subschemas(schema.get(key))


@pytest.mark.parametrize("kind", KINDS)
class TestSchemaFile:
    def test_is_json_schema(self, kind: Kind) -> None:
        jsonschema.Draft202012Validator.check_schema(schema_of(kind))

    def test_uses_what_has_words(self, kind: Kind) -> None:
        for schema in subschemas(schema_of(kind)):
            assert set(schema) <= SUPPORTED

    def test_patterns_are_about_the_whole_text(self, kind: Kind) -> None:
        for schema in subschemas(schema_of(kind)):
            assert re.fullmatch(r"\^[^$]*\$", schema.get("pattern", "^$"))

    def test_references_resolve_and_definitions_are_used(self, kind: Kind) -> None:
        schema = schema_of(kind)
        references = set(re.findall(r'"\$ref": "#/\$defs/(\w+)"', schema_text(kind)))
        assert references == set(schema["$defs"])

    def test_every_property_is_described(self, kind: Kind) -> None:
        schema = schema_of(kind)
        for owner in subschemas(schema):
            for key, inner in owner.get("properties", {}).items():
                target = inner
                while "description" not in target and "$ref" in target:
                    target = schema["$defs"][target["$ref"].split("/")[-1]]
                assert target.get("description"), key

    def test_every_definition_has_a_title(self, kind: Kind) -> None:
        for name, schema in schema_of(kind)["$defs"].items():
            assert schema.get("title"), name

    def test_mappings_are_closed(self, kind: Kind) -> None:
        for schema in subschemas(schema_of(kind)):
            if schema.get("type") == "object" and ("properties" in schema or "propertyNames" in schema):
                assert "additionalProperties" in schema or "then" in schema or "required" not in schema

    def test_examples_and_defaults_are_valid(self, kind: Kind) -> None:
        schema = schema_of(kind)
        for part in subschemas(schema):
            rule = {**part, "$defs": schema["$defs"]}
            for value in [*part.get("examples", []), *([part["default"]] if "default" in part else [])]:
                assert validator(rule).is_valid(value), (value, part)

    def test_conditions_tell_alternatives_apart(self, kind: Kind) -> None:
        """A branch that keys choose needs these keys: no branch picked by likeness accepts what is wrong."""
        schema = schema_of(kind)
        for part in subschemas(schema):
            if "if" not in part:
                continue
            assert set(part["if"]) <= {"type", "required", "propertyNames"}
            branch = part["then"]
            while "$ref" in branch:
                branch = schema["$defs"][branch["$ref"].split("/")[-1]]
            if "if" not in branch:
                assert set(part["if"].get("required", [])) <= set(branch.get("required", []))


def test_operator_schema_is_the_file() -> None:
    assert operator_schema() == schema_of("operator")


# --------------------------------------------------------------------------- against the plain validator


def _strict_integer(checker: Any, instance: Any) -> bool:
    return isinstance(instance, int) and not isinstance(instance, bool)


def validator(schema: dict[str, Any]) -> Any:
    """The library's validator, which only does not take 1.0 for an integer."""
    draft = jsonschema.Draft202012Validator
    types = draft.TYPE_CHECKER.redefine("integer", _strict_integer)
    extend: Any = jsonschema.validators.extend
    return extend(draft, type_checker=types)(schema)


HERE = Span("s.yaml", 1, 1, 1, 2)


def node_of(value: Any) -> Node:
    if isinstance(value, dict):
        return Mapping(HERE, tuple(Entry(key, HERE, node_of(inner)) for key, inner in value.items()))
    if isinstance(value, list):
        return Sequence(HERE, tuple(node_of(inner) for inner in value))
    return Scalar(HERE, value, str(value), isinstance(value, str))


PLAIN: list[dict[str, Any]] = [
    to_plain(tree_of(path.read_text(encoding="utf-8")))  # type: ignore[misc]
    for path in SPECS
    if kind_of(path) == "operator"
]
LIBRARY = validator(schema_of("operator"))
WORDS = sorted(
    {key for schema in subschemas(schema_of("operator")) for key in schema.get("properties", {})}
    | {"else", "int", "all", "a", "../x", "finite", ""}
)
LEAVES: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, False, 0, 1, -1, 9, 2.5, "", "x", "a b", "int8", "required", *WORDS, "y" * 1001]
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3),
    max_leaves=6,
)


def containers(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from containers(inner)


def mutate(value: Any, data: st.DataObject) -> None:
    places = [place for place in containers(value) if place]
    place = data.draw(st.sampled_from(places)) if places else value
    keys = list(place) if isinstance(place, dict) else list(range(len(place)))
    key = data.draw(st.sampled_from(keys)) if keys else "a"
    action = data.draw(st.sampled_from(["replace", "delete", "add", "rename"]))
    if action == "delete" and keys:
        del place[key]
    elif action == "replace" and keys:
        place[key] = data.draw(VALUES)
    elif isinstance(place, list):
        place.insert(key if isinstance(key, int) else 0, data.draw(VALUES))
    elif action == "rename" and keys:
        place[data.draw(st.sampled_from(WORDS))] = place.pop(key)
    else:
        place[data.draw(st.sampled_from(WORDS))] = data.draw(VALUES)


def same_verdict(spec: dict[str, Any]) -> None:
    sink = Sink()
    valid = validate(node_of(spec), sink)
    assert valid is LIBRARY.is_valid(spec), list(sink)
    assert valid is not bool(len(sink))


class TestAgainstThePlainValidator:
    """Keywords of our own find errors sooner or say more, but never change what is valid."""

    @given(st.data())
    @settings(max_examples=250, deadline=None)
    def test_mutated_specs(self, data: st.DataObject) -> None:
        value = copy.deepcopy(data.draw(st.sampled_from(PLAIN)))
        section = data.draw(st.sampled_from(sorted(value)))
        small: dict[str, Any] = {**tree_plain(MINIMAL), section: value[section]}
        for _ in range(data.draw(st.integers(1, 3))):
            mutate(small, data)
        same_verdict(small)

    @given(VALUES)
    @settings(max_examples=100, deadline=None)
    def test_anything_in_a_section(self, value: Any) -> None:
        for section in ("attrs", "tiling", "bindings", "let"):
            spec = {**tree_plain(MINIMAL), section: {"x": value}}
            same_verdict(spec)


def tree_plain(text: str) -> dict[str, Any]:
    value = to_plain(tree_of(text))
    assert isinstance(value, dict)
    return dict(value)


def printed(program: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return done.stdout.split()


def test_the_library_is_imported_for_a_spec_with_errors_only() -> None:
    kinds = {str(path): kind_of(path) for path in SPECS}
    program = (
        "import sys\n"
        "from qsfa_codegen.diagnostics import Sink\n"
        "from qsfa_codegen.spec.reader import read, read_text\n"
        "from qsfa_codegen.spec.schema import validate\n"
        f"for path, kind in {kinds!r}.items():\n"
        "    assert validate(read(path, Sink()), Sink(), kind)\n"
        "print('jsonschema' in sys.modules)\n"
        "assert not validate(read_text('a: 1', 'a.yaml', Sink()), Sink())\n"
        "print('jsonschema' in sys.modules)\n"
    )
    assert printed(program) == ["False", "True"]


def test_a_long_spec_with_errors_is_checked_faster_than_the_library_is_imported() -> None:
    longest = max(SPECS, key=lambda path: path.stat().st_size)
    program = (
        "from time import process_time\n"
        "from qsfa_codegen.diagnostics import Sink\n"
        "from qsfa_codegen.spec.reader import read_text\n"
        "from qsfa_codegen.spec.schema import validate\n"
        f"text = open({str(longest)!r}, encoding='utf-8').read() + '\\nunknown: 1\\n'\n"
        "tree = read_text(text, 's.yaml', Sink())\n"
        "start = process_time()\n"
        "import qsfa_codegen.spec.schema_keywords\n"
        "imported = process_time()\n"
        "assert not validate(tree, Sink())\n"
        "print(process_time() - imported, imported - start)"
    )
    checking, importing = map(float, printed(program))
    assert checking < importing
