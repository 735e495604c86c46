"""The generated tiling function, compiled against a stand-in and run on calls."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from qsfa_codegen.contract.calls import Call, TensorArg
from qsfa_codegen.render.package import render
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Attr, AttrType, AttrValue, Operator

STUB = Path(__file__).parent / "tiling_stub"
COMPILE = ("g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{STUB}")
CHECKED = ("-O0", "-fsanitize=undefined", "-fno-sanitize-recover=undefined")
OTHER_ARCH = 1001
KINDS = {
    AttrType.INT: "i",
    AttrType.DTYPE: "i",
    AttrType.FLOAT: "f",
    AttrType.BOOL: "b",
    AttrType.STR: "s",
    AttrType.LIST_INT: "li",
    AttrType.LIST_BOOL: "lb",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the generated code said; a rejected call has a message alone."""

    message: str
    key: int | None = None
    block_dim: int | None = None
    schedule_mode: int | None = None
    workspace: int | None = None
    bytes: str | None = None


def compiled_runner(folder: Path, flags: Sequence[str] = CHECKED) -> Path:
    """The program around the generated code, which is the same for every operator."""
    runner = folder / "tiling_runner.o"
    source = STUB / "tiling_runner.cpp"
    subprocess.run([*COMPILE, *flags, "-c", str(source), "-o", str(runner)], check=True)
    return runner


class Tiling:
    """The compiled tiling function of one operator."""

    def __init__(
        self, operator: Operator, folder: Path, runner: Path, flags: Sequence[str] = CHECKED
    ) -> None:
        self._operator = operator
        self._program = folder / "tiling"
        for path, text in render(operator).items():
            if path.startswith(("op_host/", "op_kernel/")):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text, encoding="utf-8")
        source = folder / "op_host" / f"{operator.snake}_tiling.cpp"
        subprocess.run([*COMPILE, *flags, str(source), str(runner), "-o", str(self._program)], check=True)

    def answers(self, calls: Sequence[Call]) -> list[Answer]:
        """The answer to each call."""
        lines = "".join(f"{self._line(call)}\n" for call in calls)
        ran = subprocess.run([self._program], input=lines, capture_output=True, text=True, check=True)
        said = ran.stderr.split("--\n")[:-1]
        return [_answer(*pair) for pair in zip(ran.stdout.splitlines(), said, strict=True)]

    def instructions(self, call: Call) -> int:
        """Machine instructions that the call takes."""
        command = [str(self._program), "--count"]
        line = self._line(call) + "\n"
        return int(subprocess.run(command, input=line, capture_output=True, text=True, check=True).stdout)

    def _line(self, call: Call) -> str:
        chip = next((c for c in self._operator.chips if call.chip in (c.id, c.soc)), None)
        known = chip or self._operator.chips[0]
        facts = {"aic": known.aic, "aiv": known.aiv, "libapi_workspace": known.libapi_workspace}
        facts = {**facts, "ub_size": known.ub, **call.platform}
        arch = int(chip.npu_arch.removeprefix("DAV_")) if chip else OTHER_ARCH
        inputs = [_tensor(call.inputs.get(i.name)) for i in self._operator.inputs]
        attrs = [_attr(a, call.attrs.get(a.name, a.default)) for a in self._operator.attrs[: call.attr_count]]
        head = "\t".join(map(str, (arch, *facts.values(), chip.soc if chip else "other")))
        return "|".join((head, "\t".join(inputs), "\t".join(attrs)))


def _tensor(arg: object) -> str:
    if arg is None:
        return "-"
    assert isinstance(arg, TensorArg)
    return f"{DTYPES[arg.dtype].code}:{','.join(map(str, arg.shape))}"


def _attr(attr: Attr, value: AttrValue | None) -> str:
    if isinstance(value, tuple):
        return KINDS[attr.type] + ",".join(str(int(item)) for item in value)  # type: ignore[arg-type]
    if isinstance(value, bool):
        return f"b{int(value)}"
    if attr.type is AttrType.DTYPE and isinstance(value, str):
        return f"i{DTYPES[value].code}"
    return f"{KINDS[attr.type]}{value}"


def _answer(line: str, message: str) -> Answer:
    status, *words = line.split(" ")
    if status != "ok":
        return Answer(message.strip())
    key, block_dim, schedule_mode, workspace = map(int, words[:4])
    return Answer("", key, block_dim, schedule_mode, workspace, words[4] if len(words) > 4 else "")
