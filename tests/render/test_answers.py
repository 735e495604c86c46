"""Files are the same whoever works out what they ask about derived calls, and however much of it comes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from qsfa_codegen.commands.aside import aside
from qsfa_codegen.expr.memo import forget
from qsfa_codegen.render import cases, package
from qsfa_codegen.spec.load import load

ROOT = Path(__file__).parents[2]
SPECS = sorted(path for path in (ROOT / "spec").glob("*.yaml") if path.name != "chips.yaml")


def test_there_are_specs() -> None:
    assert len(SPECS) >= 4


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)
def test_everything_is_heard_and_nothing_derived_again(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    operator = load(spec)
    files, missing = package.render(operator), cases.without_cases(operator)
    forget()

    def derived(_: object) -> None:
        raise AssertionError("derived in this process")

    @contextmanager
    def elsewhere(work: Callable[[], Iterable[object]]) -> Iterator[Iterable[object]]:
        with aside(work) as values, monkeypatch.context() as patch:
            patch.setattr(cases, "_deriver", derived)
            yield values

    assert package.render(operator, aside=elsewhere) == files
    monkeypatch.setattr(cases, "_deriver", derived)
    assert cases.without_cases(operator) == missing


@pytest.mark.parametrize("count", [0, 1, 3])
def test_what_does_not_come_is_worked_out(count: int) -> None:
    operator = load(SPECS[0])
    files = package.render(operator)
    forget()

    @contextmanager
    def some(work: Callable[[], Iterable[object]]) -> Iterator[Iterable[object]]:
        values = iter(work())
        yield [next(values) for _ in range(count)]

    assert package.render(operator, aside=some) == files


def test_a_package_that_asks_nothing_starts_nothing() -> None:
    operator = replace(load(SPECS[0]), emit=("op_graph",))

    def never(work: object) -> AbstractContextManager[Iterable[object]]:
        raise AssertionError("started")

    assert list(package.render(operator, aside=never)) == list(package.render(operator)) != []
