"""A spec for any released operator, made from what the wheel registers: interface only, no contract."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from tests.truth.graph_proto import Proto
from tests.truth.ops_info import Attribute, Registration, Tensor

_ATTRIBUTE_TYPES = {
    "int": "int",
    "float": "float",
    "bool": "bool",
    "str": "str",
    "listInt": "list_int",
    "listBool": "list_bool",
}
_FLAGS = {
    "dynamicCompileStatic.flag": "dynamic_compile_static",
    "dynamicFormat.flag": "dynamic_format",
    "dynamicRankSupport.flag": "dynamic_rank",
    "dynamicShapeSupport.flag": "dynamic_shape",
    "needCheckSupport.flag": "need_check_support",
    "precision_reduce.flag": "precision_reduce",
}

Tree = dict[str, Any]
Columns = dict[tuple[str, ...], str]


def write(registration: Registration, proto: Proto, chip: str) -> str:
    """The spec as JSON, which is YAML too.

    Tensors with the same dtypes in all rows share a column; one dtype in all rows is written as it is.
    Nothing is known of shapes: all are [1].
    """
    columns = _columns(registration)
    in_place = {t.name for t in registration.inputs} & {t.name for t in registration.outputs}
    follows = {p.name: p.type[1:-1].removesuffix("_type") for p in proto.inputs if p.type.startswith('"')}
    tree: Tree = {
        "spec": 1,
        "operator": {"name": proto.name, "category": "released", "brief": _text("Interface only.")},
        "chips": [chip],
        "registration": _registration(registration.flags),
        "inputs": {t.name: _input(t, columns, follows) for t in registration.inputs},
        "attrs": {a.name: _attribute(a) for a in registration.attributes},
        "outputs": {t.name: _output(t, columns, in_place) for t in registration.outputs},
    }
    if columns:
        tree["dtypes"] = {
            "columns": list(columns.values()),
            "rows": {chip: [list(row) for row in zip(*columns, strict=True)]},
            "unbound": _unbound(registration, columns),
        }
    for name in in_place:
        tree["inputs"][name]["mutated"] = True
    if any(t.presence == "dynamic" for t in registration.inputs):
        tree["dims"] = {f"{t.name}_count": {} for t in registration.inputs if t.presence == "dynamic"}
    return json.dumps(tree)


def _columns(registration: Registration) -> Columns:
    tensors = (*registration.inputs, *registration.outputs)
    varying = dict.fromkeys(t.dtypes for t in tensors if len(set(t.dtypes)) > 1)
    return {dtypes: f"c{index}" for index, dtypes in enumerate(varying)}


def _unbound(registration: Registration, columns: Columns) -> dict[str, str]:
    """What an output has when no input that is always passed tells its column: the first column."""
    told = {t.dtypes for t in registration.inputs if t.presence == "required"}
    first = next(iter(columns.values()))
    outputs = dict.fromkeys(t.dtypes for t in registration.outputs if t.dtypes in columns)
    return {columns[dtypes]: first for dtypes in outputs if dtypes not in told}


def _text(sentence: str) -> Tree:
    return {"en": sentence, "zh": sentence}


def _registration(flags: frozenset[tuple[str, str]]) -> Tree:
    named = {_FLAGS[key]: value == "true" for key, value in sorted(flags) if key in _FLAGS}
    others = {key: value for key, value in sorted(flags) if key not in _FLAGS}
    return {**named, "ext": others} if others else named


def _input(tensor: Tensor, columns: Columns, follows: Mapping[str, str]) -> Tree:
    entry = _tensor(tensor, columns)
    root = follows.get(tensor.name, tensor.name)
    if root != tensor.name:
        entry["dtype"] = {"follow": root}
    if tensor.presence == "dynamic":
        entry["list"] = {"count": f"{tensor.name}_count"}
    else:
        entry["presence"] = tensor.presence
    if tensor.value_depend is not None:
        entry["value_depend"] = tensor.value_depend
    return entry


def _output(tensor: Tensor, columns: Columns, in_place: Collection[str]) -> Tree:
    entry = _tensor(tensor, columns)
    if tensor.presence == "dynamic":
        entry["registered"] = "dynamic"
    if tensor.name in in_place:
        del entry["dtype"], entry["shape"]
        entry["alias"] = tensor.name
    return entry


def _tensor(tensor: Tensor, columns: Columns) -> Tree:
    (form,) = set(tensor.formats)
    entry: Tree = {"dtype": columns.get(tensor.dtypes, tensor.dtypes[0]), "shape": [1], "format": form}
    if tensor.unknown_shape_formats:
        (unknown,) = set(tensor.unknown_shape_formats)
        entry["unknown_format"] = unknown
    return entry


def _attribute(attribute: Attribute) -> Tree:
    entry: Tree = {"type": _ATTRIBUTE_TYPES[attribute.type], "required": attribute.presence == "required"}
    if attribute.default is not None:
        entry["default"] = _default(attribute)
    return entry


def _default(attribute: Attribute) -> Any:
    assert attribute.default is not None
    if attribute.type == "str":
        return attribute.default
    if attribute.type == "float":
        return float(attribute.default)
    return json.loads(attribute.default)
