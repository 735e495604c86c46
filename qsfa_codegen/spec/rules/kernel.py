"""Kernel families, roles and on-chip buffer plans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from qsfa_codegen.diagnostics import Related, Span
from qsfa_codegen.expr.evaluate import UNKNOWN
from qsfa_codegen.expr.memo import once_an_operator
from qsfa_codegen.expr.nodes import Expr
from qsfa_codegen.spec import families
from qsfa_codegen.spec.buffer_plan import Part, buffer_plan, capacity, kernel_room, limits_of, plan_problems
from qsfa_codegen.spec.kernel_facts import (
    Reads,
    Use,
    kernel_facts,
    kernel_uses,
    named_constants,
    named_functions,
)
from qsfa_codegen.spec.model import Chip, KernelPlan, Operator, PlanSpace
from qsfa_codegen.spec.rules.registry import Report, rule
from qsfa_codegen.spec.world import ANYWHERE, World, world_of

# Bytes that every buffer of a space is aligned to.
ALIGNMENT = {"UB": 32, "L1": 32, "L0A": 512, "L0B": 512, "L0C": 512}


@rule(
    "QS480",
    "A kernel role names something that the operator does not have",
    "A kernel family speaks of roles; the spec says which parameter plays each.",
)
def roles(operator: Operator, report: Report) -> None:
    """Every role's target is an input, attribute, output, record or derived value."""
    if operator.kernel is None:
        return
    groups = (operator.inputs, operator.attrs, operator.outputs, operator.records, operator.lets)
    known = {thing.name for group in groups for thing in group}
    for role, target in operator.kernel.roles:
        if target not in known:
            report(f"role '{role}' is '{target}', which the operator does not have", operator.kernel.span)


@rule(
    "QS481",
    "A buffer plan does not fit the chip",
    "chips.yaml says how large each on-chip space is; a plan beyond that cannot run.",
)
def plan_capacity(operator: Operator, report: Report) -> None:
    """Totals fit the smallest chip of the architecture, parts fit the total and are aligned."""
    for space, chip in _spaces(operator):
        world = world_of(operator, chip)
        world.move_to(ANYWHERE)
        room = capacity(chip)[space.space]
        total = _number(world, space.total)
        if total is not None and total > room:
            report(f"the plan uses {total} bytes of {space.space}, {chip.id} has {room}", space.span)
        _parts(world, space, total, report)
    for plan in operator.kernel.plans if operator.kernel is not None else ():
        _family_parts(operator, plan, report)


def _family_parts(operator: Operator, plan: KernelPlan, report: Report) -> None:
    """What the family's own kernel needs with the parameters of the plan."""
    parts, limits = buffer_plan(operator, plan.arch), limits_of(operator, plan.arch)
    for chip in operator.chips:
        room = kernel_room(operator, chip)
        for space in dict.fromkeys(part.space for part in parts if chip.arch == plan.arch):
            inside = [part for part in parts if part.space == space]
            used = sum(part.total for part in inside)
            if used > room[space]:
                message = (
                    f"the kernel of {plan.arch} needs {used} bytes of {space}, {chip.id} has {room[space]}"
                )
                if room[space] < capacity(chip)[space]:
                    message += f" for it: {limits[space].why}"
                report(message, plan.span, f"its buffers there: {'; '.join(map(_said, inside))}")
                return


def _said(part: Part) -> str:
    return f"{part.name} {part.copies} × {part.bytes} ({part.doc.en})"


def _parts(world: World, space: PlanSpace, total: int | None, report: Report) -> None:
    used = 0
    for buffer in space.buffers:
        copies, size = _number(world, buffer.copies), _number(world, buffer.bytes)
        if copies is None or size is None:
            continue
        used += copies * size
        if size % ALIGNMENT[space.space]:
            report(
                f"'{buffer.name}' has {size} bytes, not a multiple of {ALIGNMENT[space.space]}",
                buffer.span,
                f"buffers in {space.space} are aligned to {ALIGNMENT[space.space]} bytes",
            )
    if total is not None and used > total:
        report(f"the buffers of {space.space} need {used} bytes, the plan has {total}", space.span)


def _spaces(operator: Operator) -> Iterator[tuple[PlanSpace, Chip]]:
    for plan in operator.kernel.plans if operator.kernel is not None else ():
        chips = [c for c in operator.chips if c.arch == plan.arch]
        for space in plan.spaces:
            yield space, min(chips, key=lambda c: capacity(c).get(space.space, 0))


def _number(world: World, expr: Expr) -> int | None:
    value = world.known(expr, UNKNOWN)
    return value if isinstance(value, int) else None


@rule(
    "QS482",
    "An architecture of the operator has no kernel plan",
    "Each architecture is compiled from its own plan.",
)
def plan_archs(operator: Operator, report: Report) -> None:
    """Plans cover every architecture."""
    if operator.kernel is None:
        return
    planned = {plan.arch for plan in operator.kernel.plans}
    for arch in operator.archs:
        if operator.kernel.plans and arch not in planned:
            report(f"there is no plan for {arch}", operator.kernel.span, f"add `{arch}` to `plan`")


