"""The C++ arithmetic object against int64 in Python, on every pair of edge values."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from qsfa_codegen.expr import int64
from qsfa_codegen.expr.arith import ARITH_STRUCT

EDGES = (0, 1, -1, 2, -2, 3, -3, 7, 16, 2**31, -(2**31), 2**62, 2**63 - 2, 2**63 - 1, -(2**63), -(2**63) + 1)
PAIRED: dict[str, Callable[[int, int], int]] = {
    "Add": int64.add,
    "Sub": int64.sub,
    "Mul": int64.mul,
    "Div": int64.div,
    "Mod": int64.mod,
    "CeilDiv": int64.ceil_div,
    "AlignUp": int64.align_up,
}
SINGLE: dict[str, Callable[[int], int]] = {
    "Neg": int64.neg,
    "Abs": int64.absolute,
    "IsPowerOfTwo": int64.is_power_of_two,
}


def _program() -> str:
    paired = "".join(
        f'            Show("{name}", a, b, [&](Arith &x) {{ return x.{name}(a, b); }});\n' for name in PAIRED
    )
    single = "".join(
        f'        Show("{name}", a, 0, [&](Arith &x) {{ return x.{name}(a); }});\n' for name in SINGLE
    )
    values = ", ".join("INT64_MIN" if edge == -(2**63) else str(edge) for edge in EDGES)
    return (
        "#include <cstdint>\n#include <iostream>\n\n"
        + ARITH_STRUCT
        + "\ntemplate <typename F>\nvoid Show(const char *name, int64_t a, int64_t b, F call)\n{\n"
        "    Arith arith;\n    const int64_t value = call(arith);\n"
        '    std::cout << name << " " << a << " " << b << " " << value << " " << arith.failed'
        ' << "\\n";\n}\n\n'
        f"int main()\n{{\n    const int64_t edges[] = {{{values}}};\n    for (int64_t a : edges) {{\n{single}"
        f"        for (int64_t b : edges) {{\n{paired}        }}\n    }}\n}}\n"
    )


def _line(name: str, compute: Callable[..., int], a: int, b: int | None = None) -> str:
    try:
        result = f"{int(compute(a) if b is None else compute(a, b))} 0"
    except (OverflowError, ZeroDivisionError):
        result = "0 1"
    return f"{name} {a} {b or 0} {result}"


def _expected() -> set[str]:
    single = {_line(name, compute, a) for name, compute in SINGLE.items() for a in EDGES}
    return single | {_line(name, f, a, b) for name, f in PAIRED.items() for a, b in product(EDGES, EDGES)}


def test_values_and_failures_are_those_of_python(tmp_path: Path) -> None:
    source, binary = tmp_path / "arith.cpp", tmp_path / "arith"
    source.write_text(_program(), encoding="utf-8")
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover=all"]
    subprocess.run(["g++", *flags, str(source), "-o", str(binary)], check=True, timeout=300)
    done = subprocess.run([str(binary)], capture_output=True, text=True, timeout=60, check=True)

    assert set(done.stdout.splitlines()) == _expected()


def test_int64_at_its_edges() -> None:
    """The Python side by hand, since the C++ side is compared with it."""
    top, bottom = 2**63 - 1, -(2**63)

    assert [int64.div(-7, 2), int64.div(7, -2), int64.mod(-7, 2), int64.mod(7, -2)] == [-4, -4, 1, -1]
    assert [int64.ceil_div(7, 2), int64.ceil_div(-7, 2), int64.ceil_div(7, -2)] == [4, -3, -3]
    assert [int64.align_up(1, 16), int64.align_up(16, 16), int64.align_up(-1, 16)] == [16, 16, 0]
    assert [int64.mod(bottom, -1), int64.align_up(bottom, -1), int64.absolute(-top)] == [0, bottom, top]
    assert [int64.is_power_of_two(2**62), int64.is_power_of_two(bottom)] == [True, False]
    failing: list[tuple[Callable[..., int], tuple[object, ...]]] = [
        (int64.add, (top, 1)),
        (int64.sub, (bottom, 1)),
        (int64.mul, (2**32, 2**31)),
        (int64.div, (bottom, -1)),
        (int64.neg, (bottom,)),
        (int64.absolute, (bottom,)),
        (int64.align_up, (top, 2)),
        (int64.product, ((top, 2, 0),)),
        (int64.ceil_div, (1, 0)),
        (int64.mod, (1, 0)),
    ]
    for compute, args in failing:
        with pytest.raises((OverflowError, ZeroDivisionError)):
            compute(*args)
