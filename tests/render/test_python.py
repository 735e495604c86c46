"""Generated Python packages: which files there are, and that their text is as the formatter would have it."""

from __future__ import annotations

import subprocess
import sysconfig
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from qsfa_codegen.render.package import render
from qsfa_codegen.render.python_text import HOLE, call, docstring, quoted, statement, text_call
from qsfa_codegen.render.text import LINE_LIMIT
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import Operator
from tests.render.test_any_spec import loaded
from tests.render.test_style import SPECS
from tests.spec.strategies import specs

ROOT = Path(__file__).parents[2]
FLASH = ROOT / "spec" / "kv_quant_sparse_flash_attention.yaml"
RUFF = Path(sysconfig.get_path("scripts")) / "ruff"
RULES = ("E", "F", "W", "I", "UP", "B", "C4", "D1", "PIE", "RET", "SIM")


def python_of(operator: Operator) -> dict[str, str]:
    return render(replace(operator, emit=("python",)))


def complaints(files: Mapping[str, str], folder: Path) -> str:
    """What the formatter would change and what the linter finds in the Python among ``files``."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    commands = (
        ["format", "--diff", f"--line-length={LINE_LIMIT}"],
        [
            "check",
            "--output-format=concise",
            f"--line-length={LINE_LIMIT}",
            f"--select={','.join(RULES)}",
            "--ignore=D105",
        ],
    )
    found = ""
    for command in commands:
        done = subprocess.run(
            [str(RUFF), *command, "--isolated", "--target-version=py311", str(folder)],
            capture_output=True,
            text=True,
            check=False,
        )
        found += done.stdout + done.stderr if done.returncode else ""
    return found


@pytest.fixture(scope="module")
def flash() -> Operator:
    return load(FLASH)


# --------------------------------------------------------------------------- which files


def test_suites_are_written_with_care(flash: Operator, tmp_path: Path) -> None:
    files = {
        path: text
        for path, text in render(replace(flash, emit=("tests", "python"))).items()
        if path.endswith(".py")
    }
    files = {path: text for path, text in files.items() if path.startswith("tests/")}
    assert len(files) == 4
    assert not any(path.endswith(".py") for path in render(replace(flash, emit=("tests",))))
    assert complaints(files, tmp_path) == ""


def test_files_of_an_operator_that_is_computed(flash: Operator) -> None:
    package = f"python/{flash.snake}"
    names = (
        "__init__",
        "ops",
        "contract",
        "tracing",
        "contents",
        "rows",
        "hifloat8",
        "cpu",
        "cache",
        "chips",
        "model",
    )
    own = ["python/pyproject.toml", f"{package}/py.typed"]
    assert list(python_of(flash)) == [*own, *(f"{package}/{name}.py" for name in names)]


def test_files_of_an_operator_that_is_traced_alone() -> None:
    operator = load(ROOT / "spec" / "lightning_indexer.yaml")
    package = f"python/{operator.snake}"
    names = ("__init__", "ops", "contract", "tracing")
    own = ["python/pyproject.toml", f"{package}/py.typed"]
    assert list(python_of(operator)) == [*own, *(f"{package}/{name}.py" for name in names)]


def test_without_a_binding_or_another_emit_there_are_none(flash: Operator) -> None:
    assert python_of(replace(flash, torch=None)) == {}
    assert not any(path.startswith("python/") for path in render(replace(flash, emit=("torch",))))


def test_an_unknown_family_is_not_computed(flash: Operator) -> None:
    assert flash.kernel is not None
    other = replace(flash, kernel=replace(flash.kernel, family="another"))
    assert f"python/{flash.snake}/cpu.py" not in python_of(other)
    assert f"python/{flash.snake}/rows.py" in python_of(other)


def test_a_model_side_with_little_in_it(flash: Operator, tmp_path: Path) -> None:
    """One cache, one word, nothing excluded, any number of heads."""
    assert flash.serving is not None
    serving = replace(flash.serving, caches=("int8",), words=(("int8", "int8"),), off=("auto",), excludes=())
    dims = tuple(replace(dim, values=None) for dim in flash.dims)
    files = python_of(replace(flash, serving=serving, dims=dims))
    package = f"python/{flash.snake}"
    assert 'OFF_WORDS = ("auto",)' in files[f"{package}/model.py"]
    assert "heads=()" in files[f"{package}/chips.py"]
    assert "NotImplementedError" not in files[f"{package}/model.py"]
    assert "hifloat8" not in files[f"{package}/model.py"]
    assert complaints(files, tmp_path) == ""


def test_a_model_side_with_much_in_it(flash: Operator, tmp_path: Path) -> None:
    assert flash.serving is not None
    words = tuple(f"a_word_of_some_length_{n}" for n in range(20))
    serving = replace(
        flash.serving,
        words=tuple((word, "int8") for word in words[:10]),
        off=words[10:],
        excludes=tuple((f"not_{word}", word) for word in words),
    )
    assert complaints(python_of(replace(flash, serving=serving)), tmp_path) == ""


def test_hifloat8_only_where_rows_can_hold_it(flash: Operator) -> None:
    rows = tuple((chip, rows) for chip, rows in flash.dtypes.rows if chip != "A5")
    chips = tuple(chip for chip in flash.chips if chip.id != "A5")
    files = python_of(replace(flash, chips=chips, dtypes=replace(flash.dtypes, rows=rows)))
    assert f"python/{flash.snake}/hifloat8.py" not in files
    assert "hifloat8" not in files[f"python/{flash.snake}/rows.py"]


def test_the_project_file_says_what_is_installed(flash: Operator) -> None:
    project = tomllib.loads(python_of(flash)["python/pyproject.toml"])
    assert project["project"]["name"] == "kv-quant-sparse-flash-attention"
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == [flash.snake]


# --------------------------------------------------------------------------- their text


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)
def test_python_is_formatted_and_has_no_lint(spec: Path, tmp_path: Path) -> None:
    assert complaints(python_of(load(spec)), tmp_path) == ""


def test_the_check_sees_what_is_wrong(tmp_path: Path) -> None:
    found = complaints({"a.py": '"""A."""\n\nimport os\nx = {"a":1}\n'}, tmp_path)
    assert '+x = {"a": 1}' in found
    assert "F401" in found


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(specs())
def test_python_of_a_random_spec_compiles(text: str) -> None:
    for path, source in python_of(loaded(text)).items():
        if path.endswith(".py"):
            compile(source, path, "exec")


# --------------------------------------------------------------------------- lines


def test_what_fits_stays_on_one_line() -> None:
    assert statement("if ", "a and b", ":") == "if a and b:"
    assert call("f(", ["a", "b"]) == "f(a, b)"
    assert text_call("raise E(", f"x is {HOLE}", ["x"], 4) == 'raise E(f"x is {x}")'


def test_long_conditions_are_broken_before_operators() -> None:
    parts = [f"{'x' * 40}_{n} == {n}" for n in range(3)]
    broken = statement("if ", " and ".join(parts), ":")
    assert broken.splitlines() == [
        "if (",
        f"        {parts[0]}",
        f"        and {parts[1]}",
        f"        and {parts[2]}",
        "    ):",
    ]


def test_a_long_message_is_cut_between_words_and_fields_stay_whole() -> None:
    message = f"{'word ' * 20}is {HOLE}; expected: {'more ' * 10}[id]"
    lines = text_call("raise E(", message, ["call.some_value"], 8).splitlines()
    assert lines[0] == "raise E("
    assert lines[-1] == "        )"
    assert all(len(line) <= LINE_LIMIT for line in lines)
    assert eval("".join(lines[1:-1]).replace("call.some_value", "7")) == message.replace(HOLE, "7")


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters=HOLE), max_size=300)


@given(TEXTS, st.integers(0, 40))
def test_any_text_comes_out_as_it_went_in(text: str, indent: int) -> None:
    source = text_call("str(", text, [], indent)
    assert eval(source) == text
    assert eval(quoted(text)) == text


@given(TEXTS, TEXTS)
@example(" " + "a" * 60, " " + "b" * 60)
def test_any_text_around_a_field(before: str, after: str) -> None:
    source = text_call("str(", f"{before}{HOLE}{after}", ["value"], 4)
    assert eval(source, {"value": "{}", "str": str}) == f"{before}{{}}{after}"


@given(TEXTS)
def test_a_docstring_ends_where_it_should(text: str) -> None:
    compile(f"def f():\n    {docstring(text)}\n", "docstring", "exec")


def test_softmax_outputs_that_nothing_plays_are_left_alone(flash: Operator) -> None:
    assert flash.kernel is not None
    roles = tuple(role for role in flash.kernel.roles if role[0] not in ("row_max", "row_sum"))
    other = replace(flash, kernel=replace(flash.kernel, roles=roles))
    assert "row_max" not in python_of(other)[f"python/{flash.snake}/cpu.py"]
    assert "outputs.softmax_max.numel()" in python_of(flash)[f"python/{flash.snake}/cpu.py"]
