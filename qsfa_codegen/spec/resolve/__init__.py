"""From a tree with positions to the frozen ``Operator``.

Every section is read by its own module; an object that cannot be read is dropped with a located
diagnostic and the rest is still read, so that one run reports everything.
"""

from __future__ import annotations

from dataclasses import replace

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.spec.chips import ChipSet
from qsfa_codegen.spec.model import AclnnBinding, Operator, Source, Text
from qsfa_codegen.spec.names import snake
from qsfa_codegen.spec.reach import reachable_keys
from qsfa_codegen.spec.reader import Mapping, Node
from qsfa_codegen.spec.resolve.access import MalformedError, as_mapping, as_text, flag_of, need, text_of
from qsfa_codegen.spec.resolve.attrs import AttrReader
from qsfa_codegen.spec.resolve.bindings import BindingReader
from qsfa_codegen.spec.resolve.context import Context, report
from qsfa_codegen.spec.resolve.data import resolve_dtypes, resolve_records
from qsfa_codegen.spec.resolve.dims import report_rings, resolve_dims, resolve_rests
from qsfa_codegen.spec.resolve.identity import (
    resolve_chips,
    resolve_consts,
    resolve_emit,
    resolve_enums,
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
from qsfa_codegen.spec.resolve.shapes import ShapeReader
from qsfa_codegen.spec.resolve.tiling import resolve_kernel, resolve_tiling


def resolve(tree: Node, chips: ChipSet, source: Source, sink: Sink, formed: bool = True) -> Operator | None:
    """The operator that a tree describes; None when ``sink`` has an error.

    A tree that is not ``formed`` as the schema wants is read as far as it goes, for the errors that
    have nothing to do with its form.
    """
    found = Sink()
    operator = _read(tree, chips, source, found)
    for diagnostic in found:
        if formed or diagnostic.code != MALFORMED:
            sink.add(diagnostic)
    return None if operator is None or sink.failed else _with_derived(operator)


def _read(tree: Node, chips: ChipSet, source: Source, sink: Sink) -> Operator | None:
    try:
        root = as_mapping(tree)
        ctx = build_context(root, *resolve_chips(root, chips, sink), sink)
        attach_lets(ctx)
        return _operator(ctx, chips, source)
    except MalformedError as error:
        report(sink, error)
        return None


def _with_derived(operator: Operator) -> Operator:
    """Add what follows from the whole operator: its checks and the reachable tiling keys."""
    # Lowering needs parts of this package, so whoever imports it first must not wait for itself.
    from qsfa_codegen.spec.lower import lower

    operator = replace(operator, checks=lower(operator))
    tiling = operator.tiling
    if tiling is None or tiling.key is None or tiling.key.plain is not None or tiling.key.listed:
        return operator
    key = replace(tiling.key, legal=reachable_keys(operator))
    return replace(operator, tiling=replace(tiling, key=key))


def _operator(ctx: Context, chips: ChipSet, source: Source) -> Operator:
    root = ctx.root
    identity = as_mapping(need(root, "operator"))
    name = as_text(need(identity, "name"))
    consts = resolve_consts(ctx)
    dtypes = resolve_dtypes(ctx)
    shapes = ShapeReader(ctx)
    reader = AttrReader(ctx, consts)
    attrs = reader.all()
    inputs = resolve_inputs(ctx, shapes, dtypes.columns)
    outputs = resolve_outputs(ctx, shapes, dtypes.columns, inputs)
    dims = resolve_dims(ctx, inputs, attrs)
    report_rings(ctx, dims)
    brief = identity.get("brief")
    bindings = _bindings(root)
    binder = BindingReader(ctx, reader, inputs, attrs)
    return Operator(
        name=name,
        snake=snake(name),
        category=as_text(need(identity, "category")),
        brief=ctx.text(brief) if brief is not None else Text("", ""),
        formula=text_of(identity, "formula", "").strip(),
        graph_mode=flag_of(identity, "graph_mode"),
        chips=ctx.chips,
        unsupported=resolve_products(root, chips, ctx.sink),
        registration=resolve_registration(ctx, root.get("registration")),
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
        aclnn=_aclnn(binder, name, bindings, root),
        torch=binder.torch(bindings.get("torch")) if bindings is not None else None,
        notes=resolve_notes(ctx),
        emit=resolve_emit(root),
        checks=(),
        source=source,
        name_span=need(identity, "name").span,
    )


def _bindings(root: Mapping) -> Mapping | None:
    node = root.get("bindings")
    return as_mapping(node) if node is not None else None


def _aclnn(binder: BindingReader, name: str, bindings: Mapping | None, root: Mapping) -> AclnnBinding:
    return binder.aclnn(name, bindings.get("aclnn") if bindings is not None else None, root.span)
