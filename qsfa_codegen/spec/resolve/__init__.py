"""From a tree with positions to the frozen ``Operator``.

Every section is read by its own module; an object that cannot be read is dropped with a located
diagnostic and the rest is still read, so that one run reports everything.
"""

from __future__ import annotations

from msgspec.structs import replace

from qsfa_codegen.diagnostics import Diagnostic, Sink
from qsfa_codegen.spec.chips import ChipSet
from qsfa_codegen.spec.model import Chip, Operator, Source
from qsfa_codegen.spec.names import snake
from qsfa_codegen.spec.reach import MAX_KEYS, reachable_keys
from qsfa_codegen.spec.reader import Mapping, Node
from qsfa_codegen.spec.resolve.access import MalformedError, as_mapping
from qsfa_codegen.spec.resolve.attrs import AttrReader
from qsfa_codegen.spec.resolve.bindings import BindingReader
from qsfa_codegen.spec.resolve.context import MALFORMED, Context, report
from qsfa_codegen.spec.resolve.data import resolve_dtypes, resolve_records
from qsfa_codegen.spec.resolve.dims import report_rings, resolve_dims, resolve_rests
from qsfa_codegen.spec.resolve.extent import report_extents
from qsfa_codegen.spec.resolve.identity import (
    resolve_allowed,
    resolve_chips,
    resolve_consts,
    resolve_emit,
    resolve_enums,
    resolve_identity,
    resolve_notes,
    resolve_products,
    resolve_registration,
)
from qsfa_codegen.spec.resolve.params import resolve_inputs, resolve_outputs
from qsfa_codegen.spec.resolve.rules import (
    attach_lets,
    resolve_constraints,
    resolve_contents,
    resolve_lets,
    resolve_reference,
)
from qsfa_codegen.spec.resolve.scope import build_context
from qsfa_codegen.spec.resolve.serving import resolve_serving
from qsfa_codegen.spec.resolve.shapes import ShapeReader
from qsfa_codegen.spec.resolve.tiling import resolve_kernel, resolve_tiling


def resolve(
    tree: Node, chips: ChipSet, source: Source, sink: Sink, faulty: frozenset[str] = frozenset()
) -> Operator | None:
    """The operator that a tree describes; None when ``sink`` has an error.

    ``faulty`` are sections whose form is not that of the schema, which ``sink`` knows. They are read
    as far as they go, for errors that have nothing to do with the form.
    """
    found = Sink()
    operator = _read(tree, chips, source, faulty, found)
    told = {_start(diagnostic) for diagnostic in sink}
    for diagnostic in found:
        if _start(diagnostic) not in told and not (faulty and diagnostic.code == MALFORMED):
            sink.add(diagnostic)
    if operator is not None and not sink.failed:
        report_extents(operator, sink)
    return None if operator is None or sink.failed else _with_derived(operator, sink)


def _start(diagnostic: Diagnostic) -> tuple[int, int]:
    span = diagnostic.span
    return (0, 0) if span is None else (span.line, span.column)


def _read(tree: Node, chips: ChipSet, source: Source, faulty: frozenset[str], sink: Sink) -> Operator | None:
    try:
        root = as_mapping(tree)
        if root.get("inputs") is None or root.get("outputs") is None:
            return None  # too many names would be unknown
        found = _chips(root, chips, sink)
        # Where it cannot be told which chips are meant, all that there are may be named.
        ctx = build_context(root, found or tuple(chips.by_id.values()), faulty, sink)
        if found is None:
            ctx.lost.add("chips")
        attach_lets(ctx)
        return _operator(ctx, chips, source)
    except MalformedError as error:
        report(sink, error)
        return None


def _chips(root: Mapping, chips: ChipSet, sink: Sink) -> tuple[Chip, ...] | None:
    try:
        return resolve_chips(root, chips, sink)
    except MalformedError as error:
        report(sink, error)
        return None


def _with_derived(operator: Operator, sink: Sink) -> Operator | None:
    """Add what follows from the whole operator: its checks and the reachable tiling keys."""
    # Lowering needs parts of this package, so whoever imports it first must not wait for itself.
    from qsfa_codegen.spec.lower import lower

    operator = replace(operator, checks=lower(operator))
    tiling = operator.tiling
    if tiling is None or tiling.key is None or tiling.key.plain is not None or tiling.key.listed:
        return operator
    legal = reachable_keys(operator)
    if legal is None:
        sink.error(
            "QS348",
            f"the tiling key can have more than {MAX_KEYS} values",
            tiling.key.span,
            "each is a compiled kernel variant: list those that are needed under `legal`",
        )
        return None
    return replace(operator, tiling=replace(tiling, key=replace(tiling.key, legal=legal)))


def _operator(ctx: Context, chips: ChipSet, source: Source) -> Operator:
    identity = resolve_identity(ctx)
    consts = resolve_consts(ctx)
    dtypes = resolve_dtypes(ctx)
    shapes = ShapeReader(ctx)
    reader = AttrReader(ctx, consts)
    attrs = reader.all()
    inputs = resolve_inputs(ctx, shapes, dtypes.columns)
    outputs = resolve_outputs(ctx, shapes, dtypes.columns, inputs)
    dims = resolve_dims(ctx, reader, inputs, attrs)
    report_rings(ctx, dims)
    binder = BindingReader(ctx, reader, inputs, attrs)
    aclnn, torch = binder.bindings(identity.name)
    return Operator(
        name=identity.name,
        snake=snake(identity.name),
        category=identity.category,
        brief=identity.brief,
        formula=identity.formula,
        graph_mode=identity.graph_mode,
        license=identity.license,
        chips=ctx.chips,
        unsupported=resolve_products(ctx, chips),
        registration=resolve_registration(ctx),
        enums=resolve_enums(ctx),
        consts=consts,
        dims=dims,
        rests=resolve_rests(ctx, inputs, outputs),
        dtypes=dtypes,
        records=resolve_records(ctx, dtypes.columns),
        inputs=inputs,
        attrs=attrs,
        outputs=outputs,
        lets=resolve_lets(ctx.lets),
        constraints=resolve_constraints(ctx, dims),
        contents=resolve_contents(ctx),
        tiling=resolve_tiling(ctx, dtypes.columns),
        kernel=resolve_kernel(ctx),
        reference=resolve_reference(ctx),
        aclnn=aclnn,
        torch=torch,
        serving=resolve_serving(ctx, reader, attrs),
        notes=resolve_notes(ctx),
        emit=resolve_emit(ctx),
        allowed=resolve_allowed(ctx),
        checks=(),
        source=source,
        name_span=identity.name_span,
    )
