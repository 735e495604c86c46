"""Output shapes and dtypes of a call; what shape inference cannot know stays unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

from qsfa_codegen.contract.calls import UNKNOWN_DIM, UNKNOWN_RANK, TensorArg
from qsfa_codegen.contract.env import CallEnv
from qsfa_codegen.expr.evaluate import compiled
from qsfa_codegen.expr.nodes import Query, RefKind
from qsfa_codegen.expr.values import UNBOUND, UNKNOWN, EvalError, Value
from qsfa_codegen.spec.model import DimItem, DtypeRef, Output, Shape, ShapeItem, Table

T = TypeVar("T")
U = TypeVar("U")

_Sizes = Callable[[CallEnv], tuple[Value, ...]]
_LABELS: Mapping[object, object] = {True: "true", False: "false"}


class OutputRule(NamedTuple):
    """How the tensor of one output follows from a call."""

    name: str
    shape: Callable[[CallEnv], tuple[int, ...]]
    dtype: Callable[[CallEnv], str]

    def infer(self, env: CallEnv) -> TensorArg:
        """The output; EvalError when the call does not determine it."""
        return TensorArg(self.dtype(env), self.shape(env))


def output_rule(output: Output) -> OutputRule:
    """The rule of ``output``, ready to run."""
    return OutputRule(output.name, _shape_run(output.shape), dtype_run(output.dtype))


def choice_run(choice: T | Table[T], leaf: Callable[[T], U]) -> Callable[[CallEnv], U | None]:
    """A table as a function that picks its entry; None when a selector is unknown."""
    if not isinstance(choice, Table):
        made = leaf(choice)
        return lambda env: made
    selector = compiled(choice.selector)
    cases = {label: choice_run(value, leaf) for label, value in choice.cases}
    otherwise = None if choice.otherwise is None else choice_run(choice.otherwise, leaf)
    span = choice.span

    def run(env: CallEnv) -> U | None:
        value = selector(env)
        if value is UNKNOWN:
            return None
        label = _LABELS[value] if isinstance(value, bool) else value
        branch = cases.get(str(label), otherwise)
        if branch is None:
            raise EvalError(UNBOUND, span, f"there is no case for {label}")
        return branch(env)

    return run


def dtype_run(dtype: DtypeRef) -> Callable[[CallEnv], str]:
    """The dtype as a function of the call."""
    if dtype.fixed is not None:
        fixed = dtype.fixed
        return lambda env: fixed
    if dtype.column is not None:
        column = dtype.column
        return lambda env: str(env.ref(RefKind.COLUMN, column))
    followed = str(dtype.follow)
    return lambda env: str(env.query(Query.DTYPE, followed, None))


def sizes_run(shape: Shape, option: int = 0) -> _Sizes:
    """The sizes of ``shape`` in a call, UNKNOWN where they are not known.

    ``option`` says which of several sizes an axis has; an axis with fewer has its last one.
    """
    if shape.like is not None:
        items = [_whole_run(shape.like)]
    else:
        items = [_item_run(item, option) for item in shape.items]

    def run(env: CallEnv) -> tuple[Value, ...]:
        sizes: list[Value] = []
        for item in items:
            value = item(env)
            if isinstance(value, tuple):
                sizes.extend(value)
            else:
                sizes.append(value)
        return tuple(sizes)

    return run


def _whole_run(name: str) -> Callable[[CallEnv], Value]:
    return lambda env: env.query(Query.DIMS, name, 0)


def _item_run(item: ShapeItem, option: int) -> Callable[[CallEnv], Value]:
    if isinstance(item, DimItem):
        if item.dim is not None:
            name = item.dim
            return lambda env: env.ref(RefKind.DIM, name)
        return compiled(item.size if item.size is not None else item.options[: option + 1][-1])
    rest, ones = item.name, item.ones

    def run(env: CallEnv) -> Value:
        dims = env.ref(RefKind.REST, rest)
        return (1,) * len(dims) if ones and isinstance(dims, tuple) else dims

    return run


def _shape_run(shape: Shape | Table[Shape]) -> Callable[[CallEnv], tuple[int, ...]]:
    choose = choice_run(shape, sizes_run)

    def run(env: CallEnv) -> tuple[int, ...]:
        sizes_of = choose(env)
        if sizes_of is None:
            return UNKNOWN_RANK
        # Sizes that were computed before must be asked again, to see where they come from.
        if env.infer:
            env.forget()
            env.met_unknown_rank = False
        sizes = sizes_of(env)
        if env.met_unknown_rank:
            return UNKNOWN_RANK
        return tuple(size if isinstance(size, int) else UNKNOWN_DIM for size in sizes)

    return run
