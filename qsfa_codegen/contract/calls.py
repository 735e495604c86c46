"""One call of an operator and what came of it, as data; the JSON forms of both."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from enum import Enum

from msgspec import Struct, field

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.spec.model import AttrValue

UNKNOWN_DIM = -1
UNKNOWN_RANK = (-2,)

Number = int | float | bool


class Stage(Enum):
    """A part of what the host does with a call."""

    INFER = "infer"
    TILING = "tiling"


class TensorArg(Struct, frozen=True):
    """A tensor as the host sees it. ``data`` is flat, in row-major order; None when not given."""

    dtype: str
    shape: tuple[int, ...]
    data: tuple[Number, ...] | None = None


InputArg = TensorArg | tuple[TensorArg, ...]
"""One tensor, or the tensors of a list input."""


def tensors(arg: InputArg) -> tuple[TensorArg, ...]:
    """The tensors that stand at an input."""
    return (arg,) if isinstance(arg, TensorArg) else arg


def each_tensor(arg: InputArg, change: Callable[[TensorArg], TensorArg]) -> InputArg:
    """The input with ``change`` made to each of its tensors."""
    return change(arg) if isinstance(arg, TensorArg) else tuple(map(change, arg))


class Call(Struct, frozen=True):
    """One call. Inputs that are not passed and attributes that take their default are left out.

    ``chip`` is an id or a SoC config name; ``platform`` overrides facts of the chip by their
    expression names. ``attr_count`` is how many attributes the caller's graph supplies (None: all).
    ``expect`` is any subset of a result as JSON. ``outputs`` is what the caller allocated.
    """

    id: str
    chip: str
    inputs: Mapping[str, InputArg] = field(default_factory=dict)
    attrs: Mapping[str, AttrValue] = field(default_factory=dict)
    outputs: Mapping[str, TensorArg] = field(default_factory=dict)
    attr_count: int | None = None
    stage: Stage | None = None
    platform: Mapping[str, int] = field(default_factory=dict)
    expect: Mapping[str, object] | None = None
    span: Span | None = None

    def named(self, id: str, expect: Mapping[str, object]) -> Call:
        """This call under an id, with what is expected of it."""
        return Call(
            id,
            self.chip,
            self.inputs,
            self.attrs,
            self.outputs,
            self.attr_count,
            self.stage,
            self.platform,
            expect,
            self.span,
        )

    def with_inputs(self, inputs: Mapping[str, InputArg]) -> Call:
        """This call with other inputs."""
        return Call(
            self.id,
            self.chip,
            inputs,
            self.attrs,
            self.outputs,
            self.attr_count,
            self.stage,
            self.platform,
            self.expect,
            self.span,
        )


class Violation(Struct, frozen=True):
    """A rule of the contract that the call breaks, and the parameter to blame."""

    constraint: str
    parameter: str
    message: str


class TilingResult(Struct, frozen=True):
    """What the host tells the kernel. ``data`` nests as the structs do; ``bytes`` is the memory image."""

    key: int | None
    block_dim: int | None
    schedule_mode: int
    workspace: tuple[int, ...]
    data: Mapping[str, object] | None
    bytes: bytes | None


class Result(Struct, frozen=True):
    """What came of one call: outputs (and tiling where that ran), or the violations and their stage.

    ``fault`` says how the engine itself failed, for example that generated code crashed; the rest is
    empty then.
    """

    id: str
    outputs: Mapping[str, TensorArg] = field(default_factory=dict)
    tiling: TilingResult | None = None
    stage: Stage | None = None
    violations: tuple[Violation, ...] = ()
    fault: str = ""

    @property
    def ok(self) -> bool:
        """True when the call is legal."""
        return not self.violations and not self.fault


# --------------------------------------------------------------------------- as JSON


def _plain(value: object) -> object:
    """A value that JSON can hold: tuples become lists, infinities and NaN their names."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _tensor_json(tensor: TensorArg) -> dict[str, object]:
    shown: dict[str, object] = {"dtype": tensor.dtype, "shape": tensor.shape}
    if tensor.data is not None:
        shown["data"] = tensor.data
    return shown


def _input_json(arg: InputArg) -> object:
    return _tensor_json(arg) if isinstance(arg, TensorArg) else [_tensor_json(item) for item in arg]


def call_json(call: Call) -> dict[str, object]:
    """The call as its JSON object for ``dump``, without what it leaves out."""
    shown: dict[str, object] = {"id": call.id, "chip": call.chip}
    if call.stage is not None:
        shown["stage"] = call.stage.value
    if call.platform:
        shown["platform"] = dict(call.platform)
    shown["inputs"] = {name: _input_json(arg) for name, arg in call.inputs.items()}
    if call.outputs:
        shown["outputs"] = {name: _tensor_json(arg) for name, arg in call.outputs.items()}
    shown["attrs"] = dict(call.attrs)
    if call.attr_count is not None:
        shown["attr_count"] = call.attr_count
    if call.expect is not None:
        shown["expect"] = call.expect
    return shown


def _tiling_json(tiling: TilingResult) -> dict[str, object]:
    shown: dict[str, object] = {}
    if tiling.key is not None:
        shown["key"] = tiling.key
    if tiling.block_dim is not None:
        shown["block_dim"] = tiling.block_dim
    shown["schedule_mode"] = tiling.schedule_mode
    shown["workspace"] = list(tiling.workspace)
    if tiling.data is not None:
        shown["data"] = tiling.data
    if tiling.bytes is not None:
        shown["bytes"] = tiling.bytes.hex()
    return shown


def result_json(result: Result) -> dict[str, object]:
    """The result as its JSON object for ``dump``."""
    if result.fault:
        return {"id": result.id, "status": "fault", "reason": result.fault}
    if not result.ok:
        assert result.stage is not None
        return {
            "id": result.id,
            "status": "rejected",
            "stage": result.stage.value,
            "violations": [
                {"constraint": v.constraint, "parameter": v.parameter, "message": v.message}
                for v in result.violations
            ],
        }
    shown: dict[str, object] = {
        "id": result.id,
        "status": "ok",
        "outputs": {name: _tensor_json(tensor) for name, tensor in result.outputs.items()},
    }
    if result.tiling is not None:
        shown["tiling"] = _tiling_json(result.tiling)
    return shown


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def dump(shown: Mapping[str, object]) -> str:
    """One line of JSON; infinities and NaN are spelt as strings."""
    try:
        return _ENCODER.encode(shown)
    except ValueError:
        return _ENCODER.encode(_plain(shown))
