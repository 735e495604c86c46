"""What is said of files that a kernel family has, where the spec does not tell what they need."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from qsfa_codegen.diagnostics import Severity, Sink
from qsfa_codegen.render.left_out import left_out
from qsfa_codegen.render.package import render
from qsfa_codegen.spec.load import analyse_text
from qsfa_codegen.spec.model import Operator
from tests.cli_tools import Program

SPEC = Path(__file__).parents[2] / "spec" / "kv_quant_sparse_flash_attention.yaml"
MODULE = "python/kv_quant_sparse_flash_attention"
MODEL_AND_SUITES = f"the model side in {MODULE} and tests/e2e are left out: "


def text(*edits: tuple[str, str]) -> str:
    """The first spec, edited."""
    found = SPEC.read_text(encoding="utf-8")
    for old, new in edits:
        assert found.count(old) == 1, old
        found = found.replace(old, new)
    return found


def without_torch() -> str:
    found = text()
    begin = found.index("  torch:\n    library")
    return found[:begin] + found[found.index("\n# What models", begin) :]


def operator(spec: str) -> Operator:
    sink = Sink()
    found = analyse_text(spec.encode(), SPEC.name, sink)
    assert found is not None, [diagnostic.message for diagnostic in sink]
    return found


LACKING = {
    text(("    mask: sparse_mode\n", "")): "nothing plays the role 'mask'",
    text(("    block_tokens: sparse_block_size\n", "")): "nothing plays the role 'block_tokens'",
    text(("    row_max: softmax_max\n", "")): "nothing plays the role 'row_max'",
    text(("values: {all: 0, right_down_causal: 3}", "values: {right_down_causal: 3}")): (
        "no value of 'sparse_mode' makes 'causal' false"
    ),
    text(("BLOCK_SIZE: 256, ", "")): "the sizes of `decode` lack BLOCK_SIZE",
    text(("values: [0, ROPE_MAX]", "values: {min: 0}")): (
        "the accepted values of 'rope_head_dim' cannot be listed"
    ),
}


@pytest.mark.parametrize("spec", LACKING, ids=LACKING.get)
def test_the_model_and_the_suites_are_left_out(spec: str) -> None:
    found = operator(spec)
    warning, *_ = left_out(found)
    assert (warning.code, warning.severity) == ("QS916", Severity.WARNING)
    assert warning.message == MODEL_AND_SUITES + LACKING[spec]
    assert warning.span is not None
    assert spec.splitlines()[warning.span.line - 1].startswith("  python: sparse_mla.attend")
    files = render(replace(found, emit=("python", "tests")))
    assert f"{MODULE}/cpu.py" in files
    assert not [path for path in files if "e2e" in path or "model.py" in path or "chips.py" in path]


def test_without_a_torch_operator_nothing_is_computed() -> None:
    (warning,) = left_out(operator(without_torch()))
    assert warning.message == (
        f"the computation in {MODULE} and tests/e2e are left out: "
        "there is no torch binding whose outputs are single tensors"
    )


def test_the_body_of_a_kernel_is_left_out() -> None:
    spec = text(("    block_tokens: sparse_block_size\n", ""))
    _, *warnings = left_out(operator(spec))
    for arch, warning in zip(("arch22", "arch35"), warnings, strict=True):
        assert warning.message == (
            f"the body of the kernel in op_kernel/{arch} is left out: nothing plays the role 'block_tokens'"
        )
        assert warning.span is not None
        assert spec.splitlines()[warning.span.line - 1] == "  family: sparse_mla"
    bodies = [len([path for path in render(operator(one)) if "op_kernel" in path]) for one in (spec, text())]
    assert bodies[0] < bodies[1]


@pytest.mark.parametrize(
    ("emit", "files"),
    [
        ("[op_host]", None),
        ("[tests]", None),
        ("[python]", f"the model side in {MODULE} is left out"),
        ("[python, tests]", f"the model side in {MODULE} and tests/e2e are left out"),
    ],
)
def test_what_is_not_asked_for_is_not_missed(emit: str, files: str | None) -> None:
    spec = text(("    mask: sparse_mode\n", ""), ("spec: 1\n", f"spec: 1\nemit: {emit}\n"))
    found = [warning.message.partition(":")[0] for warning in left_out(operator(spec))]
    assert found == ([] if files is None else [files])


def test_nothing_is_said_where_nothing_is_left_out() -> None:
    for path in set(SPEC.parent.glob("*.yaml")) - {SPEC.with_name("chips.yaml")}:
        assert list(left_out(operator(path.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize("command", ["build", "validate"])
def test_commands_say_it_each_time(
    command: str, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    edited = text(("    mask: sparse_mode\n", ""), ("spec: 1\n", "spec: 1\nemit: [python, tests]\n"))
    Path("sparse.yaml").write_text(edited, encoding="utf-8")
    for _ in range(2):
        done = program(command, "sparse.yaml")
        assert done.status == 0
        assert f"warning[QS916]: {MODEL_AND_SUITES}nothing plays the role 'mask'\n" in done.err
