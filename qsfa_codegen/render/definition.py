"""``op_host/<op>_def.cpp``: parameters, dtype rows and AI Core configurations, as CANN registers them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.cpp import bool_literal, ge_dtype, ge_format
from qsfa_codegen.render.parameters import REGISTERED_TYPES, default_literal
from qsfa_codegen.render.text import cpp_string, wrap_call
from qsfa_codegen.spec.columns import registered_dtypes
from qsfa_codegen.spec.model import AttrType, Contiguous, Input, InputKind, Output, Registration, ValueDepend
from qsfa_codegen.spec.names import camel

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Attr, Chip, Operator

_CHAIN_INDENT = 12  # where `.ParamType(…)` stands in a method of a class in a namespace
_FLAGS = {
    "dynamic_compile_static": "DynamicCompileStaticFlag",
    "dynamic_format": "DynamicFormatFlag",
    "dynamic_rank": "DynamicRankSupportFlag",
    "dynamic_shape": "DynamicShapeSupportFlag",
    "need_check_support": "NeedCheckSupportFlag",
    "precision_reduce": "PrecisionReduceFlag",
}
_KINDS = {InputKind.SCALAR: "Scalar()", InputKind.SCALAR_LIST: "ScalarList()"}
_CONTIGUOUS = {Contiguous.AUTO: "AutoContiguous()", Contiguous.IGNORE: "IgnoreContiguous()"}
_VALUE_DEPEND = {ValueDepend.OPTIONAL: "ValueDepend(OPTIONAL)", ValueDepend.REQUIRED: "ValueDepend(REQUIRED)"}


class _Entry(Struct, frozen=True):
    """One registration statement: ``Input("query")`` and the calls chained to it."""

    head: str
    calls: tuple[str, ...]


class _Config(Struct, frozen=True):
    """One OpAICoreConfig and the chips that share it; an empty one needs no object."""

    socs: tuple[str, ...]
    parameters: tuple[_Entry, ...]
    calls: tuple[str, ...]

    @property
    def variable(self) -> str:
        return f"{camel(self.socs[0])}Config"

    @property
    def is_plain(self) -> bool:
        return not self.parameters and not self.calls


def _render(operator: Operator, templates: Templates) -> str:
    base = operator.chips[0].id
    return templates.render(
        "op_host/op_def.cpp.j2",
        name=operator.name,
        steps=_steps(operator),
        inputs=[_input(operator, i, base) for i in operator.inputs],
        outputs=[_output(operator, o, base) for o in operator.outputs],
        attrs=[_attr(attr) for attr in operator.attrs],
        configs=_configs(operator, base),
    )


def _steps(operator: Operator) -> list[str]:
    parts = {
        "AddInputs": operator.inputs,
        "AddOutputs": operator.outputs,
        "AddAttrs": operator.attrs,
        "AddChips": operator.chips,
    }
    return [step for step, parameters in parts.items() if parameters]


def _input(operator: Operator, parameter: Input, chip: str, *, follow: bool = True) -> _Entry:
    calls = [f"ParamType({parameter.registered.value})"]
    if follow and parameter.dtype.follow is not None:
        calls.append(f"Follow({cpp_string(parameter.dtype.follow)})")
    else:
        calls.extend(_types_and_formats(operator, parameter, chip))
    optional = (
        _KINDS.get(parameter.kind),
        _VALUE_DEPEND.get(parameter.value_depend),
        _CONTIGUOUS.get(parameter.contiguous),
    )
    calls.extend(call for call in optional if call is not None)
    return _Entry(f"Input({cpp_string(parameter.name)})", tuple(calls))


def _output(operator: Operator, parameter: Output, chip: str) -> _Entry:
    # Dtypes are spelt out even where an output follows an input: CANN's Follow of an output also makes
    # the build tool write shape inference of its own, which would compete with the generated one.
    calls = [f"ParamType({parameter.registered.value})", *_types_and_formats(operator, parameter, chip)]
    if parameter.contiguous in _CONTIGUOUS:
        calls.append(_CONTIGUOUS[parameter.contiguous])
    return _Entry(f"Output({cpp_string(parameter.name)})", tuple(calls))


def _types_and_formats(operator: Operator, parameter: Input | Output, chip: str) -> Iterator[str]:
    dtypes = registered_dtypes(operator, parameter.dtype, chip)
    rows = max(1, len(operator.dtypes.rows_of(chip)))
    method = "DataType" if len(dtypes) == rows else "DataTypeList"
    yield _list_call(method, map(ge_dtype, dtypes))
    if parameter.unknown_format is None:
        yield _list_call("FormatList", [ge_format(parameter.format)])
        return
    # CANN pairs UnknownShapeFormat with Format entry by entry; the list form has no such pair.
    yield _list_call("Format", [ge_format(parameter.format)] * rows)
    yield _list_call("UnknownShapeFormat", [ge_format(parameter.unknown_format)] * rows)


def _list_call(method: str, values: Iterable[str]) -> str:
    return wrap_call(f".{method}({{", list(values), "})", _CHAIN_INDENT).removeprefix(".")


def _attr(attr: Attr) -> str:
    kind = "REQUIRED" if attr.required else "OPTIONAL"
    if attr.type is AttrType.DTYPE and isinstance(attr.default, str):
        default = ge_dtype(attr.default)
    else:
        default = default_literal(attr) or ""
    method = f"{REGISTERED_TYPES[attr.type]}({default})"
    return f"Attr({cpp_string(attr.name)}).AttrType({kind}).{method};"


# --------------------------------------------------------------------------- AI Core configurations


def _configs(operator: Operator, base: str) -> list[_Config]:
    """Configurations in chip order; chips whose configuration is the same share it."""
    shared: dict[tuple[tuple[_Entry, ...], tuple[str, ...]], list[str]] = {}
    registrations = {registration.chip: registration for registration in operator.registration}
    for chip in operator.chips:
        key = (_overrides(operator, chip, base), tuple(_flags(registrations.get(chip.id))))
        shared.setdefault(key, []).append(chip.soc)
    return [_Config(tuple(socs), parameters, calls) for (parameters, calls), socs in shared.items()]


def _overrides(operator: Operator, chip: Chip, base: str) -> tuple[_Entry, ...]:
    """Parameters that are registered otherwise on this chip than on the first: CANN merges them by name."""
    if chip.id == base:
        return ()
    first, here = _spelt_out(operator, base), _spelt_out(operator, chip.id)
    return tuple(entry for entry, on_base in zip(here, first, strict=True) if entry != on_base)


def _spelt_out(operator: Operator, chip: str) -> list[_Entry]:
    """Every parameter with its dtypes on this chip; Follow would take them from the first chip."""
    return [
        *(_input(operator, parameter, chip, follow=False) for parameter in operator.inputs),
        *(_output(operator, parameter, chip) for parameter in operator.outputs),
    ]


def _flags(registration: Registration | None) -> Iterator[str]:
    if registration is None:
        return
    for name, value in registration.flags:
        yield f"{_FLAGS[name]}({bool_literal(value)})"
    for key, text in registration.ext:
        yield f"ExtendCfgInfo({cpp_string(key)}, {cpp_string(text)})"


ARTEFACTS = (Artefact("op_host", lambda op: f"op_host/{op.snake}_def.cpp", _render),)
