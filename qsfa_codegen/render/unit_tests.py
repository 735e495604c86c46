"""Unit tests of op_host in the form of CANN's ops-transformer: gtest around its context fakers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.expr.memo import once_an_operator
from qsfa_codegen.render.answers import Answer
from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.cases import derived
from qsfa_codegen.render.cpp import ge_format
from qsfa_codegen.render.text import cpp_string, wrap_call, wrap_items
from qsfa_codegen.render.tiling_struct import MACRO, NAMESPACE, tiling_data
from qsfa_codegen.render.tiling_uses import PLATFORM_MEMBERS, compile_info, compile_info_members, has_tiling
from qsfa_codegen.spec.layout import Entry, struct_layout
from qsfa_codegen.spec.model import AttrType
from qsfa_codegen.spec.names import upper

if TYPE_CHECKING:
    from qsfa_codegen.contract.calls import Result
    from qsfa_codegen.contract.pick import Picks
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Chip, Operator

_GROUP = "ut"
_FOLDER = "tests/ut"
_TEMPLATES = "tests/ut/op_host"
_USUAL_ROOM = 1 << 12  # bytes of tiling data that the framework has room for where a test does not say more


class Device(Struct, frozen=True):
    """A chip as tiling sees it: what tests call it, the chips that are alike, and its compile info."""

    name: str
    others: tuple[str, ...]
    values: tuple[str, ...]


class CallTable(Struct, frozen=True):
    """The accepted and the rejected calls of a test file, each as text."""

    accepted: tuple[str, ...]
    rejected: tuple[str, ...]


class Field(Struct, frozen=True):
    """A field of the tiling data: what tests call it, and the C++ that reads it."""

    name: str
    read: str


def has_unit_tests(operator: Operator) -> bool:
    """Whether the framework's contexts can hold the operator's attributes: they know no lists of strings."""
    return all(attr.type is not AttrType.LIST_STR for attr in operator.attrs)


def emits_unit_tests(operator: Operator) -> bool:
    """Whether the package has them."""
    return has_unit_tests(operator) and (not operator.emit or _GROUP in operator.emit)


def _tests_tiling(operator: Operator) -> bool:
    """Whether tiling is tested: what it answers is unknown here where it calls functions of the user's."""
    return has_tiling(operator) and operator.tiling is not None and not operator.tiling.externs


def _has_tiling_tests(operator: Operator) -> bool:
    return has_unit_tests(operator) and _tests_tiling(operator)


# --------------------------------------------------------------------------- calls


@Answer
def infer_calls(operator: Operator) -> CallTable:
    """The calls that shape and dtype inference are tested with."""
    if not has_unit_tests(operator):
        return CallTable((), ())
    from qsfa_codegen.contract.pick import pick_infer
    from qsfa_codegen.render.ut_calls import output_piece

    def outputs(result: Result) -> Mapping[str, str]:
        return {name: output_piece(name, tensor) for name, tensor in result.outputs.items()}

    found = derived(operator)
    return _table(operator, pick_infer(found.evaluator, found.derivation), lambda _: "", outputs)


@Answer
def tiling_calls(operator: Operator) -> CallTable:
    """The calls that tiling is tested with."""
    if not _has_tiling_tests(operator):
        return CallTable((), ())
    from qsfa_codegen.contract.pick import pick_tiling

    names = {chip: device.name for device in _devices(operator) for chip in (device.name, *device.others)}

    def device(chip: str) -> str:
        return names.get(chip, chip)

    found = derived(operator)
    picks = pick_tiling(found.evaluator, found.derivation, device)
    return _table(operator, picks, device, lambda result: _answers(operator, result))


