"""The suites that a package brings along: they pass on the CPU, and fail where the operator is wrong."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import pytest
from msgspec.structs import replace

from qsfa_codegen.render.package import render
from tests.review.pairs import operator

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "generated" / "kv_quant_sparse_flash_attention"
SUITES = PACKAGE / "tests" / "e2e"
DECODE = "test_kv_quant_sparse_flash_attention.py"
ROPE0 = "test_kv_quant_sparse_flash_attention_rope0.py"


def run(suite: str, *options: str, before: str = "", folder: Path = SUITES) -> str:
    """What pytest says of a suite, with no settings of this project, in a copy of this process.

    A copy has torch at hand, which takes seconds to load.
    """
    with tempfile.TemporaryFile("w+") as said:
        child = os.fork()
        if child == 0:
            os._exit(_run_here(folder, (*options, str(folder / suite)), before, said))
        os.waitpid(child, 0)
        said.seek(0)
        return said.read()


def _run_here(folder: Path, options: Sequence[str], before: str, said: IO[str]) -> int:
    """Never raises: the copy must not go on as the process that it is a copy of."""
    try:
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
        sys.stdout = sys.stderr = said
        sys.dont_write_bytecode = True
        exec(f"from kv_quant_sparse_flash_attention import cache, cpu, ops, rows\n{before}", {})
        args = ["-q", "-c", os.devnull, "--rootdir", str(folder), "-p", "no:cacheprovider", *options]
        return int(pytest.main(args))
    except BaseException:
        traceback.print_exc(file=said)
        return 1
    finally:
        said.flush()


def counts(said: str) -> dict[str, int]:
    """``{"passed": 4}`` from the last line."""
    last = said.strip().splitlines()[-1]
    return {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|skipped|error)", last)}


def test_decode_passes() -> None:
    said = run(DECODE)
    assert counts(said) == {"passed": 4}, said


def test_rope0_passes() -> None:
    said = run(ROPE0)
    assert counts(said) == {"passed": 117}, said


WRONG = {
    "numbers": "old = rows.as_float32\nrows.as_float32 = lambda quantised: old(quantised) * 1.05",
    "tokens": "old = cpu._tokens\n"
    "def tokens(*args):\n"
    "    found, valid = old(*args)\n"
    "    return (found + 1) % 64, valid\n"
    "cpu._tokens = tokens",
}


@pytest.mark.parametrize("change", WRONG)
def test_decode_fails_where_the_operator_is_wrong(change: str) -> None:
    said = run(DECODE, before=WRONG[change])
    assert counts(said).get("failed", 0) > 0, said


# What is wrong, and the tests of the suite that must see it.
WRONG_WITHOUT_ROPE = {
    "later tokens": (
        "old = cpu.query_rows\ncpu.query_rows = lambda call: old(call)._replace(limit=old(call).limit + 1)",
        "batches_and_tails and True",
    ),
    "no softmax outputs": (
        "old = cpu._write\n"
        "def write(rows, running, outputs):\n"
        "    old(rows, running._replace(total=running.total * 2, result=running.result * 2), outputs)\n"
        "cpu._write = write",
        "uniform and 64",
    ),
    "another width": (
        "ops.check = lambda call: None",
        "refused",
    ),
    "the skipped slot": (
        "import kv_quant_sparse_flash_attention as p\nold = p.store\n"
        "p.store = lambda cache, rows, slots: old(cache, rows, slots.clamp(min=0))",
        "norm_to_attention",
    ),
    "the rotation": (
        "import kv_quant_sparse_flash_attention as p\nold = p.norm_rope_pack\n"
        "p.norm_rope_pack = lambda row, x, w, cos, sin: old(row, x, w, sin, cos)",
        "norm_to_attention and 64",
    ),
    "no rotation": (
        "cache._rotated = lambda x, cos, sin, interleaved: x",
        "norm_to_attention and 64",
    ),
    "HiFloat8": (
        "from kv_quant_sparse_flash_attention import hifloat8\nold = hifloat8.decode\n"
        "hifloat8.decode = rows.hifloat8.decode = lambda bits: old(bits ^ 0x10)",
        "dtypes and uint8",
    ),
    "blocks of tokens": (
        "from dataclasses import replace\nold = cpu.attend\n"
        "ops.attend = lambda call: old(replace(call, sparse_block_size=1))",
        "blocks_of_tokens",
    ),
    "padded batches of the cache": (
        "old = cpu.kv_spans\ncpu.kv_spans = lambda call: (old(call)[0] * 0, old(call)[1])",
        "random_numbers and BSND-BSND",
    ),
}


@pytest.mark.parametrize("change", WRONG_WITHOUT_ROPE)
def test_rope0_fails_where_the_operator_is_wrong(change: str) -> None:
    patch, tests = WRONG_WITHOUT_ROPE[change]
    said = run(ROPE0, "-x", "-k", tests, before=patch)
    assert counts(said).get("failed", 0) > 0, said


# --------------------------------------------------------------------------- on a device

REGISTER = """\
import torch
from kv_quant_sparse_flash_attention import ops
library = torch.library.Library(ops.LIBRARY, "IMPL")
library.impl(ops.NAME, ops._on_cpu, "PrivateUse1")
"""


def stand_in(folder: Path, name: str) -> str:
    """Python that makes a torch_npu, with a device of this name whose tensors stay on the CPU."""
    return f"""\
