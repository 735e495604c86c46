"""bindings: how aclnn and torch present the operator."""

from __future__ import annotations

from msgspec.structs import replace

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.spec.model import (
    AclnnBinding,
    Attr,
    AttrScalar,
    AttrType,
    AttrValue,
    BoundParam,
    Input,
    Text,
    TorchBinding,
)
from qsfa_codegen.spec.reader import Mapping, Node, Scalar
from qsfa_codegen.spec.resolve.access import (
    as_mapping,
    as_member,
    as_text,
    entries,
    keys,
    need,
    only_entry,
    text_of,
)
from qsfa_codegen.spec.resolve.attrs import AttrReader
from qsfa_codegen.spec.resolve.context import Context

RESERVED = "reserved"
_TENSORS = ("tensor", "tensor_list")


class BindingReader:
    """Reads both bindings against the operator's parameters."""

    def __init__(
        self,
        ctx: Context,
        reader: AttrReader,
        inputs: tuple[Input, ...],
        attrs: tuple[Attr, ...],
    ) -> None:
        self._ctx = ctx
        self._reader = reader
        self._inputs = {i.name: i for i in inputs}
        self._attrs = {a.name: a for a in attrs}
        # Also those that could not be read: their own diagnostics are enough.
        self._declared = dict.fromkeys(
            key for section in ("inputs", "attrs", "outputs") for key in keys(ctx.root.get(section))
        )

    def bindings(self, op_type: str) -> tuple[AclnnBinding, TorchBinding | None]:
        """The aclnn binding, which every operator has, and the torch binding."""
        span = self._ctx.root.span
        usual = AclnnBinding("wrapper", f"aclnn{op_type}", f"aclnnInner{op_type}", (), (), span)

        def both(node: Node) -> tuple[AclnnBinding, TorchBinding | None]:
            mapping = as_mapping(node)
            aclnn = self._ctx.attempt(
                mapping.get("aclnn"), lambda n: self._aclnn(op_type, as_mapping(n)), usual
            )
            return aclnn, self._ctx.attempt(mapping.get("torch"), lambda n: self._torch(as_mapping(n)), None)

        return self._ctx.section("bindings", both, (usual, None))

    # ----------------------------------------------------------------- aclnn

    def _aclnn(self, op_type: str, mapping: Mapping) -> AclnnBinding:
        parameters = mapping.get("parameters")
        return AclnnBinding(
            text_of(mapping, "style", "wrapper"),
            text_of(mapping, "name", f"aclnn{op_type}"),
            text_of(mapping, "inner", f"aclnnInner{op_type}"),
            self._ctx.all(parameters, self._param),
            self._ctx.each(mapping.get("derived"), lambda key, _, value: (key, self._ctx.expr(value))),
            mapping.span,
        )

    # ----------------------------------------------------------------- torch

    def _torch(self, mapping: Mapping) -> TorchBinding:
        return TorchBinding(
            library=as_text(need(mapping, "library")),
            namespace=text_of(mapping, "namespace", as_text(need(mapping, "library")).strip("_")),
            name=as_text(need(mapping, "name")),
            positional=self._positional(mapping.get("positional")),
            keyword=self._ctx.all(mapping.get("keyword"), lambda item: self._with_default(self._param(item))),
            fixed=self._ctx.each(mapping.get("fixed"), self._pinned),
            returns=self._ctx.all(mapping.get("returns"), self._returned),
            span=mapping.span,
        )

    def _positional(self, node: Node | None) -> tuple[BoundParam, ...]:
        """A bare positional name has no default unless one before it has."""
        found: list[BoundParam] = []
        for param in self._ctx.all(node, self._param):
            if any(p.has_default for p in found):
                found.append(self._with_default(param))
            else:
                found.append(param)
        return tuple(found)

    def _with_default(self, param: BoundParam) -> BoundParam:
        """A bare name takes the registered default; an input may be left out."""
        if param.has_default or param.source is None:
            return param
        attr = self._attrs.get(param.source)
        if attr is not None and attr.default is None:
            return param
        return replace(param, has_default=True, default=attr.default if attr is not None else None)

    def _pinned(self, name: str, span: Span, node: Node) -> tuple[str, AttrValue | None]:
        self._known(name, span)
        return name, self._default(node, self._attrs.get(name))

    def _returned(self, node: Node) -> tuple[str, str]:
        if isinstance(node, Mapping):
            name, span, value = only_entry(node)
            if name == RESERVED:
                return "", as_text(value)
            self._known(name, span)
            return name, as_text(value)
        self._known(as_text(node), node.span)
        return as_text(node), as_text(node)

    # ----------------------------------------------------------------- one parameter

    def _param(self, node: Node) -> BoundParam:
        if isinstance(node, Scalar):
            return self._known_param(node.text, node.span, node.text, None)
        name, span, body = only_entry(node)
        if name == RESERVED:
            return self._reserved(as_text(body), span, as_mapping(node))
        if isinstance(body, Scalar):
            return self._known_param(body.text, span, name, None)
        mapping = as_mapping(body)
        return self._known_param(text_of(mapping, "name", name), span, name, mapping)

    def _known_param(self, bound: str, span: Span, source: str, body: Mapping | None) -> BoundParam:
        self._known(source, span)
        attr = self._attrs.get(source)
        default = body.get("default") if body is not None else None
        type, convert = (_optional(body, key) for key in ("type", "as"))
        reason = self._reason(body.get("reason") if body is not None else None)
        self._needs_reason(attr, default, reason)
        return BoundParam(
            name=bound,
            source=source,
            has_default=default is not None,
            default=self._default(default, attr) if default is not None else None,
            reason=reason,
            type=type,
            value_map=self._value_map(body, attr),
            convert=convert,
            span=span,
        )

    def _reason(self, node: Node | None) -> Text | None:
        """One sentence for both languages, or one in each."""
        if node is None:
            return None
        return Text(node.text, node.text) if isinstance(node, Scalar) else self._ctx.text(node)

    def _needs_reason(self, attr: Attr | None, default: Node | None, reason: Text | None) -> None:
        if attr is None or default is None or reason is not None or attr.default is None:
            return
        if self._default(default, attr) != attr.default:
            self._ctx.sink.error(
                "QS350",
                f"the binding's default of '{attr.name}' is not the registered one and no reason is given",
                default.span,
                help="add `reason: …`, or leave the default out to take the registered one",
            )

    def _value_map(self, body: Mapping | None, attr: Attr | None) -> tuple[tuple[str, AttrScalar], ...]:
        node = body.get("map") if body is not None else None
        if node is None or attr is None:
            return ()
        return tuple((key, self._reader.scalar(value, attr.type)) for key, _, value in entries(node))

    def _reserved(self, name: str, span: Span, node: Mapping) -> BoundParam:
        default = node.get("default")
        value = default if default is not None else node.get("accepts")
        return BoundParam(
            name=name,
            source=None,
            has_default=value is not None,
            default=self._reserved_value(value, node.get("type")) if value is not None else None,
            reason=None,
            type=_optional(node, "type"),
            value_map=(),
            convert=None,
            span=span,
        )

    def _reserved_value(self, node: Node, type: Node | None) -> AttrValue | None:
        if isinstance(node, Scalar) and node.value is None:
            return None
        if type is None or as_text(type) in _TENSORS:
            raise self._ctx.malformed("QS331", node.span, "a reserved tensor has no value but null")
        return self._reader.value(node, as_member(type, AttrType))

    def _default(self, node: Node, attr: Attr | None) -> AttrValue | None:
        if isinstance(node, Scalar) and node.value is None:
            return None
        return self._reader.value(node, attr.type if attr is not None else AttrType.STR)

    def _known(self, name: str, span: Span) -> None:
        if name not in self._declared:
            known = ", ".join(self._declared)
            raise self._ctx.malformed(
                "QS351", span, f"the operator has no parameter '{name}'", f"it has {known}"
            )


def _optional(body: Mapping | None, key: str) -> str | None:
    value = body.get(key) if body is not None else None
    return None if value is None else as_text(value)