def _table(
    operator: Operator,
    picks: Picks,
    device: Callable[[str], str],
    expected: Callable[[Result], Mapping[str, str]],
) -> CallTable:
    from qsfa_codegen.contract.pick import supplied_attrs
    from qsfa_codegen.render.ut_calls import CallTexts

    evaluator, texts = derived(operator).evaluator, CallTexts(operator)
    accepted = tuple(
        texts.accepted(call, device(call.chip), supplied_attrs(evaluator, call), expected(result))
        for call, result in picks.accepted
    )
    rejected = tuple(
        texts.rejected(call, device(call.chip), supplied_attrs(evaluator, call)) for call in picks.rejected
    )
    return CallTable(accepted, rejected)


# --------------------------------------------------------------------------- tiling


def _devices(operator: Operator) -> list[Device]:
    """The chips that tiling can tell from one another, in order."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for chip in operator.chips:
        alike.setdefault(_compile_info_of(operator, chip), []).append(chip.id)
    return [Device(name, tuple(others), values) for values, (name, *others) in alike.items()]


def _compile_info_of(operator: Operator, chip: Chip) -> tuple[str, ...]:
    """What the compile info of a chip holds, as C++, in the order of its members."""
    from qsfa_codegen.contract.env import names_on

    tells_chips, members = compile_info_members(operator)
    facts = names_on(operator, chip)
    names = {member: name for name, member in PLATFORM_MEMBERS.items()}
    kind = f"{NAMESPACE}::{compile_info(operator)}::Chip::{chip.id}"
    return (
        *([kind] if tells_chips else []),
        f"NpuArch::{chip.npu_arch}",
        *(str(facts[names[member]]) for member in members),
    )


def _answers(operator: Operator, result: Result) -> Mapping[str, str]:
    """A piece for each number that tiling answers."""
    from qsfa_codegen.render.ut_calls import number_piece

    tiling = result.tiling
    assert tiling is not None
    numbers: dict[str, int | float] = {}
    if tiling.key is not None:
        numbers["tilingKey"] = tiling.key
    if tiling.block_dim is not None:
        numbers["blockDim"] = tiling.block_dim
    numbers["workspace"] = sum(tiling.workspace)
    for entry, name in _named_entries(operator):
        value: object = tiling.data
        for part in entry.path.split("."):
            assert isinstance(value, Mapping)
            value = value[part]
        assert isinstance(value, int | float)
        numbers[name] = value
    return {name: number_piece(name, value) for name, value in numbers.items()}


@once_an_operator
def _named_entries(operator: Operator) -> list[tuple[Entry, str]]:
    """Fields of the tiling data, called by their own name where it is the only one, else by their path."""
    data = tiling_data(operator)
    if data is None:
        return []
    entries = struct_layout(data).entries
    names = [entry.field.name for entry in entries]
    return [(e, e.field.name if names.count(e.field.name) == 1 else e.path) for e in entries]


def _fields(operator: Operator) -> list[Field]:
    data = tiling_data(operator)
    if data is None:
        return []
    if data.style == MACRO:
        return [Field(name, f"At<{_ctype(e)}>(info, {e.offset})") for e, name in _named_entries(operator)]
    return [Field(name, f"data.{entry.path}") for entry, name in _named_entries(operator)]


def _ctype(entry: Entry) -> str:
    from qsfa_codegen.render.cpp import field_type

    return field_type(entry.ctype.name)


# --------------------------------------------------------------------------- files


def _namespace(operator: Operator) -> str:
    return f"{operator.name}UT"


def _param_file(operator: Operator) -> str:
    return f"{operator.snake}_param.h"


def _texts(operator: Operator) -> str:
    tables = [infer_calls(operator), tiling_calls(operator)]
    return "\n".join(text for table in tables for text in (*table.accepted, *table.rejected))


def _parameter(name: str, format: str) -> str:
    return f"{{{cpp_string(name)}, {ge_format(format)}}}"


def _render_param(operator: Operator, templates: Templates) -> str:
    from qsfa_codegen.render.ut_calls import ATTR_METHODS, CallTexts, methods

    texts = _texts(operator)
    defaults = CallTexts(operator).defaults()
    used = methods("".join((texts, *defaults)))
    return templates.render(
        f"{_TEMPLATES}/op_param.h.j2",
        guard=f"{upper(operator.name)}_PARAM_H",
        namespace=_namespace(operator),
        operator=operator.name,
        lists=[
            ("INPUTS", "Parameter", [_parameter(i.name, i.format) for i in operator.inputs]),
            ("OUTPUTS", "Parameter", [_parameter(o.name, o.format) for o in operator.outputs]),
            ("ATTRS", "std::string", [cpp_string(attr.name) for attr in operator.attrs]),
        ],
        defaults=wrap_items('inline const Call DEFAULTS = Call("defaults")', defaults, ";"),
        used=used,
        attr_methods=[(name, ctype) for name, ctype in ATTR_METHODS if name in used],
        with_data="Bytes<" in texts,
        tiles=_tests_tiling(operator),
        limits="std::numeric_limits" in texts,
    )


class Instances(Struct, frozen=True):
    """The macro calls that make a test of each accepted and of each rejected call."""

    accepted: str
    rejected: str


def _instances(operator: Operator, part: str) -> Instances:
    def instance(verb: str, calls: str) -> str:
        arguments = [operator.name, f"{operator.name}{part}{verb}", f"testing::ValuesIn({calls})", "NameOf"]
        return wrap_call("INSTANTIATE_TEST_SUITE_P(", arguments, ");")

    return Instances(
        instance("Accepts", "Whole(ACCEPTED)"), instance("Rejects", "Whole(REJECTED, Whole(ACCEPTED))")
    )


def _render_infershape(operator: Operator, templates: Templates) -> str:
    return templates.render(
        f"{_TEMPLATES}/test_op_infershape.cpp.j2",
        namespace=_namespace(operator),
        operator=operator.name,
        param_file=_param_file(operator),
        calls=infer_calls(operator),
        instances=_instances(operator, "Infer"),
    )


def _render_tiling(operator: Operator, templates: Templates) -> str:
    data = tiling_data(operator)
    size = 0 if data is None else struct_layout(data).size
    return templates.render(
        f"{_TEMPLATES}/test_op_tiling.cpp.j2",
        namespace=_namespace(operator),
        operator=operator.name,
        snake=operator.snake,
        param_file=_param_file(operator),
        compile_info=f"{NAMESPACE}::{compile_info(operator)}",
        devices=_devices(operator),
        calls=tiling_calls(operator),
        instances=_instances(operator, "Tiling"),
        root=None if data is None or data.style == MACRO else f"{NAMESPACE}::{data.root.type_name}",
        size=size,
        room=None if size <= _USUAL_ROOM else size,
        fields=_fields(operator),
        tiling=operator.tiling,
    )


def _render_folder(operator: Operator, templates: Templates) -> str:
    return templates.render("tests/CMakeLists.txt.j2")


def _render_op_host(operator: Operator, templates: Templates) -> str:
    return templates.render(f"{_TEMPLATES}/CMakeLists.txt.j2", tiles=_tests_tiling(operator))


ARTEFACTS = (
    Artefact(_GROUP, lambda o: "tests/CMakeLists.txt", _render_folder, has_unit_tests),
    Artefact(_GROUP, lambda o: f"{_FOLDER}/CMakeLists.txt", _render_folder, has_unit_tests),
    Artefact(_GROUP, lambda o: f"{_FOLDER}/op_host/CMakeLists.txt", _render_op_host, has_unit_tests),
    Artefact(
        _GROUP,
        lambda o: f"{_FOLDER}/op_host/{_param_file(o)}",
        _render_param,
        has_unit_tests,
    ),
    Artefact(
        _GROUP,
        lambda o: f"{_FOLDER}/op_host/test_{o.snake}_infershape.cpp",
        _render_infershape,
        has_unit_tests,
    ),
    Artefact(
        _GROUP,
        lambda o: f"{_FOLDER}/op_host/test_{o.snake}_tiling.cpp",
        _render_tiling,
        _has_tiling_tests,
    ),
)
