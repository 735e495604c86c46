"""What stands in the documentation alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.review.changes import Found, Impact
from qsfa_codegen.review.form import bare, words, written
from qsfa_codegen.review.match import Matching, matching
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.registry import rule
from qsfa_codegen.spec.model import Attr, Text, leaves


def _groups(pair: Pair) -> Iterator[tuple[str, Sequence[tuple[Struct, Struct]]]]:
    """Things of both with words of their own, by what they are called."""
    both: tuple[tuple[str, Matching], ...] = (  # type: ignore[type-arg]
        ("enum", pair.enums),
        ("const", pair.consts),
        ("dim", pair.dims),
        ("record", pair.records),
        ("input", pair.inputs),
        ("attribute", pair.attrs),
        ("output", pair.outputs),
        ("derived value", pair.lets),
        ("derived value", pair.tiling_lets),
        ("constraint", pair.constraints),
        ("rule about data", pair.contents),
    )
    yield from ((word, found.both) for word, found in both)
    old, new = pair.before.tiling, pair.after.tiling
    if old is not None and new is not None:
        for arch, terms in new.workspace:
            yield f"workspace {arch}", matching(dict(old.workspace).get(arch, ()), terms).both


@rule(
    "QD500",
    Impact.DOCS,
    "A text of the documentation changed",
    "Words for people alone: no call, no kernel and no interface changes.",
)
def texts(pair: Pair) -> Iterator[Found]:
    """Words of things of both, of the operator, and notes."""
    for word, both in _groups(pair):
        for old, new in both:
            if _other_words(old, new):
                name = str(getattr(new, "name", getattr(new, "id", "")))
                before, after = (_place(thing) for thing in (old, new))
                message = f"the text of {word} {name} changed"
                yield Found(f"{word} {name}", message, *_english(old, new), before, after)
    yield from _plans(pair)
    for name in ("brief", "formula"):
        left, right = getattr(pair.before, name), getattr(pair.after, name)
        if written(left) != written(right):
            spans = pair.old.name_span, pair.after.name_span
            yield Found(name, f"the {name} changed", _text(left), _text(right), spans[0], spans[1])
    if written(pair.before.notes) != written(pair.after.notes):
        spans = pair.old.name_span, pair.after.name_span
        yield Found("notes", "the notes changed", "", "", spans[0], spans[1])


def _plans(pair: Pair) -> Iterator[Found]:
    """Words of what kernels are compiled with."""
    plans = [() if o.kernel is None else o.kernel.plans for o in (pair.before, pair.after)]
    for old, new in matching(*plans).both:
        if bare(old) == bare(new) and written(old) != written(new):
            message = f"a text of the kernel plan of {new.arch} changed"
            yield Found(f"kernel plan {new.arch}", message, "", "", old.span, new.span)


def _english(old: Struct, new: Struct) -> tuple[str, str]:
    """The first text that differs, in English if it differs there."""
    for name in ("doc", "message"):
        left, right = getattr(old, name, None), getattr(new, name, None)
        if isinstance(left, Text) and isinstance(right, Text) and left != right:
            return (left.en, right.en) if left.en != right.en else (left.zh, right.zh)
    return "", ""


def _other_words(old: Struct, new: Struct) -> bool:
    return words(old) != words(new) or (bare(old) == bare(new) and written(old) != written(new))


def _place(thing: Struct) -> Span:
    span: Span = getattr(thing, "span")  # noqa: B009
    return span


def _text(value: Text | str) -> str:
    return value if isinstance(value, str) else value.en


@rule(
    "QD501",
    Impact.DOCS,
    "A name in the documentation changed",
    "Documentation calls a size or an accepted value by another name; what is accepted is told by other "
    "rules.",
)
def names(pair: Pair) -> Iterator[Found]:
    """Names of sizes and of values, reasons of binding defaults, traps."""
    yield from _reasons(pair)
    for old, new in pair.dims.both:
        if old.doc_name != new.doc_name:
            message = f"dim {new.name} is called {new.doc_name} in documentation"
            yield Found(f"dim {new.name}", message, old.doc_name, new.doc_name, old.span, new.span)
    for before, after in pair.attrs.both:
        left, right = _value_names(before), _value_names(after)
        if {v: n for v, n in left.items() if v in right} != {v: n for v, n in right.items() if v in left}:
            message = f"values of attribute {after.name} have other names"
            texts = [", ".join(f"{name}: {value}" for value, name in side.items()) for side in (left, right)]
            yield Found(f"attribute {after.name}", message, texts[0], texts[1], before.span, after.span)
        if not pair.alike(before.trap, after.trap):
            message = f"what is said of the rejected default of {after.name} changed"
            yield Found(f"attribute {after.name}", message, "", "", before.span, after.span)


def _reasons(pair: Pair) -> Iterator[Found]:
    """Why an interface has another default than what is registered."""
    sides = [
        {p.source: p for p in (() if t is None else (*t.positional, *t.keyword))}
        for t in (pair.before.torch, pair.after.torch)
    ]
    for source, new in sides[1].items():
        old = sides[0].get(source)
        if old is not None and old.reason != new.reason and bare(old.default) == bare(new.default):
            message = f"the reason for the default of torch parameter {new.name} changed"
            texts = _text(old.reason or ""), _text(new.reason or "")
            yield Found(f"torch parameter {new.name}", message, *texts, old.span, new.span)


def _value_names(attr: Attr) -> dict[str, str]:
    if attr.domain is None:
        return {}
    return {str(v.value): v.name or "" for domain in leaves(attr.domain) for v in domain.values}


@rule(
    "QD502",
    Impact.DOCS,
    "Other products are listed as not supported",
    "Documentation lists them; the operator runs on the chips of the spec.",
)
def products(pair: Pair) -> Iterator[Found]:
    """Unsupported product families."""
    old, new = ([p.id for p in o.unsupported] for o in (pair.before, pair.after))
    if old != new:
        spans = pair.old.name_span, pair.after.name_span
        message = "other products are listed as not supported"
        yield Found("unsupported products", message, ", ".join(old), ", ".join(new), spans[0], spans[1])


RULES = (texts, names, products)
