"""serving: how models of a serving framework come to the operator."""

from __future__ import annotations

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.spec.model import Attr, AttrValue, Serving
from qsfa_codegen.spec.reader import Node
from qsfa_codegen.spec.resolve.access import MalformedError, as_mapping, as_text, entries, need, texts
from qsfa_codegen.spec.resolve.attrs import AttrReader
from qsfa_codegen.spec.resolve.context import Context


def resolve_serving(ctx: Context, reader: AttrReader, attrs: tuple[Attr, ...]) -> Serving | None:
    """The serving section; None where there is none."""
    known = {attr.name: attr for attr in attrs}

    def passed(name: str, span: Span, node: Node) -> tuple[str, AttrValue]:
        if name not in known:
            raise MalformedError(span, f"the operator has no attribute '{name}'")
        return name, reader.value(node, known[name].type)

    def read(node: Node) -> Serving:
        mapping = as_mapping(node)
        on_for = as_mapping(need(mapping, "on_for"))
        return Serving(
            passes=ctx.each(mapping.get("passes"), passed),
            caches=texts(need(mapping, "caches")),
            otherwise=as_text(need(mapping, "otherwise")),
            switch=as_text(need(mapping, "switch")),
            words=_pairs(need(on_for, "cache_dtypes")),
            models=texts(need(on_for, "models")),
            off=texts(need(mapping, "off_for")),
            excludes=_pairs(mapping.get("excludes")),
            span=mapping.span,
        )

    return ctx.section("serving", read, None)


def _pairs(node: Node | None) -> tuple[tuple[str, str], ...]:
    return tuple((name, as_text(value)) for name, _, value in entries(node))
