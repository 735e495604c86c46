"""Outputs: which there are, and what comes out of a call."""

from __future__ import annotations

from collections.abc import Iterator

from qsfa_codegen.contract.calls import Result
from qsfa_codegen.expr.nodes import Expr
from qsfa_codegen.review import rename
from qsfa_codegen.review.changes import Basis, Found, Impact, Witness
from qsfa_codegen.review.form import bare
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.registry import rule
from qsfa_codegen.review.rules import lists
from qsfa_codegen.spec.model import DimItem, DtypeRef, Operator, Output, Shape, Table, leaves

_OUTPUTS = lists.Kind(rename.OUTPUT, lambda pair: pair.outputs)

removed = rule(
    "QD140",
    Impact.CALLERS,
    "An output was removed",
    "Callers that use it get nothing, and the outputs behind it move up by one place.",
)(lists.removed(_OUTPUTS))
added = rule(
    "QD141",
    Impact.CALLERS,
    "An output was added",
    "Each caller must take or allocate one more tensor: aclnn gets an argument, torch one more value.",
)(lists.added(_OUTPUTS, lambda _: True, inserted=False, why=""))
inserted = rule(
    "QD142",
    Impact.CALLERS,
    "An output was added before others",
    "Each caller must take or allocate one more tensor, and finds the others at other places.",
)(lists.added(_OUTPUTS, lambda _: True, inserted=True, why=" in front of"))
renamed = rule(
    "QD143",
    Impact.CALLERS,
    "An output was renamed",
    "Graphs and generated parameter names name outputs. It counts as renamed when the spec says `was`, or "
    "when both are equal and stand at the same place or are named or described alike.",
)(lists.renamed(_OUTPUTS))
moved = rule(
    "QD144",
    Impact.CALLERS,
    "An output moved",
    "Outputs are counted: callers find another tensor at its old place.",
)(lists.moved(_OUTPUTS))


@rule(
    "QD145",
    Impact.CALLERS,
    "The dtype of an output changed",
    "What a caller allocates or reads no longer has the dtype that it relied on.",
)
def dtype(pair: Pair) -> Iterator[Found]:
    """The declared dtype; a column whose dtypes changed is told by other rules."""
    for old, new in pair.outputs.both:
        if bare(old.dtype) == bare(new.dtype):
            continue
        yield Found(
            f"output {new.name}",
            f"the dtype of output {new.name} changed",
            _dtype(old.dtype),
            _dtype(new.dtype),
            old.span,
            new.span,
            pair.evidence.differs(f"{new.name}_dtype", _Dtype(new.name)),
        )


def _dtype(dtype: DtypeRef) -> str:
    if dtype.follow is not None:
        return f"that of {dtype.follow}"
    return dtype.fixed or f"column {dtype.column}"


class _Dtype:
    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, result: Result) -> object:
        return f"{self._name} is {result.outputs[self._name].dtype}"


class _Shape(_Dtype):
    def __call__(self, result: Result) -> object:
        return f"{self._name} is {list(result.outputs[self._name].shape)}"


@rule(
    "QD146",
    Impact.CALLERS,
    "The shape of an output changed",
    "What a caller allocates or reads no longer has the shape that it relied on.",
)
def shape(pair: Pair) -> Iterator[Found]:
    """Shapes of which a call is found that both accept and whose output differs."""
    for old, new, witness in _shapes(pair):
        if witness is not None:
            yield Found(
                f"output {new.name}",
                f"the shape of output {new.name} changed",
                pair.quote(old.shape.span),
                pair.quote(new.shape.span),
                old.span,
                new.span,
                witness,
            )


@rule(
    "QD147",
    Impact.COMPATIBLE,
    "The shape of an output is written in another way",
    "No call was found that both contracts accept and whose output has another shape.",
)
def shape_rewritten(pair: Pair) -> Iterator[Found]:
    """Shapes of which no call is found."""
    for old, new, witness in _shapes(pair):
        if witness is None and bare(old.shape) != bare(new.shape):
            yield Found(
                f"output {new.name}",
                f"the shape of output {new.name} is written in another way",
                pair.quote(old.shape.span),
                pair.quote(new.shape.span),
                old.span,
                new.span,
                basis=Basis.SEARCHED,
            )


def _shapes(pair: Pair) -> Iterator[tuple[Output, Output, Witness | None]]:
    for old, new in pair.outputs.both:
        parts = [tuple(_exprs(o.shape)) for o in (old, new)]
        operators = (pair.before, pair.after)
        dims = [(*p, *_named(o.shape, op)) for p, o, op in zip(parts, (old, new), operators, strict=True)]
        if bare(old.shape) != bare(new.shape) or not pair.same_meaning(dims[0], dims[1]):
            yield old, new, pair.evidence.differs(f"{new.name}_shape", _Shape(new.name))


def _exprs(shape: Shape | Table[Shape]) -> Iterator[Expr]:
    """Expressions that stand in a shape."""
    if isinstance(shape, Table):
        yield shape.selector
        for _, case in shape.cases:
            yield from _exprs(case)
        if shape.otherwise is not None:
            yield from _exprs(shape.otherwise)
        return
    for item in shape.items:
        if isinstance(item, DimItem):
            yield from (item.size,) if item.size is not None else item.options


def _named(shape: Shape | Table[Shape], operator: Operator) -> Iterator[Expr]:
    """What the dims that a shape names are observed as."""
    values = {d.name: d.value for d in operator.dims}
    for leaf in leaves(shape):
        for item in leaf.items:
            if isinstance(item, DimItem) and item.dim is not None:
                yield values[item.dim]


@rule(
    "QD148",
    Impact.CALLERS,
    "An output shares memory otherwise",
    "Whether an output is the memory of an input decides what the caller's tensor holds afterwards.",
)
def alias(pair: Pair) -> Iterator[Found]:
    """Aliases of inputs."""
    for old, new in pair.outputs.both:
        if old.alias != new.alias:
            yield Found(
                f"output {new.name}",
                f"output {new.name} is {_memory(new)}",
                _memory(old),
                _memory(new),
                old.span,
                new.span,
            )


def _memory(output: Output) -> str:
    return "memory of its own" if output.alias is None else f"the memory of {output.alias}"


@rule(
    "QD149",
    Impact.ARTEFACTS,
    "An output is registered otherwise",
    "Param type, formats and contiguity are compiled into the operator library.",
)
def registered(pair: Pair) -> Iterator[Found]:
    """The remaining properties of the registration."""
    for old, new in pair.outputs.both:
        for name in ("registered", "format", "unknown_format", "contiguous"):
            left, right = getattr(old, name), getattr(new, name)
            if left != right:
                yield Found(
                    f"output {new.name}",
                    f"{name.replace('_', ' ')} of output {new.name} changed",
                    str(getattr(left, "value", left)).lower(),
                    str(getattr(right, "value", right)).lower(),
                    old.span,
                    new.span,
                )


RULES = (removed, added, inserted, renamed, moved, dtype, shape, shape_rewritten, alias, registered)
