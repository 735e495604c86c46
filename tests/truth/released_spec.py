"""A spec for any released operator, made from what the wheel registers: interface only, no contract."""

from __future__ import annotations

import json
from collections.abc import Mapping
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


def write(registration: Registration, proto: Proto, chip: str) -> str:
    """The spec as JSON, which is YAML too.

    Every tensor has a dtype column of its own, and the shape [1]: nothing is known of shapes.
    """
    tensors = (*registration.inputs, *registration.outputs)
    columns = {id(tensor): f"c{index}" for index, tensor in enumerate(tensors)}
    follows = {p.name: p.type[1:-1].removesuffix("_type") for p in proto.inputs if p.type.startswith('"')}
    tree: Tree = {
        "spec": 1,
        "operator": {"name": proto.name, "category": "released", "brief": _text("Interface only.")},
        "chips": [chip],
        "registration": _registration(registration.flags),
        "dtypes": {
            "columns": list(columns.values()),
            "rows": {chip: [list(row) for row in zip(*(t.dtypes for t in tensors), strict=True)]},
        },
        "inputs": {t.name: _input(t, columns[id(t)], follows) for t in registration.inputs},
        "attrs": {a.name: _attribute(a) for a in registration.attributes},
        "outputs": _outputs(registration, columns),
    }
    if any(t.presence == "dynamic" for t in registration.inputs):
        tree["dims"] = {f"{t.name}_count": {} for t in registration.inputs if t.presence == "dynamic"}
    return json.dumps(tree)


def _text(sentence: str) -> Tree:
    return {"en": sentence, "zh": sentence}


def _registration(flags: frozenset[tuple[str, str]]) -> Tree:
    named = {_FLAGS[key]: value == "true" for key, value in sorted(flags) if key in _FLAGS}
    others = {key: value for key, value in sorted(flags) if key not in _FLAGS}
    return {**named, "ext": others} if others else named


def _input(tensor: Tensor, column: str, follows: Mapping[str, str]) -> Tree:
    root = follows.get(tensor.name, tensor.name)
    entry = _tensor(tensor, column if root == tensor.name else {"follow": root})
    if tensor.presence == "dynamic":
        entry["list"] = {"count": f"{tensor.name}_count"}
    else:
        entry["presence"] = tensor.presence
    if tensor.value_depend is not None:
        entry["value_depend"] = tensor.value_depend
    return entry


def _outputs(registration: Registration, columns: Mapping[int, str]) -> Tree:
    in_place = {t.name for t in registration.inputs}
    entries: Tree = {}
    for tensor in registration.outputs:
        entry = _tensor(tensor, columns[id(tensor)])
        if tensor.presence == "dynamic":
            entry["registered"] = "dynamic"
        if tensor.name in in_place:
            del entry["dtype"], entry["shape"]
            entry["alias"] = tensor.name
        entries[tensor.name] = entry
    return entries


def _tensor(tensor: Tensor, dtype: str | Tree) -> Tree:
    (form,) = set(tensor.formats)
    entry: Tree = {"dtype": dtype, "shape": [1], "format": form}
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
