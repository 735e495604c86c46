"""Which dtypes go together, and the layout of packed rows."""

from __future__ import annotations

from collections.abc import Iterator

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.review.changes import Found, Impact
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.registry import rule
from qsfa_codegen.spec.model import DtypeRow, Record

_Rows = tuple[tuple[str, tuple[DtypeRow, ...], tuple[DtypeRow, ...]], ...]


def _rows(pair: Pair) -> _Rows:
    """Rows of both on each chip of both; none when the columns are not the same."""
    old, new = pair.before.dtypes, pair.after.dtypes
    if old.columns != new.columns or not new.columns:
        return ()
    return tuple((chip.id, old.rows_of(chip.id), new.rows_of(chip.id)) for _, chip in pair.chips)


def _spelt(row: DtypeRow) -> str:
    return ", ".join(row.dtypes)


def _once(found: Iterator[tuple[str, DtypeRow]]) -> Iterator[tuple[tuple[str, ...], DtypeRow]]:
    """Rows that stand for several chips, once, with the chips."""
    chips: dict[Span, list[str]] = {}
    rows: dict[Span, DtypeRow] = {}
    for chip, row in found:
        chips.setdefault(row.span, []).append(chip)
        rows[row.span] = row
    for span, row in rows.items():
        yield tuple(chips[span]), row


@rule(
    "QD240",
    Impact.ARTEFACTS,
    "A dtype row was removed",
    "A row is a compiled kernel variant: what was built for it is no longer registered. What callers "
    "notice is reported as fewer dtypes of an input.",
)
def row_removed(pair: Pair) -> Iterator[Found]:
    """Rows of the base only."""

    def gone() -> Iterator[tuple[str, DtypeRow]]:
        for chip, old, new in _rows(pair):
            kept = {row.dtypes for row in new}
            yield from ((chip, row) for row in old if row.dtypes not in kept)

    for chips, row in _once(gone()):
        message = f"the dtype row [{_spelt(row)}] was removed on {', '.join(chips)}"
        yield Found("dtypes", message, _spelt(row), "", row.span, pair.after.dtypes.span)


@rule(
    "QD241",
    Impact.WIDENING,
    "A dtype row was added",
    "One more kernel variant is compiled and registered; the others stay as they are.",
)
def row_added(pair: Pair) -> Iterator[Found]:
    """New rows."""

    def new_rows() -> Iterator[tuple[str, DtypeRow]]:
        for chip, old, new in _rows(pair):
            known = {row.dtypes for row in old}
            yield from ((chip, row) for row in new if row.dtypes not in known)

    for chips, row in _once(new_rows()):
        message = f"the dtype row [{_spelt(row)}] was added on {', '.join(chips)}"
        yield Found("dtypes", message, "", _spelt(row), pair.old.dtypes.span, row.span)


@rule(
    "QD242",
    Impact.ARTEFACTS,
    "Dtype rows have another order",
    "The registered lists are read side by side and kernel binaries are numbered by them.",
)
def rows_reordered(pair: Pair) -> Iterator[Found]:
    """Common rows whose order differs."""
    moved = []
    for chip, old, new in _rows(pair):
        before = [row.dtypes for row in old if row.dtypes in {r.dtypes for r in new}]
        after = [row.dtypes for row in new if row.dtypes in {r.dtypes for r in old}]
        if before != after:
            moved.append(chip)
    if moved:
        message = f"dtype rows have another order on {', '.join(moved)}"
        yield Found("dtypes", message, "", "", pair.old.dtypes.span, pair.after.dtypes.span)


@rule(
    "QD243",
    Impact.ARTEFACTS,
    "Dtype columns changed",
    "Columns say which parameters have their dtype in common, and what chooses it: the registered lists "
    "follow.",
)
def columns(pair: Pair) -> Iterator[Found]:
    """The columns, what selects one, what stands in for an absent input."""
    old, new = pair.before.dtypes, pair.after.dtypes
    for name in ("columns", "select", "unbound"):
        left, right = getattr(old, name), getattr(new, name)
        if left != right:
            message = f"{'what selects a column' if name == 'select' else name} of dtypes changed"
            yield Found("dtypes", message, _listed(left), _listed(right), pair.old.dtypes.span, new.span)
    for before, after in pair.inputs.both:
        if before.dtype != after.dtype:
            left, right = _dtype(before), _dtype(after)
            message = f"the dtype of input {after.name} is declared as {right}"
            yield Found(f"input {after.name}", message, left, right, before.span, after.span)


def _dtype(param: object) -> str:
    dtype = getattr(param, "dtype")  # noqa: B009
    return dtype.fixed or (f"column {dtype.column}" if dtype.column else f"that of {dtype.follow}")


def _listed(value: tuple[object, ...]) -> str:
    return ", ".join(": ".join(item) if isinstance(item, tuple) else str(item) for item in value)


@rule(
    "QD250",
    Impact.CALLERS,
    "The layout of a packed row changed",
    "Data that callers have written by the old layout is read as something else.",
)
def record_layout(pair: Pair) -> Iterator[Found]:
    """Fields, their order, sizes and alignment, and how they are dequantised."""
    for old, new in pair.records.both:
        if _same_layout(pair, old, new):
            continue
        yield Found(
            f"record {new.name}",
            f"the layout of record {new.name} changed",
            _fields(pair, old),
            _fields(pair, new),
            old.span,
            new.span,
        )


def _same_layout(pair: Pair, old: Record, new: Record) -> bool:
    if not pair.alike(old, new, "elements", "offsets", "size", "fields"):
        return False
    left, right = ([(f.name, f.dtype, f.align) for f in record.fields] for record in (old, new))
    if left != right:
        return False
    exprs = [[*(f.count for f in r.fields), r.elements, *r.offsets] for r in (old, new)]
    return pair.same_meaning(exprs[0], exprs[1])


def _fields(pair: Pair, record: Record) -> str:
    return "; ".join(
        f"{f.name} {f.dtype.fixed or f.dtype.column} × {pair.quote(f.count.span)} align {f.align}"
        for f in record.fields
    )


@rule(
    "QD251",
    Impact.COMPATIBLE,
    "A packed row came or went",
    "A record is what an input holds; the inputs that have it are reported by themselves.",
)
def record_listed(pair: Pair) -> Iterator[Found]:
    """Records of one only."""
    for old in pair.records.removed:
        message = f"record {old.name} was removed"
        yield Found(f"record {old.name}", message, old.name, "", old.span, pair.after.name_span)
    for new in pair.records.added:
        message = f"record {new.name} was added"
        yield Found(f"record {new.name}", message, "", new.name, pair.old.name_span, new.span)


RULES = (row_removed, row_added, rows_reordered, columns, record_layout, record_listed)
