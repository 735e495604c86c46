"""operator, chips, unsupported_chips, registration, enums, consts, docs: facts without expressions."""

from __future__ import annotations

from msgspec import Struct

from qsfa_codegen.diagnostics import Sink, Span
from qsfa_codegen.spec.chips import ChipSet
from qsfa_codegen.spec.model import Allowance, Chip, Const, EnumDef, EnumLabel, Product, Registration, Text
from qsfa_codegen.spec.paths import at_chip
from qsfa_codegen.spec.reader import Mapping, Node
from qsfa_codegen.spec.resolve.access import (
    as_bool,
    as_int,
    as_mapping,
    as_text,
    entries,
    flag_of,
    items,
    need,
    text_of,
    texts,
)
from qsfa_codegen.spec.resolve.context import Context

EXTENSIONS = "ext"


class Identity(Struct, frozen=True):
    """The section `operator`."""

    name: str
    category: str
    brief: Text
    formula: str
    graph_mode: bool
    license: str
    name_span: Span


def resolve_identity(ctx: Context) -> Identity:
    """Who the operator is; nobody when that cannot be read."""
    nobody = Identity("", "", Text("", ""), "", False, "", ctx.root.span)
    return ctx.section("operator", lambda node: _identity(ctx, as_mapping(node)), nobody)


def _identity(ctx: Context, node: Mapping) -> Identity:
    name = need(node, "name")
    return Identity(
        name=as_text(name),
        category=as_text(need(node, "category")),
        brief=ctx.text(need(node, "brief")),
        formula=text_of(node, "formula", "").strip(),
        graph_mode=flag_of(node, "graph_mode"),
        license=text_of(node, "license", ""),
        name_span=name.span,
    )


def resolve_chips(root: Mapping, chips: ChipSet, sink: Sink) -> tuple[Chip, ...] | None:
    """Chips of the operator in the spec's order; unknown and repeated ids are reported.

    None when it cannot be told which they all are.
    """
    found: dict[str, Chip] = {}
    unknown = False
    for node in items(need(root, "chips")):
        name = as_text(node)
        chip = chips.by_id.get(name) or chips.by_soc.get(name)
        if chip is None:
            unknown = True
            known = ", ".join(chips.by_id)
            sink.error("QS313", f"there is no chip '{name}'", node.span, help=f"chips.yaml has {known}")
        elif chip.id in found:
            sink.error("QS314", f"chip '{name}' is listed twice", node.span, help="remove one of them")
        else:
            found[chip.id] = chip
    return None if unknown else tuple(found.values())


def resolve_products(ctx: Context, chips: ChipSet) -> tuple[Product, ...]:
    """Product families that the documentation lists as not supported."""

    def product(node: Node) -> Product:
        found = chips.products.get(as_text(node))
        if found is None:
            known = f"chips.yaml has {', '.join(chips.products)}"
            raise ctx.malformed("QS313", node.span, f"there is no product '{as_text(node)}'", known)
        return found

    return ctx.section("unsupported_chips", lambda node: ctx.all(node, product), ())


def resolve_registration(ctx: Context) -> tuple[Registration, ...]:
    """OpAICoreConfig of each chip."""
    plain = tuple(Registration(chip.id, (), ()) for chip in ctx.chips)
    return ctx.section("registration", lambda node: _registrations(ctx, node), plain)


def _registrations(ctx: Context, node: Node) -> tuple[Registration, ...]:
    choice = ctx.choice(node, as_mapping)
    return tuple(_registration(chip.id, at_chip(choice, chip)) for chip in ctx.chips)


def _registration(chip: str, node: Mapping | None) -> Registration:
    flags: list[tuple[str, bool]] = []
    extra: list[tuple[str, str]] = []
    for key, _, value in entries(node):
        if key == EXTENSIONS:
            extra.extend((name, as_text(text)) for name, _, text in entries(value))
        else:
            flags.append((key, as_bool(value)))
    return Registration(chip, tuple(flags), tuple(extra))


def resolve_enums(ctx: Context) -> tuple[EnumDef, ...]:
    """Enums with their labels."""

    def label(name: str, span: Span, node: Node) -> EnumLabel:
        code = as_mapping(node).get("code")
        return EnumLabel(name, as_int(code) if code is not None else 0, ctx.doc(node), span)

    def enum(name: str, span: Span, node: Node) -> EnumDef:
        return EnumDef(name, ctx.each(node, label), span)

    return ctx.section("enums", lambda node: ctx.each(node, enum), ())


def resolve_consts(ctx: Context) -> tuple[Const, ...]:
    """Numbers with a name and a reason."""

    def const(name: str, span: Span, node: Node) -> Const:
        value = as_int(need(as_mapping(node), "value"))
        doc = ctx.doc(node)
        if doc is None:
            ctx.sink.error(
                "QS316", f"const '{name}' gives no reason", span, help="say in en and zh what it is"
            )
        return Const(name, value, doc or Text("", ""), span)

    return ctx.section("consts", lambda node: ctx.each(node, const), ())


def resolve_notes(ctx: Context) -> tuple[Text, ...]:
    """Notes of the documentation, in order."""
    return ctx.section("docs", lambda node: ctx.all(as_mapping(node).get("notes"), ctx.text), ())


def resolve_emit(ctx: Context) -> tuple[str, ...]:
    """Artefact groups to write; empty means all."""
    return ctx.section("emit", texts, ())


def resolve_allowed(ctx: Context) -> tuple[Allowance, ...]:
    """Breaks that are on purpose."""

    def allowance(node: Node) -> Allowance:
        entry = as_mapping(node)
        subject = entry.get("subject")
        return Allowance(
            as_text(need(entry, "code")),
            None if subject is None else as_text(subject),
            as_text(need(entry, "reason")),
            node.span,
        )

    return ctx.section("review", lambda node: ctx.all(as_mapping(node).get("allow"), allowance), ())
