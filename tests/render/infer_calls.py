"""Calls for the generated shape inference: how they are written down for the runner, and drawn at random."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, InputArg, TensorArg, tensors
from qsfa_codegen.render.package import render
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Attr, AttrType, AttrValue, Operator

STUB = Path(__file__).parent / "stub"
KINDS = {
    AttrType.INT: "i",
    AttrType.DTYPE: "i",
    AttrType.FLOAT: "f",
    AttrType.BOOL: "b",
    AttrType.STR: "s",
    AttrType.LIST_INT: "li",
    AttrType.LIST_BOOL: "lb",
}
NAMES = {dtype.code: name for name, dtype in DTYPES.items()}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the generated code said: dtype and shape of each output, or None and a message."""

    outputs: tuple[tuple[str, tuple[int, ...]], ...] | None
    message: str


COMPILE = ("g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", f"-I{STUB}")


def compiled_runner(folder: Path) -> Path:
    """The program around the generated code, which is the same for every operator."""
    runner = folder / "infer_runner.o"
    subprocess.run([*COMPILE, "-c", str(STUB / "infer_runner.cpp"), "-o", str(runner)], check=True)
    return runner


class Inference:
    """The compiled shape inference of one operator."""

    def __init__(self, operator: Operator, folder: Path, runner: Path) -> None:
        self._operator = operator
        self._program = folder / "infer"
        source = folder / f"{operator.snake}_infershape.cpp"
        files = render(replace(operator, emit=("op_host",)))
        source.write_text(files[f"op_host/{source.name}"], encoding="utf-8")
        subprocess.run([*COMPILE, str(source), str(runner), "-o", str(self._program)], check=True)

    def answers(self, calls: Sequence[Call]) -> list[Answer]:
        """The answer to each call."""
        lines = "".join(f"{self._line(call)}\n" for call in calls)
        ran = subprocess.run([self._program], input=lines, capture_output=True, text=True, check=True)
        said = ran.stderr.split("--\n")
        assert "runtime error" not in ran.stderr
        return [
            Answer(_outputs(line), text.strip())
            for line, text in zip(ran.stdout.splitlines(), said, strict=False)
        ]

    def _line(self, call: Call) -> str:
        words = [f"in={_tensors(call.inputs.get(i.name, ()))}" for i in self._operator.inputs]
        for attr in self._operator.attrs[: call.attr_count]:
            value = call.attrs.get(attr.name, attr.default)
            assert value is not None, f"{attr.name} has no value"
            words.append(f"attr={KINDS[attr.type]}:{_text(attr, value)}")
        return " ".join([*words, f"out={len(self._operator.outputs)}"])


def _tensors(arg: InputArg) -> str:
    return ";".join(f"{DTYPES[t.dtype].code}:{','.join(map(str, t.shape))}" for t in tensors(arg))


def _text(attr: Attr, value: AttrValue) -> str:
    if isinstance(value, tuple):
        return ",".join(str(int(item)) for item in value)  # type: ignore[arg-type]
    if attr.type is AttrType.DTYPE and isinstance(value, str):
        return str(DTYPES[value].code)
    return str(int(value)) if isinstance(value, bool) else str(value)


def _outputs(line: str) -> tuple[tuple[str, tuple[int, ...]], ...] | None:
    status, *tensors = line.split(" ")
    if status != "ok":
        return None
    pairs = [tensor.split(":") for tensor in tensors]
    return tuple(
        (NAMES[int(dtype)], tuple(int(size) for size in sizes.split(",") if size)) for dtype, sizes in pairs
    )


# --------------------------------------------------------------------------- random calls


def mutations(operator: Operator, legal: Sequence[Call], count: int, seed: int) -> Iterator[Call]:
    """Legal calls with one to three things changed: sizes, ranks, presence, attributes, their number."""
    rng = random.Random(seed)
    for _ in range(count):
        call = replace(rng.choice(legal), outputs={}, expect=None)
        for _ in range(rng.randint(1, 3)):
            call = _mutated(operator, call, rng)
        yield call


def _mutated(operator: Operator, call: Call, rng: random.Random) -> Call:
    kind = rng.randrange(10)
    if kind == 0 and operator.attrs:
        return _with_fewer_attrs(operator, call, rng)
    if kind in (1, 2) and operator.attrs:
        attr = rng.choice(operator.attrs)
        return replace(call, attrs={**call.attrs, attr.name: _odd_value(operator, attr, rng)})
    if not call.inputs:
        return call
    name = rng.choice(list(call.inputs))
    others = {other: arg for other, arg in call.inputs.items() if other != name}
    changed = {} if kind == 3 else {name: _odd_arg(call.inputs[name], kind, rng)}
    return replace(call, inputs={**others, **changed})


def _with_fewer_attrs(operator: Operator, call: Call, rng: random.Random) -> Call:
    count = rng.randint(0, len(operator.attrs))
    return replace(call, attr_count=count)


def _odd_arg(arg: InputArg, kind: int, rng: random.Random) -> InputArg:
    if isinstance(arg, tuple):
        index = rng.randrange(len(arg))
        return tuple(_odd_tensor(t, kind, rng) if i == index else t for i, t in enumerate(arg))
    return _odd_tensor(arg, kind, rng)


def _odd_tensor(tensor: TensorArg, kind: int, rng: random.Random) -> TensorArg:
    shape = list(tensor.shape)
    if kind == 4:
        return replace(tensor, shape=(-2,))
    if kind == 5:
        shape = shape[1:] if rng.random() < 0.5 else [*shape, 1]
    elif shape:
        shape[rng.randrange(len(shape))] = rng.choice([-1, -1, -1, 0, 1, 2, 3, 48, 64, 2**40, 2**63 - 1])
    return replace(tensor, shape=tuple(shape))


def _odd_value(operator: Operator, attr: Attr, rng: random.Random) -> AttrValue:
    labels = [label.name for enum in operator.enums if enum.name == attr.enum for label in enum.labels]
    choices: Mapping[AttrType, Sequence[AttrValue]] = {
        AttrType.INT: [0, 1, 2, 3, 64, -1, 2**32 + 2, 2**63 - 1, -(2**63)],
        AttrType.DTYPE: ["int8", "int4", "float32", "int64"],
        AttrType.FLOAT: [0.0, 0.5, -1.0],
        AttrType.BOOL: [False, True],
        AttrType.STR: [*labels, "NONE", ""],
        AttrType.LIST_INT: [(), (0, 0), (1, 2, 3), (0, 64)],
        AttrType.LIST_BOOL: [(), (False,), (True, False), (False, True), (True, True, True)],
    }
    return rng.choice(choices[attr.type])
