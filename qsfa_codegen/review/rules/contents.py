"""What tensors may hold: rules about data, compared as they are written."""

from __future__ import annotations

from collections.abc import Iterator

from qsfa_codegen.review.changes import Found, Impact
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.registry import rule
from qsfa_codegen.spec.model import ContentRule


@rule(
    "QD230",
    Impact.CALLERS,
    "A rule about data was added",
    "Tensors may no longer hold what they could. Rules about data are compared as they are written.",
)
def added(pair: Pair) -> Iterator[Found]:
    """New rules about data."""
    for new in pair.contents.added:
        yield Found(
            f"rule about data {new.id}",
            f"what tensors may hold is limited by {new.id}",
            "",
            _content(pair, new),
            pair.old.name_span,
            new.span,
        )


@rule(
    "QD231",
    Impact.WIDENING,
    "A rule about data was removed",
    "Tensors may hold more than before. Rules about data are compared as they are written.",
)
def removed(pair: Pair) -> Iterator[Found]:
    """Rules about data that are gone."""
    for old in pair.contents.removed:
        yield Found(
            f"rule about data {old.id}",
            f"what tensors may hold is no longer limited by {old.id}",
            _content(pair, old),
            "",
            old.span,
            pair.after.name_span,
        )


@rule(
    "QD232",
    Impact.CALLERS,
    "A rule about data changed",
    "Tensors may no longer hold all that they could. Rules about data are compared as they are written, so "
    "it is not known whether the new one allows less.",
)
def changed(pair: Pair) -> Iterator[Found]:
    """Rules about data with another text or meaning."""
    for old, new in pair.contents.both:
        same = (old.predicate, old.names) == (new.predicate, new.names)
        if not same or not pair.same_meaning((old.when, old.require), (new.when, new.require)):
            yield Found(
                f"rule about data {new.id}",
                f"what {new.id} says of data changed",
                _content(pair, old),
                _content(pair, new),
                old.span,
                new.span,
            )


@rule(
    "QD233",
    Impact.COMPATIBLE,
    "A rule about data is checked elsewhere",
    "What is legal stays the same; tiling reports data that breaks the rule, or no longer does.",
)
def stage(pair: Pair) -> Iterator[Found]:
    """Whether tiling checks it."""
    for old, new in pair.contents.both:
        if old.at_tiling != new.at_tiling:
            left, right = ("at tiling" if rule.at_tiling else "not at tiling" for rule in (old, new))
            message = f"rule about data {new.id} is checked {right}"
            yield Found(f"rule about data {new.id}", message, left, right, old.span, new.span)


def _content(pair: Pair, rule: ContentRule) -> str:
    return rule.predicate or ("" if rule.require is None else pair.quote(rule.require.span))


RULES = (added, removed, changed, stage)
