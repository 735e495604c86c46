"""Inputs: which there are, in which order, and how they are registered."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from qsfa_codegen.review import rename
from qsfa_codegen.review.changes import Found, Impact
from qsfa_codegen.review.form import bare
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.registry import Look, rule
from qsfa_codegen.review.rules import lists
from qsfa_codegen.spec.model import Input, Presence, leaves

_INPUTS = lists.Kind(rename.INPUT, lambda pair: pair.inputs)


def _demanded(param: Input) -> bool:
    """Whether some call must pass it."""
    return Presence.REQUIRED in set(leaves(param.presence))


def _free(param: Input) -> bool:
    return not _demanded(param)


def _property(what: Callable[[Input], object], said: str) -> Look:
    """One registered property of the inputs of both."""

    def look(pair: Pair) -> Iterator[Found]:
        for old, new in pair.inputs.both:
            left, right = what(old), what(new)
            if left != right:
                message = f"{said} of input {new.name} changed"
                yield Found(f"input {new.name}", message, _shown(left), _shown(right), old.span, new.span)

    return look


removed = rule(
    "QD110",
    Impact.CALLERS,
    "An input was removed",
    "A caller that passes it no longer compiles, and the inputs behind it move up by one place.",
)(lists.removed(_INPUTS))
required = rule(
    "QD111",
    Impact.CALLERS,
    "An input was added that must be passed",
    "No call of the base passes it, so calls that were legal are rejected.",
)(lists.added(_INPUTS, _demanded, inserted=None, why=" and must be passed"))
inserted = rule(
    "QD112",
    Impact.CALLERS,
    "An optional input was added before others",
    "Inputs are counted: what a caller or a graph passes behind it arrives at the place of another one. "
    "Add it behind the last one.",
)(lists.added(_INPUTS, _free, inserted=True, why=" in front of"))
appended = rule(
    "QD113",
    Impact.WIDENING,
    "An optional input was added behind the others",
    "Calls that leave it out stay legal and mean the same.",
)(lists.added(_INPUTS, _free, inserted=False, why=""))
renamed = rule(
    "QD114",
    Impact.CALLERS,
    "An input was renamed",
    "Graphs, generated parameter names and keyword arguments name inputs. It counts as renamed when the "
    "spec says `was`, or when both are equal and stand at the same place or are named or described alike.",
)(lists.renamed(_INPUTS))
moved = rule(
    "QD115",
    Impact.CALLERS,
    "An input moved",
    "Inputs are counted: callers pass the tensor at its old place.",
)(lists.moved(_INPUTS))
kind = rule(
    "QD116",
    Impact.CALLERS,
    "An input is of another kind",
    "A tensor, a list of tensors, a scalar and a list of scalars are different types in every interface.",
)(_property(lambda i: i.kind.value, "the kind"))
format = rule(
    "QD117",
    Impact.CALLERS,
    "An input has another format",
    "A tensor in the old format is converted or rejected by the framework.",
)(_property(lambda i: i.format, "the format"))


@rule(
    "QD118",
    Impact.ARTEFACTS,
    "An input is registered otherwise",
    "Param type, format of unknown shapes, contiguity, dependence on values and storage shape are compiled "
    "into the operator library, and decide what tiling and kernels are handed.",
)
def registered(pair: Pair) -> Iterator[Found]:
    """The remaining properties of the registration."""
    for old, new in pair.inputs.both:
        for name in ("registered", "unknown_format", "contiguous", "value_depend", "storage", "record"):
            left, right = getattr(old, name), getattr(new, name)
            if bare(left) != bare(right):
                yield Found(
                    f"input {new.name}",
                    f"{name.replace('_', ' ')} of input {new.name} changed",
                    _shown(left),
                    _shown(right),
                    old.span,
                    new.span,
                )


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else str(getattr(value, "value", ""))


mutated = rule(
    "QD119",
    Impact.CALLERS,
    "An input is written in place, or no longer",
    "A caller that keeps the tensor finds other data in it, or misses the result.",
)(_property(lambda i: i.mutated, "whether the operator writes to the tensor"))

RULES = (removed, required, inserted, appended, renamed, moved, kind, format, registered, mutated)
