"""Example programs: the C++ one compiles, runs and cleans up; the Python one makes a call that is legal."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from qsfa_codegen.contract.calls import Call, TensorArg
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.render import aclnn_example, docs
from qsfa_codegen.render.package import groups, render, render_these
from qsfa_codegen.render.torch_example import torch_example
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import Operator
from tests.render.markdown import Page, read
from tests.render.test_any_spec import loaded
from tests.spec.strategies import at_random

ROOT = Path(__file__).parents[2]
STUB = Path(__file__).parent / "acl_stub"
COMPILE = ("g++", "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", f"-I{STUB}")
FIRST_PHASE = "{ *workspaceSize = 64; *executor = nullptr; return 0; }\n"
SECOND_PHASE = "{ return workspaceSize == 64 ? 0 : 1; }\n"
SPECS = sorted(path for path in (ROOT / "spec").glob("*.yaml") if path.name != "chips.yaml")
EACH_SPEC = pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)
QSFA = ROOT / "spec" / "kv_quant_sparse_flash_attention.yaml"


@cache
def operator_of(spec: Path) -> Operator:
    return load(spec)


@cache
def files(spec: Path) -> dict[str, str]:
    return render_these(operator_of(spec), (*docs.ARTEFACTS, *aclnn_example.ARTEFACTS))


def aclnn_page(operator: Operator, rendered: dict[str, str]) -> Page:
    return read(rendered[f"docs/{operator.aclnn.name}.md"])


def program(operator: Operator, rendered: dict[str, str]) -> str:
    return rendered[f"examples/test_aclnn_{operator.snake}.cpp"]


def compiled(operator: Operator, rendered: dict[str, str], folder: Path, *flags: str) -> Path:
    """The example, with the prototypes of the page as the header that it includes, and what they do."""
    prototypes = next(text for language, text in aclnn_page(operator, rendered).fences if language == "cpp")
    first, second = prototypes.split("\n\n")
    header = (
        '#pragma once\n#include "aclnn/acl_meta.h"\n'
        f"inline {first.removesuffix(';')}\n{FIRST_PHASE}inline {second.removesuffix(';')}\n{SECOND_PHASE}"
    )
    (folder / f"aclnn_{operator.snake}.h").write_text(header)
    source, target = folder / "example.cpp", folder / "example"
    source.write_text(program(operator, rendered))
    command = [*COMPILE, *flags, f"-I{folder}", str(source), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


# --------------------------------------------------------------------------- C++


@EACH_SPEC
def test_the_program_compiles_runs_and_gives_everything_back(spec: Path, tmp_path: Path) -> None:
    operator = operator_of(spec)
    done = subprocess.run(
        [compiled(operator, files(spec), tmp_path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    shown = [line.split(":")[0] for line in done.stdout.splitlines()]
    assert shown == [o.name for o in operator.outputs if o.name in shown] != []


@EACH_SPEC
def test_the_page_shows_the_program(spec: Path) -> None:
    operator = operator_of(spec)
    shown = aclnn_page(operator, files(spec)).fences[-1]
    assert shown[0] == "cpp"
    assert program(operator, files(spec)).endswith(f"\n{shown[1]}\n")


def test_what_the_first_operator_is_called_with() -> None:
    text = program(operator_of(QSFA), files(QSFA))
    shapes = dict(re.findall(r"DeviceTensor<\w+> (\w+)\(ACL_\w+, ACL_FORMAT_ND, \{([\d, ]+)\}", text))
    assert {name: shape.split(", ")[-1] for name, shape in shapes.items()} == {
        "query": "576",
        "key": "656",
        "value": "656",
        "sparseIndices": shapes["sparseIndices"].split(", ")[-1],
        "attentionOutOut": "512",
    }
    for declared in (
        "const int64_t keyQuantMode = 2; // per_tile",
        "const int64_t attentionMode = 2; // mla_absorb",
        'char layoutQueryOptional[] = "BSND";',
        "const int64_t preTokens = INT64_MAX;",
        "const aclTensor *softmaxMaxOut = nullptr;",
        "const aclTensor *blockTableOptional = nullptr;",
    ):
        assert f"    {declared}\n" in text


def test_a_spec_can_leave_the_program_out() -> None:
    assert "examples" in groups()
    text = QSFA.read_text(encoding="utf-8")
    assert not any(
        path.startswith("examples/") for path in render(loaded(f"{text}\nemit: [docs, op_host]\n"))
    )
    assert list(render(loaded(f"{text}\nemit: [examples]\n"))) == [
        "examples/test_aclnn_kv_quant_sparse_flash_attention.cpp"
    ]


def test_programs_of_random_specs_compile(tmp_path: Path) -> None:
    written = 0
    for seed in range(12):
        operator = loaded(at_random(seed))
        rendered = render_these(operator, (*docs.ARTEFACTS, *aclnn_example.ARTEFACTS))
        if aclnn_example.has_example(operator):
            compiled(operator, rendered, tmp_path, "-fsyntax-only")
            written += 1
    assert written >= 4


# --------------------------------------------------------------------------- Python


class Device:
    """What the program uses of torch: tensors that are their dtypes, shapes and data, and one operator."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.ops = self

    def __getattr__(self, name: str) -> Any:
        if name == "_C_ascend":
            return SimpleNamespace(**{op: self._recorder(op) for op in self._names()})
        return name  # a dtype

    def _names(self) -> list[str]:
        bindings = (operator_of(spec).torch for spec in SPECS)
        return [binding.name for binding in bindings if binding is not None]

    def _recorder(self, op: str) -> Any:
        def call(*args: Any, **options: Any) -> tuple[None, ...]:
            self.calls.append((op, args, options))
            binding = next(b for s in SPECS if (b := operator_of(s).torch) is not None and b.name == op)
            return (None,) * len(binding.returns)

        return call

    def zeros(self, shape: list[int], dtype: str, device: str) -> TensorArg:
        return self._tensor(shape, dtype, device, 0)

    def ones(self, shape: list[int], dtype: str, device: str) -> TensorArg:
        return self._tensor(shape, dtype, device, 1)

    def _tensor(self, shape: list[int], dtype: str, device: str, value: int) -> TensorArg:
        assert device == "npu"
        count = 1
        for size in shape:
            count *= size
        return TensorArg(dtype, tuple(shape), (value,) * count if dtype == "int32" else None)


@EACH_SPEC
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_python_program_makes_a_legal_call(spec: Path, language: str) -> None:
    operator = operator_of(spec)
    binding = operator.torch
    assert binding is not None
    text = torch_example(operator, language)
    head, body = text.split("enable_custom_op()", 1)
    assert "import torch\n" in head
    assert "from vllm_ascend.utils import enable_custom_op\n" in head
    device = Device()
    exec(body.partition("\n")[2], {"torch": device})
    ((op, args, options),) = device.calls
    assert op == binding.name
    given = dict(zip((p.name for p in binding.positional), args, strict=False)) | options
    params = {p.name: p for p in (*binding.positional, *binding.keyword)}
    values = {p.source or p.name: given.get(name, p.default) for name, p in params.items()}
    names = {i.name for i in operator.inputs}
    call = Call(
        "example",
        "A2",
        {name: value for name, value in values.items() if name in names and value is not None},
        {name: value for name, value in values.items() if name not in names and value is not None},
    )
    result = Evaluator(operator).evaluate(call)
    assert result.violations == ()
    assert result.ok
