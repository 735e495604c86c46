"""Attributes: which there are, in which order, of which type and with which default."""

from __future__ import annotations

from collections.abc import Iterator

from qsfa_codegen.review import rename
from qsfa_codegen.review.changes import Found, Impact
from qsfa_codegen.review.form import bare
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.registry import rule
from qsfa_codegen.review.rules import lists
from qsfa_codegen.spec.model import Attr, AttrValue

_ATTRS = lists.Kind(rename.ATTR, lambda pair: pair.attrs)


def _demanded(attr: Attr) -> bool:
    """Whether each call must give it."""
    return attr.required and attr.default is None


def _free(attr: Attr) -> bool:
    return not _demanded(attr)


def shown(value: AttrValue | None) -> str:
    """A default as the spec writes it."""
    if value is None:
        return "none"
    if isinstance(value, tuple):
        return f"[{', '.join(map(shown, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


removed = rule(
    "QD120",
    Impact.CALLERS,
    "An attribute was removed",
    "A caller that gives it no longer compiles, and the attributes behind it move up by one place.",
)(lists.removed(_ATTRS))
required = rule(
    "QD121",
    Impact.CALLERS,
    "An attribute was added without a default",
    "No call of the base gives it, so each call that was legal is rejected.",
)(lists.added(_ATTRS, _demanded, inserted=None, why=" and has no default"))
inserted = rule(
    "QD122",
    Impact.CALLERS,
    "An attribute was added before others",
    "Attributes are counted: graphs and host code built before read the ones behind it at the wrong place. "
    "Add it behind the last one.",
)(lists.added(_ATTRS, _free, inserted=True, why=" in front of"))
appended = rule(
    "QD123",
    Impact.WIDENING,
    "An attribute with a default was added behind the others",
    "Calls that leave it out stay legal and mean the same, as long as its default is what was done before.",
)(lists.added(_ATTRS, _free, inserted=False, why=""))
renamed = rule(
    "QD124",
    Impact.CALLERS,
    "An attribute was renamed",
    "Graphs and keyword arguments name attributes. It counts as renamed when the spec says `was`, or when "
    "both are equal and stand at the same place or are named or described alike.",
)(lists.renamed(_ATTRS))
moved = rule(
    "QD125",
    Impact.CALLERS,
    "An attribute moved",
    "Attributes are counted: host code reads the value of another one.",
)(lists.moved(_ATTRS))


@rule(
    "QD126",
    Impact.CALLERS,
    "An attribute has another type",
    "Values of the old type are another argument in every interface.",
)
def retyped(pair: Pair) -> Iterator[Found]:
    """The type, and the enum whose labels it takes."""
    for old, new in pair.attrs.both:
        left, right = (f"{a.type.value} {a.enum or ''}".strip() for a in (old, new))
        if left != right:
            message = f"attribute {new.name} is of type {right}"
            yield Found(f"attribute {new.name}", message, left, right, old.span, new.span)


@rule(
    "QD127",
    Impact.CALLERS,
    "The default of an attribute changed",
    "Calls that leave the attribute out mean something else than before.",
)
def default(pair: Pair) -> Iterator[Found]:
    """Defaults, with a call that leaves the attribute out and comes out otherwise."""
    for old, new in pair.attrs.both:
        if bare(old.default) == bare(new.default):
            continue
        yield Found(
            f"attribute {new.name}",
            f"the default of {new.name} is {shown(new.default)} instead of {shown(old.default)}",
            shown(old.default),
            shown(new.default),
            old.span,
            new.span,
            pair.evidence.left_out(new.name),
        )


@rule(
    "QD128",
    Impact.ARTEFACTS,
    "An attribute is registered otherwise",
    "Whether an attribute is registered as required is compiled into the operator library.",
)
def registered(pair: Pair) -> Iterator[Found]:
    """Required or optional."""
    for old, new in pair.attrs.both:
        if old.required != new.required:
            left, right = ("required" if a.required else "optional" for a in (old, new))
            message = f"attribute {new.name} is registered as {right}"
            yield Found(f"attribute {new.name}", message, left, right, old.span, new.span)


RULES = (removed, required, inserted, appended, renamed, moved, retyped, default, registered)
