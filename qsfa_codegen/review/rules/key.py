"""The tiling key: its bits, the values that are compiled, and which one a call gets."""

from __future__ import annotations

from collections.abc import Iterator

from qsfa_codegen.contract.calls import Result
from qsfa_codegen.diagnostics import Span
from qsfa_codegen.review.changes import Basis, Found, Impact, Witness
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.registry import rule
from qsfa_codegen.spec.model import KeyArg, TilingKey


def _keys(pair: Pair) -> tuple[TilingKey, TilingKey] | None:
    found = [None if t is None else t.key for t in (pair.before.tiling, pair.after.tiling)]
    old, new = found
    return None if old is None or new is None else (old, new)


def _bits(key: TilingKey) -> str:
    return ", ".join(f"{arg.name} {arg.kind} {arg.bits}" for arg in key.args) or "a plain number"


def _arguments(pair: Pair) -> Iterator[tuple[KeyArg, KeyArg]]:
    keys = _keys(pair)
    if keys is not None:
        old = {arg.name: arg for arg in keys[0].args}
        yield from ((old[arg.name], arg) for arg in keys[1].args if arg.name in old)


@rule(
    "QD310",
    Impact.ARTEFACTS,
    "The bits of the tiling key are laid out otherwise",
    "Arguments fill the key from the lowest bit. A kernel built before is found by the old number, and "
    "kernel sources name the arguments.",
)
def layout(pair: Pair) -> Iterator[Found]:
    """Arguments added, removed, renamed, moved, of another kind or width."""
    keys = _keys(pair)
    if keys is None:
        old, new = (None if t is None else t.key for t in (pair.before.tiling, pair.after.tiling))
        if old is not new and pair.before.tiling is not None and pair.after.tiling is not None:
            what = "removed" if new is None else "added"
            spans: tuple[Span, Span] = (pair.before.tiling.span, pair.after.tiling.span)
            yield Found("tiling key", f"the tiling key was {what}", "", "", spans[0], spans[1])
        return
    left, right = map(_bits, keys)
    if left != right:
        message = "the bits of the tiling key are laid out otherwise"
        yield Found("tiling key", message, left, right, keys[0].span, keys[1].span)


@rule(
    "QD311",
    Impact.ARTEFACTS,
    "The declared values of a key argument changed",
    "The kernel macro lists the values in this order, and codes that are gone are no longer compiled.",
)
def declared(pair: Pair) -> Iterator[Found]:
    """Values removed or in another order."""
    for old, new in _arguments(pair):
        if old.declared != new.declared[: len(old.declared)]:
            yield _declared(old, new)


@rule(
    "QD312",
    Impact.COMPATIBLE,
    "A key argument declares more values",
    "Variants compiled before keep their keys.",
)
def declared_more(pair: Pair) -> Iterator[Found]:
    """Values added at the end."""
    for old, new in _arguments(pair):
        if old.declared != new.declared and old.declared == new.declared[: len(old.declared)]:
            yield _declared(old, new)


def _declared(old: KeyArg, new: KeyArg) -> Found:
    left, right = (", ".join(map(str, arg.declared)) for arg in (old, new))
    message = f"the declared values of key argument {new.name} changed"
    return Found(f"key argument {new.name}", message, left, right, old.span, new.span)


def _combinations(pair: Pair) -> tuple[TilingKey, TilingKey] | None:
    keys = _keys(pair)
    return keys if keys is not None and _bits(keys[0]) == _bits(keys[1]) else None


@rule(
    "QD313",
    Impact.ARTEFACTS,
    "Combinations of key arguments are no longer compiled",
    "Kernels of these keys are not built any more.",
)
def fewer(pair: Pair) -> Iterator[Found]:
    """Legal combinations of the base only."""
    keys = _combinations(pair)
    if keys is None:
        return
    gone = [row for row in keys[0].legal if row not in keys[1].legal]
    if gone:
        message = f"{_count(gone)} of key arguments no longer compiled"
        yield Found("tiling key", message, _rows(gone), "", keys[0].span, keys[1].span)


@rule(
    "QD314",
    Impact.COMPATIBLE,
    "More combinations of key arguments are compiled",
    "Variants compiled before keep their keys; more are built beside them.",
)
def more(pair: Pair) -> Iterator[Found]:
    """New legal combinations."""
    keys = _combinations(pair)
    if keys is None:
        return
    come = [row for row in keys[1].legal if row not in keys[0].legal]
    if come:
        message = f"{_count(come)} of key arguments more compiled"
        yield Found("tiling key", message, "", _rows(come), keys[0].span, keys[1].span)


def _count(rows: list[tuple[int, ...]]) -> str:
    return "1 combination" if len(rows) == 1 else f"{len(rows)} combinations"


def _rows(rows: list[tuple[int, ...]]) -> str:
    return "; ".join(" ".join(map(str, row)) for row in rows)


def _key(result: Result) -> object:
    assert result.tiling is not None
    return f"key is {result.tiling.key}"


def _chosen(pair: Pair) -> Iterator[tuple[bool, Witness | None, Found]]:
    """Whether the text differs, a call with another key, and the finding."""
    keys = _combinations(pair)
    if keys is None:
        return
    values = [
        (*(arg.value for arg in key.args), *((key.plain,) if key.plain is not None else ())) for key in keys
    ]
    if pair.alike(values[0], values[1]) and pair.same_meaning(values[0], values[1]):
        return
    texts = ["; ".join(pair.quote(value.span) for value in side) for side in values]
    found = Found("tiling key", "", texts[0], texts[1], keys[0].span, keys[1].span)
    yield not pair.alike(values[0], values[1]), pair.evidence.differs("key", _key), found


@rule(
    "QD315",
    Impact.ARTEFACTS,
    "A call gets another tiling key",
    "Another kernel variant runs for it, or one that was not built.",
)
def other(pair: Pair) -> Iterator[Found]:
    """Keys of which a call is found that both accept."""
    from msgspec.structs import replace

    for _, witness, found in _chosen(pair):
        if witness is not None:
            yield replace(found, message="a call gets another tiling key", witness=witness)


@rule(
    "QD316",
    Impact.COMPATIBLE,
    "The tiling key is written in another way",
    "No call was found that both contracts accept and that gets another key.",
)
def rewritten(pair: Pair) -> Iterator[Found]:
    """Keys of which no call is found."""
    from msgspec.structs import replace

    for differs, witness, found in _chosen(pair):
        if witness is None and differs:
            yield replace(found, message="the tiling key is written in another way", basis=Basis.SEARCHED)


@rule(
    "QD317",
    Impact.COMPATIBLE,
    "Combinations of key arguments are listed, or no longer",
    "Either the spec lists what is compiled, or it is what legal calls can reach; what came and went is "
    "reported by itself.",
)
def listed(pair: Pair) -> Iterator[Found]:
    """Where the legal combinations come from."""
    keys = _keys(pair)
    if keys is not None and keys[0].listed != keys[1].listed:
        left, right = ("listed" if key.listed else "reachable" for key in keys)
        message = f"the combinations of key arguments are {right}"
        yield Found("tiling key", message, left, right, keys[0].span, keys[1].span)


RULES = (layout, declared, declared_more, fewer, more, other, rewritten, listed)
