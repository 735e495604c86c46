"""The AI Core registration of an operator, from the wheel's JSON and from a definition file, in one form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.truth.op_def import Calls, Config, Definition

# Keys that the build tool adds by itself, from the file name or without any call in the definition.
BUILD_KEYS = frozenset({"opFile", "opInterface", "prebuildPattern", "coreType"})

_FLAG_KEYS = {
    "DynamicCompileStaticFlag": "dynamicCompileStatic",
    "DynamicFormatFlag": "dynamicFormat",
    "DynamicRankSupportFlag": "dynamicRankSupport",
    "DynamicShapeSupportFlag": "dynamicShapeSupport",
    "NeedCheckSupportFlag": "needCheckSupport",
    "PrecisionReduceFlag": "precision_reduce",
}
# What a chip gets that is added without a configuration.
_DEFAULT_FLAGS = {key: "false" if key == "needCheckSupport" else "true" for key in _FLAG_KEYS.values()}

_DTYPES = {
    "DT_FLOAT": "float32",
    "DT_FLOAT16": "float16",
    "DT_BF16": "bfloat16",
    "DT_INT8": "int8",
    "DT_INT4": "int4",
    "DT_INT16": "int16",
    "DT_UINT64": "uint64",
    "DT_INT32": "int32",
    "DT_INT64": "int64",
    "DT_UINT8": "uint8",
    "DT_BOOL": "bool",
}
_TYPE_CODES = {"DT_INT8": "2"}
_ATTRIBUTE_TYPES = {"Int": "int", "Float": "float", "Bool": "bool", "String": "str"}


@dataclass(frozen=True, slots=True)
class Tensor:
    """An input or output; ``dtypes`` and formats hold one entry for each compiled variant."""

    name: str
    presence: str
    dtypes: tuple[str, ...]
    formats: tuple[str, ...]
    unknown_shape_formats: tuple[str, ...]
    value_depend: str | None


@dataclass(frozen=True, slots=True)
class Attribute:
    """``default`` as the JSON spells it; None for a required attribute."""

    name: str
    type: str
    presence: str
    default: str | None


@dataclass(frozen=True, slots=True)
class Registration:
    """One operator on one chip; ``flags`` are the other entries: ("dynamicFormat.flag", "true")."""

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    attributes: tuple[Attribute, ...]
    flags: frozenset[tuple[str, str]]


# --------------------------------------------------------------------------- from the wheel


def from_json(entry: Mapping[str, Any]) -> Registration:
    """One entry of ops-info.json."""
    names = entry["attr"]["list"].split(",") if "attr" in entry else []
    other = {k: v for k, v in entry.items() if not k.startswith(("input", "output", "attr"))}
    return Registration(
        inputs=_tensors(entry, "input"),
        outputs=_tensors(entry, "output"),
        attributes=tuple(_attribute(name, entry[f"attr_{name}"]) for name in names),
        flags=frozenset(
            (f"{key}.{inner}", value)
            for key, values in other.items()
            if key not in BUILD_KEYS
            for inner, value in values.items()
        ),
    )


def _tensors(entry: Mapping[str, Any], kind: str) -> tuple[Tensor, ...]:
    count = sum(key.removeprefix(kind).isdigit() for key in entry)
    return tuple(_tensor(entry[f"{kind}{index}"]) for index in range(count))


def _tensor(fields: Mapping[str, str]) -> Tensor:
    assert fields["shape"] == "all"
    return Tensor(
        name=fields["name"],
        presence=fields["paramType"],
        dtypes=tuple(fields["dtype"].split(",")),
        formats=tuple(fields["format"].split(",")),
        unknown_shape_formats=tuple(filter(None, fields.get("unknownshape_format", "").split(","))),
        value_depend=fields.get("valueDepend"),
    )


def _attribute(name: str, fields: Mapping[str, str]) -> Attribute:
    assert fields["value"] == "all"
    return Attribute(name, fields["type"], fields["paramType"], fields.get("defaultValue"))


# --------------------------------------------------------------------------- from a definition


def from_definition(definition: Definition, soc: str) -> Registration:
    """What the build tool makes of a definition for ``soc``."""
    config = definition.chips[soc]
    inputs = {**definition.inputs, **(config.inputs if config else {})}
    outputs = {**definition.outputs, **(config.outputs if config else {})}
    every = (*inputs.values(), *outputs.values())
    rows = max(len(calls.get("DataType", "?")) for calls in every)
    return Registration(
        inputs=tuple(_defined(name, _followed(calls, inputs), rows) for name, calls in inputs.items()),
        outputs=tuple(_defined(name, _followed(calls, inputs), rows) for name, calls in outputs.items()),
        attributes=tuple(_defined_attribute(name, calls) for name, calls in definition.attributes.items()),
        flags=frozenset(_flags(config).items()),
    )


def _followed(calls: Calls, inputs: Mapping[str, Calls]) -> Calls:
    """Follow takes dtypes and formats of the named input, not whether it is required."""
    if "Follow" not in calls:
        return calls
    root = _followed(inputs[calls["Follow"][0]], inputs)
    return {**root, **calls, "ParamType": calls["ParamType"]}


def _defined(name: str, calls: Calls, rows: int) -> Tensor:
    depend = calls.get("ValueDepend")
    return Tensor(
        name=name,
        presence=calls["ParamType"][0].lower(),
        dtypes=tuple(_DTYPES[_last(word)] for word in _spread(calls, "DataType", rows)),
        formats=tuple(_last(w).removeprefix("FORMAT_") for w in _spread(calls, "Format", rows)),
        unknown_shape_formats=tuple(
            _last(word).removeprefix("FORMAT_") for word in calls.get("UnknownShapeFormat", ())
        ),
        value_depend=depend[0].lower() if depend else None,
    )


def _spread(calls: Calls, method: str, rows: int) -> tuple[str, ...]:
    """The list form gives combinations of its own, so with one member it holds for every row."""
    if method in calls:
        assert len(calls[method]) == rows
        return calls[method]
    (single,) = calls[f"{method}List"]
    return (single,) * rows


def _last(word: str) -> str:
    return word.rpartition("::")[2]


def _defined_attribute(name: str, calls: Calls) -> Attribute:
    presence = calls["AttrType"][0].lower()
    (method, values), *_ = ((m, v) for m, v in calls.items() if m != "AttrType")
    kind = _ATTRIBUTE_TYPES.get(method) or method[0].lower() + method[1:]
    # The JSON leaves out the default of a required attribute, whatever the definition registers.
    default = _default(kind, values) if presence == "optional" else None
    return Attribute(name, kind, presence, default)


def _default(kind: str, values: tuple[str, ...]) -> str:
    if kind.startswith("list"):
        return f"[{','.join(values)}]"
    (value,) = values
    match kind:
        case "float":
            return f"{float(value):g}"
        case "int":
            return _TYPE_CODES.get(_last(value)) or str(_integer(value))
        case _:
            return value


def _integer(text: str) -> int:
    return {"INT64_MAX": 2**63 - 1, "INT64_MIN": -(2**63)}.get(text) or int(text.rstrip("LU"), 0)


def _flags(config: Config | None) -> dict[str, str]:
    if config is None:
        return {f"{key}.flag": value for key, value in _DEFAULT_FLAGS.items()}
    flags = {f"{_FLAG_KEYS[name]}.flag": value for name, value in config.flags.items()}
    extra = {k: v for k, v in config.extensions.items() if k.partition(".")[0] not in BUILD_KEYS}
    return {**flags, **extra}
