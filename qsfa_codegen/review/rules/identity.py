"""Which operator it is, and where it runs."""

from __future__ import annotations

from collections.abc import Iterator

from qsfa_codegen.review.changes import Found, Impact
from qsfa_codegen.review.form import bare
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.registry import rule


@rule(
    "QD100",
    Impact.CALLERS,
    "The operator has another name",
    "The op type is what graphs, aclnn and torch call the operator by: callers of the old name find nothing.",
)
def renamed(pair: Pair) -> Iterator[Found]:
    """The op type."""
    old, new = pair.old.name, pair.after.name
    if old != new:
        yield Found(
            "operator", f"the operator is called {new}", old, new, pair.old.name_span, pair.after.name_span
        )


@rule(
    "QD101",
    Impact.CALLERS,
    "An operator was removed",
    "The base has a spec that is gone, so the whole package goes with it.",
)
def removed(pair: Pair) -> Iterator[Found]:
    """Two versions of an operator never show this: the command compares the specs that there are."""
    yield from ()


@rule(
    "QD102",
    Impact.CALLERS,
    "A chip was removed",
    "Every call on that chip was legal or not by the contract; now there is no operator there.",
)
def chip_removed(pair: Pair) -> Iterator[Found]:
    """Chips of the base only."""
    for chip in pair.chips_of_base_only():
        yield Found(
            f"chip {chip.id}",
            f"the operator no longer runs on {chip.id} ({chip.soc})",
            chip.id,
            "",
            pair.old.name_span,
            pair.after.name_span,
        )


@rule(
    "QD103",
    Impact.WIDENING,
    "A chip was added",
    "Calls on a further chip become legal; nothing changes for calls on the others.",
)
def chip_added(pair: Pair) -> Iterator[Found]:
    """New chips."""
    common = {new.id for _, new in pair.chips}
    for chip in pair.after.chips:
        if chip.id not in common:
            yield Found(
                f"chip {chip.id}",
                f"the operator runs on {chip.id} ({chip.soc}) too",
                "",
                chip.id,
                pair.old.name_span,
                pair.after.name_span,
            )


@rule(
    "QD104",
    Impact.ARTEFACTS,
    "A fact about a chip changed",
    "Core counts, buffer sizes and the reserved workspace enter tiling; the SoC name and architecture "
    "enter builds.",
)
def chip_facts(pair: Pair) -> Iterator[Found]:
    """Chips of both whose facts in chips.yaml differ."""
    for old, new in pair.chips:
        names = [n for n in new.__struct_fields__ if getattr(old, n) != getattr(new, n)]
        for name in names:
            left, right = getattr(old, name), getattr(new, name)
            yield Found(
                f"chip {new.id}",
                f"{name} of {new.id} changed",
                _short(left),
                _short(right),
                pair.old.name_span,
                pair.after.name_span,
            )


def _short(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


@rule(
    "QD105",
    Impact.ARTEFACTS,
    "The registration of a chip changed",
    "The flags and extension entries of the AI Core configuration are part of the built operator library.",
)
def registration(pair: Pair) -> Iterator[Found]:
    """Flags and entries, chip by chip."""
    old = {r.chip: r for r in pair.before.registration}
    for new in pair.after.registration:
        before = old.get(new.chip)
        if before is None or bare(before) == bare(new):
            continue
        yield Found(
            f"registration {new.chip}",
            f"what is registered for {new.chip} changed",
            _entries((*before.flags, *before.ext)),
            _entries((*new.flags, *new.ext)),
            pair.old.name_span,
            pair.after.name_span,
        )


def _entries(entries: tuple[tuple[str, object], ...]) -> str:
    return ", ".join(f"{name}: {str(value).lower()}" for name, value in entries)


@rule(
    "QD106",
    Impact.CALLERS,
    "Graph mode was given up",
    "Models that use the operator in a graph can no longer be compiled.",
)
def graph_mode_lost(pair: Pair) -> Iterator[Found]:
    """Graph mode turned off."""
    if pair.before.graph_mode and not pair.after.graph_mode:
        yield _about_graph_mode(pair, "the operator no longer works in graph mode")


@rule(
    "QD107",
    Impact.WIDENING,
    "Graph mode was added",
    "Calls in a graph become possible; calls outside of one stay as they are.",
)
def graph_mode_gained(pair: Pair) -> Iterator[Found]:
    """Graph mode turned on."""
    if pair.after.graph_mode and not pair.before.graph_mode:
        yield _about_graph_mode(pair, "the operator works in graph mode too")


def _about_graph_mode(pair: Pair, message: str) -> Found:
    old, new = (str(o.graph_mode).lower() for o in (pair.before, pair.after))
    return Found("graph mode", message, old, new, pair.old.name_span, pair.after.name_span)


@rule(
    "QD108",
    Impact.COMPATIBLE,
    "The operator is of another category",
    "The category places the operator among others; no call and no kernel depends on it.",
)
def category(pair: Pair) -> Iterator[Found]:
    """The category."""
    old, new = pair.before.category, pair.after.category
    if old != new:
        yield Found("category", f"the category is {new}", old, new, pair.old.name_span, pair.after.name_span)


RULES = (
    renamed,
    removed,
    chip_removed,
    chip_added,
    chip_facts,
    registration,
    graph_mode_lost,
    graph_mode_gained,
    category,
)
