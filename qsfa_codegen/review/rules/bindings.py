"""The interfaces for callers: aclnn and torch."""

from __future__ import annotations

from collections.abc import Iterator

from qsfa_codegen.review.changes import Found, Impact
from qsfa_codegen.review.form import bare
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.registry import Look, rule
from qsfa_codegen.review.rules.attrs import shown
from qsfa_codegen.spec.model import Serving, TorchBinding


@rule(
    "QD400",
    Impact.CALLERS,
    "The aclnn interface has another name or style",
    "C++ callers call aclnn functions by name; the style decides who provides them and what the inner one "
    "is called.",
)
def aclnn(pair: Pair) -> Iterator[Found]:
    """Names, style, values that the wrapper derives, and whose parameters it has."""
    old, new = pair.before.aclnn, pair.after.aclnn
    for name in ("style", "name", "inner"):
        left, right = getattr(old, name), getattr(new, name)
        if left != right:
            message = f"the {name} of the aclnn interface is {right}"
            yield Found("aclnn", message, left, right, old.span, new.span)
    if bool(old.parameters) != bool(new.parameters):
        left, right = ("listed" if a.parameters else "those of the operator" for a in (old, new))
        message = f"the parameters of the aclnn interface are {right}"
        yield Found("aclnn", message, left, right, old.span, new.span)
    names = [tuple(name for name, _ in a.derived) for a in (old, new)]
    if names[0] != names[1] or not pair.same_meaning(
        [e for _, e in old.derived], [e for _, e in new.derived]
    ):
        message = "what the aclnn interface derives changed"
        yield Found("aclnn", message, ", ".join(names[0]), ", ".join(names[1]), old.span, new.span)


@rule(
    "QD401",
    Impact.CALLERS,
    "The torch operator has another name",
    "Python callers find an operator by library, namespace and name.",
)
def torch_name(pair: Pair) -> Iterator[Found]:
    """Library, namespace, name."""
    old, new = pair.before.torch, pair.after.torch
    if old is not None and new is not None:
        left, right = (f"{t.namespace} {t.library}.{t.name}" for t in (old, new))
        if left != right:
            yield Found("torch", f"the torch operator is {right}", left, right, old.span, new.span)


def _torch_listed(*, gone: bool) -> Look:
    def look(pair: Pair) -> Iterator[Found]:
        old, new = pair.before.torch, pair.after.torch
        if gone and old is not None and new is None:
            yield Found(
                "torch", "the torch operator was removed", old.name, "", old.span, pair.after.name_span
            )
        if not gone and old is None and new is not None:
            yield Found("torch", "a torch operator was added", "", new.name, pair.old.name_span, new.span)

    return look


torch_removed = rule(
    "QD402",
    Impact.CALLERS,
    "The torch operator was removed",
    "Python callers find nothing under its name.",
)(_torch_listed(gone=True))
torch_added = rule(
    "QD403",
    Impact.WIDENING,
    "A torch operator was added",
    "Python callers get one more way to call the operator.",
)(_torch_listed(gone=False))


@rule(
    "QD413",
    Impact.CALLERS,
    "The torch operator returns something else",
    "Callers unpack results by position and read them by name.",
)
def returns(pair: Pair) -> Iterator[Found]:
    """Outputs that it returns, in order, and their names."""
    old, new = pair.before.torch, pair.after.torch
    if old is not None and new is not None and old.returns != new.returns:
        left, right = (", ".join(name for _, name in t.returns) for t in (old, new))
        yield Found("torch", f"the torch operator returns {right}", left, right, old.span, new.span)


@rule(
    "QD414",
    Impact.CALLERS,
    "The torch operator passes something else on its own",
    "Parameters that callers cannot choose are fixed to other values, so each call means something else.",
)
def fixed(pair: Pair) -> Iterator[Found]:
    """Pinned parameters."""
    old, new = pair.before.torch, pair.after.torch
    if old is None or new is None:
        return
    common = [name for name in dict(new.fixed) if name in dict(old.fixed)]
    if any(bare(dict(old.fixed)[name]) != bare(dict(new.fixed)[name]) for name in common):
        left, right = map(_fixed, (old, new))
        message = "what the torch operator passes on its own changed"
        yield Found("torch", message, left, right, old.span, new.span)


def _fixed(binding: TorchBinding) -> str:
    return ", ".join(f"{name}: {'null' if value is None else shown(value)}" for name, value in binding.fixed)


@rule(
    "QD417",
    Impact.CALLERS,
    "Models come to the operator in another way",
    "The model side of the Python package picks the operator, and what it passes, by the serving section.",
)
def serving(pair: Pair) -> Iterator[Found]:
    """The serving section."""
    old, new = pair.before.serving, pair.after.serving
    if bare(old) != bare(new):
        before = pair.old.name_span if old is None else old.span
        after = pair.after.name_span if new is None else new.span
        left, right = ("" if s is None else _served(s) for s in (old, new))
        yield Found("serving", "how models come to the operator changed", left, right, before, after)


def _served(serving: Serving) -> str:
    passes = ", ".join(f"{name}: {shown(value)}" for name, value in serving.passes)
    excludes = ", ".join(f"not {name}: {other}" for name, other in serving.excludes)
    words = ", ".join(f"{word}: {dtype}" for word, dtype in serving.words)
    off = ", ".join(f"off for {word}" for word in serving.off)
    parts = (serving.switch, words, off, *serving.models, *serving.caches, serving.otherwise)
    return ", ".join(part for part in (*parts, passes, excludes) if part)


RULES = (aclnn, torch_name, torch_removed, torch_added, returns, fixed, serving)
