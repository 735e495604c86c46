"""A package is the same whoever reads its spec and answers what files ask, however much of it comes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path

import pytest
from msgspec.structs import replace

from qsfa_codegen.commands import ahead
from qsfa_codegen.commands.aside import aside
from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.expr.memo import forget
from qsfa_codegen.render import cases, package
from qsfa_codegen.render.answers import hearing
from qsfa_codegen.render.asked import asked
from qsfa_codegen.spec import load, rules
from qsfa_codegen.spec.model import Operator

ROOT = Path(__file__).parents[2]
SPECS = sorted(path for path in (ROOT / "spec").glob("*.yaml") if path.name != "chips.yaml")


@contextmanager
def told(spec: Path, values: Iterator[object]) -> Iterator[Operator]:
    """The operator, and answers about it, as far as they are among ``values``."""
    operator, sink = ahead.reading(spec, values)
    assert operator is not None
    assert not sink
    with hearing(operator, asked(operator), values):
        yield operator


def test_there_are_specs() -> None:
    assert len(SPECS) >= 4


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)
def test_everything_is_heard_and_nothing_done_twice(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    operator = load.load(spec)
    files, missing = package.render(operator), cases.without_cases(operator)
    forget()

    def done(*_: object) -> None:
        raise AssertionError("done in this process")

    with aside(partial(ahead.work, spec)) as values:
        monkeypatch.setattr(load, "before_rules", done)
        monkeypatch.setattr(cases, "_deriver", done)
        with told(spec, values) as operator:
            found = Sink()
            rules.check(operator, found)
            assert not found
            assert package.render(operator) == files
            assert cases.without_cases(operator) == missing


@pytest.mark.parametrize("count", [0, 1, 3])
def test_what_does_not_come_is_worked_out(count: int) -> None:
    files = package.render(load.load(SPECS[0]))
    values = list(islice(ahead.work(SPECS[0]), count))
    assert len(values) == count
    forget()
    with told(SPECS[0], iter(values)) as operator:
        assert package.render(operator) == files


def test_errors_of_a_spec_are_told_in_place_of_an_operator(tmp_path: Path) -> None:
    spec = tmp_path / "wrong.yaml"
    spec.write_text("spec: 1\noperator: {name: 3}\n", encoding="utf-8")
    sink = Sink()
    assert load.analyse(spec, sink) is None
    (only,) = ahead.work(spec)
    assert only == (None, sink)
    assert len(sink) > 0
    assert ahead.reading(spec, iter([only])) == only


def test_a_package_that_asks_nothing_is_told_nothing() -> None:
    assert asked(replace(load.load(SPECS[0]), emit=("op_graph",))) == ()