import sys, types, torch
sys.path[:0] = [{str(folder)!r}, {str(SUITES)!r}]
sys.modules["torch_npu"] = types.ModuleType("torch_npu")
torch.utils.rename_privateuse1_backend("npu")
torch.npu = types.SimpleNamespace(is_available=lambda: True, get_device_name=lambda: {name!r})
import suite
suite.to = lambda tensor, device: tensor
"""


def with_library(folder: Path, path: str, text: str = REGISTER) -> Path:
    (folder / path).parent.mkdir(exist_ok=True)
    (folder / path).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(params=["own", "vllm_ascend"])
def installed(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder of modules with a library that has the operator for devices."""
    if request.param == "own":
        return with_library(tmp_path, "kv_quant_sparse_flash_attention_torch/__init__.py")
    indented = "".join(f"    {line}\n" for line in REGISTER.splitlines())
    return with_library(
        tmp_path, "vllm_ascend/utils.py", f"def enable_custom_op():\n    global library\n{indented}"
    )


CHIP_TESTS = "random_numbers or dtypes_of_the_cache or blocks_of_tokens"


def test_on_a_device_that_takes_blocks_and_writes_softmax_outputs(installed: Path) -> None:
    said = run(ROPE0, "--device", "npu", "-k", CHIP_TESTS, before=stand_in(installed, "Ascend910B3"))
    assert counts(said) == {"passed": 32 + 2 + 16, "skipped": 3}, said


def test_on_a_device_that_takes_all_dtypes(installed: Path) -> None:
    """A5: every dtype of the cache; no softmax outputs and no blocks, so that these are skipped."""
    said = run(ROPE0, "--device", "npu", "-k", CHIP_TESTS, before=stand_in(installed, "Ascend950PR"))
    assert counts(said) == {"passed": 16 + 5, "skipped": 16 + 16}, said


def test_a_device_that_the_operator_does_not_have(installed: Path) -> None:
    said = run(DECODE, "--device", "npu", before=stand_in(installed, "Ascend310P3"))
    assert "Ascend310P3 is none of the chips of the operator: A2, A3, A5" in said


NOT_READY = {
    "torch_npu": ("", "No module named 'torch_npu'; expected: torch_npu and CANN, installed"),
    "a library": (
        stand_in(Path("nowhere"), "Ascend910B3"),
        "_C_ascend::npu_kv_quant_sparse_flash_attention is not built; expected: "
        "kv_quant_sparse_flash_attention_torch (pip install of the package's folder torch) or vllm_ascend, "
        "installed",
    ),
    "a kernel": (
        stand_in(Path("nowhere"), "Ascend910B3")
        + "library = types.ModuleType('kv_quant_sparse_flash_attention_torch')\n"
        + "library.__spec__ = types.SimpleNamespace()\nsys.modules[library.__name__] = library",
        "what is installed has _C_ascend::npu_kv_quant_sparse_flash_attention for no device; expected: "
        "build it anew",
    ),
    "a device": (
        stand_in(Path("nowhere"), "Ascend910B3")
        + "library = types.ModuleType('kv_quant_sparse_flash_attention_torch')\n"
        + "library.__spec__ = types.SimpleNamespace()\nsys.modules[library.__name__] = library\n"
        + REGISTER
        + "torch.npu.is_available = lambda: False",
        "torch_npu finds no device",
    ),
}


@pytest.mark.parametrize("missing", NOT_READY)
def test_what_is_missing_for_a_device_is_told_in_a_line(missing: str) -> None:
    before, message = NOT_READY[missing]
    assert run(DECODE, "--device", "npu", before=before).split("\n") == [
        f"ERROR: --device npu: {message}",
        "",
        "",
    ]


def test_suites_without_their_package(tmp_path: Path) -> None:
    shutil.copytree(SUITES, tmp_path / "tests" / "e2e")
    gone = "import sys; sys.modules['kv_quant_sparse_flash_attention'] = None"
    said = run(DECODE, before=gone, folder=tmp_path / "tests" / "e2e")
    assert said.split("\n") == [
        "ERROR: import of kv_quant_sparse_flash_attention halted; None in sys.modules; expected: "
        "the folder python of the package, installed or beside its tests",
        "",
        "",
    ]


# Another operator of the family: nothing of it has the name that it has in the first spec.
OTHER_NAMES = {
    "KvQuantSparseFlashAttention": "TinyMix",
    "npu_kv_quant_sparse_flash_attention": "npu_tiny_mix",
    "rope_head_dim": "rotary_dim",
    "layout_query": "q_order",
    "layout_kv": "kv_order",
    "PA_BSND": "PAGES",
    "TND": "FLAT",
    "kv_row": "cell",
    "sparse_indices": "picks",
    "actual_seq_lengths_query": "q_lens",
    "return_softmax_lse": "stats",
    "softmax_max": "top",
    "softmax_sum": "mass",
    "attention_out": "mixed",
    "query": "asked",
    "sparse_mode": "masking",
    "nope:  ": "body:  ",
    "rope:  ": "tail:  ",
    "field: nope": "field: body",
}


def test_suites_of_an_operator_with_other_names(tmp_path: Path) -> None:
    text = (ROOT / "spec" / "kv_quant_sparse_flash_attention.yaml").read_text(encoding="utf-8")
    for old, new in OTHER_NAMES.items():
        text = re.sub(rf"\b{old}(?!\w)", new, text)
    other = operator(text)
    for path, content in render(replace(other, emit=("python", "tests"))).items():
        assert not [old for old in OTHER_NAMES if "_" in old and re.search(rf"\b{old}\b", content)]
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content, encoding="utf-8")
    said = run("", "-k", "decode or bit_for_bit or refused or norm", folder=tmp_path / "tests" / "e2e")
    assert counts(said) == {"passed": 36}, said