@rule(
    "QS483",
    "The reference cannot be computed",
    "A reference names a function of a kernel family, which needs to know what plays its roles. References "
    "of families that the program does not know are only named in the documentation.",
)
def reference_computable(operator: Operator, report: Report) -> None:
    """A known family finds everything that it computes with."""
    if operator.reference is not None:
        for problem in families.problems(operator):
            report(problem, operator.reference.span, "mend the roles of the kernel, or leave out `reference`")


@rule(
    "QS484",
    "A kernel has no tiling",
    "The kernel gets its sizes from the tiling data.",
)
def kernel_tiling(operator: Operator, report: Report) -> None:
    """A kernel section needs tiling data."""
    if operator.kernel is not None and (operator.tiling is None or operator.tiling.data is None):
        report("there is a kernel but no tiling data", operator.kernel.span, "add the `tiling` section")


@once_an_operator
def _uses(operator: Operator) -> tuple[tuple[str, Use, Reads], ...]:
    """(architecture, use, what it reads) of everything that kernel code is written with."""
    if operator.kernel is None or operator.tiling is None:
        return ()
    facts = {arch: kernel_facts(operator, arch) for arch in operator.archs}
    return tuple(
        (arch, use, facts[arch].reads(use.expr)) for arch in facts for use in kernel_uses(operator, arch)
    )


@rule(
    "QS485",
    "The kernel is not told what the size of a workspace depends on",
    "Kernels take the places of workspace regions from the terms of the spec. They know constants, the "
    "arguments of the tiling key and the fields of the tiling data, and nothing else of a call.",
)
def workspace_told(operator: Operator, report: Report) -> None:
    """Sizes of workspace terms follow from the tiling data and the key."""
    reported: set[str] = set()
    for arch, use, reads in _uses(operator):
        if use.told and reads.parameters and not reads.beyond and use.what not in reported:
            reported.add(use.what)
            names = " and ".join(f"'{ref.name}'" for ref in reads.parameters)
            report(
                f"no tiling field tells the kernel of {arch} {names}, which {use.what} needs",
                use.expr.span,
                "add a tiling field or a key argument with this value",
            )


@rule(
    "QS486",
    "A number of a buffer plan depends on the call",
    "Buffers and flags are set up before a kernel knows its call: their sizes are constants.",
)
def plan_constant(operator: Operator, report: Report) -> None:
    """Totals, buffers and credits are numbers."""
    for arch, use, reads in _uses(operator):
        if use.constant and not reads.constant and not reads.beyond:
            report(f"on {arch} {use.what} depends on the call", use.expr.span, "use constants alone")


@rule(
    "QS487",
    "A kernel cannot work something out",
    "Whether and with which shape or dtype an input is passed, what a function of the host gives, and which "
    "of several chips of one architecture it runs on, is known to the host alone.",
)
def kernel_can(operator: Operator, report: Report) -> None:
    """Kernel code needs no fact that only the host has, unless a tiling field or a key argument holds it."""
    for arch, use, reads in _uses(operator):
        if reads.beyond:
            related = (Related(reads.beyond[0].span, "this is known to the host alone"),)
            report(
                f"the kernel of {arch} cannot work out {use.what}",
                use.expr.span,
                "let a tiling field or a key argument hold this value",
                related,
            )


@rule(
    "QS488",
    "Two functions of a kernel have one name",
    "The kernel's code gets a function for each attribute that plays a role, each part of a packed row, each "
    "plan parameter that depends on the call and each workspace region, called after it.",
)
def kernel_functions(operator: Operator, report: Report) -> None:
    """What the functions of the kernel class are called after stays apart in CamelCase."""
    _apart(named_functions(operator), "a function", report)


@rule(
    "QS489",
    "Two constants of a kernel have one name",
    "Consts, derived values of consts, and the parameters, buffers and flags of a plan become constants of "
    "the kernel's code.",
)
def kernel_constants(operator: Operator, report: Report) -> None:
    """What the constants are called after stays apart in UPPER_CASE."""
    for arch in operator.archs if operator.kernel is not None and operator.tiling is not None else ():
        _apart(named_constants(operator, arch), "a constant", report)


def _apart(named: Iterable[tuple[str, str, Span]], thing: str, report: Report) -> None:
    first: dict[str, str] = {}
    reported: set[tuple[str, str]] = set()
    for what, name, span in named:
        other = first.setdefault(name, what)
        if other != what and (other, what) not in reported:
            reported.add((other, what))
            report(f"{other} and {what} both have {thing} '{name}' in the kernel", span, "rename one of them")


@rule(
    "QS503",
    "A kernel plan is not one that its family can use",
    "The kernel of a family leaves some sizes to the spec's plan; its code can do with some values of each.",
)
def plan_usable(operator: Operator, report: Report) -> None:
    """The plan has every parameter of the family's kernel, with a value that its code can do with."""
    for plan in operator.kernel.plans if operator.kernel is not None else ():
        for problem in plan_problems(operator, plan.arch):
            report(problem, plan.span, "the documentation of the family says what each parameter is")


RULES = (
    roles,
    plan_capacity,
    plan_archs,
    reference_computable,
    kernel_tiling,
    workspace_told,
    plan_constant,
    kernel_can,
    kernel_functions,
    kernel_constants,
    plan_usable,
)
