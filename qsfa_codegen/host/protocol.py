"""Calls and answers as lines of the runner; runner/call.h and runner/host.h have the grammar."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from math import prod

from qsfa_codegen.contract.calls import Call, InputArg, Result, Stage, TensorArg, TilingResult, Violation
from qsfa_codegen.expr.floats import single_precision
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.layout import Packer
from qsfa_codegen.spec.model import Attr, AttrType, AttrValue, Chip, Operator, ValueDepend

UNEXPLAINED = "unexplained"
"""The id of a rejection that names no rule."""

_STAGES = {None: "a", Stage.INFER: "i", Stage.TILING: "t"}
_CODES = {name: str(dtype.code) for name, dtype in DTYPES.items()}
_NAMES = {str(dtype.code): name for name, dtype in DTYPES.items()}
_SPECIAL = re.compile(r"[%|\x00-\x1f]")
_ESCAPE = re.compile(r"%([0-9A-F]{2})")
_RULE = re.compile(r"(.*?) ?\[(\w+)\]", re.DOTALL)
_INFER_SHAPE = "shape inference"  # as the runner calls that step
_OTHER_ARCH = 0xFFFF  # NpuArch::DAV_RESV


# --------------------------------------------------------------------------- calls


class CallWriter:
    """Spells calls of one operator."""

    def __init__(self, operator: Operator) -> None:
        self._inputs = tuple(i.name for i in operator.inputs)
        self._with_data = frozenset(i.name for i in operator.inputs if i.value_depend is not ValueDepend.NONE)
        self._attrs = tuple(_AttrWriter(attr) for attr in operator.attrs)
        self._chips = {name: chip for chip in operator.chips for name in (chip.id, chip.soc)}
        self._device = lru_cache(maxsize=200)(self._device_text)

    def line(self, call: Call, stage: Stage | None) -> bytes:
        """The call as a line, with its end."""
        device = self._device(call.chip, tuple(call.platform.items()))
        given = call.inputs
        inputs = "\t".join([self._input(n, given[n]) if n in given else "-" for n in self._inputs])
        values = call.attrs
        attrs = "".join([attr.text(values) for attr in self._attrs[: call.attr_count]])
        line = f"{_STAGES[stage]}|{device}|{inputs}|{attrs}\n"
        return line.encode("utf-8", "surrogatepass")

    def _input(self, name: str, arg: InputArg) -> str:
        if name in self._with_data and isinstance(arg, TensorArg) and _has_all_data(arg):
            return f"{_tensor(arg.dtype, arg.shape)}={','.join(map(_element, arg.data or ()))}"
        return _input(arg)

    def _device_text(self, name: str, platform: tuple[tuple[str, int], ...]) -> str:
        chip = self._chips.get(name)
        facts = {"aic": 0, "aiv": 0, "ub_size": 0, "libapi_workspace": 0} if chip is None else _facts(chip)
        facts.update(platform)
        soc = _escaped(name) if chip is None else chip.soc
        arch = _OTHER_ARCH if chip is None else int(chip.npu_arch.rpartition("_")[2])
        return "\t".join(map(str, (soc, arch, *facts.values())))


def _facts(chip: Chip) -> dict[str, int]:
    return {
        "aic": chip.aic,
        "aiv": chip.aiv,
        "ub_size": chip.ub,
        "libapi_workspace": chip.libapi_workspace,
    }


class _AttrWriter:
    """Spells one attribute, with a tab behind it."""

    __slots__ = ("_absent", "_name", "_spell")

    def __init__(self, attr: Attr) -> None:
        self._name = attr.name
        self._spell = _SPELLINGS[attr.type]
        self._absent = "-\t" if attr.default is None else f"{self._spell(attr.default)}\t"

    def text(self, values: Mapping[str, AttrValue]) -> str:
        value = values.get(self._name)
        return self._absent if value is None else f"{self._spell(value)}\t"


def _listed(letter: str, spell: Callable[[AttrValue], str]) -> Callable[[AttrValue], str]:
    def spelt(value: AttrValue) -> str:
        assert isinstance(value, tuple)
        return letter + ",".join([spell(item) for item in value])

    return spelt


def _real(value: AttrValue) -> str:
    assert isinstance(value, int | float)
    return repr(single_precision(value))


def _flag(value: AttrValue) -> str:
    return "1" if value else "0"


_SPELLINGS: dict[AttrType, Callable[[AttrValue], str]] = {
    AttrType.INT: lambda value: f"i{value}",
    AttrType.FLOAT: lambda value: f"f{_real(value)}",
    AttrType.BOOL: lambda value: f"b{_flag(value)}",
    AttrType.STR: lambda value: f"s{_escaped(str(value))}",
    AttrType.DTYPE: lambda value: f"i{_CODES[str(value)]}",
    AttrType.LIST_INT: _listed("I", str),
    AttrType.LIST_FLOAT: _listed("F", _real),
    AttrType.LIST_BOOL: _listed("B", _flag),
    AttrType.LIST_STR: lambda _: "x",
    AttrType.LIST_LIST_INT: lambda _: "x",
}


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda found: f"%{ord(found[0]):02X}", text)


def _has_all_data(arg: TensorArg) -> bool:
    return arg.data is not None and len(arg.data) == prod(arg.shape)


def _element(value: float) -> str:
    return repr(value) if isinstance(value, float) else str(int(value))


def _input(arg: InputArg) -> str:
    if isinstance(arg, TensorArg):
        return _tensor(arg.dtype, arg.shape)
    return ";".join([_tensor(item.dtype, item.shape) for item in arg]) or "-"


@lru_cache(maxsize=1 << 14)
def _tensor(dtype: str, shape: tuple[int, ...]) -> str:
    return f"{_CODES[dtype]}:{','.join(map(str, shape))}"


# --------------------------------------------------------------------------- answers


class AnswerReader:
    """Reads the answers to calls of one operator."""

    def __init__(self, operator: Operator) -> None:
        self._outputs = tuple(o.name for o in operator.outputs)
        self._parameters = dict(_parameters(operator))
        self._tiling_checks = frozenset(check.id for check in operator.checks)
        tiling = operator.tiling
        self._keyless = tiling is None or tiling.key is None
        self._packer = None if tiling is None or tiling.data is None else Packer(tiling.data)

    def result(self, call: Call, stage: Stage | None, answer: str) -> Result:
        """What the host code made of ``call`` when ``stage`` was asked for."""
        verdict, first, second = answer.split("\t")
        if verdict == "ok":
            tiling = None if second == "-" else self._tiling(second)
            return Result(call.id, outputs=self._tensors(first), tiling=tiling)
        message = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), second)
        if verdict == "odd":
            return Result(call.id, fault=f"{first} succeeded, but logged an error: {message}")
        violation = self._violation(message)
        if stage is Stage.TILING and first == _INFER_SHAPE and violation.constraint in self._tiling_checks:
            return Result(call.id, fault=f"tiling accepts what {first} rejects: {message}")
        at = Stage.TILING if first.startswith("tiling") else Stage.INFER
        return Result(call.id, stage=stage or at, violations=(violation,))

    def _violation(self, message: str) -> Violation:
        named = _RULE.fullmatch(message)
        if named is None:
            return Violation(UNEXPLAINED, "", message or "the host code gives no reason")
        return Violation(named[2], self._parameters.get(named[2], ""), named[1])

    def _tensors(self, text: str) -> dict[str, TensorArg]:
        spelt = text.split(" ") if text else []
        return dict(zip(self._outputs, map(_read_tensor, spelt), strict=True))

    def _tiling(self, text: str) -> TilingResult:
        key, block_dim, mode, workspaces, image = text.split(" ")
        data = bytes.fromhex(image)
        packer = self._packer
        fits = packer is not None and len(data) == packer.layout.size
        return TilingResult(
            key=None if key == "-" or (self._keyless and key == "0") else int(key),
            block_dim=None if block_dim == "-" else int(block_dim),
            schedule_mode=int(mode),
            workspace=tuple(map(int, workspaces.split(","))) if workspaces else (),
            data=packer.nested(packer.unpack(data)) if packer is not None and fits else None,
            bytes=None if packer is None and not data else data,
        )


@lru_cache(maxsize=1 << 14)
def _read_tensor(text: str) -> TensorArg:
    dtype, _, sizes = text.partition(":")
    shape = tuple(map(int, sizes.split(","))) if sizes else ()
    return TensorArg(_NAMES.get(dtype, f"dtype {dtype}"), shape)


def _parameters(operator: Operator) -> list[tuple[str, str]]:
    """Whom a rule blames, by the rule's id; later ones win."""
    found = [(f"{attr.name}_presence", attr.name) for attr in operator.attrs]
    found += [(f"{output.name}_shape", output.name) for output in operator.outputs]
    found += [("chip", "chip"), ("workspace_fits", "workspace"), ("block_dim_fits", "block_dim")]
    if operator.tiling is not None and operator.tiling.data is not None:
        entries = Packer(operator.tiling.data).layout.entries
        found += [(f"{entry.field.name}_fits", entry.path) for entry in entries]
    found += [(check.id, check.parameter) for check in reversed(operator.checks)]
    return found
