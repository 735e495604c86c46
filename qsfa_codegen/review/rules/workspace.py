"""Workspace, block dim and schedule mode: what a launch needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from qsfa_codegen.contract.calls import Result
from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.nodes import Expr
from qsfa_codegen.review.changes import Basis, Found, Impact, Witness
from qsfa_codegen.review.form import bare
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.registry import rule
from qsfa_codegen.spec.model import Tiling, WorkspaceTerm


def _tilings(pair: Pair) -> tuple[Tiling, Tiling] | None:
    old, new = pair.before.tiling, pair.after.tiling
    return None if old is None or new is None else (old, new)


def _terms(pair: Pair) -> Iterator[tuple[str, tuple[WorkspaceTerm, ...], tuple[WorkspaceTerm, ...]]]:
    """Terms of both on each architecture of both."""
    tilings = _tilings(pair)
    if tilings is None:
        return
    old, new = (dict(tiling.workspace) for tiling in tilings)
    for arch in dict.fromkeys(chip.arch for _, chip in pair.chips):
        yield arch, old.get(arch, ()), new.get(arch, ())


def _exprs(terms: Sequence[WorkspaceTerm]) -> list[Expr | None]:
    return [expr for term in terms for expr in (term.when, term.bytes)]


def _places(pair: Pair, old: Sequence[WorkspaceTerm], new: Sequence[WorkspaceTerm]) -> tuple[Span, Span]:
    tilings = _tilings(pair)
    assert tilings is not None
    return (old[0].span if old else tilings[0].span), (new[0].span if new else tilings[1].span)


def _changed(pair: Pair, old: Sequence[WorkspaceTerm], new: Sequence[WorkspaceTerm]) -> tuple[str, str]:
    """The terms that are not the same in both; all of them when each is."""
    before, after = {t.name: t for t in old}, {t.name: t for t in new}
    names = [name for name in dict.fromkeys((*before, *after)) if not _same(pair, before, after, name)]
    texts: tuple[list[str], list[str]] = ([], [])
    if not names:  # only their order differs
        return "; ".join(before), "; ".join(after)
    for name in names:
        left, right = before.get(name), after.get(name)
        sides = [() if term is None else (term.per, term.copies, term.count) for term in (left, right)]
        said = pair.said(sides[0], sides[1])
        for shown, term, text in zip(texts, (left, right), said, strict=True):
            shown += [] if term is None else [f"{name} {text.replace(', ', ' × ', 2)}"]
    return "; ".join(texts[0]), "; ".join(texts[1])


def _same(
    pair: Pair, before: Mapping[str, WorkspaceTerm], after: Mapping[str, WorkspaceTerm], name: str
) -> bool:
    sides = [_exprs([terms[name]]) for terms in (before, after) if name in terms]
    if len(sides) < 2:
        return False
    return pair.alike(tuple(sides[0]), tuple(sides[1])) and pair.same_meaning(sides[0], sides[1])


class _Bytes:
    def __init__(self, arch: str) -> None:
        self._arch = arch

    def __call__(self, result: Result) -> object:
        assert result.tiling is not None
        return f"workspace is {' '.join(map(str, result.tiling.workspace))} bytes"


@rule(
    "QD320",
    Impact.ARTEFACTS,
    "A call needs another workspace",
    "Kernels take their offsets from the same table; one that was built before uses the old ones.",
)
def size(pair: Pair) -> Iterator[Found]:
    """Sizes of which a call is found that both accept."""
    for arch, old, new in _terms(pair):
        if pair.same_meaning(_exprs(old), _exprs(new)):
            continue
        witness = pair.evidence.differs(f"workspace_{arch}", _Bytes(arch), arch)
        if witness is not None:
            yield Found(
                f"workspace {arch}",
                f"the workspace on {arch} has another size",
                *_changed(pair, old, new),
                *_places(pair, old, new),
                witness,
            )


@rule(
    "QD321",
    Impact.ARTEFACTS,
    "Parts of the workspace are laid out otherwise",
    "The kernel finds its parts by the sizes of those before them.",
)
def layout(pair: Pair) -> Iterator[Found]:
    """Names and order of the parts, their dtypes, and whether they are used."""
    for arch, old, new in _terms(pair):
        left, right = ([(t.name, bare(t.dtype), t.unused) for t in terms] for terms in (old, new))
        if left != right:
            yield Found(
                f"workspace {arch}",
                f"parts of the workspace on {arch} are laid out otherwise",
                ", ".join(t.name for t in old),
                ", ".join(t.name for t in new),
                *_places(pair, old, new),
            )


@rule(
    "QD322",
    Impact.COMPATIBLE,
    "The workspace is written in another way",
    "No call was found that both contracts accept and that needs another size.",
)
def rewritten(pair: Pair) -> Iterator[Found]:
    """Sizes of which no call is found."""
    for arch, old, new in _terms(pair):
        if pair.alike(tuple(_exprs(old)), tuple(_exprs(new))):
            continue
        if pair.evidence.differs(f"workspace_{arch}", _Bytes(arch), arch) is None:
            yield Found(
                f"workspace {arch}",
                f"the workspace on {arch} is written in another way",
                *_changed(pair, old, new),
                *_places(pair, old, new),
                basis=Basis.SEARCHED,
            )


def _block_dim(result: Result) -> object:
    assert result.tiling is not None
    return f"block dim is {result.tiling.block_dim}"


def _block_dims(pair: Pair) -> tuple[Expr | None, Expr | None] | None:
    tilings = _tilings(pair)
    if tilings is None:
        return None
    old, new = (tiling.block_dim for tiling in tilings)
    return None if pair.alike(old, new) and pair.same_meaning((old,), (new,)) else (old, new)


@rule(
    "QD323",
    Impact.ARTEFACTS,
    "A call is launched on another number of cores",
    "Kernels built before divide their work by the old number.",
)
def block_dim(pair: Pair) -> Iterator[Found]:
    """Block dims of which a call is found that both accept."""
    found = _block_dims(pair)
    witness = None if found is None else pair.evidence.differs("block_dim", _block_dim)
    if found is not None and witness is not None:
        yield _about_cores(pair, found, "a call is launched on another number of cores", witness)


@rule(
    "QD324",
    Impact.COMPATIBLE,
    "The block dim is written in another way",
    "No call was found that both contracts accept and that is launched on another number of cores.",
)
def block_dim_rewritten(pair: Pair) -> Iterator[Found]:
    """Block dims of which no call is found."""
    found = _block_dims(pair)
    if found is None or pair.alike(found[0], found[1]):
        return
    if pair.evidence.differs("block_dim", _block_dim) is None:
        yield _about_cores(pair, found, "the block dim is written in another way", None)


def _about_cores(
    pair: Pair, found: tuple[Expr | None, Expr | None], message: str, witness: Witness | None
) -> Found:
    tilings = _tilings(pair)
    assert tilings is not None
    old, new = found
    if old is None or new is None:
        texts = tuple("none" if expr is None else pair.quote(expr.span) for expr in found)
    else:
        texts = pair.said((old,), (new,))
    places = [tiling.span if expr is None else expr.span for expr, tiling in zip(found, tilings, strict=True)]
    basis = Basis.SEARCHED if witness is None else None
    return Found("block dim", message, texts[0], texts[1], places[0], places[1], witness, basis)


@rule(
    "QD325",
    Impact.ARTEFACTS,
    "The schedule mode changed",
    "In batch mode all cores of a launch run at the same time, which kernels that wait for each other rely "
    "on.",
)
def schedule(pair: Pair) -> Iterator[Found]:
    """Normal or batch."""
    tilings = _tilings(pair)
    if tilings is not None and tilings[0].schedule_mode != tilings[1].schedule_mode:
        left, right = ("batch" if t.schedule_mode else "normal" for t in tilings)
        message = f"the schedule mode is {right}"
        yield Found("schedule mode", message, left, right, tilings[0].span, tilings[1].span)


@rule(
    "QD326",
    Impact.ARTEFACTS,
    "A function of the spec's own changed",
    "Tiling computes with it; what it does is not known to the review.",
)
def externs(pair: Pair) -> Iterator[Found]:
    """Extern functions."""
    tilings = _tilings(pair)
    if tilings is None:
        return
    old, new = ({e.name: e for e in tiling.externs} for tiling in tilings)
    for name in dict.fromkeys((*old, *new)):
        before, after = old.get(name), new.get(name)
        if bare(before) == bare(after):
            continue
        places = (before or tilings[0]).span, (after or tilings[1]).span
        texts = ["" if e is None else e.cpp for e in (before, after)]
        yield Found(f"function {name}", f"function {name} changed", texts[0], texts[1], places[0], places[1])


RULES = (size, layout, rewritten, block_dim, block_dim_rewritten, schedule, externs)
