"""Random trees as C++, compiled once and run: the same values and the same failures as in Python."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from random import Random

from qsfa_codegen.expr.bounds import Ranges
from qsfa_codegen.expr.cpp import ARITH_STRUCT, Cpp, emit
from qsfa_codegen.expr.evaluate import EvalError, evaluate
from qsfa_codegen.expr.nodes import Expr
from tests.expr.cpp_names import PRELUDE, Names, line
from tests.expr.samples import inside, narrow, wide
from tests.expr.trees import INTEGERS, Trees, call
from tests.expr.world import World

TREES = 400
CALLS = 6


@dataclass(frozen=True)
class Sample:
    """A tree, its C++ and the calls to run it on."""

    expr: Expr
    cpp: Cpp
    worlds: tuple[World, ...]


def _samples() -> list[Sample]:
    return [_sample(Random(seed), proven=seed % 2 == 0, depth=1 + seed % 4) for seed in range(TREES)]


def _sample(random: Random, proven: bool, depth: int) -> Sample:
    trees = Trees(random, small=proven)
    expr = trees.integer(depth) if random.random() < 0.6 else trees.truth(depth)
    ranges: Ranges = narrow if proven else wide
    worlds = (
        inside(random) if proven else call(random, lambda: random.choice(INTEGERS)) for _ in range(CALLS)
    )
    return Sample(expr, emit(expr, Names(), ranges), tuple(worlds))


def _function(index: int, cpp: Cpp) -> str:
    # Without `checked` there is no object: the claim that nothing can fail is compiled.
    arith = "    Arith arith;\n" if cpp.checked else ""
    failed = "arith.failed" if cpp.checked else "false"
    return (
        f"Outcome F{index}([[maybe_unused]] const Call &c)\n{{\n{arith}"
        f"    const int64_t value = {cpp.text};\n    return {{value, {failed}}};\n}}\n\n"
    )


def _program(samples: list[Sample]) -> str:
    functions = "".join(_function(index, sample.cpp) for index, sample in enumerate(samples))
    table = ", ".join(f"F{index}" for index in range(len(samples)))
    main = (
        f"constexpr Outcome (*FUNCTIONS[])(const Call &) = {{{table}}};\n\n"
        "int main()\n{\n    size_t function = 0;\n    Call c{};\n"
        "    while (Read(std::cin, function, c)) {\n"
        "        const Outcome outcome = FUNCTIONS[function](c);\n"
        '        std::cout << (outcome.failed ? "failed" : std::to_string(outcome.value)) << "\\n";\n'
        "    }\n}\n"
    )
    return PRELUDE + ARITH_STRUCT + functions + main


def _run(program: str, lines: list[str], folder: Path) -> list[str]:
    source, binary = folder / "trees.cpp", folder / "trees"
    source.write_text(program, encoding="utf-8")
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-tautological-compare"]
    sanitizer = ["-fsanitize=undefined", "-fno-sanitize-recover=all"]
    command = ["g++", "-std=c++17", "-O0", *warnings, *sanitizer, str(source), "-o", str(binary)]
    subprocess.run(command, check=True, timeout=300)
    done = subprocess.run(
        [str(binary)], input="\n".join(lines), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def _expected(expr: Expr, world: World) -> str:
    try:
        value = evaluate(expr, world)
    except EvalError:
        return "failed"
    assert isinstance(value, int)
    return str(int(value))


def test_cpp_gives_what_evaluate_gives(tmp_path: Path) -> None:
    samples = _samples()
    runs = [(index, world) for index, sample in enumerate(samples) for world in sample.worlds]

    outcomes = _run(_program(samples), [line(index, world) for index, world in runs], tmp_path)

    differing = [
        (samples[index].cpp.text, world.names, outcome, expected)
        for (index, world), outcome in zip(runs, outcomes, strict=True)
        if outcome != (expected := _expected(samples[index].expr, world))
    ]
    assert not differing, differing[:3]
    failures = outcomes.count("failed")
    assert 0.03 < failures / len(outcomes) < 0.5
    plain = sum(not sample.cpp.checked for sample in samples)
    assert plain > TREES // 3
