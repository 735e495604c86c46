"""What kernels compiled before were compiled for."""

from __future__ import annotations

from collections.abc import Iterator

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.nodes import Expr
from qsfa_codegen.review.changes import Found, Impact
from qsfa_codegen.review.form import bare
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.registry import rule
from qsfa_codegen.spec.model import Kernel, KernelPlan, Operator


def _arguments(operator: Operator) -> list[str]:
    return [*(i.name for i in operator.inputs), *(o.name for o in operator.outputs)]


@rule(
    "QD330",
    Impact.ARTEFACTS,
    "The arguments of the kernel changed",
    "The kernel entry takes every input, then every output, by position: a kernel built before gets other "
    "pointers.",
)
def arguments(pair: Pair) -> Iterator[Found]:
    """Inputs and outputs in order; only another name is no other argument."""
    old, new = _arguments(pair.before), _arguments(pair.after)
    if old != new:
        yield Found(
            "kernel arguments",
            "the arguments of the kernel changed",
            ", ".join(old),
            ", ".join(new),
            pair.old.name_span,
            pair.after.name_span,
        )


@rule(
    "QD331",
    Impact.ARTEFACTS,
    "Another kernel was chosen",
    "Family, task type and roles decide which kernel is generated and what it does with which parameter.",
)
def family(pair: Pair) -> Iterator[Found]:
    """A kernel section in one only, the family, the task type, the roles."""
    old, new = pair.before.kernel, pair.after.kernel
    if old is None or new is None:
        if old is not new:
            what = "removed" if new is None else "added"
            yield Found("kernel", f"the kernel was {what}", "", "", *_places(pair, old, new))
        return
    for name in ("family", "task_type"):
        left, right = getattr(old, name), getattr(new, name)
        if left != right:
            message = f"the {name.replace('_', ' ')} of the kernel changed"
            yield Found("kernel", message, left, right, old.span, new.span)
    for role in dict.fromkeys((*dict(old.roles), *dict(new.roles))):
        before, after = dict(old.roles).get(role, ""), dict(new.roles).get(role, "")
        if before != after:
            message = f"the role {role} of the kernel changed"
            yield Found("kernel", message, before, after, old.span, new.span)


def _places(pair: Pair, old: Kernel | None, new: Kernel | None) -> tuple[Span, Span]:
    before = pair.old.name_span if old is None else old.span
    return before, pair.after.name_span if new is None else new.span


@rule(
    "QD332",
    Impact.ARTEFACTS,
    "A plan of the kernel changed",
    "Tile sizes, buffers and flags are compiled into the kernel.",
)
def plan(pair: Pair) -> Iterator[Found]:
    """Plans of architectures of both."""
    old, new = pair.before.kernel, pair.after.kernel
    if old is None or new is None:
        return
    archs = {chip.arch for _, chip in pair.chips}
    before, after = ({p.arch: p for p in kernel.plans if p.arch in archs} for kernel in (old, new))
    for arch in dict.fromkeys((*before, *after)):
        left, right = before.get(arch), after.get(arch)
        if left is None or right is None:
            what = "added" if left is None else "removed"
            places = (left or old).span, (right or new).span
            yield Found(f"kernel plan {arch}", f"the plan of {arch} was {what}", "", "", places[0], places[1])
        else:
            yield from _plans(pair, left, right)


def _plans(pair: Pair, old: KernelPlan, new: KernelPlan) -> Iterator[Found]:
    before, after = dict(_parts(old)), dict(_parts(new))
    for name in dict.fromkeys((*before, *after)):
        left, right = before.get(name, ()), after.get(name, ())
        if (name in before) == (name in after) and pair.same_meaning(left, right):
            continue
        texts = pair.said(*([e for e in side if e is not None] for side in (left, right)))
        message = f"{name} of the plan of {new.arch} changed"
        yield Found(f"kernel plan {new.arch}", message, texts[0], texts[1], old.span, new.span)
    if list(before) != list(after) and set(before) == set(after):
        message = f"parts of the plan of {new.arch} have another order"
        yield Found(f"kernel plan {new.arch}", message, "", "", old.span, new.span)


def _parts(plan: KernelPlan) -> Iterator[tuple[str, tuple[Expr | None, ...]]]:
    for parameter in plan.parameters:
        yield parameter.name, (parameter.value,)
    for space in plan.spaces:
        yield space.space, (space.total,)
        for buffer in space.buffers:
            yield f"{space.space}.{buffer.name}", (buffer.copies, buffer.bytes)
    for flag in plan.flags:
        yield f"flag {flag.name}", (flag.credits,)


@rule(
    "QD333",
    Impact.ARTEFACTS,
    "The code of an enum label changed",
    "Tiling fields and keys hold codes: kernels built before take one label for another.",
)
def codes(pair: Pair) -> Iterator[Found]:
    """Labels of both with another code."""
    for old, new in pair.enums.both:
        before = {label.name: label for label in old.labels}
        for label in new.labels:
            was = before.get(label.name)
            if was is not None and was.code != label.code:
                yield Found(
                    f"enum {new.name}",
                    f"the code of {new.name}.{label.name} is {label.code} instead of {was.code}",
                    str(was.code),
                    str(label.code),
                    was.span,
                    label.span,
                )


@rule(
    "QD334",
    Impact.COMPATIBLE,
    "The reference or its tolerances changed",
    "Results are compared with another reference, or more or less strictly; no call and no kernel changes.",
)
def reference(pair: Pair) -> Iterator[Found]:
    """The reference implementation."""
    old, new = pair.before.reference, pair.after.reference
    if bare(old) != bare(new):
        before = pair.old.name_span if old is None else old.span
        after = pair.after.name_span if new is None else new.span
        texts = ["" if r is None else r.python for r in (old, new)]
        yield Found("reference", "the reference or its tolerances changed", texts[0], texts[1], before, after)


RULES = (arguments, family, plan, codes, reference)
