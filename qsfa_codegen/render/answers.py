"""What renderers ask that takes long; another process may work it out for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from qsfa_codegen.expr.memo import once_an_operator

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Operator

R = TypeVar("R")


class Answer(Generic[R]):
    """``work`` of an operator, done once, or heard from the process that does it. R can be pickled."""

    def __init__(self, work: Callable[[Operator], R]) -> None:
        self.work = work
        self._once = once_an_operator(self._found)

    def __call__(self, operator: Operator) -> R:
        """The answer about ``operator``."""
        return self._once(operator)

    def _found(self, operator: Operator) -> R:
        source = _sources.get(id(operator))
        if source is not None and source.has(self):
            return cast(R, source.heard[self])
        return self.work(operator)


class _Source:
    """Answers as they come, in the order in which they were asked for; maybe not all of them."""

    def __init__(self, answers: Sequence[Answer[Any]], values: Iterable[object]) -> None:
        self.heard: dict[Answer[Any], object] = {}
        self._coming = zip(answers, values)  # noqa: B905 - values may end early

    def has(self, answer: Answer[Any]) -> bool:
        """Whether the answer came, after waiting for it."""
        while answer not in self.heard:
            found = next(self._coming, None)
            if found is None:
                return False
            self.heard[found[0]] = found[1]
        return True


_sources: dict[int, _Source] = {}  # by the identity of the operator


def told(operator: Operator, answers: Iterable[Answer[Any]]) -> Iterator[object]:
    """What ``hearing`` is to be given: one value after the other."""
    return (answer.work(operator) for answer in answers)


@contextmanager
def hearing(operator: Operator, answers: Sequence[Answer[Any]], values: Iterable[object]) -> Iterator[None]:
    """In the block ``answers`` about the operator come from ``values``; what does not come is worked out."""
    _sources[id(operator)] = _Source(answers, values)
    try:
        yield
    finally:
        del _sources[id(operator)]
